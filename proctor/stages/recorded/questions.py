"""The questions of recorded rows, made again from their file: they are not kept in the store."""

from __future__ import annotations

from proctor.dataset import RECORDED
from proctor.results import TrialRef
from proctor.stages.questions import Questions
from proctor.stages.recorded.chunks import RowChunk
from proctor.stages.recorded.scoring import row_checks, scored_rows
from proctor.stages.run import Run


def open_row_questions(run: Run, chunk: RowChunk) -> Questions:
    """The questions of a span whose rows wait for a judge, in the order of the file.

    Raises:
        SourceChanged: the span is not what it was at validation.
    """
    asking = {TrialRef(RECORDED, item.line.key, 0): item for item in scored_rows(run, chunk)}
    waiting = {trial.ref: trial for trial in run.store.pending(run.id, asking)}
    questions: Questions = {}
    for ref, item in asking.items():
        trial = waiting.get(ref)
        if trial is not None:
            checks = list(row_checks(item.row, item.found, run.own_checks))
            questions[trial] = [(pending, checks[pending.position]) for pending in trial.checks]
    return questions
