"""From trials to cases: how many passed, how many were needed, and what follows.

A case has failed when its threshold is out of reach whatever its missing trials would have shown. It has passed when
enough trials passed and none is missing, or the missing ones are within the share that the suite allows. Otherwise it
could not be evaluated: errored, or unscored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import TypeAlias

from proctor.plan import Outline, Plan, Source
from proctor.results import CaseScore, Counts, Outcome, TrialLine
from proctor.statistics.threshold import needed_passes, reaches
from proctor.trajectory import Usage

_Place: TypeAlias = tuple[Source, Outline]


def score_cases(plan: Plan, lines: Iterable[TrialLine], *, allowed: bool) -> Iterator[CaseScore]:
    """Score every case of a plan from its trials, which come ordered by agent and case.

    ``allowed``: the missing results are within the allowed share. Cases come in the order of the trials.
    """
    played, recorded = _places(plan)
    for (agent, key), trials in groupby(lines, key=attrgetter("ref.agent", "ref.case")):
        place = recorded.get((agent, key)) or played.get(key)
        if place is not None:
            yield score_case(agent, *place, list(trials), allowed=allowed)


def _places(plan: Plan) -> tuple[dict[str, _Place], dict[tuple[str, str], _Place]]:
    """Where cases come from: those that agents play by key, those that are recorded by agent and case.

    Several recorded trials of one case are one case, with the outline of the first and as many runs as there are.
    """
    played: dict[str, _Place] = {}
    recorded: dict[tuple[str, str], _Place] = {}
    for source in plan.sources:
        for outline in source.cases:
            if outline.recorded is None:
                played[outline.key] = (source, outline)
                continue
            agent, case, _ = outline.recorded
            first, known = recorded.get((agent, case), (source, replace(outline, key=case, runs=0)))
            recorded[agent, case] = (first, replace(known, runs=known.runs + 1))
    return played, recorded


def score_case(
    agent: str, source: Source, outline: Outline, trials: list[TrialLine], *, allowed: bool = False
) -> CaseScore:
    """Score one case. A trial that never ran counts as errored."""
    counts = Counts.of(line.outcome for line in trials)
    counts += Counts(errored=max(0, outline.runs - counts.total))
    needed = needed_passes(outline.runs, outline.threshold)
    return CaseScore(
        agent=agent,
        case=outline.key,
        outcome=_outcome(counts, outline, allowed),
        counts=counts,
        runs=outline.runs,
        threshold=outline.threshold,
        needed=needed,
        reason=_reason(counts, outline, needed),
        tags=outline.tags,
        markers=outline.markers,
        source=source.name,
        line=outline.line,
        latency_ms=sum(line.latency_ms for line in trials) / len(trials) if trials else 0.0,
        usage=sum((line.usage for line in trials), Usage()),
        cached=sum(line.cached is not None for line in trials),
    )


def _outcome(counts: Counts, outline: Outline, allowed: bool) -> Outcome:
    reached = reaches(counts.passed, counts.undecided, outline.runs, outline.threshold)
    if reached is False:
        return Outcome.FAILED if counts.failed or not counts.refused else Outcome.REFUSED
    if reached and (allowed or not counts.undecided):
        return Outcome.PASSED
    return Outcome.ERRORED if counts.errored else Outcome.UNSCORED


def _reason(counts: Counts, outline: Outline, needed: int) -> str:
    runs = outline.runs
    text = f"{counts.passed}/{runs} passed, needs {needed}/{runs}"
    if 0 < needed < runs or (needed == runs and outline.threshold < 1 and runs > 1):
        text += f" (threshold {outline.threshold:g})"
    others = [("errored", counts.errored), ("unscored", counts.unscored), ("refused", counts.refused)]
    return text + "".join(f", {number} {name}" for name, number in others if number)
