"""What judges said of the trials in a bundle, as the benchmark's own judge would leave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from proctor.brainbench.judging.rubric import RubricVerdict, verdict_of
from proctor.convert.brainbench.exporting import ExportedTrial
from proctor.masking import Masker
from proctor.results import CheckKind, CheckResult, Outcome, Verdict


def judge_notes_of(trials: Sequence[ExportedTrial], masker: Masker | None) -> list[dict[str, Any]]:
    """A note for each verdict, in the order of the trials; ``check`` names the check that asked for it."""
    notes = [note for trial in trials for note in _notes(trial)]
    return notes if masker is None else [masker.mask(note) for note in notes]


def _notes(trial: ExportedTrial) -> Iterator[dict[str, Any]]:
    for check in trial.score.checks:
        if check.kind is CheckKind.JUDGED and check.verdict is not None:
            yield {
                "probe_id": trial.transcript["probe_id"],
                "run": trial.number,
                "check": check.name,
                "verdict": _verdict(check, check.verdict).value,
                "scores": [
                    {"criterion_id": each.id, "score": each.score, "rationale": each.rationale}
                    for each in check.verdict.criteria
                ],
                **({} if check.verdict.score is None else {"overall_score": check.verdict.score}),
                "overall_rationale": check.verdict.reasoning,
                "judge_model": check.verdict.model,
            }


def _verdict(check: CheckResult, verdict: Verdict) -> RubricVerdict:
    """Of scored criteria, what their mean comes to; of any other judge, whether the check passed."""
    if verdict.passed is None:
        return RubricVerdict.JUDGE_FAILED
    if verdict.criteria and verdict.score is not None:
        return verdict_of(verdict.score)
    return RubricVerdict.PASS if check.outcome is Outcome.PASSED else RubricVerdict.FAIL
