"""A fixture as it was read, and as it is written again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from proctor.plan import Check
from proctor.trajectory import JsonValue

Record = Mapping[str, Any]
"""One line of a fixture, with every member that it has."""


class TokenLedger(NamedTuple):
    """Tokens of model calls. A count may be negative: some versions of pi-ai subtract cached tokens from fewer."""

    input: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    output: int = 0

    def to_json(self) -> dict[str, JsonValue]:
        """All four members."""
        return dict(self._asdict())


@dataclass(frozen=True, slots=True)
class Meta:
    """The first record. ``line`` counts from 1; ``record`` is the line with all its members."""

    fixture_id: str
    pi_version: str
    recorded_at: str
    scenario: str
    system_prompt_hash: str
    line: int
    record: Record


@dataclass(frozen=True, slots=True)
class FixtureTurn:
    """One turn record. ``ledger`` is that of an assistant turn; ``record`` is the line with all its members."""

    role: str
    index: int
    line: int
    record: Record
    ledger: TokenLedger | None = None

    @property
    def text(self) -> str:
        """What the message says: its string, or its text blocks, joined as pi joins them, with line feeds."""
        content = self.record["content"]
        if isinstance(content, str):
            return content
        return "\n".join([block["text"] for block in content if block["type"] == "text"])

    @property
    def calls(self) -> list[Record]:
        """The toolCall blocks."""
        content = self.record["content"]
        return [] if isinstance(content, str) else [block for block in content if block["type"] == "toolCall"]


@dataclass(frozen=True, slots=True)
class Fixture:
    """A fixture: its records in order, and the checks that its assertions are."""

    meta: Meta
    turns: tuple[FixtureTurn, ...]
    checks: tuple[Check, ...]
    assertions_line: int
    assertions_record: Record

    @property
    def assertions(self) -> list[Record]:
        """The assertions as they are written."""
        return list(self.assertions_record["assertions"])


def token_ledger(fixture: Fixture) -> TokenLedger:
    """The tokens of all assistant turns."""
    return sum_ledgers(turn.ledger for turn in fixture.turns if turn.ledger is not None)


def sum_ledgers(ledgers: Iterable[TokenLedger]) -> TokenLedger:
    """The sum of any number of ledgers."""
    return TokenLedger(*map(sum, zip(*ledgers, strict=True)))


def dump_fixture(fixture: Fixture) -> bytes:
    """The file of a fixture, with every member that was read; blank lines are left out."""
    return dump_records([fixture.meta.record, *(turn.record for turn in fixture.turns), fixture.assertions_record])


def dump_records(records: Iterable[Record]) -> bytes:
    """Records as JSON lines in UTF-8. Lone surrogates, which it cannot encode, are written as JSON escapes them."""
    lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
