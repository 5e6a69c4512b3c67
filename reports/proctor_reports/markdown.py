"""The Markdown report: a job summary or a comment on a pull request. It stays below the size that GitHub accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TextIO

from proctor.dimension_scores import RowLine
from proctor.results import CaseDetail, Changes, GateScore, Summary
from proctor.wording import count, listed
from proctor_reports.markdown_text import cell, code, prose
from proctor_reports.summary_text import (
    DECISION_SYMBOLS,
    GATE_SYMBOLS,
    OUTCOME_SYMBOLS,
    cache_line,
    case_line,
    case_why,
    change_groups,
    cost_line,
    counts_line,
    gate_line,
    gate_why,
    needs_a_look,
    reason_line,
    seconds,
    shipping_line,
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

    def _blocks(self) -> Iterator[_Block]:
        yield _Block(_head(self._summary))
        yield _gates(self._summary.gates)
        yield _changes(self._summary.changes)
        head = ["", "### Cases to look at", "", "| Outcome | Case | Trials | Why |", "|---|---|---|---|"]
        yield _Block(head, self._worst, "case", self._left_out)

    def _write(self, block: _Block, room: int) -> int:
        text = block.text(room)
        self._out.write(text)
        return len(text)


class _Block:
    """A heading with rows, of which as many are written as there is room for; the rest is counted."""

    def __init__(self, head: list[str], rows: list[str] | None = None, noun: str = "row", left_out: int = 0) -> None:
        self._head = head
        self._rows = rows
        self._noun = noun
        self._left_out = left_out

    def text(self, room: int) -> str:
        """Give the text in at most ``room`` characters; nothing if there are no rows or not even the heading fits."""
        if self._rows is not None and not self._rows:
            return ""
        lines = list(self._head)
        room -= sum(len(line) + 1 for line in lines) + len(self._note(10**9))
        if room < 0:
            return ""
        left_out = self._left_out
        for row in self._rows or ():
            room -= len(row) + 1
            if room < 0:
                left_out += 1
            else:
                lines.append(row)
        return "\n".join(lines) + "\n" + (self._note(left_out) if left_out else "")

    def _note(self, number: int) -> str:
        return f"\nNot listed here: {count(number, f'more {self._noun}')}.\n"


def _head(summary: Summary) -> list[str]:
    lines = [
        f"## {DECISION_SYMBOLS[summary.decision]} {prose(verdict_line(summary))}",
        "",
        f"**{prose(reason_line(summary))}**",
        "",
        prose(shipping_line(summary)),
        "",
        f"- Cases: {summary.cases.total:,} ({counts_line(summary.cases)})",
        f"- Trials: {summary.trials.total:,} ({counts_line(summary.trials)})",
        f"- {prose(cache_line(summary))}",
    ]
    return [*lines, *(f"- Warning: {prose(warning)}" for warning in summary.warnings[:_WARNINGS])]


def _gates(gates: tuple[GateScore, ...]) -> _Block:
    rows = [
        f"| {GATE_SYMBOLS[gate.status]} {gate.status} | {cell(gate.name)} | {cell(gate.agent)} | {gate_line(gate)}"
        f" | {prose(gate_why(gate), 300)} |"
        for gate in gates
    ]
    head = ["", "### Gates", "", "| Status | Gate | Agent | Cases | Why |", "|---|---|---|---|---|"]
    return _Block(head, rows[:_GATES], "gate", len(rows[_GATES:]))


def _changes(changes: Changes | None) -> _Block:
    if changes is None:
        return _Block(["", "This run was not compared with a baseline."])
    groups = change_groups(changes).items()
    rows = [f"- {len(names):,} {what}: {listed([*map(code, names)], _NAMES)}" for what, names in groups]
    head = ["", f"### Against the baseline {code(changes.baseline)}", ""]
    return _Block(head, rows) if rows else _Block([*head, "Nothing changed."])


def _case_row(detail: CaseDetail) -> str:
    score = detail.score
    flaky = ", flaky" if score.flaky else ""
    why = cell(case_why(detail))
    name = f"{cell(score.case)}<br>{cell(score.agent)}"
    return f"| {OUTCOME_SYMBOLS[score.outcome]} {score.outcome}{flaky} | {name} | {case_line(score)} | {why} |"


def _footer(summary: Summary, files: Mapping[str, str]) -> list[str]:
    where = {"html": "Cases to look at, with their trials", "json": "Every trial with its turns, checks and judges"}
    more = [f"{what}: {code(files[name])}." for name, what in where.items() if name in files]
    took = f"{seconds(summary.duration_s)}, {cost_line(summary)}"
    run = f"Run {code(summary.run_id)}, spec {code(summary.spec)}, started {code(summary.started_at)}, {took}."
    return ["", " ".join([*(more or [f"To see every trial: {code(f'proctor report {summary.run_id}')}."]), run])]
