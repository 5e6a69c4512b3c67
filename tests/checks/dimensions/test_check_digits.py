"""Check digits: what was issued holds, and no single slip does."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.check_digits import iban_holds, luhn_holds


def with_luhn(body: str) -> str:
    return next(body + digit for digit in string.digits if luhn_holds(body + digit))


def with_mod_97(country: str, account: str) -> str:
    number = int("".join(str(int(character, 36)) for character in account + country + "00"))
    return f"{country}{98 - number % 97:02}{account}"


digits = st.text(string.digits, min_size=1, max_size=30)


@pytest.mark.parametrize("number", ["0", "18", "4242424242424242", "378282246310005", "6304000000000000000"])
def test_issued_numbers_satisfy_the_luhn_formula(number: str) -> None:
    assert luhn_holds(number)


@given(digits, st.data())
def test_exactly_one_last_digit_satisfies_the_luhn_formula_and_one_slip_breaks_it(
    body: str, data: st.DataObject
) -> None:
    assert sum(luhn_holds(body + digit) for digit in string.digits) == 1
    number = with_luhn(body)
    place = data.draw(st.integers(0, len(number) - 1))
    other = data.draw(st.sampled_from(string.digits.replace(number[place], "")))
    assert not luhn_holds(number[:place] + other + number[place + 1 :])


@pytest.mark.parametrize("iban", ["GB29NWBK60161331926819", "gb29nwbk60161331926819", "DE89370400440532013000"])
def test_issued_ibans_hold_in_either_letter_case(iban: str) -> None:
    assert iban_holds(iban)


@given(
    st.text(string.ascii_uppercase, min_size=2, max_size=2),
    st.text(string.ascii_uppercase + string.digits, min_size=11, max_size=30),
    st.data(),
)
def test_worked_out_check_digits_hold_and_one_slip_breaks_them(country: str, account: str, data: st.DataObject) -> None:
    iban = with_mod_97(country, account)
    assert iban_holds(iban)
    place = data.draw(st.integers(4, len(iban) - 1).filter(lambda place: iban[place].isdigit() or place == 4))
    if iban[place].isdigit():
        other = data.draw(st.sampled_from(string.digits.replace(iban[place], "")))
        assert not iban_holds(iban[:place] + other + iban[place + 1 :])
