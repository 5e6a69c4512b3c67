"""From a companion file to its records: what kind each is of, and where it stands.

A file is an object with lists under their names, a bare array, or one record a line. A list says by its name what is in
it; bare records are what the file was given for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from proctor.errors import Problem, Severity
from proctor.formats.brainbench.companion_schemas import CORPUS_MANIFEST, companion_errors
from proctor.formats.brainbench.companions.catalogue import catalogue_category, catalogue_faults, is_catalogue
from proctor.formats.members import Fault, type_name
from proctor.formats.pointers import Pointer
from proctor.formats.strict_json.document import JsonDocument


class Kind(StrEnum):
    """What a record is. A rubric adds to the probe of its id; a manifest names all slugs of a corpus."""

    PROBE = "probe"
    SCENARIO = "scenario"
    RUBRIC = "rubric"
    PAGE = "page"
    PLANTED = "planted item"
    CLAIM = "claim"
    MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class Record:
    """One record: an object of a file, and where in it the object stands.

    ``category`` is that of the input catalogue which holds it; ``in_catalogue``: such a file names all its pages.
    """

    kind: Kind
    value: Mapping[str, Any]
    document: JsonDocument
    pointer: Pointer
    category: int | None = None
    in_catalogue: bool = False

    def problem(self, fault: Fault, severity: Severity = Severity.ERROR) -> Problem:
        """The problem of a fault that was found in the record."""
        place = (*self.pointer, *fault.pointer)
        return self.document.problem(place, fault.code, fault.message, fault.hint, severity)

    def where(self, pointer: Pointer = ()) -> str:
        """The place as messages about another record name it."""
        line, column = self.document.place((*self.pointer, *pointer))
        return f"{self.document.path.name}:{line}:{column}"


Found: TypeAlias = Record | Problem

_OF_ROLE: Final = {
    "probes": Kind.PROBE,
    "gold": Kind.PAGE,
    "rubric": Kind.RUBRIC,
    "poison": Kind.PLANTED,
    "claims": Kind.CLAIM,
}
_OF_LIST: Final = {
    "probes": Kind.PROBE,
    "scenarios": Kind.SCENARIO,
    "claims": Kind.CLAIM,
    "pages": Kind.PAGE,
    "poison_fixtures": Kind.PLANTED,
}
_BY_ROLE: Final = ("items", "queries")
"""Lists whose name does not say what is in them."""
_UNUSED: Final = ("entities", "backlinks", "links", "pairs", "preferences")
"""Lists of gold files for what is not scored here."""
_OWN_NAMES: Final = ("id", "slug", "fixture_id")
"""Members by which an object is a record, and no file around records."""


def records_of(document: JsonDocument, role: str) -> Iterator[Found]:
    """The records of one JSON text of a file, or what is wrong in the place of one."""
    value = document.value
    if isinstance(value, list):
        yield from _listed(document, (), value, _OF_ROLE[role])
    elif not isinstance(value, dict):
        message = f"must be an object or an array, got {type_name(value)}"
        yield document.problem((), "wrong_type", message, _shapes_hint(role))
    elif any(name in value for name in _OWN_NAMES) and not _has_records(value):
        yield _record(document, (), value, _OF_ROLE[role])
    elif "corpus_id" in value and "generated_at" in value:
        yield from _manifest(document, value)
    else:
        yield from _container(document, value, role)


def _has_records(value: Mapping[str, Any]) -> bool:
    lists = (value[name] for name in _OF_LIST if isinstance(value.get(name), list))
    return any(isinstance(each, dict) for found in lists for each in found[:1])


def _container(document: JsonDocument, value: Mapping[str, Any], role: str) -> Iterator[Found]:
    if _is_template(value):
        yield document.problem((), "template_row", _TEMPLATE, _TEMPLATE_HINT)
        return
    held = is_catalogue(value)
    if held:
        for severity, fault in catalogue_faults(value):
            yield document.problem(fault.pointer, fault.code, fault.message, fault.hint, severity)
    category = catalogue_category(value) if held else None
    known = [name for name in (*_OF_LIST, *_BY_ROLE, *_UNUSED) if name in value]
    if not known:
        yield document.problem((), "no_records", f"holds no list of {role}", _shapes_hint(role))
    for name in known:
        if not isinstance(value[name], list):
            yield document.problem((name,), "wrong_type", f"must be an array, got {type_name(value[name])}")
        elif (kind := _kind_of_list(name, value, role)) is None:
            yield from _unused(document, name, value[name])
        else:
            yield from _listed(document, (name,), value[name], kind, category, held=held)


def _kind_of_list(name: str, value: Mapping[str, Any], role: str) -> Kind | None:
    """The kind of the records of a list; None if nothing here looks at them."""
    if name == "probes" and (role == "rubric" or "judge_prompt_version" in value):
        return Kind.RUBRIC
    if name == "queries":
        return Kind.PROBE if role == "probes" else None
    return _OF_ROLE[role] if name == "items" else _OF_LIST.get(name)


def _listed(
    document: JsonDocument,
    pointer: Pointer,
    values: list[Any],
    kind: Kind,
    category: int | None = None,
    *,
    held: bool = False,
) -> Iterator[Found]:
    for index, value in enumerate(values):
        yield _record(document, (*pointer, index), value, kind, category, held=held)


def _record(
    document: JsonDocument,
    pointer: Pointer,
    value: Any,
    kind: Kind,
    category: int | None = None,
    *,
    held: bool = False,
) -> Found:
    if not isinstance(value, dict):
        return document.problem(pointer, "wrong_type", f"must be an object, got {type_name(value)}")
    if _is_template(value):
        return document.problem(pointer, "template_row", _TEMPLATE, _TEMPLATE_HINT)
    own = Kind.PLANTED if "fixture_id" in value else Kind.CLAIM if "claim_text" in value else kind
    return Record(own, value, document, pointer, category, held)


def _unused(document: JsonDocument, name: str, values: list[Any]) -> Iterator[Found]:
    for index, value in enumerate(values):
        if isinstance(value, dict) and _is_template(value):
            yield document.problem((name, index), "template_row", _TEMPLATE, _TEMPLATE_HINT)
    yield document.problem((name,), "not_used", f"nothing looks at {name} here", severity=Severity.WARNING)


def _manifest(document: JsonDocument, value: Mapping[str, Any]) -> Iterator[Found]:
    """The manifest of a corpus, if its schema accepts it."""
    errors = companion_errors(CORPUS_MANIFEST, value)
    for error in errors:
        yield document.problem(error.path, "bad_manifest", error.message, "see the schema of corpus manifests")
    if not errors:
        yield Record(Kind.MANIFEST, value, document, ())


_TEMPLATE: Final = "a row of the template, marked as an example"
_TEMPLATE_HINT: Final = "write rows of your own and take this one out"


def _is_template(value: Mapping[str, Any]) -> bool:
    return value.get("_example", False) not in (False, "false", None)


def _shapes_hint(role: str) -> str:
    return f"give an object with a list under {_LIST_NAMES[role]}, an array, or one object a line"


_LIST_NAMES: Final = {
    "probes": '"probes" or "scenarios"',
    "gold": '"pages"',
    "rubric": '"probes"',
    "poison": '"items"',
    "claims": '"claims"',
}
