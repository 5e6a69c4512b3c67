"""The scored transcripts of a run: which adapter has which trials of which probe, and what each check said of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from proctor.brainbench.scoring.rules import Rule
from proctor.checks.brainbench import CLAIM, PLANTED, RUBRIC
from proctor.formats.brainbench import TRANSCRIPTS
from proctor.plan import Outline, Plan
from proctor.results import CheckLine, Outcome, TrialLine, TrialRef
from proctor.stages.run import Run

CHECKS = (*(rule.value for rule in Rule), RUBRIC, CLAIM, PLANTED)
"""The names of the checks that metrics are made of."""

_SCORING = frozenset(CHECKS) - {PLANTED}


@dataclass(slots=True)
class AdapterTally:
    """The trials of one adapter by probe, and their checks by name."""

    agent: str
    trials: dict[str, list[TrialRef]] = field(default_factory=lambda: defaultdict(list))
    lines: dict[TrialRef, TrialLine] = field(default_factory=dict)
    checks: dict[tuple[TrialRef, str], CheckLine] = field(default_factory=dict)

    def outcome(self, ref: TrialRef, check: str) -> Outcome:
        """What a check says of a trial. One that scores and was skipped has no result: it was to give one."""
        found = self.checks.get((ref, check))
        if found is None or (found.outcome is Outcome.SKIPPED and check in _SCORING):
            return Outcome.UNSCORED
        return found.outcome

    def points(self, ref: TrialRef, check: str) -> float | None:
        """The points that a judge gave in a check."""
        found = self.checks.get((ref, check))
        verdict = None if found is None or found.outcome not in (Outcome.PASSED, Outcome.FAILED) else found.verdict
        return None if verdict is None else verdict.score


def transcript_outlines(plan: Plan) -> list[Outline]:
    """The outlines of all recorded transcripts and claims of a plan."""
    sources = (source for source in plan.sources if source.format == TRANSCRIPTS)
    return [outline for source in sources for outline in source.cases]


def tally(run: Run, outlines: Iterable[Outline], lines: Iterable[TrialLine]) -> Mapping[str, AdapterTally]:
    """Sort the trials of a run by adapter, in the order of the files. Claims stand under `proctor.plan.RECORDING`."""
    found: dict[str, AdapterTally] = {}
    for outline in outlines:
        ref = outline.recorded
        if ref is not None:
            found.setdefault(ref.agent, AdapterTally(ref.agent)).trials[ref.case].append(ref)
    places = {ref: adapter for adapter in found.values() for refs in adapter.trials.values() for ref in refs}
    for line in lines:
        if line.ref in places:
            places[line.ref].lines[line.ref] = line
    for check in run.store.check_lines(run.id, (*CHECKS, *(check.name for check in run.own_checks))):
        if check.ref in places:
            places[check.ref].checks[check.ref, check.name] = check
    return found
