"""Recorded rows: a light line for each, packed by chunk; those that no rule passed are trials as well.

A data set may have 100,000 rows, and nearly all of them pass. Of those nothing but the line is kept: the texts are in
the file, whose digest the run has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, select

from proctor.dataset import RECORDED
from proctor.dimension_scores import CalibrationScore, RowLine
from proctor.results import Outcome, TrialRef
from proctor.store.base import Part, batches, case_conditions, execute_many, upsert
from proctor.store.codec import pack, unpack
from proctor.store.records import RowPlace
from proctor.store.scores import ScoredTrial, write_scored
from proctor.store.tables import CALIBRATION, ROW_CHUNK, SCORE, TRIAL
from proctor.store.trials import outcome_of

_BATCH = 1_000
_SPARSE = ("group", "tags", "slices")
"""What most rows do not have: kept by position only."""


class Rows(Part):
    """The recorded rows of all runs, and what people said of the judges that scored them."""

    def save_rows(
        self, run_id: str, place: RowPlace, lines: Sequence[RowLine], scored: Iterable[ScoredTrial] = ()
    ) -> None:
        """Store a chunk of rows, in place of an earlier one at the same place, all of it or nothing.

        ``scored`` holds the rows that no rule passed: as trials, with their checks and open questions.
        """
        waiting = 0
        with self._database.writing() as connection:
            _forget_chunk(connection, run_id, place)
            for batch in batches(scored, _BATCH):
                write_scored(connection, run_id, batch)
                waiting += sum(outcome is None for _, outcome, _ in batch)
            row = {"run_id": run_id, "source": place.source, "line": place.line, "rows": len(lines)}
            upsert(connection, ROW_CHUNK, [{**row, "waiting": waiting, "lines": pack(_columns(lines))}])

    def row_chunks(self, run_id: str) -> dict[RowPlace, int]:
        """The chunks that are scored, each with the number of its rows that began as questions for a judge."""
        query = select(ROW_CHUNK.c.source, ROW_CHUNK.c.line, ROW_CHUNK.c.waiting).where(ROW_CHUNK.c.run_id == run_id)
        with self._database.reading() as connection:
            return {RowPlace(source, line): waiting for source, line, waiting in connection.execute(query)}

    def row_lines(self, run_id: str) -> Iterator[RowLine]:
        """Every row of a run in the order of its files, with the outcome that it has now."""
        return self._lines(run_id, self._trial_outcomes(run_id))

    def passed_rows(self, run_id: str) -> Iterator[RowLine]:
        """The rows that a rule passed, in the order of their files: those that are no trials."""
        trials = self._trial_outcomes(run_id)
        return (line for line in self._lines(run_id, trials) if line.key not in trials)

    def dimension_outcomes(self, run_id: str) -> dict[str, Outcome]:
        """What the dimension of each row that is a trial says: the first check of the row, whatever the others say.

        A row that still waits for a judge is unscored.
        """
        query = select(SCORE.c.case_key, SCORE.c.outcome)
        query = query.where(SCORE.c.run_id == run_id, SCORE.c.agent == RECORDED, SCORE.c.position == 0)
        with self._database.reading() as connection:
            found = connection.execute(query).all()
        return {key: Outcome.UNSCORED if outcome is None else Outcome(outcome) for key, outcome in found}

    def save_calibrations(self, run_id: str, scores: Iterable[CalibrationScore]) -> None:
        """Store how far judge and people agreed in a run, in place of what was stored for it."""
        rows = [
            {
                "dimension": score.dimension,
                "run_id": run_id,
                "judge": score.judge,
                "measured_at": score.measured_at,
                "score": {name: getattr(score, name) for name in score.__slots__},
            }
            for score in scores
        ]
        with self._database.writing() as connection:
            connection.execute(delete(CALIBRATION).where(CALIBRATION.c.run_id == run_id))
            execute_many(connection, CALIBRATION.insert(), rows)

    def calibrations(self) -> dict[str, list[CalibrationScore]]:
        """All stored calibrations by dimension, the newest first."""
        query = select(CALIBRATION.c.dimension, CALIBRATION.c.score).order_by(
            CALIBRATION.c.measured_at.desc(), CALIBRATION.c.run_id.desc()
        )
        found: dict[str, list[CalibrationScore]] = {}
        with self._database.reading() as connection:
            for dimension, score in connection.execute(query):
                found.setdefault(dimension, []).append(CalibrationScore(**score))
        return found

    def _trial_outcomes(self, run_id: str) -> dict[str, Outcome]:
        query = select(TRIAL.c.case_key, TRIAL.c.outcome, TRIAL.c.ending)
        query = query.where(TRIAL.c.run_id == run_id, TRIAL.c.agent == RECORDED)
        with self._database.reading() as connection:
            return {key: outcome_of(outcome, ending) for key, outcome, ending in connection.execute(query)}

    def _lines(self, run_id: str, now: Mapping[str, Outcome]) -> Iterator[RowLine]:
        """Every row; those that are trials with their outcome ``now``."""
        query = select(ROW_CHUNK.c.source, ROW_CHUNK.c.line).where(ROW_CHUNK.c.run_id == run_id)
        with self._database.reading() as connection:
            places = connection.execute(query.order_by(ROW_CHUNK.c.source, ROW_CHUNK.c.line)).all()
        for source, first in places:
            chunk = select(ROW_CHUNK.c.lines).where(
                ROW_CHUNK.c.run_id == run_id, ROW_CHUNK.c.source == source, ROW_CHUNK.c.line == first
            )
            with self._database.reading() as connection:
                packed = connection.execute(chunk).scalar_one()
            yield from _rows(source, unpack(packed), now)


def _forget_chunk(connection: Connection, run_id: str, place: RowPlace) -> None:
    """Delete the trials of the chunk that was stored at a place before, if one was."""
    query = select(ROW_CHUNK.c.lines).where(
        ROW_CHUNK.c.run_id == run_id, ROW_CHUNK.c.source == place.source, ROW_CHUNK.c.line == place.line
    )
    packed = connection.execute(query).scalar()
    if packed is None:
        return
    refs = [TrialRef(RECORDED, key, 0) for key in unpack(packed)["key"]]
    for table in (TRIAL, SCORE):
        for condition in case_conditions(table, run_id, refs):
            connection.execute(delete(table).where(condition))


def _columns(lines: Sequence[RowLine]) -> dict[str, Any]:
    """The lines by column, which compresses well. The source is that of the chunk."""
    columns: dict[str, Any] = dict(zip(RowLine._fields, zip(*lines, strict=True), strict=False))
    keys = columns.pop("key", ())
    columns.pop("source", None)
    groups = columns.pop("group", ())
    columns["group"] = {at: group for at, (key, group) in enumerate(zip(keys, groups, strict=True)) if group != key}
    for name in ("tags", "slices"):
        columns[name] = {at: value for at, value in enumerate(columns.get(name, ())) if value}
    return {"key": keys, **columns}


def _rows(source: str, columns: Mapping[str, Any], now: Mapping[str, Outcome]) -> Iterator[RowLine]:
    if not columns["key"]:
        return
    outcomes = {outcome.value: outcome for outcome in Outcome}
    full = {
        name: _filled(columns, name) if name in _SPARSE else columns.get(name, ())
        for name in RowLine._fields
        if name != "source"
    }
    full["outcome"] = [now.get(key) or outcomes[value] for key, value in zip(full["key"], full["outcome"], strict=True)]
    full["source"] = [source] * len(full["key"])
    yield from map(RowLine._make, zip(*(full[name] for name in RowLine._fields), strict=True))


def _filled(columns: Mapping[str, Any], name: str) -> Sequence[Any]:
    """A column with a value for each row again."""
    found: Mapping[str, Any] = columns[name]
    if name == "group":
        keys = columns["key"]
        return [found.get(str(at), key) for at, key in enumerate(keys)] if found else keys
    values: list[Any] = [()] * len(columns["key"])
    for at, value in found.items():
        values[int(at)] = tuple(map(tuple, value)) if name == "slices" else tuple(value)
    return values
