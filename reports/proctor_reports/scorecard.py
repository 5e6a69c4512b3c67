"""The scorecard: a record of recorded rows and what was found in them, made to be kept, signed and read by programs.

It is described by ``schemas/scorecard.schema.json``. The same run gives the same bytes, and whatever the rows say, the
document has a canonical form (`proctor.evidence`): so a signature can be made, and stays valid.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, TextIO

from proctor.dimension_scores import CalibrationScore, DimensionScore, RowLine
from proctor.excerpt import mark_controls
from proctor.results import CaseDetail, Summary
from proctor_reports.findings import coverage_findings, data_sets, missing_dimensions, required_dimensions, row_findings

SCHEMA_VERSION: Final = 1
"""Rises when a member changes its meaning or goes away; new members may come without it."""

_LARGEST_INTEGER: Final = 2**53
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def open_report(out: TextIO, summary: Summary, _files: Mapping[str, str]) -> Scorecard:
    """Open a scorecard."""
    return Scorecard(out, summary)


class Scorecard:
    """A scorecard that is being written. It keeps nothing."""

    def __init__(self, out: TextIO, summary: Summary) -> None:
        self._out = out
        self._separator = "\n"
        members = (f"{_encode(name)}:{_encode(signable(value))}" for name, value in _head(summary).items())
        out.write("{" + ",\n".join(members) + ',\n"findings":[')
        for finding in coverage_findings(summary):
            self._write(finding.to_json())

    def add(self, detail: CaseDetail) -> None:
        """Write what is wrong with a recorded row, a line each; what an agent played is left to other reports."""
        for finding in row_findings(detail):
            self._write(finding.to_json())

    def add_row(self, line: RowLine) -> None:
        """Leave a row that passed to the counts."""

    def finish(self) -> None:
        """Close the document."""
        self._out.write("\n]}\n")

    def _write(self, finding: dict[str, Any]) -> None:
        self._out.write(self._separator + _encode(signable(finding)))
        self._separator = ",\n"


def signable(value: Any) -> Any:
    """Give a JSON value that has a canonical form: controls and halves of characters are marked.

    A number that is no double becomes a text.
    """
    if isinstance(value, str):
        return mark_controls(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else json.dumps(value)
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_INTEGER else str(value)
    if isinstance(value, Mapping):
        return {mark_controls(name): signable(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [signable(member) for member in value]
    return value


def _head(summary: Summary) -> dict[str, Any]:
    provenance = summary.provenance
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": summary.run_id,
        "name": summary.name or summary.slug,
        "started_at": summary.started_at,
        "spec": {"name": summary.spec, "digest": provenance.get("spec_digest")},
        "data_sets": [{"name": name, "sha256": digest} for name, digest in data_sets(summary).items()],
        "judge": provenance.get("judge"),
        "purpose": summary.purpose,
        "decision": summary.decision,
        "reason": summary.reason,
        "may_ship": summary.may_ship,
        "self_test": summary.self_test,
        "partial": summary.partial,
        "warnings": summary.warnings,
        "required_dimensions": required_dimensions(summary),
        "missing_dimensions": missing_dimensions(summary),
        "dimensions": [_dimension(score) for score in summary.dimensions],
        "calibration": [_calibration(score) for score in summary.calibration],
        "regression": None if summary.regression is None else asdict(summary.regression),
        "provenance": provenance,
    }


def _dimension(score: DimensionScore) -> dict[str, Any]:
    """Give the figures of a dimension. Without a decided row there is no rate, and no interval around it."""
    measured = score.rows.decided > 0
    return {
        "name": score.name,
        "status": score.status,
        "reason": score.reason,
        "mode": score.mode,
        "engine": score.engine,
        "n": score.rows.decided,
        "passes": score.rows.passed,
        "rate": score.rate if measured else None,
        "interval": [score.low, score.high] if measured else None,
        "cluster_interval": score.cluster,
        "threshold": score.threshold,
        "bound": score.bound,
        "min_rows": score.min_rows,
        "rows": score.rows.to_json(),
        "controls": score.controls.to_json(),
        "reliability": None if score.reliability is None else asdict(score.reliability),
        "measures": None if score.measures is None else asdict(score.measures),
    }


def _calibration(score: CalibrationScore) -> dict[str, Any]:
    shares = {"accuracy": score.accuracy, "sensitivity": score.sensitivity, "specificity": score.specificity}
    return {**asdict(score), **shares}
