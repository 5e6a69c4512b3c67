"""Column types that hold any text and any JSON on SQLite and PostgreSQL alike."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import TEXT, Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from proctor.store.codec import dumps

# PostgreSQL refuses NUL, UTF-8 has no lone surrogates. Both are spelled as DLE and four hex digits, and DLE too.
_ESCAPED = re.compile("[\x00\x10\ud800-\udfff]")
_ESCAPE = re.compile("\x10([0-9a-f]{4})")


def escape(text: str) -> str:
    """Spell the characters that a database cannot hold by those that it can. Other text is unchanged."""
    if text.isascii() and "\0" not in text and "\x10" not in text:  # nearly always, and ten times as fast
        return text
    return _ESCAPED.sub(lambda match: f"\x10{ord(match.group()):04x}", text)


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text) if "\x10" in text else text


def _bind_text(value: Any) -> str | None:
    # str(): members of enumerations become plain text.
    return None if value is None else escape(str(value))


def _result_text(value: Any) -> str | None:
    return None if value is None else unescape(value)


def _bind_json(value: Any) -> str | None:
    return None if value is None else dumps(value)


def _result_json(value: Any) -> Any:
    return None if value is None else json.loads(value)


class _Bytewise(TypeDecorator[Any]):
    """Text that is compared by code point on every database, whatever its locale: pages depend on one order."""

    impl = TEXT
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return TEXT(collation="C" if dialect.name == "postgresql" else None)


class AnyText(_Bytewise):
    """Any Python string, or None."""

    cache_ok = True

    def bind_processor(self, _dialect: Dialect) -> Callable[[Any], str | None]:
        """Escape what the database cannot hold."""
        return _bind_text

    def result_processor(self, _dialect: Dialect, _type: object) -> Callable[[Any], str | None]:
        """Give the text back as it was."""
        return _result_text


class AnyJson(_Bytewise):
    """Any JSON value as ASCII text, or None for SQL's NULL."""

    cache_ok = True

    def bind_processor(self, _dialect: Dialect) -> Callable[[Any], str | None]:
        """Spell the value."""
        return _bind_json

    def result_processor(self, _dialect: Dialect, _type: object) -> Callable[[Any], Any]:
        """Parse the value."""
        return _result_json
