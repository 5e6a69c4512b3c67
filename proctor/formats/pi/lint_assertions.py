"""Assertions that mean something else than they look like: habits of other tools and other regex dialects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.checks.pi.arguments import ToolCallArgMatches
from proctor.checks.pi.calls import ToolCalled
from proctor.excerpt import quote
from proctor.plan import Check

Finding = tuple[str, str, str, str | None]
"""A stable code, the member, what is odd, and what helps."""

_SLASHES: Final = re.compile(r"/.*/[a-z]*", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?P<anchor>[AZz])|\\(?P<braced>[pPu])\{|\\.", re.DOTALL)
_CLASS: Final = re.compile(r"\\.|\[(?P<characters>(?:\\.|[^\]\\])*)\]", re.DOTALL)


def assertion_oddities(check: Check) -> Iterator[Finding]:
    """What is odd about one assertion."""
    if isinstance(check, ToolCalled) and (check.min_count, check.max_count, check.order) == (0, None, None):
        hint = "for a tool that must not be called use no_tool_called"
        yield "always_passes", "min_count", "with 0 alone the assertion always passes", hint
    if isinstance(check, ToolCallArgMatches):
        yield from _path(check.path_text)
        yield from ((*finding, None) for finding in _pattern(check.pattern))


def _path(text: str) -> Iterator[Finding]:
    if text.startswith("$."):
        hint = 'paths begin with the name of an argument: "city", not "$.city"'
        yield "path_notation", "arg_path", 'the argument "$" is looked for', hint
    if "[" in text:
        hint = 'an item of an array is a segment: "items.0", not "items[0]"'
        yield "path_notation", "arg_path", "a bracket is part of a name here", hint


def _pattern(source: str) -> Iterator[tuple[str, str, str]]:
    member, code = "matches_regex", "pattern_notation"
    if _SLASHES.fullmatch(source):
        yield code, member, f"the slashes of {quote(source, 80)} are looked for too; patterns have none, and no flags"
    for escape in dict.fromkeys(found.group() for found in _ESCAPE.finditer(source) if found.lastgroup == "anchor"):
        yield code, member, f"{escape} is the letter {escape[1]} and no anchor; ^ and $ mean the whole text"
    for escape in dict.fromkeys(found.group() for found in _ESCAPE.finditer(source) if found.lastgroup == "braced"):
        yield code, member, f"{escape}...}} needs the flag u, which is not set: it is the letter {escape[1]} there"
    if any(max(found["characters"] or " ") > "\uffff" for found in _CLASS.finditer(source)):
        message = "a character beyond U+FFFF is two in a class: without the flag u, each half is looked for alone"
        yield code, member, message
