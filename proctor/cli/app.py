"""The command tree. Each command's module is imported when the command runs, so that ``--help`` stays quick."""

from __future__ import annotations

import typer

from proctor.cli import (
    agents,
    calibrate,
    capture,
    convert,
    evidence,
    export,
    imports,
    init,
    record,
    review,
    run,
    runs,
    server,
    specs,
)

app = typer.Typer(
    name="proctor",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("init", epilog=init.EXAMPLE)(init.init)
app.command("validate", epilog=specs.VALIDATE_EXAMPLE)(specs.validate)
app.command("plan", epilog=specs.PLAN_EXAMPLE)(specs.plan)
app.command("run", epilog=run.EXAMPLE)(run.run)
app.command("runs", epilog=runs.RUNS_EXAMPLE)(runs.runs)
app.command("report", epilog=runs.REPORT_EXAMPLE)(runs.report)
app.command("accept", epilog=runs.ACCEPT_EXAMPLE)(runs.accept)
app.command("calibrate", epilog=calibrate.EXAMPLE)(calibrate.calibrate)
app.command("capture", epilog=capture.EXAMPLE)(capture.capture)
app.command("record", epilog=record.EXAMPLE)(record.record)
app.command("convert", epilog=convert.EXAMPLE)(convert.convert)
app.command("export", epilog=export.EXAMPLE)(export.export)
app.command("review", epilog=review.EXAMPLE)(review.review)
app.command("schema", epilog=specs.SCHEMA_EXAMPLE)(specs.schema)
app.command("import", epilog=imports.EXAMPLE)(imports.import_traces)
app.command("keygen", epilog=evidence.KEYGEN_EXAMPLE)(evidence.keygen)
app.command("sign", epilog=evidence.SIGN_EXAMPLE)(evidence.sign)
app.command("verify", epilog=evidence.VERIFY_EXAMPLE)(evidence.verify)
app.add_typer(agents.app, name="agents")
app.add_typer(server.app, name="server")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"proctor {version('proctor-evals')}")
        raise typer.Exit


@app.callback()
def proctor(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Run eval files of LLM agents as Prefect flows.

    Exit codes: 0 gates met, 1 a gate failed, 2 invalid spec or usage, 3 could not evaluate, 130 interrupted.
    """
