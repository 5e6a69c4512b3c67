"""Values as bytes and back, without loss: compressed ASCII JSON.

ASCII JSON spells NUL characters and lone surrogates as escapes, so any reply of an agent survives any database.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from proctor.dimension_scores import (
    CalibrationScore,
    Change,
    DimensionChange,
    DimensionScore,
    Measures,
    Regression,
    Reliability,
)
from proctor.errors import StoreError
from proctor.results import Changes, Counts, Decision, GateScore, GateStatus, Slice, Summary
from proctor.trajectory import CacheOrigin, JsonValue, Trajectory, Usage

if TYPE_CHECKING:
    from proctor.category_scores import TranscriptFindings

# Most trajectories are a few hundred bytes; higher levels cost more time there and save next to nothing.
_LEVEL = 1
# Made once: json.dumps makes one for each call that asks for compact text.
_ENCODER = json.JSONEncoder(separators=(",", ":"))

UNREADABLE = (TypeError, KeyError, ValueError, AttributeError, ArithmeticError)
"""What data of another shape raises when it is read."""

_OTHER_VERSION = "it was written by another version of Proctor: start the run afresh with --new"


def dumps(value: Any) -> str:
    """Spell a JSON value in compact ASCII. Raises StoreError for a value that is no JSON."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"a value cannot be stored as JSON: {error}") from error


def pack(value: Any) -> bytes:
    """Compress a JSON value. Raises StoreError for a value that is no JSON."""
    return zlib.compress(dumps(value).encode("ascii"), _LEVEL)


def unpack(packed: bytes) -> Any:
    """The inverse of `pack`. Raises StoreError for bytes that it did not make."""
    try:
        return json.loads(zlib.decompress(packed).decode("ascii"))
    except (zlib.error, ValueError) as error:
        raise StoreError(f"a stored value cannot be read: {error}") from error


def pack_trajectory(trajectory: Trajectory) -> bytes:
    """Compress a trajectory, without its cache origin."""
    return pack(trajectory.to_json())


def unpack_trajectory(packed: bytes, cached: CacheOrigin | None = None) -> Trajectory:
    """The inverse of `pack_trajectory`. Raises StoreError for what another version of Proctor wrote differently."""
    try:
        return Trajectory.from_json(unpack(packed), cached)
    except UNREADABLE as error:
        raise StoreError(f"a stored trajectory cannot be read: {error}", hint=_OTHER_VERSION) from error


def summary_to_json(summary: Summary) -> dict[str, JsonValue]:
    """Spell a summary as a JSON object with one member for each of its fields."""
    plain = _members(summary)
    return plain | {
        "decision": summary.decision.value,
        "cases": summary.cases.to_json(),
        "trials": summary.trials.to_json(),
        "gates": [gate_to_json(gate) for gate in summary.gates],
        "slices": [
            _members(part) | {"cases": part.cases.to_json(), "trials": part.trials.to_json()} for part in summary.slices
        ],
        "usage": summary.usage.to_json(),
        "judge_usage": summary.judge_usage.to_json(),
        "changes": None if summary.changes is None else _members(summary.changes),
        "dimensions": [_spelled(dimension) for dimension in summary.dimensions],
        "regression": None if summary.regression is None else _spelled(summary.regression),
        "calibration": [_spelled(score) for score in summary.calibration],
        "transcripts": None if summary.transcripts is None else _findings_to_json(summary.transcripts),
        "provenance": dict(summary.provenance),
    }


def summary_from_json(data: Mapping[str, Any]) -> Summary:
    """The inverse of `summary_to_json`. Raises StoreError for what another version of Proctor wrote differently."""
    try:
        return _summary(data)
    except UNREADABLE as error:
        raise StoreError(f"the summary of a run cannot be read: {error}", hint=_OTHER_VERSION) from error


def _summary(data: Mapping[str, Any]) -> Summary:
    members = {
        **data,
        "decision": Decision(data["decision"]),
        "cases": Counts(**data["cases"]),
        "trials": Counts(**data["trials"]),
        "gates": tuple(gate_from_json(gate) for gate in data["gates"]),
        "slices": tuple(
            Slice(**part | {"cases": Counts(**part["cases"]), "trials": Counts(**part["trials"])})
            for part in data["slices"]
        ),
        "usage": Usage.from_json(data["usage"]),
        "judge_usage": Usage.from_json(data["judge_usage"]),
        "changes": None if data["changes"] is None else Changes(**_tuples(data["changes"])),
        "dimensions": tuple(map(_dimension, data.get("dimensions", ()))),
        "regression": None if data.get("regression") is None else _regression(data["regression"]),
        "calibration": tuple(CalibrationScore(**score) for score in data.get("calibration", ())),
        "transcripts": _findings_from_json(data.get("transcripts")),
        "agents": tuple(data["agents"]),
        "warnings": tuple(data["warnings"]),
    }
    return Summary(**members)


def _dimension(data: Mapping[str, Any]) -> DimensionScore:
    reliability, measures = data["reliability"], data["measures"]
    parts = {
        "rows": Counts(**data["rows"]),
        "controls": Counts(**data["controls"]),
        "status": GateStatus(data["status"]),
        "reliability": None if reliability is None else Reliability(**_tuples(reliability)),
        "measures": None if measures is None else Measures(**measures),
    }
    return DimensionScore(**_tuples(data) | parts)


def _regression(data: Mapping[str, Any]) -> Regression:
    changes = (DimensionChange(**change | {"change": Change(change["change"])}) for change in data["dimensions"])
    return Regression(**{**data, "dimensions": tuple(changes)})


def _findings_to_json(findings: TranscriptFindings) -> dict[str, Any]:
    from proctor.store.transcript_codec import findings_to_json

    return findings_to_json(findings)


def _findings_from_json(data: Any) -> TranscriptFindings | None:
    if data is None:
        return None
    from proctor.store.transcript_codec import findings_from_json

    return findings_from_json(data)


def gate_to_json(gate: GateScore) -> dict[str, JsonValue]:
    """Spell a gate as a JSON object with one member for each of its fields."""
    return _members(gate) | {"status": gate.status.value}


def gate_from_json(data: Mapping[str, Any]) -> GateScore:
    """The inverse of `gate_to_json`."""
    return GateScore(**_tuples(data) | {"status": GateStatus(data["status"])})


def _members(value: Any) -> dict[str, Any]:
    """The fields of a dataclass as they are, tuples of text as lists."""
    return {
        field.name: list(member) if isinstance(member := getattr(value, field.name), tuple) else member
        for field in fields(value)
    }


def _spelled(value: Any) -> Any:
    """A dataclass as JSON, with everything inside it."""
    return json.loads(dumps(asdict(value)))


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(member) if isinstance(member, list) else member for name, member in data.items()}
