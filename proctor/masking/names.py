"""Secrets that are known by the name beside them: ``DB_PASSWORD=…``, ``"api_key": "…"``, ``?token=…``.

The name alone is not enough, as traces are full of source code and of numbers of tokens. The value has to look like
one that somebody chose or was given: no reference (``$KEY``, ``os.environ``), no type, no placeholder, no count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from proctor.masking.shapes import has_letter_and_digit

NAME_MARKS: Final = ("key", "token", "secret", "passw", "passphrase", "credential")
"""One of these, in any case, is in every name that says "secret"."""

_NAME: Final = re.compile(r"""(?<![\w.$<-])(?P<name>[A-Za-z_][\w.-]*+)(?P<gap>\\{0,3}["']?\s{0,3}+(?:=|:)\s{0,3}+)""")
_VALUE: Final = re.compile(
    r"""(?P<escaped>\\+["'])(?P<in_escaped>[^\s"'\\]++)(?=["'\\]|$)"""
    r"""|"(?P<in_double>(?:[^\s"\\]|\\.)++)(?="|$)|'(?P<in_single>(?:[^\s'\\]|\\.)++)(?='|$)"""
    r"""|(?P<bare>[^\s"'`\\,;:=&|()<>\[\]{}]++=*+)""",
    re.MULTILINE,
)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_DOTTED_NAME: Final = re.compile(r"[A-Za-z_]\w*+(?:\??\.[A-Za-z_]\w*+)++")

_CHOSEN: Final = frozenset(("password", "passwd", "passphrase", "secret", "secrets", "credential", "credentials"))
_ISSUED: Final = frozenset(("key", "apikey", "token"))
_KINDS_OF_KEY: Final = frozenset(
    "access account api auth client encryption master private secret service signing ssh storage subscription".split()
)
_ABOUT_IT: Final = frozenset(
    "count env expires expiry field file format header id ids index label length limit max min name names number path "
    "policy prefix ref regex size ttl type uri url usage".split()
)
_NO_VALUES: Final = frozenset("false hidden none null optional redacted required string true undefined unset".split())
_NO_SECRET_KEYS: Final = frozenset("cache foreign partition primary public sort".split())


def named_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where the values stand that a name beside them calls secret, in order and without overlap."""
    position = 0
    while found := _NAME.search(text, position):
        position = found.end()
        if not _says_secret(found["name"]):
            continue
        value = _VALUE.match(text, position)
        if value is None:
            continue
        group = value.lastgroup or "bare"
        is_bare = group == "bare"
        is_tight = is_bare and found["gap"] == "="
        if is_secret_value(found["name"], value[group], is_quoted=not is_bare, is_tight=is_tight):
            yield value.span(group)
            position = value.end()


def is_secret_value(name: str, value: str, *, is_quoted: bool = True, is_tight: bool = False) -> bool:
    """Whether a value is the secret that its name says.

    ``is_quoted``: it is a text for sure, and no name of a variable or type. ``is_tight``: it follows its name and an
    equals sign without blanks, as a shell has it.
    """
    if not _says_secret(name) or _says_nothing(value, is_quoted):
        return False
    is_chosen = bool(_CHOSEN.intersection(_words(name)))
    if value.isdigit():
        return is_chosen
    if is_tight and _is_constant(name):
        return True
    if is_chosen and is_quoted:
        return not any(mark in value.lower() for mark in NAME_MARKS)
    return len(value) >= (6 if is_chosen else 8) and has_letter_and_digit(value)


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


def _says_secret(name: str) -> bool:
    """Whether the name is one of a secret: in constants anywhere in it, in other names at its end."""
    if not any(mark in name.lower() for mark in NAME_MARKS):
        return False
    words = _words(name)
    if not words or words[-1] in _ABOUT_IT:
        return False
    if _is_constant(name):
        return bool((_CHOSEN | _ISSUED).intersection(words)) and not _NO_SECRET_KEYS.intersection(words)
    if words[-1] == "key":
        return len(words) > 1 and words[-2] in _KINDS_OF_KEY
    return words[-1] in _CHOSEN or words[-1] in _ISSUED


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_constant(name: str) -> bool:
    return name == name.upper()


def _says_nothing(value: str, is_quoted: bool) -> bool:
    """Whether a value is a reference, a placeholder or too short to be a secret."""
    if len(value) < 4 or len(set(value)) < 3 or value[0] in "$<{%*[(" or value.lower() in _NO_VALUES:
        return True
    if any(map(str.isspace, value)):
        return True
    return not is_quoted and _DOTTED_NAME.fullmatch(value) is not None
