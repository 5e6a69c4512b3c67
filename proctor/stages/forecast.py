"""What a run of a plan would do: tasks, trials, what the cache holds, and the judges that may be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proctor.formats.brainbench import TRANSCRIPTS
from proctor.judges import JudgePool
from proctor.plan import Plan
from proctor.replay_plan import ReplayMode
from proctor.results import TrialRef
from proctor.stages.cases import Cases
from proctor.stages.chunks import live_chunks, scoring_chunks
from proctor.stages.keys import trial_key, trial_parts
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import recorded_sources, row_chunks
from proctor.stages.run import agent_fingerprints
from proctor.stages.validate import Compiled
from proctor.wording import count

if TYPE_CHECKING:
    from proctor.store import Store


@dataclass(frozen=True, slots=True)
class Forecast:
    """The counts of a plan. ``tasks`` holds the number of task runs for each of the six tasks."""

    plan: Plan
    tasks: dict[Stage, int]
    cached: int
    oldest: str | None
    judge_calls: dict[str, int]

    def lines(self) -> Iterator[str]:
        """The forecast for a person."""
        plan = self.plan
        yield f"flow eval-{plan.slug}" + (f" ({plan.selection})" if plan.selection else "")
        for stage in Stage:
            yield f"  {stage:<20} {count(self.tasks[stage], 'task run')}"
        agents = ", ".join(f"{agent.name} ({agent.kind}: {agent.target})" for agent in plan.agents) or "none declared"
        yield f"agents: {agents}"
        since = f", the oldest from {self.oldest}" if self.oldest else ""
        live = [source for source in plan.sources if source.cases]
        if live or not plan.rows:
            yield f"{count(plan.cases - plan.rows, 'case')} in {count(len(live), 'file')}"
        if plan.live_trials or not (plan.recorded_trials or plan.rows):
            yield f"{count(plan.live_trials, 'trial')}, {self.cached} of them in the cache{since}"
        if plan.recorded_trials:
            yield f"{count(plan.recorded_trials, 'recorded trial')}, judged as recorded"
        if plan.replay.mode is not ReplayMode.RECORDED:
            yield f"recorded traces are replayed: {plan.replay.mode}"
        if plan.rows:
            yield f"{count(plan.rows, 'recorded row')} in {count(len(plan.sources) - len(live), 'file')}"
        calls = ", ".join(f"{number} of {model}" for model, number in sorted(self.judge_calls.items()))
        yield f"judge calls, at most: {calls or 'none'}"
        gates = [gate.name for gate in plan.gates] + (["one for each dimension"] if plan.rows else [])
        if plan.brainbench.held and any(source.format == TRANSCRIPTS for source in plan.sources):
            gates.append("one for each metric of each adapter")
        yield f"gates: {', '.join(gates) or 'none: every case must pass'}"

    def to_json(self) -> dict[str, Any]:
        """The forecast for a machine."""
        plan = self.plan
        return {
            "flow": f"eval-{plan.slug}",
            "selection": plan.selection,
            "tasks": self.tasks,
            "agents": [agent.name for agent in plan.agents],
            "cases": plan.cases,
            "trials": plan.trials,
            "recorded_rows": plan.rows,
            "cached_trials": self.cached,
            "cached_since": self.oldest,
            "judge_calls": self.judge_calls,
            "gates": [gate.name for gate in plan.gates],
        }


def forecast(compiled: Compiled, store: Store) -> Forecast:
    """Count what a run would do. Nothing is asked, nothing of the user's code is imported."""
    plan, cases = compiled.plan, Cases(compiled.plan, compiled.cases)
    refs = list(cases.refs())
    tasks = dict.fromkeys(Stage, 1)
    spans = list(row_chunks(plan))
    asking = [chunk for chunk in spans if plan.asks_about_rows and chunk.source.asking]
    tasks[Stage.EXECUTE] = len(live_chunks(refs)) + len(recorded_sources(plan))
    tasks[Stage.SCORE] = len(scoring_chunks(refs)) + len(spans)
    tasks[Stage.JUDGE] = len(live_chunks(cases.judged_refs())) + len(asking) or 1
    made = [] if plan.refresh else sorted(_cached(plan, cases, refs, store))
    return Forecast(plan, tasks, len(made), made[0] if made else None, _judge_calls(plan, cases, refs))


def _cached(plan: Plan, cases: Cases, refs: list[TrialRef], store: Store) -> Iterator[str]:
    """When each cached answer was made."""
    prints = agent_fingerprints(plan)
    keys = [
        trial_key(trial_parts(cases[ref.case], cases.source(ref.case), ref.trial, prints[ref.agent]))
        for ref in refs
        if not cases.is_recorded(ref) and prints[ref.agent].reusable  # what is recorded is in no cache
    ]
    yield from (answer.cached.created_at for answer in store.answers(keys).values() if answer.cached)


def _judge_calls(plan: Plan, cases: Cases, refs: list[TrialRef]) -> dict[str, int]:
    pool = JudgePool(plan.judge, root=plan.root)
    wishes = Counter(wish for ref in refs for wish in cases.outline_of(ref).judges)
    if plan.asks_about_rows:
        wishes[""] += sum(source.asking for source in plan.sources)
    calls: Counter[str] = Counter()
    for wish, number in wishes.items():
        for model_id in pool.jurors(wish):
            calls[model_id] += number
    return dict(calls)
