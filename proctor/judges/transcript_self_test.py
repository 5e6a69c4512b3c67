"""The rules of the self-test judge for recorded transcripts: they count words, and understand nothing.

A word has three or more letters or digits; case does not matter, and fifteen fillers do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from proctor.brainbench.judging.rubric import HIGHEST_POINTS, shown_id
from proctor.brainbench.probes import Label
from proctor.judges.findings import Finding, finding_of, rubric_finding
from proctor.judges.row_self_test import FILLERS
from proctor.plan import JudgeRequest
from proctor.results import CriterionScore
from proctor.wording import count, share

ANSWER: Final = "Answer"
CLAIM: Final = "Claim"
SOURCE: Final = "Source page "
"""How the titles of the evidence begin that the rules look for. The list of the source pages is none of them."""

_WORD = re.compile(r"[^\W_]{3,}")
_LABELS = ((80, Label.SUPPORTED), (40, Label.OVER_GENERALIZED))
"""Percent of the claim's words that the sources have, and the label that this is worth."""


def _score_criteria(request: JudgeRequest) -> tuple[Finding | None, str]:
    """Give each criterion the share of its words that the answer has, of 5 points, with one decimal."""
    answer = _words(_texts(request, ANSWER))
    scores: list[CriterionScore] = []
    for criterion in request.criteria:
        wanted = _words([criterion.text])
        if not wanted:
            return None, f"criterion {shown_id(criterion.id)} has no word to look for"
        found = len(wanted & answer)
        rationale = f"{found} of {count(len(wanted), 'word')} of the criterion are in the answer"
        scores.append(CriterionScore(criterion.id, round(HIGHEST_POINTS * found / len(wanted), 1), rationale))
    return rubric_finding(scores, request), "each criterion has the share of its words that are in the answer"


def _label_claim(request: JudgeRequest) -> tuple[Finding | None, str]:
    """Label a claim by the share of its words that the sources have: from 80 %, from 40 %, less."""
    claim, sources = _words(_texts(request, CLAIM)), _words(_texts(request, SOURCE))
    if not claim:
        return None, "the claim has no word to look for"
    found = len(claim & sources)
    label = next((label for percent, label in _LABELS if 100 * found >= percent * len(claim)), Label.UNSUPPORTED)
    return finding_of(label, request), f"the sources have {share(found, len(claim), 'word')} of the claim"


TRANSCRIPT_RULES: Final[Mapping[str, Callable[[JudgeRequest], tuple[Finding | None, str]]]] = {
    "rubric_scores": _score_criteria,
    "claim_label": _label_claim,
}
"""For each subject of recorded transcripts: what the rule answers, None for nothing, and why."""


def _texts(request: JudgeRequest, title: str) -> Iterator[str]:
    return (item.text for item in request.evidence if item.title.startswith(title))


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())} - FILLERS
