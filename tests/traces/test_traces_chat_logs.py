"""Logs of OpenAI's and Anthropic's interfaces, as their clients and proxies write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from trace_files import calls, only, problems, read, write

FIND = {"guests": 2, "time": "19:00"}
TOOL = {
    "type": "function",
    "function": {"name": "refund", "description": "Pay back.", "parameters": {"type": "object"}},
}
OPENAI_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "find_table", "arguments": '{"guests": 2, "time": "19:00"}'},
}
ASK = {"role": "user", "content": "A table for 2 at 19:00, please."}


def completion(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-9J3uIL87", "object": "chat.completion", "model": "gpt-4o-mini",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 52, "completion_tokens": 47, "total_tokens": 99,
                  "prompt_tokens_details": {"cached_tokens": 32}},
        **more,
    }  # fmt: skip


class TestOpenAI:
    def test_a_request_and_its_response(self, tmp_path: Path) -> None:
        entry = {
            "request": {"model": "gpt-4o-mini", "tools": [TOOL], "messages": [
                {"role": "system", "content": "You book tables."}, ASK,
                {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]},
                {"role": "tool", "tool_call_id": "call_1", "content": '{"table": 1}'},
            ]},
            "response": completion({"content": "Table 1 is free."}),
            "latency_ms": 840.5, "cost_usd": 0.0012,
        }  # fmt: skip
        trace = only(write(tmp_path, [entry]), "openai")
        assert trace.trace_id == "chatcmpl-9J3uIL87"
        assert (trace.input, trace.agent_output) == ("A table for 2 at 19:00, please.", "Table 1 is free.")
        assert trace.context == '{"table": 1}'
        assert calls(trace) == [("find_table", FIND)]
        assert trace.usage == {"input_tokens": 52, "output_tokens": 47}
        assert (trace.latency_ms, trace.cost_usd) == (840.5, 0.0012)

    def test_a_pair_is_the_last_exchange_only(self, tmp_path: Path) -> None:
        earlier = [{"role": "user", "content": "Hello"}, {"role": "assistant", "tool_calls": [OPENAI_CALL]}]
        entry = {"request": {"messages": [*earlier, ASK]}, "response": completion({"content": "Booked."})}
        trace = only(write(tmp_path, [entry]), "openai")
        assert (trace.input, trace.tool_calls) == ("A table for 2 at 19:00, please.", ())

    def test_a_conversation_is_taken_as_a_whole(self, tmp_path: Path) -> None:
        messages = [
            ASK,
            {"role": "assistant", "content": "", "tool_calls": [OPENAI_CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "1"},
            {"role": "assistant", "content": "Table 1 is free. Shall I book it?"},
            {"role": "user", "content": [{"type": "text", "text": "Yes."}, {"type": "image_url", "image_url": {}}]},
            {"role": "assistant", "function_call": {"name": "create_booking", "arguments": '{"table": 1}'}},
            {"role": "function", "name": "create_booking", "content": "B1"},
            {"role": "assistant", "content": "Booked, B1."},
        ]
        trace = only(write(tmp_path, [{"messages": messages, "tools": [TOOL]}]), "openai")
        assert trace.input == "A table for 2 at 19:00, please.\n\nYes.\n[image_url]"
        assert trace.agent_output == "Booked, B1."
        assert trace.context == "1\n\nB1"
        assert calls(trace) == [("find_table", FIND), ("create_booking", {"table": 1})]

    @pytest.mark.parametrize("document", [[ASK, {"role": "assistant", "content": "Hi"}], {"messages": [ASK]}])
    def test_a_file_that_is_one_conversation(self, tmp_path: Path, document: Any) -> None:
        assert only(write(tmp_path, document, "chat.json"), "openai").input == "A table for 2 at 19:00, please."

    def test_a_last_question_that_nobody_answered_has_no_answer(self, tmp_path: Path) -> None:
        said = [ASK, {"role": "assistant", "content": "For when?"}, {"role": "user", "content": "Tonight."}]
        assert only(write(tmp_path, [{"messages": said}]), "openai").agent_output is None

    def test_a_response_alone(self, tmp_path: Path) -> None:
        trace = only(write(tmp_path, [completion({"content": "Hi"})]), "openai")
        assert (trace.input, trace.agent_output, trace.tool_calls) == (None, "Hi", ())

    def test_an_answer_of_nothing_is_not_no_answer(self, tmp_path: Path) -> None:
        entries = [completion({"content": ""}), completion({"content": None, "tool_calls": [OPENAI_CALL]})]
        traces, _, _ = read(write(tmp_path, entries))
        assert [trace.agent_output for trace in traces] == ["", None]

    def test_a_refusal_is_the_answer(self, tmp_path: Path) -> None:
        entry = completion({"content": None, "refusal": "I can't help with that."})
        assert only(write(tmp_path, [entry]), "openai").agent_output == "I can't help with that."

    def test_the_output_of_a_batch(self, tmp_path: Path) -> None:
        entries = [
            {"id": "batch_req_1", "custom_id": "case-7", "error": None,
             "response": {"status_code": 200, "body": completion({"content": "Hi"})}},
            {"id": "batch_req_2", "custom_id": "case-8", "response": None, "error": {"code": "batch_expired"}},
        ]  # fmt: skip
        (trace,), notes, _ = read(write(tmp_path, entries))
        assert (trace.agent_output, trace.usage) == ("Hi", {"input_tokens": 52, "output_tokens": 47})
        assert dict(notes.left_out) == {("call", "that failed"): 1}

    def test_the_responses_interface(self, tmp_path: Path) -> None:
        entry = {
            "request": {"model": "gpt-4o", "input": "A table?", "tools": [{"type": "function", "name": "refund"}]},
            "response": {
                "id": "resp_1", "object": "response", "status": "completed",
                "output": [
                    {"type": "reasoning", "id": "rs_1", "summary": []},
                    {"type": "web_search_call", "id": "ws_1", "action": {"query": "opening hours"}},
                    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "find_table",
                     "arguments": '{"guests": 2, "time": "19:00"}'},
                    {"type": "function_call_output", "call_id": "call_1", "output": "1"},
                    {"type": "message", "role": "assistant",
                     "content": [{"type": "output_text", "text": "Table 1.", "annotations": []}]},
                ],
                "usage": {"input_tokens": 9, "output_tokens": 4},
            },
        }  # fmt: skip
        trace = only(write(tmp_path, [entry]), "openai")
        assert (trace.input, trace.agent_output, trace.context) == ("A table?", "Table 1.", "1")
        assert calls(trace) == [("web_search", {"query": "opening hours"}), ("find_table", FIND)]
        assert trace.tool_calls is not None
        assert trace.tool_calls[1].id == "call_1"
        assert trace.usage == {"input_tokens": 9, "output_tokens": 4}

    @pytest.mark.parametrize(
        "answer", ["Table 1.", {"content": "Table 1."}, [{"role": "assistant", "content": "Table 1."}]]
    )
    def test_an_answer_without_the_rest_of_the_response(self, tmp_path: Path, answer: Any) -> None:
        for entry in ({"messages": [ASK], "response": answer}, {"request": {"messages": [ASK]}, "output": answer}):
            trace = only(write(tmp_path, [entry]), "openai")
            assert (trace.input, trace.agent_output) == ("A table for 2 at 19:00, please.", "Table 1.")

    def test_a_response_without_output_is_an_agent_that_did_not_answer(self, tmp_path: Path) -> None:
        entry = {
            "request": {"messages": [ASK]},
            "response": {"object": "response", "output": [], "status": "incomplete"},
        }
        trace = only(write(tmp_path, [entry]), "openai")
        assert (trace.input, trace.agent_output, trace.tool_calls) == ("A table for 2 at 19:00, please.", None, ())

    def test_a_call_that_failed_is_left_out_also_with_its_request(self, tmp_path: Path) -> None:
        entry = {"request": {"messages": [ASK]}, "response": None, "error": {"type": "overloaded_error"}}
        traces, notes, _ = read(write(tmp_path, [entry]))
        assert (traces, dict(notes.left_out)) == ([], {("call", "that failed"): 1})

    def test_of_several_choices_the_first_is_taken_and_said(self, tmp_path: Path) -> None:
        entry = completion({"content": "Hi"})
        entry["choices"] *= 3
        assert problems(write(tmp_path, [entry])) == [
            "traces.jsonl:1:1: warning [more_choices] of 3 choices the first is taken"
        ]

    def test_an_entry_of_something_else_is_a_problem(self, tmp_path: Path) -> None:
        path = write(tmp_path, [completion({"content": "Hi"}), {"event": "started"}, [1]])
        assert [line.partition(": looked for")[0] for line in problems(path)] == [
            "traces.jsonl:2:1: error [not_a_trace] is no entry of a log of OpenAI chats",
            "traces.jsonl:3:1: error [not_a_trace] [0]: is no entry of a log of OpenAI chats",
        ]

    def test_a_number_of_tokens_that_is_none_is_a_problem(self, tmp_path: Path) -> None:
        path = write(tmp_path, [completion({"content": "Hi"}, usage={"prompt_tokens": -3})])
        assert problems(path) == [
            (
                'traces.jsonl:1:1: error [bad_number] the number of tokens is "-3", which is no such number '
                "(write a number that is not negative, such as 0.02, without a unit)"
            )
        ]


class TestAnthropic:
    USE: ClassVar[dict[str, Any]] = {"type": "tool_use", "id": "toolu_1", "name": "find_table", "input": FIND}
    RESULT: ClassVar[dict[str, Any]] = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": [{"type": "text", "text": "1"}],
    }

    def response(self, *parts: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn",
            "content": list(parts),
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30,
                      "output_tokens": 7},
        }  # fmt: skip

    def test_all_turns_keep_their_calls(self, tmp_path: Path) -> None:
        second = {"type": "tool_use", "id": "toolu_2", "name": "create_booking", "input": {"table": 1}}
        messages = [
            {"role": "user", "content": "A table?"},
            {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, self.USE]},
            {"role": "user", "content": [self.RESULT]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}, second]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_2", "content": "B1"}]},
        ]
        entry = {
            "request": {"model": "claude-x", "max_tokens": 64, "tools": [{"name": "refund", "input_schema": {}}],
                        "messages": messages},
            "response": self.response({"type": "text", "text": "Booked, B1."}),
        }  # fmt: skip
        for value in (entry, {"messages": [*messages, {"role": "assistant", "content": "Booked, B1."}]}):
            trace = only(write(tmp_path, [value]), "anthropic")
            assert (trace.input, trace.agent_output, trace.context) == ("A table?", "Booked, B1.", "1\n\nB1")
            assert calls(trace) == [("find_table", FIND), ("create_booking", {"table": 1})]

    def test_cached_tokens_are_input_tokens(self, tmp_path: Path) -> None:
        trace = only(write(tmp_path, [self.response({"type": "text", "text": "Hi"})]), "anthropic")
        assert trace.usage == {"input_tokens": 240, "output_tokens": 7}

    def test_a_cited_answer_is_put_together_again(self, tmp_path: Path) -> None:
        parts = (
            {"type": "text", "text": "We are open "},
            {"type": "text", "text": "till 10", "citations": [{"type": "char_location"}]},
            {"type": "text", "text": "."},
        )
        assert only(write(tmp_path, [self.response(*parts)]), "anthropic").agent_output == "We are open till 10."

    def test_is_told_from_openai_by_its_parts(self, tmp_path: Path) -> None:
        plain = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}
        path = write(tmp_path, [plain])
        assert read(path)[2] == "openai"
        assert read(path, "anthropic")[0] == read(path, "openai")[0]
