"""The scorecard of a bundle, from what a run says of one of its agents.

It is about all of the agent's cases. Those of which no transcript can be made count in it all the same.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.convert.agent_tally import AgentTally
from proctor.convert.exporting import Export, exported_adapter
from proctor.errors import UsageError
from proctor.results import Decision, Outcome, Summary

RUN_COUNTS: Final = (1, 5, 10)
"""The numbers of runs that a scorecard knows."""

_DECISIONS: Final = {Decision.PASSED: "pass", Decision.FAILED: "fail"}


def scorecard_of(export: Export, agent: str, category: int) -> dict[str, Any]:
    """The scorecard of one agent. It has no verdict where the run has none.

    Raises:
        UsageError: its cases were not to be run 1, 5 or 10 times.
    """
    summary, tally = export.summary, export.tallies[agent]
    return {
        "schema_version": 1,
        "config_card": _card(export, agent),
        "cat": category,
        "N": _runs(tally),
        "metrics": {**tally.pass_rate(), **_metrics(summary, agent, category)},
        "probes_total": tally.cases.total(),
        "probes_passed": tally.cases[Outcome.PASSED],
        "probes_failed": tally.cases[Outcome.FAILED] + tally.cases[Outcome.REFUSED],
        **({"verdict": _DECISIONS[summary.decision]} if summary.decision in _DECISIONS else {}),
        **({} if tally.cost_usd is None else {"total_cost_usd": float(tally.cost_usd)}),
        "wall_clock_seconds": round(summary.duration_s),
    }


def _card(export: Export, agent: str) -> dict[str, Any]:
    options, provenance = export.options, export.summary.provenance
    adapter = exported_adapter(export.summary, agent, options.stack_id)
    judge = provenance.get("judge")
    judge_model = judge.get("model") if isinstance(judge, dict) else None
    card = {
        "brainbench_version": f"proctor-{version('proctor-evals')}",
        "adapter": {"name": adapter.name, "stack_id": adapter.stack_id},
        "driver_model": {} if options.model_id is None else {"model_id": options.model_id},
        "judge_model": {"model_id": judge_model} if isinstance(judge_model, str) else {},
        "corpus_sha": str(provenance.get("spec_digest", "")),
        "seed": 0,
    }
    return {**card, "bun_version": "none"} if options.dialect is Era.SEED else card


def _runs(tally: AgentTally) -> int:
    if len(tally.runs) == 1 and (found := next(iter(tally.runs))) in RUN_COUNTS:
        return found
    seen = " or ".join(f"{number:,}" for number in sorted(tally.runs))
    raise UsageError(
        f"a scorecard is about 1, 5 or 10 runs of each case, and here are {seen}",
        hint="leave --bundle out, or run it again with --runs 5",
    )


def _metrics(summary: Summary, agent: str, category: int) -> dict[str, Any]:
    """The benchmark's own metrics of the category, where the run evaluated transcripts."""
    found = {}
    for metric in summary.transcripts.metrics if summary.transcripts else ():
        if metric.agent == agent and metric.category == category and metric.trials.decided:
            spread = metric.runs
            more = {} if spread is None else {"stddev": spread.deviation, "per_run": list(spread.per_run)}
            found[metric.name] = {"mean": metric.rate if spread is None else spread.mean, **more}
    return found
