"""The evidence contract, closed: which members an evidence object has, and of which type they are.

The benchmark's own schema leaves the members of writes and of gold pages open, so raw output can hide there. Every
evidence object is checked here before a judge sees any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Ordering
from proctor.brainbench.judging.shown_names import NO_SLUG, shown_slug
from proctor.brainbench.probes import CATEGORIES
from proctor.brainbench.tools import WRITE_TOOLS
from proctor.jsonvalue import json_equal


class Breach(NamedTuple):
    """A place where an object is not what the contract says."""

    pointer: str
    message: str

    def __str__(self) -> str:
        return f"{self.pointer or 'the evidence'} {self.message}"


_Shape: TypeAlias = Callable[[Any, str], Iterator[Breach]]


def breaches(evidence: Any, era: Era = Era.POST_AUDIT) -> tuple[Breach, ...]:
    """Every breach of an evidence object, in the order of its members.

    Ids may be of any family. In the seed era a citation may be any text, and an intended write may lack its slug.
    """
    return tuple((_SEED_EVIDENCE if era is Era.SEED else _EVIDENCE)(evidence, ""))


def _one_of(*values: object) -> _Shape:
    def shape(value: Any, pointer: str) -> Iterator[Breach]:
        if not any(json_equal(value, wanted) for wanted in values):
            yield Breach(pointer, f"is not {' or '.join(map(str, values))}")

    return shape


def _a(kind: type, name: str) -> _Shape:
    def shape(value: Any, pointer: str) -> Iterator[Breach]:
        if type(value) is not kind:
            yield Breach(pointer, f"is not {name}")

    return shape


def _list_of(item: _Shape) -> _Shape:
    def shape(value: Any, pointer: str) -> Iterator[Breach]:
        if not isinstance(value, list):
            yield Breach(pointer, "is not a list")
            return
        for position, found in enumerate(value):
            yield from item(found, f"{pointer}/{position}")

    return shape


def _object(members: Mapping[str, _Shape], optional: Mapping[str, _Shape] | None = None) -> _Shape:
    known = {**members, **(optional or {})}

    def shape(value: Any, pointer: str) -> Iterator[Breach]:
        if not isinstance(value, dict):
            yield Breach(pointer, "is not an object")
            return
        yield from (Breach(pointer, f"lacks {name}") for name in members if name not in value)
        for name, found in value.items():
            if name in known:
                yield from known[name](found, f"{pointer}/{name}")
            else:
                yield Breach(pointer, "has a member that the contract does not know")

    return shape


def _counts(value: Any, pointer: str) -> Iterator[Breach]:
    if not isinstance(value, dict) or any(type(found) is not int or found < 0 for found in value.values()):
        yield Breach(pointer, "is not an object of counts")


def _citation(value: Any, pointer: str) -> Iterator[Breach]:
    if not isinstance(value, str) or (value != NO_SLUG and shown_slug(value) != value):
        yield Breach(pointer, "is not a slug")


_TEXT: Final = _a(str, "a text")
_FLAG: Final = _a(bool, "true or false")


def _evidence(citation: _Shape, *, has_slug: bool) -> _Shape:
    slug: Mapping[str, _Shape] = {"slug": _TEXT}
    write = {"tool_name": _one_of(*WRITE_TOOLS), "has_back_links": _FLAG, "citation_format_ok": _FLAG}
    summary = {
        "count_by_tool": _counts,
        "saw_poison_items": _list_of(_TEXT),
        "made_dry_run_writes": _list_of(_object({**write, **slug}) if has_slug else _object(write, slug)),
    }
    return _object(
        {
            "schema_version": _one_of(1),
            "probe": _object({"id": _TEXT, "text": _TEXT, "category": _one_of(*CATEGORIES)}),
            "final_answer_text": _TEXT,
            "evidence_refs": _list_of(citation),
            "tool_call_summary": _object(
                summary, {"brain_first_ordering": _one_of(*(label.value for label in Ordering))}
            ),
            "ground_truth_pages": _list_of(_object({"slug": _TEXT, "title": _TEXT, "content": _TEXT})),
            "rubric": _list_of(_object({"id": _TEXT, "criterion": _TEXT, "weight": _one_of(1, 2)})),
        }
    )


_EVIDENCE: Final = _evidence(_citation, has_slug=True)
_SEED_EVIDENCE: Final = _evidence(_TEXT, has_slug=False)
