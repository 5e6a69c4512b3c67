"""A run over recorded rows against its baseline: the last accepted run, or the one that was asked for.

The rows of a dimension that both runs have are compared in pairs by McNemar's exact test; where they share none, all of
them by Fisher's. P-values are corrected over all dimensions by Holm's method. A rate below the interval of the same
rows in the baseline counts as well, as it does in Assevra 0.6, unless the suite asks for the tests alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from proctor.dataset import RECORDED, DatasetSettings, RegressionRule
from proctor.dimension_scores import Change, DimensionChange, DimensionScore, Regression
from proctor.errors import UsageError
from proctor.results import GateScore, GateStatus, Summary
from proctor.stages.history import find_baseline
from proctor.stages.recorded.comparable import why_incomparable
from proctor.stages.recorded.matching import Matched, Pairs, match_rows
from proctor.stages.run import Run
from proctor.statistics.effect import detectable_drop_paired, detectable_drop_unpaired
from proctor.statistics.fisher import fisher_exact
from proctor.statistics.holm import holm
from proctor.statistics.mcnemar import mcnemar_exact
from proctor.statistics.wilson import wilson_reported
from proctor.wording import count

REGRESSION_GATE: Final = "no regression"

_TESTS: Final = {"mcnemar": "McNemar's exact test", "fisher": "Fisher's exact test"}


def compare(run: Run, now: tuple[DimensionScore, ...], settings: DatasetSettings) -> tuple[Regression | None, Matched]:
    """Compare a run with its baseline, and match their rows; None when there is no baseline and none was asked for."""
    rule = settings.regression
    try:
        baseline = find_baseline(run.store, run.plan, run.id)
        before = run.store.summary(baseline.id) if baseline else None
    except UsageError as error:
        return Regression(run.plan.baseline or "", False, error.message, rule.level, rule.blocks, False), Matched()
    if before is None:
        return None, Matched()
    matched = match_rows(run.store.row_lines(before.run_id), run.store.row_lines(run.id))
    return _regression(before, now, matched, run, rule), matched


def _regression(
    before: Summary, now: tuple[DimensionScore, ...], matched: Matched, run: Run, rule: RegressionRule
) -> Regression:
    reason = why_incomparable(before, now, run, matched)
    if reason:
        return Regression(before.run_id, False, reason, rule.level, rule.blocks, False)
    changes = dimension_changes(matched, {score.name: score for score in before.dimensions}, now, rule)
    regressed = [change.dimension for change in changes if change.change is Change.REGRESSED]
    reason = f"regressed: {', '.join(regressed)}" if regressed else "no dimension regressed"
    return Regression(before.run_id, True, reason, rule.level, rule.blocks, bool(regressed), changes)


def regression_gate(found: Regression | None) -> Iterator[GateScore]:
    """The comparison as a gate, where the suite lets it block."""
    if found is None or not found.blocks:
        return
    status = GateStatus.UNDECIDED
    if found.comparable:
        status = GateStatus.NOT_MET if found.regressed else GateStatus.MET
    total = len(found.dimensions)
    lost = [change.dimension for change in found.dimensions if change.change is Change.REGRESSED]
    reason = found.reason if found.comparable else f"cannot be compared with the baseline: {found.reason}"
    yield GateScore(
        REGRESSION_GATE, RECORDED, status, reason, 1.0, total, total, total - len(lost), 0, tuple(lost), needed=total
    )


def dimension_changes(
    matched: Matched,
    before: Mapping[str, DimensionScore],
    now: tuple[DimensionScore, ...],
    rule: RegressionRule,
) -> tuple[DimensionChange, ...]:
    """How each dimension of two comparable runs has changed: those of this run, then those that only ``before`` has."""
    scores = {score.name: score for score in now}
    names = [*scores, *(name for name in before if name not in scores)]
    each = replace(rule, level=rule.level / len(names)) if names else rule
    raw = [_change(name, matched.of(name), before.get(name), scores.get(name), each) for name in names]
    adjusted = holm([change.p for change in raw])
    return tuple(
        _decided(replace(change, adjusted_p=p), matched.of(change.dimension), rule)
        for change, p in zip(raw, adjusted, strict=True)
    )


def _change(
    name: str, found: Pairs, before: DimensionScore | None, now: DimensionScore | None, rule: RegressionRule
) -> DimensionChange:
    """The numbers of one dimension, not yet decided. The level of ``rule`` is its share of the level over all."""
    (passed_before, rows_before), (passed_now, rows_now) = found.before, found.now
    lost, won = found.pairs[True, False], found.pairs[False, True]
    test, p, detectable = "", None, None
    if found.shared:
        test, p = "mcnemar", mcnemar_exact(lost, won)
        rate, churn = _rate(found.compared[0]), min(lost, won) / found.shared
        detectable = detectable_drop_paired(rate, found.shared, rule.level, rule.power, churn)
    elif rows_before and rows_now:
        test = "fisher"
        p = fisher_exact(passed_before, rows_before - passed_before, passed_now, rows_now - passed_now)
        detectable = detectable_drop_unpaired(_rate(found.before), rows_before, rows_now, rule.level, rule.power)
    return DimensionChange(
        dimension=name,
        change=Change.STABLE,
        before=_rate(found.before) if rows_before else None,
        now=_rate(found.now) if rows_now else None,
        before_rows=rows_before,
        now_rows=rows_now,
        shared=found.shared,
        lost=lost,
        won=won,
        test=test,
        p=p,
        adjusted_p=None,
        detectable=detectable,
        reason="",
        before_met=None if before is None else before.status is GateStatus.MET,
        now_met=None if now is None else now.status is GateStatus.MET,
    )


def _rate(counts: tuple[int, int]) -> float:
    passed, rows = counts
    return passed / rows


def _decided(change: DimensionChange, found: Pairs, rule: RegressionRule) -> DimensionChange:
    if change.before is None or change.now is None:
        what, which = (Change.ADDED, "this run") if change.before is None else (Change.GONE, "the baseline")
        return replace(change, change=what, reason=f"only {which} has rows with a result")
    moved = f"{change.before:.4g} before, {change.now:.4g} now"
    if change.shared:
        moved += f"; of {count(change.shared, 'shared row')} {change.lost} lost and {change.won} won"
    then, now = map(_rate, found.compared)
    low, high = wilson_reported(*found.compared[0])
    is_significant = change.adjusted_p is not None and change.adjusted_p <= rule.level
    if now < then and is_significant:
        return replace(change, change=Change.REGRESSED, reason=f"{moved}; {_tested(change)}")
    if rule.by_interval and now < low:
        below = f"{now:.4g} is below the interval of the same rows in the baseline, which begins at {low:.4g}"
        return replace(change, change=Change.REGRESSED, reason=f"{moved}; {below}")
    if now > then and (is_significant or (rule.by_interval and now > high)):
        return replace(change, change=Change.IMPROVED, reason=f"{moved}; {_tested(change)}")
    still = Change.STABLE if now == then else Change.UNCLEAR
    return replace(change, change=still, reason=f"{moved}; {_tested(change)}{_power(change, rule)}")


def _tested(change: DimensionChange) -> str:
    if change.p is None:
        return "no test is possible"
    return f"{_TESTS[change.test]}: p = {change.p:.3g}, corrected {change.adjusted_p:.3g}"


def _power(change: DimensionChange, rule: RegressionRule) -> str:
    if change.detectable is None:
        return "; with so few rows no drop can be told from noise"
    return f"; a drop of {change.detectable:.2g} would be found in {rule.power:.0%} of cases"
