"""Personal data that a row allows: ``sanctioned_field`` may name phone numbers, e-mail addresses and licences.

A phone number is the same in every format. Other kinds are never allowed: a card number has no place in an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from proctor.checks.dimensions.base import Row, RowIssue
from proctor.checks.dimensions.pii_patterns import PHONE, Hit
from proctor.checks.dimensions.pii_text import plain_spelling
from proctor.checks.dimensions.row_fields import is_filled, wrong_kind

_FIELD: Final = "sanctioned_field"

MAY_BE_SANCTIONED: Final = frozenset({"PHONE_NUMBER", "EMAIL_ADDRESS", "US_DRIVER_LICENSE"})
"""The kinds that a row can allow."""

_PHONE_KIND: Final = "PHONE_NUMBER"
_ROW_OF_DIGITS = re.compile(r"[0-9](?:[\s.()-]{0,2}[0-9])*")
_NOT_A_DIGIT = re.compile("[^0-9]+")
_WORD = re.compile(r"[^\s,;:<>()\[\]\"']+")


def sanction_issues(row: Row) -> Iterator[RowIssue]:
    """What hinders ``sanctioned_field`` from being read."""
    value = row.get(_FIELD)
    if not is_filled(value) or isinstance(value, str):
        return
    if not isinstance(value, list):
        yield wrong_kind((_FIELD,), value, "a text or a list of texts", "put the value in quotes")
        return
    for index, item in enumerate(value):
        if not isinstance(item, str):
            yield wrong_kind((_FIELD, index), item, "a text", "put the value in quotes")
            return


def without_sanctioned(hits: Iterable[Hit], value: Any) -> list[Hit]:
    """The hits that the value of ``sanctioned_field`` does not allow."""
    texts = [plain_spelling(text) for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    numbers = {number for text in texts for number in _phone_numbers(text)}
    words = {word.rstrip(".").casefold() for text in texts for word in _WORD.findall(text)}
    return [hit for hit in hits if not _is_allowed(hit, numbers, words)]


def _is_allowed(hit: Hit, numbers: set[str], words: set[str]) -> bool:
    if hit.kind == _PHONE_KIND:
        return _national(hit.text) in numbers
    return hit.kind in MAY_BE_SANCTIONED and hit.text.casefold() in words


def _phone_numbers(text: str) -> Iterator[str]:
    for pattern in (PHONE, _ROW_OF_DIGITS):
        yield from (_national(match[0]) for match in pattern.finditer(text))


def _national(phone: str) -> str:
    """The digits, without the country code of North America, which may be left out there."""
    digits = _NOT_A_DIGIT.sub("", plain_spelling(phone))
    return digits[1:] if len(digits) == 11 and digits.startswith("1") else digits
