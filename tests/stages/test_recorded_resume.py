"""Recorded rows of a run that was stopped, and of files that change under a run."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recorded_rows import answered, grades, grounded, leaking, lines, scores
from user_project import UserProject

from proctor.config import load_project
from proctor.errors import SourceChanged
from proctor.overrides import Overrides
from proctor.stages.execute import execute
from proctor.stages.judge import judge
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import recorded_sources, row_chunks
from proctor.stages.recorded.scoring import score_rows
from proctor.stages.run import Run, open_run
from proctor.stages.validate import compile_plan
from proctor.store import Store, open_store

MANY = 12_000
COUNTING = """\
from pathlib import Path
from proctor.results import CheckResult, Outcome

SEEN = Path({seen!r})


class Counting:
    name = "counting"

    def evaluate(self, context):
        with SEEN.open("a") as file:
            file.write(context.case.key + "\\n")
        return CheckResult(self.name, Outcome.PASSED, "seen")
"""


@pytest.fixture
def store(project: UserProject) -> Iterator[Store]:
    with open_store(None, project.root) as opened:
        yield opened


def opened(project: UserProject, store: Store, overrides: Overrides | None = None) -> Run:
    settings = load_project(project.root)
    return open_run(compile_plan(project.root / "evals/shop.suite.yaml", settings, overrides), store)


async def score_first(run: Run) -> None:
    """Score one chunk and no more, as if the process had been killed then."""
    async with run:
        score_rows(run, next(row_chunks(run.plan)))
    run.release()


def totals(project: UserProject) -> dict[str, Any]:
    summary = project.results()["summary"]
    names = ("decision", "reason", "cases", "trials", "gates", "slices", "dimensions", "warnings", "partial")
    return {name: summary[name] for name in names}


class TestARunThatWasStopped:
    @pytest.fixture
    def many(self, project: UserProject) -> UserProject:
        rows = (
            leaking(f"r{number}", number % 500 == 0, tags=["odd" if number % 2 else "even"]) for number in range(MANY)
        )
        project.write("evals/rows.jsonl", lines(rows))
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\n")
        return project

    def test_ends_with_the_totals_of_an_unbroken_one(self, many: UserProject, store: Store) -> None:
        first = opened(many, store)
        chunks = list(row_chunks(first.plan))
        assert len(chunks) > 1
        assert sum(map(len, chunks)) == MANY
        asyncio.run(score_first(first))
        assert list(store.row_chunks(first.id)) == [chunks[0].place]
        ended = many.run()
        assert ended.code == 1
        assert f"went on with run {first.id}\n" in ended.err
        resumed, listed = totals(many), many.results()
        assert many.run("evals/shop.suite.yaml", "--new").code == 1
        assert totals(many) == resumed
        assert resumed["trials"] == {
            "passed": MANY - 24, "failed": 24, "errored": 0, "refused": 0, "unscored": 0, "skipped": 0,
        }  # fmt: skip
        assert [case["case"] for case in listed["cases"]] == [case["case"] for case in many.results()["cases"]]

    def test_scores_no_row_twice(self, project: UserProject, store: Store, tmp_path: Path) -> None:
        seen = tmp_path / "seen.txt"
        for name in ("one", "two"):
            project.write(f"evals/{name}.jsonl", lines(answered(f"{name}{number}") for number in range(50)))
        project.write("own.py", COUNTING.format(seen=str(seen)))
        project.write("evals/shop.suite.yaml", "specs: ['*.jsonl']\nchecks: ['own:Counting']\n")
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(project.root))
            asyncio.run(score_first(opened(project, store)))
        project.forget_modules()
        assert len(seen.read_text().split()) == 50
        assert project.run().code == 0
        counts = Counter(seen.read_text().split())
        assert (len(counts), set(counts.values())) == (100, {1})

    def test_is_not_resumed_when_a_row_has_changed(self, many: UserProject, store: Store) -> None:
        asyncio.run(score_first(opened(many, store)))
        many.write("evals/rows.jsonl", lines([leaking("r0", leaks=False)]))
        ended = many.run()
        assert ended.code == 0
        assert "went on" not in ended.err

    def test_is_not_resumed_by_another_selection_in_the_same_words(self, project: UserProject, store: Store) -> None:
        """``--failed`` means other rows when there was a run in between."""
        project.write("evals/rows.jsonl", lines(answered(f"r{number}") for number in range(4)))
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\n")
        settings, failed = load_project(project.root), Overrides(failed=True)
        spec = project.root / "evals/shop.suite.yaml"
        for keys, goes_on in (({"r1"}, False), ({"r1"}, True), ({"r1", "r2"}, False)):
            run = open_run(compile_plan(spec, settings, failed, not_passed=keys), store)
            run.release()
            assert run.resumed is goes_on

    @pytest.mark.parametrize(
        "dataset",
        [
            "dimensions: {pii: 0.5}",
            "dimensions: {pii: {bound: lower}}",
            "required: [pii]",
            "budgets: {cost_usd: 0.1, price: {input_per_mtok: 3, output_per_mtok: 15}}",
            "pass_k: 3",
            "slices: [language]",
            "regression: {rule: test}",
            "calibration: {bars: {safety: 0.5}}",
        ],
    )
    def test_is_left_alone_when_the_data_set_is_scored_in_another_way(
        self, project: UserProject, store: Store, dataset: str
    ) -> None:
        project.write("evals/rows.jsonl", lines([leaking("a", leaks=False)]))
        resumed = []
        for block in ("", "", dataset, dataset):
            project.write("evals/shop.suite.yaml", f"specs: [rows.jsonl]\ndataset: {{{block}}}\n")
            run = opened(project, store)
            run.release()
            resumed.append(run.resumed)
        assert resumed == [False, True, False, True]

    def test_by_a_signal_goes_on_too(self, project: UserProject, tmp_path: Path) -> None:
        """A judge that never answers holds the run; what was scored and judged before the kill is kept."""
        asked, go = tmp_path / "asked", tmp_path / "go"
        project.write(
            "grades.py",
            f"from pathlib import Path\nimport asyncio, json\n"
            f"from pydantic_ai.messages import ModelResponse, TextPart\n"
            f"from pydantic_ai.models.function import FunctionModel\n"
            f"ASKED, GO = Path({str(asked)!r}), Path({str(go)!r})\n\n\n"
            "class Judge:\n    version = '1'\n\n    def __call__(self, model_id):\n"
            "        async def reply(messages, info):\n"
            "            with ASKED.open('a') as file:\n                file.write('x')\n"
            "            if len(ASKED.read_text()) > 2 and not GO.exists():\n                await asyncio.sleep(60)\n"
            "            return ModelResponse(parts=[TextPart(json.dumps({'reasoning': 'r', 'score': 5}))])\n\n"
            "        return FunctionModel(reply, model_name=model_id)\n\n\njudge = Judge()\n",
        )
        project.write("evals/rows.jsonl", lines(grounded(f"g{number}") for number in range(5)))
        project.write(
            "evals/shop.suite.yaml", "specs: [rows.jsonl]\njudge: {model: 'python:grades:judge'}\nconcurrency: 1\n"
        )
        process = project.start("run", "evals/shop.suite.yaml")
        deadline = time.monotonic() + 30
        while (not asked.exists() or len(asked.read_text()) < 3) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        go.touch()
        ended = project.run()
        assert ended.code == 0, ended.err
        assert "went on with run" in ended.err
        assert len(asked.read_text()) == 6  # the question that was under way had no answer
        assert project.results()["summary"]["trials"]["passed"] == 5


class TestAFileThatChangesUnderARun:
    @pytest.fixture
    def judged(self, project: UserProject) -> UserProject:
        project.write("evals/rows.jsonl", lines([grounded("a"), grounded("b")]))
        project.write("grades.py", grades(*scores(5, 5)))
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\njudge: {model: 'python:grades:judge'}\n")
        return project

    def change(self, project: UserProject) -> None:
        project.write("evals/rows.jsonl", lines([grounded("a"), grounded("c")]))

    def test_before_anything_is_scored_ends_it(self, judged: UserProject) -> None:
        rows = str(judged.root / "evals/rows.jsonl")
        # A check of the user's is imported after validation, before the first stage.
        changing = f"with open({rows!r}, 'a') as file:\n    file.write('\\n')\n"
        judged.write("own.py", COUNTING.format(seen="seen") + changing)
        judged.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\nchecks: ['own:Counting']\n")
        ended = judged.run()
        assert ended.code == 3
        assert ended.err == (
            "error: evals/rows.jsonl changed while the run was under way\n"
            "  hint: start the run again; what is done is kept\n"
        )
        [run] = judged.proctor("runs", "--format", "json").json()
        assert run["status"] == "interrupted"

    def test_is_told_at_every_stage_that_reads_it(self, judged: UserProject, store: Store) -> None:
        message = "changed after it was validated, at line 1 or below"

        async def stages() -> None:
            async with opened(judged, store) as run:
                [chunk], [whole] = row_chunks(run.plan), recorded_sources(run.plan)
                assert str(await execute(run, whole)) == "2 recorded"
                self.change(judged)
                with pytest.raises(SourceChanged, match=message):
                    score_rows(run, chunk)
                judged.write("evals/rows.jsonl", lines([grounded("a"), grounded("b")]))
                assert score_rows(run, chunk) == 2
                self.change(judged)
                with pytest.raises(SourceChanged, match=message):
                    await judge(run, chunk)
                with pytest.raises(SourceChanged, match="changed while the run was under way"):
                    await execute(run, whole)
                (judged.root / "evals/rows.jsonl").unlink()
                with pytest.raises(SourceChanged, match="can no longer be read: No such file or directory"):
                    await judge(run, chunk)
                run.release()

        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(judged.root))
            asyncio.run(stages())


class TestProgress:
    def test_counts_rows_that_no_judge_is_asked_about_as_done(self, project: UserProject, store: Store) -> None:
        project.write("evals/rows.jsonl", lines([answered("x"), grounded("a"), grounded("b")]))
        project.write("grades.py", grades(*scores(5, 5)))
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\njudge: {model: 'python:grades:judge'}\n")
        steps: list[tuple[int, int]] = []

        async def stages() -> None:
            async with opened(project, store) as run:
                [chunk] = row_chunks(run.plan)
                score_rows(run, chunk)
                assert run.judged_chunks() == [chunk]
                run.progress.watcher = lambda step: steps.append((step.done, step.total))
                run.progress.expect(Stage.JUDGE, len(chunk))
                assert str(await judge(run, chunk)) == "2 asked"
            run.release()

        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(project.root))
            asyncio.run(stages())
        assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_json_rows_are_read_as_they_were_written(project: UserProject) -> None:
    """CR LF, a missing last line end and a byte-order mark change nothing of what is scored."""
    text = b"\xef\xbb\xbf" + "\r\n".join(json.dumps(answered(name)) for name in "abc").encode()
    project.write("evals/rows.jsonl", text)
    assert project.run("evals/rows.jsonl").code == 0
    assert project.results("rows")["summary"]["trials"]["passed"] == 3
