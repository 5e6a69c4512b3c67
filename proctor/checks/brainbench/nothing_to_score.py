"""The check of a transcript that nothing is known to hold against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from proctor.checks.brainbench.trace import trace_in
from proctor.excerpt import quote
from proctor.plan import CheckContext
from proctor.results import CheckResult, Outcome


@dataclass(frozen=True, slots=True)
class NothingToScoreCheck:
    """Leave a transcript unscored that no probe with a rubric or a tier stands beside: nothing is no pass."""

    name: ClassVar[str] = "score"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Say what is missing."""
        trace = trace_in(context)
        probe = quote(trace.transcript["probe_id"], 80)
        if trace.probe is None:
            reason = f"nothing to score: no file of the suite has the probe {probe}; name one under probes"
        else:
            reason = f"nothing to score: the probe {probe} has neither a rubric nor the tier of category 8"
        return CheckResult(self.name, Outcome.UNSCORED, reason)
