"""The Markdown report: a job summary or a comment on a pull request. It stays below the size that GitHub accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TextIO

from proctor.dataset import RECORDED
from proctor.dimension_scores import RowLine
from proctor.markdown_text import cell, code, prose
from proctor.results import CaseDetail, Changes, GateScore, Summary
from proctor.wording import listed
from proctor_reports.case_text import case_why, needs_a_look, place_line, result_line
from proctor_reports.markdown_block import Block
from proctor_reports.markdown_rows import comparison_block, dimension_blocks
from proctor_reports.markdown_transcripts import transcript_blocks
from proctor_reports.own_gates import other_gates
from proctor_reports.row_counts import has_played, noun, shown_changes
from proctor_reports.summary_text import (
    DECISION_SYMBOLS,
    GATE_SYMBOLS,
    OUTCOME_SYMBOLS,
    cache_line,
    change_groups,
    cost_line,
    gate_line,
    gate_why,
    reason_line,
    result_heading,
    seconds,
    shipping_line,
    tallies,
    verdict_line,
)

LIMIT = 60_000
"""Characters that a report has at most. GitHub refuses a comment of more than 65,536."""

_FOOTER_ROOM = 2_000
_GATES = 40
_CASES = 100
_NAMES = 20
_WARNINGS = 10


def open_report(out: TextIO, summary: Summary, files: Mapping[str, str]) -> MarkdownReport:
    """Open a Markdown report."""
    return MarkdownReport(out, summary, files)


class MarkdownReport:
    """A Markdown report that is being written. It keeps one line for each of the worst cases."""

    def __init__(self, out: TextIO, summary: Summary, files: Mapping[str, str]) -> None:
        self._out = out
        self._summary = summary
        self._files = files
        self._worst: list[str] = []
        self._left_out = 0

    def add(self, detail: CaseDetail) -> None:
        """Keep a line for the case if a reader has to look at it and there is room."""
        if not needs_a_look(detail.score):
            return
        if len(self._worst) < _CASES:
            self._worst.append(_case_row(detail))
        else:
            self._left_out += 1

    def add_row(self, _line: RowLine) -> None:
        """A recorded row that passed is counted above, and not listed."""

    def finish(self) -> None:
        """Write the report."""
        room = LIMIT - _FOOTER_ROOM
        for block in self._blocks():
            room -= self._write(block, room)
        self._out.write("\n".join(_footer(self._summary, self._files)) + "\n")

    def _blocks(self) -> Iterator[Block]:
        yield Block(_head(self._summary))
        yield _gates(other_gates(self._summary))
        yield from dimension_blocks(self._summary)
        yield from transcript_blocks(self._summary)
        yield from _baseline(self._summary)
        yield self._cases()

    def _cases(self) -> Block:
        word = noun(self._summary)
        table = f"| Outcome | {word.capitalize()} | {result_heading(self._summary)} | Why |"
        head = ["", f"### {word.capitalize()}s to look at", "", table, "|---|---|---|---|"]
        return Block(head, self._worst, word, self._left_out)

    def _write(self, block: Block, room: int) -> int:
        text = block.text(room)
        self._out.write(text)
        return len(text)


def _head(summary: Summary) -> list[str]:
    lines = [
        f"## {DECISION_SYMBOLS[summary.decision]} {prose(verdict_line(summary))}",
        "",
        f"**{prose(reason_line(summary))}**",
        "",
        prose(shipping_line(summary)),
        "",
        *(f"- {name}: {tally}" for name, tally in tallies(summary).items()),
        f"- {prose(cache_line(summary))}",
    ]
    return [*lines, *(f"- Warning: {prose(warning)}" for warning in summary.warnings[:_WARNINGS])]


def _gates(gates: tuple[GateScore, ...]) -> Block:
    rows = [
        f"| {GATE_SYMBOLS[gate.status]} {gate.status} | {cell(gate.name)} | {cell(gate.agent)}"
        f" | {prose(gate_line(gate), 300)} | {prose(gate_why(gate), 300)} |"
        for gate in gates
    ]
    head = ["", "### Gates", "", "| Status | Gate | Agent | Counted | Why |", "|---|---|---|---|---|"]
    return Block(head, rows[:_GATES], "gate", len(rows[_GATES:]))


def _baseline(summary: Summary) -> Iterator[Block]:
    changes = shown_changes(summary)
    if changes is None and summary.regression is None:
        yield Block(["", "This run was not compared with a baseline."])
    if summary.regression is not None:
        yield comparison_block(summary.regression)
    if changes is not None:
        title = ["", f"### Against the baseline {code(changes.baseline)}", ""]
        yield _changes(changes, title if has_played(summary) else [""])


def _changes(changes: Changes, head: list[str]) -> Block:
    groups = change_groups(changes).items()
    rows = [f"- {len(names):,} {what}: {listed([*map(code, names)], _NAMES)}" for what, names in groups]
    return Block(head, rows) if rows else Block([*head, "Nothing changed."])


def _case_row(detail: CaseDetail) -> str:
    score = detail.score
    is_row = score.agent == RECORDED
    flaky = ", flaky" if score.flaky else ""
    name = f"{cell(score.case)}<br>{cell(place_line(score) if is_row else score.agent)}"
    result = cell(result_line(detail)) if is_row else result_line(detail)
    return f"| {OUTCOME_SYMBOLS[score.outcome]} {score.outcome}{flaky} | {name} | {result} | {cell(case_why(detail))} |"


def _footer(summary: Summary, files: Mapping[str, str]) -> list[str]:
    word = noun(summary)
    where = {
        "html": f"{word.capitalize()}s to look at, with their {'trials' if word == 'case' else 'texts'}",
        "json": "Every trial with its turns, checks and judges",
    }
    more = [f"{what}: {code(files[name])}." for name, what in where.items() if name in files]
    took = f"{seconds(summary.duration_s)}, {prose(cost_line(summary))}"
    run = f"Run {code(summary.run_id)}, spec {code(summary.spec)}, started {code(summary.started_at)}, {took}."
    return ["", " ".join([*(more or [f"To see every trial: {code(f'proctor report {summary.run_id}')}."]), run])]
