"""The scorecard of a bundle, from what a run says of one of its agents.

It is about all of the agent's cases. Those of which no transcript can be made count in it all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.transcript import MODEL_CALL, Transcript, payloads
from proctor.convert.brainbench.agent_tally import AgentTally
from proctor.convert.brainbench.exporting import Export, ExportedTrial
from proctor.errors import UsageError
from proctor.results import Decision, Outcome, Summary

RUN_COUNTS: Final = (1, 5, 10)
"""The numbers of runs that a scorecard knows."""

_DECISIONS: Final = {Decision.PASSED: "pass", Decision.FAILED: "fail"}


def scorecard_of(export: Export, trials: Sequence[ExportedTrial], category: int) -> dict[str, Any]:
    """The scorecard of the agent that these trials are of. It has no verdict where the run has none.

    Raises:
        UsageError: its cases were not to be run 1, 5 or 10 times.
    """
    agent = trials[0].agent
    summary, tally = export.summary, export.tallies[agent]
    return {
        "schema_version": 1,
        "config_card": _card(export, [trial.transcript for trial in trials]),
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


def _card(export: Export, transcripts: Sequence[Transcript]) -> dict[str, Any]:
    provenance, adapter = export.summary.provenance, transcripts[0]["adapter"]
    judge = provenance.get("judge")
    judge_model = judge.get("model") if isinstance(judge, dict) else None
    card = {
        "brainbench_version": f"proctor-{version('proctor-evals')}",
        "adapter": {"name": adapter["name"], "stack_id": adapter["stack_id"]},
        "driver_model": _driver(transcripts),
        "judge_model": {"model_id": judge_model} if isinstance(judge_model, str) else {},
        "corpus_sha": str(provenance.get("spec_digest", "")),
        "seed": 0,
    }
    return {**card, "bun_version": "none"} if export.options.dialect is Era.SEED else card


def _driver(transcripts: Sequence[Transcript]) -> dict[str, Any]:
    """The model that answered, if it was one."""
    models = {found.get("model_id") for each in transcripts for found in payloads(each, MODEL_CALL)}
    return {"model_id": models.pop()} if len(models) == 1 and None not in models else {}


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
