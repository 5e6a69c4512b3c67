"""``proctor convert``: a run becomes fixtures or rows, a fixture becomes rows, and the rest is refused or left out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from user_project import Ended, UserProject

ANSWER = """
    if said == "raise":
        raise ValueError("the shop is closed")
    if said == "refuse":
        from proctor.errors import AgentRefused
        raise AgentRefused("blocked by policy")
    call = {"name": "sell", "arguments": {"what": said}, "id": "c1", "result": {"price": 3}}
    return {"reply": "You said " + said, "tool_calls": [call], "usage": {"input_tokens": 7, "output_tokens": 2}}"""

NO_TRIAL = "it says what is asked and checked, and holds no recorded trial"


def convert(project: UserProject, to: str, out: str, source: str = "latest", *flags: str) -> Ended:
    return project.proctor("convert", source, "--to", to, "--out", out, *flags)


def lines(project: UserProject, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.root / name).read_text(encoding="utf-8").split("\n")[:-1]]


def names(project: UserProject, folder: str) -> list[str]:
    return sorted(path.name for path in (project.root / folder).iterdir())


@pytest.fixture
def shop(project: UserProject) -> UserProject:
    """A run of two cases with two trials each."""
    project.agent(ANSWER)
    project.case("one", user="tea")
    project.case("two", user="cake", more="- user: more")
    project.suite("runs: 2\n")
    project.run()
    return project


class TestARunToFixtures:
    def test_is_one_a_trial(self, shop: UserProject) -> None:
        ended = convert(shop, "pi", "fixtures")
        (run,) = shop.proctor("runs", "--format", "json").json()
        assert ended.code == 0
        assert ended.out.splitlines() == [
            f"read 4 trials of run {run['id']}, wrote 4 fixtures to fixtures",
            "next: proctor validate fixtures",
        ]
        assert ended.err == (
            "warning: systemPromptHash: is no SHA-256 in hex, so nobody can tell whether the system prompt has changed "
            "since (4 fixtures)\n"
        )
        assert names(shop, "fixtures") == ["one-1.jsonl", "one-2.jsonl", "two-1.jsonl", "two-2.jsonl"]
        meta, *turns, last = lines(shop, "fixtures/two-2.jsonl")
        assert (meta["fixtureId"], meta["recordedAt"]) == ("two#2", run["started_at"])
        assert meta["scenario"] == f"Trial 2 of two with the agent shop, run {run['id']}"
        assert [turn["content"] for turn in turns if turn["role"] == "user"] == ["cake", "more"]
        assert last["assertions"][-1] == {"kind": "trace_max_turns", "max": 8}

    def test_can_be_validated_and_run(self, shop: UserProject) -> None:
        convert(shop, "pi", "fixtures")
        assert shop.proctor("validate", "fixtures").code == 0
        assert shop.run("fixtures").code == 0

    def test_leaves_out_what_did_not_complete(self, shop: UserProject) -> None:
        shop.case("three", user="raise")
        shop.case("four", user="refuse")
        shop.run()
        ended = convert(shop, "pi", "fixtures")
        assert "left out: 2 trials that could not be run" in ended.out.splitlines()
        assert "left out: 2 trials that a content filter stopped" in ended.out.splitlines()
        assert len(names(shop, "fixtures")) == 4

    def test_of_a_run_of_fixtures_is_refused_as_they_are_there(self, shop: UserProject) -> None:
        convert(shop, "pi", "fixtures")
        shop.run("fixtures")
        ended = convert(shop, "pi", "again")
        assert (ended.code, ended.out) == (2, "")
        assert "left out: 4 trials from a pi fixture, which is there already" in ended.err
        assert convert(shop, "assevra", "again.jsonl").code == 0

    def test_tells_agents_and_odd_cases_apart(self, shop: UserProject) -> None:
        shop.write("evals/odd.yaml", 'id: "../A b"\nturns:\n- user: tea\n')
        shop.write("evals/even.yaml", 'id: "a/B"\nturns:\n- user: tea\n')
        shop.write(
            "evals/x.suite.yaml", "specs: [odd.yaml, even.yaml]\nagents: {old: 'shop:agent', new: 'shop:agent'}\n"
        )
        shop.run("evals/x.suite.yaml")
        assert convert(shop, "pi", "fixtures").code == 0
        assert len(names(shop, "fixtures")) == 4
        assert names(shop, "fixtures")[0] == "new-A-b-1.jsonl"
        assert shop.proctor("validate", "fixtures").code == 0


class TestARunToRows:
    def test_is_one_for_each_dimension_that_was_observed(self, shop: UserProject) -> None:
        ended = convert(shop, "assevra", "rows.jsonl")
        (run,) = shop.proctor("runs", "--format", "json").json()
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.splitlines() == [
            f"read 4 trials of run {run['id']}, wrote 28 rows to rows.jsonl",
            "  safety                  4 rows  add should_refuse",
            "  pii                     4 rows  needs no label",
            "  task_completion         4 rows  add must_include",
            "  tool_call               4 rows  add expected_tool_calls, allowed_tools, forbidden_tools or tool_schemas",
            "  action_correctness      4 rows  add expected_actions, forbidden_actions or expected_state",
            "  cost                    4 rows  add cost_budget_usd, or budgets.cost_usd in .assevra.yml",
            "  latency                 4 rows  add latency_budget_ms, or budgets.latency_ms in .assevra.yml",
            "next: proctor validate rows.jsonl",
        ]
        found = {row["id"]: row for row in lines(shop, "rows.jsonl")}
        assert found["two#1:tool_call"] == {
            "id": "two#1:tool_call",
            "dimension": "tool_call",
            "case_id": "two",
            "input": "cake\nmore",
            "agent_output": "You said more",
            "tool_calls": [{"name": "sell", "arguments": {"what": said}, "id": "c1"} for said in ("cake", "more")],
        }
        assert found["two#1:cost"]["usage"] == {"input_tokens": 14, "output_tokens": 4}
        assert shop.proctor("validate", "rows.jsonl").code == 0


class TestAFixture:
    def test_becomes_rows_without_times_that_it_does_not_have(self, shop: UserProject) -> None:
        convert(shop, "pi", "fixtures")
        ended = convert(shop, "assevra", "rows.jsonl", "fixtures/one-1.jsonl")
        assert ended.code == 0
        assert ended.out.splitlines()[0] == "read 1 trial of fixtures/one-1.jsonl, wrote 6 rows to rows.jsonl"
        assert [row["dimension"] for row in lines(shop, "rows.jsonl")] == [
            *("safety", "pii", "task_completion", "tool_call", "action_correctness", "cost")
        ]

    def test_is_no_source_of_fixtures(self, shop: UserProject) -> None:
        convert(shop, "pi", "fixtures")
        ended = convert(shop, "pi", "again", "fixtures/one-1.jsonl")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines() == [
            "error: fixtures/one-1.jsonl cannot be converted to pi: it is a pi fixture already",
            "  hint: proctor validate fixtures/one-1.jsonl checks it",
        ]


class TestSecrets:
    KEY = "sk-ant-abcdefghijklmnopqrstuvwxyz"

    @pytest.mark.parametrize(("to", "out"), [("pi", "out"), ("assevra", "out.jsonl")])
    def test_are_masked_and_told(self, project: UserProject, to: str, out: str) -> None:
        project.agent(ANSWER)
        project.case("one", user=self.KEY)
        project.suite()
        project.run()
        ended = convert(project, to, out)
        assert "(3 anthropic-key); --no-mask keeps them" in ended.out or "(4 anthropic-key)" in ended.out
        kept = convert(project, to, f"kept-{out}", "latest", "--no-mask")
        assert "masked" not in kept.out
        written = [project.root / name for name in (out, f"kept-{out}")]
        texts = [(path / "one-1.jsonl" if path.is_dir() else path).read_text() for path in written]
        assert [self.KEY in text for text in texts] == [False, True]


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("source", "to", "out", "message"),
        [
            ("latest", "pi", "evals", "evals exists already"),
            ("latest", "assevra", "rows", "rows does not end in .jsonl"),
            ("latest", "pi", "no/fixtures", "the folder of no/fixtures is not there"),
            ("zzz", "pi", "fixtures", "no run has an id that begins with 'zzz'"),
            ("no.jsonl", "pi", "fixtures", "no.jsonl does not exist"),
            ("evals", "pi", "fixtures", "evals is no regular file"),
            ("shop.py", "pi", "fixtures", "shop.py is of no format that is known here"),
            (
                "evals/one.yaml",
                "pi",
                "fixtures",
                f"evals/one.yaml cannot be converted to pi: {NO_TRIAL}",
            ),
        ],
    )
    def test_is_told(self, shop: UserProject, source: str, to: str, out: str, message: str) -> None:
        before = sorted(path.name for path in shop.root.iterdir())
        ended = convert(shop, to, out, source)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines()[0] == f"error: {message}"
        assert ended.err.splitlines()[1].startswith("  hint: ")
        assert sorted(path.name for path in shop.root.iterdir()) == before

    def test_is_a_run_of_rows_alone(self, project: UserProject) -> None:
        rows = [
            {"id": name, "dimension": "pii", "agent_output": said} for name, said in (("a", "hi"), ("b", "a@b.example"))
        ]
        project.write("evals/rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        project.run("evals/rows.jsonl")
        ended = convert(project, "pi", "fixtures")
        assert ended.code == 2
        why = "a row records one answer, not the order of messages and calls"
        assert ended.err.splitlines()[0].endswith(f"has no trial to convert; left out: 2 recorded rows ({why})")

    def test_is_an_unknown_target(self, shop: UserProject) -> None:
        assert convert(shop, "yaml", "out").code == 2
