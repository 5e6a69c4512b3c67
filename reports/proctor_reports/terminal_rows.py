"""What the terminal summary says of recorded rows: a table of dimensions, then the baseline and the judges."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.dimension_scores import DimensionScore, Regression
from proctor.results import GateStatus, Summary
from proctor_reports.comparison_text import CHANGE_SYMBOLS, comparison_line, moved, trusts, unmoved_line
from proctor_reports.dimension_text import (
    controls_line,
    decided_by,
    needs_line,
    passed_line,
    rate_line,
    why_line,
)
from proctor_reports.own_gates import other_gates
from proctor_reports.summary_text import GATE_SYMBOLS, interval, rate
from proctor_reports.terminal_page import Page, Row

_RIGHT = frozenset({1, 2, 3, 4, 5})


def show_dimensions(page: Page, summary: Summary) -> None:
    """Show each dimension in a line, with a sentence below where it is not met or a control was missed.

    Where the page is too narrow for columns, each dimension is a sentence.
    """
    if not summary.dimensions:
        return
    page.blank()
    if not any(page.table(rows, right=_RIGHT) for rows in _tables(summary)):
        page.line("Dimensions")
        for score in summary.dimensions:
            text = f"{GATE_SYMBOLS[score.status]} {score.name} {score.status}: {score.reason}"
            page.line(text, indent=2, paint=score.status)


def show_comparison(page: Page, found: Regression | None) -> None:
    """Say what moved against the baseline, with the reason, and name the rest."""
    if found is None:
        return
    page.blank()
    page.line(f"Rows against the baseline {found.baseline}: {comparison_line(found)}")
    for change in moved(found):
        text = f"{CHANGE_SYMBOLS[change.change]} {change.dimension} {change.change}: {change.reason}"
        page.line(text, indent=2, paint=change.change)
    page.line(unmoved_line(found), indent=2)


def show_judges(page: Page, summary: Summary) -> None:
    """Say of each judged dimension whether its judge can be trusted, unless a gate has said it."""
    said = " ".join(gate.reason for gate in other_gates(summary))
    found = [trust for trust in trusts(summary) if trust.status not in said]
    if not found:
        return
    page.blank()
    for trust in found:
        page.line(f"Judge of {trust.dimension}: {trust.word}; {trust.status}")


def _tables(summary: Summary) -> Iterator[list[Row]]:
    """The dimensions in all columns, and then without the last one, which is of the least use."""
    chances = {found.k for score in summary.dimensions if (found := score.reliability)}
    repeated = [f"pass^{k}" for k in sorted(chances)]
    head = ("Dimensions", "passed", "rate", "95 %", "needs", *repeated, "by")
    rows = [Row(head, indent=0)]
    for score in summary.dimensions:
        cells = [*_figures(score), *([_chance(score)] if repeated else [])]
        rows.append(Row((*cells, decided_by(score, self_test=summary.self_test)), score.status, _note(score)))
    yield rows
    yield [row._replace(cells=row.cells[:-1]) for row in rows]


def _figures(score: DimensionScore) -> Iterator[str]:
    yield f"{GATE_SYMBOLS[score.status]} {score.name}"
    yield passed_line(score)
    yield rate_line(score)
    yield interval(score.low, score.high) if score.rows.decided else ""
    yield needs_line(score)


def _chance(score: DimensionScore) -> str:
    found = score.reliability
    return "" if found is None or found.pass_hat_k is None else rate(found.pass_hat_k)


def _note(score: DimensionScore) -> str:
    if score.status is not GateStatus.MET:
        return f"{score.status}{f': {score.reason}' if why_line(score) else ''}"
    return controls_line(score.controls) if score.controls.total else ""
