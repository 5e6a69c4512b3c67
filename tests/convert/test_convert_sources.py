"""Which trials are taken from a run and from a file, and what is refused with its reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from trial_samples import built, trial

from proctor.convert import convert, trials_of_file, trials_of_run
from proctor.convert.trials import Trials
from proctor.dataset import RECORDED
from proctor.dimension_scores import RowLine
from proctor.errors import SpecError, UsageError
from proctor.plan import RECORDING
from proctor.results import CaseDetail, CaseScore, Counts, Decision, Outcome, RunResults, Summary, TrialRef, TrialScore
from proctor.trajectory import CacheOrigin, Ending, Failure, Trajectory, TurnRecord

DONE = trial(TurnRecord("q", "a"))
ERRORED = Trajectory(Ending.ERRORED, (), Failure("exception", "ValueError", "no"))
REFUSED = Trajectory(Ending.REFUSED, (), Failure("refused", "AgentRefused", "no"))


def run(*trials: tuple[str, str, Trajectory], agents: tuple[str, ...] = ("shop",), rows: int = 0) -> RunResults:
    """A run whose cases have one trial each: (agent, case, what was done)."""
    summary = Summary(
        "r1",
        "s",
        "s",
        "s",
        "release",
        Decision.PASSED,
        "",
        Counts(),
        Counts(),
        agents=agents,
        started_at="2031-05-06T00:00:00Z",
    )

    def cases() -> Iterator[CaseDetail]:
        for agent, case, done in trials:
            score = CaseScore(agent, case, Outcome.PASSED, Counts(), 1, 1.0, 1, "")
            yield CaseDetail(score, (TrialScore(TrialRef(agent, case, 0), Outcome.PASSED, done),))

    line = RowLine("x", "pii", "x", "rows.jsonl", 1, Outcome.PASSED)
    return RunResults(summary, cases, lambda: iter([line] * rows))


def left_out(trials: Trials) -> dict[str, int]:
    list(trials.read())
    return {f"{noun} {why}": number for (noun, why), number in trials.left_out.items()}


class TestARun:
    def test_gives_the_trials_that_completed(self) -> None:
        trials = trials_of_run(run(("shop", "a", DONE), ("shop", "b", ERRORED), ("shop", "c", REFUSED)), "pi")
        [found] = list(trials.read())
        assert (found.name, found.group, found.recorded_at) == ("a#1", "a", "2031-05-06T00:00:00Z")
        assert found.about == "Trial 1 of a with the agent shop, run r1"
        assert trials.title == "run r1"
        assert {why for _, why in trials.left_out} == {"that could not be run", "that a content filter stopped"}

    def test_says_when_an_answer_from_the_cache_was_made(self) -> None:
        cached = replace(DONE, cached=CacheOrigin("r0", "2030-01-01T00:00:00Z"))
        [found] = trials_of_run(run(("shop", "a", cached)), "pi").read()
        assert found.recorded_at == "2030-01-01T00:00:00Z"

    def test_tells_agents_apart_where_there_are_several(self) -> None:
        results = run(("old", "a", DONE), ("new", "a", DONE), agents=("old", "new"))
        assert [found.name for found in trials_of_run(results, "assevra").read()] == ["old/a#1", "new/a#1"]

    def test_leaves_rows_out(self) -> None:
        results = run((RECORDED, "x", DONE), rows=2)
        why = "a row records one answer, not the order of messages and calls"
        assert left_out(trials_of_run(results, "pi")) == {f"recorded row ({why})": 3}
        assert left_out(trials_of_run(results, "assevra")) == {"recorded row of a data set, which is there already": 3}

    def test_leaves_out_what_is_a_fixture_already(self) -> None:
        results = run((RECORDING, "x", DONE))
        assert left_out(trials_of_run(results, "pi")) == {"trial from a pi fixture, which is there already": 1}
        assert left_out(trials_of_run(results, "assevra")) == {}

    def test_without_a_trial_to_convert_writes_nothing(self, tmp_path: Path) -> None:
        for target, out in (("pi", tmp_path / "out"), ("assevra", tmp_path / "out.jsonl")):
            with pytest.raises(UsageError) as caught:
                convert(trials_of_run(run(("shop", "b", ERRORED)), target), target, out, None)
            assert caught.value.message == "run r1 has no trial to convert; left out: 1 trial that could not be run"
        assert list(tmp_path.iterdir()) == []

    def test_leaves_out_what_no_fixture_can_hold(self, tmp_path: Path) -> None:
        spoken = trial(TurnRecord("q", "a", audio="q.wav"))
        hostile = trial(TurnRecord("q", "a", usage=None, tool_calls=()), TurnRecord("\ud83d", "\x1b[2J"))
        results = run(("shop", "a", spoken), ("shop", "b", hostile))
        done = convert(trials_of_run(results, "pi"), "pi", tmp_path / "out", {})
        assert done.left_out == ("1 trial with audio, which a fixture cannot hold",)
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["b-1.jsonl"]


class TestAFile:
    def test_of_a_fixture_gives_its_trial(self, tmp_path: Path) -> None:
        path = tmp_path / "f.jsonl"
        path.write_bytes(built(DONE).data)
        [found] = trials_of_file(path, "assevra").read()
        assert (found.name, found.trajectory.turns[0].reply) == ("f#1", "a")

    def test_of_a_broken_fixture_is_told_with_its_problems(self, tmp_path: Path) -> None:
        path = tmp_path / "f.jsonl"
        path.write_text('{"type":"meta"}\n')
        with pytest.raises(SpecError) as caught:
            trials_of_file(path, "assevra")
        assert [problem.line for problem in caught.value.problems] == [1, 1]

    @pytest.mark.parametrize(
        ("name", "target", "message", "hint"),
        [
            ("f.jsonl", "pi", "it is a pi fixture already", "proctor validate {path} checks it"),
            (
                "rows.jsonl",
                "pi",
                "a row records one answer, not the order of messages and calls",
                "record a conversation with proctor record, or convert a run of an agent",
            ),
            ("rows.jsonl", "assevra", "it is a data set already", "proctor validate {path} checks it"),
            (
                "a.yaml",
                "pi",
                "it says what is asked and checked, and holds no recorded trial",
                "proctor run {path}, and convert that run; or record one with proctor record --turns {path}",
            ),
            (
                "a.suite.yaml",
                "assevra",
                "it says what is asked and checked, and holds no recorded trial",
                "proctor run {path}, and convert that run",
            ),
        ],
    )
    def test_that_makes_no_sense_is_refused_with_the_reason(
        self, name: str, target: str, message: str, hint: str, tmp_path: Path
    ) -> None:
        (tmp_path / "f.jsonl").write_bytes(built(DONE).data)
        (tmp_path / "rows.jsonl").write_text(json.dumps({"id": "a", "dimension": "pii", "agent_output": "a"}))
        (tmp_path / "a.yaml").write_text("id: a\nturns:\n- user: q\n")
        (tmp_path / "a.suite.yaml").write_text("specs: [a.yaml]\n")
        path = tmp_path / name
        with pytest.raises(UsageError) as caught:
            trials_of_file(path, target)
        assert caught.value.message == f"{path} cannot be converted to {target}: {message}"
        assert caught.value.hint == hint.format(path=path)

    @pytest.mark.parametrize(
        ("name", "what"),
        [("no.jsonl", "does not exist"), ("a.txt", "is of no format that is known here"), (".", "is no regular file")],
    )
    def test_that_is_none_of_ours_is_refused(self, name: str, what: str, tmp_path: Path) -> None:
        (tmp_path / "a.txt").touch()
        with pytest.raises(UsageError) as caught:
            trials_of_file(tmp_path / name, "assevra")
        assert caught.value.message == f"{tmp_path / name} {what}"
        assert caught.value.hint == "name a pi fixture, a BrainBench transcript, or a run by the beginning of its id"
