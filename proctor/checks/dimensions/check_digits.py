"""Check digits, which tell numbers that were issued from numbers that only look so: Luhn, and ISO 7064 mod 97-10."""

from __future__ import annotations

from typing import Final

_DOUBLED: Final = {str(digit): digit * 2 - 9 * (digit > 4) for digit in range(10)}


def luhn_holds(digits: str) -> bool:
    """Whether ASCII digits satisfy the Luhn formula of payment cards (ISO/IEC 7812-1, annex B)."""
    return (sum(map(int, digits[-1::-2])) + sum(_DOUBLED[digit] for digit in digits[-2::-2])) % 10 == 0


def iban_holds(iban: str) -> bool:
    """Whether ASCII letters and digits without blanks satisfy the check of an IBAN (ISO 13616-1): 1 modulo 97."""
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1
