"""The second stage: a chunk of trials becomes stored trajectories.

1. Trials that the run has stored already are left alone.
2. The others are looked up in the answer cache, unless the run refreshes it or the agent cannot be reused.
3. The rest is played, as many at once as the run has slots; each trial is stored the moment it ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from proctor.plan import Case
from proctor.results import TrialRef
from proctor.stages.chunks import Chunk
from proctor.stages.keys import trial_key, trial_parts
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import WholeSource
from proctor.stages.recorded.sources import verify_source
from proctor.stages.run import Run
from proctor.stages.trial import play
from proctor.stages.workers import run_workers
from proctor.store import NewTrial
from proctor.trajectory import Ending, JsonValue


@dataclass(frozen=True, slots=True)
class ChunkReport:
    """What became of a chunk: trials that were stored before, taken from the cache, played, errored, and recorded."""

    stored: int = 0
    cached: int = 0
    played: int = 0
    errored: int = 0
    recorded: int = 0

    @property
    def wholly_cached(self) -> bool:
        """Every trial came from the cache or was stored before."""
        return not self.played and bool(self.cached or self.stored)

    def __str__(self) -> str:
        parts = [
            (self.played, "played"),
            (self.cached, "from the cache"),
            (self.stored, "stored before"),
            (self.errored, "errored"),
            (self.recorded, "recorded"),
        ]
        return ", ".join(f"{number} {what}" for number, what in parts if number) or "nothing to do"


@dataclass(frozen=True, slots=True)
class _Job:
    ref: TrialRef
    case: Case
    key: str
    parts: dict[str, JsonValue]
    reusable: bool


async def execute(run: Run, chunk: Chunk | WholeSource) -> ChunkReport:
    """Play what is missing of a chunk, or make sure that a recorded file is what it was.

    Raises:
        StoreError: a trial could not be stored.
        SourceChanged: a spec file is not what it was.
    """
    if isinstance(chunk, WholeSource):
        await asyncio.to_thread(verify_source, run, chunk)
        return ChunkReport(recorded=len(chunk))
    recorded = await asyncio.to_thread(_take_recorded, run, chunk)
    jobs = await asyncio.to_thread(_jobs, run, chunk)
    cached = await asyncio.to_thread(_from_cache, run, jobs)
    missing = [job for job in jobs if job.ref not in cached]
    before = len(chunk) - len(missing)
    if before:
        run.progress.advance(Stage.EXECUTE, before)
    errored = await _play_all(run, missing)
    return ChunkReport(len(chunk) - len(jobs) - recorded, len(cached), len(missing), errored, recorded)


def _take_recorded(run: Run, chunk: Chunk) -> int:
    """Store the trials of a chunk that are recorded with their cases, and count them."""
    refs = [ref for ref in chunk if run.cases.is_recorded(ref) and ref not in run.done]
    found = ((ref, run.cases.of(ref).recorded) for ref in refs)
    run.store.save_trials(run.id, [NewTrial(ref, recorded.trajectory) for ref, recorded in found if recorded])
    run.done.update(refs)
    return len(refs)


def _jobs(run: Run, chunk: Chunk) -> list[_Job]:
    """The trials that are not stored yet. Their cases and the audio in them are read here."""
    return [_job(run, ref) for ref in chunk if ref not in run.done]


def _job(run: Run, ref: TrialRef) -> _Job:
    case = run.cases[ref.case]
    found = run.fingerprints[ref.agent]
    parts = trial_parts(case, run.cases.source(ref.case), ref.trial, found)
    return _Job(ref, case, trial_key(parts), parts, found.reusable)


def _from_cache(run: Run, jobs: Iterable[_Job]) -> set[TrialRef]:
    """Store the trials whose answers are known, as copies of those answers."""
    if run.plan.refresh:
        return set()
    copied = run.store.copy_answers(run.id, {job.ref: job.key for job in jobs if job.reusable})
    run.done |= copied
    return copied


async def _play_all(run: Run, jobs: list[_Job]) -> int:
    """Play jobs with as many workers as there are slots, and count the errored ones."""
    waiting = iter(jobs)
    workers = min(len(jobs), run.plan.limits.concurrency)
    return sum(await run_workers(workers, lambda: _work(run, waiting)))


async def _work(run: Run, waiting: Iterable[_Job]) -> int:
    errored = 0
    for job in waiting:
        async with run.slots:
            trajectory = await play(run.agents[job.ref.agent], job.case, run.plan.limits)
            await run.writer.put(job.ref, trajectory, job.key, job.parts, cacheable=job.reusable)
        run.done.add(job.ref)
        errored += trajectory.ending is Ending.ERRORED
        run.progress.advance(
            Stage.EXECUTE, note=None if trajectory.ending is Ending.COMPLETED else trajectory.ending.value
        )
    return errored
