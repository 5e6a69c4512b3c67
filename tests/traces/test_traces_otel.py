"""OpenTelemetry spans: one row a trace, each call once, no token counted twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_files import START, TRACE, agent, call, calls, chat, only, otlp, problems, read, span, text, tool, write

from proctor.traces.base import Notes, Record, TraceRow
from proctor.traces.otel import OpenTelemetry

SAMPLE = Path(__file__).parents[2] / "specs" / "assevra" / "booking.otlp.json"
ASKED = text("user", "A table for 2, please.")


def trace_of(*spans: dict[str, Any]) -> TraceRow:
    notes = Notes(Path("spans.json"))
    (trace,) = OpenTelemetry().traces([Record(otlp(*spans), 1)], notes)
    assert notes.told() == ()
    return trace


class TestTheSample:
    def test_gives_one_trace_for_each_conversation_and_leaves_out_the_health_check(self) -> None:
        traces, notes, kind = read(SAMPLE)
        assert (kind, len(traces), notes.told()) == ("otel", 3, ())
        assert dict(notes.left_out) == {("trace", "without an agent, a model or a tool"): 1}

    def test_has_what_was_asked_answered_called_counted_and_timed(self) -> None:
        booked, refused, _ = read(SAMPLE)[0]
        assert booked.input == "Please book a table for 2 on 2031-05-06 at 19:00, my name is Ada Lovelace."
        assert booked.agent_output == "Table 1 is booked for 2 on 2031-05-06 at 19:00, reference B1."
        assert booked.context == '{"table": 1}\n\n{"reference": "B1"}'
        assert [name for name, _ in calls(booked)] == ["find_table", "create_booking"]
        assert booked.usage == {"input_tokens": 1310, "output_tokens": 93}
        assert booked.latency_ms == 2900
        assert refused.tool_calls == ()


class TestGrouping:
    def test_spans_of_a_trace_may_stand_anywhere_in_the_file(self, tmp_path: Path) -> None:
        other = "0af7651916cd43dd8448eb211c80319c"
        lines = [
            otlp(chat(2, 1, text("assistant", "Booked."), start=1, end=2)),
            otlp(chat(9, None, text("assistant", "Hello!"), trace=other)),
            otlp(agent(1, start=0, end=3, gen_ai__input__messages=[ASKED])),
        ]
        traces, _, _ = read(write(tmp_path, lines))
        assert [(trace.trace_id, trace.input, trace.agent_output, trace.latency_ms) for trace in traces] == [
            (TRACE, "A table for 2, please.", "Booked.", 3000),
            (other, None, "Hello!", 1000),
        ]

    def test_a_span_that_was_exported_twice_counts_once(self) -> None:
        model = chat(1, None, call("find_table"), gen_ai__usage__input_tokens=7)
        trace = trace_of(model, model)
        assert (trace.usage, len(calls(trace))) == ({"input_tokens": 7}, 1)

    @given(st.permutations(range(5)))
    def test_the_order_in_the_file_does_not_matter(self, order: list[int]) -> None:
        spans = [
            agent(1, end=9, gen_ai__input__messages=[ASKED], gen_ai__usage__input_tokens=30),
            chat(2, 1, call("find_table", "c1", guests=2), start=1, end=2, gen_ai__usage__input_tokens=10),
            tool("find_table", 3, 1, start=2, end=3, gen_ai__tool__call__id="c1", gen_ai__tool__call__result="1"),
            chat(4, 1, call("create_booking", "c2", table=1), start=3, end=4, gen_ai__usage__input_tokens=20),
            tool("create_booking", 5, 1, start=5, end=6, gen_ai__tool__call__id="c2"),
        ]
        assert trace_of(*(spans[at] for at in order)) == trace_of(*spans)

    def test_logs_and_metrics_in_the_file_are_counted(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"resourceMetrics": []}, otlp(chat(1, None, text("assistant", "Hi")))])
        traces, notes, kind = read(path)
        assert (kind, len(traces)) == ("otel", 1)
        assert dict(notes.left_out) == {("record", "with logs or metrics"): 1}

    def test_a_span_without_a_trace_is_a_problem(self, tmp_path: Path) -> None:
        path = write(tmp_path, [otlp(chat(1, None)), otlp({"name": "lost", "spanId": "0000000000000001"})])
        assert problems(path) == [
            (
                "traces.jsonl:2:1: error [bad_span] is no OpenTelemetry span: it has no trace id "
                "(a span has a traceId and a spanId)"
            )
        ]

    def test_parents_in_a_circle_end(self) -> None:
        trace = trace_of(agent(1, 2), agent(2, 1), chat(3, 2, text("assistant", "Hi")))
        assert trace.agent_output == "Hi"


class TestInputAndOutput:
    def test_come_from_the_outermost_agent(self) -> None:
        trace = trace_of(
            span("POST /chat", 1, end=9),
            agent(2, 1, end=8, gen_ai__input__messages=[ASKED], gen_ai__output__messages=[text("assistant", "Done.")]),
            agent(3, 2, end=9, gen_ai__input__messages=[text("user", "Route it")],
                  gen_ai__output__messages=[text("assistant", "to booking")]),
        )  # fmt: skip
        assert (trace.input, trace.agent_output) == ("A table for 2, please.", "Done.")

    def test_are_the_first_request_and_the_last_answer_of_models_where_agents_say_nothing(self) -> None:
        answers = text("assistant", "Let me look."), text("assistant", "Table 1 is yours.")
        trace = trace_of(
            agent(1, end=9),
            chat(3, 1, answers[1], start=5, end=6, gen_ai__input__messages=[ASKED, answers[0]]),
            chat(2, 1, answers[0], start=1, end=2, gen_ai__input__messages=[text("system", "Be kind."), ASKED]),
        )
        assert (trace.input, trace.agent_output) == ("A table for 2, please.", "Table 1 is yours.")

    def test_what_a_model_says_inside_of_a_tool_is_not_the_answer(self) -> None:
        trace = trace_of(
            agent(1, end=9),
            chat(2, 1, text("assistant", "Booked."), start=1, end=5),
            tool("summarise", 3, 1, start=2, end=8),
            chat(4, 3, text("assistant", "A summary"), start=3, end=7),
        )
        assert trace.agent_output == "Booked."

    def test_a_run_that_ended_with_a_call_has_no_answer(self) -> None:
        trace = trace_of(
            chat(1, None, text("assistant", "Let me look."), start=0, end=1),
            chat(2, None, call("find_table"), start=1, end=2),
        )
        assert trace.agent_output is None

    def test_the_answer_of_a_chain_is_taken_out_of_its_state(self) -> None:
        trace = trace_of(
            span("AgentExecutor", 1, openinference__span__kind="CHAIN", input__value='{"input": "A table?"}',
                 output__value='{"input": "A table?", "output": "Table 1."}'),
        )  # fmt: skip
        assert (trace.input, trace.agent_output) == ("A table?", "Table 1.")

    def test_a_structured_answer_stays_as_it_was_written(self) -> None:
        answer = '{"answer":  "Table 1.", "reference": "B1"}'
        assert trace_of(span("run", 1, openinference__span__kind="AGENT", output__value=answer)).agent_output == answer

    def test_the_state_of_a_graph_is_read_as_messages(self) -> None:
        state = {"messages": [
            {"type": "human", "content": "A table?", "id": "1"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "find_table", "args": {"guests": 2}, "id": "c1"}]},
            {"type": "tool", "content": "1", "tool_call_id": "c1"},
            {"type": "ai", "content": "Table 1."},
        ]}  # fmt: skip
        trace = trace_of(span("LangGraph", 1, openinference__span__kind="CHAIN", output__value=json.dumps(state)))
        assert trace.agent_output == "Table 1."
        assert calls(trace) == [("find_table", {"guests": 2})]


class TestToolCalls:
    def test_what_a_model_asked_and_a_tool_did_is_one_call(self) -> None:
        trace = trace_of(
            chat(1, None, call("find_table", "c1", guests=2)),
            tool("find_table", 2, None, start=1, end=2, gen_ai__tool__call__id="c1"),
        )
        assert calls(trace) == [("find_table", {"guests": 2})]

    def test_a_tool_without_call_ids_is_paired_by_name_and_arguments(self) -> None:
        trace = trace_of(
            chat(1, None, call("find_table", "c1", guests=2), call("find_table", "c2", guests=4)),
            tool("find_table", 2, None, start=2, end=3, gen_ai__tool__call__arguments='{"guests": 4}'),
            tool("find_table", 3, None, start=3, end=4, gen_ai__tool__call__arguments="{'guests': 2}"),
            tool("find_table", 4, None, start=4, end=5, gen_ai__tool__call__arguments='{"guests": 6}'),
        )
        assert calls(trace) == [("find_table", {"guests": size}) for size in (2, 4, 6)]

    def test_repeated_calls_all_count(self) -> None:
        trace = trace_of(
            chat(1, None, call("find_table", "c1", guests=2), end=1),
            chat(2, None, call("find_table", "c2", guests=2), start=2, end=3),
        )
        assert len(calls(trace)) == 2

    def test_ids_that_begin_anew_with_every_answer_do_not_make_two_calls_one(self) -> None:
        trace = trace_of(
            chat(1, None, call("find_table", "call_0", guests=2), end=1),
            chat(2, None, call("create_booking", "call_0", table=1), start=2, end=3),
        )
        assert [name for name, _ in calls(trace)] == ["find_table", "create_booking"]

    def test_a_call_that_was_tried_again_is_one(self) -> None:
        again = [tool("pay", number, None, start=number, gen_ai__tool__call__id="c1") for number in (2, 3)]
        assert len(calls(trace_of(chat(1, None, call("pay", "c1")), *again))) == 1

    def test_a_client_inside_of_a_tool_is_the_same_call(self) -> None:
        trace = trace_of(
            tool("find_table", 1, None, end=5),
            span("tools/call find_table", 2, 1, mcp__method__name="tools/call", gen_ai__tool__name="find_table"),
            span("tools/list", 3, 1, mcp__method__name="tools/list"),
        )
        assert [name for name, _ in calls(trace)] == ["find_table"]

    def test_another_tool_inside_of_a_tool_is_a_call(self) -> None:
        trace = trace_of(tool("book", 1, None, end=5), tool("pay", 2, 1, start=1))
        assert [name for name, _ in calls(trace)] == ["book", "pay"]

    def test_calls_of_one_moment_keep_the_order_of_the_file(self) -> None:
        names = ["d", "b", "c", "a"]
        trace = trace_of(*(tool(name, number, None) for number, name in enumerate(names, 1)))
        assert [name for name, _ in calls(trace)] == names

    def test_calls_are_in_the_order_of_time(self) -> None:
        trace = trace_of(*(tool(f"at {-number}", number, None, start=-number) for number in range(1, 4)))
        assert [name for name, _ in calls(trace)] == ["at -3", "at -2", "at -1"]

    def test_a_definition_is_no_call(self) -> None:
        definition = {"type": "function", "name": "refund", "description": "Pay back.", "parameters": {}}
        trace = trace_of(
            chat(1, None, text("assistant", "Hi"), gen_ai__tool__definitions=json.dumps([definition]),
                 llm__tools__0__tool__json_schema=json.dumps(definition),
                 llm__request__functions__0__name="refund"),
        )  # fmt: skip
        assert trace.tool_calls == ()

    def test_what_cannot_be_seen_is_unknown_and_not_none(self) -> None:
        assert trace_of(span("chat", 1, gen_ai__operation__name="chat")).tool_calls is None

    def test_calls_of_the_last_turn_only_are_taken_from_a_history(self) -> None:
        history = [
            ASKED,
            call("find_table", "c1"),
            {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "result": "3"}]},
            text("assistant", "Table 3."),
            text("user", "Book it."),
            call("create_booking", "c2"),
            {"role": "user", "parts": [{"type": "tool_call_response", "id": "c2", "result": "B1"}]},
            text("assistant", "Done, B1."),
        ]
        trace = trace_of(
            span("agent run", 1, agent_name="booking", pydantic_ai__all_messages=json.dumps(history), final_result="B1")
        )
        assert (trace.input, trace.agent_output) == ("Book it.", "B1")
        assert trace_of(agent(1, pydantic_ai__all_messages=json.dumps(history))).agent_output == "Done, B1."
        assert [name for name, _ in calls(trace_of(agent(1, pydantic_ai__all_messages=history)))] == ["create_booking"]


class TestUsage:
    def test_agents_that_repeat_the_totals_of_their_models_do_not_count(self) -> None:
        trace = trace_of(
            agent(1, gen_ai__usage__input_tokens=30, gen_ai__usage__output_tokens=3),
            chat(2, 1, gen_ai__usage__input_tokens=10, gen_ai__usage__output_tokens=1),
            chat(3, 1, gen_ai__usage__input_tokens=20, gen_ai__usage__output_tokens=2),
        )
        assert trace.usage == {"input_tokens": 30, "output_tokens": 3}

    def test_an_agent_counts_where_its_models_do_not_say(self) -> None:
        assert trace_of(agent(1, gen_ai__usage__input_tokens=30), chat(2, 1)).usage == {"input_tokens": 30}

    def test_a_call_that_two_libraries_have_seen_counts_once(self) -> None:
        trace = trace_of(
            span("ChatOpenAI", 1, openinference__span__kind="LLM", llm__token_count__prompt=9),
            chat(2, 1, gen_ai__usage__input_tokens=9),
        )
        assert trace.usage == {"input_tokens": 9}

    def test_a_model_below_a_tool_of_a_model_counts_beside_it(self) -> None:
        trace = trace_of(
            chat(1, None, gen_ai__usage__input_tokens=10),
            tool("summarise", 2, 1),
            chat(3, 2, gen_ai__usage__input_tokens=5),
        )
        assert trace.usage == {"input_tokens": 15}

    def test_embeddings_have_another_price_and_do_not_count(self) -> None:
        embedding = span("embeddings", 2, 1, gen_ai__operation__name="embeddings", gen_ai__usage__input_tokens=99)
        assert trace_of(chat(1, None), embedding).usage is None

    @pytest.mark.parametrize(
        ("sent", "received"),
        [
            ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
            ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
            ("llm.token_count.prompt", "llm.token_count.completion"),
        ],
    )
    def test_is_read_under_old_and_new_names(self, sent: str, received: str) -> None:
        assert trace_of(chat(1, None, **{sent: 5, received: 6})).usage == {"input_tokens": 5, "output_tokens": 6}

    def test_costs_are_summed_as_decimals(self) -> None:
        assert trace_of(*(chat(n, None, llm__cost__total=0.1) for n in (1, 2, 3))).cost_usd == 0.3


class TestLatency:
    def test_is_that_of_the_root(self) -> None:
        assert trace_of(span("POST", 1, end=2.5), agent(2, 1, end=2)).latency_ms == 2500

    def test_of_several_roots_is_the_time_in_which_one_was_open(self) -> None:
        spans = [chat(n, None, start=start, end=end) for n, (start, end) in enumerate([(0, 2), (1, 3), (10, 11)], 1)]
        assert trace_of(*spans).latency_ms == 4000

    def test_is_unknown_where_the_end_is_before_the_start(self) -> None:
        assert trace_of(chat(1, None, start=2, end=1)).latency_ms is None


class TestContext:
    def test_is_what_retrievers_and_tools_gave_back(self) -> None:
        trace = trace_of(
            span("retrieve", 1, start=1, openinference__span__kind="RETRIEVER",
                 **{"retrieval.documents.0.document.content": "Open till 10.",
                    "retrieval.documents.1.document.content": "Closed on Monday."}),
            tool("find_table", 2, None, start=2, gen_ai__tool__call__result={"table": 1}),
            chat(3, None, text("assistant", "Hi")),
        )  # fmt: skip
        assert trace.context == 'Open till 10.\n\nClosed on Monday.\n\n{"table": 1}'

    def test_comes_from_the_messages_where_no_tool_is_traced(self) -> None:
        result = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "Table 1"}]}
        history = [ASKED, call("find_table", "c1"), result]
        assert trace_of(chat(1, None, gen_ai__input__messages=history)).context == "Table 1"


class TestSpellings:
    def test_of_flat_spans_as_the_console_writes_them(self, tmp_path: Path) -> None:
        flat = {
            "name": "chat gpt-4o-mini",
            "context": {"trace_id": f"0x{TRACE}", "span_id": "0x00f067aa0ba902b7", "trace_state": "[]"},
            "parent_id": None,
            "start_time": "2031-01-07T12:00:00.000000Z",
            "end_time": "2031-01-07T12:00:01.250000Z",
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": json.dumps([ASKED]),
                "gen_ai.output.messages": json.dumps([text("assistant", "Table 1.")]),
            },
            "events": [],
        }
        path = write(tmp_path, json.dumps(flat, indent=4) * 2, "console.json")
        trace = only(path, "otel")
        assert (trace.trace_id, trace.input, trace.agent_output, trace.latency_ms) == (
            TRACE, "A table for 2, please.", "Table 1.", 1250,
        )  # fmt: skip

    def test_of_a_table_with_a_column_for_each_attribute(self, tmp_path: Path) -> None:
        row = {
            "name": "ChatCompletion", "context.trace_id": TRACE, "context.span_id": "00f067aa0ba902b7",
            "parent_id": None, "start_time": "2031-01-07T12:00:00+00:00", "end_time": "2031-01-07T12:00:02+00:00",
            "attributes.openinference.span.kind": "LLM", "attributes.llm.token_count.prompt": 7,
            "attributes.input.value": "A table?", "attributes.output.value": "Table 1.",
        }  # fmt: skip
        trace = only(write(tmp_path, [row]), "otel")
        assert (trace.input, trace.agent_output, trace.usage, trace.latency_ms) == (
            "A table?", "Table 1.", {"input_tokens": 7}, 2000,
        )  # fmt: skip

    def test_of_nested_attributes(self, tmp_path: Path) -> None:
        flat = {
            "trace_id": TRACE, "span_id": "1", "name": "llm",
            "attributes": {"openinference": {"span": {"kind": "LLM"}}, "output": {"value": "Table 1."},
                           "llm": {"token_count": {"completion": 3}}},
        }  # fmt: skip
        trace = only(write(tmp_path, [flat]), "otel")
        assert (trace.agent_output, trace.usage) == ("Table 1.", {"output_tokens": 3})

    def test_of_javascript_times(self, tmp_path: Path) -> None:
        flat = {"traceId": TRACE, "spanId": "1", "startTime": [START // 10**9, 0],
                "endTime": [START // 10**9 + 1, 500_000_000],
                "attributes": {"gen_ai.operation.name": "chat"}}  # fmt: skip
        assert only(write(tmp_path, [flat]), "otel").latency_ms == 1500

    def test_of_messages_by_openinference(self) -> None:
        trace = trace_of(
            span("LLM", 1, openinference__span__kind="LLM", **{
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.contents.0.message_content.type": "text",
                "llm.input_messages.0.message.contents.0.message_content.text": "A table?",
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "find_table",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"guests": 2}',
            }),
        )  # fmt: skip
        assert trace.input == "A table?"
        assert calls(trace) == [("find_table", {"guests": 2})]

    def test_of_messages_by_openllmetry(self) -> None:
        trace = trace_of(
            span("openai.chat", 1, llm__request__type="chat", **{
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": '[{"type": "text", "text": "A table?"}]',
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.tool_calls.0.id": "c1",
                "gen_ai.completion.0.tool_calls.0.name": "find_table",
                "gen_ai.completion.0.tool_calls.0.arguments": '{"guests": 2}',
                "gen_ai.usage.prompt_tokens": 5,
            }),
        )  # fmt: skip
        assert (trace.input, trace.usage) == ("A table?", {"input_tokens": 5})
        assert calls(trace) == [("find_table", {"guests": 2})]

    def test_of_prompt_and_completion_as_one_text(self) -> None:
        trace = trace_of(
            span("chat", 1, gen_ai__request__model="gpt-4o", gen_ai__prompt='[{"role": "user", "content": "A table?"}]',
                 gen_ai__completion='[{"role": "assistant", "content": "Table 1."}]'),
        )  # fmt: skip
        assert (trace.input, trace.agent_output) == ("A table?", "Table 1.")

    @pytest.mark.parametrize(
        "events",
        [
            [
                ("gen_ai.user.message", {"content": "A table?"}),
                ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": '{"content": "Table 1."}'}),
            ],
            [
                ("gen_ai.content.prompt", {"gen_ai.prompt": '[{"role": "user", "content": "A table?"}]'}),
                ("gen_ai.content.completion", {"gen_ai.completion": '[{"role": "assistant", "content": "Table 1."}]'}),
            ],
            [
                (
                    "gen_ai.client.inference.operation.details",
                    {
                        "gen_ai.input.messages": [text("user", "A table?")],
                        "gen_ai.output.messages": [text("assistant", "Table 1.")],
                    },
                )
            ],
        ],
        ids=["1.28", "1.27", "1.37"],
    )
    def test_of_messages_in_events(self, events: list[tuple[str, dict[str, Any]]]) -> None:
        written = [{"name": name, "attributes": attributes} for name, attributes in events]
        trace = trace_of(span("chat", 1, gen_ai__operation__name="chat", events=written))
        assert (trace.input, trace.agent_output) == ("A table?", "Table 1.")
