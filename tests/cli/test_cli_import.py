"""``proctor import``, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from user_project import UserProject

SAMPLE = Path(__file__).parents[2] / "specs" / "assevra" / "booking.otlp.json"


def rows(project: UserProject, name: str = "rows.jsonl") -> list[Any]:
    return [json.loads(line) for line in (project.root / name).read_text(encoding="utf-8").splitlines()]


class TestImport:
    def test_says_what_it_read_wrote_and_left_out_and_what_is_to_do(self, project: UserProject) -> None:
        ended = project.proctor("import", SAMPLE, "--out", "rows.jsonl")
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.splitlines() == [
            "read 3 traces (OpenTelemetry spans), wrote 21 rows to rows.jsonl",
            "  grounding               2 rows  needs no label",
            "  safety                  3 rows  add should_refuse",
            "  pii                     3 rows  needs no label",
            "  task_completion         3 rows  add must_include",
            "  tool_call               2 rows  add expected_tool_calls, allowed_tools, forbidden_tools or tool_schemas",
            "  action_correctness      2 rows  add expected_actions, forbidden_actions or expected_state",
            "  cost                    3 rows  add cost_budget_usd, or budgets.cost_usd in .assevra.yml",
            "  latency                 3 rows  add latency_budget_ms, or budgets.latency_ms in .assevra.yml",
            "left out: 1 trace without an agent, a model or a tool",
            "next: proctor validate rows.jsonl",
        ]
        assert len(rows(project)) == 21

    def test_takes_dimensions_a_prefix_and_a_limit(self, project: UserProject) -> None:
        options = ["--dimension", "latency", "--dimension", "tool_call", "--id-prefix", "may/", "--limit", "2"]
        ended = project.proctor("import", SAMPLE, "--out", "rows.jsonl", "--format", "otel", *options)
        assert ended.code == 0, ended.err
        assert ended.out.startswith("read 2 traces (OpenTelemetry spans), wrote 4 rows to rows.jsonl\n  tool_call  ")
        first, second = "may/5b8efff798038103d269b633813fc60c", "may/0af7651916cd43dd8448eb211c80319c"
        assert [row["id"] for row in rows(project)] == [
            f"{first}:latency", f"{first}:tool_call", f"{second}:latency", f"{second}:tool_call",
        ]  # fmt: skip

    def test_takes_the_names_of_columns(self, project: UserProject) -> None:
        project.write("log.csv", "Frage,Antwort,Quelle,Sprache\nA table?,Table 1.,Open till 10.,de\n")
        fields = ["--input-field", "Frage", "--output-field", "Antwort", "--context-field", "Quelle"]
        ended = project.proctor("import", "log.csv", "--out", "rows.jsonl", *fields, "--dimension", "grounding")
        assert ended.code == 0, ended.err
        assert "not used: Sprache\n" in ended.out
        assert rows(project) == [{
            "id": "1:grounding", "dimension": "grounding", "input": "A table?", "context": "Open till 10.",
            "agent_output": "Table 1.",
        }]  # fmt: skip

    def test_says_which_traces_lack_what_a_dimension_needs(self, project: UserProject) -> None:
        project.write("log.jsonl", '{"output": "a"}\n{"output": "b", "latency_ms": 7}\n')
        ended = project.proctor("import", "log.jsonl", "--out", "rows.jsonl", "--dimension", "latency")
        assert "no latency row: 1 trace without what it needs\n" in ended.out

    def test_warnings_go_to_standard_error(self, project: UserProject) -> None:
        project.write("log.jsonl", '{"output": "a", "id": "\\u001b[31m", "tool_calls": [{}]}\n')
        ended = project.proctor("import", "log.jsonl", "--out", "rows.jsonl")
        assert ended.code == 0
        assert ended.err == (
            'log.jsonl:1:1: warning [nameless_call] trace "<1B>[31m": 1 tool call without a name left out\n'
            "1 warning in 1 file\n"
        )


class TestRefusals:
    def test_every_bad_line_is_told_and_nothing_is_written(self, project: UserProject) -> None:
        project.write("log.jsonl", '{"output": "a"}\n{"output": }\n{"output": "b", "cost": "free"}\n{"output"')
        ended = project.proctor("import", "log.jsonl", "--out", "rows.jsonl")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines() == [
            "log.jsonl:2:12: error [invalid_json] is no JSON: Expecting value",
            (
                'log.jsonl:3:1: error [bad_number] the cost is "free", which is no such number (write a number that is '
                "not negative, such as 0.02, without a unit)"
            ),
            (
                "log.jsonl:4:10: error [invalid_json] is no JSON: Expecting ':' delimiter (the line ends too early: "
                "was the file cut off?)"
            ),
            "3 errors in 1 file",
        ]
        assert sorted(path.name for path in project.root.glob("*.jsonl")) == ["log.jsonl"]
        assert not list(project.root.glob(".*.tmp"))

    def test_an_existing_file_stays(self, project: UserProject) -> None:
        project.write("rows.jsonl", "mine")
        ended = project.proctor("import", SAMPLE, "--out", "rows.jsonl")
        assert (ended.code, ended.err) == (
            2,
            "error: rows.jsonl exists already\n  hint: name another file with --out, or move that one away\n",
        )
        assert (project.root / "rows.jsonl").read_text(encoding="utf-8") == "mine"

    def test_what_cannot_be_asked_says_what_can(self, project: UserProject) -> None:
        for options, said in {
            ("--dimension", "taste"): "error: there is no dimension 'taste'\n  hint: known: grounding, safety, pii, ",
            ("--format", "jaeger"): "error: there is no trace format 'jaeger'\n  hint: known: otel, openai, ",
            (
                "--format",
                "otel",
                "--input-field",
                "x",
            ): "error: fields can be named for csv and generic only, not for otel",
        }.items():
            ended = project.proctor("import", SAMPLE, "--out", "rows.jsonl", *options)
            assert ended.code == 2
            assert ended.err.startswith(said)

    @pytest.mark.parametrize("option", ["--input-field", "--context-field"])
    def test_a_field_that_no_trace_has_is_an_error(self, project: UserProject, option: str) -> None:
        project.write("log.csv", "input,output\nA table?,Table 1.\n")
        ended = project.proctor("import", "log.csv", "--out", "rows.jsonl", option, "Frage")
        assert ended.code == 2
        assert ended.err.startswith(
            'log.csv: error [no_such_field] no trace has anything in the field "Frage" (correct'
        )
        assert not (project.root / "rows.jsonl").exists()

    def test_a_file_of_no_known_kind_says_what_was_looked_for(self, project: UserProject) -> None:
        project.write("log.json", '{\n  "level": "info"\n}')
        ended = project.proctor("import", "log.json", "--out", "rows.jsonl")
        assert ended.code == 2
        assert ended.err.startswith("log.json:1:1: error [unknown_format] no known kind of trace; looked for otel: ")
