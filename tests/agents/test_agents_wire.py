"""The contract with agents outside of this process, and its JSON Schema."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.agents.base import AgentReply, Message
from proctor.agents.wire import CONTRACT_SCHEMA, MAX_ROUNDS, converse, decode, encode
from proctor.errors import AgentRefused, MalformedReply, TrialError
from proctor.trajectory import JsonValue, ToolCall

SCHEMA = json.loads(CONTRACT_SCHEMA.read_text(encoding="utf-8"))
HELLO: list[Message] = [{"role": "user", "content": "hello \ud83d", "audio": "a.wav"}]


def validator(part: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]})


REQUEST, ANSWER = validator("request"), validator("answer")


class Host:
    def __init__(self) -> None:
        self.asked: list[tuple[str, JsonValue]] = []

    def before_model_request(self) -> None:
        pass

    async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
        self.asked.append((name, arguments))
        return {"n": len(self.asked)}, len(self.asked) > 1


def talk(*answers: Any, host: Host | None = None) -> tuple[AgentReply, list[dict[str, Any]]]:
    """Hold one turn with an agent that gives these answers; the last one again and again."""
    requests: list[dict[str, Any]] = []

    async def exchange(request: dict[str, Any]) -> object:
        REQUEST.validate(request)
        requests.append(json.loads(encode(request)))
        return answers[min(len(requests), len(answers)) - 1]

    return asyncio.run(converse(exchange, "s1", HELLO, host)), requests


def hand_over(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_calls", "tool_calls": list(calls)}


class TestTurns:
    def test_one_request_one_reply(self) -> None:
        reply, requests = talk({"reply": "hi", "tool_calls": [{"name": "look", "arguments": {"a": 1}}]})
        assert reply == AgentReply("hi", (ToolCall("look", {"a": 1}),))
        assert requests == [{"proctor": 1, "type": "turn", "session": "s1", "messages": HELLO, "tools": "own"}]

    def test_a_refusal_is_a_result(self) -> None:
        with pytest.raises(AgentRefused, match="the agent's content filter stopped it: not that"):
            talk({"refused": "not that"})

    def test_an_error_that_the_agent_reports_is_shown_safely(self) -> None:
        with pytest.raises(TrialError) as caught:
            talk({"error": "\x1b[2Jdisk full"})
        assert caught.value.message == "the agent reports an error: <1B>[2Jdisk full"
        assert caught.value.kind == "exception"

    @pytest.mark.parametrize(
        ("answer", "sentence"),
        [
            ([], "the answer is of type list, not a JSON object"),
            ("hi", 'the answer is the text "hi", not a JSON object'),
            ({}, 'the answer has no "reply"'),
            ({"refused": None}, '"refused" is None, not a text'),
            ({"error": "x", "reply": "y"}, 'the answer has an unknown member "reply"; known are error'),
            (hand_over({"id": "1", "name": "x"}), "the agent asks us to run its tools, although"),
        ],
    )
    def test_other_answers_are_malformed(self, answer: Any, sentence: str) -> None:
        with pytest.raises(MalformedReply) as caught:
            talk(answer)
        assert caught.value.message.startswith(sentence)
        assert caught.value.hint


class TestToolsOnTheHost:
    def test_results_go_back_in_order_until_the_reply_comes(self) -> None:
        host = Host()
        reply, requests = talk(
            hand_over({"id": "1", "name": "find", "arguments": {"q": "x"}}, {"id": "2", "name": "book"}),
            hand_over({"id": "3", "name": "pay", "arguments": {}}),
            {"reply": "done", "usage": {"input_tokens": 5}},
            host=host,
        )
        assert host.asked == [("find", {"q": "x"}), ("book", None), ("pay", {})]
        assert reply.reply == "done"
        assert reply.tool_calls == (
            ToolCall("find", {"q": "x"}, "1", {"n": 1}),
            ToolCall("book", None, "2", {"n": 2}, is_error=True),
            ToolCall("pay", {}, "3", {"n": 3}, is_error=True),
        )
        assert [request.get("tools") for request in requests] == ["host", None, None]
        assert requests[1]["tool_results"] == [
            {"id": "1", "name": "find", "result": {"n": 1}, "is_error": False},
            {"id": "2", "name": "book", "result": {"n": 2}, "is_error": True},
        ]
        assert [each["id"] for each in requests[2]["tool_results"]] == ["3"]

    @pytest.mark.parametrize(
        ("answer", "sentence"),
        [
            (hand_over(), 'an answer of type "tool_calls" has no list of tool calls'),
            (hand_over({"name": "x"}), "tool_calls[0] has no id"),
            (hand_over({"id": "1", "name": "x"}, {"id": "1", "name": "y"}), "two of the tool calls"),
            (hand_over({"id": "1", "name": "x", "result": 3}), 'tool_calls[0] has an unknown member "result"'),
            ({"reply": "x", "tool_calls": ["look"]}, "the reply lists tool calls, although"),
        ],
    )
    def test_calls_that_cannot_be_answered_are_malformed(self, answer: Any, sentence: str) -> None:
        with pytest.raises(MalformedReply) as caught:
            talk(answer, host=Host())
        assert caught.value.message.startswith(sentence)

    def test_an_agent_that_asks_without_end_is_stopped(self) -> None:
        host = Host()
        with pytest.raises(MalformedReply, match=f"asked for tools {MAX_ROUNDS} times in one turn"):
            talk(hand_over({"id": "1", "name": "x"}), host=host)
        assert len(host.asked) == MAX_ROUNDS


class TestBytes:
    @pytest.mark.parametrize(
        "body", [b"", b"hi", b'{"reply": NaN}', b"\xff\xfe", b'{"a": 1} {"b": 2}', b"[" * 100_000, b"9" * 5000]
    )
    def test_what_is_no_json_is_malformed(self, body: bytes) -> None:
        with pytest.raises(MalformedReply, match="the answer is no JSON") as caught:
            decode(body)
        assert len(str(caught.value)) < 700

    def test_a_request_is_one_line_of_ascii_and_keeps_every_character(self) -> None:
        line = encode({"messages": [{"role": "user", "content": "東京\n\u2028 \ud83d"}]})
        assert b"\n" not in line
        assert json.loads(line.decode("ascii"))["messages"][0]["content"] == "東京\n\u2028 \ud83d"


CALLS = st.one_of(
    st.text(max_size=3),
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["x", "", 1, None]),
            "arguments": st.sampled_from([None, {}, {"a": [1]}, "text"]),
            "args": st.just({}),
            "id": st.sampled_from(["1", None, 1]),
            "result": st.sampled_from([None, 0]),
            "is_error": st.sampled_from([True, None]),
            "other": st.just(0),
        },
    ),
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "reply": st.sampled_from(["x", "", None, 1]),
        "tool_calls": st.one_of(st.lists(CALLS, max_size=2), st.none(), st.text(max_size=2)),
        "usage": st.sampled_from(
            [None, {}, {"input_tokens": 3}, {"input_tokens": 3.0}, {"requests": -1}, {"requests": True}]
            + [{"cost_usd": cost} for cost in (None, "0.1", "1", "-1", "x", 0.5, -1)]
        ),
        "refused": st.sampled_from(["x", None]),
        "error": st.sampled_from(["x", 1]),
        "other": st.just(1),
    },
)
HANDED_OVER = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["1", "", 2]),
        "name": st.sampled_from(["x", ""]),
        "arguments": st.none(),
        "args": st.none(),
    },
)


class TestSchema:
    def test_it_is_a_valid_schema(self) -> None:
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    @given(ANSWERS)
    def test_it_allows_exactly_the_answers_that_are_read(self, answer: dict[str, Any]) -> None:
        try:
            talk(answer)
        except MalformedReply:
            is_read = False
        except TrialError:
            is_read = True
        else:
            is_read = True
        assert ANSWER.is_valid(answer) == is_read

    @given(st.lists(HANDED_OVER, max_size=1))
    def test_it_allows_exactly_the_calls_that_are_taken_over(self, calls: list[dict[str, Any]]) -> None:
        host = Host()
        try:
            talk(hand_over(*calls), {"reply": "x"}, host=host)
        except MalformedReply:
            assert not ANSWER.is_valid(hand_over(*calls))
        else:
            assert ANSWER.is_valid(hand_over(*calls))
