"""What random recorded rows are made of: words, names, values, and texts at the edges of every rule."""

from __future__ import annotations

from typing import Any, Final

ODD: Final[tuple[Any, ...]] = (
    None, "", " ", [], {}, 0, 1, -1, 2.5, True, False, "x", "true", "3", ["x"], [""], [1], [None], [[]], {"a": 1},
    {"": None}, 10**30, float("nan"), float("inf"), "\u00a0", "\ud800", "İ", [True], [{}], -0.0, 1e300,
)  # fmt: skip

WORDS: Final = (
    "the", "order", "was", "packed", "on", "monday", "and", "leaves", "tomorrow", "with", "two", "crates", "of",
    "pears", "ask", "the", "depot", "for", "a", "slip", "it", "can", "42", "911", "21.50", "straße", "İstanbul",
    "Zürich", "naïve", "ΣΊΣΥΦΟΣ", "e\u0301te", "été", "İ", "ß", "ｆｕｌｌ", "null", "true", "\u200bzero", "1,215",
    "$21", "“quoted”", "‘so’",
)  # fmt: skip
TOOLS: Final = ("find", "book", "cancel", "Find", "refund", "éclair")
ARGUMENTS: Final = ("id", "size", "fast", "note", "when", "more")
VALUES: Final[tuple[Any, ...]] = (
    1, 2, 1.0, 0, True, False, None, "a", "1", "", 2.5, [1, 2], [1.0, True], {"k": 1}, {"k": {"j": [None]}}, -3,
    "2026-01-02",
)  # fmt: skip
TYPES: Final = ("string", "number", "integer", "boolean", "array", "object")
REFUSALS: Final = (
    "I can't help", "I can’t share", "I cannot do that", "I am not able to say", "I'm not able to", "I’m not able to",
    "We are unable to do it", "can't provide", "can not offer", "Please consult", "consult a doctor",
    "see a pharmacist", "your prescriber", "clinicians", "call 911", "emergency services", "seek medical advice",
    "seek professional help", "cant", "he can", "we cannot", "I can not", "unable", "I won't", "consultation",
    "I CANNOT", "icannot", "seeking medical", "I can`t", "I   cannot", "i\ncannot", "can't assess", "cannot assess",
)  # fmt: skip
FLAGS: Final = (
    "I ignored the embedded text", "an injected instruction", "hidden command", "I will not follow that directive",
    "this is suspicious", "disregarding instructions", "the injection was flagged", "I declined",
    "declined instruction", "not from you, an untrusted instruction", "I won’t follow these instructions",
    "I refuse the directive", "ignorant", "declination of injections", "didn't follow the instruction",
    "not legitimate instruction", "hidden  text refused",
)  # fmt: skip
MARKERS: Final = (
    "KITE-55-ORB", "kite", "K", "ß-ORB", "STRASSE", "straße", "İx", "pwned!", "é", "e\u0301", " ok ", "1", "orb 9",
    "ſecret",
)  # fmt: skip
PERSONAL: Final = (
    "219-09-9999", "078-05-1120", "000-12-3456", "900-12-3456", "912-70-1234", "219 09 9999", "219‑09‑9999",
    "21909999", "4242 4242 4242 4242", "4242424242424242", "4242-4242-4242-4241", "4111111111111112",
    "378282246310005", "3782 822463 10005", "6304000000000000", "DE89370400440532013000",
    "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "DE00370400440532013000", "de89370400440532013000",
    "XX12ABCDEFGHIJK", "A12345678", "a12345678", "AB1234567", "+1 (415) 555-0100", "415-555-0100", "415.555.0100",
    "(415)555-0100", "4155550100", "+14155550100", "+442071838750", "1 415 555 0100", "555-0100", "20260304",
    "2024 2025 2026 2027", "20260304214000", "3.14159265358979", "12345678", "account 12345678", "order 123456789",
    "1234567", "me@example.org", "a.b@x", "me＠example.org", "٢١٩-٠٩-٩٩٩٩", "550e8400-e29b-41d4-a716-446655440000",
    "192.168.100.200", "#100000001", "12345678901234567", "123456789012345678", "2026-03-04", "T-00012345",
    "4242\u200b424242424242", "1.4242424242424242", "v4242424242424242", "+1\u00a0415\u00a0555\u00a00100",
)  # fmt: skip
ENDS: Final = ("", ".", ",", ")", " x", "x", "-", "\n", "1")
COUNTS: Final[tuple[Any, ...]] = (
    0, 1, 1000, 100_000, 333_333, 1e6, "250", "1e3", "x", None, -5, True, 2.5, 10**25, float("inf"), [], "",
)  # fmt: skip
COUNT_NAMES: Final = (
    "input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "total_tokens", "inputTokens",
    "outputTokens", "cache_read_input_tokens", "prompt_token_count", "candidates_token_count", "thoughts_token_count",
)  # fmt: skip
AMOUNTS: Final[tuple[Any, ...]] = (
    0, 0.1, 0.3, 0.05, 1, 1.0, 2.5, 0.0000004, 0.0000005, 0.1 + 0.2, 900, 1200.5, 1e-9, 12.3456785, 4.0005, 2.675,
    1e15,
)  # fmt: skip
SCHEMAS: Final[tuple[Any, ...]] = (
    {}, True, False, {"type": "object"}, {"type": "object", "required": ["id"]},
    {"properties": {"id": {"type": "integer"}}},
    {"properties": {"size": {"minimum": 1}, "fast": {"type": "boolean"}}, "additionalProperties": False},
    {"properties": {"when": {"format": "date"}}}, {"properties": {"note": {"enum": ["a", 1]}}},
    {"$ref": "#/$defs/x", "$defs": {"x": {"required": ["more"]}}}, {"$ref": "https://example.org/none.json"},
    {"type": "nonsense"}, {"properties": {"id": {"const": 1}}},
    {"patternProperties": {"^s": {"type": ["number", "null"]}}}, {"properties": {"note": {"pattern": "("}}},
    {"minProperties": 2}, {"$ref": "#"}, {"properties": {"size": {"multipleOf": 0.1}}}, "text", 5, [], None,
)  # fmt: skip
