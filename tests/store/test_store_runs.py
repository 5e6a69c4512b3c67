from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from store_samples import finish, run, summary

from proctor.errors import UsageError
from proctor.results import Decision, GateScore, GateStatus
from proctor.store import ReportFile, RunStatus, Store, new_run_id, timestamp

MOMENT = datetime(2026, 11, 30, 12, 6, 44, 123_999, tzinfo=UTC)


def gate(name: str, status: GateStatus = GateStatus.MET) -> GateScore:
    return GateScore(name, "bot", status, "2 of 3 passed", 2 / 3, 3, 3, 2, 0, failing=("a", "b"), pinned_failed=("a",))


class TestRunIds:
    def test_an_id_tells_the_time_in_utc(self) -> None:
        moment = MOMENT.astimezone(timezone(timedelta(hours=5)))
        assert re.fullmatch(r"20261130t120644123-[a-z2-7]{6}", new_run_id(moment))

    def test_ids_sort_by_time_and_do_not_repeat(self) -> None:
        ids = [new_run_id(MOMENT + timedelta(milliseconds=step)) for step in range(50)]
        assert ids == sorted(set(ids))

    def test_timestamps_are_iso_8601_in_utc(self) -> None:
        assert timestamp(MOMENT) == "2026-11-30T12:06:44.123Z"
        assert timestamp(MOMENT) < timestamp(MOMENT + timedelta(milliseconds=1))


class TestListing:
    def test_a_run_comes_back_as_it_was_stored(self, any_store: Store) -> None:
        made = run(selection="tag smoke", engine="server", provenance={"commit": "abc", "agents": {"bot": [1, None]}})
        any_store.create_run(made)
        assert any_store.runs() == [made]

    def test_the_newest_come_first_and_the_limit_holds(self, store: Store) -> None:
        for name in ("r1", "r3", "r2"):
            store.create_run(run(name))
        assert [found.id for found in store.runs(limit=2)] == ["r3", "r2"]

    def test_they_can_be_narrowed_to_one_spec(self, store: Store) -> None:
        store.create_run(run("r1", "booking"))
        store.create_run(run("r2", "refunds"))
        assert [found.id for found in store.runs("booking")] == ["r1"]
        assert store.runs("unknown") == []


class TestFinding:
    def test_the_beginning_of_an_id_is_enough(self, any_store: Store) -> None:
        any_store.create_run(run("20261130t1-aaaaaa"))
        any_store.create_run(run("20261201t1-bbbbbb"))
        assert any_store.find_run("20261130").id == "20261130t1-aaaaaa"
        assert any_store.find_run(" 20261201T1-B ").id == "20261201t1-bbbbbb"

    def test_latest_is_the_newest(self, store: Store) -> None:
        store.create_run(run("r1"))
        store.create_run(run("r2"))
        assert store.find_run("latest").id == "r2"

    def test_an_ambiguous_beginning_names_the_candidates(self, store: Store) -> None:
        for number in range(7):
            store.create_run(run(f"r{number}"))
        with pytest.raises(UsageError, match="several runs have an id that begins with 'r': r6, r5, r4, r3, r2, …"):
            store.find_run("r")

    @pytest.mark.parametrize("text", ["x", "%", "_1", "r1\x00", "\udcff", "r1' OR '1'='1"])
    def test_an_unknown_one_names_the_newest(self, any_store: Store, text: str) -> None:
        any_store.create_run(run("r1"))
        with pytest.raises(UsageError, match=r"no run has an id that begins with .*\n  hint: the newest runs are r1"):
            any_store.find_run(text)

    @pytest.mark.parametrize("text", ["latest", "r1", ""])
    def test_an_empty_store_says_how_to_make_a_run(self, store: Store, text: str) -> None:
        with pytest.raises(UsageError, match="the store holds no run yet\n  hint: proctor run SPEC makes one"):
            store.find_run(text)


class TestUnfinished:
    def test_only_runs_of_the_same_plan_on_this_machine_count_newest_first(self, store: Store) -> None:
        for name in ("r1", "r2", "r3"):
            store.create_run(run(name))
        store.create_run(run("r4", plan_digest="d2"))
        store.create_run(run("r5", host="elsewhere"))
        store.create_run(run("r6", slug="refunds"))
        finish(store, summary("r2"))
        store.end_run("r3", RunStatus.INTERRUPTED)
        assert [found.id for found in store.unfinished("booking", "d1", "here")] == ["r3", "r1"]

    def test_a_run_at_work_again_is_running(self, store: Store) -> None:
        store.create_run(run("r1"))
        store.end_run("r1", RunStatus.INTERRUPTED)
        store.resume_run("r1")
        assert (store.find_run("r1").status, store.find_run("r1").finished_at) == (RunStatus.RUNNING, None)


class TestFinishing:
    def test_the_decision_and_the_summary_are_kept(self, any_store: Store) -> None:
        any_store.create_run(run("r1"))
        result = summary("r1", Decision.FAILED, warnings=("a warning",), provenance={"text": "\x00\ud800"})
        finish(any_store, result)
        found = any_store.find_run("r1")
        assert (found.status, found.decision, found.exit_code) == (RunStatus.FINISHED, Decision.FAILED, 1)
        assert found.finished_at is not None
        assert any_store.summary("r1") == result

    def test_a_run_without_a_summary_says_what_to_do(self, store: Store) -> None:
        store.create_run(run("r1"))
        with pytest.raises(UsageError, match="run r1 has no result yet\n  hint: start the same spec again"):
            store.summary("r1")

    def test_a_run_that_was_never_made_cannot_end(self, store: Store) -> None:
        with pytest.raises(UsageError, match="the store holds no run yet"):
            store.end_run("r1", RunStatus.INTERRUPTED)


class TestBaselines:
    def test_the_run_that_was_accepted_last_is_the_baseline(self, store: Store) -> None:
        for name in ("r1", "r2", "r3"):
            store.create_run(run(name))
            finish(store, summary(name))
        assert store.accepted("booking") is None
        store.accept("r1")
        store.accept("r2")
        found = store.accepted("booking")
        assert found is not None
        assert (found.id, found.accepted_at is None) == ("r2", False)

    def test_a_run_is_compared_with_an_earlier_one_only(self, store: Store) -> None:
        for name in ("r1", "r2"):
            store.create_run(run(name))
            finish(store, summary(name))
            store.accept(name)
        earlier = store.accepted("booking", before="r2")
        assert earlier is not None
        assert earlier.id == "r1"
        assert store.accepted("booking", before="r1") is None

    def test_a_part_of_a_spec_is_never_a_baseline(self, store: Store) -> None:
        store.create_run(run("r1", selection="tag smoke"))
        finish(store, summary("r1"))
        with pytest.raises(UsageError, match=r"run r1 ran a part of the spec only \(tag smoke\)"):
            store.accept("r1")
        assert store.accepted("booking") is None

    @pytest.mark.parametrize("decision", [None, Decision.COULD_NOT_EVALUATE])
    def test_a_run_without_a_verdict_is_never_a_baseline(self, store: Store, decision: Decision | None) -> None:
        store.create_run(run("r1"))
        if decision is not None:
            finish(store, summary("r1", decision))
        with pytest.raises(UsageError, match="run r1 reached no verdict, so it cannot be a baseline"):
            store.accept("r1")


class TestGatesAndReports:
    def test_gates_come_back_in_their_order_and_replace_earlier_ones(self, any_store: Store) -> None:
        any_store.save_gates("r1", [gate("x"), gate("old"), gate("older")])
        gates = [gate("release", GateStatus.UNDECIDED), gate("any")]
        any_store.save_gates("r1", gates)
        any_store.save_gates("r2", [])
        assert any_store.gates("r1") == gates
        assert any_store.gates("r2") == []

    def test_a_report_replaces_the_earlier_one_of_its_kind(self, any_store: Store) -> None:
        any_store.save_report("r1", "junit", "a.xml", "1")
        any_store.save_report("r1", "html", "a.html", "2")
        any_store.save_report("r1", "junit", "b.xml", "3")
        assert any_store.reports("r1") == [ReportFile("html", "a.html", "2"), ReportFile("junit", "b.xml", "3")]
