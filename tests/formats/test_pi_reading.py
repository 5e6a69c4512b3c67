"""Fixtures that are right, and everything that can be wrong with one: the first problem is the first fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_samples import (
    ANSWER,
    ASSERTIONS,
    ASSISTANT,
    CALL,
    LEDGER,
    META,
    RECORDS,
    RESULT,
    USER,
    asserting,
    file_of,
    read,
    right,
    told,
    without,
)

from proctor.checks.pi.arguments import ToolCallArgMatches
from proctor.checks.pi.calls import ToolCalled
from proctor.errors import SpecError
from proctor.formats.pi.fixture import TokenLedger, dump_fixture, token_ledger
from proctor.formats.pi.reading import read_fixture


class TestAFixture:
    def test_is_read_with_everything_in_it(self) -> None:
        fixture = right(*RECORDS)
        assert (fixture.meta.fixture_id, fixture.meta.pi_version) == ("table-for-four", "0.73.1")
        assert [(turn.role, turn.index, turn.line) for turn in fixture.turns] == [
            ("user", 0, 2), ("assistant", 1, 3), ("toolResult", 2, 4), ("assistant", 3, 5),
        ]  # fmt: skip
        assert fixture.turns[1].text == "One moment."
        assert fixture.turns[3].text == "Table 7\nis yours."
        assert fixture.turns[1].calls == [CALL]
        assert fixture.checks == (ToolCalled(0, "find_table"),)
        assert (fixture.assertions, fixture.assertions_line) == (ASSERTIONS["assertions"], 6)

    def test_may_have_blank_lines_crlf_and_no_last_line_end(self) -> None:
        data = b"\n \t\r\n" + file_of(*RECORDS).replace(b"\n", b" \r\n").removesuffix(b"\r\n")
        fixture, problems = read_fixture(Path("a"), data)
        assert problems == ()
        assert fixture is not None
        assert fixture.meta.line == 3

    def test_may_hold_separators_that_are_no_line_ends(self) -> None:
        text = json.dumps({**USER, "content": "a\u2028b\u2029c\x85d\x7f"}, ensure_ascii=False)
        assert right(META, text, ASSERTIONS).turns[0].text == "a\u2028b\u2029c\x85d\x7f"

    def test_is_written_with_every_member_that_it_had(self) -> None:
        records: list[Any] = [
            {**META, "model": {"name": "m"}},
            {**USER, "content": [{"type": "text", "text": "\ud83d é", "textSignature": "s"}], "extra": [1.0, None]},
            {**ASSISTANT, "tokenLedger": {**LEDGER, "total": 10**30}},
            {**asserting(), "note": "kept"},
        ]
        written = dump_fixture(right(*records))
        assert [json.loads(line) for line in written.decode().splitlines()] == records
        assert b"\\ud83d \xc3\xa9" in written

    @given(
        st.dictionaries(st.text(max_size=3), st.recursive(st.text(max_size=3) | st.integers(), st.lists), max_size=3)
    )
    def test_survives_writing_and_reading(self, extra: dict[str, Any]) -> None:
        names = {"type", "turnIndex", "role", "content", "tokenLedger"}
        turn = {**{name: value for name, value in extra.items() if name not in names}, **ASSISTANT}
        fixture = right(META, turn, ASSERTIONS)
        again, _ = read_fixture(Path("a"), dump_fixture(fixture))
        assert again == fixture


class TestTheTokenLedger:
    def test_sums_assistant_turns_exactly(self) -> None:
        large = {"input": 2**53 - 1, "cache_read": -3, "cache_creation": 1e3, "output": 1.0}
        turns = [{**ANSWER, "tokenLedger": large}, {**ANSWER, "tokenLedger": large}]
        fixture = right(META, {**USER, "tokenLedger": large}, *turns, ASSERTIONS)
        assert token_ledger(fixture) == TokenLedger(2**54 - 2, -6, 2000, 2)
        assert json.dumps(token_ledger(fixture).to_json()) == (
            '{"input": 18014398509481982, "cache_read": -6, "cache_creation": 2000, "output": 2}'
        )

    def test_is_zero_without_an_assistant(self) -> None:
        assert token_ledger(right(META, USER, ASSERTIONS)) == TokenLedger(0, 0, 0, 0)


class TestTheOrderOfRecords:
    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            ([], '1:1: error [no_records] empty fixture: the first record must be "meta"'),
            (["", " \t\r"], '1:1: error [no_records] empty fixture: the first record must be "meta"'),
            (
                [USER, META, ASSERTIONS],
                (
                    '1:10: error [misplaced_record] type: the first record must be "meta", got "turn" '
                    "(a fixture has the records meta, turn (any number of them) and assertions, in this order)"
                ),
            ),
            (
                ["", META, META, ASSERTIONS],
                "3:10: error [duplicate_record] type: duplicate meta record (first at line 2)",
            ),
            (
                [META, ASSERTIONS, USER],
                (
                    "3:10: error [misplaced_record] type: turn record after the assertions record "
                    "(assertions at line 2; it must be the last one)"
                ),
            ),
            (
                [META, ASSERTIONS, ASSERTIONS],
                "3:10: error [duplicate_record] type: duplicate assertions record (first at line 2)",
            ),
            (
                [META, USER, ""],
                f'2:{len(json.dumps(USER)) + 1}: error [missing_record] the last record must be "assertions"',
            ),
        ],
    )
    def test_is_told(self, lines: list[object], said: str) -> None:
        assert told(*lines)[0] == said

    def test_a_misplaced_record_is_told_once(self) -> None:
        assert len(told(USER, META, USER, ASSERTIONS)) == 1
        assert len(told("{", USER, ASSERTIONS)) == 1
        assert len(told(META, USER, "{")) == 1

    def test_no_record_at_the_end_comes_after_what_is_wrong_with_the_last_one(self) -> None:
        _, problems = read(META, {**USER, "content": 5})
        assert [problem.code for problem in SpecError(problems).problems] == ["wrong_type", "missing_record"]

    def test_a_byte_order_mark_is_refused(self) -> None:
        _, problems = read_fixture(Path("a"), b"\xef\xbb\xbf" + file_of(*RECORDS))
        assert [str(problem) for problem in problems] == [
            "a:1:1: error [byte_order_mark] the file begins with a byte order mark (save the file as UTF-8 without one)"
        ]


class TestALine:
    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("[1]", "2:1: error [wrong_type] expected a JSON object, got array"),
            ('"meta"', "2:1: error [wrong_type] expected a JSON object, got string"),
            ("5", "2:1: error [wrong_type] expected a JSON object, got number"),
            ("null", "2:1: error [wrong_type] expected a JSON object, got null"),
            ("true", "2:1: error [wrong_type] expected a JSON object, got boolean"),
            ("{}", '2:1: error [missing_field] missing "type"; expected meta, turn or assertions'),
            (
                '{"a": 1, "type": "event\\u001b"}',
                '2:18: error [bad_choice] type: unknown record type "event<1B>"; expected meta, turn or assertions',
            ),
            (
                '{"type": ["turn"]}',
                "2:10: error [bad_choice] type: unknown record type array; expected meta, turn or assertions",
            ),
            (
                '{"type": "turn"',
                (
                    "2:16: error [invalid_json] invalid JSON: expecting ',' delimiter at column 16 "
                    "(each record stands on one line; is the file cut off?)"
                ),
            ),
        ],
    )
    def test_that_is_no_record_is_told(self, line: str, said: str) -> None:
        assert told(META, line, ASSERTIONS) == [said]

    def test_that_is_no_text_is_told(self) -> None:
        _, problems = read_fixture(Path("a"), file_of(META) + b'{"type": "\xff"}\n' + file_of(ASSERTIONS))
        assert [str(problem) for problem in problems] == [
            "a:2:11: error [invalid_utf8] byte 0xFF is not UTF-8 text (save the file as UTF-8)"
        ]

    def test_each_of_them_is_told_up_to_a_limit(self) -> None:
        said = told(META, *["{}"] * 1_200, ASSERTIONS)
        assert len(said) == 1_001
        assert "200 more errors of this file are not listed" in said[-1]


class TestMeta:
    @pytest.mark.parametrize("name", ["fixtureId", "piAgentCoreVersion", "recordedAt", "scenario", "systemPromptHash"])
    def test_every_member_is_a_string_that_must_be_there(self, name: str) -> None:
        assert told(without(META, name), ASSERTIONS) == [f"1:1: error [missing_field] {name}: is missing"]
        assert told({**META, name: 5}, ASSERTIONS)[0].endswith(f" {name}: must be a string, got number")

    def test_only_the_scenario_may_be_empty(self) -> None:
        right({**META, "scenario": ""}, ASSERTIONS)
        assert told({**META, "fixtureId": ""}, ASSERTIONS)[0].endswith("error [empty] fixtureId: must not be empty")

    @pytest.mark.parametrize(
        "text",
        ["2026-05-04", "2026-05-04T10:20", "2026-05-04T10:20:30", "2026-05-04T10:20:30.1Z", "0000-02-29",
         "2026-05-04T10:20:30.123456789+05:30", "2026-05-04T23:59-23:59", "2028-02-29T00:00:00Z"],
    )  # fmt: skip
    def test_takes_points_in_time(self, text: str) -> None:
        assert right({**META, "recordedAt": text}, ASSERTIONS).meta.recorded_at == text

    @pytest.mark.parametrize(
        "text",
        ["yesterday", "2026-02-30", "2026-13-01", "2026-00-01", "2026-05-04T24:00", "2026-05-04T10:60", "2026-05-04Z",
         "2026-05-04T10", "2026-05-04T10:20:60Z", "2026-05-04T10:20.5Z", "2026-05-04T10:20:30.1234567890Z",
         "2026-05-04T10:20:30+0530", "2026-05-04T10:20:30+24:00", "2026-05-04T10:20:30Z\n", "٢٠٢٦-05-04",
         " 2026-05-04"],
    )  # fmt: skip
    def test_refuses_anything_else(self, text: str) -> None:
        (said,) = told({**META, "recordedAt": text}, ASSERTIONS)
        assert "[bad_value] recordedAt: must be a date, or a date and time, as ISO 8601 writes them, got " in said
        assert said.endswith("(write it like 2026-05-04T10:20:30Z)")


def assistant(*blocks: object, **members: object) -> dict[str, Any]:
    return {**ASSISTANT, "content": list(blocks), **members}


class TestATurn:
    @pytest.mark.parametrize(
        ("turn", "said"),
        [
            (without(USER, "turnIndex", "role"), "[missing_field] turnIndex: is missing"),
            ({**USER, "turnIndex": "0"}, "[wrong_type] turnIndex: must be an integer, got string"),
            ({**USER, "turnIndex": True}, "[wrong_type] turnIndex: must be an integer, got boolean"),
            ({**USER, "turnIndex": 0.5}, "[wrong_type] turnIndex: must be an integer, got 0.5"),
            ({**USER, "turnIndex": -1}, "[out_of_range] turnIndex: must be 0 or more, got -1"),
            (
                {**USER, "turnIndex": 2**53},
                "[out_of_range] turnIndex: must be an integer of at most 2^53-1 in magnitude",
            ),
            (without(USER, "role"), "[missing_field] role: is missing"),
            (
                {**USER, "role": "system", "content": 5},
                '[bad_choice] role: unknown role "system"; expected user, assistant or toolResult',
            ),
            ({**USER, "role": {}}, "[bad_choice] role: unknown role object; expected user, assistant or toolResult"),
            (without(USER, "content"), "[missing_field] content: is missing"),
            ({**USER, "content": 5}, "[wrong_type] content: must be a string or an array of blocks, got number"),
            ({**ASSISTANT, "content": "Hi"}, "[wrong_type] content: must be an array of blocks, got string"),
            (without(ASSISTANT, "tokenLedger"), "[missing_field] tokenLedger: is missing"),
            (assistant(tokenLedger=[]), "[wrong_type] tokenLedger: must be an object, got array"),
            (
                assistant(tokenLedger={"input": 1, "cacheRead": 2}),
                (
                    "[missing_field] tokenLedger.cache_read: is missing (what pi calls cacheRead is cache_read in a "
                    "fixture)"
                ),
            ),
            (
                assistant(tokenLedger={**LEDGER, "output": None}),
                "[wrong_type] tokenLedger.output: must be an integer, got null",
            ),
            (without(RESULT, "toolUseId"), "[missing_field] toolUseId: is missing"),
            (
                {**without(RESULT, "toolUseId"), "toolCallId": "x"},
                "[missing_field] toolUseId: is missing (what pi calls toolCallId is toolUseId in a fixture)",
            ),
            ({**RESULT, "toolUseId": ""}, "[empty] toolUseId: must not be empty"),
            ({**RESULT, "content": "Table"}, "[wrong_type] content: must be an array of blocks, got string"),
        ],
    )
    def test_is_refused_with_its_first_fault(self, turn: dict[str, Any], said: str) -> None:
        (found,) = told(META, turn, ASSERTIONS)
        assert found.partition(": error ")[2] == said

    @pytest.mark.parametrize(
        ("turn", "said"),
        [
            (assistant({"type": "text"}), "[missing_field] content[0].text: is missing"),
            (assistant("Hi"), "[wrong_type] content[0]: must be an object, got string"),
            (
                assistant(CALL, {"type": "audio"}),
                '[bad_choice] content[1].type: unknown block type "audio"; expected text, thinking or toolCall',
            ),
            (assistant({"text": "Hi"}), "[missing_field] content[0].type: is missing"),
            (
                {**USER, "content": [CALL]},
                (
                    "[bad_choice] content[0].type: a toolCall block cannot stand in a turn of the user; "
                    "expected text or image"
                ),
            ),
            (
                assistant({**CALL, "arguments": "{}"}),
                "[wrong_type] content[0].arguments: must be an object, got string",
            ),
            (assistant({**CALL, "name": ""}), "[empty] content[0].name: must not be empty"),
            (assistant({**CALL, "id": None}), "[wrong_type] content[0].id: must be a string, got null"),
            (assistant({"type": "thinking"}), "[missing_field] content[0].thinking: is missing"),
            ({**USER, "content": [{"type": "image"}]}, "[missing_field] content[0].data: is missing"),
            (
                {**USER, "content": [{"type": "image", "data": "", "mimeType": ""}]},
                "[empty] content[0].mimeType: must not be empty",
            ),
        ],
    )
    def test_is_refused_with_a_wrong_block(self, turn: dict[str, Any], said: str) -> None:
        (found,) = told(META, turn, ASSERTIONS)
        assert found.partition(": error ")[2] == said

    def test_is_refused_at_the_value(self) -> None:
        line = '{"type": "turn", "role": "user", "content": "é", "turnIndex": "0"}'
        assert told(META, line, ASSERTIONS)[0].startswith("2:63: ")

    def test_may_not_go_back(self) -> None:
        right(META, {**USER, "turnIndex": 7}, {**USER, "turnIndex": 7}, {**USER, "turnIndex": 9e0}, ASSERTIONS)
        assert told(META, {**USER, "turnIndex": 7}, {**USER, "turnIndex": 6}, ASSERTIONS)[0].endswith(
            "turnIndex: must not be smaller than that of the turn before, 7, got 6 "
            "(turns stand in the order in which they took place)"
        )

    def test_may_be_interrupted_or_say_nothing(self) -> None:
        right(META, assistant(), {**USER, "turnIndex": 2, "content": ""}, ASSERTIONS)


MATCHES: dict[str, Any] = {"kind": "tool_call_arg_matches", "name": "f", "arg_path": "a.b", "matches_regex": "x"}
CALLED: dict[str, Any] = {"kind": "tool_called", "name": "f"}


class TestAnAssertion:
    @pytest.mark.parametrize(
        ("entry", "said"),
        [
            ("x", "[wrong_type] assertions[0]: must be an object, got string"),
            ({}, "[missing_field] assertions[0].kind: is missing"),
            (
                {"kind": "tool_not_called"},
                (
                    '[bad_choice] assertions[0].kind: unknown kind "tool_not_called"; expected tool_called, '
                    "no_tool_called, message_contains_substring, tool_call_arg_matches or trace_max_turns"
                ),
            ),
            ({**CALLED, "name": ""}, "[empty] assertions[0].name: must not be empty"),
            (
                {**CALLED, "mincount": 2},
                (
                    '[unknown_field] assertions[0]: tool_called has no member "mincount" '
                    "(did you mean min_count? it has name, min_count, max_count, order)"
                ),
            ),
            (
                {"kind": "no_tool_called", "name": "f", "max_count": 2},
                '[unknown_field] assertions[0]: no_tool_called has no member "max_count" (it has name)',
            ),
            ({**CALLED, "order": -1}, "[out_of_range] assertions[0].order: must be 0 or more, got -1"),
            ({**CALLED, "min_count": None}, "[wrong_type] assertions[0].min_count: must be an integer, got null"),
            (
                {**CALLED, "max_count": 0},
                (
                    "[out_of_range] assertions[0].max_count: must not be less than the least number of calls, 1, got 0 "
                    "(for a tool that must not be called use no_tool_called; for one that need not be, min_count: 0)"
                ),
            ),
            (
                {**CALLED, "min_count": 3, "max_count": 2},
                (
                    "[out_of_range] assertions[0].max_count: must not be less than min_count, 3, got 2 "
                    "(for a tool that must not be called use no_tool_called; for one that need not be, min_count: 0)"
                ),
            ),
            (
                {"kind": "message_contains_substring", "role": "toolResult", "substring": "x"},
                '[bad_choice] assertions[0].role: unknown role "toolResult"; expected assistant or user',
            ),
            (
                {"kind": "message_contains_substring", "role": "user", "substring": ""},
                "[empty] assertions[0].substring: must not be empty",
            ),
            (
                {**MATCHES, "arg_path": "a..b"},
                (
                    '[bad_value] assertions[0].arg_path: "a..b" is no path: a segment of the path is empty '
                    "(names are joined by single dots; a dot inside a name is written \\.)"
                ),
            ),
            (
                {**MATCHES, "matches_regex": "(?i)a"},
                (
                    '[invalid_pattern] assertions[0].matches_regex: "(?i)a" is no ECMAScript regular expression: '
                    "expecting ':' (it is written as in JavaScript, without slashes and flags)"
                ),
            ),
            ({"kind": "trace_max_turns"}, "[missing_field] assertions[0].max: is missing"),
            ({"kind": "trace_max_turns", "max": "9"}, "[wrong_type] assertions[0].max: must be an integer, got string"),
        ],
    )
    def test_is_refused_with_its_first_fault(self, entry: object, said: str) -> None:
        (found,) = told(META, asserting(entry))
        assert found.partition(": error ")[2] == said

    def test_each_of_them_is_told(self) -> None:
        said = told(META, asserting(5, CALLED, {**CALLED, "x": 1}))
        assert [text.split(": ")[1].split()[-1] for text in said] == ["assertions[0]", "assertions[2]"]

    def test_the_list_has_to_be_there(self) -> None:
        assert told(META, {"type": "assertions"}) == ["2:1: error [missing_field] assertions: is missing"]
        assert told(META, {"type": "assertions", "assertions": {}})[0].endswith(
            "assertions: must be an array, got object"
        )

    def test_is_a_check(self) -> None:
        fixture = right(META, asserting({**CALLED, "min_count": 2.0, "max_count": 3e0, "order": 0}, MATCHES))
        assert fixture.checks == (
            ToolCalled(0, "f", 2, 3, 0),
            ToolCallArgMatches(1, "f", ("a", "b"), "a.b", "x"),
        )
