"""Categories 5, 8 and 9 as a whole: rates, thresholds, verdicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Tokens
from proctor.brainbench.prices import AGENT_PRICE
from proctor.brainbench.probes import Label
from proctor.brainbench.scoring.accounting import Origin, ProbeError
from proctor.brainbench.scoring.claims import CLAIM_THRESHOLD, LabelledClaim, claim_run
from proctor.brainbench.scoring.compliance import RULE_THRESHOLDS, compliance_run
from proctor.brainbench.scoring.rules import RULES, Rule, RuleFinding
from proctor.brainbench.scoring.verdicts import CategoryVerdict
from proctor.brainbench.scoring.workflows import WORKFLOW_THRESHOLD, WORKFLOWS, WorkflowRun, workflow_run

Findings = tuple[RuleFinding, ...]


def findings(*broken: Rule) -> Findings:
    return tuple(RuleFinding(rule, rule not in broken, "") for rule in RULES)


def named(found: list[Findings]) -> dict[str, Findings]:
    return {f"q-{number:04d}": each for number, each in enumerate(found)}


class TestCompliance:
    def test_rates_each_rule_over_the_scored_probes(self) -> None:
        found = named([findings(), findings(Rule.BRAIN_FIRST), findings(Rule.BRAIN_FIRST, Rule.BACK_LINK), findings()])
        run = compliance_run(tuple(found), found)
        assert run.rates == {
            Rule.BRAIN_FIRST: 0.5,
            Rule.BACK_LINK: 0.75,
            Rule.CITATION_FORMAT: 1.0,
            Rule.TIER_ESCALATION: 1.0,
        }
        assert run.accounting.scores == {"q-0000": 1.0, "q-0001": 0.75, "q-0002": 0.5, "q-0003": 1.0}
        assert run.verdict is CategoryVerdict.BASELINE_ONLY

    def test_counts_a_crash_of_the_agent_against_every_rule(self) -> None:
        found = named([findings(), findings(), findings()])
        run = compliance_run((*found, "q-9"), found, [ProbeError("q-9", Origin.SUT, "crashed")])
        assert {*run.rates.values()} == {0.75}

    def test_leaves_a_broken_harness_out(self) -> None:
        found = named([findings(), findings(), findings()])
        run = compliance_run((*found, "q-9"), found, [ProbeError("q-9", Origin.HARNESS, "crashed")], thresholds={})
        assert {*run.rates.values()} == {1.0}
        assert run.verdict is CategoryVerdict.PASS
        assert not run.accounting.publishable

    @pytest.mark.parametrize("rule", RULES)
    def test_has_inclusive_thresholds_of_which_all_are_needed(self, rule: Rule) -> None:
        missed = round((1 - RULE_THRESHOLDS[rule]) * 100)
        at = named([findings(rule)] * missed + [findings()] * (100 - missed))
        below = named([findings(rule)] * (missed + 1) + [findings()] * (99 - missed))
        assert compliance_run(tuple(at), at, thresholds={}).verdict is CategoryVerdict.PASS
        assert compliance_run(tuple(below), below, thresholds={}).verdict is CategoryVerdict.FAIL
        lowered = {rule: RULE_THRESHOLDS[rule] - 0.01}
        assert compliance_run(tuple(below), below, thresholds=lowered).verdict is CategoryVerdict.PASS

    def test_never_passes_on_nothing(self) -> None:
        zero = dict.fromkeys(RULES, 0.0)
        assert compliance_run((), {}, thresholds=zero).verdict is CategoryVerdict.SKIPPED
        assert {*compliance_run((), {}, thresholds=zero).rates.values()} == {None}
        seed = compliance_run((), {}, thresholds={}, era=Era.SEED)
        assert seed.verdict is CategoryVerdict.FAIL
        assert {*seed.rates.values()} == {0.0}

    @given(st.lists(st.sampled_from(Origin), min_size=1, max_size=12))
    def test_never_passes_without_a_scored_probe(self, origins: list[Origin]) -> None:
        errors = [ProbeError(f"q-{number}", origin) for number, origin in enumerate(origins)]
        run = compliance_run([error.probe_id for error in errors], {}, errors, thresholds={})
        assert run.verdict in (CategoryVerdict.FAIL, CategoryVerdict.INVALID)


class TestWorkflows:
    def run(self, *passed: bool, threshold: float | None = WORKFLOW_THRESHOLD) -> WorkflowRun:
        planned = {f"s-briefing-{number}": "briefing" for number in range(len(passed))}
        return workflow_run(planned, dict(zip(planned, passed, strict=True)), threshold=threshold)

    def test_pass_from_four_scenarios_of_five(self) -> None:
        assert self.run(True, True, True, True, False).verdict is CategoryVerdict.PASS
        assert self.run(True, True, True, False).verdict is CategoryVerdict.FAIL
        assert self.run(False, threshold=None).verdict is CategoryVerdict.BASELINE_ONLY

    def test_have_to_reach_it_each(self) -> None:
        planned = {**{f"s-briefing-{number}": "briefing" for number in range(9)}, "s-sync-1": "sync"}
        passed = {scenario: workflow == "briefing" for scenario, workflow in planned.items()}
        found = workflow_run(planned, passed, threshold=WORKFLOW_THRESHOLD)
        assert found.pass_rate == 0.9
        assert found.verdict is CategoryVerdict.FAIL

    def test_are_told_in_the_order_of_the_benchmark_and_then_the_users_own(self) -> None:
        found = workflow_run({"a": "triage", "b": "sync"}, {"a": True, "b": True})
        assert [each.workflow for each in found.per_workflow] == [*WORKFLOWS, "triage"]
        assert [each.pass_rate for each in found.per_workflow] == [None, None, None, None, 1.0, 1.0]

    def test_are_not_blamed_for_a_judge_that_fails(self) -> None:
        planned = {"s-1": "sync", "s-2": "sync"}
        errors = [ProbeError("s-2", Origin.JUDGE, "no verdict")]
        now = workflow_run(planned, {"s-1": True}, errors, WORKFLOW_THRESHOLD)
        assert (now.pass_rate, now.verdict, now.accounting.publishable) == (1.0, CategoryVerdict.PASS, False)
        seed = workflow_run(planned, {"s-1": True}, errors, WORKFLOW_THRESHOLD, Era.SEED)
        assert (seed.pass_rate, seed.verdict) == (0.5, CategoryVerdict.FAIL)

    def test_never_pass_on_nothing(self) -> None:
        assert workflow_run({}, {}, threshold=0.0).verdict is CategoryVerdict.SKIPPED
        assert workflow_run({}, {}, threshold=0.8, era=Era.SEED).verdict is CategoryVerdict.PASS
        lost = workflow_run({"s-1": "sync"}, {}, [ProbeError("s-1", Origin.JUDGE)], threshold=0.0)
        assert (lost.pass_rate, lost.verdict) == (None, CategoryVerdict.INVALID)


def claim(number: int, predicted: Label | None, expected: Label = Label.SUPPORTED) -> LabelledClaim:
    return LabelledClaim(f"claim-{number:03d}", expected, predicted, "no label", Tokens(500, 20))


def ids(claims: list[LabelledClaim]) -> list[str]:
    return [each.claim_id for each in claims]


class TestClaims:
    def test_are_counted_by_both_labels(self) -> None:
        claims = [
            claim(1, Label.SUPPORTED),
            claim(2, None, Label.UNSUPPORTED),
            claim(3, Label.OVER_GENERALIZED, Label.UNSUPPORTED),
        ]
        run = claim_run(ids(claims), claims)
        assert run.by_predicted == {"supported": 1, "unsupported": 0, "over-generalized": 1, "judge_failed": 1}
        assert run.by_expected == {"supported": 1, "unsupported": 2, "over-generalized": 0}
        assert (run.accuracy, run.tokens) == (0.5, Tokens(1500, 60))
        assert run.judge_failure_rate == pytest.approx(1 / 3)
        assert run.accounting.errors == (ProbeError("claim-002", Origin.JUDGE, "no label"),)

    def test_without_a_label_were_wrong_and_are_lost(self) -> None:
        claims = [claim(1, Label.SUPPORTED), claim(2, None)]
        assert claim_run(ids(claims), claims, era=Era.SEED).accuracy == 0.5
        assert claim_run(ids(claims), claims).accuracy == 1.0

    def test_pass_from_nine_of_ten(self) -> None:
        nine = [claim(number, Label.SUPPORTED if number else Label.UNSUPPORTED) for number in range(10)]
        assert claim_run(ids(nine), nine, threshold=CLAIM_THRESHOLD).verdict is CategoryVerdict.PASS
        assert claim_run(ids(nine[:9]), nine[:9], threshold=CLAIM_THRESHOLD).verdict is CategoryVerdict.FAIL
        assert claim_run(ids(nine), nine).verdict is CategoryVerdict.BASELINE_ONLY

    def test_that_never_came_to_the_judge_are_lost(self) -> None:
        errors = [ProbeError("claim-002", Origin.HARNESS, "no such page")]
        run = claim_run(["claim-001", "claim-002"], [claim(1, Label.SUPPORTED)], errors)
        assert (run.accuracy, run.accounting.n_lost, run.judge_failure_rate) == (1.0, 1, 0.0)
        assert list(run.accounting.errors) == errors

    def test_never_pass_on_nothing(self) -> None:
        assert claim_run([], [], threshold=0.0).verdict is CategoryVerdict.SKIPPED
        assert claim_run([], [], threshold=0.9, era=Era.SEED).verdict is CategoryVerdict.FAIL
        lost = claim_run(["claim-001"], [claim(1, None)], threshold=0.0)
        assert (lost.accuracy, lost.verdict) == (None, CategoryVerdict.INVALID)


class TestTheCost:
    def test_is_that_of_the_fixed_prices(self) -> None:
        assert str(AGENT_PRICE.of(Tokens(1_000_000, 100_000)).normalize()) == "4.5"
