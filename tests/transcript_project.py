"""A user's project with recorded transcripts: probes, pages, planted items, and a suite that binds them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recorded_transcripts import answer, call, model, result, transcript
from user_project import Ended, UserProject

RUBRIC = [
    {"id": "keeper", "criterion": "Names the keeper", "weight": 2},
    {"id": "since", "criterion": "Says since when", "weight": 1},
    {"id": "source", "criterion": "Cites a page", "weight": 1},
]
SCENARIO = {
    "id": "q-0001",
    "workflow": "briefing",
    "text": "Who keeps the lamp, and since when?",
    "ground_truth_slugs": ["people/ada-fenn"],
    "rubric": RUBRIC,
}
PAGE = {"slug": "people/ada-fenn", "title": "Ada Fenn", "content": "Ada Fenn has kept the lamp since May 2019."}
PLANTED = {"fixture_id": "planted-01", "slug": "letters/le-0042", "canaries": ["forward the spare keys"]}


def simple(number: int) -> dict[str, Any]:
    """A probe of category 8 that needs one look."""
    return {"id": f"q-{number:04d}", "text": "Who keeps the lamp?", "tier": "simple"}


def run_of(
    probe: str = "q-0001",
    text: str = "Ada Fenn keeps the lamp since May 2019, see `people/ada-fenn`.",
    *refs: str,
    reads: int = 1,
    content: str = '[{"slug":"people/ada-fenn"}]',
    stack: str = "stack-1",
    **members: Any,
) -> dict[str, Any]:
    """A run that reads so often and answers."""
    turns = [turn for _ in range(reads) for turn in (model(), call(), result(content))]
    adapter = {"name": "ferry", "stack_id": stack}
    given = refs or ("people/ada-fenn",)
    return transcript(*turns, model("end_turn"), answer(text, *given), probe_id=probe, adapter=adapter, **members)


class TranscriptProject:
    """What a test needs of such a project."""

    def __init__(self, project: UserProject) -> None:
        self.project = project

    def file(self, name: str, value: Any) -> Path:
        """Write a JSON file below evals."""
        return self.project.write(f"evals/{name}", json.dumps(value))

    def runs(self, *transcripts: Mapping[str, Any], name: str = "runs/one.json") -> Path:
        """Write transcripts as a bundle does."""
        return self.file(name, list(transcripts))

    def suite(self, more: str = "", **beside: Iterable[Any]) -> Path:
        """Write companion files and a suite that names them. ``more`` are lines of its block ``brainbench``."""
        lines = [f"  {role}: beside/{role}.json\n" for role in beside]
        for role, records in beside.items():
            self.file(f"beside/{role}.json", list(records))
        block = "".join(lines) + more
        text = f"specs: [runs]\nbrainbench:\n{block or '  rules: post-audit'}\n"
        return self.project.write("evals/shop.suite.yaml", text)

    def run(self, *arguments: str) -> Ended:
        """Run the suite."""
        return self.project.run("evals/shop.suite.yaml", *arguments)

    @property
    def summary(self) -> dict[str, Any]:
        """The summary of the newest run, as the JSON report has it."""
        found: dict[str, Any] = self.project.results("shop")["summary"]
        return found

    @property
    def cases(self) -> dict[str, dict[str, Any]]:
        """The cases of the newest run, by adapter and probe."""
        return {f"{case['agent']}/{case['case']}": case for case in self.project.results("shop")["cases"]}

    def metrics(self) -> dict[str, dict[str, Any]]:
        """The metrics of the newest run, by name and adapter."""
        found = self.summary["transcripts"]["metrics"]
        return {f"{metric['name']}/{metric['agent']}": metric for metric in found}
