"""Secrets that are known by the name beside them: ``DB_PASSWORD=…``, ``"api_key": "…"``, ``?token=…``.

The name alone is not enough, as traces are full of source code and of numbers of tokens. The value has to look like
one that somebody chose or was given: no reference (``$KEY``, ``os.environ``), no type, no placeholder, no count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from proctor.masking.shapes import has_letter_and_digit

NAME_MARKS: Final = ("key", "token", "secret", "passw", "passphrase", "credential")
"""One of these, in any case, is in every name that says "secret"."""

_NAME: Final = re.compile(
    r"""(?:(?<![\w.$<\\-])-{0,2}|(?<=\\[nrt]))(?P<name>[A-Za-z_][\w.-]*+)"""
    r"""(?P<gap>\\{0,3}["']?\s{0,3}+(?:=|:)\s{0,3}+)"""
)
_VALUE: Final = re.compile(
    r"""(?P<escaped>\\+["'])(?P<in_escaped>[^\s"'\\]++)(?=["'\\]|$)"""
    r"""|"(?P<in_double>(?:[^\s"\\]|\\.)++)(?="|$)|'(?P<in_single>(?:[^\s'\\]|\\.)++)(?='|$)"""
    r"""|(?P<bare>[^\s"'`\\,;:=&|()<>\[\]{}]++=*+)""",
    re.MULTILINE,
)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_BLANK: Final = re.compile(r"\s")
_DOTTED_NAME: Final = re.compile(r"[A-Za-z_]\w*+(?:\??\.[A-Za-z_]\w*+)++")

_CHOSEN: Final = frozenset(("password", "passwd", "passphrase", "secret", "secrets", "credential", "credentials"))
_ISSUED: Final = frozenset(("key", "apikey", "token"))
_KINDS_OF_KEY: Final = frozenset(
    ("access", "account", "api", "auth", "client", "encryption", "master", "private", "secret", "service", "signing")
)
_MEASURES: Final = frozenset(
    ("count", "expires", "expiry", "index", "length", "limit", "max", "min", "number", "size", "ttl")
)
_REFERENCES: Final = frozenset(
    (
        "env",
        "field",
        "file",
        "format",
        "header",
        "id",
        "ids",
        "label",
        "name",
        "path",
        "policy",
        "prefix",
        "type",
        "url",
    )
)
_NO_VALUES: Final = frozenset(
    ("false", "hidden", "none", "null", "optional", "redacted", "required", "string", "true", "undefined", "unset")
)
_NO_SECRET_KEYS: Final = frozenset(("cache", "foreign", "partition", "primary", "public", "sort"))
_LONGEST_NAME: Final = 100


class _Name(NamedTuple):
    """A name that says "secret". ``is_chosen``: by a person, as a password is, and not issued as a key is."""

    is_chosen: bool
    is_constant: bool


def named_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where the values stand that a name beside them calls secret, in order and without overlap."""
    position = 0
    while found := _NAME.search(text, position):
        position = found.end()
        if _understood(found["name"]) is None or (value := _VALUE.match(text, position)) is None:
            continue
        group = value.lastgroup or "bare"
        is_quoted, is_tight = group != "bare", found["gap"] == "="
        if is_secret_value(found["name"], value[group], is_quoted=is_quoted, is_tight=is_tight):
            yield value.span(group)
            position = value.end()


def is_secret_value(name: str, value: str, *, is_quoted: bool = True, is_tight: bool = False) -> bool:
    """Whether a value is the secret that its name says.

    ``is_quoted``: it is a text for sure, and no name of a variable or type. ``is_tight``: it follows its name and an
    equals sign without blanks, as a shell has it.
    """
    understood = _understood(name)
    if understood is None or _says_nothing(value, is_quoted):
        return False
    if value.isdigit():
        return understood.is_chosen
    if is_tight and understood.is_constant:
        return True
    if understood.is_chosen and is_quoted:
        return not any(mark in value.lower() for mark in NAME_MARKS)
    return len(value) >= (6 if understood.is_chosen else 8) and has_letter_and_digit(value)


def environment_secrets(environment: Mapping[str, str]) -> list[str]:
    """The values of secrets among environment variables, the longest first; words and paths are none."""
    found = {
        value
        for name, value in environment.items()
        if is_secret_value(name, value, is_tight=True) and value[0] not in "/~." and _is_no_word(value)
    }
    return sorted(found, key=lambda value: (-len(value), value))


def _is_no_word(value: str) -> bool:
    """Whether a value can be looked for in any text, as it means nothing but itself."""
    return len(value) >= 16 or (len(value) >= 8 and has_letter_and_digit(value))


def _understood(name: str) -> _Name | None:
    """What a name says of its value; None if that is no secret."""
    return _understood_short(name) if len(name) <= _LONGEST_NAME else None


@lru_cache(maxsize=4096)
def _understood_short(name: str) -> _Name | None:
    if not any(mark in name.lower() for mark in NAME_MARKS):
        return None
    words = [word.lower() for word in _WORD.findall(name)]
    is_constant = name == name.upper()
    if (
        words
        and words[-1] not in _MEASURES | _REFERENCES
        and (_is_secret_constant if is_constant else _ends_secret)(words)
    ):
        return _Name(bool(_CHOSEN.intersection(words)), is_constant)
    return None


def _is_secret_constant(words: Sequence[str]) -> bool:
    return bool((_CHOSEN | _ISSUED).intersection(words)) and not _NO_SECRET_KEYS.intersection(words)


def _ends_secret(words: Sequence[str]) -> bool:
    if words[-1] == "key":
        return len(words) > 1 and words[-2] in _KINDS_OF_KEY
    return words[-1] in _CHOSEN or words[-1] in _ISSUED


def _says_nothing(value: str, is_quoted: bool) -> bool:
    """Whether a value is a reference, a placeholder or too short to be a secret."""
    if len(value) < 4 or value[0] in "$<{%*[(" or len(set(value)) < 3 or value.lower() in _NO_VALUES:
        return True
    if _BLANK.search(value):
        return True
    return not is_quoted and _DOTTED_NAME.fullmatch(value) is not None
