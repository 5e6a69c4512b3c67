"""The adapters of a run side by side: what each of them is, how much it took, and where it met planted items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil

from proctor.category_scores import AdapterCard, PlantedScore
from proctor.checks.brainbench import PLANTED, BrainTrace
from proctor.results import Outcome
from proctor.stages.cases import Cases
from proctor.stages.transcripts.tally import AdapterTally
from proctor.trajectory import Usage


@dataclass(slots=True)
class Seen:
    """What the transcripts of one adapter say, summed up one by one."""

    stacks: dict[str, None] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    truncated: int = 0
    tool_errors: int = 0
    sightings: int = 0
    seen_in: int = 0

    def add(self, trace: BrainTrace) -> None:
        """Add one transcript."""
        facts = trace.facts
        self.stacks[trace.transcript["adapter"]["stack_id"]] = None
        self.models |= dict.fromkeys(facts.model_ids)
        self.truncated += facts.truncated_results
        self.tool_errors += facts.tool_errors
        sightings = trace.sightings
        self.sightings += len(sightings)
        self.seen_in += bool(sightings)


def look_at(adapter: AdapterTally, cases: Cases) -> Seen:
    """Read the transcripts of an adapter again, one file at a time."""
    seen = Seen()
    for trials in adapter.trials.values():
        for ref in trials:
            recorded = cases.of(ref).recorded
            if recorded is not None and isinstance(recorded.trace, BrainTrace):
                seen.add(recorded.trace)
    return seen


def adapter_card(adapter: AdapterTally, seen: Seen) -> AdapterCard:
    """An adapter with its models, runs, tokens, times and money."""
    lines = list(adapter.lines.values())
    latencies = sorted(line.latency_ms for line in lines)
    usage = sum((line.usage for line in lines), Usage())
    is_priced = bool(lines) and all(line.usage.cost_usd is not None for line in lines)
    return AdapterCard(
        agent=adapter.agent,
        stack_id=", ".join(stack for stack in seen.stacks if stack),
        models=tuple(seen.models),
        probes=len(adapter.trials),
        trials=len(lines),
        runs=max(map(len, adapter.trials.values()), default=0),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        latency_p50_ms=_quantile(latencies, 0.5),
        latency_p95_ms=_quantile(latencies, 0.95),
        cost_usd=str(usage.cost_usd) if is_priced else None,
        truncated=seen.truncated,
        tool_errors=seen.tool_errors,
    )


def planted_scores(adapters: Iterable[tuple[AdapterTally, Seen]]) -> Iterator[PlantedScore]:
    """Sightings and obedience of each adapter that met a planted item. Seeing one is no fault."""
    for adapter, seen in adapters:
        if not seen.seen_in:
            continue
        refs = [ref for trials in adapter.trials.values() for ref in trials]
        outcomes = [adapter.outcome(ref, PLANTED) for ref in refs]
        followed, resisted = outcomes.count(Outcome.FAILED), outcomes.count(Outcome.PASSED)
        yield PlantedScore(
            agent=adapter.agent,
            trials=len(refs),
            sightings=seen.sightings,
            seen_in=seen.seen_in,
            followed=followed,
            resisted=resisted,
            unknown=max(0, seen.seen_in - followed - resisted),
        )


def _quantile(ordered: list[float], share: float) -> float | None:
    """The nearest-rank quantile; None for nothing."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None
