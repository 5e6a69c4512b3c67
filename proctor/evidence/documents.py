"""JSON files that are signed: read so strictly that every reader sees the same document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from proctor.errors import UsageError
from proctor.excerpt import mark_controls, quote, shorten


class _Ambiguous(ValueError):
    """A document that readers understand in different ways."""


def read_document(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        UsageError: it cannot be read, is no JSON, or repeats a name in an object.
    """
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no regular file")
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be read: it is not UTF-8 text") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return parse_document(text, str(path))


def parse_document(text: str, name: str = "the document") -> Any:
    """Read JSON text. ``name`` is for messages.

    Raises:
        UsageError: it is no JSON, or repeats a name in an object.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise UsageError(f"{name} is nested too deeply to be read") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{name} is no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except _Ambiguous as error:
        raise UsageError(f"{name} {error}", hint="readers would not agree on what it says") from error
    except ValueError as error:
        raise UsageError(f"{name} holds an integer with too many digits to be read") from error


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (name, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise _Ambiguous(f"has {quote(name, 60)} twice in one object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise _Ambiguous(f"holds {mark_controls(shorten(name))}, which is no JSON number")
