"""What a judge answers about a recorded transcript: a score for each criterion of a rubric, or the label of a claim."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from proctor.brainbench.judging.rubric import HIGHEST_POINTS, LOWEST_POINTS, coverage_flaw, points
from proctor.brainbench.probes import Label
from proctor.judges.answer_kinds import Answer
from proctor.judges.findings import Finding, rubric_finding
from proctor.plan import CriterionSpec, JudgeRequest
from proctor.results import CriterionScore


def _points(value: object) -> float:
    found = points(value)
    if found is None:
        raise ValueError(f"a score is a number from {LOWEST_POINTS} to {HIGHEST_POINTS}")
    return found


class ScoredCriterion(BaseModel):
    """One criterion: the rationale, then its score."""

    model_config = ConfigDict(title="Criterion")

    criterion_id: str = Field(description="The id of the criterion, as the begin line of its section has it.")
    rationale: str = Field(description="What in the evidence decides this criterion, in one sentence.")
    score: Annotated[float, BeforeValidator(_points)] = Field(
        description="0 to 5; fractions are allowed.",
        json_schema_extra={"minimum": LOWEST_POINTS, "maximum": HIGHEST_POINTS},
    )


class RubricScores(Answer):
    """The scores: the reasoning, then one score for each criterion."""

    field = "scores"
    text_rule = (
        'Answer with one JSON object and nothing else: {"reasoning": "…", "scores": [{"criterion_id": "…", '
        '"rationale": "…", "score": 3}]}, with one entry for each criterion and scores '
        f"from {LOWEST_POINTS} to {HIGHEST_POINTS}."
    )

    scores: list[ScoredCriterion] = Field(description="Exactly one entry for each criterion of the rubric.")

    @classmethod
    def why_unaskable(cls, request: JudgeRequest) -> str | None:
        """Say why a request cannot be answered with scores; None when it can."""
        if not request.criteria:
            return f'a question about "{request.subject}" needs criteria'
        if request.passing_score is None:
            return f'a question about "{request.subject}" has to say which score passes'
        return _why_no_rubric(request.criteria)

    def gap(self, request: JudgeRequest) -> str | None:
        """Say which criteria have no score, several, or do not exist; None where each of the rubric's has one."""
        flaw = coverage_flaw([entry.criterion_id for entry in self.scores], request.criteria)
        return flaw.text if flaw and request.full_coverage else None

    def finding(self, request: JudgeRequest) -> Finding:
        """What the scores come to. They are put in the order of the rubric."""
        places = {criterion.id: place for place, criterion in enumerate(request.criteria)}
        entries = sorted(self.scores, key=lambda entry: places.get(entry.criterion_id, len(places)))
        scores = [CriterionScore(entry.criterion_id, entry.score, entry.rationale) for entry in entries]
        return rubric_finding(scores, request)


class ClaimLabel(Answer):
    """The finding: the reasoning, then the label of the claim."""

    field = "label"
    text_rule = (
        'Answer with one JSON object and nothing else: {"reasoning": "…", "label": "…"}, '
        f"where the label is {', '.join(tuple(Label)[:-1])} or {tuple(Label)[-1]}."
    )

    label: Label = Field(description="How far the sources back the claim.")

    @classmethod
    def why_unaskable(cls, request: JudgeRequest) -> str | None:
        """Say why a request cannot be answered with a label; None when it can."""
        if request.criteria:
            return super().why_unaskable(request)
        if request.expects not in tuple(Label):
            return f'a question about "{request.subject}" has to expect one of the labels {", ".join(Label)}'
        return None


def _why_no_rubric(criteria: tuple[CriterionSpec, ...]) -> str | None:
    """An id that a judge cannot be shown as it is, it cannot give back either."""
    ids = [criterion.id for criterion in criteria]
    if len(set(ids)) < len(ids):
        return "two criteria have one id"
    if any(" ".join(name.split()) != name or not name.isprintable() or not name for name in ids):
        return "the id of a criterion has to be one line of printable text, with single blanks"
    if any(criterion.weight <= 0 for criterion in criteria):
        return "the weight of a criterion has to be above 0"
    return None
