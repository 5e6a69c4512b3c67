"""The JUnit report, for the test views of CI systems: a suite for each agent, a test case for each case.

JUnit knows failure, error and skipped only, so the ``type`` says which of our outcomes it is. A refusal is a
failure; errored and unscored are errors, since there is no result. A recorded row is a test case that takes no time.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TextIO

from proctor.dataset import RECORDED
from proctor.dimension_scores import RowLine
from proctor.excerpt import mark_controls, shorten
from proctor.results import CaseDetail, Decision, Outcome, Summary
from proctor.trajectory import Trajectory
from proctor_reports.case_text import call_line, check_line, first_problem
from proctor_reports.packed import PackedText

_ELEMENTS: Mapping[Outcome, str] = {
    Outcome.FAILED: "failure",
    Outcome.REFUSED: "failure",
    Outcome.ERRORED: "error",
    Outcome.UNSCORED: "error",
    Outcome.SKIPPED: "skipped",
}
_BODY_LIMIT = 8_000
_MESSAGE_LIMIT = 600
_CALL_LIMIT = 300
# Most names are; to escape 100,000 of them character by character would take a second.
_PLAIN = re.compile(r"[A-Za-z0-9_.:/ -]*").fullmatch


def open_report(out: TextIO, summary: Summary, _files: Mapping[str, str]) -> JunitReport:
    """Open a JUnit report."""
    return JunitReport(out, summary)


class JunitReport:
    """A JUnit report that is being written.

    The counts stand before the test cases, and the cases of the agents come mixed, so each suite waits until the end.
    """

    def __init__(self, out: TextIO, summary: Summary) -> None:
        self._out = out
        self._summary = summary
        self._suites: dict[str, _Suite] = {}

    def add(self, detail: CaseDetail) -> None:
        """Keep a test case with the suite of its agent."""
        self._suite(detail.score.agent).add(detail)

    def add_row(self, line: RowLine) -> None:
        """Keep a recorded row that passed as a test case."""
        self._suite(RECORDED).add_passed(line.source, line.key)

    def _suite(self, agent: str) -> _Suite:
        if agent not in self._suites:
            self._suites[agent] = _Suite(agent)
        return self._suites[agent]

    def finish(self) -> None:
        """Write the suites, and the verdict as a test of its own where all others would look green without it."""
        suites = list(self._suites.values())
        if self._summary.decision is not Decision.PASSED and not any(suite.is_red for suite in suites):
            suites.append(_verdict_suite(self._summary))
        totals = sum((suite.counts for suite in suites), Counter[str]())
        time_s = sum(suite.time_s for suite in suites)
        name = self._summary.name or self._summary.slug
        self._out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites{_attributes(name, totals, time_s)}>\n')
        for suite in suites:
            suite.write(self._out, self._summary)
        self._out.write("</testsuites>\n")


class _Suite:
    """The test cases of one agent, and how many there are of which kind."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts: Counter[str] = Counter()
        self.time_s = 0.0
        self._tests = PackedText()
        self._last_source: str | None = None
        self._opening = ""

    @property
    def is_red(self) -> bool:
        return bool(self.counts["failure"] or self.counts["error"])

    def add(self, detail: CaseDetail) -> None:
        score = detail.score
        if score.agent == RECORDED:
            self.add_test(score.source, score.case, score.outcome, _result(score.outcome, *_row_findings(detail)))
            return
        time_s = sum(trial.trajectory.latency_ms for trial in detail.trials) / 1000
        self.time_s += time_s
        body = _result(score.outcome, score.reason, _findings(detail))
        self.add_test(score.source, score.case, score.outcome, body, time_s)

    def add_passed(self, classname: str, name: str) -> None:
        self.counts["test"] += 1
        if classname != self._last_source:
            self._last_source, self._opening = classname, f'<testcase classname="{_attribute(classname)}" name="'
        self._tests.add(f'{self._opening}{_attribute(name)}" time="0.000"/>\n')

    def add_test(self, classname: str, name: str, outcome: Outcome, body: str, time_s: float = 0.0) -> None:
        self.counts.update(["test", _ELEMENTS.get(outcome, "passed")])
        opening = f'<testcase classname="{_attribute(classname)}" name="{_attribute(name)}" time="{time_s:.3f}"'
        self._tests.add(f"{opening}>{body}</testcase>\n" if body else f"{opening}/>\n")

    def write(self, out: TextIO, summary: Summary) -> None:
        started = f' timestamp="{_attribute(summary.started_at)}"' if summary.started_at else ""
        out.write(f"<testsuite{_attributes(self.name, self.counts, self.time_s)}{started}>\n<properties>\n")
        properties = {"verdict": summary.decision, "reason": summary.reason, "run": summary.run_id}
        out.writelines(f'<property name="{key}" value="{_attribute(text)}"/>\n' for key, text in properties.items())
        out.write("</properties>\n")
        out.writelines(self._tests.pieces())
        out.write("</testsuite>\n")


def _verdict_suite(summary: Summary) -> _Suite:
    suite = _Suite("verdict")
    outcome = Outcome.FAILED if summary.decision is Decision.FAILED else Outcome.ERRORED
    suite.add_test(summary.spec, summary.decision, outcome, _result(outcome, summary.reason, ""))
    return suite


def _attributes(name: str, counts: Counter[str], time_s: float) -> str:
    return (
        f' name="{_attribute(name)}" tests="{counts["test"]}" failures="{counts["failure"]}" errors="{counts["error"]}"'
        f' skipped="{counts["skipped"]}" time="{time_s:.3f}"'
    )


def _result(outcome: Outcome, message: str, findings: str) -> str:
    """Give the child element that says how a test ended; a passed one has none."""
    element = _ELEMENTS.get(outcome)
    if element is None:
        return ""
    if element == "skipped":
        return f'<skipped message="{_attribute(message)}"/>'
    text = html.escape(mark_controls(findings))
    return f'<{element} type="{outcome}" message="{_attribute(message)}">{text}</{element}>'


def _findings(detail: CaseDetail) -> str:
    """List what went wrong, trial by trial; ``""`` for a case that passed."""
    if detail.score.outcome is Outcome.PASSED:
        return ""
    lines = []
    for trial in detail.trials:
        lines.append(f"trial {trial.ref.trial + 1}: {trial.outcome}")
        if failure := trial.trajectory.failure:
            lines.append(f"  {failure.type}: {failure.message}")
        lines += [f"  {check.outcome}: {check_line(check)}" for check in trial.checks if not check.passed]
        if trial.outcome is not Outcome.PASSED:
            lines += _calls(trial.trajectory)
    return shorten("\n".join(lines), _BODY_LIMIT)


def _calls(trajectory: Trajectory) -> Iterator[str]:
    for number, turn in enumerate(trajectory.turns, 1):
        for call in turn.tool_calls:
            yield f"  called (turn {number}): {call_line(call, _CALL_LIMIT)}"


def _row_findings(detail: CaseDetail) -> tuple[str, str]:
    """Give what is wrong with a recorded row: what is worst, and all of it."""
    checks = [check for trial in detail.trials for check in trial.checks if not check.passed]
    lines = [f"{check.outcome}: {check_line(check)}" for check in checks]
    first = first_problem(detail) or next(map(check_line, checks), detail.score.reason)
    return shorten(first, _MESSAGE_LIMIT), shorten("\n".join(lines), _BODY_LIMIT)


def _attribute(text: str) -> str:
    """Make text fit for an XML 1.0 attribute: legal characters only, and line feeds that a parser does not flatten."""
    if _PLAIN(text):
        return text
    return html.escape(mark_controls(text)).replace("\n", "&#10;").replace("\t", "&#9;")
