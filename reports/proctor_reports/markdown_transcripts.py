"""What the Markdown report says of recorded transcripts: metrics, and adapters beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.category_scores import AdapterDifference, MetricScore, TranscriptFindings
from proctor.markdown_text import cell, code, prose, table_row
from proctor.results import Summary
from proctor_reports.adapter_text import (
    INCONCLUSIVE,
    MOST_DIFFERENCES,
    MOST_REVIEWERS,
    OUTCOME_SYMBOLS,
    SEEING,
    adapter_facts,
    around_line,
    compared_metric,
    difference_line,
    only_pair,
    planted_line,
    review_line,
    tested_line,
)
from proctor_reports.markdown_block import Block
from proctor_reports.metric_tables import MOST_ADAPTERS, MetricRow, MetricTable, metric_table, nobodys
from proctor_reports.transcript_text import (
    STATUS_SYMBOLS,
    category_line,
    decided_by,
    interval_line,
    intro_line,
    needed_line,
    needs_line,
    passed_line,
    points_line,
    runs_line,
    status_word,
    threshold_line,
    why_line,
)


def transcript_blocks(summary: Summary) -> Iterator[Block]:
    """Show the metrics of each adapter in columns, and what more there is to say."""
    found = summary.transcripts
    if found is None:
        return
    table = metric_table(found)
    yield Block(["", "### Metrics of the recorded transcripts", "", intro_line(found)])
    if len(table.agents) == 1:
        yield _list([score for row in table.rows for score in row.scores if score], self_test=summary.self_test)
    else:
        yield _beside(table, self_test=summary.self_test)
        yield Block([""], [line for row in table.rows for line in _reasons(row)], "reason")
    yield _list(nobodys(found), self_test=summary.self_test, head=["", "Of no adapter:"])
    yield _adapters(found)
    yield _differences(found)
    yield _planted(found)
    yield _reviews(found)
    yield _card(found)


def _list(scores: Sequence[MetricScore], *, self_test: bool, head: Sequence[str] = ()) -> Block:
    table = ["| Status | Metric | Passed | 95 % interval | Needs | Why |", f"|{'---|' * 6}"]
    return Block([*head, "", *table], [_line(score, self_test=self_test) for score in scores], "metric")


def _line(score: MetricScore, *, self_test: bool) -> str:
    cells = (
        _status(score),
        f"{cell(score.name)}<br>{_kind(score.category, judged=score.judged, self_test=self_test)}",
        _stacked(passed_line(score), runs_line(score), points_line(score)),
        interval_line(score),
        needs_line(score) or "nothing",
        prose(why_line(score), 300),
    )
    return table_row(*cells)


def _beside(table: MetricTable, *, self_test: bool) -> Block:
    names = [cell(agent) for agent in table.agents]
    head = [table_row("Metric", "Needs", *names), f"|{'---|' * (2 + len(names))}"]
    more = [f"Not beside each other here: {table.left_out:,} more adapters.", ""] if table.left_out else []
    return Block(["", *more, *head], [_row(row, self_test=self_test) for row in table.rows], "metric")


def _row(row: MetricRow, *, self_test: bool) -> str:
    name = f"{cell(row.name)}<br>{_kind(row.category, judged=row.judged, self_test=self_test)}"
    needs = threshold_line(row.threshold) if row.held else "nothing"
    return table_row(name, needs, *map(_cell, row.scores))


def _cell(score: MetricScore | None) -> str:
    if score is None:
        return "nothing to count"
    needs = f"needs {needed}" if (needed := needed_line(score)) else ""
    figures = passed_line(score), interval_line(score), needs, runs_line(score), points_line(score)
    return _stacked(_status(score), *figures)


def _reasons(row: MetricRow) -> Iterator[str]:
    for score in row.scores:
        if score is not None and (why := why_line(score)):
            yield f"- {code(row.name)} of {code(score.agent)}: {prose(why, 300)}"


def _adapters(found: TranscriptFindings) -> Block:
    rows = [
        f"- {code(card.agent)}: {prose('; '.join(f'{name} {value}' for name, value in adapter_facts(card).items()))}"
        for card in found.adapters
    ]
    head = ["", f"### {'The adapter' if len(rows) == 1 else 'Adapters side by side'}", ""]
    return Block(head, rows[:MOST_ADAPTERS], "adapter", len(rows[MOST_ADAPTERS:]))


def _differences(found: TranscriptFindings) -> Block:
    pair = only_pair(found.differences)
    rows = [_difference(difference, named=not pair) for difference in found.differences]
    columns = ["Outcome", "Metric", *([] if pair else ["Adapter"]), "Difference", "95 % interval", "Test", "Why"]
    table = [table_row(*columns), f"|{'---|' * len(columns)}"]
    intro = f"{code(pair, 300)}. {INCONCLUSIVE}" if pair else INCONCLUSIVE
    head = ["", "### Differences between adapters", "", intro, "", *table]
    return Block(head, rows[:MOST_DIFFERENCES], "comparison", len(rows[MOST_DIFFERENCES:]))


def _difference(found: AdapterDifference, *, named: bool) -> str:
    cells = (
        f"{OUTCOME_SYMBOLS[found.outcome]} {found.outcome}",
        cell(compared_metric(found)),
        *([f"{cell(found.agent)}<br>against {cell(found.base)}"] if named else []),
        difference_line(found),
        around_line(found),
        tested_line(found),
        prose(found.reason, 300),
    )
    return table_row(*cells)


def _planted(found: TranscriptFindings) -> Block:
    rows = [f"- {code(planted.agent)} {planted_line(planted)}" for planted in found.planted]
    head = ["", "### Planted items", "", SEEING, ""]
    return Block(head, rows[:MOST_ADAPTERS], "adapter", len(rows[MOST_ADAPTERS:]))


def _reviews(found: TranscriptFindings) -> Block:
    rows = [f"- {code(review.reviewer)}: {prose(review_line(review))}" for review in found.reviews]
    head = ["", "### How far the judge agrees with reviewers", ""]
    return Block(head, rows[:MOST_REVIEWERS], "reviewer", len(rows[MOST_REVIEWERS:]))


def _card(found: TranscriptFindings) -> Block:
    said = "; ".join(f"{name}: {value}" for name, value in found.card)
    return Block(["", f"Configuration of the transcripts: {prose(said)}."] if said else [""])


def _stacked(*parts: str) -> str:
    return "<br>".join(part for part in parts if part)


def _status(score: MetricScore) -> str:
    word = status_word(score)
    return f"{STATUS_SYMBOLS[word]} {word}"


def _kind(category: int | None, *, judged: bool, self_test: bool) -> str:
    return f"{category_line(category)}, {decided_by(judged=judged, self_test=self_test)}"
