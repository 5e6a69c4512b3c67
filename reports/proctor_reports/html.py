"""The HTML report: one file that makes no request and runs no script, readable by itself for years.

Every value passes `mark_controls` and autoescape, which are settings of the environment and not of the templates. So
there is no expression in a template that could forget them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, TextIO

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from proctor.dataset import RECORDED
from proctor.dimension_scores import RowLine, row_case
from proctor.excerpt import mark_controls, shorten
from proctor.plan import RECORDING
from proctor.results import CaseDetail, CaseScore, Outcome, Summary, TrialScore
from proctor.wording import count, listed
from proctor_reports import (
    adapter_text,
    case_text,
    comparison_text,
    criteria_text,
    dimension_text,
    metric_tables,
    summary_text,
    transcript_text,
)
from proctor_reports.agent_words import adapters, agent_word, has_several
from proctor_reports.case_text import case_why, needs_a_look, result_line
from proctor_reports.own_gates import other_gates
from proctor_reports.row_counts import noun, shown_changes

TRAJECTORY_BYTES = 1_600_000
"""What the trials of all cases may take in one report; the rest is in the JSON report."""

CASE_BYTES = 240_000
"""What the trials of one case may take, so that a single case does not use it all up."""

TRIAL_BYTES = 120_000
"""What one trial may take; above it, texts are cut shorter."""

ROWS = 2_000
"""Cases in the table of all cases: a browser takes seconds for 10,000 rows."""

_ROW_CLIP = 200
_CLIPS = (8_000, 800, 120)
_SPENT_BELOW = 2_500


def open_report(out: TextIO, summary: Summary, files: Mapping[str, str]) -> HtmlReport:
    """Open an HTML report."""
    return HtmlReport(out, summary, files)


class _Row(NamedTuple):
    """A row of the table of all cases; ``target`` is the id of the case if its trials are on the page."""

    score: CaseScore
    result: str
    target: str | None
    why: str


class HtmlReport:
    """An HTML report that is being written. It keeps the rows of its last table."""

    def __init__(self, out: TextIO, summary: Summary, files: Mapping[str, str]) -> None:
        self._out = out
        self._room = TRAJECTORY_BYTES
        self._rows: list[_Row] = []
        self._rows_left_out = 0
        self._shown = 0
        self._not_shown = 0
        self._new = frozenset(summary.changes.newly_failing if summary.changes else ())
        self._adapters = adapters(summary)
        self._page = {
            "summary": summary,
            "adapters": self._adapters,
            "agent_word": agent_word(summary),
            "elsewhere": summary_text.elsewhere(files),
            "noun": noun(summary),
            "has_rows": bool(summary.dimensions),
        }
        out.writelines(_template("head.html.j2").generate(self._page))

    def add(self, detail: CaseDetail) -> None:
        """Write the trials of a case that a reader has to look at, while there is room, and keep its row."""
        looked_at = needs_a_look(detail.score)
        shown = looked_at and self._show(detail)
        if len(self._rows) < ROWS:
            why = shorten(case_why(detail), _ROW_CLIP) if looked_at else ""
            self._rows.append(_Row(detail.score, result_line(detail), anchor(detail.score) if shown else None, why))
        else:
            self._rows_left_out += 1

    def add_row(self, line: RowLine) -> None:
        """Keep the row of a recorded row that passed, while there is room."""
        if len(self._rows) < ROWS:
            self._rows.append(_Row(row_case(line), line.dimension, None, ""))
        else:
            self._rows_left_out += 1

    def finish(self) -> None:
        """Write the table of all cases and where the results come from."""
        left_out = {"shown": self._shown, "not_shown": self._not_shown, "rows_left_out": self._rows_left_out}
        self._out.writelines(_template("tail.html.j2").generate(self._page, rows=self._rows, **left_out))

    def _show(self, detail: CaseDetail) -> bool:
        if self._room < _SPENT_BELOW:
            self._not_shown += 1
            return False
        trials = self._trials(detail)
        is_new = f"{detail.score.agent}/{detail.score.case}" in self._new
        self._write(
            _template("case.html.j2").render(
                self._page, detail=detail, anchor=anchor(detail.score), trials=trials, is_new=is_new
            )
        )
        self._shown += 1
        return True

    def _trials(self, detail: CaseDetail) -> list[str]:
        """Render the trials that there is room for, those that did not pass first."""
        room = min(self._room, CASE_BYTES)
        rendered = []
        for trial in sorted(detail.trials, key=lambda trial: trial.outcome is Outcome.PASSED):
            text = _trial(trial, min(room, TRIAL_BYTES), is_run=trial.ref.agent in self._adapters)
            if text is not None:
                room -= _size(text)
                rendered.append(text)
            elif room < TRIAL_BYTES:
                break
        return rendered

    def _write(self, text: str) -> None:
        self._room -= _size(text)
        self._out.write(text)


def anchor(score: CaseScore) -> str:
    """Give the id of a case inside the page: letters, digits and dashes, whatever the case is called."""
    words = re.sub("[^a-z0-9]+", "-", score.case.lower())[:40].strip("-")
    name = json.dumps([score.agent, score.case])
    return f"case-{words}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _trial(trial: TrialScore, room: int, *, is_run: bool) -> str | None:
    """Render a trial in at most ``room`` bytes, with its texts cut if need be; None if even that is too long.

    ``is_run``: it is a recorded run of an adapter.
    """
    for clip in _CLIPS:
        text = _template("trial.html.j2").render(trial=trial, clip=clip, is_run=is_run)
        if _size(text) <= room:
            return text
    return None


def _size(text: str) -> int:
    return len(text.encode())


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("proctor_reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_marked,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(clip=shorten, as_text=_as_text)
    environment.globals.update(
        text=summary_text,
        case=case_text,
        dims=dimension_text,
        versus=comparison_text,
        metrics=transcript_text,
        tables=metric_tables,
        beside=adapter_text,
        criteria=criteria_text,
        shown_changes=shown_changes,
        other_gates=other_gates,
        has_several=has_several,
        count=count,
        listed=listed,
        RECORDED=RECORDED,
        RECORDING=RECORDING,
    )
    environment.globals["m"] = environment.get_template("macros.html.j2").module
    return environment


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


def _marked(value: Any) -> Any:
    """Mark the characters that must not be shown, in plain text only: what templates rendered is safe already."""
    return mark_controls(value) if type(value) is str else value


def _as_text(value: Any) -> str:
    """Spell a JSON value; text stands as it is, and None is not known."""
    return "not known" if value is None else case_text.value_text(value)
