"""Mask a JSON value: keys and values, everything but the data of images."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from proctor.masking.homes import HOME_MARKS, HOME_PATH
from proctor.masking.names import NAME_MARKS, environment_secrets, is_secret_value, named_secrets
from proctor.masking.shapes import SHAPES, Shape
from proctor.wording import count, listed

HOME: Final = "~"
"""What stands for a home folder."""

_DATA_URL: Final = re.compile(r"(data:[\w/+.-]{0,80};base64,[A-Za-z0-9+/=]++)")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=_\s-]*+")

_OPENING: Final = "<secret:"


class Masker:
    """Masks values and counts what it masked.

    A secret becomes ``<secret:KIND>``, a home folder ``~``: always the same text for the same thing, so that masked
    texts can be compared. Masking twice changes nothing more. ``environment`` holds variables whose values are masked
    wherever they stand, if their names call them secret.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.secrets: Counter[str] = Counter()
        """How many secrets of each kind were masked."""
        self.homes = 0
        """How many home folders were masked."""
        literals = [value for value in environment_secrets(environment or {}) if not _is_in_placeholder(value)]
        self._literals = re.compile("|".join(map(re.escape, literals))) if literals else None

    def mask(self, value: Any) -> Any:
        """The value without its secrets; numbers, booleans and null are as they were.

        No member of an object is lost: of keys that become alike, the later ones get ``#2``, ``#3``. Raises
        RecursionError for a value that is nested more than some hundred levels deep.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.mask(entry) for entry in value]
        return self._object(value) if isinstance(value, dict) else value

    def text(self, text: str) -> str:
        """The text without its secrets, in time that grows with its length only."""
        if ";base64," not in text:
            return self._plain(text)
        parts = _DATA_URL.split(text)
        return "".join(part if position % 2 else self._plain(part) for position, part in enumerate(parts))

    def told(self) -> str:
        """``masked 3 secrets (2 openai-key, 1 jwt) and 12 home paths``; empty where nothing was masked."""
        said = []
        if self.secrets:
            kinds = listed([f"{number:,} {kind}" for kind, number in self.secrets.most_common()], 10)
            said.append(f"{count(self.secrets.total(), 'secret')} ({kinds})")
        if self.homes:
            said.append(count(self.homes, "home path"))
        return f"masked {' and '.join(said)}" if said else ""

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        keeps_data = _holds_media(value)
        masked: dict[str, Any] = {}
        alike: Counter[str] = Counter()
        for key, entry in value.items():
            name = _free(self.text(key), masked, alike)
            masked[name] = entry if keeps_data and key == "data" else self._member(key, entry)
        return masked

    def _member(self, key: str, entry: Any) -> Any:
        masked = self.mask(entry)
        is_name = _OPENING not in key  # what is masked in a key says "secret", and nothing of the value
        if isinstance(masked, str) and is_name and is_secret_value(key, masked):
            return self._secret("named-value")
        return masked

    def _plain(self, text: str) -> str:
        if self._literals is not None:
            text = self._literals.sub(lambda _: self._secret("environment-value"), text)
        lowered = text.lower()
        for shape in SHAPES:
            if _has_any(lowered, shape.marks):
                text = shape.pattern.sub(self._replacer(shape), text)
        if _has_any(lowered, HOME_MARKS):
            text = HOME_PATH.sub(self._home, text)
        return self._without(named_secrets(text), text) if _has_any(lowered, NAME_MARKS) else text

    def _replacer(self, shape: Shape) -> Callable[[re.Match[str]], str]:
        def replace(found: re.Match[str]) -> str:
            whole, start = found[0], found.start()
            if not shape.is_secret(found["secret"]):
                return whole
            begin, end = found.span("secret")
            return whole[: begin - start] + self._secret(shape.kind) + whole[end - start :]

        return replace

    def _without(self, spans: Iterable[tuple[int, int]], text: str) -> str:
        pieces, position = [], 0
        for start, end in spans:
            pieces += [text[position:start], self._secret("named-value")]
            position = end
        return "".join([*pieces, text[position:]])

    def _secret(self, kind: str) -> str:
        self.secrets[kind] += 1
        return f"{_OPENING}{kind}>"

    def _home(self, _: re.Match[str]) -> str:
        self.homes += 1
        return HOME


def _has_any(lowered: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110  # any() takes twice the time, and every text is asked some twenty times
        if mark in lowered:
            return True
    return False


def _is_in_placeholder(value: str) -> bool:
    kinds = ("named-value", "environment-value", *(shape.kind for shape in SHAPES))
    return any(value in f"<secret:{kind}>" for kind in kinds)


def _holds_media(value: dict[str, Any]) -> bool:
    """Whether ``data`` of an object is an image or the like: base64, in which anything that is found is chance."""
    data = value.get("data")
    is_media = value.get("type") in ("image", "base64") or "mimeType" in value or "media_type" in value
    return is_media and isinstance(data, str) and _BASE64.fullmatch(data) is not None


def _free(name: str, taken: dict[str, Any], alike: Counter[str]) -> str:
    """A key that is not taken yet; ``alike`` counts the keys of each name, so that finding the next one is quick."""
    alike[name] += 1
    free = name
    while free in taken:
        free = f"{name}#{alike[name]}" if alike[name] > 1 else name
        alike[name] += free in taken
    return free
