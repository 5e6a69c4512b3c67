"""What a calibration came to: each dimension, all of them together, and the rows on which judge and people differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from proctor.dataset import CalibrationRule
from proctor.dimension_scores import CalibrationScore, RowLine
from proctor.results import Outcome
from proctor.stages.recorded.calibration import score_labels
from proctor.stages.recorded.tally import DimensionTally
from proctor.wording import listed

OVERALL: Final = "overall"
"""The name under which all dimensions together are scored."""

_DECIDED: Final = (Outcome.PASSED, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A finished calibration.

    ``measured`` holds the dimensions with labels, ``unmeasured`` the judged ones without. ``differing`` are the rows
    that judge and people do not decide alike, ``unanswered`` those, labelled or not, on which a judge gave no verdict.
    """

    measured: tuple[CalibrationScore, ...]
    unmeasured: tuple[CalibrationScore, ...]
    overall: CalibrationScore
    differing: tuple[RowLine, ...]
    unanswered: tuple[RowLine, ...]

    @property
    def exit_code(self) -> int:
        """0 every measured dimension is trusted, 1 one is not, 3 a verdict could not be had."""
        if self.unanswered:
            return 3
        return 0 if self.overall.trusted else 1


def agreement(scores: Iterable[CalibrationScore], lines: Iterable[RowLine], rule: CalibrationRule) -> Agreement:
    """Sum up the calibration of a run from its scores and its rows."""
    scores = tuple(scores)
    measured = tuple(score for score in scores if score.rows and not score.measured_at)
    differing: list[RowLine] = []
    unanswered: list[RowLine] = []
    for line in lines:
        if line.outcome not in _DECIDED:
            unanswered.append(line)
        elif line.label is not None and line.label is not (line.outcome is Outcome.PASSED):
            differing.append(line)
    return Agreement(
        measured=measured,
        unmeasured=tuple(score for score in scores if score not in measured),
        overall=_pooled(measured, rule),
        differing=tuple(differing),
        unanswered=tuple(unanswered),
    )


def _pooled(measured: tuple[CalibrationScore, ...], rule: CalibrationRule) -> CalibrationScore:
    """All dimensions as one. A judge is trusted when each of them is: good ones do not make up for a bad one."""
    labels: Counter[tuple[bool, bool]] = Counter()
    for score in measured:
        labels[True, True] += score.true_pass
        labels[True, False] += score.false_pass
        labels[False, False] += score.true_fail
        labels[False, True] += score.false_fail
    pooled = score_labels(OVERALL, DimensionTally(labels=labels), replace(rule, bars={}), "")
    bad = [score.dimension for score in measured if not score.trusted]
    status = f"{pooled.status}; not trusted: {listed(bad, len(bad))}" if bad else pooled.status
    return replace(pooled, trusted=bool(measured) and not bad, status=status)
