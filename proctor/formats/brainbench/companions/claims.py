"""Claims of category 5: from records to `Claim`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proctor.brainbench.probes import Claim, Label
from proctor.formats.brainbench.companions.members import optional_text, texts
from proctor.formats.brainbench.companions.records import Record
from proctor.formats.members import Fault, required, required_text, unknown_choice
from proctor.formats.pointers import Pointer

_LABELS: Final = tuple(label.value for label in Label)


def read_claim(record: Record) -> Claim:
    """The claim of a record.

    Raises:
        Fault: it is none.
    """
    value = record.value
    label = required(value, "expected_label")
    if label not in _LABELS:
        raise unknown_choice(("expected_label",), "label", label, _LABELS)
    text = required_text(value, "claim_text")
    if not text.strip():
        raise Fault("empty", ("claim_text",), "must not be empty")
    return Claim(
        id=required_text(value, "id"),
        source_page=required_text(value, "source_page"),
        text=text,
        expected=Label(label),
        evidence_slugs=texts(value, "expected_evidence"),
        reason=optional_text(value, "reason"),
    )


def claim_references(record: Record) -> Iterator[tuple[Pointer, str]]:
    """The pages that a claim is about, each with its place in the record: a judge needs them all."""
    yield ("source_page",), record.value["source_page"]
    for index, slug in enumerate(record.value.get("expected_evidence") or ()):
        yield ("expected_evidence", index), slug
