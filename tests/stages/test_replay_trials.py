"""Recorded traces are played again: by a loop whose model is recorded too, and by agents of every kind, live."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from proctor.agents import Agent as AgentUnderTest
from proctor.agents import build_agent, wrap_object
from proctor.checks.pi.trace import trace_of
from proctor.errors import AgentSetupError
from proctor.formats import Defaults
from proctor.formats.pi.loading import fixture_case
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.pi.reading import read_fixture
from proctor.plan import AgentSpec, Case, Limits
from proctor.replay_plan import Policy, ReplayMode, ReplaySettings
from proctor.results import CheckResult, Outcome
from proctor.stages.trial import play
from proctor.stages.trial_checks import score_trial
from proctor.trajectory import Ending, Step, Trajectory

LEDGER = {"input": 1, "cache_read": 0, "cache_creation": 0, "output": 1}
ANY_OBJECT = {"type": "object", "additionalProperties": True}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def user(said: str) -> dict[str, Any]:
    return {"role": "user", "content": said}


def assistant(*content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content), "tokenLedger": LEDGER}


def result(call_id: str, said: str, **more: Any) -> dict[str, Any]:
    return {"role": "toolResult", "toolUseId": call_id, "content": [text(said)], **more}


BOOKING = [
    user("A table for two."),
    assistant(text("One moment."), call("find", "c1", seats=2)),
    result("c1", "table 7"),
    assistant(call("book", "c2", table=7)),
    result("c2", "taken", isError=True),
    assistant(text("Sorry, it is taken.")),
]


def fixture(turns: list[dict[str, Any]], *assertions: dict[str, Any]) -> bytes:
    meta = {
        "type": "meta", "fixtureId": "f", "piAgentCoreVersion": "1", "recordedAt": "2026-05-04", "scenario": "",
        "systemPromptHash": "a" * 64,
    }  # fmt: skip
    records = [{"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(turns)]
    lines = [meta, *records, {"type": "assertions", "assertions": list(assertions)}]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def case_of(turns: list[dict[str, Any]], mode: ReplayMode, *assertions: dict[str, Any], **changes: Any) -> Case:
    defaults = Defaults(replay=ReplaySettings(mode, **changes))
    (case,) = PiFormat().load(Path("f.jsonl"), fixture(turns, *assertions), defaults).cases
    return case


def recorded_case(turns: list[dict[str, Any]], *assertions: dict[str, Any]) -> Case:
    found, problems = read_fixture(Path("f.jsonl"), fixture(turns, *assertions))
    assert found is not None, problems
    return fixture_case(found)


def played(agent: Any, case: Case, limits: Limits | None = None) -> Trajectory:
    under_test: AgentUnderTest = agent if hasattr(agent, "session") else wrap_object(agent)

    async def run() -> Trajectory:
        try:
            return await play(under_test, case, limits or Limits())
        finally:
            await under_test.close()

    return asyncio.run(run())


def shape_check(case: Case, trajectory: Trajectory) -> CheckResult:
    _, checks = score_trial(case, trajectory)
    (found,) = [check for check in checks if check.name == "replay shape"]
    assert isinstance(found, CheckResult)
    return found


def refuse(**arguments: Any) -> str:
    raise AssertionError("a tool was run")


def loop(*names: str, model: Any = None) -> Agent[None, str]:
    """A pydantic-ai agent with tools that take anything and must not run."""
    tools = [Tool.from_schema(refuse, name, None, ANY_OBJECT) for name in names or ("find", "book")]
    return Agent(model, tools=tools)


def model(*answers: Any) -> FunctionModel:
    """A real model, for which requests are counted by what it has given."""
    left = list(answers)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        given_ = left.pop(0) if len(left) > 1 else left[0]
        return ModelResponse(parts=given_)

    return FunctionModel(answer)


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
made_calls = st.tuples(st.sampled_from(["find", "book"]), st.dictionaries(words, words, max_size=2))
answers = st.tuples(st.lists(made_calls, min_size=1, max_size=3), st.lists(words, max_size=2))
exchanges = st.lists(st.tuples(words, st.lists(answers, max_size=2), words), min_size=1, max_size=3)


def turns_of(drawn: Any) -> list[dict[str, Any]]:
    """Whole exchanges: a message of the user, rounds of calls with their results, and a last answer."""
    turns: list[dict[str, Any]] = []
    for said, rounds, reply in drawn:
        turns.append(user(said))
        for calls, texts in rounds:
            ids = [f"c{len(turns)}.{index}" for index in range(len(calls))]
            blocks = [call(name, id_, **arguments) for (name, arguments), id_ in zip(calls, ids, strict=True)]
            turns.append(assistant(*map(text, texts), *blocks))
            turns += [result(id_, f"result of {id_}") for id_ in ids]
        turns.append(assistant(text(reply or "fine")))
    return turns


class TestHarness:
    @settings(max_examples=40, deadline=None)
    @given(exchanges)
    def test_of_a_loop_that_does_as_recorded_gives_the_recorded_trace(self, drawn: Any) -> None:
        turns = turns_of(drawn)
        case, recorded = case_of(turns, ReplayMode.HARNESS), recorded_case(turns).recorded
        trajectory = played(loop(), case)
        assert recorded is not None
        assert trajectory.notes == ()
        assert trace_of(trajectory) == recorded.trace
        assert [call for turn in trajectory.turns for call in turn.tool_calls] == [
            call for turn in recorded.trajectory.turns for call in turn.tool_calls
        ]
        assert shape_check(case, trajectory).outcome is Outcome.PASSED

    def test_costs_nothing(self) -> None:
        usage = played(loop(), case_of(BOOKING, ReplayMode.HARNESS)).usage
        assert usage.to_json() == {"requests": 3}

    def test_diverges_when_the_loop_asks_once_more(self) -> None:
        case = case_of(BOOKING[:-1], ReplayMode.HARNESS, {"kind": "trace_max_turns", "max": 5})
        trajectory = played(loop(), case)
        assert trajectory.ending is Ending.COMPLETED
        assert trajectory.turns[0].steps == (Step("One moment.", 1), Step(None, 1))
        assert trace_of(trajectory) == getattr(recorded_case(BOOKING[:-1]).recorded, "trace", None)
        outcome, checks = score_trial(case, trajectory)
        assert outcome is Outcome.PASSED
        assert checks[1].reason == "warning only: more model calls than recorded (2)"  # type: ignore[union-attr]

    def test_diverges_when_the_loop_ends_before_the_recording(self) -> None:
        twice = [*BOOKING, assistant(text("Anything else?"))]
        assert played(loop(), case_of(twice, ReplayMode.HARNESS)).notes == (
            "fewer model calls than recorded: 1 recorded answer left over",
        )

    def test_diverges_when_the_loop_does_not_make_a_call_that_its_model_asks_for(self) -> None:
        trajectory = played(loop("find"), case_of(BOOKING, ReplayMode.HARNESS))
        assert trajectory.notes == ('recorded results that the agent did not ask for: "book"',)

    def test_fails_if_a_divergence_is_to_fail(self) -> None:
        case = case_of(BOOKING[:-1], ReplayMode.HARNESS, on_divergence=Policy.FAIL)
        assert score_trial(case, played(loop(), case))[0] is Outcome.FAILED

    def test_needs_an_agent_whose_model_can_be_replaced(self) -> None:
        async def agent(messages: list[Any]) -> tuple[str, list[str]]:
            raise AssertionError("it was called")

        with pytest.raises(AgentSetupError, match="asks its model out of our reach"):
            played(agent, case_of(BOOKING, ReplayMode.HARNESS))


class TestLive:
    def test_sends_the_users_messages_and_answers_tools_from_the_recording(self) -> None:
        seen: list[ModelMessage] = []

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            seen[:] = messages
            done = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
            steps: list[Any] = [
                ToolCallPart("find", {"seats": 2}),
                ToolCallPart("book", {"table": 8}),
                TextPart("Sorry."),
            ]
            return ModelResponse([steps[len(done)]])

        case = case_of(
            BOOKING, ReplayMode.LIVE, {"kind": "message_contains_substring", "role": "assistant", "substring": "Sorry"}
        )
        trajectory = played(loop(model=FunctionModel(answer)), case)
        assert [(each.name, each.result, each.is_error) for each in trajectory.turns[0].tool_calls] == [
            ("find", "table 7", False),
            ("book", "taken", True),
        ]
        assert trajectory.usage.output_tokens > 0
        assert score_trial(case, trajectory)[0] is Outcome.PASSED
        assert shape_check(case, trajectory).outcome is Outcome.PASSED

    def test_shows_where_the_agent_left_its_recording(self) -> None:
        agent = loop(model=model([ToolCallPart("find", {"seats": "two"})], [TextPart("Sorry.")]))
        case = case_of(BOOKING, ReplayMode.LIVE, on_divergence=Policy.FAIL)
        found = shape_check(case, played(agent, case))
        assert found.outcome is Outcome.FAILED
        assert found.reason == (
            'call 1: recorded "find" {"seats": number}, observed "find" {"seats": string}; '
            "at seats: number recorded, string observed"
        )

    def test_stops_an_agent_that_runs_away_and_judges_what_it_did(self) -> None:
        agent = loop(model=model([ToolCallPart("find", {"seats": 2})]))
        case = case_of(BOOKING, ReplayMode.LIVE, {"kind": "tool_called", "name": "find", "max_count": 3})
        trajectory = played(agent, case)
        assert (trajectory.ending, trajectory.out_of_time) == (Ending.COMPLETED, False)
        assert trajectory.notes == (
            'no recorded result for a call of "find"',
            "stopped before model request 12, as the recording has 3 requests",
        )
        assert len(trajectory.turns[0].tool_calls) == 11
        assert score_trial(case, trajectory)[0] is Outcome.FAILED

    def test_stops_at_the_time_limit_and_judges_what_was_done(self) -> None:
        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            if len(messages) > 1:
                await asyncio.sleep(60)
            return ModelResponse([ToolCallPart("find", {"seats": 2})])

        case = case_of(BOOKING, ReplayMode.LIVE, {"kind": "tool_called", "name": "find"})
        trajectory = played(loop(model=FunctionModel(answer)), case, Limits(turn_timeout_s=0.5))
        assert (trajectory.ending, trajectory.out_of_time, trajectory.failure) == (Ending.COMPLETED, True, None)
        assert trajectory.notes == ("turn 1 took longer than 0.5 s",)
        assert trajectory.turns[0].steps == (Step(None, 1),)
        assert score_trial(case, trajectory)[0] is Outcome.PASSED

    def test_of_an_agent_that_fails_is_errored(self) -> None:
        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            raise ValueError("broken")

        trajectory = played(loop(model=FunctionModel(answer)), case_of(BOOKING, ReplayMode.LIVE))
        assert (trajectory.ending, trajectory.notes) == (Ending.ERRORED, ())


HANDS_OVER = """
def answer(request):
    results = request.get("tool_results")
    if results is None:
        calls = [{"id": "1", "name": "find", "arguments": {"seats": 2}}]
    elif results[0]["name"] == "find":
        calls = [{"id": "1", "name": "book", "arguments": {"table": int(results[0]["result"][-1])}}]
    else:
        return {"reply": "Sorry: " + results[0]["result"] + str(results[0]["is_error"])}
    return {"type": "tool_calls", "tool_calls": calls}
"""
AS_COMMAND = (
    f"{HANDS_OVER}\nimport json, sys\nfor line in sys.stdin:\n    print(json.dumps(answer(json.loads(line))))\n"
)


class TestOtherAgents:
    def check(self, trajectory: Trajectory, case: Case) -> None:
        (turn,) = trajectory.turns
        assert turn.reply == "Sorry: takenTrue"
        assert [step.calls for step in turn.steps] == [1, 1, 0]
        assert trace_of(trajectory).calls == getattr(recorded_case(BOOKING).recorded, "trace").calls  # noqa: B009
        assert shape_check(case, trajectory).outcome is Outcome.PASSED

    def test_that_are_commands_hand_their_tools_over(self, tmp_path: Path) -> None:
        (tmp_path / "bot.py").write_text(AS_COMMAND)
        agent = build_agent(AgentSpec("bot", "command", f"{shlex.quote(sys.executable)} -u bot.py"), tmp_path)
        case = case_of(BOOKING, ReplayMode.LIVE)
        self.check(played(agent, case), case)

    def test_that_are_servers_hand_their_tools_over(self) -> None:
        names: dict[str, Any] = {}
        exec(HANDS_OVER, names)

        class Bot(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.dumps(names["answer"](json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *arguments: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Bot)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            agent = build_agent(AgentSpec("bot", "http", f"http://127.0.0.1:{server.server_port}/"), Path())
            case = case_of(BOOKING, ReplayMode.LIVE)
            self.check(played(agent, case), case)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def test_that_run_away_are_stopped(self, tmp_path: Path) -> None:
        asks = json.dumps({"type": "tool_calls", "tool_calls": [{"id": "1", "name": "find"}]})
        (tmp_path / "bot.py").write_text(f"import sys\nfor line in sys.stdin:\n    print({asks!r})\n")
        agent = build_agent(AgentSpec("bot", "command", f"{shlex.quote(sys.executable)} -u bot.py"), tmp_path)
        trajectory = played(agent, case_of(BOOKING, ReplayMode.LIVE))
        assert trajectory.notes[-1] == "stopped before model request 12, as the recording has 3 requests"
        assert len(trajectory.turns[0].tool_calls) == 11

    def test_that_are_plain_callables_cannot_be_replayed(self) -> None:
        async def agent(messages: list[Any]) -> tuple[str, list[str]]:
            raise AssertionError("it was called")

        with pytest.raises(AgentSetupError, match="is a plain callable and runs its tools itself"):
            played(agent, case_of(BOOKING, ReplayMode.LIVE))
