"""What the Markdown report says of recorded rows: dimensions, repeated cases, the baseline, and the judges."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.dimension_scores import DimensionScore, Regression
from proctor.markdown_text import cell, code, prose, table_row
from proctor.results import Summary
from proctor_reports.comparison_text import CHANGE_SYMBOLS, comparison_line, moved, trusts, unmoved_line
from proctor_reports.dimension_text import (
    controls_line,
    decided_by,
    measures_line,
    needs_in_full,
    passed_line,
    rate_line,
    reliability_line,
    why_line,
)
from proctor_reports.markdown_block import Block
from proctor_reports.summary_text import GATE_SYMBOLS, interval


def dimension_blocks(summary: Summary) -> Iterator[Block]:
    """Show the dimensions in a table; then what more there is to say of some of them, and of their judges."""
    rows = [_dimension(score, self_test=summary.self_test) for score in summary.dimensions]
    head = ["| Status | Dimension | Passed | Rate | 95 % interval | Needs | Decided by | Why |", f"|{'---|' * 8}"]
    yield Block(["", "### Dimensions of the recorded rows", "", *head], rows, "dimension")
    yield Block([""], [line for score in summary.dimensions for line in _notes(score)], "line")
    yield Block(
        ["", "### How far the judges can be trusted", ""],
        [f"- {code(trust.dimension)}: {trust.word}; {prose(trust.status)}" for trust in trusts(summary)],
        "judge",
    )


def comparison_block(found: Regression) -> Block:
    """Compare the rows with those of the baseline: what moved is told in full, the rest by name."""
    head = ["", f"### Recorded rows against the baseline {code(found.baseline)}", "", f"{prose(_sentence(found))}", ""]
    rows = [
        f"- {CHANGE_SYMBOLS[change.change]} {change.change} {code(change.dimension)}: {prose(change.reason)}"
        for change in moved(found)
    ]
    rest = unmoved_line(found)
    lines = [*rows, *([f"- {prose(_sentence_of(rest))}"] if rest else [])]
    return Block(head, lines, "dimension") if lines else Block(head[:-1])


def _dimension(score: DimensionScore, *, self_test: bool) -> str:
    around = interval(score.low, score.high) if score.rows.decided else ""
    cells = (
        f"{GATE_SYMBOLS[score.status]} {score.status}",
        cell(score.name),
        passed_line(score),
        rate_line(score),
        around,
        needs_in_full(score),
        prose(decided_by(score, self_test=self_test), 80),
        prose(why_line(score), 300),
    )
    return table_row(*cells)


def _notes(score: DimensionScore) -> Iterator[str]:
    name = code(score.name)
    if score.reliability is not None:
        alike = f"; interval with repeated trials counted as alike {interval(*score.cluster)}" if score.cluster else ""
        yield f"- Repeated cases of {name}: {prose(reliability_line(score.reliability) + alike)}"
    if score.controls.total:
        yield f"- Controls of {name}: {controls_line(score.controls)}"
    if score.measures is not None:
        yield f"- Measured {name}: {prose(measures_line(score.name, score.measures))}"


def _sentence(found: Regression) -> str:
    return _sentence_of(comparison_line(found))


def _sentence_of(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
