"""What the check on a replay says, and that a trajectory keeps what it needs for that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.plan import Case, CheckContext, Outline
from proctor.replay import ReplayShape
from proctor.replay_plan import Compare, Policy
from proctor.results import CheckResult, Outcome
from proctor.store.codec import pack_trajectory, unpack_trajectory
from proctor.trajectory import Ending, Step, ToolCall, Trajectory, TurnRecord

FIND, BOOK = ToolCall("find", {"q": "x"}, "a", "r"), ToolCall("book", {"seats": 2}, "b", "r")


def checked(
    *observed: ToolCall,
    compare: Compare = Compare.SHAPE,
    policy: Policy = Policy.WARN,
    notes: tuple[str, ...] = (),
) -> CheckResult:
    # The calls of two turns are one sequence.
    turns = (TurnRecord("hi", "ok", observed[:1]), TurnRecord("and?", "ok", observed[1:]))
    case = Case(Outline("c", "c", 1, 1.0), ())
    trajectory = Trajectory(Ending.COMPLETED, turns, notes=notes)
    return ReplayShape((FIND, BOOK), compare, policy).evaluate(CheckContext(case, trajectory))


class TestTheCheck:
    @pytest.mark.parametrize(
        ("compare", "reason"),
        [
            (Compare.NAMES, "2 calls as recorded, with the same names"),
            (Compare.SHAPE, "2 calls as recorded, with the same names and types of arguments"),
            (Compare.VALUES, "2 calls as recorded, with the same names and arguments"),
        ],
    )
    def test_passes_for_the_same_calls(self, compare: Compare, reason: str) -> None:
        found = checked(FIND, BOOK, compare=compare)
        assert (found.name, found.outcome, found.reason) == ("replay shape", Outcome.PASSED, reason)

    def test_only_warns_of_a_divergence_unless_it_is_to_fail(self) -> None:
        told = 'call 2: recorded "book" {"seats": number}, observed no call'
        warned, failed = checked(FIND), checked(FIND, policy=Policy.FAIL)
        assert (warned.outcome, warned.reason) == (Outcome.SKIPPED, f"warning only: {told}")
        assert (failed.outcome, failed.reason) == (Outcome.FAILED, told)

    def test_does_not_pass_with_notes_although_the_calls_are_the_same(self) -> None:
        found = checked(FIND, BOOK, policy=Policy.FAIL, notes=("a", "b", "c", "d"))
        assert (found.outcome, found.reason) == (Outcome.FAILED, "a, b, c and 1 more")

    def test_tells_the_first_difference_and_the_notes(self) -> None:
        assert checked(BOOK, BOOK, compare=Compare.NAMES, notes=("stopped",)).reason == (
            'warning only: call 1: recorded "find", observed "book"; stopped'
        )


class TestTrajectories:
    @given(st.lists(st.text(max_size=3), max_size=3), st.booleans(), st.none() | st.text(max_size=3))
    def test_survive_the_store_with_notes_and_steps(self, notes: list[str], late: bool, text: str | None) -> None:
        turn = TurnRecord("hi", "ok", (FIND,), steps=(Step(text, 1), Step("ok")))
        kept = Trajectory(Ending.COMPLETED, (turn,), notes=tuple(notes), out_of_time=late)
        assert unpack_trajectory(pack_trajectory(kept)) == kept

    def test_without_them_are_stored_as_before(self) -> None:
        plain = Trajectory(Ending.COMPLETED, (TurnRecord("hi", "ok"),)).to_json()
        assert set(plain) == {"ending", "turns", "usage", "latency_ms", "attempts"}
        assert plain["turns"] == [{"user": "hi", "reply": "ok", "latency_ms": 0.0}]
