"""The trace fixture as a format: which files it claims, the case that it makes, and its published schema."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pi_samples import ANSWER, ASSERTIONS, ASSISTANT, CALL, META, RECORDS, RESULT, USER, asserting, file_of, read, right

from proctor.checks.pi.trace import TraceCall, TraceTurn
from proctor.formats.base import CaseFormat, Defaults
from proctor.formats.pi.loading import fixture_case
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.pi.recording import recorded_trace, recorded_trial
from proctor.formats.schema import published_schema
from proctor.plan import RECORDING, Turn
from proctor.results import TrialRef
from proctor.trajectory import Ending, ToolCall, Trajectory, Usage

FORMAT = PiFormat()


class TestContent:
    @pytest.mark.parametrize(
        ("text", "claimed"),
        [
            (file_of(*RECORDS).decode(), True),
            ("\n \t\r\n" + json.dumps(META), True),
            ("\ufeff" + json.dumps(META), True),
            (json.dumps(USER), True),
            (json.dumps(ASSERTIONS), True),
            ('{"type": "meta", "fixtureId', True),
            ('{"type":"meta","scenario":"\\ud83d"}', True),
            ('{"type": "meta", "scenario": "' + "x" * 100_000 + '"}', True),
            ('{"fixtureId": "a", "type": "meta"}', True),
            ('{"type": "meta", "dimension": "pii"}', False),
            ('{"type": "session", "version": 3}', False),
            ('{"type": ["meta"]}', False),
            ('{"id": "a", "dimension": "pii", "agent_output": "fine"}', False),
            ('"meta"', False),
            ("", False),
            ("\x00\x01", False),
        ],
    )
    def test_tells_fixtures_from_anything_else(self, tmp_path: Path, text: str, claimed: bool) -> None:
        path = tmp_path / "trace.jsonl"
        path.write_text(text, encoding="utf-8")
        assert FORMAT.claims(path) is claimed
        assert FORMAT.recognises(path.read_bytes()) is claimed

    def test_does_not_matter_under_another_name(self, tmp_path: Path) -> None:
        (tmp_path / "trace.json").write_bytes(file_of(*RECORDS))
        assert not FORMAT.claims(tmp_path / "trace.json")

    def test_is_not_looked_for_in_folders_and_pipes(self, tmp_path: Path) -> None:
        (tmp_path / "folder.jsonl").mkdir()
        os.mkfifo(tmp_path / "pipe.jsonl")
        assert not any(FORMAT.claims(tmp_path / f"{name}.jsonl") for name in ("folder", "none", "pipe"))

    @pytest.mark.requires("peer-files")
    def test_of_no_peer_s_file_is_recognised(self, require: Any) -> None:
        assert not [path for path in require("peer-files").rglob("*.jsonl") if FORMAT.recognises(path.read_bytes())]


class TestTheCase:
    def test_is_one_of_a_case_format(self) -> None:
        assert isinstance(FORMAT, CaseFormat)

    def test_has_the_user_s_turns_and_the_assertions(self) -> None:
        loaded = FORMAT.load(Path("a"), b"\n" + file_of(*RECORDS), Defaults(runs=5, threshold=0.5))
        (case,) = loaded.cases
        assert loaded.problems == ()
        assert case.turns == (Turn("A table for four, please."),)
        assert [check.name for check in case.checks] == ["assertions[0] tool_called"]
        outline = case.outline
        assert (outline.key, outline.id, outline.runs, outline.threshold) == ("table-for-four",) * 2 + (1, 1.0)
        place = TrialRef(RECORDING, outline.id, 0)
        assert (outline.line, outline.turns, outline.recorded, outline.judges) == (2, 1, place, ())

    def test_is_none_of_a_fixture_with_errors(self) -> None:
        loaded = FORMAT.load(Path("a"), file_of(META), Defaults())
        assert (loaded.cases, len(loaded.problems)) == ((), 1)


class TestTheRecordedTrial:
    def test_has_an_exchange_for_each_message_of_the_user(self) -> None:
        error = {**RESULT, "toolUseId": "call-2", "isError": True, "content": [{"type": "text", "text": "no"}]}
        images = {**RESULT, "content": [{"type": "image", "data": "", "mimeType": "image/png"}]}
        second = {**CALL, "id": "call-2", "name": "book"}
        records = [
            {**ANSWER, "turnIndex": 0},
            {**USER, "content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]},
            {**ASSISTANT, "content": [{"type": "text", "text": "Wait."}, CALL, second, {**second, "id": "call-3"}]},
            error,
            images,
            {**ANSWER, "content": [{"type": "thinking", "thinking": "?"}]},
            {**USER, "turnIndex": 4},
        ]
        trial = recorded_trial(right(META, *({**record, "turnIndex": 0} for record in records), ASSERTIONS))
        first, exchange, last = trial.trajectory.turns
        assert (first.user, first.reply, first.usage) == ("", "Table 7\nis yours.", Usage(10, 5, 0, 2, 1))
        assert (exchange.user, exchange.reply, exchange.usage) == ("A\nB", None, Usage(20, 10, 0, 4, 2))
        assert exchange.tool_calls == (
            ToolCall("find_table", {"people": 4}, "call-1", ""),
            ToolCall("book", {"people": 4}, "call-2", "no", is_error=True),
            ToolCall("book", {"people": 4}, "call-3"),
        )
        assert (last.user, last.reply, last.usage) == ("A table for four, please.", None, Usage())
        assert trial.trajectory.usage == Usage(30, 15, 0, 6, 3)
        assert trial.trajectory.ending is Ending.COMPLETED

    def test_has_results_for_calls_of_the_same_id_in_their_order(self) -> None:
        results = [{**RESULT, "content": [{"type": "text", "text": text}]} for text in ("one", "two")]
        records = [ASSISTANT, results[0], {**ASSISTANT, "turnIndex": 2}, results[1]]
        trial = recorded_trial(right(META, *({**record, "turnIndex": 0} for record in records), ASSERTIONS))
        assert [call.result for call in trial.trajectory.turns[0].tool_calls] == ["one", "two"]

    def test_has_the_exact_trace(self) -> None:
        failed = {**ASSISTANT, "content": [{**CALL, "arguments": {}, "argumentsError": "cut off"}]}
        assert recorded_trace(right(META, USER, failed, RESULT, ANSWER, ASSERTIONS)).turns == (
            TraceTurn("user", "A table for four, please."),
            TraceTurn("assistant", "", (TraceCall("find_table", {}, "cut off"),)),
            TraceTurn("toolResult"),
            TraceTurn("assistant", "Table 7\nis yours."),
        )

    def test_survives_the_store_s_json(self) -> None:
        call = {**CALL, "arguments": {"n": 2**70, "z": [1.0, "\ud83d"], "a": -0.5}}
        case = fixture_case(right(META, USER, {**ASSISTANT, "content": [call]}, ASSERTIONS))
        assert case.recorded is not None
        trajectory = case.recorded.trajectory
        assert Trajectory.from_json(json.loads(json.dumps(trajectory.to_json()))) == trajectory

    def test_of_no_turns_is_empty(self) -> None:
        assert recorded_trial(right(META, ASSERTIONS)).trajectory == Trajectory(Ending.COMPLETED)


class TestTheSchema:
    SCHEMA = json.loads((files("proctor.formats") / "schemas/pi.schema.json").read_text(encoding="utf-8"))
    ACCEPTS = jsonschema.Draft202012Validator(SCHEMA).is_valid

    def test_is_fresh(self) -> None:
        assert published_schema(FORMAT.model, FORMAT.title, "urn:proctor:schema:pi") == self.SCHEMA

    def test_describes_every_member(self) -> None:
        for block in self.SCHEMA["$defs"].values():
            for name, part in block.get("properties", {}).items():
                assert part.get("description"), name

    def test_knows_every_record(self) -> None:
        assert all(map(self.ACCEPTS, RECORDS))

    @settings(max_examples=300)
    @given(st.data())
    def test_is_of_one_mind_with_the_loader(self, data: st.DataObject) -> None:
        entries = [
            {"kind": "tool_called", "name": "f", "min_count": 1, "max_count": 5, "order": 0},
            {"kind": "no_tool_called", "name": "f"},
            {"kind": "message_contains_substring", "role": "user", "substring": "s"},
            {"kind": "tool_call_arg_matches", "name": "f", "arg_path": "a", "matches_regex": "x"},
            {"kind": "trace_max_turns", "max": 5},
        ]
        records = json.loads(json.dumps([*RECORDS[:-1], asserting(*entries)]))
        changed = data.draw(st.sampled_from(records))
        holder, key = data.draw(st.sampled_from(list(_places(changed))))
        value = data.draw(st.sampled_from([None, True, 0, 1.0, 0.5, -1, 2**53, "", "user", [], {}, _GONE]))
        if value is _GONE:
            del holder[key]
        elif key != "recordedAt":  # a schema of one line knows no dates
            holder[key] = value
        if holder is changed and key == "turnIndex":  # and no other line
            for record in records[1:-1]:
                record["turnIndex"] = changed.get("turnIndex")
            records = [records[0], changed, records[-1]]
        fixture, problems = read(*records)
        bounds = any("must not be" in problem.message and problem.code == "out_of_range" for problem in problems)
        if not bounds:
            assert self.ACCEPTS(changed) is (fixture is not None), (changed, problems)


_GONE = object()


def _places(value: Any) -> Any:
    """Every member and item inside a record, but for what arguments hold and blocks that may be anything else."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list) and key != "arguments":
            yield from _places(inner)
