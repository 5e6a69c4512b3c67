"""Whether a transcript is one that the recorder could have written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from proctor.brainbench.findings.finding import Finding, Level
from proctor.checks.brainbench.trace import first_and_more, trace_in
from proctor.excerpt import mark_controls
from proctor.plan import CheckContext
from proctor.results import WARNING_ONLY, CheckResult, Outcome
from proctor.wording import count, listed

_SCORE_IT = 'write "invariants: score" in the brainbench block of the suite to score it all the same'
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class InvariantsCheck:
    """Leave a broken transcript unscored. Warnings are counted, and stop nothing."""

    name: ClassVar[str] = "invariants"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Say what is broken, or what is odd."""
        trace = trace_in(context)
        if trace.errors:
            broken = f"{first_and_more(trace.errors)}: {mark_controls(trace.errors[0].message)}"
            if trace.score_broken:
                return CheckResult(self.name, Outcome.SKIPPED, f"{WARNING_ONLY}the transcript is broken: {broken}")
            return CheckResult(self.name, Outcome.UNSCORED, f"the transcript is broken: {broken}; {_SCORE_IT}")
        warnings = [finding for finding in trace.findings if finding.level is Level.WARN]
        return CheckResult(self.name, Outcome.PASSED, _odd(warnings) if warnings else "no invariant is broken")


def _odd(warnings: list[Finding]) -> str:
    codes = [f"{warning.code} at {warning.pointer or '/'}" for warning in warnings]
    return f"{count(len(warnings), 'warning')}: {listed(codes, _SHOWN)}"
