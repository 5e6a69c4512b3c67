"""``runs``, ``report`` and ``accept``: what was run before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proctor.cli.options import Format
from proctor.cli.output import OutputFormat, print_json, say

if TYPE_CHECKING:
    from proctor.results import RunResults
    from proctor.store import RunRecord, Store

RUNS_EXAMPLE = "Example: proctor runs --limit 5"
REPORT_EXAMPLE = "Example: proctor report latest"
ACCEPT_EXAMPLE = "Example: proctor accept latest"

RunName = Annotated[str, typer.Argument(metavar="RUN", help="The beginning of a run's id, or latest.")]


def runs(
    suite: Annotated[str | None, typer.Argument(help="The slug of a spec; all of them by default.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many.")] = 20,
    output: Format = OutputFormat.TEXT,
) -> None:
    """List the runs of this project, newest first."""
    with _store() as store:
        records = store.runs(slug=suite, limit=limit)
    if output is OutputFormat.JSON:
        print_json([_record_json(record) for record in records])
        return
    if not records:
        say("no runs yet: start one with proctor run")
    for record in records:
        say(_line(record))


def report(run: RunName = "latest", output: Format = OutputFormat.TEXT) -> None:
    """Write the reports of a finished run again, with the reviews of its answers up to now; print where they are."""
    from proctor.config import find_root
    from proctor.plan import REPORT_FORMATS
    from proctor.stages.places import report_dir
    from proctor_reports import write_reports
    from proctor_reports.json_report import summary_json

    with _store() as store:
        record = store.find_run(run)
        results = _results(store, record.id)
        known = {file.kind: Path(file.path) for file in store.reports(record.id)}
        folder = next((path.parent for path in known.values()), None)
        folder = folder or report_dir(find_root(Path.cwd()), None, record.slug, record.id)
        paths = write_reports(results, folder, tuple(known or REPORT_FORMATS))
    if output is OutputFormat.JSON:
        print_json({**summary_json(results.summary), "reports": {kind: str(path) for kind, path in paths.items()}})
        return
    for kind, path in paths.items():
        say(f"{kind:<9} {path}")


def _results(store: Store, run_id: str) -> RunResults:
    results = store.results(run_id)
    if results.summary.transcripts is None:
        return results
    from proctor.stages.reviews.agreement import with_reviews

    return with_reviews(results, store)


def accept(run: RunName = "latest") -> None:
    """Accept a run as the baseline that later runs of its spec are compared with."""
    with _store() as store:
        record = store.find_run(run)
        store.accept(record.id)
    say(f"accepted {record.id} as the baseline of {record.slug}")


def _store() -> Store:
    from proctor.config import load_project
    from proctor_flows.pipeline import open_project_store

    return open_project_store(load_project(Path.cwd()))


def _line(record: RunRecord) -> str:
    decision = record.decision.value if record.decision else _status(record)
    notes = [note for note in (record.selection, "accepted" if record.accepted_at else None) if note]
    return f"{record.id}  {record.started_at}  {decision:<18}  {record.slug}{'  ' if notes else ''}{', '.join(notes)}"


def _status(record: RunRecord) -> str:
    """What a run without a decision is: one that recorded answers has none when it is done."""
    from proctor.plan import CAPTURE
    from proctor.store import RunStatus

    is_captured = record.purpose == CAPTURE and record.status is RunStatus.FINISHED
    return "captured" if is_captured else record.status.value


def _record_json(record: RunRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "slug": record.slug,
        "spec": record.spec,
        "status": record.status.value,
        "decision": record.decision.value if record.decision else None,
        "exit_code": record.exit_code,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
        "selection": record.selection,
        "purpose": record.purpose,
        "accepted_at": record.accepted_at,
    }
