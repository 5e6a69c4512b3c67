"""What an answer must contain, and how it is looked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.task_completion import TASK_COMPLETION
from proctor.dataset import RowSettings
from proctor.results import Outcome

SETTINGS = RowSettings()
texts = st.text(st.characters(exclude_characters="Σ"))  # the one letter whose lower case depends on its neighbours


def score(output: str, *items: str, **more: Any) -> tuple[Outcome, list[str], str]:
    row = {"agent_output": output, "must_include": list(items), **more}
    assert not list(TASK_COMPLETION.issues(row, SETTINGS))
    assert TASK_COMPLETION.is_labeled(row, SETTINGS)
    result = TASK_COMPLETION.score(row, SETTINGS)
    return result.outcome, [finding.token for finding in result.findings], result.reason


def issues(**row: Any) -> list[tuple[str, tuple[str | int, ...], str, str | None]]:
    found = TASK_COMPLETION.issues({"agent_output": "x", **row}, SETTINGS)
    return [(issue.code, issue.pointer, issue.message, issue.hint) for issue in found]


class TestSubstring:
    @pytest.mark.parametrize(
        ("output", "item"),
        [
            ("BERTH SEVEN", "berth sEVEN"),
            ("the lighthouse", "light"),
            ("pier 1215", "21"),
            ("İskele", "i\u0307skele"),
            ("a\ud83db", "\ud83d"),
        ],
    )
    def test_is_found_anywhere_in_any_case(self, output: str, item: str) -> None:
        assert score(output, item) == (
            Outcome.PASSED,
            ["complete"],
            "the answer contains everything that it must",
        )

    @pytest.mark.parametrize(
        ("output", "item"),
        [("berth  7", "berth 7"), ("berth\n7", "berth 7"), ("berth", " berth"), ("Straße", "strasse"), ("7", "７")],
    )
    def test_is_taken_verbatim_otherwise(self, output: str, item: str) -> None:
        outcome, tokens, reason = score(output, item)
        assert (outcome, tokens) == (Outcome.FAILED, [f"missing:{item}"])
        assert reason == f'the answer does not contain "{item}"'

    def test_names_each_missing_item_in_order(self) -> None:
        assert score("berth", "pilot", "berth", "tide") == (
            Outcome.FAILED,
            ["missing:pilot", "missing:tide"],
            'the answer does not contain "pilot"; the answer does not contain "tide"',
        )

    def test_an_empty_answer_fails(self) -> None:
        reason = 'the agent answered nothing; the answer should contain "pilot"'
        assert score("", "pilot") == (Outcome.FAILED, ["missing:pilot"], reason)

    def test_shows_hostile_items_safely(self) -> None:
        reason = score("", "\x1b[31m" + "x" * 500)[2]
        assert "\x1b" not in reason
        assert len(reason) < 250

    @given(texts, texts, texts.filter(str.strip))
    def test_is_found_between_anything(self, before: str, after: str, item: str) -> None:
        assert score(before + item + after, item)[0] is Outcome.PASSED


class TestWord:
    @pytest.mark.parametrize(
        ("output", "item"),
        [
            ("slot 21 is yours", "21"),
            ("Slot 21.", "21"),
            ("at 21, or later", "21"),
            ("(21)", "21"),
            ("it costs 21.50 all in", "21.50"),
            ("the Dome opens", "dome"),
            ("C++ it is", "c++"),
            ("dôme", "dôme"),
            ("1215 and 21", "21"),
        ],
    )
    def test_finds_whole_words_and_numbers(self, output: str, item: str) -> None:
        assert score(output, item, match="word")[0] is Outcome.PASSED

    @pytest.mark.parametrize(
        ("output", "item"),
        [
            ("slot 1215", "21"),
            ("it costs 21.50", "21"),
            ("it costs 3.21", "21"),
            ("1,200 people", "200"),
            ("1,200 people", "1"),
            ("a condominium", "dominium"),
            ("domes", "dome"),
            ("dome_2", "dome"),
        ],
    )
    def test_does_not_find_parts(self, output: str, item: str) -> None:
        outcome, tokens, reason = score(output, item, match="word")
        assert (outcome, tokens) == (Outcome.FAILED, [f"missing:{item}"])
        assert reason == f'the answer does not contain "{item}" as a whole word or number'
        assert score(output, item, match="substring")[0] is Outcome.PASSED
        assert score(output, item, match=None)[0] is Outcome.PASSED

    @given(st.text(), st.text(min_size=1).filter(str.strip))
    def test_finds_no_more_than_a_substring_search(self, output: str, item: str) -> None:
        if score(output, item, match="word")[0] is Outcome.PASSED:
            assert score(output, item)[0] is Outcome.PASSED


class TestRows:
    @pytest.mark.parametrize(
        ("items", "pointer", "message"),
        [
            (None, ("must_include",), "must be a list of texts, not null"),
            ("x", ("must_include",), "must be a list of texts, not a text"),
            ({}, ("must_include",), "must be a list of texts, not an object"),
            (False, ("must_include",), "must be a list of texts, not true or false"),
            (["x", 1, None], ("must_include", 1), "must be a text, not a number"),
            ([["x"]], ("must_include", 0), "must be a text, not a list"),
            (["x", "\t"], ("must_include", 1), "must not be blank"),
        ],
    )
    def test_items_must_be_texts(self, items: Any, pointer: tuple[str | int, ...], message: str) -> None:
        assert [issue[:3] for issue in issues(must_include=items)] == [("bad_type", pointer, message)]

    @pytest.mark.parametrize(
        ("match", "seen"), [("words", '"words"'), ("", '""'), (1, "a number"), (["word"], "a list")]
    )
    def test_match_is_one_of_two(self, match: Any, seen: str) -> None:
        message = f"must be one of substring, word, not {seen}"
        assert [issue[:3] for issue in issues(match=match)] == [("bad_value", ("match",), message)]

    def test_without_items_there_is_nothing_to_verify(self) -> None:
        assert issues() == []
        assert not TASK_COMPLETION.is_labeled({"agent_output": "x"}, SETTINGS)
        assert not TASK_COMPLETION.is_labeled({"agent_output": "x", "must_include": []}, SETTINGS)
