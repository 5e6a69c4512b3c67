"""The dimension ``grounding``: what an agent claims is supported by the context that it was given.

Only a judge can tell; without one every row is skipped, but for those whose agent answered nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from typing_extensions import override

from proctor.checks.dimensions.base import Dimension, Finding, Row, RowIssue, RowResult
from proctor.checks.dimensions.graded_text import (
    NOTHING_ANSWERED,
    NOTHING_TO_VERIFY,
    output_of,
    says_something,
    text_of,
)
from proctor.dataset import RowSettings
from proctor.plan import Evidence, JudgeRequest
from proctor.results import Outcome

PASSING_SCORE: Final = 4
"""The lowest score, of 1 to 5, with which an answer is grounded."""

RUBRIC: Final = """\
How well does the context support the claims of the answer? Give one whole number:
5: every claim is stated in the context, or follows from it.
4: every claim that matters is supported; what is not is trivial, and nothing contradicts the context.
3: a claim that matters is not in the context, though nothing contradicts it.
2: most claims are not in the context, or one contradicts it.
1: the answer is made up, or contradicts the context as a whole.
Only the context counts, not what is true in the world. To say that the context does not tell is a claim like any \
other: it is supported if the context indeed does not tell. Style, politeness and length do not matter."""

_SKIPPED: Final = RowResult(
    Outcome.SKIPPED, (Finding("skipped", "", "no judge is named, and only a judge can say what the context supports"),)
)


class Grounding(Dimension):
    """Whether a judge finds the answer supported by ``context``, on a scale of five steps."""

    name: Final = "grounding"
    threshold: Final = 0.9
    required: Final = ("agent_output",)
    answer_key: Final = ("context",)
    is_judged: Final = True
    needs_judge: Final = True

    @override
    def issues(self, row: Row, settings: RowSettings) -> Iterable[RowIssue]:
        """Nothing beyond what the row schema says."""
        return ()

    @override
    def is_labeled(self, row: Row, settings: RowSettings) -> bool:
        """Whether there is a context, not blank."""
        return says_something(row.get("context"))

    @override
    def score(self, row: Row, settings: RowSettings) -> RowResult | JudgeRequest:
        """Ask the judge, if there is one."""
        output = output_of(row)
        if not output:
            return NOTHING_ANSWERED
        if not settings.has_judge:
            return _SKIPPED
        if not says_something(row.get("context")):
            return NOTHING_TO_VERIFY
        evidence = (Evidence("Context", text_of(row, "context")), Evidence("Answer", output))
        return JudgeRequest("grounding", RUBRIC, evidence, passing_score=PASSING_SCORE)


GROUNDING: Final = Grounding()
