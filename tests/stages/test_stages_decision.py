"""Cases, gates and the decision: properties of the arithmetic, and the sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.plan import Allowance, Gate, Outline, Source
from proctor.results import CaseScore, Counts, Decision, GateStatus, Outcome, TrialLine, TrialRef
from proctor.stages.case_scores import score_case
from proctor.stages.decision import decide, within
from proctor.stages.gates import score_gate
from proctor.trajectory import Usage

P, F, E, R, U, S = (
    Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED, Outcome.REFUSED, Outcome.UNSCORED, Outcome.SKIPPED,
)  # fmt: skip
SOURCE = Source("transcript", Path("a.yaml"), "a.yaml", "")
ANY = Gate("all", 1.0, ("t",))

outcomes = st.sampled_from([P, F, E, R, U])
thresholds = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 0.66, 0.67, 0.8, 1.0]))


def case(
    trials: Sequence[Outcome], threshold: float = 1.0, runs: int | None = None, allowed: bool = False
) -> CaseScore:
    lines = [TrialLine(TrialRef("a", "c", number), outcome, 1.0, Usage()) for number, outcome in enumerate(trials)]
    outline = Outline("c", "c", len(trials) if runs is None else runs, threshold)
    return score_case("a", SOURCE, outline, lines, allowed=allowed)


def scored(*found: Outcome, tags: tuple[str, ...] = ("t",), agent: str = "a") -> list[CaseScore]:
    """Cases c0, c1 and so on, with these outcomes."""
    return [
        CaseScore(agent, f"c{number}", outcome, Counts.of([outcome]), 1, 1.0, 1, "", tags)
        for number, outcome in enumerate(found)
    ]


def decided(
    scores: list[CaseScore], *gates: Gate, allowance: Allowance | None = None, upstream: bool = False
) -> tuple[Decision, str]:
    trials = Counts.of(score.outcome for score in scores)
    decision, reason, _ = decide(scores, gates, trials, allowance, upstream=upstream)
    return decision, reason


class TestACase:
    @given(st.lists(outcomes, min_size=1, max_size=12), thresholds)
    def test_passes_only_with_enough_passes_and_nothing_missing(self, trials: list[Outcome], threshold: float) -> None:
        enough = trials.count(P) / len(trials) >= threshold
        missing = bool({E, U} & set(trials))
        assert (case(trials, threshold).outcome is P) == (enough and not missing)

    @given(st.lists(outcomes, min_size=1, max_size=12), thresholds)
    def test_fails_only_when_the_missing_trials_could_not_have_saved_it(
        self, trials: list[Outcome], threshold: float
    ) -> None:
        best = trials.count(P) + trials.count(E) + trials.count(U)
        assert (case(trials, threshold).outcome in (F, R)) == (best / len(trials) < threshold)

    @given(st.lists(outcomes, min_size=1, max_size=12), thresholds)
    def test_ends_the_same_in_any_order_of_its_trials(self, trials: list[Outcome], threshold: float) -> None:
        assert case(trials, threshold).outcome is case(sorted(trials), threshold).outcome

    @given(st.lists(outcomes, max_size=6), st.integers(1, 9), thresholds)
    def test_counts_a_trial_that_never_ran_as_errored(self, trials: list[Outcome], more: int, threshold: float) -> None:
        whole, part = case([*trials, *[E] * more], threshold), case(trials, threshold, runs=len(trials) + more)
        assert (whole.outcome, whole.counts, whole.reason) == (part.outcome, part.counts, part.reason)

    @pytest.mark.parametrize(
        ("trials", "threshold", "outcome", "reason"),
        [
            ([P], 0.8, P, "1/1 passed, needs 1/1"),
            ([P, P, F], 0.67, F, "2/3 passed, needs 3/3 (threshold 0.67)"),
            ([P, P, F], 0.66, P, "2/3 passed, needs 2/3 (threshold 0.66)"),
            ([P, F], 0.0, P, "1/2 passed, needs 0/2"),
            ([F, F, E], 0.5, F, "0/3 passed, needs 2/3 (threshold 0.5), 1 errored"),
            ([P, F, E], 0.5, E, "1/3 passed, needs 2/3 (threshold 0.5), 1 errored"),
            ([P, P, E], 0.5, E, "2/3 passed, needs 2/3 (threshold 0.5), 1 errored"),
            ([P, U], 1.0, U, "1/2 passed, needs 2/2, 1 unscored"),
            ([P, E, U], 1.0, E, "1/3 passed, needs 3/3, 1 errored, 1 unscored"),
            ([R], 1.0, R, "0/1 passed, needs 1/1, 1 refused"),
            ([R, F], 1.0, F, "0/2 passed, needs 2/2, 1 refused"),
        ],
    )
    def test_says_what_it_needed(self, trials: list[Outcome], threshold: float, outcome: Outcome, reason: str) -> None:
        found = case(trials, threshold)
        assert (found.outcome, found.reason) == (outcome, reason)

    def test_passes_without_a_missing_trial_where_that_is_allowed(self) -> None:
        assert case([P, P, E], 0.5, allowed=True).outcome is P
        assert case([P, F, E], 0.5, allowed=True).outcome is E


class TestAGate:
    @given(st.lists(st.sampled_from(list(Outcome)), max_size=12), thresholds)
    def test_is_never_met_on_nothing(self, found: list[Outcome], threshold: float) -> None:
        gate = score_gate(Gate("g", threshold, ("t",)), "a", scored(*found))
        if not {P, F, R} & set(found):
            assert gate.status is not GateStatus.MET

    @given(st.lists(st.sampled_from(list(Outcome)), min_size=1, max_size=12), thresholds)
    def test_counts_an_undecided_case_neither_as_a_pass_nor_as_a_fail(
        self, found: list[Outcome], threshold: float
    ) -> None:
        gate = score_gate(Gate("g", threshold, ("t",)), "a", scored(*found))
        missing, total = found.count(E) + found.count(U), len(found) - found.count(S)
        if not total or (found.count(P) + missing) / total < threshold:
            assert gate.status is GateStatus.NOT_MET
        else:
            assert gate.status is (GateStatus.UNDECIDED if missing else GateStatus.MET)

    @given(st.lists(outcomes, min_size=1, max_size=12), thresholds)
    def test_that_is_met_stays_met_when_a_case_gets_better(self, found: list[Outcome], threshold: float) -> None:
        gate = Gate("g", threshold, ("t",))
        if score_gate(gate, "a", scored(*found)).status is GateStatus.MET:
            better = [P, *found[1:]]
            assert score_gate(gate, "a", scored(*better)).status is GateStatus.MET

    @pytest.mark.parametrize(
        ("gate", "found", "status", "reason"),
        [
            (Gate("g", 0.5, ("t",)), [P, F], "met", "1 of 2 cases passed, needs 1"),
            (Gate("g", 0.6, ("t",)), [P, F], "not met", "1 of 2 cases passed, needs 2"),
            (
                Gate("g", 0.5, ("t",)),
                [P, E],
                "could not evaluate",
                "1 of 2 cases passed, needs 1; 1 could not be evaluated",
            ),
            (Gate("g", 1.0, ("x", "y")), [P], "not met", "no case of this run has one of its tags (x, y)"),
            (
                Gate("g", markers=("m",), must_pass=("c0",)),
                [P],
                "not met",
                "no case of this run has one of its tags (m)",
            ),
            (Gate("g", 1.0, ("t",)), [S, S], "not met", "all of its 2 cases were skipped"),
            (Gate("g"), [P], "not met", "it names neither tags nor cases"),
            (Gate("g", must_pass=("c0",)), [P], "met", "every must-pass case passed"),
            (Gate("g", must_pass=("c1", "c0")), [F, P], "not met", "must pass and did not: c0"),
            (Gate("g", must_pass=("c0",)), [R], "not met", "must pass and did not: c0"),
            (Gate("g", must_pass=("c9",)), [P], "not met", "must pass and did not run: c9"),
            (Gate("g", 0.0, ("t",), must_pass=("c0",)), [E, P], "not met", "must pass and did not run: c0"),
            (Gate("g", 0.0, ("t",), must_pass=("c0",)), [F, P], "not met", "must pass and did not: c0"),
        ],
    )
    def test_says_why(self, gate: Gate, found: list[Outcome], status: str, reason: str) -> None:
        seen = score_gate(gate, "a", scored(*found))
        assert (seen.status, seen.reason) == (status, reason)

    def test_names_those_that_did_not_pass(self) -> None:
        assert score_gate(Gate("g", 0.1, ("t",)), "a", scored(P, F, E, S, R)).failing == ("c1", "c2", "c4")

    def test_has_members_by_marker_too(self) -> None:
        one = CaseScore("a", "c", P, Counts.of([P]), 1, 1.0, 1, "", ("x",), ("m",))
        assert score_gate(Gate("g", markers=("m",)), "a", [one]).members == 1
        assert score_gate(Gate("g", tags=("m",), markers=("x",)), "a", [one]).members == 0

    def test_pins_a_case_by_its_id_or_the_name_before_a_bracket(self) -> None:
        gate = Gate("g", must_pass=("book",))
        for key in ("book", "book[two]", "evals/a.yaml::book"):
            one = CaseScore("a", key, F, Counts.of([F]), 1, 1.0, 1, "")
            assert score_gate(gate, "a", [one]).pinned_failed == ("book",)

    @pytest.mark.parametrize(
        ("found", "status", "reason"),
        [
            ([P, P, E], "met", "2 of 3 cases passed, needs 2"),
            ([P, F, E], "could not evaluate", "1 of 3 cases passed, needs 2; 1 could not be evaluated"),
            ([F, F, E], "not met", "0 of 3 cases passed, needs 2"),
        ],
    )
    def test_is_met_without_an_allowed_missing_case_only_if_the_others_are_enough(
        self, found: list[Outcome], status: str, reason: str
    ) -> None:
        seen = score_gate(Gate("g", 0.5, ("t",)), "a", scored(*found), allowed=True)
        assert (seen.status, seen.reason) == (status, reason)

    def test_of_upstream_is_met_on_nothing(self) -> None:
        gate = score_gate(Gate("g", 1.0, ("x",)), "a", scored(P), upstream=True)
        assert (gate.status, gate.reason) == (GateStatus.MET, "matches no case")


class TestTheDecision:
    @given(st.lists(st.sampled_from(list(Outcome)), max_size=10), st.lists(thresholds, max_size=2))
    def test_is_could_not_evaluate_before_failed_before_passed(self, found: list[Outcome], gates: list[float]) -> None:
        scores = scored(*found)
        decision, reason = decided(scores, *(Gate(f"g{threshold}", threshold, ("t",)) for threshold in gates))
        assert reason
        if not {P, F, R} & set(found) or {E, U} & set(found):
            assert decision is Decision.COULD_NOT_EVALUATE
        elif gates:
            ran = len(found) - found.count(S)
            met = all(found.count(P) / ran >= threshold for threshold in gates)
            assert decision is (Decision.PASSED if met else Decision.FAILED)
        else:
            assert decision is (Decision.FAILED if {F, R} & set(found) else Decision.PASSED)

    @given(st.lists(outcomes, min_size=1, max_size=8))
    def test_needs_every_case_where_there_is_no_gate(self, found: list[Outcome]) -> None:
        assert (decided(scored(*found))[0] is Decision.PASSED) == (set(found) == {P})

    def test_has_one_exit_code_each(self) -> None:
        assert [decision.exit_code for decision in Decision] == [0, 1, 3]

    @pytest.mark.parametrize(
        ("found", "gates", "decision", "reason"),
        [
            ([], [], "could not evaluate", "nothing ran: no case was selected"),
            ([E, U], [], "could not evaluate", "nothing was decided: 1 errored and 1 unscored of 2 trials"),
            ([P, F, E], [], "could not evaluate", "1 errored of 3 trials; allowed: none"),
            ([P, P, F], [], "failed", "1 of 3 cases did not pass: c2"),
            ([F] * 7, [], "failed", "7 of 7 cases did not pass: c0, c1, c2, c3, c4 and 2 more"),
            ([P, F], [Gate("g", 0.5, ("t",))], "passed",
             "gate g is met: 1 of 2 cases passed, needs 1; 1 of 2 cases did not pass, within the gates"),
            ([P, P], [Gate("g", 0.5, ("t",)), Gate("h", 1.0, ("t",))], "passed", "both gates are met"),
            ([P, F], [Gate("g", 0.9, ("t",))], "failed", "gate g is not met: 1 of 2 cases passed, needs 2"),
        ],
    )  # fmt: skip
    def test_says_why(self, found: list[Outcome], gates: list[Gate], decision: str, reason: str) -> None:
        assert decided(scored(*found), *gates) == (decision, reason)

    def test_looks_at_cases_outside_every_gate_too(self) -> None:
        scores = [*scored(P), *(CaseScore("a", "out", F, Counts.of([F]), 1, 1.0, 1, ""),)]
        assert decided(scores, ANY) == (Decision.FAILED, "1 of 1 case outside every gate did not pass: out")

    def test_is_made_for_each_agent_by_itself(self) -> None:
        scores = [*scored(P), *scored(F, agent="b")]
        decision, reason = decided(scores, ANY)
        assert decision is Decision.FAILED
        assert reason == "gate all (b) is not met: 0 of 1 case passed, needs 1"

    def test_names_the_agent_of_a_case_outside_every_gate_where_there_are_several(self) -> None:
        assert decided([*scored(P, F), *scored(F, F, agent="b")]) == (
            Decision.FAILED,
            "3 of 4 cases did not pass: a/c1, b/c0, b/c1",
        )

    @given(st.integers(0, 20), st.integers(1, 20), st.floats(0, 1), st.floats(0, 1))
    def test_allows_no_larger_share_than_was_stated(self, errored: int, total: int, share: float, other: float) -> None:
        trials = Counts(passed=max(0, total - errored), errored=min(errored, total))
        assert within(trials, Allowance(share, other)) == (trials.errored <= share * trials.total)

    def test_tolerates_what_is_allowed_and_says_so(self) -> None:
        found = decided(scored(P, P, P, E), allowance=Allowance(errored=0.25))
        assert found == (
            Decision.PASSED,
            "3 of 4 cases passed; 1 errored of 4 trials, which is allowed",
        )
        assert decided(scored(P, P, F, E), allowance=Allowance(errored=0.25))[0] is Decision.FAILED
        assert decided(scored(P, P, P, U), allowance=Allowance(errored=0.25))[1] == (
            "1 unscored of 4 trials; allowed: 0.25 errored"
        )

    def test_beyond_what_is_allowed_leaves_gates_with_a_missing_case_undecided(self) -> None:
        scores = scored(P, P, E)
        trials = Counts.of(score.outcome for score in scores)
        for share, status in ((0.0, GateStatus.UNDECIDED), (0.5, GateStatus.MET)):
            _, _, [gate] = decide(scores, [Gate("g", 0.5, ("t",))], trials, Allowance(errored=share))
            assert gate.status is status

    def test_on_skipped_cases_only_is_no_pass_but_upstream(self) -> None:
        assert decided(scored(S, S)) == (Decision.COULD_NOT_EVALUATE, "nothing ran: all 2 trials were skipped")
        assert decided(scored(S, S), upstream=True)[0] is Decision.PASSED

    @pytest.mark.parametrize("missing", [E, U])
    def test_is_not_made_while_a_missing_case_could_turn_a_gate(self, missing: Outcome) -> None:
        found = decided(scored(P, F, missing), Gate("g", 0.5, ("t",)), allowance=Allowance(1.0, 1.0))
        assert found == (
            Decision.COULD_NOT_EVALUATE,
            "gate g: 1 of 3 cases passed, needs 2; 1 could not be evaluated",
        )
