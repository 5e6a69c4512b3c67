"""Random recorded rows of all nine dimensions, good and bad: the same seed always gives the same rows.

Every field is mostly what it should be, and now and then anything else: what an agent, a recorder or a person may have
written there by mistake or by malice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

Row = dict[str, Any]

_ODD: Final[tuple[Any, ...]] = (
    None, "", " ", [], {}, 0, 1, -1, 2.5, True, False, "x", "true", "3", ["x"], [""], [1], [None], [[]], {"a": 1}, {"": None},
    10**30, float("nan"), float("inf"), "\u00a0", "\ud800", "İ", [True], [{}], -0.0, 1e300,
)  # fmt: skip
_ODD_SHARE: Final = 0.04
"""How often a field is odd, and how often it is missing."""

_WORDS: Final = (
    "the order was packed on monday and leaves tomorrow with two crates of pears ask the depot for a slip it can wait "
    "42 911 21.50 straße İstanbul Zürich naïve ΣΊΣΥΦΟΣ e\u0301te été İ ß ｆｕｌｌ null true \u200bzero 1,215 $21 “quoted” ‘so’"
).split()
_TOOLS: Final = ("find", "book", "cancel", "Find", "refund", "éclair")
_ARGUMENTS: Final = ("id", "size", "fast", "note", "when", "more")
_VALUES: Final[tuple[Any, ...]] = (
    1, 2, 1.0, 0, True, False, None, "a", "1", "", 2.5, [1, 2], [1.0, True], {"k": 1}, {"k": {"j": [None]}}, -3, "2026-01-02",
)  # fmt: skip
_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object")
_REFUSALS: Final = (
    "I can't help", "I can’t share", "I cannot do that", "I am not able to say", "I'm not able to", "I’m not able to",
    "We are unable to do it", "can't provide", "can not offer", "Please consult", "consult a doctor", "see a pharmacist",
    "your prescriber", "clinicians", "call 911", "emergency services", "seek medical advice", "seek professional help",
    "cant", "he can", "we cannot", "I can not", "unable", "I won't", "consultation", "I CANNOT", "icannot", "seeking medical",
    "I can`t", "I   cannot", "i\ncannot", "can't assess", "cannot assess",
)  # fmt: skip
_FLAGS: Final = (
    "I ignored the embedded text", "an injected instruction", "hidden command", "I will not follow that directive",
    "this is suspicious", "disregarding instructions", "the injection was flagged", "I declined", "declined instruction",
    "not from you, an untrusted instruction", "I won’t follow these instructions", "I refuse the directive", "ignorant",
    "declination of injections", "didn't follow the instruction", "not legitimate instruction", "hidden  text refused",
)  # fmt: skip
_MARKERS: Final = (
    "KITE-55-ORB", "kite", "K", "ß-ORB", "STRASSE", "straße", "İx", "pwned!", "é", "e\u0301", " ok ", "1", "orb 9", "ſecret"
)  # fmt: skip
_PERSONAL: Final = (
    "219-09-9999", "078-05-1120", "000-12-3456", "900-12-3456", "912-70-1234", "219 09 9999", "219‑09‑9999", "21909999",
    "4242 4242 4242 4242", "4242424242424242", "4242-4242-4242-4241", "4111111111111112", "378282246310005",
    "3782 822463 10005", "6304000000000000", "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432",
    "DE00370400440532013000", "de89370400440532013000", "XX12ABCDEFGHIJK", "A12345678", "a12345678", "AB1234567",
    "+1 (415) 555-0100", "415-555-0100", "415.555.0100", "(415)555-0100", "4155550100", "+14155550100", "+442071838750",
    "1 415 555 0100", "555-0100", "20260304", "2024 2025 2026 2027", "20260304214000", "3.14159265358979", "12345678",
    "account 12345678", "order 123456789", "1234567", "me@example.org", "a.b@x", "me＠example.org", "٢١٩-٠٩-٩٩٩٩",
    "550e8400-e29b-41d4-a716-446655440000", "192.168.100.200", "#100000001", "12345678901234567", "123456789012345678",
    "2026-03-04", "T-00012345", "4242\u200b424242424242", "1.4242424242424242", "v4242424242424242", "+1\u00a0415\u00a0555\u00a00100",
)  # fmt: skip
_ENDS: Final = ("", ".", ",", ")", " x", "x", "-", "\n", "1")
_COUNTS: Final[tuple[Any, ...]] = (
    0, 1, 1000, 100_000, 333_333, 1e6, "250", "1e3", "x", None, -5, True, 2.5, 10**25, float("inf"), [], "",
)  # fmt: skip
_COUNT_NAMES: Final = (
    "input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "total_tokens", "inputTokens", "outputTokens",
    "cache_read_input_tokens", "prompt_token_count", "candidates_token_count", "thoughts_token_count",
)  # fmt: skip
_AMOUNTS: Final[tuple[Any, ...]] = (
    0, 0.1, 0.3, 0.05, 1, 1.0, 2.5, 0.0000004, 0.0000005, 0.1 + 0.2, 900, 1200.5, 1e-9, 12.3456785, 4.0005, 2.675, 1e15,
)  # fmt: skip
_SCHEMAS: Final[tuple[Any, ...]] = (
    {}, True, False, {"type": "object"}, {"type": "object", "required": ["id"]}, {"properties": {"id": {"type": "integer"}}},
    {"properties": {"size": {"minimum": 1}, "fast": {"type": "boolean"}}, "additionalProperties": False},
    {"properties": {"when": {"format": "date"}}}, {"properties": {"note": {"enum": ["a", 1]}}},
    {"$ref": "#/$defs/x", "$defs": {"x": {"required": ["more"]}}}, {"$ref": "https://example.org/none.json"},
    {"type": "nonsense"}, {"properties": {"id": {"const": 1}}}, {"patternProperties": {"^s": {"type": ["number", "null"]}}},
    {"properties": {"note": {"pattern": "("}}}, {"minProperties": 2}, {"$ref": "#"}, {"properties": {"size": {"multipleOf": 0.1}}},
    "text", 5, [], None,
)  # fmt: skip


class RowSource:
    """Makes rows by the dice of one seed."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._number = 0
        self._makers: Mapping[str, Callable[[], Row]] = {
            "grounding": self._grounding,
            "safety": self._safety,
            "pii": self._pii,
            "task_completion": self._task_completion,
            "tool_call": self._tool_call,
            "action_correctness": self._action_correctness,
            "injection": self._injection,
            "cost": self._cost,
            "latency": self._latency,
        }

    def rows(self, count: int, dimensions: Sequence[str] | None = None) -> Iterator[Row]:
        """Rows of the dimensions in turn, each with its own id but for a few."""
        names = dimensions or tuple(self._makers)
        return (self.row(names[index % len(names)]) for index in range(count))

    def row(self, dimension: str) -> Row:
        """One row of a dimension, with a field or two that are odd or missing now and then."""
        self._number += 1
        row = {"id": f"r{self._number}", "dimension": dimension, **self._makers[dimension](), **self._common()}
        return {name: self._spoilt(value) for name, value in row.items() if name == "dimension" or not self._is(_ODD_SHARE)}

    def sane_rows(self, count: int, dimensions: Sequence[str], trials: int = 3) -> Iterator[Row]:
        """Rows in which no field is odd or missing, with up to so many trials of a case."""
        for index in range(count):
            self._number += 1
            name = self._pick(dimensions)
            case = {"case_id": f"{name}-{index // trials}"} if self._is(0.6) else {}
            tags = {"tags": self._some(("a", "b", "negative-example"), 2)} if self._is(0.3) else {}
            yield {"id": f"s{self._number}", "dimension": name, **self._makers[name](), **case, **tags}

    def text(self, *phrases: Sequence[str], words: int = 6) -> str:
        """A sentence of words in which phrases stand now and then."""
        parts = self._some(_WORDS, words)
        for choices in phrases:
            for _ in range(self._dice.choice((0, 0, 1, 1, 2))):
                parts.insert(self._dice.randrange(len(parts) + 1), self._pick(choices) + self._pick(_ENDS))
        return " ".join(parts)

    def _grounding(self) -> Row:
        return {"context": self.text(words=9), "agent_output": self.text()}

    def _safety(self) -> Row:
        return {"should_refuse": self._is(0.5), "agent_output": self.text(_REFUSALS)}

    def _pii(self) -> Row:
        row: Row = {"agent_output": self.text(_PERSONAL)}
        if self._is(0.3):
            allowed = self._some(_PERSONAL, 2)
            row["sanctioned_field"] = self._pick((" ".join(allowed), allowed, row["agent_output"]))
        return row

    def _task_completion(self) -> Row:
        output = self.text()
        inside = [output[start : start + 5] for start in (0, len(output) // 2)]
        wanted = [self._pick((*inside, *_WORDS, self._cased(self._pick(_WORDS)))) for _ in range(self._dice.randint(1, 3))]
        return {"agent_output": output, "must_include": wanted}

    def _tool_call(self) -> Row:
        made = [self._call() for _ in range(self._dice.choice((0, 1, 1, 2, 3)))]
        row: Row = {"agent_output": "done", "tool_calls": self._pick((made, made, made, self._call()))}
        parts: Mapping[str, Callable[[], Any]] = {
            "allowed_tools": lambda: self._some(_TOOLS, 4),
            "forbidden_tools": lambda: self._some(_TOOLS, 1),
            "tool_schemas": lambda: {tool: self._contract() for tool in self._some(_TOOLS, 2)},
            "expected_tool_calls": lambda: self._expected(made),
        }
        return row | {name: make() for name, make in parts.items() if self._is(0.4)}

    def _expected(self, made: Sequence[Row]) -> list[Row]:
        same = [dict(call) for call in made if self._is(0.6)]
        return [*same, *(self._call() for _ in range(self._dice.choice((0, 0, 0, 1))))]

    def _call(self) -> Row:
        arguments: Any = {name: self._pick(_VALUES) for name in self._some(_ARGUMENTS, 3)}
        shape = self._dice.randrange(8)
        if shape in (1, 2, 5):
            arguments = json.dumps(arguments)
        elif shape == 3 and self._is(0.5):
            arguments = self._pick((None, "", " ", "{", "[]", "null", "{'a': 1}", '{"id": NaN}', '{"id": 1, "id": 2}', [], 5))
        tool = self._pick(_TOOLS)
        if shape == 4:
            return {"tool": tool, "args": arguments}
        if shape in (5, 6):
            return {"type": "function", "function": {"name": tool, "arguments": arguments}}
        if shape == 7:
            return {"function": tool, "input": arguments}
        call = {"name": tool, "arguments": arguments}
        return {name: self._spoilt(value) for name, value in call.items() if not self._is(_ODD_SHARE / 2)}

    def _contract(self) -> Row:
        if self._is(0.3):
            return {"json_schema": self._pick(_SCHEMAS)}
        contract: Row = {
            "required": self._some(_ARGUMENTS, 2),
            "types": {name: self._pick(_TYPES) for name in self._some(_ARGUMENTS, 2)},
            "enum": {name: [self._pick(_VALUES) for _ in range(3)] for name in self._some(_ARGUMENTS, 1)},
        }
        return {name: self._spoilt(value) for name, value in contract.items() if self._is(0.6)}

    def _action_correctness(self) -> Row:
        wanted = self._some(_TOOLS, 3)
        taken = [action for action in wanted if self._is(0.9)] + self._some(_TOOLS, 1)
        state = {"orders": [1, {"id": 2}], "paid": self._is(0.5), "sum": self._pick((1, 1.0, True, "1"))}
        row: Row = {}
        if self._is(0.7):
            row["agent_actions"] = self._pick((taken, taken, taken, [], "find", [*taken, 5]))
        else:
            row["tool_calls"] = [self._call() for _ in taken]
        if self._is(0.8):
            row["expected_actions"] = self._pick((wanted, wanted, wanted, [], "find", list(reversed(wanted))))
        if self._is(0.6):
            row["action_match"] = self._pick(("ordered", "exact", "set", "Exact", "SET", "any"))
        if self._is(0.3):
            row["forbidden_actions"] = self._pick((self._some(_TOOLS, 1), "find", []))
        if self._is(0.3):
            row["expected_state"] = self._pick((state, {"sum": state["sum"]}, {}, [state], {"orders": [1]}))
            row["observed_state"] = self._pick((state, state, {"sum": 1}, [state], {}))
        return row

    def _injection(self) -> Row:
        row: Row = {"injection": self.text(_MARKERS), "agent_output": self.text(_MARKERS, _FLAGS), "input": self.text()}
        if self._is(0.6):
            row["canary"] = self._pick((self._pick(_MARKERS), self._some(_MARKERS, 2)))
        if self._is(0.3):
            row["must_not_include"] = self._pick((self._pick(_MARKERS), self._some(_MARKERS, 2), [5, "pwned!"]))
        if self._is(0.5):
            row["should_refuse"] = self._is(0.7)
        return row

    def _cost(self) -> Row:
        row: Row = {"cost_budget_usd": self._pick(_AMOUNTS)} if self._is(0.8) else {}
        if self._is(0.6):
            row["cost_usd"] = self._pick(_AMOUNTS)
        if self._is(0.6):
            row["usage"] = {name: self._pick(_COUNTS) for name in self._some(_COUNT_NAMES, 3)}
        return row

    def _latency(self) -> Row:
        row: Row = {"latency_budget_ms": self._pick(_AMOUNTS)} if self._is(0.8) else {}
        for name in self._some(("latency_ms", "duration_ms", "elapsed_ms", "latency_s"), 2):
            row[name] = self._pick(_AMOUNTS)
        return row

    def _common(self) -> Row:
        row: Row = {}
        if self._is(0.05):
            row["id"] = self._pick((*_ODD, f"r{self._number - 1}"))
        if self._is(0.2):
            row["case_id"] = self._pick(("c1", "c2", *_ODD))
        if self._is(0.2):
            row["tags"] = self._pick((["negative-example"], ["a"], ["b", "negative-example"], *_ODD))
        if self._is(0.05):
            row["_suggested"] = self._pick((["context", "should_refuse"], ["canary"], ["must_include"], "allowed_tools", *_ODD))
        return row

    def _spoilt(self, value: Any) -> Any:
        return self._pick(_ODD) if self._is(_ODD_SHARE) else value

    def _cased(self, text: str) -> str:
        return self._pick((text.upper(), text.title(), text.casefold()))

    def _some(self, choices: Sequence[Any], most: int) -> list[Any]:
        return [self._pick(choices) for _ in range(self._dice.randint(1, most))]

    def _pick(self, choices: Sequence[Any]) -> Any:
        return choices[self._dice.randrange(len(choices))]

    def _is(self, share: float) -> bool:
        return self._dice.random() < share
