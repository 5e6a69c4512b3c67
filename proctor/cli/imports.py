"""``import``: from traces of an agent at work to drafts of rows, or from a run of pi to a fixture."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli.import_pi import import_fixture, is_pi
from proctor.cli.import_rows import RowOptions, import_rows
from proctor.errors import UsageError

if TYPE_CHECKING:
    from proctor.traces.pi_fixture import PiOptions

EXAMPLE = "Example: proctor import specs/assevra/booking.otlp.json --out rows.jsonl"


def import_traces(
    traces: Annotated[Path, typer.Argument(help="A file with traces: JSON, JSON Lines or CSV, or a session of pi.")],
    out: Annotated[Path, typer.Option("--out", help="The new file for the rows or the fixture, such as rows.jsonl.")],
    kind: Annotated[
        str | None,
        typer.Option("--format", help="otel, openai, anthropic, csv, generic or pi; found by the content by default."),
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
    fixture_id: Annotated[
        str | None, typer.Option("--fixture-id", help="The id of the fixture (pi). Default: that of the session.")
    ] = None,
    pi_version: Annotated[
        str | None, typer.Option("--pi-version", help="The version of pi-agent-core that the session is of (pi).")
    ] = None,
    scenario: Annotated[
        str | None, typer.Option("--scenario", help="What the fixture is about (pi). Default: the session's name.")
    ] = None,
    system_prompt: Annotated[
        Path | None, typer.Option("--system-prompt", help="A file with the exact system prompt (pi).")
    ] = None,
    system_prompt_hash: Annotated[
        str | None, typer.Option("--system-prompt-hash", help="The SHA-256 of the system prompt (pi).")
    ] = None,
    leaf: Annotated[
        str | None, typer.Option("--leaf", help="The last entry of the branch to take (pi). Default: the file's last.")
    ] = None,
    keep_failed: Annotated[
        bool, typer.Option("--keep-failed", help="Take answers that failed or were stopped as well (pi).")
    ] = False,
    lenient: Annotated[bool, typer.Option("--lenient", help="Leave bad lines out, with a warning each (pi).")] = False,
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Keep secrets and home folders as they were recorded (pi).")
    ] = False,
) -> None:
    """Draft rows of a data set from traces of an agent: a person adds what a right answer is, and they can be run.

    A session of pi, or what pi --mode json printed, becomes a fixture. Options with (pi) are for these only.
    """
    from proctor.traces.pi_fixture import PiOptions

    of_rows = RowOptions(dimension, id_prefix, limit, input_field, output_field, context_field)
    of_pi = PiOptions(
        fixture_id, pi_version, scenario, system_prompt, system_prompt_hash, leaf, keep_failed, lenient, not no_mask
    )
    if is_pi(traces, kind):
        _refuse(of_rows, f"is for rows, and {traces} becomes a fixture")
        import_fixture(traces, out, of_pi)
    else:
        _refuse(of_pi, f"is for sessions of pi, and {traces} is read as something else")
        import_rows(traces, out, kind, of_rows)


def _refuse(options: RowOptions | PiOptions, why: str) -> None:
    """Raise UsageError for an option that was given and would do nothing."""
    for field in fields(options):
        if getattr(options, field.name) not in (field.default, []):
            name = "no-mask" if field.name == "mask" else field.name.replace("_", "-")
            raise UsageError(f"--{name} {why}", hint="leave it out, or say what the file is with --format")
