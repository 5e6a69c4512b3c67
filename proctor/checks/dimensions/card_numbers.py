"""Payment card numbers in a text: 13 to 19 digits with a valid check digit, in one run or in groups.

Every tenth number has a valid check digit by chance. So digits in groups count only where the groups are those that
cards are printed in, or where the groups make up one number that stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from proctor.checks.dimensions.check_digits import luhn_holds

_LENGTHS: Final = range(13, 20)

# Numbers with one blank or hyphen between them. None is glued to a word or the fraction of a decimal number.
_ROW_OF_NUMBERS = re.compile(r"(?<!\w)(?<![0-9]\.)[0-9]++(?!\w)(?:[ -][0-9]++(?!\w))*+")
_SEPARATOR = re.compile("[ -]")
_YEAR = re.compile("(?:19|20)[0-9]{2}")

# Groups as printed on cards of 13 to 19 digits, longest first.
_PRINTED: Final = (
    (4, 4, 4, 4, 3),
    (4, 4, 4, 4, 2),
    (4, 4, 4, 4, 1),
    (6, 13),
    (4, 4, 4, 4),
    (6, 10),
    (8, 8),
    (4, 6, 5),
    (4, 6, 4),
    (4, 4, 5),
    (4, 3, 3, 3),
)
_FIRST_SIZES: Final = frozenset({*_LENGTHS, *(sizes[0] for sizes in _PRINTED)})


def find_cards(plain: str) -> Iterator[str]:
    """The card numbers of a text with ASCII digits, hyphens and blanks, as they are written."""
    for match in _ROW_OF_NUMBERS.finditer(plain):
        row = match[0]
        if len(row) >= _LENGTHS.start:
            groups = _SEPARATOR.split(row)
            starts = [0, *accumulate(len(group) + 1 for group in groups)]
            yield from (row[starts[first] : starts[end] - 1] for first, end in _cards(groups))


def _cards(groups: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first group of each card, and the one behind its last."""
    sizes = tuple(map(len, groups))
    found = False
    at = 0
    while at < len(groups):
        length = _card_length(groups, sizes, at) if sizes[at] in _FIRST_SIZES else 0
        if length:
            found = True
            yield at, at + length
        at += length or 1
    if not found and len(groups) < _LENGTHS.stop and _is_card(groups):
        yield 0, len(groups)


def _card_length(groups: Sequence[str], sizes: tuple[int, ...], at: int) -> int:
    """How many groups, from one on, are a card; 0 for none."""
    if sizes[at] in _LENGTHS:
        return 1 if luhn_holds(groups[at]) else 0
    for printed in _PRINTED:
        end = at + len(printed)
        if sizes[at:end] == printed and _is_card(groups[at:end]):
            return len(printed)
    return 0


def _is_card(groups: Sequence[str]) -> bool:
    digits = "".join(groups)
    years = len(groups) > 1 and all(_YEAR.fullmatch(group) for group in groups)
    return len(digits) in _LENGTHS and not years and luhn_holds(digits)
