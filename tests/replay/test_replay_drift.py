"""Whether the system prompt is still the recorded one."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.plan import Case, CheckContext, Outline
from proctor.replay import Drift, SystemPrompt, current_prompt, drift_of
from proctor.replay.drift import prompt_sha256
from proctor.replay_plan import CurrentPrompt, Policy
from proctor.results import CheckResult, Outcome
from proctor.trajectory import Ending, Trajectory

CLERK = "2eec03df053eeaa452c9096a762e04e4ab838bca33794ef344199e69ec4a0ba6"
CONTEXT = CheckContext(Case(Outline("c", "c", 1, 1.0), ()), Trajectory(Ending.COMPLETED))


def checked(recorded: str | None, prompt: CurrentPrompt | None, policy: Policy = Policy.WARN) -> CheckResult:
    return SystemPrompt(recorded, "pi-agent-core 0.73.1", prompt, policy).evaluate(CONTEXT)


class TestDigests:
    def test_are_those_of_the_exact_bytes(self) -> None:
        assert prompt_sha256("You are a careful clerk.") == CLERK
        assert prompt_sha256("You are a careful clerk.\n") != CLERK

    @given(st.text())
    def test_of_text_without_surrogates_are_plain(self, text: str) -> None:
        assert prompt_sha256(text) == hashlib.sha256(text.encode()).hexdigest()

    @pytest.mark.parametrize(
        ("text", "encoded"),
        [
            ("\ud83d", "\ufffd"),
            ("a\ud83db", "a\ufffdb"),
            ("\ude00\ud83d", "\ufffd\ufffd"),
            ("\ud83d\ude00", "😀"),
            ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ],
        ids=ascii,
    )
    def test_have_the_replacement_character_for_unpaired_surrogates(self, text: str, encoded: str) -> None:
        assert prompt_sha256(text) == hashlib.sha256(encoded.encode()).hexdigest()

    def test_are_taken_after_the_replacements_in_their_order(self) -> None:
        replacements = [(re.compile(r"\d{4}-(\d\d)"), r"YEAR-\1"), (re.compile("YEAR"), "2026")]
        prompt = current_prompt("Today is 2031-04, not 2030-04.", replacements)
        assert prompt == CurrentPrompt(prompt_sha256("Today is 2026-04, not 2026-04."), None, 4)

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_are_also_taken_without_the_last_line_break(self, end: str) -> None:
        assert current_prompt(f"You are a careful clerk.{end}").trimmed == CLERK
        assert current_prompt("You are a careful clerk.").trimmed is None


class TestDrift:
    def test_has_four_states(self) -> None:
        here, there = CurrentPrompt("a" * 64), CurrentPrompt("b" * 64)
        assert [drift_of("a" * 64, prompt) for prompt in (here, there, None)] == [
            Drift.MATCH,
            Drift.MISMATCH,
            Drift.UNKNOWN,
        ]
        assert drift_of(None, here) is drift_of(None, None) is Drift.UNVERIFIABLE


class TestTheCheck:
    def test_passes_for_the_recorded_prompt(self) -> None:
        found = checked(CLERK, current_prompt("You are a careful clerk."))
        assert (found.name, found.outcome) == ("system prompt", Outcome.PASSED)
        assert found.reason == 'match: the system prompt is the recorded one; recorded by "pi-agent-core 0.73.1"'

    def test_says_that_there_were_replacements(self) -> None:
        prompt = current_prompt("You are a very careful clerk.", [(re.compile("very "), "")])
        assert checked(CLERK, prompt).reason.startswith("match: the system prompt is the recorded one after 1 repl")

    def test_only_warns_of_another_prompt_unless_it_is_to_fail(self) -> None:
        prompt = current_prompt("You are a clerk.")
        told = (
            f"mismatch: the system prompt has changed since: its SHA-256 is {prompt.sha256[:12]}…, "
            f'recorded is 2eec03df053e…; recorded by "pi-agent-core 0.73.1"'
        )
        warned, failed = checked(CLERK, prompt), checked(CLERK, prompt, Policy.FAIL)
        assert (warned.outcome, warned.reason) == (Outcome.SKIPPED, f"warning only: {told}")
        assert (failed.outcome, failed.reason) == (Outcome.FAILED, told)

    def test_tells_of_a_line_break_that_an_editor_has_added(self) -> None:
        assert (
            "recorded is 2eec03df053e…; without its last line break it would be the recorded one"
            in checked(CLERK, current_prompt("You are a careful clerk.\n")).reason
        )

    def test_says_why_nobody_can_tell(self) -> None:
        assert checked(None, current_prompt("x")).reason == (
            "warning only: unverifiable: the recorded hash is no SHA-256, so nobody can tell whether the prompt has "
            'changed; recorded by "pi-agent-core 0.73.1"'
        )
        assert checked(CLERK, None).reason == (
            "warning only: unknown: no system prompt of today is given; name it as system_prompt below replay: in the "
            'suite; recorded by "pi-agent-core 0.73.1"'
        )
