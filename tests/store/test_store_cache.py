from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from sqlalchemy import update
from store_samples import completed, ref

from proctor.results import Verdict
from proctor.store import NewTrial, Store
from proctor.store.codec import pack
from proctor.store.tables import ANSWER, VERDICT
from proctor.trajectory import Ending, Usage


def remember(store: Store, run_id: str, key: str, reply: str) -> None:
    store.save_trials(run_id, [NewTrial(ref(key), completed(reply), key, {"input": reply}, cacheable=True)])


class TestAnswers:
    def test_they_come_back_marked_with_their_origin(self, any_store: Store) -> None:
        remember(any_store, "r1", "k1", "Hello!")
        answer = any_store.answers(["k1", "unknown"])["k1"]
        assert answer.cached is not None
        assert answer.cached.run_id == "r1"
        assert replace(answer, cached=None) == completed("Hello!")

    def test_any_number_of_keys_may_be_asked_for(self, any_store: Store) -> None:
        trials = [NewTrial(ref(f"c{n}"), completed(), f"k{n}", {}, cacheable=True) for n in range(1_100)]
        any_store.save_trials("r1", trials)
        assert any_store.answers(f"k{n}" for n in range(2_000)).keys() == {trial.key for trial in trials}
        assert any_store.answers([]) == {}

    def test_an_answer_that_was_asked_for_anew_takes_the_place_of_the_old_one(self, any_store: Store) -> None:
        remember(any_store, "r1", "k1", "old")
        remember(any_store, "r2", "k1", "new")
        answer = any_store.answers(["k1"])["k1"]
        assert answer.turns[0].reply == "new"
        assert answer.cached is not None
        assert answer.cached.run_id == "r2"

    def test_an_answer_that_cannot_be_read_is_a_miss(self, store: Store) -> None:
        remember(store, "r1", "k1", "one")
        remember(store, "r1", "k2", "two")
        with store._database.writing() as connection:
            connection.execute(update(ANSWER).where(ANSWER.c.key == "k1").values(trajectory=pack({"of": "later"})))
        assert store.answers(["k1", "k2"]).keys() == {"k2"}


class TestCopiedAnswers:
    """Trials are made of cached answers inside the database."""

    def test_a_copy_is_the_answer_with_its_origin_latency_and_cost(self, any_store: Store) -> None:
        usage = Usage(7, 9, 5, 3, requests=1, cost_usd=Decimal("0.10"))
        paid = replace(completed("Hello!"), latency_ms=12.5, attempts=2, usage=usage)
        any_store.save_trials("r1", [NewTrial(ref("c", 0), paid, "k1", {}, cacheable=True)])
        assert any_store.copy_answers("r2", {ref("c", 0): "k1", ref("c", 1): "unknown"}) == {ref("c", 0)}
        copy = any_store.trajectories("r2", [ref("c", 0), ref("c", 1)])
        assert copy.keys() == {ref("c", 0)}
        origin = copy[ref("c", 0)].cached
        assert origin is not None
        assert origin.run_id == "r1"
        assert replace(copy[ref("c", 0)], cached=None) == paid
        (line,) = any_store.lines("r2")
        assert (line.latency_ms, line.usage, line.cached) == (12.5, replace(usage, requests=0), origin)

    def test_a_copy_takes_the_place_of_a_trial_that_was_errored(self, any_store: Store) -> None:
        remember(any_store, "r1", "k1", "Hello!")
        any_store.save_trials("r2", [NewTrial(ref("c"), replace(completed(), ending=Ending.ERRORED))])
        assert any_store.copy_answers("r2", {ref("c"): "k1"}) == {ref("c")}
        assert any_store.trial_refs("r2") == {ref("c"): Ending.COMPLETED}

    def test_any_number_of_trials_may_be_copied(self, any_store: Store) -> None:
        trials = [NewTrial(ref(f"c{n}"), completed(), f"k{n}", {}, cacheable=True) for n in range(1_100)]
        any_store.save_trials("r1", trials)
        wanted = {ref(f"c{n}"): f"k{n}" for n in range(1_200)}
        assert any_store.copy_answers("r2", wanted) == {trial.ref for trial in trials}
        assert any_store.copy_answers("r3", {}) == set()


class TestVerdicts:
    def test_they_come_back_marked_with_their_origin(self, any_store: Store) -> None:
        verdict = Verdict(False, "rude \x00 \ud800", "m", 2, self_test=True, usage=Usage(5), prompt_version="1")
        any_store.save_verdict_cache("r1", {"k1": verdict})
        found = any_store.verdicts(["k1", "unknown"])["k1"]
        assert found.cached is not None
        assert found.cached.run_id == "r1"
        assert replace(found, cached=None) == verdict

    def test_no_verdict_is_never_cached(self, store: Store) -> None:
        store.save_verdict_cache("r1", {"k1": Verdict(None, "", "m", cause="outage")})
        assert store.verdicts(["k1"]) == {}

    def test_a_copy_does_not_take_the_place_of_its_original(self, store: Store) -> None:
        store.save_verdict_cache("r1", {"k1": Verdict(True, "good", "m")})
        store.save_verdict_cache("r2", store.verdicts(["k1"]))
        cached = store.verdicts(["k1"])["k1"].cached
        assert cached is not None
        assert cached.run_id == "r1"

    def test_a_verdict_that_cannot_be_read_is_a_miss(self, store: Store) -> None:
        store.save_verdict_cache("r1", {"k1": Verdict(True, "good", "m")})
        with store._database.writing() as connection:
            connection.execute(update(VERDICT).values(verdict={"of": "later"}))
        assert store.verdicts(["k1"]) == {}
