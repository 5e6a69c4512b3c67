"""``proctor capture``: which rows are written, what is asked, and what is refused before the agent is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from user_project import Ended, UserProject

ANSWER = """
    if said == "raise":
        raise ValueError("the shop is closed")
    if said == "refuse":
        from proctor.errors import AgentRefused
        raise AgentRefused("blocked by policy")
    if said == "nothing":
        return None, []
    call = {"name": "sell", "arguments": {"what": said}, "id": "c1", "result": {"price": 3}}
    return {"reply": "You said " + said, "tool_calls": [call], "usage": {"input_tokens": 7, "output_tokens": 2}}"""


def question(name: str, said: str = "tea", **more: Any) -> dict[str, Any]:
    return {"id": name, "dimension": "task_completion", "input": said, "must_include": [said], **more}


def write(project: UserProject, rows: Iterable[dict[str, Any]]) -> None:
    project.write("evals/questions.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def capture(project: UserProject, *flags: str, out: str = "rows.jsonl") -> Ended:
    return project.proctor("capture", "evals/questions.jsonl", "--agent", "shop:agent", "--out", out, *flags)


def rows_of(project: UserProject, out: str = "rows.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.root / out).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def shop(project: UserProject) -> UserProject:
    """Two questions, and an agent that sells what it is asked for."""
    project.agent(ANSWER)
    write(project, [question("one", tags=["hot"]), question("two", "café")])
    return project


class TestTheRows:
    def test_have_the_question_and_what_was_observed(self, shop: UserProject) -> None:
        ended = capture(shop)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.splitlines() == [
            "wrote 2 rows to rows.jsonl: 2 questions to the agent agent",
            "answers: 2 played",
            "next: proctor run rows.jsonl",
        ]
        (run,) = shop.proctor("runs", "--format", "json").json()
        first, second = rows_of(shop)
        assert first.pop("latency_ms") > 0
        assert first == {
            **question("one", tags=["hot"]),
            "agent_output": "You said tea",
            "tool_calls": [{"name": "sell", "arguments": {"what": "tea"}, "id": "c1", "result": {"price": 3}}],
            "trial_id": f"{run['id']}/one#1",
            "usage": {"input_tokens": 7, "output_tokens": 2},
        }
        assert (second["id"], second["agent_output"]) == ("two", "You said café")

    def test_can_be_run(self, shop: UserProject) -> None:
        capture(shop)
        assert shop.run("rows.jsonl").code == 0

    def test_of_several_trials_share_a_case(self, shop: UserProject) -> None:
        write(shop, [question("one"), question("two", case_id="both")])
        ended = capture(shop, "--runs", "2")
        assert "wrote 4 rows to rows.jsonl: 2 questions to the agent agent" in ended.out
        names = [(row["id"], row["case_id"], row["trial_id"].split("/")[1]) for row in rows_of(shop)]
        assert names == [
            ("one#1", "one", "one#1"),
            ("one#2", "one", "one#2"),
            ("two#1", "both", "two#1"),
            ("two#2", "both", "two#2"),
        ]
        assert shop.run("rows.jsonl").code == 0
        (dimension,) = shop.results("rows")["summary"]["dimensions"]
        assert dimension["reliability"]["repeated"] == 2

    def test_are_asked_one_by_one_even_where_two_ask_the_same(self, shop: UserProject) -> None:
        write(shop, [question("a", case_id="c"), question("b", case_id="c")])
        capture(shop)
        assert shop.calls == ["tea", "tea"]
        assert [row["id"] for row in rows_of(shop)] == ["a", "b"]

    def test_keep_nothing_of_an_earlier_answer(self, shop: UserProject) -> None:
        old = {
            "agent_output": "old",
            "human_label": True,
            "cost_usd": 9,
            "observed_state": {},
            "_capture_error": "boom",
        }
        write(shop, [question("one", **old, team="blue")])
        ended = capture(shop)
        assert (ended.code, ended.err) == (0, "")
        (row,) = rows_of(shop)
        assert row["agent_output"] == "You said tea"
        assert row["team"] == "blue"
        assert row.keys().isdisjoint(old.keys() - {"agent_output"})

    def test_have_an_empty_answer_where_the_agent_gave_none(self, shop: UserProject) -> None:
        write(shop, [question("one", "nothing")])
        capture(shop)
        (row,) = rows_of(shop)
        assert (row["agent_output"], row["tool_calls"]) == ("", [])
        assert "usage" not in row

    def test_survive_odd_texts(self, shop: UserProject) -> None:
        shop.agent('return "\\ud83d \\x1b[2J \\u2028 ü", []')
        shop.write("evals/questions.jsonl", '\ufeff{"id": "\\ud83d", "dimension": "pii", "input": "hm"}\r\n\r\n')
        assert capture(shop).code == 0
        (row,) = [json.loads(line) for line in (shop.root / "rows.jsonl").read_bytes().splitlines()]
        assert (row["id"], row["agent_output"]) == ("\ud83d", "\ud83d \x1b[2J \u2028 ü")
        assert shop.proctor("validate", "rows.jsonl").code == 0

    def test_are_counted_for_machines(self, shop: UserProject) -> None:
        found = capture(shop, "--format", "json").json()
        (run,) = shop.proctor("runs", "--format", "json").json()
        assert found == {
            "run_id": run["id"],
            "rows": 2,
            "errored": 0,
            "refused": 0,
            "played": 2,
            "cached": 0,
            "stored": 0,
            "resumed": False,
            "out": "rows.jsonl",
            "agent": "agent",
        }


class TestTrialsWithoutAnAnswer:
    def test_that_errored_are_written_and_end_with_3(self, shop: UserProject) -> None:
        write(shop, [question("one"), question("two", "raise")])
        ended = capture(shop)
        assert ended.code == 3
        assert ended.err == (
            "error: the agent could not be run in 1 of 2 trials\n"
            "  hint: _capture_error in those rows says why, and a release refuses them; start again with --force\n"
        )
        row = rows_of(shop)[1]
        assert row["_capture_error"] == "ValueError: the shop is closed"
        assert row["agent_output"] == ""
        assert row.keys().isdisjoint({"latency_ms", "usage", "cost_usd"})

    def test_that_errored_are_refused_by_a_release(self, shop: UserProject) -> None:
        write(shop, [question("one", "raise")])
        capture(shop)
        ended = shop.run("rows.jsonl")
        assert ended.code == 2
        assert '[capture_error] _capture_error: the agent could not be run for this row: "ValueError: the' in ended.err

    def test_that_errored_are_asked_again_and_the_others_are_not(self, shop: UserProject) -> None:
        write(shop, [question("one"), question("two", "raise")])
        capture(shop)
        shop.forget_calls()
        ended = capture(shop, "--force")
        assert shop.calls == ["raise"]
        assert "answers: 1 played, 1 from the cache" in ended.out

    def test_that_a_content_filter_stopped_are_results(self, shop: UserProject) -> None:
        write(shop, [question("one", "refuse")])
        ended = capture(shop)
        assert (ended.code, ended.err) == (0, "")
        assert "1 answer stopped by a content filter: empty, with the reason in _capture_refused" in ended.out
        (row,) = rows_of(shop)
        assert (row["agent_output"], row["_capture_refused"]) == ("", "AgentRefused: blocked by policy")
        assert shop.run("rows.jsonl").code == 1


class TestTheCache:
    def test_serves_a_second_capture(self, shop: UserProject) -> None:
        capture(shop)
        shop.forget_calls()
        assert "answers: 2 from the cache" in capture(shop, "--force").out
        assert shop.calls == []

    def test_is_passed_over_when_asked_to(self, shop: UserProject) -> None:
        capture(shop)
        assert "answers: 2 played" in capture(shop, "--force", "--refresh").out

    def test_does_not_look_at_how_an_answer_is_scored(self, shop: UserProject) -> None:
        capture(shop)
        write(shop, [question("two", "café", must_include=["cake"]), question("one", tags=["cold"])])
        assert "answers: 2 from the cache" in capture(shop, "--force").out
        assert [row["must_include"] for row in rows_of(shop)] == [["cake"], ["tea"]]

    def test_has_an_answer_for_each_trial(self, shop: UserProject) -> None:
        capture(shop)
        assert "answers: 2 played, 2 from the cache" in capture(shop, "--force", "--runs", "2").out


class TestASelection:
    def test_leaves_rows_out(self, shop: UserProject) -> None:
        write(shop, [question("one", tags=["hot"]), question("two", input=None)])
        assert "1 question to" in capture(shop, "--tag", "hot").out
        assert [row["id"] for row in rows_of(shop)] == ["one"]
        assert "1 question to" in capture(shop, "--force", "--select", "one").out

    def test_that_selects_nothing_is_refused(self, shop: UserProject) -> None:
        ended = capture(shop, "--select", "nobody")
        assert ended.code == 2
        assert ended.err.startswith("error: no row to ask: --select nobody selects none\n")


class TestRefusedBeforeTheAgentIsAsked:
    def check(self, project: UserProject, ended: Ended, told: str) -> None:
        assert (ended.code, ended.out) == (2, "")
        assert told in ended.err
        assert project.calls == []
        assert not (project.root / "rows.jsonl").exists()

    def test_a_row_without_an_input(self, shop: UserProject) -> None:
        row = {"id": "a", "dimension": "pii"}
        write(shop, [row, {**row, "id": "b", "input": None}, {**row, "id": "c", "input": " "}, question("d")])
        ended = capture(shop)
        self.check(shop, ended, "3 errors in 1 file")
        hint = "(add what a user says, or leave the row out with --select or --tag)"
        told = f"error [missing_input] input: the row has no input, so there is nothing to ask the agent {hint}"
        assert ended.err.splitlines()[:3] == [
            f"evals/questions.jsonl:1:1: {told}",
            f"evals/questions.jsonl:2:42: {told}",
            f"evals/questions.jsonl:3:42: {told}",
        ]

    @pytest.mark.parametrize(
        ("row", "told"),
        [
            (question("a", must_include="tea"), "evals/questions.jsonl:1:77: error [bad_type] must_include"),
            (question("a", said=["tea"]), "evals/questions.jsonl:1:54: error [bad_type] input"),  # type: ignore[arg-type]
            (question("a", dimension="taste"), "error [unknown_dimension] dimension"),
            (question(""), "error [missing_id] id"),
            (question("a", tags="hot"), "error [bad_type] tags"),
        ],
    )
    def test_a_row_that_could_not_be_scored_afterwards(self, shop: UserProject, row: dict[str, Any], told: str) -> None:
        write(shop, [row])
        self.check(shop, capture(shop), told)

    def test_a_line_that_is_no_row_and_an_id_that_is_there_twice(self, shop: UserProject) -> None:
        row = json.dumps(question("a"))
        shop.write("evals/questions.jsonl", f"{row}\n{{\n[1]\n{row}\n")
        ended = capture(shop)
        self.check(shop, ended, "3 errors in 1 file")
        assert [line.split("[")[1].split("]")[0] for line in ended.err.splitlines()[:3]] == [
            "invalid_json", "not_an_object", "duplicate_id",
        ]  # fmt: skip

    def test_a_file_that_is_there_unless_it_may_be_replaced(self, shop: UserProject) -> None:
        shop.write("there.jsonl", "mine")
        ended = capture(shop, out="there.jsonl")
        self.check(
            shop, ended, "error: there.jsonl exists already\n  hint: name another file with --out, or replace it"
        )
        assert capture(shop, "--force", out="there.jsonl").code == 0
        assert len(rows_of(shop, "there.jsonl")) == 2

    def test_a_place_that_is_no_file_or_is_not_there(self, shop: UserProject) -> None:
        self.check(shop, capture(shop, "--force", out="evals"), "error: evals exists already")
        self.check(shop, capture(shop, out="a/b/rows.jsonl"), "error: the folder of a/b/rows.jsonl is not there")

    def test_the_questions_are_never_replaced(self, shop: UserProject) -> None:
        ended = capture(shop, "--force", out="evals/../evals/questions.jsonl")
        self.check(shop, ended, "error: evals/../evals/questions.jsonl holds the questions themselves")

    def test_something_that_is_no_data_set(self, shop: UserProject) -> None:
        shop.case("live")
        ended = shop.proctor("capture", "evals/live.yaml", "--agent", "shop:agent", "--out", "rows.jsonl")
        self.check(shop, ended, "error: evals/live.yaml has no recorded rows to ask again")

    def test_no_agent(self, shop: UserProject) -> None:
        ended = shop.proctor("capture", "evals/questions.jsonl", "--out", "rows.jsonl")
        self.check(shop, ended, "names no agent to evaluate")

    def test_several_agents(self, shop: UserProject) -> None:
        shop.write(
            "evals/two.suite.yaml", "specs: [questions.jsonl]\nagents: {left: 'shop:agent', right: 'shop:agent'}\n"
        )
        command = ("capture", "evals/two.suite.yaml", "--out", "rows.jsonl")
        ended = shop.proctor(*command)
        self.check(
            shop, ended, "error: a captured file holds the answers of one agent\n  hint: pick one with --agent: left,"
        )
        assert "to the agent right" in shop.proctor(*command, "--agent", "right").out

    def test_a_state_that_nobody_will_have_observed_is_warned_of(self, shop: UserProject) -> None:
        write(shop, [question("a", dimension="action_correctness", expected_state={"sold": 1})])
        ended = capture(shop)
        assert ended.code == 0
        assert "warning [no_observed_state] expected_state: expected_state cannot be verified" in ended.err


class TestTheRun:
    def test_is_listed_as_a_capture(self, shop: UserProject) -> None:
        capture(shop, "--select", "one")
        line = shop.proctor("runs").out
        assert "  captured            capture-questions  --select one\n" in line

    def test_is_no_baseline_and_has_no_report(self, shop: UserProject) -> None:
        capture(shop)
        [run] = json.loads(shop.proctor("runs", "--format", "json").out)
        ended = shop.proctor("accept", run["id"])
        assert ended.code == 2
        assert (
            "recorded answers and evaluated nothing, so it cannot be a baseline\n  hint: proctor run on the"
            in ended.err
        )
        ended = shop.proctor("report", run["id"])
        assert ended.code == 2
        assert (
            "recorded answers and evaluated nothing, so it has no result\n  hint: proctor run on the rows" in ended.err
        )

    def test_is_never_the_latest_run(self, shop: UserProject) -> None:
        capture(shop)
        ended = shop.proctor("accept", "latest")
        assert ended.code == 2
        assert "the store holds captures only, and no evaluation" in ended.err

    def test_says_nothing_about_what_did_not_pass(self, shop: UserProject) -> None:
        capture(shop)
        shop.write("evals/rows.jsonl", (shop.root / "rows.jsonl").read_bytes())
        assert shop.run("evals/rows.jsonl", "--failed").code == 3  # nothing has failed yet, so nothing runs
