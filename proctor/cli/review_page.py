"""An answer on a terminal, as its judge saw it. All of it is foreign text, so none of it can look like ours.

Every line of foreign text stands behind a bar, and long ones are broken before the terminal breaks them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from proctor.brainbench.judging.rubric import HIGHEST_POINTS, LOWEST_POINTS, shown_id
from proctor.cli.output import width
from proctor.excerpt import mark_controls, shorten
from proctor.judges.prompts import EVIDENCE_LIMIT
from proctor.plan import CriterionSpec
from proctor.stages.reviews.desk import Reviewable

_BAR: Final = "  | "
_NARROWEST: Final = 20

SCALE: Final = (
    f"{HIGHEST_POINTS}: fully met; 3 to 4: minor gaps; 1 to 2: major gaps or hedging; "
    f"{LOWEST_POINTS}: absent, contradicted or invented"
)
"""What points mean, in the words that a judge is given."""

KEYS: Final = "s skips the answer, b goes back, ? shows it again, q (or Ctrl-D) ends; what is stored is kept"


def page_lines(answer: Reviewable) -> Iterator[str]:
    """The evidence, then the rubric. Nothing of what a judge said is in it, nor who answered."""
    for evidence in answer.question.evidence:
        yield mark_controls(evidence.title)
        yield from _barred(shorten(evidence.text, EVIDENCE_LIMIT))
        yield ""
    criteria = answer.question.criteria
    yield "Rubric"
    for number, criterion in enumerate(criteria, start=1):
        yield f"{number}. {criterion_name(criterion)}"
        yield from _barred(criterion.text)
    yield ""
    yield f"Points: {SCALE}. The gold pages are the only facts."
    yield f"Write the points of each criterion, then a note if there is something to say. Keys: {KEYS}."


def criterion_name(criterion: CriterionSpec) -> str:
    """A criterion by its id, with its weight."""
    return f"{shown_id(criterion.id)} (weight {criterion.weight})"


def _barred(text: str) -> Iterator[str]:
    room = max(_NARROWEST, width() - len(_BAR) - 1)
    for line in mark_controls(text).split("\n"):
        yield from (f"{_BAR}{part}" for part in _broken(line.expandtabs(4), room))


def _broken(line: str, room: int) -> list[str]:
    """A line in parts of at most so many cells; some characters take two."""
    from rich.cells import cell_len, chop_cells

    if len(line) <= room and cell_len(line) <= room:
        return [line]
    if cell_len(line) == len(line):
        return textwrap.wrap(line, room, replace_whitespace=False, drop_whitespace=False) or [""]
    return chop_cells(line, room)
