"""Quality gates: shares of cases that must pass, and cases that must pass in any event.

The arithmetic is that of the groups of pytest-agent-eval 0.3.0. Stricter on purpose (``upstream`` turns it off): a gate
that matches nothing or only skipped cases is not met, and a must-pass entry that did not run is not met either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from proctor.dataset import RECORDED
from proctor.plan import Gate
from proctor.results import GateScore, GateStatus, Outcome
from proctor.statistics.threshold import needed_passes, reaches
from proctor.wording import share

_RAN = (Outcome.PASSED, Outcome.FAILED, Outcome.REFUSED)
_MISSING = (Outcome.ERRORED, Outcome.UNSCORED)


class Tagged(Protocol):
    """What a gate selects its members by."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of the author's."""
        ...

    @property
    def markers(self) -> tuple[str, ...]:
        """Markers of the format."""
        ...


class Member(Tagged, Protocol):
    """A case, or a recorded row, that has an outcome."""

    @property
    def case(self) -> str:
        """The key."""
        ...

    @property
    def outcome(self) -> Outcome:
        """What came of it."""
        ...


def is_member(gate: Gate, case: Tagged) -> bool:
    """Whether a case has one of the tags or markers of a gate, compared whole and with case."""
    return not {*gate.tags}.isdisjoint(case.tags) or not {*gate.markers}.isdisjoint(case.markers)


def is_pinned(pin: str, case: str) -> bool:
    """Whether a must-pass entry means a case; ``test_x`` also means ``test_x[1]``."""
    identity = case.rpartition("::")[2]
    return pin in (case, identity, identity.partition("[")[0])


def score_gate(
    gate: Gate, agent: str, scores: Sequence[Member], *, allowed: bool = False, upstream: bool = False
) -> GateScore:
    """Score a gate over the cases of one agent. ``allowed``: see `proctor.stages.case_scores`."""
    members = [score for score in scores if is_member(gate, score)]
    ran = [score for score in members if score.outcome in _RAN]
    pins = {pin: [score for score in scores if is_pinned(pin, score.case)] for pin in gate.must_pass}
    found = GateScore(
        name=gate.name,
        agent=agent,
        status=GateStatus.MET,
        reason="",
        threshold=gate.threshold,
        members=len(members),
        ran=len(ran),
        passed=sum(score.outcome is Outcome.PASSED for score in ran),
        skipped=sum(score.outcome is Outcome.SKIPPED for score in members),
        failing=tuple(score.case for score in members if score.outcome not in (Outcome.PASSED, Outcome.SKIPPED)),
        pinned_failed=tuple(pin for pin, cases in pins.items() if any(_failed(case) for case in cases)),
        pinned_missing=tuple(pin for pin, cases in pins.items() if all(case.outcome not in _RAN for case in cases)),
    )
    undecided = sum(score.outcome in _MISSING for score in members)
    status, reason = _judge(gate, found, undecided, allowed=allowed, upstream=upstream)
    needed = needed_passes(found.ran + undecided, gate.threshold)
    return replace(found, status=status, reason=reason, needed=needed)


def _judge(gate: Gate, found: GateScore, undecided: int, *, allowed: bool, upstream: bool) -> tuple[GateStatus, str]:
    total = found.ran + undecided
    needed = needed_passes(total, gate.threshold)
    noun = "row" if found.agent == RECORDED else "case"
    passed = f"{share(found.passed, total, noun)} passed, needs {needed}"
    if found.pinned_failed:
        return GateStatus.NOT_MET, f"must pass and did not: {', '.join(found.pinned_failed)}"
    if not upstream and (empty := _emptiness(gate, found, total)):
        return GateStatus.NOT_MET, empty
    reached = reaches(found.passed, undecided, total, gate.threshold)
    if reached is False:
        return GateStatus.NOT_MET, passed
    if undecided and not (reached and allowed):
        return GateStatus.UNDECIDED, f"{passed}; {undecided} could not be evaluated"
    if not total and not found.members:
        return GateStatus.MET, "every must-pass case passed" if gate.must_pass else "matches no case"
    return GateStatus.MET, passed


def _emptiness(gate: Gate, found: GateScore, total: int) -> str | None:
    """Why a gate says nothing, if so."""
    if found.pinned_missing:
        return f"must pass and did not run: {', '.join(found.pinned_missing)}"
    if not found.members and (gate.tags or gate.markers or not gate.must_pass):
        wanted = ", ".join((*gate.tags, *gate.markers))
        noun = "row" if found.agent == RECORDED else "case"
        return f"no {noun} of this run has one of its tags ({wanted})" if wanted else "it names neither tags nor cases"
    if found.members and not total:
        return f"all of its {found.members} cases were skipped"
    return None


def _failed(score: Member) -> bool:
    return score.outcome in (Outcome.FAILED, Outcome.REFUSED)
