"""Gates of a suite that no case can meet: a misspelt tag or id is told before the first trial, not after the last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.errors import Problem, Severity
from proctor.formats.pointers import Pointer, pointer_text
from proctor.formats.suite import Suite
from proctor.formats.yaml_reader import Document
from proctor.plan import Outline
from proctor.stages.gates import is_pinned
from proctor.wording import listed

_NAMED = 10


def unmatched_gates(
    document: Document, suite: Suite, outlines: Sequence[Outline], *, rows: bool = False
) -> Iterator[Problem]:
    """Warn of each gate that matches no case, and of each case that must pass and is not there.

    With recorded ``rows`` nothing can be said: which of them a gate means is known when they are scored.
    """
    if rows:
        return
    tags = sorted({tag for outline in outlines for tag in outline.tags})
    names = {name for outline in outlines for name in (*outline.tags, *outline.markers)}
    for gate, block in suite.gates.items():
        wanted = [*block.tags, *block.pytest_markers]
        if wanted and names.isdisjoint(wanted):
            message = f"no case has one of the tags of gate {gate!r} ({', '.join(wanted)})"
            hint = f"known tags: {listed(tags, _NAMED)}" if tags else "no case has tags"
            yield _warning(document, ("gates", gate), message, f"the gate would not be met; {hint}")
        for number, pin in enumerate(block.must_pass):
            if not any(is_pinned(pin, outline.key) for outline in outlines):
                message = f"there is no case {pin!r}, which must pass for gate {gate!r}"
                yield _warning(document, ("gates", gate, "must_pass", number), message, "the gate would not be met")


def _warning(document: Document, pointer: Pointer, message: str, hint: str) -> Problem:
    line, column = document.place(pointer)
    return Problem(
        document.path, "unmatched_gate", message, line, column, pointer_text(pointer), hint, Severity.WARNING
    )
