"""A BrainBench transcript becomes a pi fixture or rows of a data set, with what it tells and nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from run_samples import done
from trial_samples import trials as any_trials

from proctor.brainbench.recording.recorder import Adapter
from proctor.brainbench.recording.trials import transcript_of
from proctor.convert import convert, trials_of_file
from proctor.convert.trials import Trial
from proctor.errors import SpecError
from proctor.trajectory import Ending, Step, ToolCall, Trajectory, TurnRecord

START = datetime(2031, 5, 6, 19, tzinfo=UTC)


def transcript(trajectory: Trajectory, probe_id: str = "q-0001", adapter: str = "ferry") -> dict[str, Any]:
    return transcript_of(trajectory, probe_id, Adapter(adapter, "v1"), START)


def trials(folder: Path, *transcripts: dict[str, Any], target: str = "pi") -> list[Trial]:
    path = folder / "transcript.json"
    path.write_text(json.dumps(list(transcripts)), encoding="utf-8")
    return list(trials_of_file(path, target).read())


class TestAFile:
    def test_holds_a_trial_for_each_run_of_a_probe(self, tmp_path: Path) -> None:
        found = trials(tmp_path, transcript(done()), transcript(done(), "q-0002"), transcript(done("4.")))
        assert [each.name for each in found] == ["q-0001#1", "q-0002#1", "q-0001#2"]
        assert found[2].about == "Run 2 of the probe q-0001 with the adapter ferry (v1)"
        assert found[2].recorded_at == "2031-05-06T19:00:00.000Z"

    def test_tells_adapters_apart(self, tmp_path: Path) -> None:
        found = trials(tmp_path, transcript(done()), transcript(done(), adapter="grep"))
        assert [each.name for each in found] == ["ferry (v1)/q-0001#1", "grep (v1)/q-0001#1"]

    def test_may_be_of_either_dialect(self, tmp_path: Path) -> None:
        bare = {name: value for name, value in transcript(done()).items() if not name.startswith("total")}
        assert trials(tmp_path, bare)[0].case == "q-0001"
        assert trials(tmp_path, transcript(done(), "s-briefing-1"))[0].case == "s-briefing-1"
        with pytest.raises(SpecError):
            trials(tmp_path, {**bare, "probe_id": "s-briefing-1"})


class TestATrial:
    @pytest.mark.parametrize(
        "made",
        [
            TurnRecord("q", "a"),
            TurnRecord("q", None, (ToolCall("look", {}, "c", "r"),), steps=(Step(None, 1),)),
            TurnRecord(
                "q",
                "a",
                (ToolCall("x", {"n": 1}, "c", "r"), ToolCall("y", {}, "d", "s"), ToolCall("z", {}, "e", "t")),
                steps=(Step("I look.", 2), Step(None, 1), Step("a", 0)),
            ),
        ],
    )
    def test_is_told_message_by_message(self, made: TurnRecord, tmp_path: Path) -> None:
        [found] = trials(tmp_path, transcript(Trajectory(Ending.COMPLETED, (made,), latency_ms=5.0)))
        [turn] = found.trajectory.turns
        assert (turn.user, turn.reply) == (made.user, made.reply)
        assert [(call.name, call.arguments, call.result) for call in turn.tool_calls] == [
            (call.name, call.arguments, call.result) for call in made.tool_calls
        ]
        assert [step.calls for step in turn.steps] == ([step.calls for step in made.steps] or [0])
        assert [step.text for step in turn.steps[:-1]] == [step.text for step in made.steps[:-1]]
        assert found.trajectory.latency_ms == 5.0

    def test_that_answers_right_behind_a_result_has_a_message_for_it(self, tmp_path: Path) -> None:
        made = transcript(done("x", ToolCall("look", {}, "c", "r")))
        made["turns"] = [turn for turn in made["turns"] if turn["turn_index"] != 3]
        [turn] = trials(tmp_path, made)[0].trajectory.turns
        assert [step.calls for step in turn.steps] == [1, 0]

    def test_of_another_recorder_has_no_question(self, tmp_path: Path) -> None:
        made = transcript(done())
        del made["turns"][0]["proctor"]
        assert trials(tmp_path, made)[0].trajectory.turns[0].user == ""
        made["turns"][0]["proctor"] = "theirs"
        assert trials(tmp_path, made)[0].trajectory.turns[0].user == ""


class TestWhatIsWritten:
    def test_is_a_fixture(self, tmp_path: Path) -> None:
        call = ToolCall("search", {"query": "tea"}, "c1", ["3"])
        trials(tmp_path, transcript(done("3 dollars", call)))
        written = convert(trials_of_file(tmp_path / "transcript.json", "pi"), "pi", tmp_path / "out", None)
        assert written.fixtures == 1
        lines = [json.loads(line) for line in (tmp_path / "out" / "q-0001-1.jsonl").read_text().splitlines()]
        assert lines[0]["fixtureId"] == "q-0001#1"
        assert [turn["role"] for turn in lines[1:-1]] == ["user", "assistant", "toolResult", "assistant"]
        assert lines[-2]["tokenLedger"]["input"] == 7

    def test_is_rows(self, tmp_path: Path) -> None:
        trials(tmp_path, transcript(done("3 dollars")))
        out = tmp_path / "rows.jsonl"
        assert convert(trials_of_file(tmp_path / "transcript.json", "assevra"), "assevra", out, None).trials == 1
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        assert {(row["input"], row["case_id"]) for row in rows} == {("tea?", "q-0001")}
        assert {row["agent_output"] for row in rows if "agent_output" in row} == {"3 dollars"}

    @given(any_trials.filter(lambda made: len(made.turns) == 1))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much], max_examples=30)
    def test_has_the_calls_of_any_trial(self, tmp_path: Path, trajectory: Trajectory) -> None:
        [found] = trials(tmp_path, transcript(trajectory))
        names = [call.name.encode("utf-16-le", "surrogatepass") for call in trajectory.turns[0].tool_calls]
        seen = [call.name for call in found.trajectory.turns[0].tool_calls]
        assert seen == [name.decode("utf-16-le", "replace") for name in names]
