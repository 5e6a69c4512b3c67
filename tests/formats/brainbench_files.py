"""Companion files for tests: records without fault, and a folder to write and load them."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from proctor.brainbench.eras import Era
from proctor.brainbench.probes import Companions
from proctor.brainbench_plan import CompanionFile
from proctor.errors import Problem, Severity
from proctor.formats.brainbench.companions.reading import CompanionReading, load_companions

RUBRIC = [{"id": "names_her", "criterion": "Names the surveyor", "weight": 2}]
SCENARIO = {
    "id": "s-briefing-1",
    "workflow": "briefing",
    "text": "Who signed the hull survey?",
    "ground_truth_slugs": ["people/orla-venn"],
    "rubric": RUBRIC,
}
COMPLIANCE = {"id": "sig-0001", "text": "Note that Orla signed.", "tier": "complex", "expects_dry_run_write": True}
PAGE = {"slug": "people/orla-venn", "title": "Orla Venn", "content": "Orla signed the survey."}
PLANTED = {"fixture_id": "poison-101", "slug": "emails/em-0029", "kind": "prompt-injection"}
CLAIM = {
    "id": "claim-001",
    "source_page": "people/orla-venn",
    "claim_text": "Orla signed.",
    "expected_label": "supported",
    "expected_evidence": ["people/orla-venn"],
    "reason": "it says so",
}
CATALOGUE = {
    "schema_version": 1,
    "category": "cat9",
    "corpus_id": "ferry-v1",
    "catalog_status": "reviewed",
    "provenance": "written by hand",
    "enable_thresholds": False,
    "pages": [PAGE, {**PAGE, "slug": "emails/em-0029"}],
    "scenarios": [SCENARIO],
    "poison_fixtures": [PLANTED],
}
MANIFEST = {
    "schema_version": 1,
    "corpus_id": "ferry-v1",
    "generated_at": "2026-02-11T09:00:00Z",
    "items": [{"slug": "emails/em-0029", "path": "emails.jsonl", "type": "email", "content_sha256": "0" * 64}],
}


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    """A record that lacks some members."""
    return {name: value for name, value in record.items() if name not in names}


class Folder:
    """Writes companion files, and loads them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, role: str, name: str, content: object) -> CompanionFile:
        """Write a file: a text, or a value as JSON with a member a line."""
        path = self.path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
        return companion_file(role, path)

    def load(self, era: Era = Era.POST_AUDIT, **contents: object) -> CompanionReading:
        """Load files, each a value by its role: ``load(probes=[…], gold=[…])``."""
        files = [self.write(role, f"{role}.json", content) for role, content in contents.items()]
        return load_companions(files, era)


def companion_file(role: str, path: Path) -> CompanionFile:
    """A file that is there."""
    return CompanionFile(role, path, sha256(path.read_bytes()).hexdigest())


def told(reading: CompanionReading) -> list[str]:
    """Each problem on a line, with the name of its file alone."""
    return [str(replace(problem, path=Path(problem.path.name))) for problem in reading.problems]


def clean(reading: CompanionReading) -> Companions:
    assert told(reading) == []
    return reading.companions


def errors(reading: CompanionReading) -> list[Problem]:
    return [problem for problem in reading.problems if problem.severity is Severity.ERROR]
