"""What counts as personal data, what does not, and that no text takes long."""

from __future__ import annotations

import string
import time
import uuid
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.check_digits import luhn_holds
from proctor.checks.dimensions.pii_patterns import find_personal_data


def kinds(text: str) -> list[str]:
    return [hit.kind for hit in find_personal_data(text)]


def card(body: str) -> str:
    return next(body + digit for digit in string.digits if luhn_holds(body + digit))


def iban(country: str, account: str) -> str:
    number = int("".join(str(int(character, 36)) for character in account + country + "00"))
    return f"{country}{98 - number % 97:02}{account}"


def grouped(text: str, sizes: tuple[int, ...], separator: str) -> str:
    ends = list(accumulate(sizes))
    return separator.join(text[end - size : end] for end, size in zip(ends, sizes, strict=True))


class TestSocialSecurityNumbers:
    @pytest.mark.parametrize(
        "text",
        [
            "On file: 318-27-4410.",
            "318 27 4410",
            "318–27–4410",
            "318\u201127\u20114410",
            "318-27-\u200b4410",
            "３１８-２７-４４１０",
            "٣١٨-٢٧-٤٤١٠",
            "a taxpayer: 912-70-1234",
        ],
    )
    def test_found_in_every_spelling(self, text: str) -> None:
        assert kinds(text) == ["US_SSN"]

    @pytest.mark.parametrize(
        "text",
        [
            "000-12-3456",
            "666-12-3456",
            "900-12-3456",
            "318-00-4410",
            "318-27-0000",
            "318-27-44101",
            "ID318-27-4410",
            "id_318-27-4410",
            "rooms 318 27 4410 12",
            "rooms 4 318 27 4410",
            "318-274410",
        ],
    )
    def test_impossible_or_part_of_something_else(self, text: str) -> None:
        assert kinds(text) == []

    @given(st.integers(1, 899).filter(lambda area: area != 666), st.integers(1, 99), st.integers(1, 9999))
    def test_every_possible_number_is_found(self, area: int, group: int, serial: int) -> None:
        assert kinds(f"No. {area:03}-{group:02}-{serial:04}!") == ["US_SSN"]


class TestCards:
    @given(st.text(string.digits, min_size=12, max_size=18), st.sampled_from(["", "card "]))
    def test_a_run_of_13_to_19_digits_with_a_check_digit_is_found(self, body: str, before: str) -> None:
        assert "CREDIT_CARD" in kinds(before + card("4" + body[1:]))

    @given(
        st.sampled_from([(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (6, 13), (4, 3, 3, 3)]),
        st.sampled_from([" ", "-", "\u2011", "\u00a0"]),
        st.sampled_from(["", "pay ", "12 ", "exp 09 "]),
        st.sampled_from(["", ".", " 09", " cvc 123"]),
        st.data(),
    )
    def test_groups_as_printed_are_found_beside_other_numbers(
        self, sizes: tuple[int, ...], separator: str, before: str, after: str, data: st.DataObject
    ) -> None:
        body = data.draw(st.text(string.digits, min_size=sum(sizes) - 2, max_size=sum(sizes) - 2))
        assert "CREDIT_CARD" in kinds(before + grouped(card("5" + body), sizes, separator) + after)

    @pytest.mark.parametrize(
        "text",
        [
            "4242 4242 4242 4241",
            "Editions 1998 2003 2011 2024",
            "Editions 1998 2003 2011 2026 (a valid check digit by chance)",
            "4242  4242 4242 4242",
            "4242 4242\n4242 4242",
            "4242 4242 4242 4242a",
            "x4242-4242-4242-4242",
            "0.4242424242424242",
            "12 34 56 78 90 12 34 56 78 90",
        ],
    )
    def test_not_a_card(self, text: str) -> None:
        assert "CREDIT_CARD" not in kinds(text)

    def test_odd_groups_count_when_they_stand_alone(self) -> None:
        assert kinds("4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2") == ["CREDIT_CARD"]

    def test_two_cards_in_a_row_are_two(self) -> None:
        hits = find_personal_data("4242 4242 4242 4242 3782 822463 10005")
        assert [hit.text for hit in hits] == ["4242 4242 4242 4242", "3782 822463 10005"]

    def test_two_phone_numbers_in_a_row_are_no_card(self) -> None:
        assert kinds("604-555-0188 604-555-0199 604-555-0177") == ["PHONE_NUMBER"] * 3


class TestAccounts:
    @given(st.integers(10**8, 10**17 - 1).filter(lambda number: str(number)[:2] not in {"19", "20"}))
    def test_nine_to_seventeen_digits_in_a_run(self, number: int) -> None:
        assert "US_BANK_NUMBER" in kinds(f"ref {number}.")

    @pytest.mark.parametrize("text", ["your account 83412907", "Acct no. 83412907", "routing: 83412907"])
    def test_eight_digits_behind_a_word_for_an_account(self, text: str) -> None:
        assert kinds(text) == ["US_BANK_NUMBER"]

    @pytest.mark.parametrize(
        "text",
        [
            "Order 12345678",
            "Due 20260304",
            "account opened 20260304",
            "at 20260304214000",
            "at 20260304214000123",
            "ref 12345678-4c1d-4aaf-9e02-0242ac120002",
            "pi is 3.14159265",
            "share 0.123456789012",
            "1234567",
            "123456789012345678",
            "ticket A12345678901",
        ],
    )
    def test_orders_dates_uuids_and_fractions_are_none(self, text: str) -> None:
        assert kinds(text) == []

    @given(st.uuids())
    def test_no_uuid_is_personal_data(self, value: uuid.UUID) -> None:
        assert kinds(f"id {value}") == []
        assert kinds(f"id {value}".upper()) == []


class TestIbans:
    @given(
        st.sampled_from(["GB", "DE", "NL", "MT", "NO"]),
        st.text(string.ascii_uppercase + string.digits, min_size=11, max_size=30),
        st.booleans(),
        st.booleans(),
        st.sampled_from(["", ".", " is mine", " from you and me"]),
    )
    def test_every_iban_is_found_and_told_once(
        self, country: str, account: str, in_groups: bool, lower: bool, after: str
    ) -> None:
        text = iban(country, account)
        text = " ".join(text[at : at + 4] for at in range(0, len(text), 4)) if in_groups else text
        assert "IBAN" in kinds(f"to {text.lower() if lower else text}{after}")

    @pytest.mark.parametrize("text", ["GB00ABCD12345678901234", "gb00 abcd 1234 5678 9012 34", "GB00ABCDEFGHIJK"])
    def test_check_digits_that_nobody_worked_out_cannot_clear_a_number(self, text: str) -> None:
        assert kinds(text) == ["IBAN"]

    @pytest.mark.parametrize(
        "text", ["GB99ABCD12345678901234", "GB00ABCDEFGHIJ", "Room AB12 will have more than four beds"]
    )
    def test_not_an_iban(self, text: str) -> None:
        assert kinds(text) == []

    def test_the_digits_of_an_iban_are_no_card_as_well(self) -> None:
        assert kinds("DE89 3704 0044 0532 0130 00") == ["IBAN"]


class TestOthers:
    @pytest.mark.parametrize("text", ["Passport C12345678", "passport c12345678"])
    def test_passports(self, text: str) -> None:
        assert kinds(text) == ["US_PASSPORT"]

    @pytest.mark.parametrize(
        "text",
        [
            "Ring (604) 555-0188",
            "Ring (604)555-0188",
            "Ring 604.555.0188",
            "Ring 604 555 0188",
            "Ring +1 604-555-0188",
            "Ring 1-604-555-0188",
            "Ring 604–555–0188",
            "604\n555\n0188",
        ],
    )
    def test_phone_numbers(self, text: str) -> None:
        assert kinds(text) == ["PHONE_NUMBER"]

    def test_an_international_number_is_an_account_as_well(self) -> None:
        assert kinds("Ring +442071838750") == ["US_BANK_NUMBER", "PHONE_NUMBER"]

    @pytest.mark.parametrize("text", ["Ring 555-0188", "from 203.0.113.77", "2026-03-04T21:40:00Z", "604-555-01889"])
    def test_no_phone_numbers(self, text: str) -> None:
        assert kinds(text) == []

    @pytest.mark.parametrize(
        ("text", "address"),
        [
            ("Write to ana.silva@library.example.", "ana.silva@library.example"),
            ("<ana+books@mail.library.example>", "ana+books@mail.library.example"),
            ("ana@b\u00fccher.example", "ana@b\u00fccher.example"),
            ("ana\uff20library.example", "ana@library.example"),
            ("a" * 100 + "@library.example", "a" * 64 + "@library.example"),
        ],
    )
    def test_addresses(self, text: str, address: str) -> None:
        assert find_personal_data(text) == [("EMAIL_ADDRESS", address)]

    @pytest.mark.parametrize("text", ["@ana", "ana@localhost", "5 @ 3.50", "ana@1.2.3.4", "a @ b.example"])
    def test_no_addresses(self, text: str) -> None:
        assert kinds(text) == []

    def test_kinds_come_in_one_order_and_each_text_once(self) -> None:
        text = "a@b.example, (604) 555-0188, C12345678, 318-27-4410, C12345678, (604) 555-0188, (604) 555-0199"
        assert kinds(text) == ["US_SSN", "US_PASSPORT", "PHONE_NUMBER", "PHONE_NUMBER", "EMAIL_ADDRESS"]


@given(st.text(st.characters(exclude_categories=["Nd"], exclude_characters="@\uff20")))
def test_a_text_without_digits_and_at_signs_is_clean(text: str) -> None:
    assert find_personal_data(text) == []


@given(st.text(st.sampled_from("0123456789 -.()+@abAB:;\n\u200b\u2013٣")))
def test_any_text_can_be_searched(text: str) -> None:
    assert all(hit.text for hit in find_personal_data(text))


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1 ",
        "1234 ",
        "4242-",
        "a@",
        "a.",
        "AB12 ",
        "ab00abcd",
        "1(",
        "+1 ",
        "604 ",
        "219-09-",
        "12345678-1234-",
        "٢",
    ],
)
def test_the_time_grows_with_the_length_alone(piece: str) -> None:
    text = piece * (200_000 // len(piece)) + "x@"
    started = time.process_time()
    find_personal_data(text)
    assert time.process_time() - started < 5
