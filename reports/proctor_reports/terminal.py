"""The short summary for a terminal: the verdict first, then gates, counts, the worst cases and where to read on."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, takewhile
from pathlib import Path

from proctor.dataset import RECORDED
from proctor.excerpt import shorten
from proctor.results import CaseDetail, CaseScore, GateScore, GateStatus, RunResults, Summary
from proctor.wording import listed
from proctor_reports.case_text import case_line, case_why, needs_a_look, place_line
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
    seconds,
    shipping_line,
    tallies,
    verdict_line,
)
from proctor_reports.terminal_page import Page
from proctor_reports.terminal_rows import show_comparison, show_dimensions, show_judges
from proctor_reports.terminal_transcripts import show_adapters, show_metrics

_WORST = 10
_NAMES = 5


def render_terminal(
    results: RunResults, *, color: bool, width: int, unicode: bool, paths: Mapping[str, Path] | None = None
) -> str:
    """Summarize a run in a page of text that ends with a line feed.

    ``paths`` are the reports that were written. Lines are folded to ``width`` characters, but for paths. Without
    ``unicode`` the text is pure ASCII, and characters that have no other form become ``?``.
    """
    page = Page(color=color, width=width, unicode=unicode)
    _verdict(page, results.summary)
    show_dimensions(page, results.summary)
    show_metrics(page, results.summary)
    _gates(page, other_gates(results.summary))
    show_comparison(page, results.summary.regression)
    _changes(page, results.summary)
    show_judges(page, results.summary)
    show_adapters(page, results.summary.transcripts)
    _worst(page, results)
    _figures(page, results.summary)
    for name, path in (paths or {}).items():
        page.unfolded(f"  {name:<9} {path}")
    return page.text()


def _verdict(page: Page, summary: Summary) -> None:
    page.line(f"{DECISION_SYMBOLS[summary.decision]} {verdict_line(summary)}", paint=summary.decision)
    page.line(reason_line(summary), indent=2, hang=0)
    page.line(shipping_line(summary), indent=2, hang=0)
    for warning in summary.warnings:
        page.line(f"Warning: {warning}", indent=2)


def _gates(page: Page, gates: tuple[GateScore, ...]) -> None:
    if not gates:
        return
    page.blank()
    page.line("Gates")
    for gate in gates:
        text = f"{GATE_SYMBOLS[gate.status]} {gate.name} ({gate.agent}) {gate.status}: {gate_line(gate)}"
        page.line(text, indent=2, paint=gate.status)
        if gate.status is not GateStatus.MET:
            page.line(gate_why(gate), indent=4, hang=0)


def _changes(page: Page, summary: Summary) -> None:
    changes = shown_changes(summary)
    if changes is None:
        return
    if has_played(summary):
        page.blank()
        page.line(f"Against the baseline {changes.baseline}")
    groups = change_groups(changes)
    for what, names in groups.items():
        page.line(f"{len(names):,} {what}: {listed(names, _NAMES)}", indent=2)
    if not groups:
        page.line("Nothing changed.", indent=2)


def _worst(page: Page, results: RunResults) -> None:
    # Cases come worst first: nothing after the first plain pass has to be read from the store.
    worst = takewhile(lambda detail: needs_a_look(detail.score), results.cases())
    details = list(islice(worst, _WORST + 1))
    if not details:
        return
    page.blank()
    page.line(f"Worst {noun(results.summary)}s")
    for detail in details[:_WORST]:
        _case(page, detail)
    if len(details) > _WORST:
        cases = results.summary.cases
        more = cases.failed + cases.refused + cases.undecided - _WORST
        page.line(f"and {more:,} more that did not pass" if more > 0 else "and more flaky ones", indent=2)


def _case(page: Page, detail: CaseDetail) -> None:
    score = detail.score
    head = f"{OUTCOME_SYMBOLS[score.outcome]} {_result(score)}"
    page.line(head, indent=2, paint=score.outcome)
    page.line(shorten(case_why(detail), 300), indent=4, hang=0)


def _result(score: CaseScore) -> str:
    if score.agent == RECORDED:
        return f"{score.case} {score.outcome}: {place_line(score)}"
    flaky = ", flaky" if score.flaky else ""
    return f"{score.agent}/{score.case} {score.outcome}{flaky}: {case_line(score)}"


def _figures(page: Page, summary: Summary) -> None:
    page.blank()
    for name, tally in tallies(summary).items():
        page.line(f"{name}: {tally}")
    page.line(f"Cache: {cache_line(summary)}")
    page.line(f"Cost: {cost_line(summary)}")
    page.line(f"Run: {summary.run_id}, {seconds(summary.duration_s)}")
