"""The canonical form of RFC 8785. Numbers and the two longer samples are facts of the RFC (appendix B, section 3.2)."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import UsageError
from proctor.evidence import canonicalize, canonicalize_original
from proctor.evidence.canonical import spell_number

NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=15,
)


class TestNumbers:
    @pytest.mark.parametrize(("bits", "spelling"), NUMBERS.items())
    def test_are_spelt_as_in_the_rfc(self, bits: str, spelling: str) -> None:
        assert spell_number(struct.unpack(">d", bytes.fromhex(bits))[0]) == spelling

    @pytest.mark.parametrize(
        ("number", "spelling"), [(10**21, "1e+21"), (10**20, "1" + "0" * 20), (-7, "-7"), (0, "0")]
    )
    def test_integers_are_doubles(self, number: int, spelling: str) -> None:
        assert spell_number(number) == spelling

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_come_back_as_the_same_double(self, number: float) -> None:
        spelling = spell_number(number)
        assert float(spelling) == number
        assert len(spelling.lstrip("-").replace(".", "").partition("e")[0].strip("0")) <= 17

    @pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
    def test_that_json_does_not_know_are_refused(self, number: float) -> None:
        with pytest.raises(UsageError, match=r"holds (NaN|-?Infinity), which is no JSON number\n  hint: write it as a"):
            canonicalize({"x": [number]})

    @pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 10**400])
    def test_an_integer_that_readers_would_round_is_refused(self, number: int) -> None:
        with pytest.raises(UsageError, match="a signature would not cover its last digits"):
            canonicalize(number)


class TestText:
    def test_and_literals_are_spelt_as_in_the_rfc(self) -> None:
        document = (
            r'{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
            r' "string": "\u20ac$\u000F\u000aA'
            r"'"
            r'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}'
        )
        assert canonicalize(json.loads(document)).decode() == (
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            r'"string":"€$\u000f\nA' + r"'" + r'B\"\\\\\"/"}'
        )

    def test_only_what_has_to_be_escaped_is(self) -> None:
        assert (
            canonicalize('\b\t\n\f\r"\\/\x1b\x7f\u2028é🚀').decode() == '"\\b\\t\\n\\f\\r\\"\\\\/\\u001b\x7f\u2028é🚀"'
        )

    @pytest.mark.parametrize("document", ["\ud83d", {"\udc00": 1}, [{"a": ["x\udfff"]}]])
    def test_half_a_character_is_refused_and_named(self, document: Any) -> None:
        with pytest.raises(UsageError, match=r"half of a character \(the lone surrogate U\+D[8CF]"):
            canonicalize(document)

    def test_in_the_originals_form_half_a_character_is_escaped(self) -> None:
        assert canonicalize_original({"a": "x\ud83d"}) == b'{"a":"x\\ud83d"}'
        assert canonicalize_original({"a": "x\\ud83d"}) == b'{"a":"x\\\\ud83d"}'


class TestObjects:
    def test_members_are_sorted_by_their_utf_16_code_units(self) -> None:
        names = ["\u20ac", "\r", "\ufb33", "1", "😀", "\u0080", "\u00f6"]
        spelt = json.loads(canonicalize(dict.fromkeys(names)))
        assert list(spelt) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "😀", "\ufb33"]

    def test_the_original_sorts_by_code_point_and_spells_numbers_as_python(self) -> None:
        document = {"😀": 1e-05, "\ufb33": 1.0, "z": 1e22}
        assert canonicalize_original(document).decode() == '{"z":1e+22,"\ufb33":1.0,"😀":1e-05}'
        assert canonicalize(document).decode() == '{"z":1e+22,"😀":0.00001,"\ufb33":1}'

    @given(json_values)
    def test_the_canonical_form_has_the_same_value_and_is_its_own_canonical_form(self, value: Any) -> None:
        spelt = canonicalize(value)
        assert json.loads(spelt, parse_int=float) == value
        assert canonicalize(json.loads(spelt)) == spelt

    @given(json_values, st.randoms(use_true_random=False))
    def test_neither_order_nor_layout_matters(self, value: Any, random: Any) -> None:
        def shuffled(part: Any) -> Any:
            if isinstance(part, dict):
                members = [(name, shuffled(member)) for name, member in part.items()]
                random.shuffle(members)
                return dict(members)
            return list(map(shuffled, part)) if isinstance(part, list) else part

        assert canonicalize(json.loads(json.dumps(shuffled(value), indent=random.choice([None, 2])))) == canonicalize(
            value
        )


class TestLimits:
    def test_a_document_that_is_nested_too_deeply_is_refused(self) -> None:
        deep: Any = []
        for _ in range(200_000):
            deep = [deep]
        for spell in (canonicalize, canonicalize_original):
            with pytest.raises(UsageError, match="nested too deeply to be signed"):
                spell(deep)

    def test_the_original_refuses_what_is_no_number(self) -> None:
        with pytest.raises(UsageError, match="NaN or an infinity, which are no JSON numbers"):
            canonicalize_original([math.nan])

    def test_what_json_does_not_know_is_a_fault_of_the_program(self) -> None:
        with pytest.raises(TypeError, match="bytes is no JSON value"):
            canonicalize({"x": b""})
