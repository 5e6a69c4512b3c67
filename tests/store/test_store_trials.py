from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event
from store_samples import completed, errored, ref

from proctor.errors import StoreError
from proctor.store import NewTrial, Store, open_store
from proctor.trajectory import CacheOrigin, Ending, Trajectory, Usage


def count_commits(store: Store) -> list[None]:
    commits: list[None] = []
    event.listen(store._database.engine, "commit", lambda _: commits.append(None))
    return commits


def refuse_inserts(store: Store) -> None:
    """Make the database refuse new trials from now on, as a full disk would."""
    with store._database.writing() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER full BEFORE INSERT ON trial BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )


class TestTrials:
    def test_what_is_stored_is_known_with_its_ending(self, any_store: Store) -> None:
        trials = [
            NewTrial(ref(), completed()),
            NewTrial(ref(trial=1), errored()),
            NewTrial(ref(agent="b2"), completed()),
        ]
        any_store.save_trials("r1", trials)
        assert any_store.trial_refs("r1") == {
            ref(): Ending.COMPLETED,
            ref(trial=1): Ending.ERRORED,
            ref(agent="b2"): Ending.COMPLETED,
        }
        assert any_store.trial_refs("r2") == {}

    def test_trajectories_are_read_by_reference(self, any_store: Store) -> None:
        copy = replace(completed("again"), cached=CacheOrigin("r0", "2026-11-30T12:00:00.000Z"))
        any_store.save_trials("r1", [NewTrial(ref(), copy), NewTrial(ref(trial=1), errored())])
        wanted = [ref(), ref("unknown"), ref(agent="b2")]
        assert any_store.trajectories("r1", wanted) == {ref(): copy}
        assert any_store.trajectories("r1", []) == {}

    def test_a_trial_that_is_stored_again_is_replaced(self, any_store: Store) -> None:
        any_store.save_trials("r1", [NewTrial(ref(), errored())])
        any_store.save_trials("r1", [NewTrial(ref(), completed())])
        assert any_store.trial_refs("r1") == {ref(): Ending.COMPLETED}
        assert any_store.trajectories("r1", [ref()]) == {ref(): completed()}

    def test_more_cases_than_one_query_takes_are_all_found(self, store: Store) -> None:
        refs = [ref(f"case-{number}", trial) for number in range(1_201) for trial in range(2)]
        store.save_trials("r1", (NewTrial(place, completed(place.case)) for place in refs))
        found = store.trajectories("r1", refs)
        assert len(found) == 2_402
        assert all(trajectory.turns[0].reply == place.case for place, trajectory in found.items())

    @pytest.mark.parametrize("usage", [Usage(10**30, 10**25), Usage(-(10**30), 1, -7, -(10**25))])
    def test_any_number_of_tokens_is_kept_exactly(self, any_store: Store, usage: Usage) -> None:
        any_store.save_trials("r1", [NewTrial(ref(), replace(completed(), usage=usage))])
        assert any_store.trajectories("r1", [ref()])[ref()].usage == usage

    def test_all_four_numbers_of_tokens_are_in_the_line_of_a_trial(self, any_store: Store) -> None:
        usage = Usage(-11, 23, 95, 2)
        any_store.save_trials("r1", [NewTrial(ref(), replace(completed(), usage=usage))])
        assert [line.usage for line in any_store.lines("r1")] == [usage]


class TestWriter:
    def test_a_trial_is_on_disk_when_put_returns(self, tmp_path: Path) -> None:
        async def write() -> None:
            with open_store(None, tmp_path) as store, open_store(None, tmp_path) as other:
                async with store.writer("r1") as writer:
                    await writer.put(ref(), completed(), "k1", {"input": "Hi"}, True)
                    assert other.trial_refs("r1") == {ref(): Ending.COMPLETED}
                    assert other.answers(["k1"]).keys() == {"k1"}

        asyncio.run(write())

    def test_trials_that_arrive_together_share_a_commit(self, store: Store) -> None:
        commits = count_commits(store)

        async def write() -> None:
            async with store.writer("r1") as writer:
                await asyncio.gather(*(writer.put(ref(trial=number), completed()) for number in range(500)))

        asyncio.run(write())
        assert len(store.trial_refs("r1")) == 500
        assert len(commits) < 100

    def test_a_write_error_reaches_every_waiting_put_and_later_ones_fail_at_once(self, store: Store) -> None:
        async def write() -> list[BaseException | None]:
            async with store.writer("r1") as writer:
                puts = [writer.put(ref(trial=number), completed()) for number in range(20)]
                errors = await asyncio.gather(*puts, return_exceptions=True)
                with store._database.writing() as connection:
                    connection.exec_driver_sql("DROP TRIGGER full")
                with pytest.raises(StoreError, match="database or disk is full"):
                    await writer.put(ref(trial=99), completed())
                return errors

        refuse_inserts(store)
        errors = asyncio.run(write())
        assert {type(error) for error in errors} == {StoreError}
        assert len({id(error) for error in errors}) == 20
        assert "hint: free some space and start the same command again" in str(errors[0])
        assert store.trial_refs("r1") == {}

    def test_one_trial_that_cannot_be_stored_leaves_the_others_alone(self, store: Store) -> None:
        strange = replace(completed(), turns=(replace(completed().turns[0], user={1}),))  # type: ignore[arg-type]

        async def write() -> None:
            async with store.writer("r1") as writer:
                with pytest.raises(StoreError, match="cannot be stored as JSON"):
                    await writer.put(ref(), strange)
                await writer.put(ref(trial=1), completed())

        asyncio.run(write())
        assert store.trial_refs("r1").keys() == {ref(trial=1)}

    def test_a_cancelled_task_keeps_no_other_waiting_and_its_trial_is_stored(self, store: Store) -> None:
        async def write() -> None:
            async with store.writer("r1") as writer:
                with store._database._turn:  # the writer waits here, so that the trials below make up one group
                    tasks = [asyncio.create_task(writer.put(ref(trial=n), completed())) for n in range(3)]
                    await asyncio.sleep(0)
                    tasks[1].cancel()
                    await asyncio.sleep(0)
                await asyncio.wait_for(asyncio.gather(tasks[0], tasks[2]), 10)
                assert tasks[1].cancelled()

        asyncio.run(write())
        assert store.trial_refs("r1").keys() == {ref(trial=n) for n in range(3)}

    def test_leaving_by_an_error_waits_for_what_was_handed_in(self, store: Store) -> None:
        async def write() -> None:
            async with store.writer("r1") as writer:
                tasks = [asyncio.create_task(writer.put(ref(trial=n), completed())) for n in range(30)]
                await asyncio.sleep(0)
                raise ZeroDivisionError(len(tasks))

        with pytest.raises(ZeroDivisionError):
            asyncio.run(write())
        assert len(store.trial_refs("r1")) == 30

    def test_no_thread_is_left_and_a_closed_writer_says_so(self, store: Store) -> None:
        async def write() -> None:
            async with store.writer("r1") as writer:
                await writer.put(ref(), completed())
            with pytest.raises(StoreError, match="a trial arrived after its writer was closed"):
                await writer.put(ref(trial=1), completed())

        asyncio.run(write())
        for thread in threading.enumerate():
            if thread.name == "proctor-trial-writer":
                thread.join(5)
                assert not thread.is_alive()


class TestAnswersOfTrials:
    @pytest.mark.parametrize(
        ("trajectory", "cacheable"),
        [
            (completed(), False),
            (errored(), True),
            (replace(completed(), ending=Ending.REFUSED), True),
            (replace(completed(), cached=CacheOrigin("r0", "then")), True),
        ],
        ids=["not cacheable", "an outage", "a refusal", "a copy"],
    )
    def test_what_is_no_answer_of_its_own_is_never_cached(
        self, store: Store, trajectory: Trajectory, cacheable: bool
    ) -> None:
        store.save_trials("r1", [NewTrial(ref(), trajectory, "k1", {}, cacheable)])
        assert store.answers(["k1"]) == {}
        assert store.trajectories("r1", [ref()]) == {ref(): trajectory}
