"""A run over recorded rows against its baseline: the last accepted run, or the one that was asked for.

Shared rows are compared in pairs by McNemar's exact test, rows that only one of the runs has by Fisher's; p-values are
corrected over all dimensions by Holm's method. A rate below the interval of the baseline counts as well, as it does in
Assevra 0.6, unless the suite asks for the tests alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from proctor.dataset import RECORDED, DatasetSettings, RegressionRule
from proctor.dimension_scores import Change, DimensionChange, DimensionScore, Regression, RowLine
from proctor.errors import UsageError
from proctor.results import GateScore, GateStatus, Outcome, Summary
from proctor.stages.recorded.matching import Matched, Pairs, match_rows
from proctor.stages.run import Run
from proctor.statistics.effect import detectable_drop_paired, detectable_drop_unpaired
from proctor.statistics.fisher import fisher_exact
from proctor.statistics.holm import holm
from proctor.statistics.mcnemar import mcnemar_exact
from proctor.store import RunRecord
from proctor.wording import count, listed

REGRESSION_GATE = "no regression"

_NAMED = 5


def compare(
    run: Run, now: tuple[DimensionScore, ...], settings: DatasetSettings
) -> tuple[Regression | None, Matched]:
    """Compare a run with its baseline, and match their rows; None when there is no baseline and none was asked for."""
    rule = settings.regression
    try:
        baseline = _baseline(run)
        before = run.store.summary(baseline.id) if baseline else None
    except UsageError as error:
        return Regression(run.plan.baseline or "", False, error.message, rule.level, rule.blocks, False), Matched()
    if before is None:
        return None, Matched()
    matched = match_rows(run.store.row_lines(before.run_id), run.store.row_lines(run.id))
    return _regression(before, now, matched, run, settings), matched


def _regression(
    before: Summary, now: tuple[DimensionScore, ...], matched: Matched, run: Run, settings: DatasetSettings
) -> Regression:
    rule = settings.regression
    reason = _incomparable(before, now, run, settings) or _changed(matched.changed)
    if reason:
        return Regression(before.run_id, False, reason, rule.level, rule.blocks, False)
    changes = _changes(matched, {score.name: score for score in before.dimensions}, now, rule)
    regressed = [change.dimension for change in changes if change.change is Change.REGRESSED]
    reason = f"regressed: {', '.join(regressed)}" if regressed else "no dimension regressed"
    return Regression(before.run_id, True, reason, rule.level, rule.blocks, bool(regressed), changes)


def _baseline(run: Run) -> RunRecord | None:
    wish = run.plan.baseline
    return run.store.find_run(wish) if wish else run.store.accepted(run.plan.slug, run.id)


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


def _incomparable(before: Summary, now: tuple[DimensionScore, ...], run: Run, settings: DatasetSettings) -> str | None:
    """Why the settings of the two runs make the comparison meaningless, if so."""
    if not before.dimensions:
        return "it has no recorded rows"
    if before.purpose != run.plan.purpose and not before.self_test:
        return f"its purpose was {before.purpose}"
    earlier = {score.name: score for score in before.dimensions}
    for score in now:
        other = earlier.get(score.name)
        if other and (other.threshold, other.bound) != (score.threshold, score.bound):
            return f"the threshold of {score.name} was {other.threshold:g} ({other.bound}) then"
    required = before.provenance.get("required_dimensions")
    if required is not None and required != list(settings.required):
        return "other dimensions were required then"
    judged = any(score.mode == "llm-judge" for score in now)
    if judged and before.provenance.get("judge") != run.provenance.get("judge"):
        return "another judge, or other judge settings, were used then"
    return None


def _changed(keys: list[str]) -> str | None:
    if not keys:
        return None
    return f"{count(len(keys), 'row')} ask something else now: {listed(sorted(keys), _NAMED)}"


def _changes(
    matched: Matched,
    before: Mapping[str, DimensionScore],
    now: tuple[DimensionScore, ...],
    rule: RegressionRule,
) -> tuple[DimensionChange, ...]:
    scores = {score.name: score for score in now}
    names = [*scores, *(name for name in before if name not in scores)]
    each = replace(rule, level=rule.level / len(names)) if names else rule
    raw = [_change(name, matched.of(name), before.get(name), scores.get(name), each) for name in names]
    adjusted = holm([change.p for change in raw])
    return tuple(
        _decided(replace(change, adjusted_p=p), before.get(change.dimension), rule)
        for change, p in zip(raw, adjusted, strict=True)
    )


def _change(
    name: str, found: Pairs, before: DimensionScore | None, now: DimensionScore | None, rule: RegressionRule
) -> DimensionChange:
    """The numbers of one dimension, not yet decided. The level of ``rule`` is its share of the level over all."""
    (passed_before, rows_before), (passed_now, rows_now) = found.before, found.now
    lost, won = found.pairs[True, False], found.pairs[False, True]
    rate = passed_before / rows_before if rows_before else None
    test, p, detectable = "", None, None
    if found.shared and rate is not None:
        test, p = "mcnemar", mcnemar_exact(lost, won)
        churn = min(lost, won) / found.shared
        detectable = detectable_drop_paired(rate, found.shared, rule.level, rule.power, churn)
    elif rows_before and rows_now and rate is not None:
        test = "fisher"
        p = fisher_exact(passed_before, rows_before - passed_before, passed_now, rows_now - passed_now)
        detectable = detectable_drop_unpaired(rate, rows_before, rows_now, rule.level, rule.power)
    return DimensionChange(
        dimension=name,
        change=Change.STABLE,
        before=rate,
        now=passed_now / rows_now if rows_now else None,
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


def _decided(change: DimensionChange, before: DimensionScore | None, rule: RegressionRule) -> DimensionChange:
    if change.before is None or change.now is None:
        what = Change.ADDED if change.before is None else Change.GONE
        return replace(
            change, change=what, reason=f"only {'this run' if what is Change.ADDED else 'the baseline'} has it"
        )
    moved = f"{change.before:.4g} before, {change.now:.4g} now"
    if change.shared:
        moved += f"; of {count(change.shared, 'shared row')} {change.lost} lost and {change.won} won"
    is_significant = change.adjusted_p is not None and change.adjusted_p <= rule.level
    if change.now < change.before:
        if is_significant:
            return replace(change, change=Change.REGRESSED, reason=f"{moved}; {_tested(change)}")
        if rule.by_interval and before is not None and change.now < before.low:
            below = f"below the interval of the baseline, which begins at {before.low:.4g}"
            return replace(change, change=Change.REGRESSED, reason=f"{moved}; {below}")
    elif change.now > change.before:
        above = rule.by_interval and before is not None and change.now > before.high
        if is_significant or above:
            return replace(change, change=Change.IMPROVED, reason=f"{moved}; {_tested(change)}")
    return replace(change, reason=f"{moved}; {_tested(change)}{_power(change, rule)}", change=_still(change))


def _still(change: DimensionChange) -> Change:
    """A change that no rule calls one: stable when nothing moved, else it cannot be told from noise."""
    return Change.STABLE if change.now == change.before and change.lost == change.won else Change.UNCLEAR


def _tested(change: DimensionChange) -> str:
    if change.p is None:
        return "no test is possible"
    name = {"mcnemar": "McNemar's exact test", "fisher": "Fisher's exact test"}[change.test]
    return f"{name}: p = {change.p:.3g}, corrected {change.adjusted_p:.3g}"


def _power(change: DimensionChange, rule: RegressionRule) -> str:
    if change.detectable is None:
        return "; with so few rows no drop can be told from noise"
    return f"; a drop of {change.detectable:.2g} would be found in {rule.power:.0%} of cases"
