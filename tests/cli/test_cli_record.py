"""``proctor record``: what is written of a conversation and told of it, and what is refused before anybody is asked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from user_project import Ended, UserProject

ANSWER = """
    if said == "raise":
        raise ValueError("the shop is closed")
    if said == "refuse":
        from proctor.errors import AgentRefused
        raise AgentRefused("blocked")
    if said == "large":
        return {"reply": "a", "usage": {"input_tokens": 2**60}}
    if said == "wait":
        import asyncio
        await asyncio.sleep(60)
    call = {"name": "sell", "arguments": {"what": said}, "id": "c1", "result": {"price": 3}}
    return {"reply": "You said " + said, "tool_calls": [call], "usage": {"input_tokens": 7, "output_tokens": 2}}"""

MODEL_AGENT = """
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel


def look() -> int:
    return 1


agent = Agent(TestModel(custom_output_text="done"), instructions="You are a careful clerk.", tools=[look])
"""
CLERK = hashlib.sha256(b"You are a careful clerk.").hexdigest()
LARGE = "tokenLedger.input must be an integer of at most 2^53-1 in magnitude"


def record(project: UserProject, *flags: str, out: str = "rec.jsonl", agent: str = "shop:agent") -> Ended:
    return project.proctor("record", "--agent", agent, "--out", out, *flags)


def records(project: UserProject, out: str = "rec.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.root / out).read_text(encoding="utf-8").split("\n")[:-1]]


def told(ended: Ended) -> list[str]:
    """The warnings, without their places."""
    return [line.partition("warning ")[2] for line in ended.err.splitlines() if "warning [" in line]


@pytest.fixture
def shop(project: UserProject) -> UserProject:
    """An agent that sells what it is asked for."""
    project.agent(ANSWER)
    return project


class TestARecording:
    def test_has_the_conversation_and_proposes_what_it_did(self, shop: UserProject) -> None:
        ended = record(shop, "--turn", "tea", "--turn", "cake", "--scenario", "Sells things.")
        assert ended.code == 0
        assert ended.out.splitlines() == [
            'recorded 8 turns, wrote fixture "rec" to rec.jsonl',
            "  turns: 2 user, 4 assistant, 2 toolResult",
            "  proposed: tool_called for 2 calls and trace_max_turns; keep the assertions that matter",
            "next: proctor validate rec.jsonl",
        ]
        assert shop.calls == ["tea", "cake"]
        meta, *turns, last = records(shop)
        assert (meta["fixtureId"], meta["scenario"], meta["systemPromptHash"]) == ("rec", "Sells things.", "unknown")
        assert [turn["role"] for turn in turns] == ["user", "assistant", "toolResult", "assistant"] * 2
        assert turns[1]["content"] == [{"type": "toolCall", "id": "c1", "name": "sell", "arguments": {"what": "tea"}}]
        assert turns[2]["content"] == [{"type": "text", "text": '{"price":3}'}]
        assert turns[3]["tokenLedger"] == {"input": 7, "cache_read": 0, "cache_creation": 0, "output": 2}
        assert (turns[5]["content"][0]["id"], turns[6]["toolUseId"]) == ("call-1", "call-1")
        assert last["assertions"] == [
            {"kind": "tool_called", "name": "sell", "order": 0},
            {"kind": "tool_called", "name": "sell", "order": 1},
            {"kind": "trace_max_turns", "max": 8},
        ]

    def test_is_valid_and_passes(self, shop: UserProject) -> None:
        record(shop, "--turn", "tea")
        validated = shop.proctor("validate", "rec.jsonl")
        assert (validated.code, "odd_hash" in validated.err) == (0, True)
        assert shop.run("rec.jsonl").code == 0

    def test_is_made_anew_each_time(self, shop: UserProject) -> None:
        for out in ("one.jsonl", "two.jsonl"):
            assert record(shop, "--turn", "tea", out=out).code == 0
        assert shop.calls == ["tea", "tea"]

    def test_says_the_first_turn_where_no_scenario_is_given(self, shop: UserProject) -> None:
        record(shop, "--turn", "tea\nplease " + "x" * 200)
        scenario = records(shop)[0]["scenario"]
        assert scenario.startswith("tea please xxx")
        assert "characters…]" in scenario

    def test_takes_what_the_user_says(self, shop: UserProject) -> None:
        flags = ("--fixture-id", "cakes", "--pi-version", "0.73.1", "--system-prompt-hash", f"sha256:{CLERK}")
        ended = record(shop, "--turn", "tea", *flags)
        assert (ended.code, ended.err) == (0, "")
        assert 'wrote fixture "cakes"' in ended.out
        meta = records(shop)[0]
        assert (meta["fixtureId"], meta["piAgentCoreVersion"]) == ("cakes", "0.73.1")
        assert meta["systemPromptHash"] == f"sha256:{CLERK}"

    def test_takes_the_turns_of_a_file(self, shop: UserProject) -> None:
        shop.case("greets", user="tea")
        assert record(shop, "--turns", "evals/greets.yaml").code == 0
        assert record(shop, "--turns", "rec.jsonl", out="again.jsonl").code == 0
        assert shop.calls == ["tea", "tea"]

    def test_is_of_an_agent_that_a_suite_declares(self, shop: UserProject) -> None:
        shop.suite()
        ended = shop.proctor("record", "--suite", "evals/shop.suite.yaml", "--turn", "tea", "--out", "rec.jsonl")
        assert ended.code == 0

    def test_is_of_the_agent_of_the_project(self, shop: UserProject) -> None:
        shop.write("pyproject.toml", '[tool.proctor]\nagent = "shop:agent"\n')
        assert shop.proctor("record", "--turn", "tea", "--out", "rec.jsonl").code == 0

    def test_survives_odd_texts(self, shop: UserProject) -> None:
        shop.agent('return "\\ud83d \\x1b[2J \\u2028 ü", []')
        assert record(shop, "--turn", "hm\u2028").code == 0
        assert records(shop)[2]["content"] == [{"type": "text", "text": "\ud83d \x1b[2J \u2028 ü"}]


class TestAModelAgent:
    def test_is_recorded_step_by_step_with_its_prompt(self, project: UserProject) -> None:
        project.write("clerk.py", MODEL_AGENT)
        ended = record(project, "--turn", "tea", agent="clerk:agent")
        assert (ended.code, ended.err) == (0, "")
        meta, *turns, _ = records(project)
        assert meta["systemPromptHash"] == CLERK
        assert [turn["role"] for turn in turns] == ["user", "assistant", "toolResult", "assistant"]
        assert turns[2]["content"] == [{"type": "text", "text": "1"}]

    def test_warns_of_another_prompt_than_the_one_that_was_sent(self, project: UserProject) -> None:
        project.write("clerk.py", MODEL_AGENT)
        (project.root / "prompt.txt").write_text("You are a careful clerk.\n")
        ended = record(project, "--turn", "tea", "--system-prompt", "prompt.txt", agent="clerk:agent")
        [warning] = told(ended)
        assert warning == (
            "[other_prompt] the model was sent another system prompt than the one that was given, which is taken "
            f"({CLERK} was sent) (leave the option out to record the one that was sent)"
        )
        assert records(project)[0]["systemPromptHash"] == hashlib.sha256(b"You are a careful clerk.\n").hexdigest()


class TestWhatIsNotKnown:
    def test_is_told(self, shop: UserProject) -> None:
        shop.agent('return "ok", ["sell", "pack"]')
        assert [line.partition("]")[0] for line in told(record(shop, "--turn", "tea"))] == [
            *("[one_message", "[no_usage", "[no_arguments", "[no_result", "[odd_hash")
        ]


class TestSecrets:
    KEY = "sk-ant-abcdefghijklmnopqrstuvwxyz"

    def test_are_masked_and_told(self, shop: UserProject) -> None:
        ended = record(shop, "--turn", f"use {self.KEY} in /home/ada/x")
        text = (shop.root / "rec.jsonl").read_text()
        assert self.KEY not in text
        assert "/home/ada" not in text
        assert "use <secret:anthropic-key> in ~/x" in text
        masked = "  masked 4 secrets (4 anthropic-key) and 4 home paths; --no-mask keeps them"
        assert masked in ended.out.splitlines()
        assert shop.run("rec.jsonl").code == 0

    def test_of_the_environment_are_masked(self, shop: UserProject, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SHOP_API_KEY", "open-sesame-2031")
        assert "environment-value" in record(shop, "--turn", "open-sesame-2031").out
        assert "open-sesame" not in (shop.root / "rec.jsonl").read_text()

    def test_are_kept_on_request(self, shop: UserProject) -> None:
        ended = record(shop, "--turn", self.KEY, "--no-mask")
        assert "masked" not in ended.out
        assert self.KEY in (shop.root / "rec.jsonl").read_text()


class TestATrialThatDoesNotComplete:
    @pytest.mark.parametrize(
        ("said", "message", "hint"),
        [
            (
                "raise",
                "the agent agent could not be run in turn 2, so nothing is written: ValueError: the shop is closed",
                "proctor agents check tries an agent out",
            ),
            (
                "refuse",
                "a content filter stopped the agent agent in turn 2, so nothing is written: AgentRefused: blocked",
                "a fixture holds a whole conversation: record one that is let through",
            ),
            (
                "large",
                f"no fixture can hold what the agent did, so nothing is written: {LARGE}",
                "change what the agent answers there",
            ),
        ],
    )
    def test_leaves_no_file(self, shop: UserProject, said: str, message: str, hint: str) -> None:
        ended = record(shop, "--turn", "tea", "--turn", said)
        assert (ended.code, ended.out) == (3, "")
        error, how = ended.err.splitlines()
        assert error == f"error: {message}"
        assert how == f"  hint: {hint}"
        assert [path.name for path in shop.root.iterdir() if "rec" in path.name] == []

    def test_is_stopped_at_the_limit_of_the_project(self, shop: UserProject) -> None:
        shop.write("pyproject.toml", "[tool.proctor]\ntimeouts = {turn = 0.2}\n")
        ended = record(shop, "--turn", "wait")
        assert ended.code == 3
        assert "TrialTimeout: turn 1 took longer than 0.2 s" in ended.err

    def test_is_told_where_the_agent_cannot_be_built(self, shop: UserProject) -> None:
        assert record(shop, "--turn", "tea", agent="nowhere:agent").code == 3


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("flags", "message"),
        [
            ((), "there is no user turn"),
            (("--turn", " "), "--turn has nothing in user turn 1"),
            (("--turn", "a", "--turns", "x.txt"), "the user turns were given twice"),
            (("--turns", "x.txt"), "x.txt cannot be read: No such file or directory"),
            (("--turn", "a", "--fixture-id", ""), "--fixture-id is empty"),
            (("--turn", "a", "--pi-version", ""), "--pi-version is empty"),
            (("--turn", "a", "--system-prompt-hash", "x"), '"x" is no SHA-256'),
            (("--turn", "a", "--system-prompt", "p"), "p cannot be read: No such file or directory"),
            (("--turn", "a", "--system-prompt", "p", "--system-prompt-hash", "x"), "the system prompt was given twice"),
            (("--turn", "a", "--out", "shop.py"), "shop.py does not end in .jsonl"),
            (("--turn", "a", "--out", "no/rec.jsonl"), "the folder of no/rec.jsonl is not there"),
            (("--turn", "a", "--agent", "nobody"), "no agent 'nobody' is declared"),
        ],
    )
    def test_before_the_agent_is_asked(self, shop: UserProject, flags: tuple[str, ...], message: str) -> None:
        ended = record(shop, *flags)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines()[0] == f"error: {message}"
        assert shop.calls == []

    def test_is_a_file_that_is_there(self, shop: UserProject) -> None:
        shop.write("rec.jsonl", "mine")
        ended = record(shop, "--turn", "a")
        assert (ended.code, shop.calls) == (2, [])
        assert ended.err.splitlines()[0] == "error: rec.jsonl exists already"
        assert (shop.root / "rec.jsonl").read_text() == "mine"

    def test_is_no_agent_and_more_than_one(self, shop: UserProject) -> None:
        command = ("record", "--turn", "a", "--out", "rec.jsonl")
        assert shop.proctor(*command).err.splitlines() == [
            "error: there is no agent to record",
            "  hint: name one with --agent, or a suite that declares it",
        ]
        shop.write("evals/two.suite.yaml", "specs: ['*.yaml']\nagents: {a: 'shop:agent', b: 'shop:agent'}\n")
        shop.case("x")
        assert shop.proctor(*command, "--suite", Path("evals/two.suite.yaml")).err.splitlines() == [
            "error: a fixture is the recording of one agent",
            "  hint: pick one with --agent: a, b",
        ]
