"""Tag expressions: ``smoke and not (slow or flaky)``. A tag is any run of characters without blanks and brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from proctor.errors import UsageError

Matcher = Callable[[Collection[str]], bool]

_MOST_TOKENS = 300
_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")


def tag_matcher(expression: str) -> Matcher:
    """Compile an expression of tags, ``and``, ``or``, ``not`` and brackets into a test on a case's tags.

    Raises:
        UsageError: the expression is empty, incomplete or too long.
    """
    tokens = _TOKEN.findall(expression)
    parser = _Parser(expression, tokens)
    if len(tokens) > _MOST_TOKENS:
        raise parser.error(f"it has more than {_MOST_TOKENS} words and brackets")
    matcher = parser.any_of()
    if parser.rest:
        raise parser.error(f"unexpected {parser.rest[0]!r}")
    return matcher


class _Parser:
    """Recursive descent: or, and, not, one tag or a bracket."""

    def __init__(self, expression: str, tokens: list[str]) -> None:
        self.expression, self.rest = expression, tokens

    def error(self, what: str) -> UsageError:
        return UsageError(
            f"the tag expression {self.expression!r} cannot be read: {what}",
            hint="write tags with and, or, not and brackets, such as 'smoke and not slow'",
        )

    def any_of(self) -> Matcher:
        left = self.all_of()
        while self._take("or"):
            left = _either(left, self.all_of())
        return left

    def all_of(self) -> Matcher:
        left = self.one()
        while self._take("and"):
            left = _both(left, self.one())
        return left

    def one(self) -> Matcher:
        if self._take("not"):
            return _negated(self.one())
        if self._take("("):
            inner = self.any_of()
            if not self._take(")"):
                raise self.error("a bracket is not closed")
            return inner
        if not self.rest or self.rest[0] in ("and", "or", ")"):
            raise self.error(
                f"a tag is missing before {self.rest[0]!r}" if self.rest else "a tag is missing at its end"
            )
        return _has(self.rest.pop(0))

    def _take(self, token: str) -> bool:
        if self.rest and self.rest[0] == token:
            self.rest.pop(0)
            return True
        return False


def _has(tag: str) -> Matcher:
    return lambda tags: tag in tags


def _negated(inner: Matcher) -> Matcher:
    return lambda tags: not inner(tags)


def _both(left: Matcher, right: Matcher) -> Matcher:
    return lambda tags: left(tags) and right(tags)


def _either(left: Matcher, right: Matcher) -> Matcher:
    return lambda tags: left(tags) or right(tags)
