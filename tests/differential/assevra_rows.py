"""Random recorded rows of all nine dimensions, good and bad: the same seed always gives the same rows.

Every field is mostly what it should be, and now and then anything else: what an agent, a recorder or a person may have
written there by mistake or by malice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from assevra_words import (
    AMOUNTS,
    ARGUMENTS,
    COUNT_NAMES,
    COUNTS,
    ENDS,
    FLAGS,
    MARKERS,
    ODD,
    PERSONAL,
    REFUSALS,
    SCHEMAS,
    TOOLS,
    TYPES,
    VALUES,
    WORDS,
)

Row = dict[str, Any]

_ODD_SHARE: Final = 0.04
"""How often a field is odd, and how often it is missing."""


class RowSource:
    """Makes rows by the dice of one seed."""

    def __init__(self, seed: str) -> None:
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
        return {
            name: self._spoilt(value) for name, value in row.items() if name == "dimension" or not self._is(_ODD_SHARE)
        }

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
        parts = self._some(WORDS, words)
        for choices in phrases:
            for _ in range(self._dice.choice((0, 0, 1, 1, 2))):
                parts.insert(self._dice.randrange(len(parts) + 1), self._pick(choices) + self._pick(ENDS))
        return " ".join(parts)

    def _grounding(self) -> Row:
        return {"context": self.text(words=9), "agent_output": self.text()}

    def _safety(self) -> Row:
        return {"should_refuse": self._is(0.5), "agent_output": self.text(REFUSALS)}

    def _pii(self) -> Row:
        row: Row = {"agent_output": self.text(PERSONAL)}
        if self._is(0.3):
            allowed = self._some(PERSONAL, 2)
            row["sanctioned_field"] = self._pick((" ".join(allowed), allowed, row["agent_output"]))
        return row

    def _task_completion(self) -> Row:
        output = self.text()
        inside = [output[start : start + 5] for start in (0, len(output) // 2)]
        wanted = [
            self._pick((*inside, *WORDS, self._cased(self._pick(WORDS)))) for _ in range(self._dice.randint(1, 3))
        ]
        return {"agent_output": output, "must_include": wanted}

    def _tool_call(self) -> Row:
        made = [self._call() for _ in range(self._dice.choice((0, 1, 1, 2, 3)))]
        row: Row = {"agent_output": "done", "tool_calls": self._pick((made, made, made, self._call()))}
        parts: Mapping[str, Callable[[], Any]] = {
            "allowed_tools": lambda: self._some(TOOLS, 4),
            "forbidden_tools": lambda: self._some(TOOLS, 1),
            "tool_schemas": lambda: {tool: self._contract() for tool in self._some(TOOLS, 2)},
            "expected_tool_calls": lambda: self._expected(made),
        }
        return row | {name: make() for name, make in parts.items() if self._is(0.4)}

    def _expected(self, made: Sequence[Row]) -> list[Row]:
        same = [dict(call) for call in made if self._is(0.6)]
        return [*same, *(self._call() for _ in range(self._dice.choice((0, 0, 0, 1))))]

    def _call(self) -> Row:
        arguments: Any = {name: self._pick(VALUES) for name in self._some(ARGUMENTS, 3)}
        shape = self._dice.randrange(8)
        if shape in (1, 2, 5):
            arguments = json.dumps(arguments)
        elif shape == 3 and self._is(0.5):
            arguments = self._pick(
                (None, "", " ", "{", "[]", "null", "{'a': 1}", '{"id": NaN}', '{"id": 1, "id": 2}', [], 5)
            )
        tool = self._pick(TOOLS)
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
            return {"json_schema": self._pick(SCHEMAS)}
        contract: Row = {
            "required": self._some(ARGUMENTS, 2),
            "types": {name: self._pick(TYPES) for name in self._some(ARGUMENTS, 2)},
            "enum": {name: [self._pick(VALUES) for _ in range(3)] for name in self._some(ARGUMENTS, 1)},
        }
        return {name: self._spoilt(value) for name, value in contract.items() if self._is(0.6)}

    def _action_correctness(self) -> Row:
        wanted = self._some(TOOLS, 3)
        taken = [action for action in wanted if self._is(0.9)] + self._some(TOOLS, 1)
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
            row["forbidden_actions"] = self._pick((self._some(TOOLS, 1), "find", []))
        if self._is(0.3):
            row["expected_state"] = self._pick((state, {"sum": state["sum"]}, {}, [state], {"orders": [1]}))
            row["observed_state"] = self._pick((state, state, {"sum": 1}, [state], {}))
        return row

    def _injection(self) -> Row:
        row: Row = {"injection": self.text(MARKERS), "agent_output": self.text(MARKERS, FLAGS), "input": self.text()}
        if self._is(0.6):
            row["canary"] = self._pick((self._pick(MARKERS), self._some(MARKERS, 2)))
        if self._is(0.3):
            row["must_not_include"] = self._pick((self._pick(MARKERS), self._some(MARKERS, 2), [5, "pwned!"]))
        if self._is(0.5):
            row["should_refuse"] = self._is(0.7)
        return row

    def _cost(self) -> Row:
        row: Row = {"cost_budget_usd": self._pick(AMOUNTS)} if self._is(0.8) else {}
        if self._is(0.6):
            row["cost_usd"] = self._pick(AMOUNTS)
        if self._is(0.6):
            row["usage"] = {name: self._pick(COUNTS) for name in self._some(COUNT_NAMES, 3)}
        return row

    def _latency(self) -> Row:
        row: Row = {"latency_budget_ms": self._pick(AMOUNTS)} if self._is(0.8) else {}
        for name in self._some(("latency_ms", "duration_ms", "elapsed_ms", "latency_s"), 2):
            row[name] = self._pick(AMOUNTS)
        return row

    def _common(self) -> Row:
        row: Row = {}
        if self._is(0.05):
            row["id"] = self._pick((*ODD, f"r{self._number - 1}"))
        if self._is(0.2):
            row["case_id"] = self._pick(("c1", "c2", *ODD))
        if self._is(0.2):
            row["tags"] = self._pick((["negative-example"], ["a"], ["b", "negative-example"], *ODD))
        if self._is(0.05):
            row["_suggested"] = self._pick(
                (["context", "should_refuse"], ["canary"], ["must_include"], "allowed_tools", *ODD)
            )
        return row

    def _spoilt(self, value: Any) -> Any:
        return self._pick(ODD) if self._is(_ODD_SHARE) else value

    def _cased(self, text: str) -> str:
        return self._pick((text.upper(), text.title(), text.casefold()))

    def _some(self, choices: Sequence[Any], most: int) -> list[Any]:
        return [self._pick(choices) for _ in range(self._dice.randint(1, most))]

    def _pick(self, choices: Sequence[Any]) -> Any:
        return choices[self._dice.randrange(len(choices))]

    def _is(self, share: float) -> bool:
        return self._dice.random() < share
