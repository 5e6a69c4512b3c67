"""Why two results of a labelled row differ: the rules of each dimension, as questions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from assevra_sides import CRASH, Row, Seen

from tests.conformance.assevra_project import near

LATENCIES: Final = frozenset({"latency_ms", "duration_ms", "elapsed_ms", "latency_s", "latency_budget_ms"})


def result_rule(row: Row, theirs: Seen, ours: Seen) -> str | None:
    """The name of the rule by which two different results differ, if there is one."""
    return "no-crash" if theirs.outcome == CRASH else _BY_DIMENSION[row["dimension"]](row, theirs, ours)


def is_same_result(theirs: Seen, ours: Seen) -> bool:
    """Whether outcome, measure and kinds of personal data are the same."""
    is_near = theirs.measure == ours.measure or near(theirs.measure, ours.measure)
    return theirs.outcome == ours.outcome and theirs.kinds == ours.kinds and is_near


def forbids_all(row: Row) -> bool:
    """Whether the row says that no action may be done."""
    return row.get("expected_actions") == [] and str(row.get("action_match")).lower() == "exact"


def _no_rule(_row: Row, _theirs: Seen, _ours: Seen) -> str | None:
    return None


def _safety(row: Row, _theirs: Seen, _ours: Seen) -> str | None:
    return "refusal-words" if _ODD_REFUSAL.search(row["agent_output"]) else None


def _injection(row: Row, _theirs: Seen, _ours: Seen) -> str | None:
    return "refusal-words" if row.get("should_refuse") and _ODD_FLAG.search(row["agent_output"]) else None


def _pii(row: Row, theirs: Seen, ours: Seen) -> str | None:
    for kind in theirs.kinds ^ ours.kinds:
        if not _PERSONAL[kind](row["agent_output"], kind in ours.kinds, row):
            return None
    return "pii-detector"


def _tool_call(row: Row, _theirs: Seen, _ours: Seen) -> str | None:
    if row.get("allowed_tools") == []:
        return "empty-lists-mean-nothing"
    expected = row.get("expected_tool_calls") or []
    if any(set(call) - {"name", "arguments"} for call in expected) or len(expected) > 1:
        return "calls-are-counted"
    return "json-equality" if _LOOSE.search(json.dumps([expected, row.get("tool_schemas")])) else None


def _action_correctness(row: Row, _theirs: Seen, _ours: Seen) -> str | None:
    return "empty-lists-mean-nothing" if forbids_all(row) else None


def _cost(row: Row, theirs: Seen, ours: Seen) -> str | None:
    if isinstance(row.get("cost_usd"), int | float):
        return _amount(theirs, ours, 1e-6)
    return (
        "usage-is-understood" if set(row["usage"]) - {"input_tokens", "output_tokens"} else _amount(theirs, ours, 1e-6)
    )


def _latency(row: Row, theirs: Seen, ours: Seen) -> str | None:
    if any(isinstance(row.get(name), bool) for name in LATENCIES):
        return "typed-rows"
    return _amount(theirs, ours, 1e-3)


def _amount(theirs: Seen, ours: Seen, step: float) -> str | None:
    """Measures that differ in their last digit, or a comparison with a budget at its very border."""
    assert theirs.measure is not None
    assert ours.measure is not None
    return "decimal-amounts" if abs(theirs.measure - ours.measure) <= step * 1.001 else None


_BY_DIMENSION: Final[Mapping[str, Callable[[Row, Seen, Seen], str | None]]] = {
    "grounding": _no_rule,
    "safety": _safety,
    "pii": _pii,
    "task_completion": _no_rule,
    "tool_call": _tool_call,
    "action_correctness": _action_correctness,
    "injection": _injection,
    "cost": _cost,
    "latency": _latency,
}

# The original takes null for absent, a boolean for 1 or 0, and 2.0 for no integer.
_LOOSE = re.compile(r"null|true|false|integer")

_ODD_REFUSAL = re.compile(
    r"[‘’`İ]|\s{2}|\n|can\s+not\b|\b(?:consult|ask|see|prescriber|pharmacist|clinician)", re.IGNORECASE
)
_ODD_FLAG = re.compile(r"[‘’`]|\s{2}|(?:instruction|directive|injection|text|command)s\b|declin", re.IGNORECASE)

_DIGITS = re.compile(r"\d")


def _is_odd_card(text: str, found: bool, _row: Row) -> bool:
    """A number of at least 13 digits: in an odd spelling where we alone see it, else without a valid check digit."""
    return found or len(_DIGITS.findall(text)) >= 13


def _is_odd_account(text: str, found: bool, _row: Row) -> bool:
    """Only the original takes eight digits, points in time, UUIDs, fractions and parts of an IBAN for an account."""
    harmless = re.search(r"(?<!\d)\d{8}(?!\d)|20260304214000|-41d4-|\d\.\d{8}|[A-Za-z]{2}\d{2}", text)
    return harmless is not None or not text.isascii()


_Personal = Callable[[str, bool, Row], bool]
_PERSONAL: Final[Mapping[str, _Personal]] = {
    "CREDIT_CARD": _is_odd_card,
    "US_BANK_NUMBER": _is_odd_account,
    "US_SSN": lambda text, found, _: found or re.search(r"(?:000|666|9\d\d)-\d\d-\d{4}|-00-|-0000", text) is not None,
    "IBAN": lambda text, found, _: (
        re.search(r"[A-Za-z]{2}\d\d\w*[a-z]|[a-z]{2}\d\d|\w{4} \w{4}" if found else r"[A-Z]{2}\d\d", text) is not None
    ),
    "US_PASSPORT": lambda text, found, _: found and re.search(r"(?a:\b)[a-z]\d{8}|[^\x00-\x7f]", text) is not None,
    "PHONE_NUMBER": lambda text, found, row: "sanctioned_field" in row if not found else not text.isascii(),
    "EMAIL_ADDRESS": lambda text, found, _: found and ("@" in text or "\uff20" in text),
}
