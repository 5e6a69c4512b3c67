"""Input catalogues: one file for a category, with its pages, its probes and a statement of where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from proctor.brainbench.probes import COMPLIANCE, PROVENANCE, WORKFLOWS
from proctor.errors import Severity
from proctor.formats.members import Fault, required, required_text, unknown_choice, wrong_type

_MARKS: Final = ("catalog_status", "enable_thresholds", "calibration_reference")
_TEST_ONLY: Final = "test-only"
_STATUSES: Final = ("reviewed", _TEST_ONLY)
_CATEGORIES: Final = {"cat5": PROVENANCE, "cat8": COMPLIANCE, "cat9": WORKFLOWS}
_LISTS: Final = {PROVENANCE: "claims", COMPLIANCE: "probes", WORKFLOWS: "scenarios"}


def is_catalogue(value: Mapping[str, Any]) -> bool:
    """Whether a file says of itself what only an input catalogue says."""
    return any(name in value for name in _MARKS)


def catalogue_category(value: Mapping[str, Any]) -> int | None:
    """The category that a catalogue is for; None if it names none that is scored here."""
    named = value.get("category")
    if isinstance(named, str):
        return _CATEGORIES.get(named)
    return named if type(named) is int and named in _LISTS else None


def catalogue_faults(value: Mapping[str, Any]) -> Iterator[tuple[Severity, Fault]]:
    """What is wrong with a catalogue, its records aside."""
    for check in (_version, _category, _status, _origin, _thresholds, _lists):
        try:
            check(value)
        except Fault as fault:
            yield Severity.ERROR, fault
    if value.get("catalog_status") == _TEST_ONLY:
        message = "this catalogue is for tests: what it measures says nothing of an agent"
        yield Severity.WARNING, Fault("test_only", ("catalog_status",), message)


def _version(value: Mapping[str, Any]) -> None:
    version = required(value, "schema_version")
    if isinstance(version, bool) or version != 1:
        raise Fault("bad_choice", ("schema_version",), "must be 1")


def _category(value: Mapping[str, Any]) -> None:
    named = required(value, "category")
    if catalogue_category(value) is None:
        raise unknown_choice(("category",), "category", named, tuple(_CATEGORIES))


def _status(value: Mapping[str, Any]) -> None:
    status = required(value, "catalog_status")
    if status not in _STATUSES:
        raise unknown_choice(("catalog_status",), "status", status, _STATUSES)


def _origin(value: Mapping[str, Any]) -> None:
    for name in ("corpus_id", "provenance"):
        required_text(value, name)


def _thresholds(value: Mapping[str, Any]) -> None:
    enabled = required(value, "enable_thresholds")
    if not isinstance(enabled, bool):
        raise wrong_type(("enable_thresholds",), "true or false", enabled)
    if enabled:
        required_text(value, "calibration_reference")


def _lists(value: Mapping[str, Any]) -> None:
    category = catalogue_category(value)
    for name in ("pages", *([_LISTS[category]] if category else [])):
        if required(value, name) == []:
            raise Fault("empty", (name,), "must not be empty: a catalogue of nothing would pass on nothing")
