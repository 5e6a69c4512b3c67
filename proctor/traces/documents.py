"""From a file to JSON values with their places: JSON Lines, one document, or several documents one after another.

JSON Lines are read line by line, whatever the size of the file. Anything else has to be read as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from proctor.traces.base import Notes, Record

LINE_SUFFIXES: Final = (".jsonl", ".ndjson")
"""Files with these endings hold one value a line, even if the first one cannot be read."""

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

# JSON has no NaN and no Infinity. Writers that spell them nevertheless are taken at their word, as text.
_DECODER: Final = json.JSONDecoder(parse_constant=str)


def parse_json(text: str) -> Any:
    """Read one JSON value; ``NaN`` and ``Infinity`` become texts. Raises ValueError or RecursionError."""
    return _DECODER.decode(text)


def embedded_json(value: Any) -> Any:
    """The list or object that a text spells in JSON; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return parse_json(value)
    except (ValueError, RecursionError):
        return value


def read_records(path: Path, notes: Notes) -> Iterator[Record]:
    """All JSON values of a file. What cannot be read becomes a problem. Raises OSError."""
    return _read_lines(path, notes) if _holds_lines(path) else _read_whole(path, notes)


def text_lines(path: Path, notes: Notes) -> Iterator[tuple[int, str | None]]:
    """The lines of a file with their numbers; None for one that is no UTF-8, which is a problem. Raises OSError."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            yield number, _decode(raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw, number, notes)


def _decode(raw: bytes, line: int, notes: Notes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line += before.count(b"\n")
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        notes.error("invalid_utf8", "is no UTF-8 text", Record(None, line, column), "save the file as UTF-8")
        return None


def _holds_lines(path: Path) -> bool:
    """Whether the first line that is not blank is a JSON value of its own, or the name says so."""
    if path.suffix.lower() in LINE_SUFFIXES:
        return True
    first = next((text for _, text in text_lines(path, Notes(path)) if text is None or text.strip()), None)
    try:
        return first is not None and parse_json(first.strip()) is not None
    except (ValueError, RecursionError):
        return False


def _read_lines(path: Path, notes: Notes) -> Iterator[Record]:
    for number, text in text_lines(path, notes):
        if text is not None and text.strip():
            yield from _parse_line(text, number, notes)


def _parse_line(text: str, number: int, notes: Notes) -> Iterable[Record]:
    stripped = text.strip()
    column = text.index(stripped[0]) + 1
    try:
        return (Record(parse_json(stripped), number, column),)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(stripped) or "Unterminated" in error.msg
        hint = "the line ends too early: was the file cut off?" if cut else None
        notes.error("invalid_json", f"is no JSON: {error.msg}", Record(None, number, column + error.pos), hint)
    except ValueError as error:
        notes.error("invalid_json", f"is no JSON that can be read: {error}", Record(None, number, column))
    except RecursionError:
        notes.error("too_deep", "is nested too deeply to be read", Record(None, number, column))
    return ()


def _read_whole(path: Path, notes: Notes) -> Iterator[Record]:
    text = _decode(path.read_bytes().removeprefix(BYTE_ORDER_MARK), 1, notes)
    line, line_start, position = 1, 0, 0
    while text is not None and (start := _skip_blanks(text, position)) < len(text):
        line += text.count("\n", position, start)
        line_start = text.rfind("\n", 0, start) + 1
        place = Record(None, line, start - line_start + 1)
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            at = Record(None, error.lineno, error.colno)
            cut = error.pos >= len(text.rstrip())
            hint = "the text ends too early: was the file cut off?" if cut else None
            notes.error("invalid_json", f"is no JSON: {error.msg}", at, hint)
            return
        except (ValueError, RecursionError) as error:
            is_deep = isinstance(error, RecursionError)
            why = "is nested too deeply to be read" if is_deep else f"is no JSON that can be read: {error}"
            notes.error("too_deep" if is_deep else "invalid_json", why, place)
            return
        yield place._replace(value=value)
        line += text.count("\n", start, end)
        position = end


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position
