"""What a judge and a reviewer grade: the text that a review belongs to, whatever run it is met in."""

from __future__ import annotations

from proctor.brainbench.judging.evidence import UnresolvedGold, build_evidence
from proctor.checks.brainbench import BrainTrace, RubricCheck
from proctor.jsonvalue import digest
from proctor.plan import Case
from proctor.results import TrialRef
from proctor.stages.cases import Cases


def graded_texts(cases: Cases) -> dict[TrialRef, str]:
    """The digests of the texts of all recorded trials that have one, in the order of their files.

    Raises:
        SourceChanged: a file is not what it was at validation.
    """
    found = {ref: graded_text(cases.of(ref)) for ref in cases.judged_refs() if cases.is_recorded(ref)}
    return {ref: content for ref, content in found.items() if content is not None}


def graded_text(case: Case) -> str | None:
    """The digest of a question, its rubric, the answer and the gold pages; None where a rubric has nothing to grade.

    How the agent came by its answer is no part of it, nor who it is: an equal answer has equal reviews.
    """
    trace = None if case.recorded is None else case.recorded.trace
    if rubric_check(case) is None or not isinstance(trace, BrainTrace) or trace.probe is None:
        return None
    try:
        evidence = build_evidence(trace.probe, trace.facts, trace.companions.pages, trace.companions.planted, trace.era)
    except UnresolvedGold:
        return None
    if not evidence.final_answer_text:
        return None
    rubric = [[each.id, each.text, each.weight] for each in evidence.rubric]
    gold = [[page.slug, page.title, page.content] for page in evidence.ground_truth_pages]
    return digest([evidence.probe_text, rubric, evidence.final_answer_text, gold])


def rubric_check(case: Case) -> RubricCheck | None:
    """The check of a case that scores its answer by a rubric."""
    return next((check for check in case.checks if isinstance(check, RubricCheck)), None)
