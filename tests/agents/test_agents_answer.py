"""What agents may answer, and the sentence they get for anything else."""

from __future__ import annotations

import enum
import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.agents.answer import MAX_DEPTH, json_data, read_answer
from proctor.agents.base import AgentReply
from proctor.errors import MalformedReply
from proctor.trajectory import ToolCall, Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


class NamedCall(str):  # noqa: SLOT000
    """A tool name that carries its arguments, as other tools of the field have it."""

    args: Any

    def __new__(cls, name: str, args: Any = None) -> NamedCall:
        call = super().__new__(cls, name)
        call.args = args
        return call


class TestAcceptedShapes:
    @pytest.mark.parametrize(
        "answer",
        [
            ("done", ["book"]),
            ["done", ("book",)],
            {"reply": "done", "tool_calls": ["book"]},
            {"reply": "done", "tool_calls": [{"name": "book"}]},
            AgentReply("done", (ToolCall("book"),)),
        ],
    )
    def test_a_pair_a_mapping_and_a_reply_say_the_same(self, answer: object) -> None:
        assert read_answer(answer) == AgentReply("done", (ToolCall("book"),))

    def test_no_reply_is_not_the_empty_reply(self) -> None:
        assert read_answer((None, [])).reply is None
        assert read_answer(("", [])).reply == ""

    def test_a_text_with_args_carries_its_arguments_and_becomes_plain(self) -> None:
        (call,) = read_answer(("ok", [NamedCall("book", {"seats": 2})])).tool_calls
        assert call == ToolCall("book", {"seats": 2})
        assert type(call.name) is str

    def test_a_mapping_may_say_args_and_carries_id_result_and_error(self) -> None:
        given_call = {"name": "book", "args": {"a": (1, 2)}, "id": "c1", "result": {"ok": False}, "is_error": True}
        (call,) = read_answer(("ok", [given_call])).tool_calls
        assert call == ToolCall("book", {"a": [1, 2]}, "c1", {"ok": False}, is_error=True)

    def test_usage_is_read_with_money_to_the_last_digit(self) -> None:
        usage = read_answer(
            {"reply": "x", "usage": {"input_tokens": 3, "output_tokens": 2.0, "cost_usd": "0.10"}}
        ).usage
        assert usage == Usage(input_tokens=3, output_tokens=2, cost_usd=Decimal("0.10"))

    @given(JSON)
    def test_json_data_comes_through_unchanged_and_never_shared(self, value: Any) -> None:
        copy = json_data(value, "x")
        assert json.dumps(copy) == json.dumps(value)
        assert copy is not value or not isinstance(value, dict | list)


class TestRefusedShapes:
    @pytest.mark.parametrize(
        ("answer", "sentence"),
        [
            ("ok", 'the answer is the text "ok", not a reply with its tool calls'),
            (None, "the answer is None, not a reply with its tool calls"),
            (("a", [], {}), "the answer is a tuple of 3 items, not of two"),
            ((3, []), "the reply is of type int, not a text or None"),
            (("ok", "book"), 'the tool calls are the text "book", not a list'),
            (("ok", None), "the tool calls are None, not a list"),
            (("ok", {"name": "book"}), "the tool calls are of type dict, not a list"),
            (("ok", [7]), "tool_calls[0] is of type int, not a tool call"),
            (("ok", [""]), "tool_calls[0] has no name"),
            (("ok", [{"arguments": {}}]), "tool_calls[0] has no name"),
            (("ok", ["a", {"name": "b", "arg": {}}]), 'tool_calls[1] has an unknown member "arg"'),
            (("ok", [{"name": "b", "args": {}, "arguments": {}}]), 'tool_calls[0] has both "arguments" and "args"'),
            (("ok", [{"name": "b", "id": 4}]), "tool_calls[0].id is of type int, not a text"),
            (("ok", [{"name": "b", "is_error": "no"}]), 'tool_calls[0].is_error is the text "no", not true or false'),
            ({"tool_calls": []}, 'the answer has no "reply"'),
            ({"reply": "x", "toolcalls": []}, 'the answer has an unknown member "toolcalls"; known are reply, tool_c'),
            ({"reply": "x", "usage": {"tokens": 3}}, 'usage has an unknown member "tokens"'),
            ({"reply": "x", "usage": {"input_tokens": -1}}, "usage.input_tokens is no whole number from 0 on"),
            ({"reply": "x", "usage": {"requests": True}}, "usage.requests is no whole number from 0 on"),
            ({"reply": "x", "usage": {"cost_usd": "free"}}, "usage.cost_usd is no amount of money from 0 on"),
            ({"reply": "x", "usage": {"cost_usd": math.nan}}, "usage.cost_usd is no amount of money from 0 on"),
            ({"reply": "x", "usage": 3}, "the usage is of type int, not an object"),
            (AgentReply("x", tool_calls=None), "the tool calls are None, not a list"),  # type: ignore[arg-type]
        ],
    )
    def test_anything_else_is_malformed_with_a_sentence(self, answer: object, sentence: str) -> None:
        with pytest.raises(MalformedReply) as caught:
            read_answer(answer)
        assert caught.value.message.startswith(sentence)
        assert '{"reply": "done", "tool_calls": ["book"]}' in str(caught.value)

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ({"when": object()}, 'tool_calls[0].arguments."when" is of type object, which is no JSON data'),
            ({"rows": [1, {2}]}, 'tool_calls[0].arguments."rows"[1] is of type set, which is no JSON data'),
            ({"x": math.nan}, 'tool_calls[0].arguments."x" is nan, which is no JSON number'),
            ([-math.inf], "tool_calls[0].arguments[0] is -inf, which is no JSON number"),
            ({3: 4}, "tool_calls[0].arguments has a key of type int, where JSON has texts only"),
            ([10**5000], "tool_calls[0].arguments[0] is a number of more than 4,000 digits"),
            (b"x", "tool_calls[0].arguments is of type bytes, which is no JSON data"),
        ],
    )
    def test_arguments_that_json_does_not_know_are_named_with_their_place(self, arguments: Any, sentence: str) -> None:
        with pytest.raises(MalformedReply) as caught:
            read_answer(("ok", [{"name": "book", "arguments": arguments}]))
        assert caught.value.message == sentence

    def test_a_value_that_contains_itself_is_refused_not_followed(self) -> None:
        endless: list[Any] = []
        endless.append(endless)
        with pytest.raises(MalformedReply, match=f"nested deeper than {MAX_DEPTH} levels"):
            read_answer(("ok", [ToolCall("book", endless)]))

    def test_hostile_text_does_not_reach_the_sentence_raw(self) -> None:
        with pytest.raises(MalformedReply) as caught:
            read_answer("\x1b[31m" + "x" * 10_000)
        assert "\x1b" not in str(caught.value)
        assert len(str(caught.value)) < 400

    def test_subclasses_become_plain_json(self) -> None:
        class Size(enum.IntEnum):
            SMALL = 1

        plain: Any = json_data({"size": Size.SMALL, "name": NamedCall("x")}, "x")
        assert plain == {"size": 1, "name": "x"}
        assert [type(each) for each in plain.values()] == [int, str]
