"""What exceptions mean, how text answers are read, and how long to wait."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai import ModelRetry
from pydantic_ai.exceptions import (
    FallbackExceptionGroup,
    ModelAuthenticationError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelUnavailableError,
    UsageLimitExceeded,
)

from proctor.judges.answer_kinds import Grade
from proctor.judges.answers import object_reader
from proctor.judges.causes import Cause
from proctor.judges.faults import Again, classify
from proctor.judges.pause import LONGEST_WAIT_S, Pause, backoff_delay_s


class TestClassification:
    @pytest.mark.parametrize(
        ("error", "cause", "again"),
        [
            (KeyError("choices"), Cause.UNAVAILABLE, Again.ALWAYS),
            (TimeoutError(), Cause.TIMEOUT, Again.ALWAYS),
            (ModelHTTPError(409, "m"), Cause.UNAVAILABLE, Again.ALWAYS),
            (ModelHTTPError(418, "m"), Cause.REJECTED, Again.NEVER),
            (UsageLimitExceeded("too much"), Cause.REJECTED, Again.NEVER),
            (ImportError("no groq"), Cause.SETUP, Again.NEVER),
            (RuntimeError("... is bound to a different event loop"), Cause.SETUP, Again.NEVER),
        ],
        ids=repr,
    )
    def test_decides_what_is_tried_again(self, error: Exception, cause: Cause, again: Again) -> None:
        fault = classify(error)
        assert (fault.cause, fault.again) == (cause, again)

    def test_of_a_group_takes_the_member_that_may_pass_by(self) -> None:
        members = [ModelAuthenticationError("m", "key"), ModelUnavailableError("m", "busy", retry_after=3.0)]
        fault = classify(FallbackExceptionGroup("all failed", members))
        assert (fault.cause, fault.again, fault.pause_s) == (Cause.UNAVAILABLE, Again.ALWAYS, 3.0)

    def test_keeps_the_pause_that_a_provider_asks_for(self) -> None:
        assert classify(ModelRateLimitError("m", "slow down", retry_after=7.0)).pause_s == 7.0


def read_grade(text: str) -> Grade:
    answer = object_reader(Grade)(text)
    assert isinstance(answer, Grade)
    return answer


class TestAnswersInPlainText:
    @pytest.mark.parametrize(
        "text",
        [
            '{"reasoning": "a {brace} in it", "passed": true}',
            '```json\n{"reasoning": "x", "passed": true}\n```',
            'My grade:\n{"passed": "yes", "reasoning": "x", "details": {"passed": false}}\nDone.',
        ],
    )
    def test_may_be_fenced_or_stand_in_prose(self, text: str) -> None:
        assert read_grade(text).passed is True

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("It could be passed: true. GRADE: false", "has 0 JSON objects"),
            ('{"reasoning": "x", "passed": true} {"reasoning": "x", "passed": false}', "has 2 JSON objects"),
            ("{'reasoning': 'x', 'passed': True}", "not valid JSON"),
            ('{"reasoning": "the reply nam', "not valid JSON"),
            ('{"a":' * 100_000, "not valid JSON"),
            ('{"passed": true}', "Wrong or missing: reasoning"),
            ('{"criteria": [{"passed": true, "reasoning": "x"}]}', "Wrong or missing: reasoning, passed"),
        ],
    )
    def test_are_asked_for_again_rather_than_guessed(self, text: str, complaint: str) -> None:
        with pytest.raises(ModelRetry, match=complaint):
            read_grade(text)

    @given(st.text(), st.booleans())
    def test_survive_any_reasoning(self, reasoning: str, passed: bool) -> None:
        text = json.dumps({"reasoning": reasoning, "passed": passed})
        answer = read_grade(text)
        assert (answer.reasoning, answer.passed) == (reasoning, passed)


class TestWaiting:
    @given(st.integers(1, 2000), st.floats(0, 1000))
    def test_doubles_within_bounds(self, failures: int, backoff_s: float) -> None:
        delay = backoff_delay_s(failures, backoff_s)
        nominal = backoff_s * 2.0 ** (min(failures, 31) - 1)
        assert min(0.75 * nominal, LONGEST_WAIT_S) <= delay <= min(1.25 * nominal, LONGEST_WAIT_S)

    def test_is_shared_and_never_longer_than_the_limit(self) -> None:
        async def run() -> list[float]:
            pause = Pause()
            left = [pause.remaining_s]
            for seconds in (5.0, 1.0, 86_400.0):
                pause.extend(seconds)
                left.append(pause.remaining_s)
            return left

        none, first, shorter, capped = asyncio.run(run())
        assert none == 0
        assert 4.9 < shorter <= first <= 5.0
        assert LONGEST_WAIT_S - 0.1 < capped <= LONGEST_WAIT_S

    def test_ends_when_the_pause_does(self) -> None:
        async def run() -> float:
            pause = Pause()
            pause.extend(0.02)
            await asyncio.gather(pause.wait(), pause.wait())
            return pause.remaining_s

        assert asyncio.run(run()) == 0
