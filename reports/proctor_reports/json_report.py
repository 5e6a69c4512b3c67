"""The machine-readable report: everything, one case a line, described by ``schemas/report.schema.json``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TextIO

from proctor.dimension_scores import DimensionScore, RowLine
from proctor.results import CaseDetail, CaseScore, CheckResult, Summary, TrialScore
from proctor.trajectory import CacheOrigin
from proctor_reports.json_metrics import transcripts_json

SCHEMA_VERSION = 1
"""Rises when a member changes its meaning or goes away; new members may come without it."""

_STRICT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

_TEXT = json.encoder.encode_basestring
"""Spells a text as `_STRICT` does."""


def open_report(out: TextIO, summary: Summary, _files: Mapping[str, str]) -> JsonReport:
    """Open a JSON report."""
    return JsonReport(out, summary)


class JsonReport:
    """A JSON report that is being written. It keeps nothing."""

    def __init__(self, out: TextIO, summary: Summary) -> None:
        self._out = out
        self._separator = "\n"
        self._in_rows = False
        out.write(f'{{"schema_version":{SCHEMA_VERSION},\n"summary":{_encode(summary_json(summary))},\n"cases":[')

    def add(self, detail: CaseDetail) -> None:
        """Write a case as one line."""
        self._out.write(self._separator + _encode(_case(detail)))
        self._separator = ",\n"

    def add_row(self, line: RowLine) -> None:
        """Write a recorded row that passed as one line."""
        if not self._in_rows:
            self._begin_rows()
        self._out.write(self._separator + _row(line))
        self._separator = ",\n"

    def finish(self) -> None:
        """Close the document."""
        if not self._in_rows:
            self._begin_rows()
        self._out.write("\n]}\n")

    def _begin_rows(self) -> None:
        self._in_rows = True
        self._separator = "\n"
        self._out.write('\n],\n"rows":[')


def _encode(value: dict[str, Any]) -> str:
    try:
        return _STRICT.encode(value)
    except ValueError:
        return _STRICT.encode(_without_nan(value))


def _without_nan(value: Any) -> Any:
    """Spell the numbers that JSON does not know as the text ``NaN``, ``Infinity`` or ``-Infinity``."""
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    if isinstance(value, dict):
        return {key: _without_nan(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(member) for member in value]
    return value


def summary_json(summary: Summary) -> dict[str, Any]:
    """The ``summary`` member of the JSON report, which is also what ``proctor run --format json`` prints."""
    plain = (
        "run_id", "slug", "name", "spec", "purpose", "decision", "reason", "may_ship", "exit_code", "agents", "partial",
        "self_test", "started_at", "duration_s", "latency_p50_ms", "latency_p95_ms", "cached_trials", "cached_verdicts",
        "cached_since", "warnings",
    )  # fmt: skip
    return {
        **{name: getattr(summary, name) for name in plain},
        "cases": summary.cases.to_json(),
        "trials": summary.trials.to_json(),
        "usage": summary.usage.to_json(),
        "judge_usage": summary.judge_usage.to_json(),
        "gates": [asdict(gate) for gate in summary.gates],
        "slices": [asdict(part) for part in summary.slices],
        "changes": None if summary.changes is None else asdict(summary.changes),
        "dimensions": [_dimension(score) for score in summary.dimensions],
        "regression": None if summary.regression is None else asdict(summary.regression),
        "calibration": [asdict(score) for score in summary.calibration],
        "transcripts": None if summary.transcripts is None else transcripts_json(summary.transcripts),
        "provenance": dict(summary.provenance),
    }


def _dimension(score: DimensionScore) -> dict[str, Any]:
    return {**asdict(score), "rate": score.rate, "rows": score.rows.to_json(), "controls": score.controls.to_json()}


def _case(detail: CaseDetail) -> dict[str, Any]:
    return {**_score(detail.score), "trials": [_trial(trial) for trial in detail.trials]}


def _score(score: CaseScore) -> dict[str, Any]:
    return {
        "agent": score.agent,
        "case": score.case,
        "outcome": score.outcome,
        "flaky": score.flaky,
        "counts": score.counts.to_json(),
        "runs": score.runs,
        "threshold": score.threshold,
        "needed": score.needed,
        "reason": score.reason,
        "tags": score.tags,
        "markers": score.markers,
        "source": score.source,
        "line": score.line,
        "latency_ms": score.latency_ms,
        "usage": score.usage.to_json(),
        "cached": score.cached,
    }


def _trial(trial: TrialScore) -> dict[str, Any]:
    return {
        "trial": trial.ref.trial,
        "outcome": trial.outcome,
        "checks": [_check(check) for check in trial.checks],
        "trajectory": trial.trajectory.to_json(),
        "cached": _origin(trial.trajectory.cached),
    }


def _row(line: RowLine) -> str:
    """The members that carry something. There may be 100,000 rows, so only what varies is encoded."""
    text = (
        f'{{"case":{_TEXT(line.key)},"dimension":{_TEXT(line.dimension)},"outcome":"{line.outcome}",'
        f'"source":{_TEXT(line.source)},"line":{line.line}'
    )
    if line.group != line.key:
        text += f',"group":{_TEXT(line.group)}'
    if line.measure is not None:
        text += f',"measure":{_number(line.measure)}'
    if line.tags:
        text += f',"tags":{_STRICT.encode(line.tags)}'
    return f'{text},"control":true}}' if line.control else text + "}"


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'"{json.dumps(value)}"'


def _check(check: CheckResult) -> dict[str, Any]:
    verdict = check.verdict
    return {
        "name": check.name,
        "outcome": check.outcome,
        "reason": check.reason,
        "turn": check.turn,
        "kind": check.kind,
        "verdict": None if verdict is None else {**verdict.to_json(), "cached": _origin(verdict.cached)},
    }


def _origin(origin: CacheOrigin | None) -> dict[str, str] | None:
    return None if origin is None else {"run_id": origin.run_id, "created_at": origin.created_at}
