"""The rows on which judges are measured against people: those that a judge decides, and the labels on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Final

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.base import Row, RowIssue
from proctor.dataset import CalibrationRule, DatasetSettings, Span
from proctor.errors import Severity, SpecError, UsageError
from proctor.excerpt import quote
from proctor.formats.assevra.lines import read_span, span_lines
from proctor.formats.assevra.row_text import BLANK, read_line
from proctor.formats.assevra.scan import row_problem
from proctor.formats.problem_list import ProblemList
from proctor.plan import JudgeRequest, Plan, Source
from proctor.stages.recorded.calibration import CALIBRATION_ROWS
from proctor.stages.recorded.scoring import score_row
from proctor.stages.target import shown
from proctor.stages.validate import Compiled
from proctor.statistics.human_label import human_label
from proctor.wording import count

_SPELLINGS: Final = "write true or false, pass or fail, yes or no, 1 or 0; leave it out where nobody has decided"
_TO_LABEL: Final = "label rows of grounding or safety, or rows of injection that have no canary"


def calibration_plan(compiled: Compiled, *, label_field: str | None = None, bar: float | None = None) -> Compiled:
    """Narrow a whole spec to the rows that a judge decides, labelled or not. No judge is asked here.

    ``label_field`` and ``bar`` stand above what the spec says; ``bar`` holds for every dimension.

    Raises:
        UsageError: there is no such row, no label on one, or no judge.
        SpecError: a label on one of them cannot be read.
    """
    plan = compiled.plan
    settings = _settings(plan, label_field, bar)
    sources, labels = _look(plan, settings)
    _refuse_missing(plan, labels)
    narrowed = replace(
        plan, sources=sources, dataset=settings, selection=CALIBRATION_ROWS, agents=(), gates=(), checks=()
    )
    return Compiled(narrowed, {}, lambda _, row: asks_judge(row, settings))


def asks_judge(row: Row, settings: DatasetSettings) -> bool:
    """Whether a judge decides a row: some rows of a judged dimension are decided by a rule."""
    return DIMENSIONS[row["dimension"]].is_judged and isinstance(score_row(row, settings), JudgeRequest)


@dataclass(slots=True)
class _Labels:
    """Labels under a name: how many can be read on rows that a judge decides, and how many are on other rows."""

    name: str
    usable: int = 0
    elsewhere: int = 0
    problems: list[ProblemList] = field(default_factory=list)


def _settings(plan: Plan, label_field: str | None, bar: float | None) -> DatasetSettings:
    """The settings of the plan, with another label and bar."""
    if plan.dataset is None or not plan.rows:
        raise UsageError(
            f"{plan.slug} has no recorded rows, and only verdicts on those are compared with people",
            hint="name a data set: a .jsonl file, or a suite that binds one",
        )
    if not plan.dataset.row.has_judge:
        raise UsageError(
            "no judge is named, so there is none to calibrate",
            hint="pass --judge, or name one in the suite, in [tool.proctor] or in .assevra.yml",
        )
    if bar is not None and not (isfinite(bar) and -1 <= bar <= 1):
        raise UsageError(f"the bar {bar:g} is no kappa", hint="kappa lies between -1 and 1; 0.85 is usual")
    return replace(plan.dataset, calibration=_rule(plan.dataset.calibration, label_field, bar))


def _rule(rule: CalibrationRule, label_field: str | None, bar: float | None) -> CalibrationRule:
    if bar is not None:
        rule = replace(rule, bar=bar, bars={})
    return rule if label_field is None else replace(rule, label_field=label_field)


def _look(plan: Plan, settings: DatasetSettings) -> tuple[tuple[Source, ...], _Labels]:
    """The sources with the rows that a judge decides only, and the labels."""
    labels = _Labels(settings.calibration.label_field)
    sources = []
    for source in plan.sources:
        labels.problems.append(ProblemList(shown(source.path)))
        spans = (replace(span, rows=_look_at(source, span, settings, labels)) for span in source.spans)
        sources.append(replace(source, cases=(), spans=tuple(span for span in spans if span.rows)))
    return tuple(source for source in sources if source.spans), labels


def _look_at(source: Source, span: Span, settings: DatasetSettings, labels: _Labels) -> int:
    """Count labels; the number of rows that a judge decides."""
    judged = 0
    for number, data, row in _lines(source, span):
        is_judged = asks_judge(row, settings)
        judged += is_judged
        label = row.get(labels.name)
        if label is None:
            continue
        if not is_judged:
            labels.elsewhere += 1
        elif human_label(label) is not None:
            labels.usable += 1
        elif not settings.calibration.upstream and labels.problems[-1].has_room(Severity.ERROR):
            issue = _unreadable(labels.name, label)
            labels.problems[-1].add(row_problem(shown(source.path), number, data, issue, Severity.ERROR))
    return judged


def _lines(source: Source, span: Span) -> Iterator[tuple[int, bytes, Row]]:
    for number, data in enumerate(span_lines(read_span(source.path, span), span), span.line):
        row = read_line(data)
        if row is not BLANK:
            yield number, data, row


def _unreadable(name: str, label: object) -> RowIssue:
    said = quote(label if isinstance(label, str) else repr(label), 60)
    message = f"the label {said} can be read neither as a pass nor as a fail"
    return RowIssue("unreadable_label", (name,), message, _SPELLINGS)


def _refuse_missing(plan: Plan, labels: _Labels) -> None:
    problems = [problem for found in labels.problems for problem in found.all()]
    if problems:
        raise SpecError(problems)
    if labels.usable:
        return
    name = quote(labels.name, 60)
    if labels.elsewhere:
        raise UsageError(
            f"every label in {name} is on a row that a rule decides ({count(labels.elsewhere, 'row')}): "
            "there is no verdict of a judge to compare with",
            hint=_TO_LABEL,
        )
    raise UsageError(
        f"no row of {plan.slug} has a label in {name}, so there is nothing to compare judges with",
        hint=f"{_TO_LABEL}; --label-field names another field",
    )
