"""``proctor run`` and ``proctor plan`` on recorded traces with an agent: every mode, and what reports say of it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from user_project import UserProject

AGENT = """
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel


def respond(messages, info):
    if any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts):
        return ModelResponse([TextPart("It is on its way.")])
    return ModelResponse([ToolCallPart("find", {arguments})])


def find(number: int, page: int = 1) -> str:
    raise SystemExit("a tool was run")


agent = Agent(FunctionModel(respond), tools=[find])
"""
LEDGER = {"input": 7, "cache_read": 0, "cache_creation": 0, "output": 3}
META = {
    "type": "meta",
    "fixtureId": "where-is-it",
    "piAgentCoreVersion": "0.73.1",
    "recordedAt": "2026-05-04T10:20:30Z",
    "scenario": "",
    "systemPromptHash": "2eec03df053eeaa452c9096a762e04e4ab838bca33794ef344199e69ec4a0ba6",
}
TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": "Where is parcel 7?"},
    {
        "role": "assistant",
        "content": [{"type": "toolCall", "id": "a", "name": "find", "arguments": {"number": 7}}],
        "tokenLedger": LEDGER,
    },
    {"role": "toolResult", "toolUseId": "a", "content": [{"type": "text", "text": "ok"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "It is on its way."}], "tokenLedger": LEDGER},
]
ASSERTIONS = [{"kind": "tool_called", "name": "find"}, {"kind": "trace_max_turns", "max": 4}]
RECORDS = [
    META,
    *({"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(TURNS)),
    {"type": "assertions", "assertions": ASSERTIONS},
]


@pytest.fixture
def desk(project: UserProject) -> UserProject:
    """A project with one trace and a pydantic-ai agent that does as it is recorded."""
    project.write("evals/where.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS))
    behave(project)
    suite(project)
    return project


def behave(project: UserProject, arguments: str = '{"number": 7}') -> None:
    project.write("desk.py", AGENT.replace("{arguments}", arguments))


def suite(project: UserProject, more: str = "replay: {system_prompt: {text: You are a careful clerk.}}\n") -> None:
    project.write("evals/shop.suite.yaml", f"specs: ['*.jsonl']\nagents: {{desk: 'desk:agent'}}\n{more}")


def trial(project: UserProject) -> dict[str, Any]:
    (case,) = project.results()["cases"]
    (found,) = case["trials"]
    return {"agent": case["agent"], **found}


def outcomes(project: UserProject) -> dict[str, str]:
    return {check["name"]: check["outcome"] for check in trial(project)["checks"]}


class TestRuns:
    def test_are_live_where_a_suite_has_an_agent(self, desk: UserProject) -> None:
        assert desk.run().code == 0
        assert trial(desk)["agent"] == "desk"
        assert outcomes(desk) == {
            "assertions[0] tool_called": "passed",
            "assertions[1] trace_max_turns": "passed",
            "replay shape": "passed",
            "system prompt": "passed",
        }

    def test_of_a_recording_call_nobody(self, desk: UserProject) -> None:
        desk.write("desk.py", "raise SystemExit('imported')")
        assert desk.run("evals/shop.suite.yaml", "--replay", "recorded").code == 0
        assert "replay shape" not in outcomes(desk)
        assert outcomes(desk)["system prompt"] == "passed"

    def test_of_a_harness_take_the_models_answers_from_the_recording(self, desk: UserProject) -> None:
        behave(desk, "1 / 0")
        assert desk.run("evals/shop.suite.yaml", "--replay", "harness").code == 0
        found = trial(desk)
        assert [turn["reply"] for turn in found["trajectory"]["turns"]] == ["It is on its way."]
        assert found["trajectory"]["usage"] == {"requests": 2}

    def test_of_a_bare_fixture_are_live_with_an_agent_on_the_command_line(self, desk: UserProject) -> None:
        assert desk.run("evals/where.jsonl", "--agent", "desk:agent").code == 0
        assert desk.results("where")["cases"][0]["agent"] == "agent"

    def test_that_diverge_pass_with_a_warning_or_fail(self, desk: UserProject) -> None:
        behave(desk, '{"number": 7, "page": 2}')
        assert desk.run().code == 0
        assert outcomes(desk)["replay shape"] == "skipped"
        suite(desk, "replay: {on_divergence: fail}\n")
        ended = desk.run()
        assert ended.code == 1
        assert (
            'replay shape: call 1: recorded "find" {"number": number}, '
            'observed "find" {"number": number, "page": number}; at page: nothing recorded, number observed'
        ) in " ".join(ended.out.split())

    def test_are_played_anew_when_the_recorded_results_change(self, desk: UserProject) -> None:
        desk.run()
        assert "1 of 1 trial came from the cache" in desk.run().out
        path = desk.root / "evals/where.jsonl"
        path.write_text(path.read_text().replace('"text": "ok"', '"text": "late"'))
        assert "Nothing came from the cache." in desk.run().out

    def test_that_run_away_show_their_notes_in_every_report(self, desk: UserProject) -> None:
        text = (desk.root / "desk.py").read_text()
        desk.write("desk.py", text.replace('return ModelResponse([TextPart("It is on its way.")])', "pass"))
        assert desk.run().code == 1
        note = "stopped before model request 11, as the recording has 2 requests"
        found = trial(desk)["trajectory"]
        assert found["notes"] == ['no recorded result for a call of "find"', note]
        assert found["turns"][0]["steps"][0] == {"text": None, "calls": 1}
        assert note in desk.report("html").read_text(encoding="utf-8")
        schema = json.loads((files("proctor_reports") / "schemas/report.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(schema).validate(desk.results())

    def test_are_planned_with_their_mode(self, desk: UserProject) -> None:
        plain, live = (desk.proctor("plan", "evals/shop.suite.yaml", "--replay", mode) for mode in ("recorded", "live"))
        assert "1 recorded trial, judged as recorded" in plain.out
        assert "1 trial, 0 of them in the cache\nrecorded traces are replayed: live\n" in live.out


class TestUsage:
    def test_of_an_unknown_mode_is_refused(self, desk: UserProject) -> None:
        ended = desk.run("evals/shop.suite.yaml", "--replay", "alive")
        assert ended.code == 2
        assert "'recorded', 'live', 'harness'" in ended.err

    def test_of_a_harness_with_a_server_is_refused_before_anything_runs(self, desk: UserProject) -> None:
        ended = desk.run("evals/where.jsonl", "--replay", "harness", "--agent", "http://127.0.0.1:9/")
        assert ended.code == 2
        assert (
            "a harness replay answers in the place of the model, which is out of reach here: agent (http)" in ended.err
        )
        assert not (desk.root / ".proctor" / "reports").exists()

    def test_of_a_plain_callable_says_what_can_be_replayed(self, desk: UserProject) -> None:
        ended = desk.run("evals/where.jsonl", "--agent", "shop:agent")
        assert ended.code == 3
        assert "shop:agent is a plain callable and runs its tools itself, so it cannot be replayed" in " ".join(
            ended.err.split()
        )
        assert desk.calls == []

    def test_of_a_trace_without_a_user_names_file_and_line(self, desk: UserProject) -> None:
        lines = [json.dumps(record) for record in RECORDS if record.get("role") != "user"]
        path = desk.write("evals/where.jsonl", "\n".join(lines) + "\n")
        ended = desk.run()
        assert ended.code == 2
        assert f"{path.relative_to(desk.root)}:1:1: error [no_user_turn]" in ended.err
        assert desk.run("evals/shop.suite.yaml", "--replay", "recorded").code == 0


def test_the_fixture_here_is_right(desk: UserProject) -> None:
    ended = desk.proctor("validate", Path("evals"))
    assert (ended.code, ended.err) == (0, "")
