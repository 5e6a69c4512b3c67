"""``calibrate``: measure judges against what people say of the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from proctor.cli.options import Format, JudgeModel, Refresh, overrides_and_agent
from proctor.cli.output import OutputFormat, print_json, say, show_problems
from proctor.cli.streams import results_alone
from proctor.wording import count, listed

if TYPE_CHECKING:
    from proctor.dimension_scores import CalibrationScore, RowLine
    from proctor.stages.recorded.agreement import Agreement
    from proctor_flows.pipeline import Finished, Request

EXAMPLE: Final = "Example: proctor calibrate specs/assevra/calibration.jsonl --judge self-test"

_UNDEFINED: Final = "undefined"
_NAMED: Final = 10


def calibrate(
    spec: Annotated[Path, typer.Argument(help="A data set with human verdicts, or a suite that binds one.")],
    judge: JudgeModel = None,
    label_field: Annotated[
        str | None, typer.Option("--label-field", help="The field with the human verdict. Default: human_label.")
    ] = None,
    bar: Annotated[
        float | None, typer.Option("--bar", help="The least Cohen's kappa, in every dimension. Default: 0.85.")
    ] = None,
    refresh: Refresh = False,
    new: Annotated[bool, typer.Option("--new", help="Start a new run, even if an unfinished one could go on.")] = False,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Ask judges about all rows that a judge decides, and compare their verdicts with those of people.

    Exit codes: 0 trusted in every labelled dimension, 1 in one not trusted, 2 cannot start, 3 a verdict is missing.
    """
    from proctor.config import load_project
    from proctor.stages.recorded.labels import calibration_plan
    from proctor_flows.pipeline import Request, compile_request

    project = load_project(spec)
    overrides, _ = overrides_and_agent(None, None, False, None, None, judge, refresh, None)
    request = Request(spec, project, overrides, fresh=new)
    compiled = compile_request(request, frozenset())
    if compiled.plan.warnings:
        show_problems(compiled.plan.warnings)
    request.compiled = calibration_plan(compiled, label_field=label_field, bar=bar)
    finished, found = _evaluate(request)
    _print(finished, found, output)
    raise typer.Exit(found.exit_code)


def _evaluate(request: Request) -> tuple[Finished, Agreement]:
    import asyncio

    from proctor.cli.progress import watch
    from proctor.stages.recorded.agreement import agreement
    from proctor_flows.inline import evaluate_inline
    from proctor_flows.pipeline import open_project_store

    assert request.compiled is not None, "a calibration is compiled first"  # noqa: S101
    settings = request.compiled.plan.dataset
    assert settings is not None, "a calibration has recorded rows"  # noqa: S101
    with results_alone(), watch(request.progress), open_project_store(request.project) as store:
        finished = asyncio.run(evaluate_inline(request, store))
        summary = finished.results.summary
        found = agreement(summary.calibration, store.row_lines(summary.run_id), settings.calibration)
    return finished, found


def _print(finished: Finished, found: Agreement, output: OutputFormat) -> None:
    summary = finished.results.summary
    if output is OutputFormat.JSON:
        print_json(
            {
                "run_id": summary.run_id,
                "resumed": finished.resumed,
                **_json(found),
                "reports": {kind: str(path) for kind, path in finished.reports.items()},
            }
        )
        return
    if finished.resumed:
        say(f"went on with run {summary.run_id}", err=True)
    for line in _lines(found):
        say(line)
    for kind, path in finished.reports.items():
        if kind == "html":
            say(f"each verdict with its reason: {path}")
    if found.unanswered:
        say(f"{_unanswered(found)}; start again: what is decided is kept", err=True)


def _lines(found: Agreement) -> Iterator[str]:
    """The calibration for a person: a table, then what follows from it."""
    scores = [*found.measured, found.overall]
    yield from _table([_HEAD, *map(_cells, scores)])
    for score in (*scores, *found.unmeasured):
        yield f"{score.dimension}: {'trusted' if score.trusted else 'not trusted'}: {score.status}"
    if found.differing:
        names = [_difference(line) for line in found.differing]
        yield f"judge and people differ on {count(len(names), 'row')}: {listed(names, _NAMED)}"


_HEAD: Final = ("dimension", "rows", "agreement", "kappa", "95 % interval", "sensitivity", "specificity", "bar")


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The rows in columns: names to the left, numbers to the right."""
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    for name, *cells in rows:
        yield "  ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, others, strict=True))])


def _cells(score: CalibrationScore) -> tuple[str, ...]:
    interval = "-" if score.low is None or score.high is None else f"{score.low:.2f} to {score.high:.2f}"
    shares = [_number(share) for share in (score.accuracy, score.kappa, score.sensitivity, score.specificity)]
    return (score.dimension, f"{score.rows:,}", *shares[:2], interval, *shares[2:], f"{score.bar:g}")


def _number(value: float | None) -> str:
    return _UNDEFINED if value is None else f"{value:.2f}"


def _difference(line: RowLine) -> str:
    return f"{line.key} (people say {'pass' if line.label else 'fail'})"


def _unanswered(found: Agreement) -> str:
    names = listed([line.key for line in found.unanswered], _NAMED)
    return f"{count(len(found.unanswered), 'row')} without a verdict: {names}"


def _json(found: Agreement) -> dict[str, Any]:
    return {
        "trusted": found.overall.trusted and not found.unanswered,
        "exit_code": found.exit_code,
        "dimensions": {score.dimension: _score_json(score) for score in found.measured},
        "overall": _score_json(found.overall),
        "not_measured": {score.dimension: score.status for score in found.unmeasured},
        "differing": [
            {"id": line.key, "dimension": line.dimension, "file": line.source, "line": line.line, "label": line.label}
            for line in found.differing
        ],
        "without_verdict": [line.key for line in found.unanswered],
    }


def _score_json(score: CalibrationScore) -> dict[str, Any]:
    left_out = ("dimension", "measured_at")
    return {
        **{name: value for name, value in asdict(score).items() if name not in left_out},
        "agreement": score.accuracy,
        "sensitivity": score.sensitivity,
        "specificity": score.specificity,
    }
