"""Personal data with a shape: numbers and addresses that a pattern, and a check digit where there is one, can tell.

Every pattern takes linear time. Where a text cannot be told from a harmless one, what counts is said beside its
pattern; in doubt it counts, because a leak that is not told cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from proctor.checks.dimensions.card_numbers import find_cards
from proctor.checks.dimensions.check_digits import iban_holds
from proctor.checks.dimensions.pii_text import plain_spelling


class Hit(NamedTuple):
    """One piece of personal data: what kind it is, and its text as it was found."""

    kind: str
    text: str


EMAIL_KIND: Final = "EMAIL_ADDRESS"

PHONE: Final = re.compile(
    r"(?<![0-9])(?:(?:\+?1[\s.-]?)?(?:\([0-9]{3}\)[\s.-]?|[0-9]{3}[\s.-])[0-9]{3}[\s.-][0-9]{4}|\+[0-9]{10,15})(?![0-9])"
)
"""A North American phone number with separators, or an international one without any."""

_ANY = re.compile(r"[\d@\uff20]")
_ANY_ASCII: Final = "0123456789@"
# Eight digits in a run, or nine with separators: less is neither an account nor a phone number. A date has eight.
_MANY_DIGITS = re.compile(r"[0-9](?:[0-9]{7}|(?:[\s.()-]{0,2}[0-9]){8})")
_IBAN_HEAD = re.compile(r"[0-9](?<=\b[A-Za-z]{2}[0-9])[0-9][A-Za-z0-9 -]")

# What has long runs of digits and is no personal data: UUIDs, and points in time such as 20260304214000.
_HARMLESS = re.compile(
    r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b"
    r"|\b(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9](?:[0-9]{3})?\b"
)

# Compact, or in groups of four as on paper; either letter case.
_IBAN = re.compile(
    r"\b[A-Za-z]{2}[0-9]{2}(?:[A-Za-z0-9]{11,30}|(?:[ -][A-Za-z0-9]{4}){2,7}(?:[ -][A-Za-z0-9]{1,3})?)\b"
)
_IBAN_LENGTHS: Final = range(15, 35)

# Areas 000 and 666, group 00 and serial 0000 are never issued; neither are areas from 900, but for the numbers of
# taxpayers (ITIN), which are as personal. With blanks, only where no other number stands beside it.
_SSN = re.compile(
    r"\b(?!000|666|9[0-9]{2}[ -](?!5|6[0-5]|7|8[0-8]|9[0-24-9]))[0-9]{3}"
    r"(?:-(?!00)[0-9]{2}-|(?<![0-9] [0-9]{3}) (?!00)[0-9]{2} (?![0-9]{4} [0-9]))(?!0000)[0-9]{4}\b"
)

# Nine digits and more count in any place but behind a decimal point; eight, which orders and dates have as well, only
# where the words before speak of an account.
_ACCOUNT = re.compile(r"\b(?<![0-9]\.)[0-9]{8,17}\b")
_ACCOUNT_WORD = re.compile(r"\b(?:account|acct|bank|routing|iban|konto)", re.IGNORECASE)
_WORDS_BEFORE: Final = 40
_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")

_PASSPORT = re.compile(r"\b[A-Za-z][0-9]{8}\b")

# The part before the @ is looked for backwards, from each @: a pattern that began with it would be slow.
_DOMAIN = re.compile(r"@(?<=[\w+%-]@)(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}\b")
_LOCAL_PART = re.compile(r"[\w.+%-]{1,64}\Z")
_LONGEST_LOCAL_PART: Final = 64

_MASK: Final = ";"


def find_personal_data(text: str) -> list[Hit]:
    """All hits by kind, each text of a kind once. A text without digits and @ is clean at once."""
    if not _may_have_any(text):
        return []
    plain = plain_spelling(text)
    hits: list[Hit] = []
    if _MANY_DIGITS.search(plain) or _IBAN_HEAD.search(plain):
        hits += _numbers(plain)
    if "@" in plain:
        hits += (Hit(EMAIL_KIND, address) for address in find_addresses(plain))
    return list(dict.fromkeys(hits)) if len(hits) > 1 else hits


def _may_have_any(text: str) -> bool:
    """Whether there is a digit or an @; looking for each alone is several times as fast as a pattern for all."""
    return any(map(text.__contains__, _ANY_ASCII)) if text.isascii() else _ANY.search(text) is not None


def find_addresses(plain: str) -> Iterator[str]:
    """E-mail addresses, with at least one dot in the domain."""
    for match in _DOMAIN.finditer(plain):
        local = _LOCAL_PART.search(plain, max(0, match.start() - _LONGEST_LOCAL_PART), match.start())
        yield (local[0] if local else "") + match[0]


def _numbers(plain: str) -> Iterator[Hit]:
    plain = _HARMLESS.sub(_MASK, plain)
    ibans: list[str] = []
    rest = _IBAN.sub(_take(ibans), plain)
    yield from _hits("US_SSN", _SSN, rest)
    yield from (Hit("CREDIT_CARD", card) for card in find_cards(PHONE.sub(_MASK, rest)))
    yield from (Hit("US_BANK_NUMBER", match[0]) for match in _ACCOUNT.finditer(rest) if _is_account(match))
    yield from (Hit("IBAN", iban) for iban in ibans)
    yield from _hits("US_PASSPORT", _PASSPORT, rest)
    yield from _hits("PHONE_NUMBER", PHONE, rest)


def _hits(kind: str, pattern: re.Pattern[str], plain: str) -> Iterator[Hit]:
    return (Hit(kind, match[0]) for match in pattern.finditer(plain))


def _take(ibans: list[str]) -> Callable[[re.Match[str]], str]:
    """Collect the IBANs among the matches, and mask them: their digits are no card or account as well."""

    def replace(match: re.Match[str]) -> str:
        end = _iban_end(match[0])
        if not end:
            return match[0]
        ibans.append(match[0][:end])
        return _MASK + match[0][end:]

    return replace


def _iban_end(candidate: str) -> int:
    """Where the IBAN that the candidate begins with ends, at the end of a group; 0 for none.

    Check digits 00 are never issued. They stand where none have been worked out yet, so nothing can be checked.
    """
    unchecked = candidate[2:4] == "00"
    ends = [*(match.start() for match in re.finditer("[ -]", candidate)), len(candidate)]
    for end in reversed(ends):
        iban = re.sub("[ -]", "", candidate[:end])
        if len(iban) in _IBAN_LENGTHS and (unchecked or iban_holds(iban)):
            return end
    return 0


def _is_account(match: re.Match[str]) -> bool:
    digits = match[0]
    if len(digits) > 8:
        return True
    start = max(0, match.start() - _WORDS_BEFORE)
    return _ACCOUNT_WORD.search(match.string, start, match.start()) is not None and not _DATE.fullmatch(digits)
