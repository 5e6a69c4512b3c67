"""The part of ``import`` that drafts rows, and what it tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.cli.output import say, show_problems
from proctor.wording import count, listed

if TYPE_CHECKING:
    from proctor.traces import Imported


@dataclass(frozen=True, slots=True)
class RowOptions:
    """What a user can say about rows; the members are named as the options are."""

    dimension: list[str] | None = None
    id_prefix: str = ""
    limit: int | None = None
    input_field: str | None = None
    output_field: str | None = None
    context_field: str | None = None


def import_rows(traces: Path, out: Path, kind: str | None, options: RowOptions) -> None:
    """Write the rows, and tell what was drafted, left out and not used."""
    from proctor.traces import FieldNames, import_traces

    done = import_traces(
        traces,
        out,
        format_name=kind,
        dimensions=options.dimension,
        id_prefix=options.id_prefix,
        limit=options.limit,
        own=FieldNames(options.input_field, options.output_field, options.context_field),
    )
    if done.warnings:
        show_problems(done.warnings)
    say(f"read {count(done.traces, 'trace')} ({done.title}), wrote {count(sum(done.rows.values()), 'row')} to {out}")
    for line in (*row_lines(done.rows), *_not_taken(done)):
        say(line)
    say(f"next: proctor validate {out}")


def row_lines(rows: Counter[str]) -> Iterator[str]:
    """Say how many rows of each dimension were drafted, and what a person has to add to them."""
    from proctor.traces import DRAFTS

    width = max(map(len, rows))
    for name, draft in DRAFTS.items():
        if rows[name]:
            to_do = f"add {draft.to_label}" if draft.to_label else "needs no label"
            yield f"  {name:{width}}  {count(rows[name], 'row'):>10}  {to_do}"


def _not_taken(done: Imported) -> Iterator[str]:
    for what in done.left_out:
        yield f"left out: {what}"
    for name, number in done.not_observed.items():
        if number:
            yield f"no {name} row: {count(number, 'trace')} without what it needs"
    if done.unused:
        yield f"not used: {listed(done.unused, 10)}"
