"""The sentences of a report about a baseline and about how far judges can be trusted: plain text, not yet safe."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from proctor.dimension_scores import CalibrationScore, Change, DimensionChange, Regression
from proctor.results import Summary
from proctor_reports.dimension_text import JUDGED
from proctor_reports.summary_text import percent

CHANGE_SYMBOLS: Mapping[str, str] = {
    Change.REGRESSED: "✗",
    Change.IMPROVED: "✓",
    Change.UNCLEAR: "?",
    Change.STABLE: "=",
    Change.ADDED: "+",
    Change.GONE: "–",
}

_TESTS: Mapping[str, str] = {"mcnemar": "McNemar", "fisher": "Fisher"}
_MOVED = (Change.REGRESSED, Change.IMPROVED)


class Trust(NamedTuple):
    """How far the judge of a dimension can be trusted; ``score`` is None where nothing at all is known of it."""

    dimension: str
    is_trusted: bool
    status: str
    score: CalibrationScore | None = None

    @property
    def word(self) -> str:
        """The word for it."""
        return "trusted" if self.is_trusted else "not trusted"


def trusts(summary: Summary) -> tuple[Trust, ...]:
    """Give every dimension in which a judge had a part, whether it was calibrated or not."""
    known = tuple(Trust(score.dimension, score.trusted, score.status, score) for score in summary.calibration)
    names = {trust.dimension for trust in known}
    status = "not calibrated: no verdict of the judge was compared with one of a person"
    judged = (score.name for score in summary.dimensions if score.mode == JUDGED and score.name not in names)
    return (*known, *(Trust(name, is_trusted=False, status=status) for name in judged))


def comparison_line(found: Regression) -> str:
    """Say what came of the comparison, and whether that hinders the run from passing."""
    text = found.reason if found.comparable else f"cannot be compared: {found.reason}"
    hinders = found.blocks and (found.regressed or not found.comparable)
    return f"{text}; this hinders the run from passing" if hinders else text


def moved(found: Regression) -> tuple[DimensionChange, ...]:
    """Give the dimensions that regressed, then those that improved."""
    return tuple(change for kind in _MOVED for change in found.dimensions if change.change is kind)


def unmoved_line(found: Regression) -> str:
    """Name the other dimensions by what can be said of them: ``cannot tell: pii, cost; stable: latency``."""
    kinds = [kind for kind in CHANGE_SYMBOLS if kind not in _MOVED]
    names = {kind: [change.dimension for change in found.dimensions if change.change == kind] for kind in kinds}
    return "; ".join(f"{kind}: {', '.join(those)}" for kind, those in names.items() if those)


def lost_line(change: DimensionChange) -> str:
    """Say how many shared rows fail now that passed before, and the reverse."""
    if not change.shared:
        return "no row is in both"
    return f"{change.lost:,} lost, {change.won:,} won of {change.shared:,}"


def tested_line(change: DimensionChange) -> str:
    """Name the test with its p-value, and with the one that is corrected over all dimensions."""
    if change.p is None:
        return "no test"
    corrected = "" if change.adjusted_p is None else f", corrected {p_value(change.adjusted_p)}"
    return f"{_TESTS.get(change.test, change.test)}: p {p_value(change.p)}{corrected}"


def p_value(p: float) -> str:
    """Spell a p-value; none is zero."""
    return "under 0.0001" if p < 0.0001 else f"{p:.3g}"


def detectable_line(change: DimensionChange) -> str:
    """Say which drop of the share would show with this many rows, in points of percent rounded up."""
    if change.detectable is None:
        return "none"
    return f"{math.ceil(round(change.detectable * 1000, 6)) / 10:g} points"


def kappa_line(score: CalibrationScore | None) -> str:
    """Give Cohen's kappa with its 95 % interval."""
    if score is None or not score.rows:
        return "not known"
    return kappa_text(score.kappa, score.low, score.high)


def kappa_text(kappa: float | None, low: float | None, high: float | None) -> str:
    """Spell a kappa with the interval around it; None is undefined."""
    if kappa is None:
        return "undefined"
    return f"{kappa:.2f}" if low is None or high is None else f"{kappa:.2f} ({low:.2f} to {high:.2f})"


def agreement(score: CalibrationScore | None) -> dict[str, str]:
    """Give the rows on which judge and people agree: of all, of those that people passed, of those that they failed."""
    if score is None or not score.rows:
        return {}
    return {
        "agreement": _share(score.true_pass + score.true_fail, score.rows),
        "sensitivity": _share(score.true_pass, score.true_pass + score.false_fail),
        "specificity": _share(score.true_fail, score.true_fail + score.false_pass),
    }


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({percent(part, whole)})" if whole else "not known"
