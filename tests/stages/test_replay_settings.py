"""What a run does with recorded traces: flag over suite over default, and every wrong combination before it starts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from user_project import UserProject

from proctor.config import AgentBlock, load_project
from proctor.errors import SpecError, UsageError
from proctor.overrides import Overrides
from proctor.plan import Plan, Source
from proctor.replay import current_prompt
from proctor.replay.drift import prompt_sha256
from proctor.replay_plan import Compare, CurrentPrompt, Policy, ReplayMode, ReplaySettings
from proctor.results import TrialRef
from proctor.stages.keys import trial_parts
from proctor.stages.provenance import provenance
from proctor.stages.run import _digest, agent_fingerprints
from proctor.stages.validate import Compiled, check_files, compile_plan
from proctor.store import NewTrial
from proctor.store.trials import _is_answer
from proctor.trajectory import Ending, Trajectory

AGENTS = "agents: {shop: 'shop:agent'}\n"


def trace(project: UserProject, name: str = "find", *, result: str = "table 7", users: int = 1) -> Path:
    ledger = {"input": 1, "cache_read": 0, "cache_creation": 0, "output": 1}
    turns: list[dict[str, Any]] = [{"role": "user", "content": "A table?"}] * users
    turns += [
        {
            "role": "assistant",
            "content": [{"type": "toolCall", "id": "a", "name": "find", "arguments": {"seats": 2}}],
            "tokenLedger": ledger,
        },
        {"role": "toolResult", "toolUseId": "a", "content": [{"type": "text", "text": result}]},
    ]
    meta = {
        "type": "meta", "fixtureId": name, "piAgentCoreVersion": "0.73.1", "recordedAt": "2026-05-04T10:20:30Z",
        "scenario": "", "systemPromptHash": "a" * 64,
    }  # fmt: skip
    numbered = [{"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(turns)]
    assertions = {"type": "assertions", "assertions": [{"kind": "tool_called", "name": "find"}]}
    text = "".join(json.dumps(record) + "\n" for record in (meta, *numbered, assertions))
    return project.write(f"evals/{name}.jsonl", text)


def suite(project: UserProject, more: str = "", agents: str = AGENTS) -> Path:
    return project.write("evals/desk.suite.yaml", f"specs: ['*.jsonl']\n{agents}{more}")


def compiled(project: UserProject, path: Path, agent: AgentBlock | None = None, **overrides: Any) -> Compiled:
    return compile_plan(path, load_project(project.root, {}), Overrides(**overrides), agent=agent)


def mode_of(project: UserProject, path: Path, agent: AgentBlock | None = None, **overrides: Any) -> ReplayMode:
    return compiled(project, path, agent, **overrides).plan.replay.mode


def outlines(plan: Plan) -> list[bool]:
    return [outline.recorded is not None for source in plan.sources for outline in source.cases]


class TestTheMode:
    def test_is_recorded_without_an_agent_and_live_with_one(self, project: UserProject) -> None:
        path = trace(project)
        assert mode_of(project, path) is ReplayMode.RECORDED
        assert mode_of(project, path, AgentBlock(python="shop:agent")) is ReplayMode.LIVE
        assert mode_of(project, suite(project)) is ReplayMode.LIVE
        assert mode_of(project, suite(project, agents="")) is ReplayMode.RECORDED

    def test_is_that_of_the_flag_or_else_of_the_suite(self, project: UserProject) -> None:
        trace(project)
        path = suite(project, "replay: {mode: harness}\n")
        assert mode_of(project, path) is ReplayMode.HARNESS
        assert mode_of(project, path, replay="recorded") is ReplayMode.RECORDED

    def test_decides_who_plays(self, project: UserProject) -> None:
        trace(project)
        path = suite(project)
        live, recorded = (compiled(project, path, replay=mode) for mode in ("live", "recorded"))
        assert (outlines(live.plan), live.plan.live_trials) == ([False], 1)
        assert (outlines(recorded.plan), recorded.plan.live_trials) == ([True], 0)
        assert live.cases["find"].replay is not None
        assert recorded.cases["find"].replay is None

    def test_has_live_replays_as_often_as_other_cases(self, project: UserProject) -> None:
        trace(project)
        path = suite(project, "runs: 3\n")
        assert compiled(project, path).plan.live_trials == 3
        assert compiled(project, path, runs=2).plan.live_trials == 2
        assert compiled(project, path, replay="harness").plan.live_trials == 1


class TestSettings:
    def test_are_those_of_the_block(self, project: UserProject) -> None:
        trace(project)
        project.write("evals/prompts/desk.txt", "Be brief on 2031-04-05.\n")
        more = (
            "replay:\n  mode: live\n  compare: values\n  on_divergence: fail\n  on_drift: fail\n"
            "  system_prompt: prompts/desk.txt\n"
            "  replace: [{pattern: '\\d{4}-\\d\\d-\\d\\d', with: '2026-05-04'}]\n"
        )
        assert compiled(project, suite(project, more)).plan.replay == ReplaySettings(
            ReplayMode.LIVE,
            Compare.VALUES,
            Policy.FAIL,
            Policy.FAIL,
            CurrentPrompt(
                prompt_sha256("Be brief on 2026-05-04.\n"), prompt_sha256("Be brief on 2026-05-04."), replacements=1
            ),
        )

    def test_may_hold_the_prompt_itself(self, project: UserProject) -> None:
        trace(project)
        path = suite(project, "replay: {system_prompt: {text: Be brief.}}\n")
        assert compiled(project, path).plan.replay.prompt == current_prompt("Be brief.")

    def test_are_the_defaults_where_nothing_is_recorded(self, project: UserProject) -> None:
        project.case("one")
        assert compiled(project, project.suite()).plan.replay == ReplaySettings()

    def test_stand_in_the_provenance_and_in_the_digest_of_the_work(self, project: UserProject) -> None:
        trace(project)
        path = suite(project)
        plans = [compiled(project, path, replay=mode).plan for mode in ("live", "recorded")]
        prints = [agent_fingerprints(plan) for plan in plans]
        found = [provenance(*pair) for pair in zip(plans, prints, strict=True)]
        assert found[0]["replay"] == {
            "mode": "live", "compare": "shape", "on_divergence": "warn", "on_drift": "warn", "prompt": None,
        }  # fmt: skip
        assert "replay" not in found[1]
        assert len({_digest(*pair) for pair in zip(plans, prints, strict=True)}) == 2


class TestProblems:
    @pytest.mark.parametrize(
        ("more", "problem"),
        [
            ("replay: {mode: alive}", "replay.mode: the value should be 'recorded', 'live' or 'harness', got 'alive'"),
            ("replay: {on_drift: fail}", "replay: 'on_drift: fail' needs the 'system_prompt' to compare with"),
            ("replay: {replace: [{pattern: a, with: b}]}", "replay: 'replace' needs the 'system_prompt' to replace in"),
            ("replay: {system_prompt: {}}", "a system prompt needs exactly one of 'file' and 'text'"),
            ("replay: {system_prompt: gone.txt}", "replay.system_prompt: cannot be read: No such file or directory"),
            ("replay: {system_prompt: '.'}", "replay.system_prompt: cannot be read: it is a folder"),
            ("replay: {system_prompt: latin.txt}", "replay.system_prompt: cannot be read: it is not UTF-8 text"),
            (
                "replay: {system_prompt: {text: a}, replace: [{pattern: '(', with: b}]}",
                'replay.replace.0: "(" cannot be replaced by "b": missing ), unterminated subpattern at position 0',
            ),
            (
                "replay: {system_prompt: {text: a}, replace: [{pattern: a, with: '\\g<x>'}]}",
                """replay.replace.0: "a" cannot be replaced by "\\\\g<x>": unknown group name 'x'""",
            ),
        ],
    )
    def test_of_the_block_have_their_place(self, project: UserProject, more: str, problem: str) -> None:
        trace(project)
        project.write("evals/latin.txt", "Grüße".encode("latin-1"))
        with pytest.raises(SpecError) as refused:
            compiled(project, suite(project, more))
        (found,) = refused.value.problems
        assert (found.path.name, found.line) == ("desk.suite.yaml", 3)
        assert problem in str(found)

    def test_of_a_fixture_without_a_message_of_the_user_are_told_by_validation(self, project: UserProject) -> None:
        path = trace(project, users=0)
        _, problems = check_files([suite(project)], load_project(project.root, {}))
        assert [(problem.code, problem.line, problem.path.name) for problem in problems] == [
            ("no_user_turn", 1, "find.jsonl")
        ]
        assert mode_of(project, path) is ReplayMode.RECORDED

    def test_of_a_harness_without_a_model_in_reach_are_told_before_anything_runs(self, project: UserProject) -> None:
        trace(project)
        agents = "agents: {a: 'shop:agent', b: {http: 'http://127.0.0.1:9/'}, c: {command: 'true'}}\n"
        path = suite(project, "replay: {mode: harness}\n", agents)
        with pytest.raises(UsageError) as refused:
            compiled(project, path)
        assert refused.value.message == (
            "a harness replay answers in the place of the model, which is out of reach here: b (http), c (command)"
        )
        assert compiled(project, path, replay="live").plan.live_trials == 3
        assert mode_of(project, path, AgentBlock(python="shop:agent")) is ReplayMode.HARNESS

    def test_of_a_replay_without_an_agent_or_a_trace_are_told_before_anything_runs(self, project: UserProject) -> None:
        path = trace(project)
        with pytest.raises(UsageError, match="a live replay needs an agent, and none is declared"):
            compiled(project, path, replay="live")
        with pytest.raises(UsageError, match="this spec has no recorded trace to replay"):
            compiled(project, project.case("one"), replay="recorded")


class TestKeys:
    def parts(self, project: UserProject, **overrides: Any) -> dict[str, Any]:
        found = compiled(project, project.root / "evals/desk.suite.yaml", **overrides)
        (source,) = found.plan.sources
        (agent,) = agent_fingerprints(found.plan).values()
        return trial_parts(found.cases["find"], source, 0, agent)

    def test_of_replays_cover_the_mode_and_the_recorded_results(self, project: UserProject) -> None:
        suite(project)
        trace(project)
        live, harness = self.parts(project), self.parts(project, replay="harness")
        trace(project, result="table 8")
        assert self.parts(project)["replay"] != live["replay"] != harness["replay"]

    def test_of_other_cases_are_as_they_were(self, project: UserProject) -> None:
        project.case("one")
        found = compiled(project, project.suite())
        (source,) = found.plan.sources
        assert isinstance(source, Source)
        parts = trial_parts(found.cases["one"], source, 0, agent_fingerprints(found.plan)["shop"])
        assert sorted(parts) == ["agent", "case", "contract", "format", "input", "record", "source", "trial"]

    def test_are_no_use_for_a_replay_that_ran_out_of_time(self) -> None:
        ref = TrialRef("a", "c", 0)
        late, done = (Trajectory(Ending.COMPLETED, out_of_time=late) for late in (True, False))
        assert [_is_answer(NewTrial(ref, each, "k", cacheable=True)) for each in (late, done)] == [False, True]
