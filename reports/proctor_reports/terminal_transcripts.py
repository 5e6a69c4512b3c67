"""What the terminal summary says of recorded transcripts: a table of metrics, then adapters and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.category_scores import Comparison, MetricScore, TranscriptFindings
from proctor.results import GateStatus, Summary
from proctor.wording import count
from proctor_reports.adapter_text import (
    INCONCLUSIVE,
    OUTCOME_SYMBOLS,
    SEEING,
    adapter_line,
    comparison_sentence,
    only_pair,
    planted_line,
    review_line,
)
from proctor_reports.metric_tables import MetricTable, metric_table, nobodys
from proctor_reports.terminal_page import Page, Row
from proctor_reports.transcript_text import (
    ONLY_A_BASELINE,
    STATUS_SYMBOLS,
    category_line,
    interval_line,
    is_held,
    metric_line,
    needs_line,
    passed_line,
    points_line,
    runs_line,
    status_word,
    why_line,
)

_RIGHT = frozenset({1, 2, 3})
_DIFFERENCES = 12
_LISTED = 5


def show_metrics(page: Page, summary: Summary) -> None:
    """Show each metric with a line for each adapter; where the page is too narrow for columns, with a sentence."""
    found = summary.transcripts
    if found is None:
        return
    page.blank()
    if found.metrics and not is_held(found):
        page.line(ONLY_A_BASELINE)
    table = metric_table(found)
    lines = [*_lines(table), *((_label(score.name, score.category), [score]) for score in nobodys(found))]
    if lines and not page.table(_rows(lines), right=_RIGHT):
        page.line("Metrics")
        _sentences(page, lines)
    if table.left_out:
        page.line(f"and {count(table.left_out, 'more adapter')}, in the reports", indent=2)


def show_adapters(page: Page, found: TranscriptFindings | None) -> None:
    """Say what the adapters are, how they differ, where they met planted items, and how far reviewers agree."""
    if found is None:
        return
    page.blank()
    _list(page, "Adapters", [f"{card.agent}: {adapter_line(card)}" for card in found.adapters])
    _differences(page, found)
    _list(page, "Planted items", [f"{planted.agent} {planted_line(planted)}" for planted in found.planted], SEEING)
    _list(page, "Reviews", [f"{review.reviewer}: {review_line(review)}" for review in found.reviews])
    if found.card:
        page.line(f"Transcripts: {'; '.join(f'{name}: {value}' for name, value in found.card)}")


def _lines(table: MetricTable) -> Iterator[tuple[str, list[MetricScore]]]:
    for row in table.rows:
        yield _label(row.name, row.category), [score for score in row.scores if score is not None]


def _label(name: str, category: int | None) -> str:
    return f"{name}, {category_line(category)}"


def _rows(lines: Sequence[tuple[str, list[MetricScore]]]) -> list[Row]:
    """The metrics with the adapters below each; where there is one adapter, it is not named."""
    several = any(len(scores) > 1 for _, scores in lines)
    rows = [Row(("Metrics", "passed", "95 %", "needs"), indent=0)]
    for label, scores in lines:
        if several:
            rows.append(Row((label, "", "", "")))
        rows += (_row(score, score.agent if several else label, 4 if several else 2) for score in scores)
    return rows


def _row(score: MetricScore, name: str, indent: int) -> Row:
    word = status_word(score)
    figures = passed_line(score), interval_line(score), needs_line(score)
    return Row((f"{STATUS_SYMBOLS[word]} {name}", *figures), word, _note(score), indent)


def _note(score: MetricScore) -> str:
    """The status where it is no good one, and what has no column."""
    status = str(score.status) if score.held and score.status is not GateStatus.MET else ""
    more = "; ".join(part for part in (why_line(score), runs_line(score), points_line(score)) if part)
    return ": ".join(part for part in (status, more) if part)


def _sentences(page: Page, lines: Sequence[tuple[str, list[MetricScore]]]) -> None:
    for label, scores in lines:
        for score in scores:
            word = status_word(score)
            text = f"{STATUS_SYMBOLS[word]} {label}, {score.agent} {word}: {metric_line(score)}"
            page.line(text, indent=2, paint=word)


def _differences(page: Page, found: TranscriptFindings) -> None:
    if not found.differences:
        return
    pair = only_pair(found.differences)
    page.line(f"Differences between adapters{f', {pair}' if pair else ''}")
    for difference in found.differences[:_DIFFERENCES]:
        text = f"{OUTCOME_SYMBOLS[difference.outcome]} {comparison_sentence(difference, named=not pair)}"
        page.line(text, indent=2, paint=difference.outcome)
    _more(page, len(found.differences) - _DIFFERENCES)
    if any(difference.outcome is Comparison.INCONCLUSIVE for difference in found.differences):
        page.line(INCONCLUSIVE, indent=2, hang=0)


def _list(page: Page, title: str, lines: Sequence[str], note: str = "") -> None:
    if not lines:
        return
    page.line(title)
    for line in lines[:_LISTED]:
        page.line(line, indent=2)
    _more(page, len(lines) - _LISTED)
    if note:
        page.line(note, indent=2, hang=0)


def _more(page: Page, number: int) -> None:
    if number > 0:
        page.line(f"and {number:,} more, in the reports", indent=2)
