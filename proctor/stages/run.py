"""A run at work: its plan, its store, its agents and judges, for the stages that share them.

A run owns its trials. `open_run` goes on with the newest unfinished run of the same plan and the same agents, unless a
process is at work on it or the caller wants a new one; what is stored is never run again.
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from proctor.agents import Agent, Fingerprint, build_agent, fingerprint
from proctor.brainbench_plan import BrainBenchSettings
from proctor.errors import StoreError, UsageError
from proctor.jsonvalue import digest
from proctor.judges import JudgePool
from proctor.plan import Check, Plan
from proctor.replay_plan import ReplaySettings
from proctor.results import TrialRef
from proctor.stages.cases import Cases
from proctor.stages.chunks import Chunk, live_chunks, scoring_chunks
from proctor.stages.fingerprint_scope import outside_agents
from proctor.stages.own_checks import build_own_checks
from proctor.stages.progress import Progress
from proctor.stages.provenance import provenance
from proctor.stages.recorded.chunks import RowChunk, WholeSource, recorded_sources, row_chunks
from proctor.stages.selection import RowFilter
from proctor.stages.validate import Compiled
from proctor.store import RowPlace, RunLock, RunRecord, is_locked, new_run_id, run_lock, timestamp
from proctor.trajectory import JsonValue

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from proctor.store import Store, TrialWriter


@dataclass(frozen=True, slots=True)
class Given:
    """What the Python API hands over as objects: an agent, and a maker of judge models."""

    agent: Agent | None = None
    judge: Callable[[str], Model] | None = None


@dataclass(slots=True)
class Run:
    """A run under way. Use it by ``async with``: that builds agents and judges, and closes them."""

    id: str
    plan: Plan
    store: Store
    cases: Cases
    fingerprints: Mapping[str, Fingerprint]
    given: Given
    lock: RunLock
    started_at: str
    engine: str
    provenance: Mapping[str, JsonValue] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    done: set[TrialRef] = field(default_factory=set)
    scored_rows: set[RowPlace] = field(default_factory=set)
    row_filter: RowFilter | None = None
    resumed: bool = False
    own_checks: tuple[Check, ...] = ()
    agents: dict[str, Agent] = field(default_factory=dict)
    _judges: JudgePool | None = None
    _writer: TrialWriter | None = None
    _slots: asyncio.Semaphore | None = None
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        """Build everything that the run needs, before the first call of an agent.

        Raises AgentSetupError or JudgeSetupError when something cannot be built.
        """
        self._slots = asyncio.Semaphore(self.plan.limits.concurrency)
        self._judges = JudgePool(self.plan.judge, provider=self.given.judge, root=self.plan.root)
        self.own_checks = build_own_checks(self.plan)
        await self._judges.prepare(sorted(self._judge_models(self._judges)))
        self._open.push_async_callback(self._judges.close)
        for spec in self.plan.agents if self.plan.has_live_cases else ():
            agent = self.given.agent or build_agent(spec, self.plan.root)
            self.agents[spec.name] = agent
            self._open.push_async_callback(agent.close)
        self._writer = await self._open.enter_async_context(self.store.writer(self.id))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    @property
    def slots(self) -> asyncio.Semaphore:
        """Bounds the calls of agents and judges at once."""
        assert self._slots is not None, "a run is used by async with"  # noqa: S101
        return self._slots

    @property
    def judges(self) -> JudgePool:
        """The judges of this run."""
        assert self._judges is not None, "a run is used by async with"  # noqa: S101
        return self._judges

    @property
    def writer(self) -> TrialWriter:
        """Stores trials as they end."""
        assert self._writer is not None, "a run is used by async with"  # noqa: S101
        return self._writer

    def _judge_models(self, pool: JudgePool) -> set[str]:
        """The model ids of all judges that may be asked."""
        wishes = {model for source in self.plan.sources for case in source.cases for model in case.judges}
        if self.plan.asks_about_rows:
            wishes.add("")
        return {model_id for wish in wishes for model_id in pool.jurors(wish)}

    def execute_chunks(self) -> list[Chunk | WholeSource]:
        """The work of execute-runs: chunks of trials to play, and recorded files to verify."""
        return [*live_chunks(list(self.cases.refs())), *recorded_sources(self.plan)]

    def scoring_chunks(self) -> list[Chunk | RowChunk]:
        """The work of deterministic-score: larger chunks of trials, and spans of recorded rows."""
        return [*scoring_chunks(list(self.cases.refs())), *row_chunks(self.plan)]

    def judged_chunks(self) -> list[Chunk | RowChunk]:
        """The work of judge-score: trials whose cases may ask a judge, and spans with rows that wait for one."""
        waiting = self.store.row_chunks(self.id) if self.plan.rows else {}
        spans = [chunk for chunk in row_chunks(self.plan) if waiting.get(chunk.place)]
        return [*live_chunks(self.cases.judged_refs()), *spans]

    def release(self) -> None:
        """Let other processes have the run."""
        self.lock.release()


def open_run(
    compiled: Compiled,
    store: Store,
    *,
    given: Given | None = None,
    fresh: bool = False,
    engine: str = "inline",
    progress: Progress | None = None,
    facts: Mapping[str, JsonValue] | None = None,
) -> Run:
    """Start a run, or go on with the newest unfinished one of the same plan and agents.

    Raises:
        UsageError: no agent is declared.
    """
    plan, given = compiled.plan, given or Given()
    if not plan.agents and plan.has_live_cases:
        raise UsageError(
            f"{plan.slug} names no agent to evaluate",
            hint="pass --agent pkg.module:object, or declare agents: in a suite or agent in [tool.proctor]",
        )
    prints = agent_fingerprints(plan)
    if given.agent is not None:  # what an object is made of cannot be told, but for the version it declares
        prints = {name: replace(found, reusable=plan.agents[0].version is not None) for name, found in prints.items()}
    plan_digest = _digest(plan, prints)
    claimed = None if fresh else _claim_unfinished(store, plan, plan_digest)
    record, lock = claimed or _begin(store, plan, plan_digest, engine, {**provenance(plan, prints), **(facts or {})})
    return Run(
        id=record.id,
        plan=plan,
        store=store,
        cases=Cases(plan, compiled.cases, compiled.read_cases),
        fingerprints=prints,
        given=given,
        lock=lock,
        started_at=record.started_at,
        engine=engine,
        provenance=record.provenance,
        progress=progress or Progress(),
        done=set(store.trial_refs(record.id)) if claimed else set(),
        scored_rows=set(store.row_chunks(record.id)) if claimed else set(),
        row_filter=compiled.row_filter,
        resumed=claimed is not None,
    )


def _claim_unfinished(store: Store, plan: Plan, plan_digest: str) -> tuple[RunRecord, RunLock] | None:
    """The newest unfinished run of this plan that no process is at work on, now ours."""
    for record in store.unfinished(plan.slug, plan_digest, platform.node()):
        if is_locked(plan.root, record.id):
            continue
        try:
            lock = run_lock(plan.root, record.id)
        except StoreError:  # another process was faster
            continue
        store.resume_run(record.id)
        return record, lock
    return None


def _begin(
    store: Store, plan: Plan, plan_digest: str, engine: str, facts: Mapping[str, JsonValue]
) -> tuple[RunRecord, RunLock]:
    record = RunRecord(
        id=new_run_id(),
        slug=plan.slug,
        name=plan.name,
        spec=str(plan.path),
        plan_digest=plan_digest,
        started_at=timestamp(),
        purpose=plan.purpose,
        selection=plan.selection,
        host=platform.node(),
        engine=engine,
        provenance=facts,
    )
    lock = run_lock(plan.root, record.id)
    store.create_run(record)
    return record, lock


def agent_fingerprints(plan: Plan) -> dict[str, Fingerprint]:
    """What each agent of a plan is made of."""
    specs = outside_agents(plan) if plan.agents else []
    return {
        agent.name: fingerprint(agent, root=plan.root, environment=plan.environment, exclude=specs)
        for agent in plan.agents
    }


def _digest(plan: Plan, prints: Mapping[str, Fingerprint]) -> str:
    """What makes two starts the same work: the files' contents, the selection, the settings, the agents."""
    sources = [
        [
            source.name,
            source.digest,
            [[outline.key, outline.runs, outline.threshold] for outline in source.cases],
            [[span.line, span.rows] for span in source.spans],
        ]
        for source in plan.sources
    ]
    settings = [plan.slug, plan.path, plan.selection, plan.purpose, plan.upstream, plan.refresh, plan.environment]
    blocks = [asdict(plan.judge), asdict(plan.limits), asdict(plan.allowance)]
    if plan.dataset is not None:
        blocks.append(asdict(plan.dataset))
    if plan.replay != ReplaySettings():
        blocks.append(asdict(plan.replay))
    if plan.brainbench != BrainBenchSettings():
        blocks.append(asdict(plan.brainbench))
    blocks += [asdict(gate) for gate in plan.gates] + [asdict(check) for check in plan.checks]
    return digest([sources, settings, blocks, {name: found.digest for name, found in prints.items()}])
