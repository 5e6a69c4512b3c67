"""JSON records and tables of any shape, by the usual names of fields or by those a user gives."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_files import calls, only, problems, read, write

from proctor.traces.field_names import FieldNames, View, usual_name


class TestNames:
    @pytest.mark.parametrize("written", ["userInput", "User Input", "user-input", "USER_INPUT", " user.input "])
    def test_are_compared_without_their_spelling(self, written: str) -> None:
        assert usual_name(written) == "user_input"

    @given(st.dictionaries(st.text(max_size=5), st.integers() | st.none()))
    def test_what_nobody_asked_for_is_told(self, record: dict[str, Any]) -> None:
        view = View(record)
        assert view.unused() == [name for name, value in record.items() if value is not None]


class TestRecords:
    def test_with_usual_names(self, tmp_path: Path) -> None:
        record = {
            "traceId": "t-1", "question": "A table?", "answer": "Table 1.", "retrievedContexts": ["Open till 10.", "x"],
            "tool_calls": [{"name": "find_table", "args": {"guests": 2}}], "promptTokens": 5, "completionTokens": "6",
            "cost": "0.25", "duration_s": 1.5, "case_id": "c",
        }  # fmt: skip
        trace = only(write(tmp_path, [record]), "generic")
        assert (trace.trace_id, trace.case_id, trace.input, trace.agent_output) == ("t-1", "c", "A table?", "Table 1.")
        assert trace.context == "Open till 10.\n\nx"
        assert calls(trace) == [("find_table", {"guests": 2})]
        assert trace.usage == {"input_tokens": 5, "output_tokens": 6}
        assert (trace.cost_usd, trace.latency_ms) == (0.25, 1500)

    def test_with_fields_that_the_user_names(self, tmp_path: Path) -> None:
        record = {"frage": "A table?", "result": {"text": "Table 1.", "docs": [{"page_content": "Open till 10."}]}}
        own = FieldNames("frage", "result.text", "result.docs")
        trace = only(write(tmp_path, [record]), "generic", own)
        assert (trace.input, trace.agent_output, trace.context) == ("A table?", "Table 1.", "Open till 10.")

    def test_a_named_field_that_is_not_there_is_a_problem(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"input": "Hi", "answer": "Hello"}])
        _, notes, _ = read(path, own=FieldNames(output="reply.text"))
        (problem,) = notes.told()
        assert problem.hint == "there is no field reply.text"

    def test_messages_in_the_fields(self, tmp_path: Path) -> None:
        record = {"input": [{"role": "user", "content": "Hi"}],
                  "output": {"content": "Hello", "tool_calls": [{"name": "greet", "arguments": "{}"}]}}  # fmt: skip
        trace = read(write(tmp_path, [record]), "generic")[0][0]
        assert (trace.input, trace.agent_output) == ("Hi", "Hello")
        assert calls(trace) == [("greet", {})]

    def test_definitions_are_no_calls(self, tmp_path: Path) -> None:
        definition = {"name": "refund", "description": "Pay back.", "inputSchema": {"type": "object"}}
        function = {"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}
        record = {"output": "Hi", "tools": [definition], "tool_calls": [definition, function, {"name": "greet"}]}
        trace = read(write(tmp_path, [record]))[0][0]
        assert calls(trace) == [("greet", None)]

    def test_no_calls_and_none_told_are_two_things(self, tmp_path: Path) -> None:
        traces, _, _ = read(write(tmp_path, [{"output": "Hi", "tool_calls": []}, {"output": "Hi"}]))
        assert [trace.tool_calls for trace in traces] == [(), None]

    def test_a_time_without_a_unit_is_not_guessed_but_told(self, tmp_path: Path) -> None:
        (trace,), notes, _ = read(write(tmp_path, [{"output": "Hi", "latency": 3, "user": "ada", "note": None}]))
        assert trace.latency_ms is None
        assert list(notes.unused) == ["latency", "user"]

    @pytest.mark.parametrize(
        "wrapped", [[{"output": "a"}, {"output": "b"}], {"traces": [{"output": "a"}, {"output": "b"}]}]
    )
    def test_in_a_list(self, tmp_path: Path, wrapped: Any) -> None:
        traces, _, kind = read(write(tmp_path, wrapped, "log.json"))
        assert (kind, [trace.agent_output for trace in traces]) == ("generic", ["a", "b"])

    def test_the_place_in_a_list_is_told(self, tmp_path: Path) -> None:
        path = write(tmp_path, '\n  {"traces": [{"output": "a"}, {"input": "b"}]}\n', "log.json")
        (problem,) = problems(path)
        assert problem.startswith("log.json:2:3: error [not_a_trace] traces[1]: shows nothing of an agent: looked for ")
        assert problem.endswith("(name the field of the answer with --output-field)")

    @pytest.mark.parametrize("cost", [-1, True, "1 EUR", [], 1e999, 10**400, "nan"])
    def test_a_cost_that_is_no_amount_is_a_problem(self, tmp_path: Path, cost: Any) -> None:
        (problem,) = problems(write(tmp_path, [{"output": "Hi", "cost": cost}]))
        assert problem.startswith("traces.jsonl:1:1: error [bad_number] the cost is ")

    def test_calls_that_are_no_json_are_a_problem(self, tmp_path: Path) -> None:
        assert problems(write(tmp_path, [{"output": "Hi", "tool_calls": "find_table("}])) == [
            (
                "traces.jsonl:1:1: error [bad_tool_calls] the tool calls are neither a list nor an object in JSON "
                '(write a JSON list such as [{"name": "find_table", "arguments": {}}])'
            )
        ]


class TestTables:
    def test_with_usual_columns(self, tmp_path: Path) -> None:
        table = (
            "\ufeffID,Question,Agent Output,tool calls,Latency (ms),duration_ms,prompt_tokens\r\n"
            '7,A table?,"Table 1,\nby the ""window""","[{""name"": ""find_table"", ""arguments"": {}}]",,840,12\r\n'
            "\r\n"
            "8,Hello,,,,,\r\n"
        )
        (first, second), notes, kind = read(write(tmp_path, table, "log.csv"))
        assert (kind, notes.told(), list(notes.unused)) == ("csv", (), [])
        assert (first.trace_id, first.input, first.agent_output) == ("7", "A table?", 'Table 1,\nby the "window"')
        assert (calls(first), first.latency_ms, first.usage) == ([("find_table", {})], 840, {"input_tokens": 12})
        assert (first.line, second.line) == (2, 5)
        assert (second.agent_output, second.tool_calls, second.usage) == ("", None, None)

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_with_any_separator(self, tmp_path: Path, delimiter: str) -> None:
        table = f"input{delimiter}output\nHi{delimiter}Hello\n"
        trace = only(write(tmp_path, table, "log.txt"), "csv")
        assert (trace.input, trace.agent_output) == ("Hi", "Hello")

    def test_with_columns_that_the_user_names(self, tmp_path: Path) -> None:
        path = write(tmp_path, "Frage,Antwort\nHi,Hello\n", "log.csv")
        assert only(path, "csv", FieldNames("Frage", "Antwort")).agent_output == "Hello"
        assert problems(path)[0].startswith(
            'log.csv:1:1: error [unknown_columns] no column is known: there are "Frage, Antwort"; looked for'
        )

    def test_a_row_of_another_length_is_a_problem_where_it_begins(self, tmp_path: Path) -> None:
        table = 'input,output\n"a\nb",c\nHi, there,Hello\nalone\nHi,Hello\n'
        assert problems(write(tmp_path, table, "log.csv")) == [
            (
                "log.csv:4:1: error [bad_columns] has 3 cells, and the header has 2 columns "
                "(put cells with separators in quotes)"
            ),
            (
                "log.csv:5:1: error [bad_columns] has 1 cell, and the header has 2 columns "
                "(put cells with separators in quotes)"
            ),
        ]

    def test_an_open_quote_is_a_problem_where_it_begins(self, tmp_path: Path) -> None:
        (problem,) = problems(write(tmp_path, 'input,output\nHi,Hello\nHi,"Hel\nlo\n', "log.csv"))
        assert problem.startswith("log.csv:3:1: error [invalid_csv] is no CSV: ")

    def test_two_columns_of_one_name_are_a_problem(self, tmp_path: Path) -> None:
        assert problems(write(tmp_path, "output,output\na,b\n", "log.csv")) == [
            'log.csv:1:1: error [duplicate_column] there are two columns "output"'
        ]

    def test_bytes_that_are_no_text_are_a_problem_with_its_place(self, tmp_path: Path) -> None:
        assert problems(write(tmp_path, b"input,output\nHi,Gr\xfc\xdfe\n", "log.csv"))[0] == (
            "log.csv:2:6: error [invalid_utf8] is no UTF-8 text (save the file as UTF-8)"
        )

    def test_a_long_cell_is_read_and_the_limit_of_the_process_stays(self, tmp_path: Path) -> None:
        before = csv.field_size_limit()
        trace = only(write(tmp_path, f"output\n{'x' * 200_000}\n", "log.csv"), "csv")
        assert len(trace.agent_output or "") == 200_000
        assert csv.field_size_limit() == before

    @given(st.lists(st.tuples(st.text(max_size=9), st.text(max_size=9)), min_size=1, max_size=5))
    def test_says_what_json_with_the_same_texts_says(self, tmp_path_factory: Any, pairs: list[tuple[str, str]]) -> None:
        folder = tmp_path_factory.mktemp("tables")
        with (folder / "log.csv").open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerows([("input", "output"), *pairs])
        records = [{"input": asked, "output": answered} for asked, answered in pairs]
        text = "\n".join(json.dumps(record) for record in records).encode("utf-8", "replace")
        by_table, by_json = read(folder / "log.csv")[0], read(write(folder, text))[0]
        seen = [[(trace.input, trace.agent_output) for trace in traces] for traces in (by_table, by_json)]
        assert seen[0] == [tuple(each.encode("utf-8", "replace").decode() for each in pair) for pair in pairs]
        assert len(seen[1]) == len(pairs)
