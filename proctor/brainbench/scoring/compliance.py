"""Category 8 as a whole: how often each of the four rules holds, and whether that is enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.scoring.accounting import Accounting, ProbeError, account, rate
from proctor.brainbench.scoring.rules import RULES, Rule, RuleFinding
from proctor.brainbench.scoring.verdicts import CategoryVerdict, category_verdict

RULE_THRESHOLDS: Final[Mapping[Rule, float]] = MappingProxyType(
    {Rule.BRAIN_FIRST: 0.95, Rule.BACK_LINK: 0.90, Rule.CITATION_FORMAT: 0.95, Rule.TIER_ESCALATION: 0.80}
)
"""The share of probes for which each rule has to hold, at least."""


@dataclass(frozen=True, slots=True)
class ComplianceRun:
    """The rates of one run of one agent. A rate over nothing is absent; the seed era says 0."""

    accounting: Accounting
    rates: Mapping[Rule, float | None]
    verdict: CategoryVerdict


def compliance_run(
    planned: Sequence[str],
    found: Mapping[str, Sequence[RuleFinding]],
    errors: Iterable[ProbeError] = (),
    thresholds: Mapping[Rule, float] | None = None,
    era: Era = Era.POST_AUDIT,
) -> ComplianceRun:
    """Sum up the findings of each scored probe, given by its id.

    A probe scores the share of rules that hold for it. Without ``thresholds`` there is a baseline and no verdict; those
    that are given replace some of `RULE_THRESHOLDS`.

    Raises:
        ValueError: see `account`.
    """
    shares = {probe: sum(finding.holds for finding in findings) / len(RULES) for probe, findings in found.items()}
    accounting = account(planned, shares, errors, era)
    held = {rule: sum(_holds(rule, findings) for findings in found.values()) for rule in RULES}
    rates = {rule: rate(held[rule], accounting.n_scored, era) for rule in RULES}
    reached = None if thresholds is None else _reached(rates, {**RULE_THRESHOLDS, **thresholds})
    return ComplianceRun(accounting, rates, category_verdict(accounting, reached=reached, era=era))


def _holds(rule: Rule, findings: Sequence[RuleFinding]) -> bool:
    return any(finding.name is rule and finding.holds for finding in findings)


def _reached(rates: Mapping[Rule, float | None], thresholds: Mapping[Rule, float]) -> bool:
    return all(share is not None and share >= thresholds[rule] for rule, share in rates.items())
