"""The rules of category 8 as checks."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.brainbench.scoring.rules import Rule, rule_findings
from proctor.checks.brainbench.trace import not_scored, trace_in
from proctor.plan import CheckContext
from proctor.results import CheckResult, Outcome


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """Check one rule of how an agent works with its knowledge base."""

    rule: Rule

    @property
    def name(self) -> str:
        """The rule, which is the name of its metric."""
        return self.rule.value

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with what was wanted and what was seen. A probe without a tier has nothing to be held against."""
        trace = trace_in(context)
        if (left_out := not_scored(self.name, trace)) is not None:
            return left_out
        if trace.probe is None or trace.probe.tier is None:
            reason = "nothing to score: no file of the suite says whether the probe is simple or complex"
            return CheckResult(self.name, Outcome.UNSCORED, reason)
        findings = rule_findings(trace.probe, trace.facts, trace.era)
        finding = next(finding for finding in findings if finding.name is self.rule)
        return CheckResult(self.name, Outcome.PASSED if finding.holds else Outcome.FAILED, finding.reason)
