"""What aggregation reads of a run: one light line for each trial, and what its judges cost."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from decimal import Decimal

from sqlalchemy import select

from proctor.results import WARNING_ONLY, CheckLine, JudgeTotals, Outcome, TrialLine, TrialRef, Verdict
from proctor.store.base import Part
from proctor.store.tables import SCORE, TRIAL
from proctor.store.trials import origin, outcome_of
from proctor.trajectory import Usage

_PLACE = (TRIAL.c.agent, TRIAL.c.case_key, TRIAL.c.trial)
_LINE = (
    *_PLACE, TRIAL.c.outcome, TRIAL.c.ending, TRIAL.c.latency_ms, TRIAL.c.cost_usd,
    TRIAL.c.input_tokens, TRIAL.c.output_tokens, TRIAL.c.cache_read_tokens, TRIAL.c.cache_write_tokens,
    TRIAL.c.cached_run_id, TRIAL.c.cached_at,
)  # fmt: skip


class Totals(Part):
    """Sums over the trials and verdicts of one run."""

    def lines(self, run_id: str) -> Iterator[TrialLine]:
        """One line a trial, by agent, case and trial. What was not scored is unscored, errored or refused."""
        query = select(*_LINE).where(TRIAL.c.run_id == run_id).order_by(*_PLACE)
        with self._database.reading() as connection:
            for agent, case, trial, outcome, ending, latency, cost, *tokens, run, at in connection.execute(query):
                given, made, read, written = tokens
                usage = Usage(given, made, read, written, cost_usd=None if cost is None else Decimal(cost))
                ref = TrialRef(agent, case, trial)
                yield TrialLine(ref, outcome_of(outcome, ending), latency, usage, origin(run, at))

    def check_warnings(self, run_id: str) -> list[tuple[TrialRef, str, str]]:
        """List the checks of a run that were left out of the verdict and warn all the same: trial, name, reason."""
        columns = (SCORE.c.agent, SCORE.c.case_key, SCORE.c.trial, SCORE.c.name, SCORE.c.reason)
        query = select(*columns).where(
            SCORE.c.run_id == run_id, SCORE.c.outcome == "skipped", SCORE.c.reason.startswith(WARNING_ONLY)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(*SCORE.primary_key)).all()
        return [(TrialRef(agent, case, trial), name, reason) for agent, case, trial, name, reason in rows]

    def check_lines(self, run_id: str, names: Collection[str]) -> Iterator[CheckLine]:
        """The checks of these names of all trials, by agent, case and trial. What waits for a judge is unscored."""
        columns = (SCORE.c.agent, SCORE.c.case_key, SCORE.c.trial, SCORE.c.name, SCORE.c.outcome, SCORE.c.verdict)
        query = select(*columns).where(SCORE.c.run_id == run_id, SCORE.c.name.in_(names))
        with self._database.reading() as connection:
            for agent, case, trial, name, outcome, data in connection.execute(query.order_by(*SCORE.primary_key)):
                verdict = None if data is None else Verdict.from_json(data)
                found = Outcome.UNSCORED if outcome is None else Outcome(outcome)
                yield CheckLine(TrialRef(agent, case, trial), name, found, verdict)

    def judge_totals(self, run_id: str) -> JudgeTotals:
        """Count the verdicts of a run; the usage is that of the verdicts that were asked for in it."""
        query = select(SCORE.c.verdict, SCORE.c.verdict_cached_run_id).where(
            SCORE.c.run_id == run_id, SCORE.c.kind == "judged", SCORE.c.outcome.is_not(None)
        )
        verdicts = cached = self_test = 0
        usage = Usage()
        with self._database.reading() as connection:
            for data, cached_run in connection.execute(query):
                if data is None:
                    continue
                verdict = Verdict.from_json(data)
                verdicts += 1
                cached += cached_run is not None
                self_test += verdict.self_test
                usage += Usage() if cached_run is not None else verdict.usage
        return JudgeTotals(verdicts, cached, self_test, usage)
