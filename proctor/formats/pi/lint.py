"""What is odd about a fixture and no error: it loads, and may not mean what its author thinks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from proctor.checks.pi.trace import ASSISTANT, TOOL_RESULT, USER
from proctor.errors import Problem, Severity
from proctor.excerpt import quote
from proctor.formats.pi.fixture import Fixture, FixtureTurn, Record
from proctor.formats.pi.lint_assertions import assertion_oddities
from proctor.formats.pi.meta import has_zone, sha256_in
from proctor.formats.pi.places import Lines
from proctor.formats.pointers import Pointer
from proctor.formats.problem_list import ProblemList
from proctor.wording import count

_META: Final = frozenset(
    ("type", "fixtureId", "piAgentCoreVersion", "recordedAt", "scenario", "systemPromptHash"),
)
_TURN: Final = frozenset(("type", "turnIndex", "role", "content", "tokenLedger"))
_RESULT: Final = _TURN | {"toolUseId", "toolName", "isError"}


class Oddity(NamedTuple):
    """A warning before its column is known: the line, a stable code, the place in the line, and two sentences."""

    line: int
    code: str
    pointer: Pointer
    message: str
    hint: str | None = None


def lint(fixture: Fixture, path: Path, data: bytes) -> tuple[Problem, ...]:
    """The warnings about a fixture, by line. ``data`` is its file, and ``path`` what problems show."""
    lines, found = Lines(path, data), ProblemList(path)
    oddities = chain(
        _meta(fixture), _unknown_members(fixture), _ledgers(fixture.turns), _ids(fixture.turns), _assertions(fixture)
    )
    for oddity in sorted(oddities, key=lambda oddity: oddity.line):
        if found.has_room(Severity.WARNING):
            found.add(lines.problem(*oddity, severity=Severity.WARNING))
    return found.all()


def _meta(fixture: Fixture) -> Iterator[Oddity]:
    meta = fixture.meta
    if sha256_in(meta.system_prompt_hash) is None:
        message = "is no SHA-256 in hex, so nobody can tell whether the system prompt has changed since"
        yield Oddity(meta.line, "odd_hash", ("systemPromptHash",), message)
    if not has_zone(meta.recorded_at):
        message = "has no time with a zone, so its age is not exactly known"
        yield Oddity(meta.line, "no_time_zone", ("recordedAt",), message, "write it like 2026-05-04T10:20:30Z")
    if not fixture.turns:
        yield Oddity(meta.line, "no_turns", (), "the fixture has no turns")


def _assertions(fixture: Fixture) -> Iterator[Oddity]:
    line = fixture.assertions_line
    if not fixture.checks:
        yield Oddity(line, "no_assertions", ("assertions",), "there is no assertion, so the fixture always passes")
    for position, check in enumerate(fixture.checks):
        for code, member, message, hint in assertion_oddities(check):
            yield Oddity(line, code, ("assertions", position, member), message, hint)


def _unknown_members(fixture: Fixture) -> Iterator[Oddity]:
    """Members that the fixture's type does not have, each of them once."""
    for member in sorted(fixture.meta.record.keys() - _META):
        yield Oddity(fixture.meta.line, "unknown_member", (), f"the meta record has a member {quote(member, 80)}")
    lines: dict[tuple[str, str], list[int]] = {}
    for turn in fixture.turns:
        for member in turn.record.keys() - (_RESULT if turn.role == TOOL_RESULT else _TURN):
            lines.setdefault((member, turn.role), []).append(turn.line)
    for (member, role), places in sorted(lines.items()):
        more = f", as {count(len(places) - 1, 'other')} have" if len(places) > 1 else ""
        message = f"the {role} turn has a member {quote(member, 80)}{more}"
        yield Oddity(places[0], "unknown_member", (), message, "it is kept and not looked at")


def _ledgers(turns: Sequence[FixtureTurn]) -> Iterator[Oddity]:
    for turn in turns:
        if turn.role != ASSISTANT and "tokenLedger" in turn.record:
            message = f"is not counted: the turn is one of the {turn.role}"
            yield Oddity(turn.line, "ledger_ignored", ("tokenLedger",), message)
        for name, number in turn.ledger._asdict().items() if turn.ledger else ():
            if number < 0:
                message = f"is negative ({number}), as some versions of pi-ai record it"
                yield Oddity(turn.line, "negative_count", ("tokenLedger", name), message)


def _ids(turns: Sequence[FixtureTurn]) -> Iterator[Oddity]:
    """Calls and results that do not find each other."""
    calls: dict[str, tuple[int, Pointer]] = {}
    answered: set[str] = set()
    for turn in turns:
        if turn.role == TOOL_RESULT:
            id_ = turn.record["toolUseId"]
            answered.add(id_)
            if id_ not in calls:
                message = f"no earlier call has the id {quote(id_, 80)}"
                yield Oddity(turn.line, "result_without_call", ("toolUseId",), message)
        elif turn.role != USER:
            for pointer, block in _calls(turn):
                id_ = block["id"]
                if id_ in calls:
                    message = f"the id {quote(id_, 80)} is that of an earlier call too (line {calls[id_][0]:,})"
                    yield Oddity(turn.line, "repeated_call_id", pointer, message)
                calls.setdefault(id_, (turn.line, pointer))
    for id_, (line, pointer) in calls.items():
        if id_ not in answered:
            yield Oddity(line, "call_without_result", pointer, f"no result has the id {quote(id_, 80)}")


def _calls(turn: FixtureTurn) -> Iterator[tuple[Pointer, Record]]:
    for index, block in enumerate(turn.record["content"]):
        if block["type"] == "toolCall":
            yield ("content", index, "id"), block
