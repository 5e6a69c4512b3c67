"""Turn records: of the user, the assistant, and the results of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.checks.pi.trace import ASSISTANT, TOOL_RESULT, USER
from proctor.formats.members import (
    LARGEST,
    Fault,
    required,
    required_integer,
    required_text,
    unknown_choice,
    wrong_type,
)
from proctor.formats.pi.blocks import check_content
from proctor.formats.pi.fixture import FixtureTurn, TokenLedger

ROLES: Final = (USER, ASSISTANT, TOOL_RESULT)
_NAMES_IN_PI: Final[Mapping[str, str]] = {"cache_read": "cacheRead", "cache_creation": "cacheWrite"}
"""What pi-ai calls members that a ledger spells in its own way."""


def read_turn(record: dict[str, Any], line: int, least_index: int) -> FixtureTurn:
    """The turn of a line. ``least_index`` is the index of the turn before.

    Raises:
        Fault: a member is wrong.
    """
    index = _index(record, least_index)
    role = required(record, "role")
    if role not in ROLES:
        raise unknown_choice(("role",), "role", role, ROLES)
    if role == TOOL_RESULT:
        _check_result_id(record)
    check_content(record, role)
    return FixtureTurn(role, index, line, record, _ledger(record) if role == ASSISTANT else None)


def _index(record: dict[str, Any], least: int) -> int:
    index = record.get("turnIndex")
    if type(index) is not int or not least <= index <= LARGEST:  # it hardly ever is not
        index = required_integer(record, "turnIndex", least=0)
    if index < least:
        message = f"must not be smaller than that of the turn before, {least}, got {index}"
        raise Fault("out_of_range", ("turnIndex",), message, "turns stand in the order in which they took place")
    return index


def _check_result_id(record: dict[str, Any]) -> None:
    if "toolUseId" not in record and "toolCallId" in record:
        raise Fault("missing_field", ("toolUseId",), "is missing", "what pi calls toolCallId is toolUseId in a fixture")
    required_text(record, "toolUseId")


def _ledger(record: dict[str, Any]) -> TokenLedger:
    ledger = required(record, "tokenLedger")
    if not isinstance(ledger, dict):
        raise wrong_type(("tokenLedger",), "an object", ledger)
    return TokenLedger(*(_tokens(ledger, name) for name in TokenLedger._fields))


def _tokens(ledger: dict[str, Any], name: str) -> int:
    number = ledger.get(name)
    if type(number) is int and -(2**40) < number < 2**40:  # almost every one
        return number
    in_pi = _NAMES_IN_PI.get(name)
    hint = f"what pi calls {in_pi} is {name} in a fixture" if in_pi in ledger else None
    return required_integer(ledger, name, ("tokenLedger",), hint=hint)
