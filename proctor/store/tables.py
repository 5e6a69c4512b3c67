"""The tables, as SQLModel classes. Rows are written and read in bulk through their core tables.

Their own registry keeps them apart from any SQLModel tables of the project under test, which may be loaded into the
same process. A change here needs a migration: see `proctor.store.schema`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Double, Index, Table
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from proctor.store.columns import AnyJson, AnyText

_REGISTRY = registry()
METADATA = _REGISTRY.metadata


def _text(*, key: bool = False) -> Any:
    return Field(sa_type=AnyText, primary_key=key)


def _tokens() -> Any:
    return Field(sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})


def _json() -> Any:
    return Field(sa_type=AnyJson, nullable=False)


class Base(SQLModel, registry=_REGISTRY):
    """The base of all tables here."""


class Run(Base, table=True):
    """One execution of a spec. ``summary`` is compressed JSON."""

    __table_args__ = (Index("run_by_slug", "slug", "id"),)

    id: str = _text(key=True)
    slug: str = _text()
    name: str = _text()
    spec: str = _text()
    plan_digest: str = _text()
    status: str = _text()
    decision: str | None = _text()
    exit_code: int | None
    started_at: str = _text()
    finished_at: str | None = _text()
    accepted_at: str | None = _text()
    purpose: str = _text()
    selection: str | None = _text()
    host: str = _text()
    engine: str = _text()
    provenance: dict[str, Any] = _json()
    summary: bytes | None


class Case(Base, table=True):
    """The score of one case with one agent. ``rank`` orders cases worst first."""

    __table_args__ = (Index("case_worst_first", "run_id", "rank", "agent", "case_key"),)

    run_id: str = _text(key=True)
    agent: str = _text(key=True)
    case_key: str = _text(key=True)
    rank: int
    outcome: str = _text()
    passed: int
    failed: int
    errored: int
    refused: int
    unscored: int
    skipped: int
    runs: int
    threshold: float = Field(sa_type=Double)
    needed: int
    reason: str = _text()
    tags: list[str] = _json()
    markers: list[str] = _json()
    source: str = _text()
    line: int
    latency_ms: float = Field(sa_type=Double)
    usage: dict[str, Any] = _json()
    cached: int


class Trial(Base, table=True):
    """One execution of a case. ``outcome`` is NULL until every check of it is decided."""

    run_id: str = _text(key=True)
    agent: str = _text(key=True)
    case_key: str = _text(key=True)
    trial: int = Field(primary_key=True)
    key: str = _text()
    ending: str = _text()
    outcome: str | None = _text()
    trajectory: bytes
    latency_ms: float = Field(sa_type=Double)
    cost_usd: str | None = _text()
    input_tokens: int = Field(sa_type=BigInteger)
    output_tokens: int = Field(sa_type=BigInteger)
    attempts: int
    failure_kind: str | None = _text()
    failure_type: str | None = _text()
    failure_message: str | None = _text()
    cached_run_id: str | None = _text()
    cached_at: str | None = _text()
    created_at: str = _text()
    cache_read_tokens: int = _tokens()
    cache_write_tokens: int = _tokens()


class Score(Base, table=True):
    """One check of one trial. An ``outcome`` of NULL is a question that waits for a judge."""

    run_id: str = _text(key=True)
    agent: str = _text(key=True)
    case_key: str = _text(key=True)
    trial: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    turn: int | None
    name: str = _text()
    kind: str = _text()
    outcome: str | None = _text()
    reason: str = _text()
    verdict: dict[str, Any] | None = Field(sa_type=AnyJson)
    verdict_cached_run_id: str | None = _text()
    verdict_cached_at: str | None = _text()


class Gate(Base, table=True):
    """The score of one gate with one agent, at its place among the gates of the run."""

    run_id: str = _text(key=True)
    position: int = Field(primary_key=True)
    name: str = _text()
    agent: str = _text()
    status: str = _text()
    reason: str = _text()
    threshold: float = Field(sa_type=Double)
    members: int
    ran: int
    passed: int
    skipped: int
    failing: list[str] = _json()
    pinned_failed: list[str] = _json()
    pinned_missing: list[str] = _json()
    needed: int = Field(sa_column_kwargs={"server_default": "0"})


class Report(Base, table=True):
    """A report file that was written for a run."""

    run_id: str = _text(key=True)
    kind: str = _text(key=True)
    path: str = _text()
    digest: str = _text()


class RowChunk(Base, table=True):
    """Consecutive rows of a recorded source, scored. ``lines`` is compressed JSON, one light line a row.

    Rows that a rule did not pass are trials too; the trial has the outcome. ``waiting`` rows began as questions for a
    judge.
    """

    __tablename__ = "row_chunk"

    run_id: str = _text(key=True)
    source: str = _text(key=True)
    line: int = Field(sa_type=BigInteger, primary_key=True)
    rows: int
    waiting: int
    lines: bytes


class Calibration(Base, table=True):
    """How far a judge and people agreed on one dimension, in one run. ``judge`` is the digest of the judge."""

    dimension: str = _text(key=True)
    run_id: str = _text(key=True)
    judge: str = _text()
    measured_at: str = _text()
    score: dict[str, Any] = _json()


class GradedText(Base, table=True):
    """The digest of the text that a judge, or a reviewer, grades in one trial of a run."""

    __tablename__ = "graded_text"

    run_id: str = _text(key=True)
    agent: str = _text(key=True)
    case_key: str = _text(key=True)
    trial: int = Field(primary_key=True)
    content: str = _text()


class Review(Base, table=True):
    """What a reviewer gave an answer. ``content`` is the digest of the text; all reviews of a text are kept."""

    id: int | None = Field(default=None, primary_key=True)
    content: str = _text()
    reviewer: str = _text()
    reviewed_at: str = _text()
    run_id: str = _text()
    agent: str = _text()
    case_key: str = _text()
    trial: int
    name: str = _text()
    criteria: list[dict[str, Any]] = _json()
    verdict: str | None = _text()


class Answer(Base, table=True):
    """The answer cache: what an agent did for a trial key, and what that key was made of."""

    key: str = _text(key=True)
    trajectory: bytes
    latency_ms: float = Field(sa_type=Double)
    cost_usd: str | None = _text()
    input_tokens: int = Field(sa_type=BigInteger)
    output_tokens: int = Field(sa_type=BigInteger)
    attempts: int
    parts: dict[str, Any] = _json()
    run_id: str = _text()
    created_at: str = _text()
    cache_read_tokens: int = _tokens()
    cache_write_tokens: int = _tokens()


class Verdict(Base, table=True):
    """The verdict cache: what a judge said for a verdict key."""

    key: str = _text(key=True)
    verdict: dict[str, Any] = _json()
    run_id: str = _text()
    created_at: str = _text()


def _table(name: str) -> Table:
    return METADATA.tables[name]


RUN, CASE, TRIAL, SCORE = _table("run"), _table("case"), _table("trial"), _table("score")
GATE, REPORT, ANSWER, VERDICT = _table("gate"), _table("report"), _table("answer"), _table("verdict")
ROW_CHUNK, CALIBRATION = _table("row_chunk"), _table("calibration")
GRADED_TEXT, REVIEW = _table("graded_text"), _table("review")
