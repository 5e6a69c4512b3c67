"""The short summary for a terminal: the verdict first, then gates, counts, the worst cases and where to read on."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, takewhile
from pathlib import Path
from textwrap import wrap

from proctor.excerpt import mark_controls, shorten
from proctor.results import CaseDetail, Changes, Decision, GateScore, GateStatus, Outcome, RunResults, Summary
from proctor.wording import listed
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

_WORST = 10
_NAMES = 5
_NARROWEST = 40
_COLORS: Mapping[str, int] = {
    Decision.PASSED: 32, Decision.FAILED: 31, Decision.COULD_NOT_EVALUATE: 33, GateStatus.MET: 32,
    GateStatus.NOT_MET: 31, Outcome.ERRORED: 33, Outcome.UNSCORED: 33, Outcome.REFUSED: 35, Outcome.SKIPPED: 37,
}  # fmt: skip
_ASCII = str.maketrans({"✓": "+", "✗": "x", "⊘": "o", "–": "-", "…": "...", "—": "-", "“": '"', "”": '"'})


def render_terminal(
    results: RunResults, *, color: bool, width: int, unicode: bool, paths: Mapping[str, Path] | None = None
) -> str:
    """Summarize a run in a page of text that ends with a line feed.

    ``paths`` are the reports that were written. Lines are folded to ``width`` characters, but for paths. Without
    ``unicode`` the text is pure ASCII, and characters that have no other form become ``?``.
    """
    page = _Page(color=color, width=max(width, _NARROWEST), unicode=unicode)
    _verdict(page, results.summary)
    _gates(page, results.summary.gates)
    _changes(page, results.summary.changes)
    _worst(page, results)
    _figures(page, results.summary)
    for name, path in (paths or {}).items():
        page.unfolded(f"  {name:<9} {path}")
    return page.text()


class _Page:
    """Lines of text. Everything that is added is made fit for a terminal here, and nowhere else."""

    def __init__(self, *, color: bool, width: int, unicode: bool) -> None:
        self._color = color
        self._width = width
        self._unicode = unicode
        self._lines: list[str] = []

    def line(self, text: str, *, indent: int = 0, hang: int = 2, paint: str | None = None) -> None:
        """Add a paragraph, folded, with ``hang`` more blanks before the lines after the first."""
        first, rest = " " * indent, " " * (indent + hang)
        folded = wrap(
            self._safe(text), self._width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )
        code = _COLORS.get(paint or "")
        if self._color and code is not None:
            folded = [f"\x1b[{code}m{line}\x1b[0m" for line in folded]
        self._lines += folded

    def blank(self) -> None:
        """Add an empty line."""
        self._lines.append("")

    def unfolded(self, text: str) -> None:
        """Add a line that must stay whole."""
        self._lines.append(self._plain(mark_controls(text).replace("\n", "<0A>")))

    def text(self) -> str:
        """Give the page."""
        return "\n".join(self._lines) + "\n"

    def _safe(self, text: str) -> str:
        return self._plain(" ".join(mark_controls(shorten(text, 600)).split()))

    def _plain(self, text: str) -> str:
        return text if self._unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def _verdict(page: _Page, summary: Summary) -> None:
    page.line(f"{DECISION_SYMBOLS[summary.decision]} {verdict_line(summary)}", paint=summary.decision)
    page.line(reason_line(summary), indent=2, hang=0)
    page.line(shipping_line(summary), indent=2, hang=0)
    for warning in summary.warnings:
        page.line(f"Warning: {warning}", indent=2)


def _gates(page: _Page, gates: tuple[GateScore, ...]) -> None:
    if not gates:
        return
    page.blank()
    page.line("Gates")
    for gate in gates:
        text = f"{GATE_SYMBOLS[gate.status]} {gate.name} ({gate.agent}) {gate.status}: {gate_line(gate)}"
        page.line(text, indent=2, paint=gate.status)
        if gate.status is not GateStatus.MET:
            page.line(gate_why(gate), indent=4, hang=0)


def _changes(page: _Page, changes: Changes | None) -> None:
    if changes is None:
        return
    page.blank()
    page.line(f"Against the baseline {changes.baseline}")
    groups = change_groups(changes)
    for what, names in groups.items():
        page.line(f"{len(names):,} {what}: {listed(names, _NAMES)}", indent=2)
    if not groups:
        page.line("Nothing changed.", indent=2)


def _worst(page: _Page, results: RunResults) -> None:
    # Cases come worst first: nothing after the first plain pass has to be read from the store.
    worst = takewhile(lambda detail: needs_a_look(detail.score), results.cases())
    details = list(islice(worst, _WORST + 1))
    if not details:
        return
    page.blank()
    page.line("Worst cases")
    for detail in details[:_WORST]:
        _case(page, detail)
    if len(details) > _WORST:
        cases = results.summary.cases
        more = cases.failed + cases.refused + cases.undecided - _WORST
        page.line(f"and {more:,} more that did not pass" if more > 0 else "and more flaky ones", indent=2)


def _case(page: _Page, detail: CaseDetail) -> None:
    score = detail.score
    flaky = ", flaky" if score.flaky else ""
    head = f"{OUTCOME_SYMBOLS[score.outcome]} {score.agent}/{score.case} {score.outcome}{flaky}: {case_line(score)}"
    page.line(head, indent=2, paint=score.outcome)
    page.line(shorten(case_why(detail), 300), indent=4, hang=0)


def _figures(page: _Page, summary: Summary) -> None:
    page.blank()
    for name, counts in (("Cases", summary.cases), ("Trials", summary.trials)):
        page.line(f"{name}: {counts.total:,} ({counts_line(counts)})")
    page.line(f"Cache: {cache_line(summary)}")
    page.line(f"Cost: {cost_line(summary)}")
    page.line(f"Run: {summary.run_id}, {seconds(summary.duration_s)}")
