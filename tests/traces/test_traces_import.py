"""From a file of traces to a file of rows: all of them or none, each valid, each with an id of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_files import write

from proctor.checks.dimensions import DIMENSIONS
from proctor.dataset import RowSettings, RowState
from proctor.errors import SpecError, UsageError
from proctor.formats.assevra.states import check_row
from proctor.traces import DRAFTS, FORMATS, Imported, TraceRow, import_traces, to_rows
from proctor.trajectory import ToolCall

FULL = TraceRow(
    line=1,
    trace_id="t",
    input="A table?",
    agent_output="Table 1.",
    context="Open till 10.",
    tool_calls=(ToolCall("find_table", {"guests": 2}, "c1"),),
    usage={"input_tokens": 5, "output_tokens": 6},
    cost_usd=0.25,
    latency_ms=840,
)


def imported(path: Path, **more: Any) -> tuple[Imported, list[Any]]:
    out = path.with_name("rows.jsonl")
    out.unlink(missing_ok=True)
    done = import_traces(path, out, **more)
    return done, [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]


def ids(rows: list[Any]) -> list[str]:
    return [row["id"] for row in rows]


class TestRows:
    def test_there_is_a_draft_for_every_dimension_in_their_order(self) -> None:
        assert list(DRAFTS) == list(DIMENSIONS)

    def test_each_has_what_its_dimension_reads(self) -> None:
        fields = {
            row["dimension"]: sorted(row.keys() - {"id", "dimension", "trace_id", "input"}) for row in to_rows(FULL)
        }
        assert fields == {
            "grounding": ["agent_output", "context"],
            "safety": ["agent_output"],
            "pii": ["agent_output"],
            "task_completion": ["agent_output"],
            "tool_call": ["agent_output", "tool_calls"],
            "action_correctness": ["agent_output", "tool_calls"],
            "cost": ["cost_usd", "usage"],
            "latency": ["latency_ms"],
        }

    def test_those_that_a_person_has_to_complete_are_unlabeled(self) -> None:
        settings = RowSettings(has_judge=True)
        states = {row["dimension"]: check_row(row, settings)[0] for row in to_rows(FULL, tuple(DRAFTS))}
        labeled = {name for name, state in states.items() if state is RowState.LABELED}
        assert labeled == {name for name, draft in DRAFTS.items() if not draft.to_label}
        assert set(states.values()) == {RowState.LABELED, RowState.UNLABELED}

    @pytest.mark.parametrize(("dimension", "key", "value"), [
        ("safety", "should_refuse", False), ("task_completion", "must_include", ["Table"]),
        ("tool_call", "allowed_tools", ["find_table"]), ("action_correctness", "expected_actions", ["find_table"]),
        ("injection", "canary", "zzz"), ("cost", "cost_budget_usd", 1), ("latency", "latency_budget_ms", 900),
    ])  # fmt: skip
    def test_what_is_named_completes_them(self, dimension: str, key: str, value: Any) -> None:
        (row,) = to_rows(FULL, [dimension])
        assert key in DRAFTS[dimension].to_label
        assert check_row({**row, key: value}, RowSettings())[0] is RowState.LABELED

    def test_nothing_observed_gives_no_row(self) -> None:
        assert list(to_rows(TraceRow(line=1, input="A table?"))) == []
        assert list(to_rows(TraceRow(line=1, context="x", tool_calls=None), tuple(DRAFTS))) == []

    def test_no_calls_give_rows_about_calls_only_where_they_are_wanted(self) -> None:
        trace = TraceRow(line=1, agent_output="Hi", tool_calls=())
        assert "tool_call" not in {row["dimension"] for row in to_rows(trace)}
        (row,) = to_rows(trace, ["tool_call"])
        assert row["tool_calls"] == []

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
    def test_arguments_of_any_kind_make_a_valid_row(self, arguments: Any) -> None:
        trace = TraceRow(line=1, agent_output="Hi", tool_calls=(ToolCall("f", arguments),))
        assert check_row(next(to_rows(trace, ["tool_call"])), RowSettings())[0] is not RowState.INVALID


class TestIds:
    def test_are_the_traces_own_or_their_numbers(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"id": "a", "output": "1"}, {"output": "2"}, {"id": 7, "output": "3"}])
        assert ids(imported(path, dimensions=["pii"])[1]) == ["a:pii", "2:pii", "7:pii"]

    def test_are_told_apart_where_the_traces_are_not(self, tmp_path: Path) -> None:
        names = ["a", "a", "a#2", "a", "2", None]
        path = write(tmp_path, [{"id": name, "output": "x"} for name in names])
        found = ids(imported(path, dimensions=["pii", "safety"])[1])
        assert found[::2] == ["a:pii", "a#2:pii", "a#2#2:pii", "a#3:pii", "2:pii", "6:pii"]
        assert len(set(found)) == 12

    @given(st.lists(st.sampled_from(["", " ", "a", "a#2", "1", "2"]) | st.none() | st.text(max_size=3), min_size=1))
    def test_are_never_the_same(self, tmp_path_factory: pytest.TempPathFactory, names: list[str | None]) -> None:
        path = write(tmp_path_factory.mktemp("ids"), [{"id": name, "output": "x"} for name in names])
        found = ids(imported(path)[1])
        assert len(set(found)) == len(found) == 3 * len(names)

    def test_begin_with_the_prefix(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"id": "a", "output": "1"}])
        assert ids(imported(path, id_prefix="may-", dimensions=["pii"])[1]) == ["may-a:pii"]


class TestWriting:
    def test_with_any_error_nothing_is_written(self, tmp_path: Path) -> None:
        path = write(tmp_path, '{"output": "a"}\n{"output": \n')
        with pytest.raises(SpecError) as raised:
            imported(path)
        assert str(raised.value).startswith(f"{path}:2:11: error [invalid_json] is no JSON: ")
        assert [file.name for file in tmp_path.iterdir()] == ["traces.jsonl"]

    def test_an_existing_file_is_left_alone(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"output": "a"}])
        with pytest.raises(UsageError) as raised:
            import_traces(path, path)
        assert (
            str(raised.value) == f"{path} exists already\n  hint: name another file with --out, or move that one away"
        )
        assert path.read_text(encoding="utf-8") == '{"output": "a"}\n'

    @pytest.mark.parametrize(
        ("records", "message"),
        [
            ([{"output": "a"}], "holds 1 trace and nothing to draft a row from"),
            ([{"resourceLogs": []}], "holds no trace; left out: 1 record with logs or metrics"),
        ],
    )
    def test_no_row_is_a_problem(self, tmp_path: Path, records: list[Any], message: str) -> None:
        with pytest.raises(SpecError) as raised:
            imported(write(tmp_path, records), dimensions=["latency"])
        assert str(raised.value).endswith(f"error [no_rows] {message}")

    def test_odd_texts_and_numbers_come_through_as_json(self, tmp_path: Path) -> None:
        text = (
            '{"output": "\\ud800 \u2028 \\u0000", "tool_calls": [{"name": "f", "arguments": {"x": 1e999, "y": NaN}}]}'
        )
        done, rows = imported(write(tmp_path, text), dimensions=["tool_call"])
        assert rows[0]["agent_output"] == "\ud800 \u2028 \x00"
        assert rows[0]["tool_calls"] == [{"name": "f", "arguments": {"x": "Infinity", "y": "NaN"}}]
        assert dict(done.rows) == {"tool_call": 1}

    def test_a_limit_takes_the_first_traces_and_reads_no_further(self, tmp_path: Path) -> None:
        path = write(tmp_path, '{"output": "a"}\n' * 30 + "broken\n")
        done, rows = imported(path, limit=3, dimensions=["pii"])
        assert (done.traces, ids(rows)) == (3, ["1:pii", "2:pii", "3:pii"])

    def test_calls_without_a_name_are_told(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"output": "a", "tool_calls": [{"arguments": {}}, {"name": "f"}, {}]}])
        done, rows = imported(path, dimensions=["tool_call"])
        assert rows[0]["tool_calls"] == [{"name": "f", "arguments": None}]
        assert [problem.message for problem in done.warnings] == ['trace "1": 2 tool calls without a name left out']

    def test_a_dimension_without_its_observation_is_counted(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"output": "a"}, {"output": "b", "latency_ms": 1}])
        done, rows = imported(path, dimensions=["latency"])
        assert (len(rows), dict(done.not_observed)) == (1, {"latency": 1})

    def test_what_cannot_be_asked_is_refused(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"output": "a"}])
        for message, source, more in [
            ("there is no dimension 'taste'", path, {"dimensions": ["taste"]}),
            ("does not exist", tmp_path / "gone", {}),
            ("is no regular file", tmp_path, {}),
        ]:
            with pytest.raises(UsageError, match=message):
                import_traces(source, tmp_path / "rows.jsonl", **more)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"below/rows\.jsonl cannot be written: Not a directory"):
            import_traces(path, path / "below" / "rows.jsonl")


WORDS = st.sampled_from([
    "id", "trace_id", "traceId", "spanId", "parentSpanId", "resourceSpans", "scopeSpans", "spans", "attributes",
    "events", "key", "value", "stringValue", "intValue", "arrayValue", "kvlistValue", "values", "name",
    "startTimeUnixNano", "endTimeUnixNano", "gen_ai.operation.name", "gen_ai.input.messages",
    "gen_ai.output.messages", "gen_ai.tool.name", "gen_ai.prompt.0.content", "gen_ai.prompt.0",
    "gen_ai.usage.input_tokens", "output.value", "retrieval.documents", "llm.output_messages.0.message.tool_calls.0",
    "openinference.span.kind", "gen_ai.choice", "message", "messages", "role", "content", "parts", "type", "text",
    "tool_calls", "tool_use", "tool_result", "function", "arguments", "input", "output", "request", "response",
    "body", "choices", "object", "usage", "prompt_tokens", "latency_ms", "cost", "error", "context", "kwargs",
    "document", "citations", "data", "user", "assistant", "tool", "chat", "execute_tool", "LLM", "RETRIEVER",
    "invoke_agent", "stop_reason", "function_call", "function_call_output", "reasoning",
])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=2), inner, max_size=6),
    max_leaves=25,
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
    optional={
        "content": JSON | st.lists(JSON),
        "parts": JSON,
        "tool_calls": JSON | st.lists(JSON),
        "function_call": JSON,
    },
)
MESSAGES = st.lists(MESSAGE, min_size=1, max_size=4)
ATTRIBUTES = st.dictionaries(WORDS, JSON | JSON.map(json.dumps) | MESSAGES)
SPAN = st.fixed_dictionaries(
    {
        "traceId": st.sampled_from(["a", "b"]),
        "spanId": st.sampled_from("12345"),
        "attributes": st.tuples(st.sampled_from(["chat", "execute_tool", "invoke_agent", "retrieval"]), ATTRIBUTES).map(
            lambda pair: {**pair[1], "gen_ai.operation.name": pair[0]}
        ),
    },
    optional={
        "parentSpanId": st.sampled_from("12345") | JSON,
        "startTimeUnixNano": st.integers(0, 2**63).map(str) | JSON,
        "endTimeUnixNano": st.integers(0, 2**63) | JSON,
        "name": JSON,
        "events": st.lists(st.fixed_dictionaries({"name": st.just("gen_ai.choice"), "attributes": JSON}), max_size=2),
    },
)
CHAT = st.fixed_dictionaries({"messages": MESSAGES}, optional={"id": JSON, "response": JSON | MESSAGE})
RECORD = st.fixed_dictionaries(
    {"output": JSON | MESSAGES | MESSAGE, "input": JSON | MESSAGES},
    optional={"id": JSON, "case_id": JSON, "context": JSON, "tool_calls": st.lists(JSON), "tools": JSON},
)


class TestAnyJson:
    @pytest.mark.parametrize("kind", [None, *FORMATS])
    @given(records=st.one_of([st.lists(each, min_size=1, max_size=3) for each in (JSON, SPAN, CHAT, RECORD)]))
    def test_gives_valid_rows_or_problems(
        self, tmp_path_factory: pytest.TempPathFactory, kind: str | None, records: list[Any]
    ) -> None:
        path = write(tmp_path_factory.mktemp("any"), records)
        try:
            done, rows = imported(path, format_name=kind, dimensions=tuple(DRAFTS))
        except SpecError:
            return
        assert sum(done.rows.values()) == len(rows) > 0
        settings = RowSettings()
        assert [check_row(row, settings) for row in rows if check_row(row, settings)[0] is RowState.INVALID] == []
        assert len(set(ids(rows))) == len(rows)
