"""The one rule behind the printed verdict, the exit code, and every report.

1. Nothing ran, or more trials are without a result than the suite allows: could not evaluate.
2. A gate, or a case outside every gate, that could not be decided: could not evaluate, unless that is allowed.
3. A gate that is not met, or a case outside every gate that did not pass: failed.
4. Otherwise: passed. Without gates, every case must pass.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from proctor.dataset import RECORDED
from proctor.plan import RECORDING, Allowance, Gate
from proctor.results import CaseScore, Counts, Decision, GateScore, GateStatus, Outcome
from proctor.stages.gates import Member, is_member, is_pinned, score_gate
from proctor.wording import count, listed, share

_NAMED = 5
_NOBODY = (RECORDED, RECORDING)
"""What stands in the place of an agent where nobody was called."""


def within(trials: Counts, allowance: Allowance) -> bool:
    """Whether the trials without a result are within the allowed shares of all trials."""
    return trials.errored <= allowance.errored * trials.total and trials.unscored <= allowance.unscored * trials.total


def decide(
    scores: Sequence[CaseScore],
    gates: Sequence[Gate],
    trials: Counts,
    allowance: Allowance | None = None,
    *,
    upstream: bool = False,
    rows: Sequence[Member] = (),
    row_gates: Sequence[GateScore] = (),
    metric_gates: Sequence[GateScore] = (),
    covered: Container[tuple[str, str]] = (),
) -> tuple[Decision, str, tuple[GateScore, ...]]:
    """The decision of a run, the sentence behind it, and the scores of its gates for each agent.

    ``row_gates`` are the gates of recorded rows, every one of which is in one; ``rows`` are those that ``gates`` mean.
    ``metric_gates`` are those of transcripts, which decide the ``covered`` cases, named by agent and case.
    """
    allowance = allowance or Allowance()
    allowed = within(trials, allowance)
    groups: dict[str, list[Member]] = {score.agent: [] for score in scores}
    for score in scores:
        groups[score.agent].append(score)
    if rows or (row_gates and not groups):
        groups[RECORDED] = list(rows)
    own = [
        score_gate(gate, agent, members, allowed=allowed, upstream=upstream)
        for gate, agent, members in _shared_out(gates, groups)
    ]
    scored = (*own, *row_gates, *metric_gates)
    outside = [
        score
        for score in scores
        if (score.agent, score.case) not in covered and not any(is_member(gate, score) for gate in gates)
    ]
    undecided = _cannot_tell(trials, allowance, upstream=upstream) or _open_gates(scored)
    if not trials.total:
        undecided = _open_gates(metric_gates) or undecided
    if undecided:
        return Decision.COULD_NOT_EVALUATE, undecided, scored
    failed = _failures(scored, outside)
    if failed:
        return Decision.FAILED, failed, scored
    return Decision.PASSED, _success(scores, scored, outside, trials), scored


def _shared_out(
    gates: Sequence[Gate], groups: Mapping[str, Sequence[Member]]
) -> Iterator[tuple[Gate, str, Sequence[Member]]]:
    """Each gate with each group of cases that it can be held to.

    A gate that means recorded rows or traces only says nothing of an agent, nor the reverse; its tags and its must-pass
    entries may mean different ones. One that means nothing at all is held against every group, and so is an entry that
    does.
    """
    for gate in gates:
        meant = {agent: _meant(gate, members) for agent, members in groups.items()}
        means_some = any(has_members or pins for has_members, pins in meant.values())
        is_shared = means_some and any(agent in groups for agent in _NOBODY)
        have_members = any(has_members for has_members, _ in meant.values())
        found = {pin for _, pins in meant.values() for pin in pins}
        for agent, (has_members, pins) in meant.items():
            if not is_shared:
                yield gate, agent, groups[agent]
            elif has_members or pins:
                own = tuple(pin for pin in gate.must_pass if pin in pins or pin not in found)
                is_elsewhere = have_members and not has_members
                tags, markers = ((), ()) if is_elsewhere else (gate.tags, gate.markers)
                yield replace(gate, tags=tags, markers=markers, must_pass=own), agent, groups[agent]


def _meant(gate: Gate, members: Sequence[Member]) -> tuple[bool, set[str]]:
    """Whether a gate has members in a group, and its must-pass entries that are there."""
    pins = {pin for pin in gate.must_pass if any(is_pinned(pin, member.case) for member in members)}
    return any(is_member(gate, member) for member in members), pins


def _cannot_tell(trials: Counts, allowance: Allowance, *, upstream: bool) -> str | None:
    if not trials.total:
        return "nothing ran: no case was selected"
    if trials.skipped == trials.total:  # the original is green then
        return None if upstream else f"nothing ran: all {trials.total} trials were skipped"
    if not trials.decided:
        return f"nothing was decided: {_missing(trials)} of {count(trials.total, 'trial')}"
    if not within(trials, allowance):
        shares = [("errored", allowance.errored), ("unscored", allowance.unscored)]
        limits = ", ".join(f"{share:.4g} {name}" for name, share in shares if share) or "none"
        return f"{_missing(trials)} of {count(trials.total, 'trial')}; allowed: {limits}"
    return None


def _missing(trials: Counts) -> str:
    parts = [(trials.errored, "errored"), (trials.unscored, "unscored")]
    return " and ".join(f"{number} {name}" for number, name in parts if number)


def _open_gates(gates: Sequence[GateScore]) -> str | None:
    open_ones = [gate for gate in gates if gate.status is GateStatus.UNDECIDED]
    return "; ".join(f"{_named(gate, gates)}: {gate.reason}" for gate in open_ones) or None


def _failures(gates: Sequence[GateScore], outside: Sequence[CaseScore]) -> str:
    unmet = [gate for gate in gates if gate.status is GateStatus.NOT_MET]
    parts = [f"{_named(gate, gates)} is not met: {gate.reason}" for gate in unmet]
    several = len({score.agent for score in outside}) > 1
    failing = [
        f"{score.agent}/{score.case}" if several else score.case
        for score in outside
        if score.outcome in (Outcome.FAILED, Outcome.REFUSED)
    ]
    if failing:
        where = " outside every gate" if gates else ""
        parts.append(f"{share(len(failing), len(outside), 'case')}{where} did not pass: {listed(failing, _NAMED)}")
    return "; ".join(parts)


def _named(gate: GateScore, gates: Sequence[GateScore]) -> str:
    """A gate of one of several agents is told apart by the agent."""
    several = len({each.agent for each in gates}) > 1
    return f"gate {gate.name} ({gate.agent})" if several else f"gate {gate.name}"


def _success(
    scores: Sequence[CaseScore], gates: Sequence[GateScore], outside: Sequence[CaseScore], trials: Counts
) -> str:
    passed = sum(score.outcome is Outcome.PASSED for score in outside)
    rest = f"{share(passed, len(outside), 'case')} passed"
    if passed == len(outside):
        rest = f"all {passed:,} cases passed" if passed > 1 else "the one case passed"
    tolerated = f"; {_missing(trials)} of {count(trials.total, 'trial')}, which is allowed" if trials.undecided else ""
    if not gates:
        return rest + tolerated
    number = "both" if len(gates) == 2 else f"all {len(gates)}"
    met = f"{number} gates are met" if len(gates) > 1 else f"gate {gates[0].name} is met: {gates[0].reason}"
    failing = sum(score.outcome is not Outcome.PASSED for score in scores)
    absorbed = (
        f"; {share(failing, len(scores), 'case')} did not pass, within the gates" if failing and not tolerated else ""
    )
    return met + (f"; outside the gates {rest}" if outside else "") + absorbed + tolerated
