from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from sqlalchemy import event
from store_samples import case, check, completed, errored, finish, ref, summary
from store_samples import run as new_run

from proctor.errors import UsageError
from proctor.results import CaseDetail, CheckKind, CheckResult, Counts, Outcome, TrialScore, Verdict
from proctor.store import NewTrial, Pending, PendingCheck, PendingTrial, Store
from proctor.trajectory import CacheOrigin, Ending, Usage


def finished(store: Store, *keys: str, run_id: str = "r1") -> None:
    """Store a finished run with one trial for each case."""
    store.create_run(new_run(run_id))
    store.save_trials(run_id, [NewTrial(ref(key), completed(key)) for key in keys])
    store.save_cases(run_id, [case(key) for key in keys])
    finish(store, summary(run_id))


def trials(store: Store, run_id: str = "r1") -> list[TrialScore]:
    return [trial for detail in store.results(run_id).cases() for trial in detail.trials]


class TestScores:
    def test_checks_come_back_in_their_order(self, any_store: Store) -> None:
        finished(any_store, "greets")
        checks = [check(f"check {number}", turn=number % 3 or None) for number in range(12)]
        any_store.save_scores("r1", [(ref(), Outcome.PASSED, checks)])
        assert trials(any_store) == [TrialScore(ref(), Outcome.PASSED, completed("greets"), tuple(checks))]

    def test_saving_again_replaces_all_earlier_checks_of_that_trial_only(self, any_store: Store) -> None:
        finished(any_store, "a", "b")
        both = [check("one"), check("two")]
        any_store.save_scores("r1", [(ref("a"), Outcome.PASSED, both), (ref("b"), Outcome.PASSED, both)])
        any_store.save_scores("r1", [(ref("a"), Outcome.FAILED, [check("other", Outcome.FAILED)])])
        assert [(trial.outcome, len(trial.checks)) for trial in trials(any_store)] == [
            (Outcome.FAILED, 1),
            (Outcome.PASSED, 2),
        ]

    def test_other_trials_of_the_same_case_keep_their_checks(self, any_store: Store) -> None:
        finished(any_store, "a")
        any_store.save_trials("r1", [NewTrial(ref("a", 1), completed())])
        any_store.save_scores("r1", [(ref("a", n), Outcome.PASSED, [check("one")]) for n in range(2)])
        any_store.save_scores("r1", [(ref("a", 1), Outcome.FAILED, [check("two", Outcome.FAILED)])])
        assert [[c.name for c in trial.checks] for trial in trials(any_store)] == [["one"], ["two"]]

    def test_a_trial_may_have_no_checks(self, store: Store) -> None:
        finished(store, "greets")
        store.save_scores("r1", [(ref(), Outcome.ERRORED, [])])
        assert [(trial.outcome, trial.checks) for trial in trials(store)] == [(Outcome.ERRORED, ())]
        store.save_scores("r1", [])

    def test_a_verdict_comes_back_with_its_origin(self, any_store: Store) -> None:
        finished(any_store, "greets")
        verdict = Verdict(True, "fine", "m", usage=Usage(3), cached=CacheOrigin("r0", "then"))
        judged = check("judge", kind=CheckKind.JUDGED, verdict=verdict)
        any_store.save_scores("r1", [(ref(), Outcome.PASSED, [judged])])
        assert trials(any_store)[0].checks == (judged,)

    def test_a_trial_without_scores_is_never_passed_or_failed(self, store: Store) -> None:
        finished(store, "a")
        refused = replace(completed(), ending=Ending.REFUSED)
        store.save_trials("r1", [NewTrial(ref("a", 1), errored()), NewTrial(ref("a", 2), refused)])
        assert [trial.outcome for trial in trials(store)] == [Outcome.UNSCORED, Outcome.ERRORED, Outcome.REFUSED]

    def test_a_trial_that_runs_again_loses_its_old_outcome(self, store: Store) -> None:
        finished(store, "a")
        store.save_scores("r1", [(ref("a"), Outcome.PASSED, [check()])])
        store.save_trials("r1", [NewTrial(ref("a"), errored())])
        assert [trial.outcome for trial in trials(store)] == [Outcome.ERRORED]


class TestPending:
    @pytest.fixture
    def waiting(self, any_store: Store) -> Store:
        finished(any_store, "a", "b", "c")
        any_store.save_scores(
            "r1",
            [
                (ref("a"), None, [check("rule"), Pending("tone", 0), check("x", Outcome.FAILED), Pending("all")]),
                (ref("b"), Outcome.PASSED, [check("rule")]),
                (ref("c"), None, [Pending("tone", 1)]),
            ],
        )
        return any_store

    def test_only_trials_that_wait_for_a_judge_are_listed(self, waiting: Store) -> None:
        pending = waiting.pending("r1", [ref("a"), ref("b"), ref("c"), ref("c", 1), ref("d")])
        assert pending == [
            PendingTrial(
                ref("a"),
                (PendingCheck(1, "tone", 0), PendingCheck(3, "all", None)),
                (Outcome.PASSED, Outcome.FAILED),
            ),
            PendingTrial(ref("c"), (PendingCheck(0, "tone", 1),), ()),
        ]
        assert waiting.pending("r1", [ref("b")]) == []
        assert waiting.pending("r1", []) == []

    def test_other_trials_of_the_same_case_are_not_listed(self, waiting: Store) -> None:
        waiting.save_trials("r1", [NewTrial(ref("a", 1), completed())])
        waiting.save_scores("r1", [(ref("a", 1), None, [Pending("tone", 0)])])
        assert [trial.ref for trial in waiting.pending("r1", [ref("a")])] == [ref("a")]
        assert [trial.ref for trial in waiting.pending("r1", [ref("a", 1)])] == [ref("a", 1)]

    def test_a_check_that_nobody_was_asked_about_is_unscored_in_results(self, waiting: Store) -> None:
        unasked = CheckResult("tone", Outcome.UNSCORED, "no judge has been asked yet", 1, CheckKind.JUDGED)
        assert trials(waiting)[2] == TrialScore(ref("c"), Outcome.UNSCORED, completed("c"), (unasked,))

    def test_a_verdict_decides_its_check_and_the_trial(self, waiting: Store) -> None:
        tone = check("tone", Outcome.FAILED, turn=1, kind=CheckKind.JUDGED, verdict=Verdict(False, "rude", "m"))
        waiting.save_verdicts("r1", [(ref("c"), Outcome.FAILED, [(0, tone)])])
        assert trials(waiting)[2] == TrialScore(ref("c"), Outcome.FAILED, completed("c"), (tone,))
        assert [trial.ref for trial in waiting.pending("r1", [ref("a"), ref("c")])] == [ref("a")]

    def test_verdicts_leave_the_other_checks_alone(self, waiting: Store) -> None:
        tone = check("tone", Outcome.UNSCORED, turn=0, kind=CheckKind.JUDGED, verdict=Verdict(None, "", "m", cause="x"))
        waiting.save_verdicts("r1", [(ref("a"), Outcome.UNSCORED, [(1, tone)])])
        first = trials(waiting)[0]
        assert first.outcome is Outcome.UNSCORED
        assert (first.checks[0], first.checks[1], first.checks[2]) == (check("rule"), tone, check("x", Outcome.FAILED))


class TestCases:
    def test_a_score_comes_back_exactly_and_replaces_the_earlier_one(self, any_store: Store) -> None:
        score = case(
            counts=Counts(1, 2, 3, 4, 5, 6), threshold=2 / 3, tags=("a", "b"), markers=("xfail",), source="b.yaml",
            line=7, latency_ms=0.1, usage=Usage(1, 2), cached=4,
        )  # fmt: skip
        any_store.save_cases("r1", [case(outcome=Outcome.FAILED)])
        any_store.save_cases("r1", [score])
        any_store.save_cases("r2", [])
        assert any_store.case_scores("r1") == [score]
        assert any_store.case_scores("r2") == []

    def test_the_worst_come_first_and_then_by_agent_and_case(self, any_store: Store) -> None:
        expected = [
            case("f", Outcome.FAILED, agent="B"), case("Z", Outcome.FAILED, agent="b"), case("a", Outcome.FAILED, "b"),
            case("ä", Outcome.FAILED, "b"), case("e", Outcome.ERRORED), case("u", Outcome.UNSCORED),
            case("r", Outcome.REFUSED), case("shaky", counts=Counts(passed=2, failed=1)), case("p", Outcome.PASSED),
            case("s", Outcome.SKIPPED),
        ]  # fmt: skip
        any_store.save_cases("r1", reversed(expected))
        assert any_store.case_scores("r1") == expected


class TestResults:
    def test_every_case_comes_once_in_order_over_all_pages(self, any_store: Store) -> None:
        outcomes = [Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED]
        scores = [case(f"case {n}", outcomes[n % 3], agent=f"agent {n % 2}") for n in range(501)]
        any_store.create_run(new_run("r1"))
        any_store.save_cases("r1", scores)
        any_store.save_trials("r1", [NewTrial(ref(s.case, 0, s.agent), completed(s.case)) for s in scores])
        finish(any_store, summary("r1"))
        details = list(any_store.results("r1").cases())
        assert [detail.score for detail in details] == any_store.case_scores("r1")
        assert len(details) == 501
        assert all(d.trials[0].trajectory.turns[0].reply == d.score.case for d in details)

    def test_pages_go_on_after_a_case_of_any_name(self, any_store: Store) -> None:
        any_store.create_run(new_run("r1"))
        keys = sorted({f"{mark}{number}" for number in range(101) for mark in ("\x00", "\x10", "a", "\ud800", "ä")})
        any_store.save_cases("r1", [case(key) for key in keys])
        finish(any_store, summary("r1"))
        read = [detail.score.case for detail in islice(any_store.results("r1").cases(), 1_000)]
        assert sorted(read) == keys

    def test_pages_are_read_only_as_far_as_they_are_looked_at(self, store: Store) -> None:
        finished(store, *(f"case {number}" for number in range(450)))
        queries: list[str] = []
        event.listen(store._database.engine, "before_cursor_execute", lambda *call: queries.append(call[2]))
        cases = store.results("r1").cases()
        next(cases)
        first = len(queries)
        assert len(list(cases)) == 449
        assert first < len(queries) / 2

    def test_cases_can_be_read_again_and_show_what_is_stored_now(self, store: Store) -> None:
        finished(store, "a")
        results = store.results("r1")
        assert list(results.cases()) == list(results.cases())
        store.save_cases("r1", [case("b", Outcome.FAILED)])
        assert [detail.score.case for detail in results.cases()] == ["b", "a"]
        assert next(iter(results.cases())) == CaseDetail(case("b", Outcome.FAILED), ())

    def test_trials_come_in_their_order(self, any_store: Store) -> None:
        finished(any_store, "a")
        any_store.save_trials("r1", [NewTrial(ref("a", number), completed()) for number in (11, 2, 1)])
        assert [trial.ref.trial for trial in trials(any_store)] == [0, 1, 2, 11]

    def test_other_runs_do_not_shine_through(self, store: Store) -> None:
        finished(store, "a", run_id="r1")
        finished(store, "a", "b", run_id="r2")
        assert len(trials(store, "r1")) == 1

    def test_a_run_without_a_summary_has_no_results(self, store: Store) -> None:
        store.create_run(new_run("r1"))
        with pytest.raises(UsageError, match="run r1 has no result yet"):
            store.results("r1")
