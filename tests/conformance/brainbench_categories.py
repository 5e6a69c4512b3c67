"""Vectors of categories 5, 8 and 9, of accounting, runs, orders and rankings. Bundles are elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Facts, Tokens, facts_of
from proctor.brainbench.judging.rubric import RubricVerdict
from proctor.brainbench.judging.rubric_reply import Settled, settle
from proctor.brainbench.prices import AGENT_PRICE, JUDGE_PRICE
from proctor.brainbench.probes import COMPLIANCE, Label, Probe, Tier
from proctor.brainbench.retrieval.order import seeded_order
from proctor.brainbench.retrieval.ranking import rank_at
from proctor.brainbench.scoring.accounting import Accounting, Origin, ProbeError, account
from proctor.brainbench.scoring.claims import CLAIM_THRESHOLD, JUDGE_FAILED, LabelledClaim, claim_run
from proctor.brainbench.scoring.compliance import compliance_run
from proctor.brainbench.scoring.rules import Rule, rule_findings
from proctor.brainbench.scoring.runs import spread_of
from proctor.brainbench.scoring.verdicts import CategoryVerdict, receipt_of
from proctor.brainbench.scoring.workflows import WORKFLOW_THRESHOLD, WorkflowRun, workflow_run
from proctor.plan import CriterionSpec
from tests.conformance.members import member_differences
from tests.conformance.verdict import Difference, Vector

Seen: TypeAlias = Mapping[str, Any]

_ERAS: Final = {"seed": Era.SEED, "post_audit": Era.POST_AUDIT}
_RULE_KEYS: Final = {
    "brain_first": Rule.BRAIN_FIRST,
    "back_link": Rule.BACK_LINK,
    "citation_format": Rule.CITATION_FORMAT,
    "tier_escalation": Rule.TIER_ESCALATION,
}


def is_category_vector(vector: Vector) -> bool:
    """A row of the suite that is not about bundles."""
    return vector.get("suite") == "categories" and vector.get("kind") in _RUN


def run_category_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Compare what both eras make of a row, as far as it says what they should."""
    run = _RUN[vector["kind"]]
    return [
        difference
        for name, era in _ERAS.items()
        if name in vector
        for difference in member_differences(name, vector[name], run(vector, era))
    ]


def _skill_compliance(vector: Vector, era: Era) -> Seen:
    holds = {finding.name: finding.holds for finding in rule_findings(*_compliance_item(vector, era), era)}
    return {key: holds[rule] for key, rule in _RULE_KEYS.items()}


def _skill_compliance_run(vector: Vector, era: Era) -> Seen:
    items = [_compliance_item(item, era) for item in vector["items"]]
    found = {probe.id: rule_findings(probe, facts, era) for probe, facts in items}
    options = vector["options"]
    given = {Rule(name): value for name, value in options.get("thresholds", {}).items()}
    run = compliance_run(tuple(found), found, thresholds=given if options["enableThreshold"] else None, era=era)
    return {
        "total_probes": run.accounting.n_total,
        **{rule.value: share for rule, share in run.rates.items()},
        "total_cost_usd": sum(AGENT_PRICE.of(facts.summed) for _, facts in items),
        "verdict": run.verdict.value,
    }


def _compliance_item(item: Mapping[str, Any], era: Era) -> tuple[Probe, Facts]:
    raw = item["probe"]
    expects_write = raw.get("expects_dry_run_write", False)
    probe = Probe(raw["id"], raw["text"], COMPLIANCE, tier=Tier(raw["tier"]), expects_write=expects_write)
    return probe, facts_of(item["transcript"], era)


def _workflow_run(vector: Vector, era: Era) -> Seen:
    scenarios = [item["scenario"] for item in vector["items"]]
    settled = {item["scenario"]["id"]: _settled(item, era) for item in vector["items"]}
    judged = {scenario: found for scenario, found in settled.items() if found.verdict is not RubricVerdict.JUDGE_FAILED}
    options = vector["options"]
    run = workflow_run(
        planned={scenario["id"]: scenario["workflow"] for scenario in scenarios},
        passed={scenario: found.verdict is RubricVerdict.PASS for scenario, found in judged.items()},
        errors=[
            ProbeError(scenario, Origin.JUDGE, found.rationale)
            for scenario, found in settled.items()
            if scenario not in judged
        ],
        threshold=options.get("passRateThreshold", WORKFLOW_THRESHOLD) if options.get("enableThreshold") else None,
        era=era,
    )
    agents = sum(AGENT_PRICE.of(facts_of(item["transcript"], era).summed) for item in vector["items"])
    return {
        **_booked(run.accounting, run.verdict),
        **_workflow_rates(run),
        "verdicts": [found.verdict.value for found in settled.values()],
        "total_cost_usd": agents + sum(found.asked.cost_usd for found in settled.values()),
        "verdict": run.verdict.value,
    }


def _settled(item: Mapping[str, Any], era: Era) -> Settled:
    rubric = [CriterionSpec(raw["id"], raw["criterion"], raw["weight"]) for raw in item["scenario"]["rubric"]]
    return settle(item["judge"], rubric, era)


def _workflow_rates(run: WorkflowRun) -> Seen:
    return {
        "total_scenarios": run.accounting.n_total,
        "scored_scenarios": run.accounting.n_scored,
        "overall_pass_rate": run.pass_rate,
        "per_workflow": [
            {"workflow": found.workflow, "total": found.total, "passed": found.passed, "pass_rate": found.pass_rate}
            for found in run.per_workflow
        ],
    }


def _provenance_run(vector: Vector, era: Era) -> Seen:
    claims = [_labelled(score) for score in vector["scores"]]
    threshold = CLAIM_THRESHOLD if vector["options"].get("enableThreshold") else None
    run = claim_run([claim.claim_id for claim in claims], claims, threshold=threshold, era=era)
    return {
        "schema_version": 1,
        "total_claims": run.accounting.n_total,
        "by_predicted": run.by_predicted,
        "by_expected": run.by_expected,
        "citation_accuracy": run.accuracy,
        "judge_failure_rate": run.judge_failure_rate,
        "total_cost_usd": JUDGE_PRICE.of(run.tokens),
        "total_input_tokens": run.tokens.input,
        "total_output_tokens": run.tokens.output,
        "verdict": run.verdict.value,
    }


def _labelled(score: Mapping[str, Any]) -> LabelledClaim:
    predicted = score["predicted_label"]
    return LabelledClaim(
        claim_id=score["claim_id"],
        expected=Label(score["expected_label"]),
        predicted=None if predicted == JUDGE_FAILED else Label(predicted),
        reason=score["judge_rationale"],
        tokens=Tokens(score["input_tokens"], score["output_tokens"]),
    )


def _runs(vector: Vector, _era: Era) -> Seen:
    spread = spread_of(vector["values"])
    assert spread is not None
    return {"mean": spread.mean, "stddev": spread.stddev, "printed": str(spread)}


def _seeded_order(vector: Vector, _era: Era) -> Seen:
    return {"order": seeded_order(vector["items"], vector["seed_value"])}


def _ranking(vector: Vector, era: Era) -> Seen:
    found = rank_at(vector["docs"], vector["relevant"], vector["k"], era)
    return {"precision": found.precision, "recall": found.recall}


def _accounting(vector: Vector, era: Era) -> Seen:
    errors = [ProbeError(error["probe_id"], Origin(error["origin"])) for error in vector["errors"]]
    planned: Sequence[str] = list(dict.fromkeys((*vector["scored"], *(error.probe_id for error in errors))))
    assert len(planned) == vector["planned"]
    booked = account(planned, vector["scored"], errors, era)
    return {**_booked(booked, CategoryVerdict.BASELINE_ONLY), "mean": booked.mean}


def _booked(accounting: Accounting, verdict: CategoryVerdict) -> Seen:
    return {
        **receipt_of(accounting, verdict).to_json(),
        "infra_error_rate": accounting.infra_error_rate,
        "run_invalid": accounting.run_invalid,
    }


_RUN: Final[Mapping[str, Callable[[Vector, Era], Seen]]] = {
    "skill_compliance": _skill_compliance,
    "skill_compliance_run": _skill_compliance_run,
    "workflow_run": _workflow_run,
    "provenance_run": _provenance_run,
    "runs": _runs,
    "seeded_order": _seeded_order,
    "ranking": _ranking,
    "accounting": _accounting,
}
