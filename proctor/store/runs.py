"""Runs: made, found, finished, accepted as a baseline; their gates and reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, delete, select, update

from proctor.errors import UsageError
from proctor.plan import CAPTURE
from proctor.results import Decision, GateScore, Summary
from proctor.store.base import Part, upsert
from proctor.store.codec import gate_from_json, gate_to_json, pack, summary_from_json, summary_to_json, unpack
from proctor.store.records import ReportFile, RunRecord, RunStatus, timestamp
from proctor.store.tables import GATE, REPORT, RUN

_NAMES = [field.name for field in fields(RunRecord)]
_COLUMNS = [RUN.c[name] for name in _NAMES]
LATEST: Final = "latest"
"""The name of the newest run that evaluated something."""

_SHOWN = 5


class Runs(Part):
    """The runs of all specs of this store."""

    def create_run(self, run: RunRecord) -> None:
        """Store a new run."""
        with self._database.writing() as connection:
            connection.execute(RUN.insert().values({name: getattr(run, name) for name in _NAMES}))

    def runs(self, slug: str | None = None, limit: int = 20) -> list[RunRecord]:
        """List the newest runs, of one spec or of all, newest first."""
        query = _newest().limit(limit)
        return self._records(query if slug is None else query.where(RUN.c.slug == slug))

    def find_run(self, text: str) -> RunRecord:
        """Find a run by the beginning of its id, or the newest one that is no capture by ``latest``.

        Raises UsageError when there is none, and when several begin so; it names the candidates.
        """
        wanted = text.strip().lower()
        if wanted == LATEST:
            found = self._records(_newest().where(RUN.c.purpose != CAPTURE).limit(1))
        else:
            found = self._records(_newest().where(RUN.c.id.startswith(wanted, autoescape=True)).limit(_SHOWN + 1))
        if len(found) == 1:
            return found[0]
        raise self._ambiguous(text, found) if found else self._unknown(text)

    def unfinished(self, slug: str, plan_digest: str, host: str) -> list[RunRecord]:
        """List the runs of this plan that this machine began and did not finish, newest first."""
        return self._records(
            _newest().where(
                RUN.c.slug == slug,
                RUN.c.plan_digest == plan_digest,
                RUN.c.host == host,
                RUN.c.status != RunStatus.FINISHED,
            )
        )

    def resume_run(self, run_id: str) -> None:
        """Note that a run is at work again. Its summary, if it has one, stays until the next end."""
        self._update(run_id, status=RunStatus.RUNNING, finished_at=None)

    def save_summary(self, run_id: str, summary: Summary) -> None:
        """Store what came of a run. It is finished when its reports are written too."""
        self._update(
            run_id,
            decision=summary.decision,
            exit_code=summary.exit_code,
            summary=pack(summary_to_json(summary)),
        )

    def end_run(self, run_id: str, status: RunStatus) -> None:
        """Note that a run is finished or interrupted."""
        self._update(run_id, status=status, finished_at=timestamp())

    def summary(self, run_id: str) -> Summary:
        """Read the summary of a run. Raises UsageError for a run that has none yet."""
        with self._database.reading() as connection:
            packed = connection.execute(select(RUN.c.summary).where(RUN.c.id == run_id)).scalar()
        if packed is None:
            raise self._without_result(run_id)
        return summary_from_json(unpack(packed))

    def accept(self, run_id: str) -> None:
        """Make a run the baseline of its spec. Raises UsageError for a run that cannot be one, with the reason."""
        run = self.find_run(run_id)
        if run.purpose == CAPTURE:
            raise UsageError(
                f"run {run.id} recorded answers and evaluated nothing, so it cannot be a baseline",
                hint="proctor run on the rows that it wrote makes one",
            )
        if run.status is not RunStatus.FINISHED or run.decision is Decision.COULD_NOT_EVALUATE:
            raise UsageError(f"run {run.id} reached no verdict, so it cannot be a baseline")
        if run.selection is not None:
            raise UsageError(
                f"run {run.id} ran a part of the spec only ({run.selection}), so it cannot be a baseline",
                hint="run the whole spec, then accept that run",
            )
        self._update(run.id, accepted_at=timestamp())

    def accepted(self, slug: str, before: str | None = None) -> RunRecord | None:
        """Give the run of this spec that was accepted last, among those that began before run ``before``, if any."""
        query = (
            select(*_COLUMNS)
            .where(RUN.c.slug == slug, RUN.c.accepted_at.is_not(None))
            .order_by(RUN.c.accepted_at.desc(), RUN.c.id.desc())
            .limit(1)
        )
        found = self._records(query if before is None else query.where(RUN.c.id < before))
        return found[0] if found else None

    def save_gates(self, run_id: str, gates: Iterable[GateScore]) -> None:
        """Store all gates of a run in their order, in place of earlier ones."""
        rows = [{"run_id": run_id, "position": position, **gate_to_json(gate)} for position, gate in enumerate(gates)]
        with self._database.writing() as connection:
            connection.execute(delete(GATE).where(GATE.c.run_id == run_id))
            upsert(connection, GATE, rows)

    def gates(self, run_id: str) -> list[GateScore]:
        """List the gates of a run in their order."""
        columns = [column for column in GATE.c if column.name not in ("run_id", "position")]
        query = select(*columns).where(GATE.c.run_id == run_id).order_by(GATE.c.position)
        with self._database.reading() as connection:
            return [gate_from_json(dict(row)) for row in connection.execute(query).mappings()]

    def save_report(self, run_id: str, kind: str, path: str, digest: str) -> None:
        """Note a report file of a run, in place of an earlier one of that kind."""
        with self._database.writing() as connection:
            upsert(connection, REPORT, [{"run_id": run_id, "kind": kind, "path": path, "digest": digest}])

    def reports(self, run_id: str) -> list[ReportFile]:
        """List the report files of a run by kind."""
        query = select(REPORT.c.kind, REPORT.c.path, REPORT.c.digest).where(REPORT.c.run_id == run_id)
        with self._database.reading() as connection:
            return [ReportFile(*row) for row in connection.execute(query.order_by(REPORT.c.kind))]

    def _records(self, query: Select[Any]) -> list[RunRecord]:
        with self._database.reading() as connection:
            return [_record(row) for row in connection.execute(query).mappings()]

    def _update(self, run_id: str, **values: Any) -> None:
        with self._database.writing() as connection:
            found = connection.execute(update(RUN).where(RUN.c.id == run_id).values(**values)).rowcount
        if not found:
            raise self._unknown(run_id)

    def _without_result(self, run_id: str) -> UsageError:
        if self.find_run(run_id).purpose == CAPTURE:
            return UsageError(
                f"run {run_id} recorded answers and evaluated nothing, so it has no result",
                hint="proctor run on the rows that it wrote gives one",
            )
        return UsageError(f"run {run_id} has no result yet", hint="start the same spec again: it resumes the run")

    def _unknown(self, text: str) -> UsageError:
        newest = ", ".join(run.id for run in self.runs(limit=_SHOWN))
        if not newest:
            return UsageError("the store holds no run yet", hint="proctor run SPEC makes one")
        if text.strip().lower() == LATEST:
            return UsageError("the store holds captures only, and no evaluation", hint=f"the newest are {newest}")
        return UsageError(f"no run has an id that begins with {text!r}", hint=f"the newest runs are {newest}")

    def _ambiguous(self, text: str, found: list[RunRecord]) -> UsageError:
        names = ", ".join(run.id for run in found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
        return UsageError(f"several runs have an id that begins with {text!r}: {names}", hint="write more of the id")


def _newest() -> Select[Any]:
    newest_first: ColumnElement[Any] = RUN.c.id.desc()
    return select(*_COLUMNS).order_by(newest_first)


def _record(row: Mapping[Any, Any]) -> RunRecord:
    decision = row["decision"]
    return RunRecord(
        **{
            **row,
            "status": RunStatus(row["status"]),
            "decision": None if decision is None else Decision(decision),
        }
    )
