"""``import``: from traces of an agent at work to drafts of rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli.output import say, show_problems
from proctor.wording import count, listed

if TYPE_CHECKING:
    from proctor.traces import Imported

EXAMPLE = "Example: proctor import specs/assevra/booking.otlp.json --out rows.jsonl"


def import_traces(
    traces: Annotated[Path, typer.Argument(help="A file with traces: JSON, JSON Lines or CSV.")],
    out: Annotated[Path, typer.Option("--out", help="The new file for the rows, such as rows.jsonl.")],
    kind: Annotated[
        str | None,
        typer.Option("--format", help="otel, openai, anthropic, csv or generic; found by the content by default."),
    ] = None,
    dimension: Annotated[
        list[str] | None,
        typer.Option("--dimension", help="Draft rows of this dimension; may be repeated. Default: what is observed."),
    ] = None,
    id_prefix: Annotated[str, typer.Option("--id-prefix", help="Begins the id of every row.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Take only so many traces.")] = None,
    input_field: Annotated[
        str | None, typer.Option("--input-field", help="The field or column of the request (csv, generic).")
    ] = None,
    output_field: Annotated[
        str | None, typer.Option("--output-field", help="The field or column of the answer (csv, generic).")
    ] = None,
    context_field: Annotated[
        str | None, typer.Option("--context-field", help="The field or column of the context (csv, generic).")
    ] = None,
) -> None:
    """Draft rows of a data set from traces of an agent: a person adds what a right answer is, and they can be run."""
    from proctor.traces import FieldNames
    from proctor.traces import import_traces as read_and_write

    done = read_and_write(
        traces,
        out,
        format_name=kind,
        dimensions=dimension,
        id_prefix=id_prefix,
        limit=limit,
        own=FieldNames(input_field, output_field, context_field),
    )
    if done.warnings:
        show_problems(done.warnings)
    say(f"read {count(done.traces, 'trace')} ({done.title}), wrote {count(sum(done.rows.values()), 'row')} to {out}")
    for line in (*_rows(done), *_not_taken(done)):
        say(line)
    say(f"next: proctor validate {out}")


def _rows(done: Imported) -> Iterator[str]:
    from proctor.traces import DRAFTS

    width = max(map(len, done.rows))
    for name, draft in DRAFTS.items():
        if done.rows[name]:
            to_do = f"add {draft.to_label}" if draft.to_label else "needs no label"
            yield f"  {name:{width}}  {count(done.rows[name], 'row'):>10}  {to_do}"


def _not_taken(done: Imported) -> Iterator[str]:
    for what in done.left_out:
        yield f"left out: {what}"
    for name, number in done.not_observed.items():
        if number:
            yield f"no {name} row: {count(number, 'trace')} without what it needs"
    if done.unused:
        yield f"not used: {listed(done.unused, 10)}"
