"""What became of the trials of one agent, case by case and run by run."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from statistics import fmean, stdev
from typing import Any

from proctor.results import CaseDetail, Outcome
from proctor.trajectory import Usage


class AgentTally:
    """Counts the cases and the trials of an agent. A run is all trials of one number."""

    def __init__(self) -> None:
        self.cases: Counter[Outcome] = Counter()
        self.runs: set[int] = set()
        """How often its cases were to be run."""
        self._decided: Counter[int] = Counter()
        self._passed: Counter[int] = Counter()
        self._usage = Usage()

    def take(self, detail: CaseDetail) -> None:
        """Count a case."""
        self.cases[detail.score.outcome] += 1
        self.runs.add(detail.score.runs)
        self._usage += detail.score.usage
        for trial in detail.trials:
            self._decided[trial.ref.trial] += trial.outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.REFUSED)
            self._passed[trial.ref.trial] += trial.outcome is Outcome.PASSED

    @property
    def cost_usd(self) -> Decimal | None:
        """What its trials cost, where that is known."""
        return self._usage.cost_usd

    def pass_rate(self) -> dict[str, Any]:
        """The share of decided trials that passed, over all runs that have some and in each; empty without any."""
        shares = [self._passed[run] / decided for run, decided in sorted(self._decided.items()) if decided]
        if not shares:
            return {}
        deviation = stdev(shares) if len(shares) > 1 else 0.0
        return {"pass_rate": {"mean": fmean(shares), "stddev": deviation, "per_run": shares}}
