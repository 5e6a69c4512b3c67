"""Who is to blame for a probe without a score, and what a run is worth then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.brainbench.eras import Era
from proctor.brainbench.scoring.accounting import LONGEST_MESSAGE, Accounting, Origin, ProbeError, account, rate
from proctor.brainbench.scoring.verdicts import CategoryVerdict, RunStatus, category_verdict, receipt_of

PROBES = [f"q-{number:04d}" for number in range(1, 31)]


def booked(planned: int, lost: int, era: Era = Era.POST_AUDIT, origin: Origin = Origin.JUDGE) -> Accounting:
    errors = [ProbeError(probe, origin, "broke") for probe in PROBES[:lost]]
    return account(PROBES[:planned], dict.fromkeys(PROBES[lost:planned], 1.0), errors, era)


class TestAnError:
    def test_keeps_a_message_of_five_hundred_characters(self) -> None:
        assert ProbeError("q-1", Origin.SUT, "é" * 500).message == "é" * 500
        cut = ProbeError("q-1", Origin.SUT, "🚢" * 501).message
        assert len(cut) == LONGEST_MESSAGE
        assert cut == "🚢" * 499 + "…"

    def test_is_written_as_in_a_receipt(self) -> None:
        written = ProbeError("q-1", Origin.DEPENDENCY, "429").to_json()
        assert written == {"probe_id": "q-1", "origin": "dependency", "message": "429"}


class TestTheBooks:
    def test_count_a_failure_of_the_system_as_a_miss(self) -> None:
        found = booked(4, 1, origin=Origin.SUT)
        assert (found.n_scored, found.mean, found.infra_error_rate, found.publishable) == (4, 0.75, 0.0, True)

    @pytest.mark.parametrize("origin", [Origin.HARNESS, Origin.DEPENDENCY, Origin.JUDGE])
    def test_leave_every_other_failure_out_of_the_mean(self, origin: Origin) -> None:
        found = booked(20, 2, origin=origin)
        assert (found.n_scored, found.mean, found.infra_error_rate, found.publishable) == (18, 1.0, 0.1, True)

    @pytest.mark.parametrize("origin", Origin)
    def test_of_the_seed_era_know_misses_only(self, origin: Origin) -> None:
        found = booked(4, 1, Era.SEED, origin)
        assert (found.n_scored, found.mean, found.infra_error_rate) == (4, 0.75, 0.0)

    def test_blame_the_harness_for_a_probe_that_nobody_mentions(self) -> None:
        found = account(["q-1", "q-2"], {"q-1": 1.0})
        assert found.errors == (
            ProbeError("q-2", Origin.HARNESS, "planned, and there is neither a score nor an error"),
        )
        assert not found.publishable

    def test_count_probes_and_not_their_errors(self) -> None:
        errors = [ProbeError("q-0001", Origin.JUDGE), ProbeError("q-0001", Origin.HARNESS)]
        assert account(PROBES[:10], dict.fromkeys(PROBES[1:10], 1.0), errors).infra_error_rate == 0.1

    def test_call_a_probe_a_miss_that_the_system_broke_too(self) -> None:
        errors = [ProbeError("q-1", Origin.JUDGE), ProbeError("q-1", Origin.SUT)]
        assert account(["q-1"], {}, errors).scores == {"q-1": 0.0}

    @pytest.mark.parametrize(
        ("planned", "scored", "errors", "message"),
        [
            (["q-1", "q-1"], {}, [], 'planned twice: "q-1"'),
            (["q-1"], {"q-2": 1.0}, [], 'not planned: "q-2"'),
            (["q-1"], {}, [ProbeError("q-3", Origin.SUT)], 'not planned: "q-3"'),
            (["q-1"], {"q-1": 1.0}, [ProbeError("q-1", Origin.SUT)], 'with a score and an error: "q-1"'),
        ],
    )
    def test_refuse_what_does_not_add_up(
        self, planned: list[str], scored: dict[str, float], errors: list[ProbeError], message: str
    ) -> None:
        with pytest.raises(ValueError, match=f"^{message}$"):
            account(planned, scored, errors)

    @given(st.integers(0, 30), st.integers(0, 30), st.sampled_from(Origin), st.sampled_from(Era))
    def test_hold_every_planned_probe_once(self, planned: int, lost: int, origin: Origin, era: Era) -> None:
        found = booked(planned, min(planned, lost), era, origin)
        assert found.n_scored + found.n_lost == found.n_total == planned
        assert {*found.planned} - {*found.scores} <= {error.probe_id for error in found.errors}
        assert (found.mean is None) is not bool(found.n_scored)


class TestTheCap:
    @pytest.mark.parametrize(
        ("planned", "lost", "invalid", "publishable"),
        [
            (9, 0, False, True),
            (9, 1, False, False),
            (9, 9, False, False),
            (10, 1, False, True),
            (10, 2, True, False),
            (19, 1, False, True),
            (19, 2, True, False),
            (30, 3, False, True),
            (0, 0, False, False),
        ],
    )
    def test_is_a_tenth_of_ten_probes_or_more(self, planned: int, lost: int, invalid: bool, publishable: bool) -> None:
        found = booked(planned, lost)
        assert (found.run_invalid, found.publishable) == (invalid, publishable)


class TestARate:
    def test_of_nothing_is_absent_and_was_zero(self) -> None:
        assert rate(0, 0, Era.POST_AUDIT) is None
        assert rate(0, 0, Era.SEED) == 0.0
        assert rate(3, 4, Era.POST_AUDIT) == 0.75


class TestTheVerdict:
    @pytest.mark.parametrize(
        ("accounting", "reached", "now", "seed"),
        [
            (booked(4, 0), True, CategoryVerdict.PASS, CategoryVerdict.PASS),
            (booked(4, 0), False, CategoryVerdict.FAIL, CategoryVerdict.FAIL),
            (booked(4, 0), None, CategoryVerdict.BASELINE_ONLY, CategoryVerdict.BASELINE_ONLY),
            (booked(0, 0), True, CategoryVerdict.SKIPPED, CategoryVerdict.PASS),
            (booked(10, 2), True, CategoryVerdict.INVALID, CategoryVerdict.PASS),
            (booked(10, 2), None, CategoryVerdict.INVALID, CategoryVerdict.BASELINE_ONLY),
            (booked(4, 4), True, CategoryVerdict.INVALID, CategoryVerdict.PASS),
        ],
    )
    def test_needs_enough_that_was_scored(
        self, accounting: Accounting, reached: bool | None, now: CategoryVerdict, seed: CategoryVerdict
    ) -> None:
        assert category_verdict(accounting, reached=reached, era=Era.POST_AUDIT) is now
        assert category_verdict(accounting, reached=reached, era=Era.SEED) is seed


class TestTheReceipt:
    def test_states_a_completed_run(self) -> None:
        assert receipt_of(booked(4, 0), CategoryVerdict.PASS).to_json() == {
            "run_status": "completed",
            "verdict": "pass",
            "n_total": 4,
            "n_scored": 4,
            "completion_rate": 1.0,
            "errors": [],
            "publishable": True,
        }

    def test_states_a_baseline_as_partial(self) -> None:
        assert receipt_of(booked(4, 0), CategoryVerdict.BASELINE_ONLY).verdict == "partial"

    def test_has_no_verdict_where_too_much_was_lost(self) -> None:
        receipt = receipt_of(booked(10, 2), CategoryVerdict.INVALID)
        assert (receipt.run_status, receipt.verdict, receipt.publishable) == (RunStatus.ERROR, None, False)
        assert len(receipt.errors) == 2

    def test_says_why_nothing_ran(self) -> None:
        written = receipt_of(booked(0, 0), CategoryVerdict.SKIPPED).to_json()
        assert written["run_status"] == "skipped"
        assert written["skip_reason"] == "nothing was planned"
        assert written["completion_rate"] == 0.0
        assert "verdict" not in written

    @given(st.integers(0, 30), st.integers(0, 30), st.sampled_from([True, False, None]))
    def test_has_a_verdict_only_and_always_when_completed(self, planned: int, lost: int, reached: bool | None) -> None:
        found = booked(planned, min(planned, lost))
        receipt = receipt_of(found, category_verdict(found, reached=reached, era=Era.POST_AUDIT))
        assert (receipt.verdict is not None) is (receipt.run_status is RunStatus.COMPLETED)
        assert receipt.verdict != "pass" or receipt.n_scored > 0
        assert not receipt.publishable or receipt.run_status is RunStatus.COMPLETED
