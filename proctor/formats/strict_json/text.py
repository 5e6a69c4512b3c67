"""What readers of JSON have in common: bytes that are no text, numbers that no double holds, nesting without end."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

_LONG_NUMBER: Final = 300
"""Characters up to which a whole number is in the range of a double."""
_STRING: Final = r'"(?:[^"\\]++|\\.)*+"?'
_TOKEN: Final = re.compile(rf'{_STRING}|[\[\]{{}}:,]|[^\s,:\[\]{{}}"]++', re.DOTALL)
_NO_BRACKETS: Final = re.compile(rf'{_STRING}|[^\[\]{{}}"]++', re.DOTALL)


class JsonFault(Exception):
    """Why a text cannot be read: a stable code, a sentence, the position in characters, and what helps."""

    def __init__(self, code: str, message: str, at: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.at, self.hint = code, message, at, hint

    @property
    def column(self) -> int:
        """The column, from 1, in a text of one line."""
        return self.at + 1


class _Refused(Exception):
    """A literal that no JSON number is, or none that a double holds."""


def decoded(data: bytes, hint: str = "save the file as UTF-8") -> str:
    """The characters of UTF-8 text.

    Raises:
        JsonFault: it is none.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode("utf-8"))
        raise JsonFault("invalid_utf8", f"byte 0x{data[error.start]:02X} is not UTF-8 text", at, hint) from None


def parsed(text: str, object_of: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a JSON text, as RFC 8259 has it, with objects made by ``object_of`` of their members.

    Raises:
        JsonFault: a number is none in JSON, or no double holds it.
        JSONDecodeError: something else is no JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        return json.loads(
            text, object_pairs_hook=object_of, parse_float=_float, parse_int=_integer, parse_constant=_refuse
        )
    except _Refused as refused:
        raise _refused_number(text, str(refused)) from None


def said(error: json.JSONDecodeError) -> str:
    """What the parser says, as the end of a sentence."""
    return error.msg[:1].lower() + error.msg[1:].removesuffix(" at").removesuffix(" starting")


def tokens(text: str) -> Iterator[re.Match[str]]:
    """The strings, brackets, colons, commas and literals of a text, in order."""
    return _TOKEN.finditer(text)


def too_deep_at(text: str, most: int) -> int | None:
    """Where a text has more than so many arrays and objects in each other; None if it has not."""
    if text.count("[") + text.count("{") <= most:
        return None
    brackets = _NO_BRACKETS.sub("", text).translate({ord("{"): "[", ord("}"): "]"})
    for _ in range(most):
        brackets = brackets.replace("[]", "")
    return _first_too_deep(text, most) if brackets else None


def _first_too_deep(text: str, most: int) -> int | None:
    depth = 0
    for token in tokens(text):
        depth += (token.group() in "[{") - (token.group() in "]}")
        if depth > most:
            return token.start()
    return None


def _float(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _Refused(literal)
    return number


def _integer(literal: str) -> int:
    if len(literal) > _LONG_NUMBER and math.isinf(float(literal)):
        raise _Refused(literal)
    return int(literal)


def _refuse(literal: str) -> None:
    raise _Refused(literal)


def _refused_number(text: str, literal: str) -> JsonFault:
    at = next((token.start() for token in tokens(text) if token.group() == literal), 0)
    if literal[-1].isdigit():
        shown = literal if len(literal) <= 20 else f"{literal[:20]}…"
        return JsonFault("out_of_range", f"the number {shown} is larger than any that a double holds", at)
    return JsonFault("invalid_json", f"{literal} is no JSON number", at, "write null, or leave the member out")
