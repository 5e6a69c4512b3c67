"""A family of comparisons: what each kind asks, and what comes of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.paired import Values
from proctor.statistics.preregistered import FamilyFinding, GateKind, GateVerdict, PlannedComparison, judge_family


def values(runs: list[float]) -> Values:
    return {f"q-{number:04d}": [value] for number, value in enumerate(runs)}


def planned(kind: GateKind, differences: list[float], **options: float) -> PlannedComparison:
    first = values([0.0] * len(differences))
    return PlannedComparison("rate", kind, first, values(differences), **options)  # type: ignore[arg-type]


def judged(kind: GateKind, differences: list[float], **options: float) -> FamilyFinding:
    return judge_family([planned(kind, differences, **options)])


SPREAD = [0.1, -0.1, 0.2, -0.2, 0.1, -0.1, 0.0, 0.05, -0.05, 0.0, 0.1, -0.1]


class TestAnExactComparison:
    def test_fails_for_one_probe_that_is_worse(self) -> None:
        found = judged(GateKind.EXACT, [0.5] * 11 + [-0.1])
        assert found.verdict is GateVerdict.FAIL
        assert found.gates[0].reason == '1 of 12 probes worse than before: "q-0011"'

    def test_fails_for_one_run_beyond_the_bound(self) -> None:
        second = {"a": [1.0, 1.0], "b": [1.0, 0.9]}
        comparison = PlannedComparison("safe", GateKind.EXACT, {"a": [1.0], "b": [1.0]}, second, bound=1.0)
        found = judge_family([comparison])
        assert found.verdict is GateVerdict.FAIL
        assert found.gates[0].reason == '1 of 2 probes beyond 1: "b"'

    def test_passes_without_a_p_value(self) -> None:
        found = judged(GateKind.EXACT, [0.0] * 3)
        assert found.verdict is GateVerdict.PASS
        assert found.gates[0].p is None

    def test_turns_around_where_lower_is_better(self) -> None:
        assert judged(GateKind.EXACT, [-0.5] * 3, lower_is_better=True).verdict is GateVerdict.PASS
        assert judged(GateKind.EXACT, [0.5] * 3, lower_is_better=True, bound=0.4).verdict is GateVerdict.FAIL

    def test_leaves_nothing_to_test_when_it_fails(self) -> None:
        family = [planned(GateKind.SUPERIORITY, [1.0] * 20), planned(GateKind.EXACT, [-1.0])]
        found = judge_family(family)
        assert [gate.verdict for gate in found.gates] == [GateVerdict.SKIPPED, GateVerdict.FAIL]


class TestNoninferiority:
    def test_passes_within_the_tolerance(self) -> None:
        found = judged(GateKind.NONINFERIORITY, SPREAD, margin=0.2)
        assert found.verdict is GateVerdict.PASS
        assert found.gates[0].reason.startswith("worse by less than 0.2, p = ")

    def test_is_inconclusive_where_too_little_is_known(self) -> None:
        assert judged(GateKind.NONINFERIORITY, SPREAD, margin=0.01).verdict is GateVerdict.INCONCLUSIVE
        few = judged(GateKind.NONINFERIORITY, [1.0] * 9, margin=0.1)
        assert few.verdict is GateVerdict.INCONCLUSIVE
        assert few.gates[0].reason == "wanted 10 probes; seen 9"

    def test_fails_where_everything_is_worse(self) -> None:
        found = judged(GateKind.NONINFERIORITY, [-0.6 + value for value in SPREAD], margin=0.2)
        assert found.verdict is GateVerdict.FAIL
        assert found.gates[0].reason == "wanted worse by less than 0.2; the whole interval is worse than -0.2"

    def test_does_not_take_no_difference_for_noninferiority_without_a_tolerance(self) -> None:
        assert judged(GateKind.NONINFERIORITY, [0.0] * 30).verdict is GateVerdict.INCONCLUSIVE


class TestSuperiority:
    def test_wants_more_than_the_minimum_effect(self) -> None:
        better = [0.5 + value for value in SPREAD]
        assert judged(GateKind.SUPERIORITY, better, margin=0.3).verdict is GateVerdict.PASS
        assert judged(GateKind.SUPERIORITY, better, margin=0.5).verdict is GateVerdict.INCONCLUSIVE

    def test_fails_on_the_losing_side_of_zero_only(self) -> None:
        assert judged(GateKind.SUPERIORITY, [-0.5 + value for value in SPREAD]).verdict is GateVerdict.FAIL
        assert judged(GateKind.SUPERIORITY, [-0.2 + value for value in SPREAD], margin=0.4).verdict is GateVerdict.FAIL
        assert judged(GateKind.SUPERIORITY, SPREAD, margin=0.4).verdict is GateVerdict.INCONCLUSIVE

    def test_is_corrected_for_the_others(self) -> None:
        one = planned(GateKind.SUPERIORITY, [1.0] * 5 + [0.0] * 5)
        assert judge_family([one]).verdict is GateVerdict.PASS
        twice = judge_family([one, one])
        assert twice.verdict is GateVerdict.INCONCLUSIVE
        assert twice.gates[0].p == 0.03125
        assert twice.gates[0].adjusted_p == 0.0625


class TestTheFamily:
    def test_is_blocked_by_a_missing_pair(self) -> None:
        whole = planned(GateKind.SUPERIORITY, [1.0] * 12)
        broken = PlannedComparison("cost", GateKind.EXPLORATORY, values([1.0] * 12), values([1.0] * 11))
        found = judge_family([whole, broken])
        assert found.verdict is GateVerdict.BLOCKED
        assert [gate.verdict for gate in found.gates] == [GateVerdict.SKIPPED, GateVerdict.BLOCKED]
        assert found.gates[1].reason == 'not both have a value for "q-0011"'

    def test_is_blocked_by_nothing_to_compare(self) -> None:
        assert judged(GateKind.NONINFERIORITY, []).verdict is GateVerdict.BLOCKED

    def test_only_reports_what_is_exploratory(self) -> None:
        loss = planned(GateKind.EXPLORATORY, [-1.0] * 20)
        assert judge_family([loss]).verdict is GateVerdict.REPORT_ONLY
        assert judge_family([loss, planned(GateKind.EXACT, [0.0])]).verdict is GateVerdict.PASS
        assert judge_family([]).verdict is GateVerdict.REPORT_ONLY

    def test_refuses_a_negative_margin(self) -> None:
        with pytest.raises(ValueError, match="a margin is 0 or more: rate"):
            judged(GateKind.SUPERIORITY, [1.0], margin=-0.1)

    @given(st.sampled_from([GateKind.NONINFERIORITY, GateKind.SUPERIORITY]), st.lists(st.floats(-1, 1), max_size=9))
    def test_never_passes_on_fewer_than_ten_probes(self, kind: GateKind, differences: list[float]) -> None:
        assert judged(kind, differences, margin=0.5).verdict is not GateVerdict.PASS
