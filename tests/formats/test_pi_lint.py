"""What is odd about a fixture: each warning with its place, and none where nothing is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pi_samples import ANSWER, ASSERTIONS, ASSISTANT, CALL, LEDGER, META, RECORDS, RESULT, USER, asserting, file_of

from proctor.formats.base import Defaults
from proctor.formats.pi.lint import lint
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.pi.reading import read_fixture

CALLED: dict[str, Any] = {"kind": "tool_called", "name": "find_table"}


def warnings(*lines: object) -> list[str]:
    """The warnings about a file as a terminal shows them."""
    loaded = PiFormat().load(Path("a"), file_of(*lines), Defaults())
    assert len(loaded.cases) == 1, loaded.problems
    said = [str(problem) for problem in loaded.problems]
    assert all(": warning [" in text for text in said)
    return [text.removeprefix("a:").replace("warning ", "") for text in said]


def pattern_warnings(pattern: str, path: str = "a") -> list[str]:
    entry = {"kind": "tool_call_arg_matches", "name": "f", "arg_path": path, "matches_regex": pattern}
    return [text.partition("] ")[2] for text in warnings(*RECORDS[:-1], asserting(entry))]


class TestNothing:
    def test_is_said_of_a_fixture_in_order(self) -> None:
        assert warnings(*RECORDS) == []
        assert warnings(*RECORDS[:3], {**RESULT, "isError": True, "toolName": "find_table"}, ASSERTIONS) == []

    @pytest.mark.parametrize("hash_", ["ab" * 32, "AB" * 32, "sha256:" + "0f" * 32])
    def test_is_said_of_a_hash(self, hash_: str) -> None:
        assert warnings({**META, "systemPromptHash": hash_}, *RECORDS[1:]) == []

    @pytest.mark.parametrize("pattern", [r"^\d+$", "(?<n>a)", "(?<!a)b", "a/b", r"\\A", r"\u0061"])
    def test_is_said_of_a_pattern(self, pattern: str) -> None:
        assert pattern_warnings(pattern) == []


class TestAWarning:
    def test_is_given_of_an_empty_fixture(self) -> None:
        assert warnings(META, asserting()) == [
            "1:1: [no_turns] the fixture has no turns",
            "2:38: [no_assertions] assertions: there is no assertion, so the fixture always passes",
        ]

    def test_is_given_of_meta(self) -> None:
        meta = {**META, "recordedAt": "2026-05-04T10:20", "systemPromptHash": "v3", "agent": "a\x1b"}
        assert [text.partition(" ")[2] for text in warnings(meta, *RECORDS[1:])] == [
            (
                "[odd_hash] systemPromptHash: is no SHA-256 in hex, so nobody can tell whether the system prompt has "
                "changed since"
            ),
            (
                "[no_time_zone] recordedAt: has no time with a zone, so its age is not exactly known "
                "(write it like 2026-05-04T10:20:30Z)"
            ),
            '[unknown_member] the meta record has a member "agent"',
        ]

    def test_is_given_once_for_each_unknown_member(self) -> None:
        turns = [{**turn, "timestamp": 5} for turn in (USER, ASSISTANT, RESULT, ANSWER)]
        assert warnings(META, {**turns[0], "isError": False}, *turns[1:], ASSERTIONS) == [
            '2:1: [unknown_member] the user turn has a member "isError" (it is kept and not looked at)',
            '2:1: [unknown_member] the user turn has a member "timestamp" (it is kept and not looked at)',
            (
                '3:1: [unknown_member] the assistant turn has a member "timestamp", as 1 other have '
                "(it is kept and not looked at)"
            ),
            '4:1: [unknown_member] the toolResult turn has a member "timestamp" (it is kept and not looked at)',
        ]

    def test_is_given_of_ledgers(self) -> None:
        user, answer = {**USER, "tokenLedger": LEDGER}, {**ANSWER, "tokenLedger": {**LEDGER, "input": -5}}
        assert [text.partition(" ")[2] for text in warnings(META, user, answer, ASSERTIONS)] == [
            "[ledger_ignored] tokenLedger: is not counted: the turn is one of the user",
            "[negative_count] tokenLedger.input: is negative (-5), as some versions of pi-ai record it",
        ]

    def test_is_given_of_calls_and_results_that_do_not_find_each_other(self) -> None:
        early = {**RESULT, "turnIndex": 0}
        again = {**ASSISTANT, "turnIndex": 3, "content": [CALL, {**CALL, "id": "call-2"}]}
        assert [text.partition(" ")[2] for text in warnings(META, early, ASSISTANT, again, ASSERTIONS)] == [
            '[result_without_call] toolUseId: no earlier call has the id "call-1"',
            '[repeated_call_id] content[0].id: the id "call-1" is that of an earlier call too (line 3)',
            '[call_without_result] content[1].id: no result has the id "call-2"',
        ]

    def test_is_given_of_a_bound_that_always_holds(self) -> None:
        entries = [{**CALLED, "min_count": 0}, {**CALLED, "min_count": 0, "max_count": 0}]
        assert warnings(*RECORDS[:-1], asserting(*entries)) == [
            (
                "6:98: [always_passes] assertions[0].min_count: with 0 alone the assertion always passes "
                "(for a tool that must not be called use no_tool_called)"
            )
        ]

    def test_is_given_of_paths_in_other_notations(self) -> None:
        assert pattern_warnings("x", "$.a[0]") == [
            (
                'assertions[0].arg_path: the argument "$" is looked for '
                '(paths begin with the name of an argument: "city", not "$.city")'
            ),
            (
                "assertions[0].arg_path: a bracket is part of a name here "
                '(an item of an array is a segment: "items.0", not "items[0]")'
            ),
        ]

    @pytest.mark.parametrize(
        ("pattern", "said"),
        [
            ("/ab/i", 'the slashes of "/ab/i" are looked for too; patterns have none, and no flags'),
            (r"\Aa\Ab", r"\A is the letter A and no anchor; ^ and $ mean the whole text"),
            (r"\\\z", r"\z is the letter z and no anchor; ^ and $ mean the whole text"),
            (r"\p{L}", r"\p{...} needs the flag u, which is not set: it is the letter p there"),
            (r"\u{61}", r"\u{...} needs the flag u, which is not set: it is the letter u there"),
            (
                "[😀]",
                "a character beyond U+FFFF is two in a class: without the flag u, each half is looked for alone",
            ),
        ],
    )
    def test_is_given_of_patterns_of_another_dialect(self, pattern: str, said: str) -> None:
        assert pattern_warnings(pattern) == [f"assertions[0].matches_regex: {said}"]

    def test_is_given_up_to_a_limit(self) -> None:
        data = file_of(META, *[{**USER, "tokenLedger": 1}] * 1_100, ASSERTIONS)
        fixture, _ = read_fixture(Path("a"), data)
        assert fixture is not None
        found = lint(fixture, Path("a"), data)
        assert len(found) == 1_001
        assert "100 more warnings of this file are not listed" in found[-1].message
