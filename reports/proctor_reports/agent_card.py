"""The agent card: the figures of a run on one page for people who answer for an agent, beside what asks for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from proctor.dimension_scores import DimensionScore, RowLine
from proctor.markdown_text import cell, code, prose, table_row
from proctor.results import CaseDetail, GateStatus, Summary
from proctor.wording import count
from proctor_reports.findings import Weight, coverage_findings, data_sets, row_findings
from proctor_reports.governance import FRAMEWORKS, RECORD, REFERENCES
from proctor_reports.summary_text import (
    DECISION_SYMBOLS,
    GATE_SYMBOLS,
    interval,
    percent,
    reason_line,
    shipping_line,
    verdict_line,
)

JUDGED: Final = "llm-judge"
"""The mode of a dimension whose rows a judge decided."""

_NO_CERTIFICATE: Final = (
    "This page is no certificate and no legal advice. It says where a framework asks for evidence of this kind; whether"
    " a duty applies, and whether it is met, it does not say. Articles 9 to 15 of the EU AI Act bind high-risk systems."
)
_LIMITS: Final = (
    "The figures are about the recorded rows alone, and are as good as these stand for what the agent meets in use.",
    "A result that could not be evaluated is no failure and no pass: nothing is known there.",
    "The frameworks ask for more than tests: governance, documentation, oversight by people, data governance.",
)


def open_report(out: TextIO, summary: Summary, files: Mapping[str, str]) -> AgentCard:
    """Open an agent card."""
    return AgentCard(out, summary, files)


class AgentCard:
    """An agent card that is being written. It keeps counts."""

    def __init__(self, out: TextIO, summary: Summary, files: Mapping[str, str]) -> None:
        self._out = out
        self._summary = summary
        self._files = files
        self._found: Counter[Weight] = Counter(finding.severity for finding in coverage_findings(summary))

    def add(self, detail: CaseDetail) -> None:
        """Count what is wrong with a recorded row."""
        self._found.update(finding.severity for finding in row_findings(detail))

    def add_row(self, line: RowLine) -> None:
        """Leave a row that passed to the counts."""

    def finish(self) -> None:
        """Write the page."""
        for lines in (self._head(), _figures(self._summary), _references(self._summary), _judges(self._summary)):
            self._out.writelines(f"{line}\n" for line in lines)
        self._out.writelines(f"{line}\n" for line in (*_record(), *_limits()))

    def _head(self) -> Iterator[str]:
        summary = self._summary
        yield f"# Agent card: {prose(summary.name or summary.slug)}"
        yield from ("", f"**{DECISION_SYMBOLS[summary.decision]} {prose(verdict_line(summary))}.**")
        yield f"{prose(reason_line(summary))} {prose(shipping_line(summary))}"
        yield from ("", f"> {_NO_CERTIFICATE}", "")
        yield f"- Run {code(summary.run_id)} of {code(summary.spec)}, started {code(summary.started_at)}"
        yield from (f"- Data set {code(name)}, SHA-256 {code(sha256)}" for name, sha256 in data_sets(summary).items())
        yield f"- Judge: {_judge(summary.provenance.get('judge'))}"
        if summary.regression is not None:
            yield f"- Against the run {code(summary.regression.baseline)}: {prose(summary.regression.reason)}"
        yield f"- To look at: {self._findings()}"
        yield f"- Signature: {_signature(self._files)}"

    def _findings(self) -> str:
        if not self._found:
            return "nothing"
        where = f", listed in {code(self._files['scorecard'])}" if "scorecard" in self._files else ""
        blockers = count(self._found[Weight.BLOCKER], "blocker")
        return f"{count(self._found.total(), 'finding')}, {blockers} among them{where}"


def _judge(found: Any) -> str:
    models = (found.get("panel") or [found.get("model")]) if isinstance(found, Mapping) else []
    return ", ".join(code(str(model)) for model in models if model) or "none is named"


def _signature(files: Mapping[str, str]) -> str:
    if "scorecard" not in files:
        return "none; the scorecard, which can be signed, was not asked for"
    name = files["scorecard"]
    return (
        f"this page has none. The figures are those of {code(name)}: {code(f'proctor verify {name} --public-key KEY')}"
        " says whether that is signed, and by the expected key"
    )


def _figures(summary: Summary) -> Iterator[str]:
    yield from ("", "## What was measured", "")
    if not summary.dimensions and not summary.provenance.get("required_dimensions"):
        yield "Nothing: the run has no recorded rows."
        return
    yield "| Dimension | Result | Passed | 95 % interval | Decided by | Why |"
    yield "|---|---|---|---|---|---|"
    yield from map(_figure, summary.dimensions)
    shown = {score.name for score in summary.dimensions}
    for finding in coverage_findings(summary):
        if finding.dimension not in shown:
            status = f"{GATE_SYMBOLS[GateStatus.UNDECIDED]} {GateStatus.UNDECIDED}"
            yield f"| {cell(finding.dimension)} | {status} | no row | – | – | {prose(finding.reason, 300)} |"


def _figure(score: DimensionScore) -> str:
    rows = score.rows
    passed = f"{percent(rows.passed, rows.decided)} ({rows.passed:,} of {rows.decided:,})" if rows.decided else "no row"
    around = interval(*(score.cluster or (score.low, score.high))) if rows.decided else "–"
    by = "a judge" if score.mode == JUDGED else f"rules{f' ({prose(score.engine, 80)})' if score.engine else ''}"
    status = f"{GATE_SYMBOLS[score.status]} {score.status}"
    return f"| {cell(score.name)} | {status} | {passed} | {around} | {by} | {prose(score.reason, 300)} |"


def _references(summary: Summary) -> Iterator[str]:
    known = [score.name for score in summary.dimensions if score.name in REFERENCES]
    if not known:
        return
    yield from ("", "## Where this is evidence", "")
    yield table_row("Dimension", "Shows", *FRAMEWORKS)
    yield f"|---|---|{'---|' * len(FRAMEWORKS)}"
    for name in known:
        reference = REFERENCES[name]
        yield table_row(cell(name), reference.shows, *(place or "–" for place in reference.places))


def _judges(summary: Summary) -> Iterator[str]:
    calibrated = {score.dimension: score for score in summary.calibration}
    judged = [score.name for score in summary.dimensions if score.mode == JUDGED and score.name not in calibrated]
    if not calibrated and not judged:
        return
    yield from ("", "## How far the judges can be trusted", "")
    for name, calibration in calibrated.items():
        yield f"- {code(name)}: {'trusted' if calibration.trusted else 'not trusted'}; {prose(calibration.status)}"
    for name in judged:
        yield f"- {code(name)}: not calibrated. No verdict of the judge was compared with one of a person."


def _record() -> Iterator[str]:
    yield from ("", "## What the record is made for", "")
    yield table_row("Property", *FRAMEWORKS[:3])
    yield "|---|---|---|---|"
    yield from (table_row(*row) for row in RECORD)


def _limits() -> Iterator[str]:
    yield from ("", "## What this page does not show", "")
    yield from (f"- {limit}" for limit in _LIMITS)
