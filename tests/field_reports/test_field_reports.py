"""Inputs on which tools of this kind went wrong in public, end to end. The ids are those of our collection."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from recorded_traces import assistant, booking, fixture, text, user
from user_project import UserProject

import proctor
from proctor.config import load_project
from proctor.judges.scripted import ScriptedJudge

Messages = list[dict[str, str]]


class Page(HTMLParser):
    """The elements, attribute values and texts of a page, as a browser would see them."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[str] = []
        self.text = ""
        self.title = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += [value or "" for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.tags[-1:] == ["title"] and not self.title:
            self.title = data


class TestH01TextInAnyEncodingOfTheMachine:
    """A spec is read as UTF-8, and reports are written in it, whatever the machine's own encoding is."""

    CASE = 'id: tōkyō-table\nturns: [{user: "東京で二名 — 19時", expect: {reply_contains_all: ["予約"]}}]\n'

    def test_an_ascii_terminal_gets_marks_and_the_reports_get_the_characters(self, project: UserProject) -> None:
        project.agent('return "予約できません — " + said, []')
        project.write("evals/tōkyō.yaml", self.CASE.replace("予約", "承知"))
        process = project.start("run", "evals", "--agent", "shop:agent", LC_ALL="C", PYTHONUTF8="0")
        out, err = process.communicate()
        assert process.returncode == 1, err
        assert not err
        assert "t?ky?-table" in out.decode("ascii")
        kinds = ("html", "markdown", "junit", "json")
        texts = [project.report(kind, "evals").read_text(encoding="utf-8") for kind in kinds]
        for page in texts:
            assert "tōkyō-table" in page
            assert "承知" in page
            assert "\\u" not in page.replace("\\u003c", "").replace("\\u002d", "")
        assert "東京で二名 — 19時" in texts[0]
        assert project.calls == ["東京で二名 — 19時"]

    def test_a_problem_is_told_on_an_ascii_terminal(self, project: UserProject) -> None:
        project.write("evals/one.yaml", self.CASE.replace("turns", "türns"))
        process = project.start("validate", "evals", LC_ALL="C", PYTHONUTF8="0")
        _, err = process.communicate()
        assert process.returncode == 2
        assert "evals/one.yaml:2:1: error [unknown_field] t?rns: unknown field 't?rns' (did you mean 'turns'?" in (
            err.decode("ascii")
        )


class TestH02AByteOrderMark:
    """A byte-order mark in front of a file is no part of its first key."""

    def test_changes_nothing(self, project: UserProject) -> None:
        project.write("evals/one.yaml", b"\xef\xbb\xbfid: one\r\nturns: [{user: hi}]\r\n")
        assert project.run("evals", "--agent", "shop:agent").code == 0
        assert [case["case"] for case in project.results("evals")["cases"]] == ["one"]

    def test_changes_nothing_in_a_suite(self, project: UserProject) -> None:
        project.case("one")
        project.suite().write_bytes(b"\xef\xbb\xbfspecs: [one.yaml]\nagents: {shop: 'shop:agent'}\n")
        assert project.run().code == 0

    def test_changes_nothing_in_a_data_set(self, project: UserProject) -> None:
        row = b'{"id":"r1","dimension":"latency","input":"q","agent_output":"ok","latency_ms":5,"latency_budget_ms":9}'
        project.write("evals/bom.jsonl", b"\xef\xbb\xbf" + row + b"\n")
        assert project.run("evals/bom.jsonl").code == 0
        assert project.results("bom")["summary"]["trials"]["passed"] == 1

    def test_of_a_trace_is_told_and_hides_no_record(self, project: UserProject) -> None:
        """What the format says: it is an error, and what the rest of the file says is told as if it were not there."""
        project.write("evals/bom.jsonl", b"\xef\xbb\xbf" + booking("bom").encode())
        ended = project.run("evals")
        assert ended.code == 2
        assert ended.err == (
            "evals/bom.jsonl:1:1: error [byte_order_mark] the file begins with a byte order mark "
            "(save the file as UTF-8 without one)\n1 error in 1 file\n"
        )


class TestH03BlankAndBrokenLines:
    """Blank lines of a data set are passed over and counted; a broken one is named by its line and column."""

    GOOD = '{"id":"r1","dimension":"task_completion","agent_output":"blue","must_include":["blue"]}'
    CUT = '{"id":"r2","dimension":'

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_the_broken_line_is_named(self, project: UserProject, end: str) -> None:
        project.write("evals/rows.jsonl", end.join([self.GOOD, "", "   ", self.CUT]))
        ended = project.run("evals/rows.jsonl")
        assert ended.code == 2
        assert ended.err.splitlines()[0].startswith("evals/rows.jsonl:4:24: error [invalid_json] ")
        assert ended.err.splitlines()[-1] == "1 error in 1 file"

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("last", ["", "\n"])
    def test_all_rows_run_when_it_is_mended(self, project: UserProject, end: str, last: str) -> None:
        mended = self.GOOD.replace("r1", "r2")
        project.write("evals/rows.jsonl", end.join([self.GOOD, "", "   ", mended]) + last)
        assert project.run("evals/rows.jsonl").code == 0
        assert project.results("rows")["summary"]["trials"]["passed"] == 2


class TestH04TwoCasesWithOneId:
    """Two cases with one id are refused before anything runs, and both places are named."""

    def test_are_refused(self, project: UserProject) -> None:
        project.write("evals/one.yaml", "id: dup\nturns: [{user: blue}]\n")
        project.write("evals/two.yaml", "\n\nid: dup\nturns: [{user: red}]\n")
        ended = project.run("evals", "--agent", "shop:agent")
        assert ended.code == 2
        assert "evals/two.yaml:3:1: error [duplicate_id] id: the id 'dup' is already used in evals/one.yaml:1:1" in (
            ended.err
        )
        assert project.calls == []

    def test_are_refused_in_a_data_set(self, project: UserProject) -> None:
        rows = [
            {"id": "dup", "dimension": "task_completion", "input": "q", "agent_output": said, "must_include": ["blue"]}
            for said in ("blue", "red")
        ]
        project.write("evals/rows.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
        ended = project.run("evals/rows.jsonl")
        assert ended.code == 2
        assert ended.err.startswith(
            'evals/rows.jsonl:2:8: error [duplicate_id] id: the id "dup" is used already in evals/rows.jsonl:1'
        )
        assert project.proctor("runs").out == "no runs yet: start one with proctor run\n"


def scored(project: UserProject, **fields: object) -> tuple[str, str]:
    """The outcome of one recorded row of tool calls, and the reason."""
    row = {"id": "t0", "dimension": "tool_call", "input": "q", "agent_output": "done", **fields}
    project.write("evals/rows.jsonl", json.dumps(row) + "\n")
    code = project.run("evals/rows.jsonl").code
    if code == 0:
        return "passed", ""
    [case] = project.results("rows")["cases"]
    [check] = case["trials"][0]["checks"]
    return check["outcome"], check["reason"]


class TestH05NoCallAtAll:
    """An agent that called nothing has not called what it should have."""

    def test_fails(self, project: UserProject) -> None:
        wanted = [{"name": "lookup", "arguments": {"id": 7}}]
        assert scored(project, tool_calls=[], expected_tool_calls=wanted) == (
            "failed", 'a call of "lookup" with {"id": 7} is expected; it was never called',
        )  # fmt: skip


class TestH06RepeatedCallsOfOneTool:
    """Arguments are looked for in every call of a tool, not only in the first one."""

    def test_the_second_call_may_have_them(self, project: UserProject) -> None:
        project.agent(
            'return "done", [{"name": "lookup", "arguments": {"order": order}} for order in ("A", "B")]',
        )
        project.case("second", "  expect: {tool_calls_args: [{tool: lookup, args: {order: B}}]}\n")
        project.case("third", "  expect: {tool_calls_args: [{tool: lookup, args: {order: C}}]}\n")
        project.suite()
        assert project.run().code == 1
        outcomes = {case["case"]: case["outcome"] for case in project.results()["cases"]}
        assert outcomes == {"second": "passed", "third": "failed"}

    def test_a_name_listed_twice_needs_two_calls_only_in_order(self, project: UserProject) -> None:
        project.agent('return "done", ["lookup"]')
        project.case("unordered", "  expect: {tool_calls_include: [lookup, lookup]}\n")
        project.case("ordered", "  expect: {tool_calls_include: [lookup, lookup], tool_calls_ordered: true}\n")
        project.suite()
        project.run()
        outcomes = {case["case"]: case["outcome"] for case in project.results()["cases"]}
        assert outcomes == {"unordered": "passed", "ordered": "failed"}

    def test_a_recorded_call_that_is_expected_twice_has_to_be_made_twice(self, project: UserProject) -> None:
        call = {"name": "lookup", "arguments": {"id": 7}}
        assert scored(project, tool_calls=[call], expected_tool_calls=[call, call]) == (
            "failed",
            'one more call of "lookup" with {"id": 7} is expected; 1 made, and each counts for one expected call only',
        )
        assert scored(project, tool_calls=[call, call], expected_tool_calls=[call, call])[0] == "passed"


class TestH07TheOrderOfExpectedCalls:
    """Which made call meets which expected one does not depend on the order in which they are listed."""

    MADE = ({"name": "book", "arguments": {"a": 1, "b": 2}}, {"name": "book", "arguments": {"a": 1, "b": 9}})
    WANTED = ({"name": "book", "arguments": {"a": 1}}, {"name": "book", "arguments": {"a": 1, "b": 2}})

    @pytest.mark.parametrize("made", [MADE, MADE[::-1]])
    @pytest.mark.parametrize("wanted", [WANTED, WANTED[::-1]])
    def test_does_not_matter(self, project: UserProject, made: tuple[object, ...], wanted: tuple[object, ...]) -> None:
        assert scored(project, tool_calls=[*made], expected_tool_calls=[*wanted])[0] == "passed"


class TestH08ARefusalThatNamesTheTool:
    """A tool that is only named in the reply was not called."""

    def test_passes(self, project: UserProject) -> None:
        project.agent('return "I will not run delete_repo for you.", []')
        project.case("one", "  expect: {tool_calls_exclude: [delete_repo]}\n")
        project.suite()
        assert project.run().code == 0


class TestH09MarkupInAReply:
    """What an agent writes is text in the report, wherever it is shown."""

    REPLY = "1<2 </script><img src=x onerror=\"document.title='owned'\"> {{7*7}} <!--"

    def test_stays_text(self, project: UserProject) -> None:
        project.agent(f"return {self.REPLY!r}, []")
        project.write("evals/one.yaml", "id: 'a\"b<c>'\nturns: [{user: hi, expect: {reply_contains_any: [x1]}}]\n")
        project.suite()
        assert project.run().code == 1
        page = Page(project.report("html"))
        assert "img" not in page.tags
        assert "c" not in page.tags
        assert "owned" not in page.title
        assert self.REPLY in page.text
        assert 'a"b<c>' in page.text
        ElementTree.parse(project.report("junit"))


class TestH10ControlCharacters:
    """Control characters and lone surrogates become marks: JUnit parses, and no escape reaches the terminal."""

    def test_are_marked(self, project: UserProject) -> None:
        project.agent(r'return "a\x00b\x1b[31mred\ufffe \ud83d end 🚀", []')
        project.case("one", '  expect: {reply_contains_any: [nothing]}\ntags: ["t\\0\\e[31m"]\n')
        project.suite()
        ended = project.run()
        assert ended.code == 1
        assert "\x1b" not in ended.out
        assert "a<00>b<1B>[31mred<FFFE> <D83D> end 🚀" in ended.out
        [failure] = ElementTree.parse(project.report("junit")).iter("failure")
        assert "a<00>b<1B>[31mred<FFFE> <D83D> end 🚀" in "".join(failure.itertext())
        for kind in ("html", "markdown"):
            text = project.report(kind).read_text(encoding="utf-8")
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)
        assert "t<00><1B>[31m" in Page(project.report("html")).text

    def test_of_a_recorded_row_are_marked(self, project: UserProject) -> None:
        said = "a\x00b\x1b[31mred\ufffe \ud83d end 🚀"
        row = {"id": "r1", "dimension": "task_completion", "agent_output": said, "must_include": [said[::-1]]}
        project.write("evals/rows.jsonl", json.dumps({**row, "tags": [said]}) + "\n")
        ended = project.run("evals/rows.jsonl")
        assert ended.code == 1
        assert "\x1b" not in ended.out
        shown = "a<00>b<1B>[31mred<FFFE> <D83D> end 🚀"
        ElementTree.parse(project.report("junit", "rows"))
        for kind in ("html", "markdown"):
            text = project.report(kind, "rows").read_text(encoding="utf-8")
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)
        assert shown in Page(project.report("html", "rows")).text

    def test_the_json_report_keeps_what_was_said(self, project: UserProject) -> None:
        project.agent(r'return "a\x00b \ud83d", []')
        project.case("one")
        project.suite()
        project.run()
        [case] = project.results()["cases"]
        assert case["trials"][0]["trajectory"]["turns"][0]["reply"] == "a\x00b \ud83d"


class TestH11AnAgentThatCannotBeReached:
    """An outage is counted apart from failures, and is neither green nor red."""

    @pytest.fixture(params=["no gate", "a gate"])
    def ten(self, request: pytest.FixtureRequest, project: UserProject) -> UserProject:
        for number in range(10):
            project.case(f"case-{number}", "tags: [all]\n", user=f"ask {number}")
        project.suite("gates: {all: {tags: [all], threshold: 0.1}}\n" if request.param == "a gate" else "")
        return project

    def test_nine_of_ten_errored_could_not_evaluate(self, ten: UserProject) -> None:
        ten.agent('if said != "ask 9":\n        raise ConnectionError("no route")\n    return "ok", []')
        ended = ten.run()
        assert ended.code == 3
        assert "Could not evaluate" in ended.out
        assert "9 errored of 10 trials; allowed: none" in " ".join(ended.out.split())
        summary = ten.results()["summary"]
        assert summary["trials"] == {
            "passed": 1, "failed": 0, "errored": 9, "refused": 0, "unscored": 0, "skipped": 0,
        }  # fmt: skip
        tree = ElementTree.parse(ten.report("junit"))
        cases = [case for case in tree.iter("testcase") if re.fullmatch(r"case-\d", case.get("name", ""))]
        assert sum(case.find("error") is not None for case in cases) == 9
        assert not any(case.find("failure") is not None for case in cases)

    def test_all_errored_could_not_evaluate(self, ten: UserProject) -> None:
        ten.agent('raise ConnectionError("no route")')
        ended = ten.run()
        assert ended.code == 3
        assert ten.results()["summary"]["reason"] == "nothing was decided: 10 errored of 10 trials"
        assert not any(gate["status"] == "met" for gate in ten.results()["summary"]["gates"])

    def test_an_allowed_share_is_said(self, ten: UserProject) -> None:
        ten.agent('if said == "ask 9":\n        raise ConnectionError("no route")\n    return "ok", []')
        ten.suite("allow: {errored: 0.1}\n")
        assert ten.run().code == 0
        assert ten.results()["summary"]["reason"] == "9 of 10 cases passed; 1 errored of 10 trials, which is allowed"


class TestH12OneRuleBehindVerdictAndExitCode:
    """Cases are decided one by one; a mean over them decides nothing."""

    def test_a_mean_that_reaches_the_threshold_is_no_pass(self, project: UserProject) -> None:
        project.agent('return ("no" if said == "c" and CALLS.read_text().count("c\\n") > 2 else "ok"), []')
        for name in "abc":
            project.case(name, "  expect: {reply_contains_any: [ok]}\nruns: 5\nthreshold: 0.8\n", user=name)
        project.suite("concurrency: 1\n")
        ended = project.run()
        assert ended.code == 1
        assert "Failed: shop" in ended.out
        assert "1 of 3 cases did not pass: c" in ended.out
        [worst, *_] = project.results()["cases"]
        assert (worst["case"], worst["reason"]) == ("c", "2/5 passed, needs 4/5 (threshold 0.8)")


class TestH13ThresholdsBetweenFractions:
    """Two of three do not reach 0.67, and the counts say so."""

    def two_of_three(self, project: UserProject, threshold: str) -> UserProject:
        project.agent('return ("no" if CALLS.read_text().count("\\n") == 3 else "ok"), []')
        project.case("one", f"  expect: {{reply_contains_any: [ok]}}\nruns: 3\nthreshold: {threshold}\n")
        project.suite("concurrency: 1\n")
        return project

    def test_067_of_three_means_all(self, project: UserProject) -> None:
        ended = self.two_of_three(project, "0.67").run()
        assert ended.code == 1
        assert "shop/one failed, flaky: 2/3 passed, needs 3/3\n" in ended.out

    def test_066_of_three_means_two(self, project: UserProject) -> None:
        assert self.two_of_three(project, "0.66").run().code == 0
        assert project.results()["cases"][0]["reason"] == "2/3 passed, needs 2/3 (threshold 0.66)"

    def test_validate_says_so_beforehand(self, project: UserProject) -> None:
        self.two_of_three(project, "0.67")
        ended = project.proctor("validate", "evals")
        assert ended.code == 0
        assert (
            "evals/one.yaml:6:12: warning [threshold_means_all] threshold: 0.67 of 3 runs means 3 of 3: every run must "
            "pass (for 2 of 3 write 0.66)\n" in ended.err
        )


class TestH14FloatingPointSums:
    """Shares are compared by counts: no sum of rounding errors makes a regression."""

    @pytest.mark.parametrize(("passing", "code"), [(18, 0), (17, 0), (16, 1)])
    def test_seventeen_of_twenty_reach_085(self, project: UserProject, passing: int, code: int) -> None:
        for number in range(20):
            wanted = "hello" if number < passing else "nothing"
            project.case(f"case-{number}", f"  expect: {{reply_contains_any: [{wanted}]}}\ntags: [all]\n")
        project.suite("gates: {all: {tags: [all], threshold: 0.85}}\n")
        assert project.run().code == code
        [gate] = project.results()["summary"]["gates"]
        assert gate["reason"] == f"{passing} of 20 cases passed, needs 17"


class TestH15UserTextIsNoTemplate:
    """The agent and the judge get the text of the user byte for byte."""

    TEXT = "Explain {# this #} and {{ name }} and {% raw %} --- ${HOME} $(id) %s"

    def test_reaches_agent_and_judge_unchanged(self, project: UserProject) -> None:
        more = "  expect: {judge: {rubric: 'Is {{ polite }} ${HOME}'}}\n"
        path = project.case("one", more, user=json.dumps(self.TEXT))
        judge, heard = ScriptedJudge([True]), []

        def agent(messages: Messages) -> tuple[str, list[str]]:
            heard.append(messages[-1]["content"])
            return "ok", []

        assert proctor.evaluate(path, agent, judge=judge).passed
        assert heard == [self.TEXT]
        [prompt] = judge.prompts
        assert f"]\n{self.TEXT}\n[" in prompt
        assert "]\nIs {{ polite }} ${HOME}\n[" in prompt


class TestH16ScalarsThatAreNoText:
    """A scalar that YAML 1.1 reads as something else is refused at its place, with the value and the cure."""

    def test_are_all_refused_at_once(self, project: UserProject) -> None:
        project.write(
            "evals/one.yaml",
            "id: 0123\n"
            "tags: [no, on, 1e3, 2026-01-01]\n"
            "turns:\n"
            "- user: hi\n"
            "  expect:\n"
            "    reply_contains_any: [10:30, yes, null]\n",
        )
        ended = project.proctor("validate", "evals/one.yaml")
        assert ended.code == 2
        told = "evals/one.yaml:{}: error [wrong_type] {}: must be a text; '{}' is read as {} (put it in quotes: \"{}\")"
        assert ended.err.splitlines() == [
            told.format("1:5", "id", "0123", "83 (a number)", "0123"),
            told.format("2:8", "tags[0]", "no", "false", "no"),
            told.format("2:12", "tags[1]", "on", "true", "on"),
            told.format("2:21", "tags[3]", "2026-01-01", "2026-01-01 (a date)", "2026-01-01"),
            told.format("6:26", "turns[0].expect.reply_contains_any[0]", "10:30", "630 (a number)", "10:30"),
            told.format("6:33", "turns[0].expect.reply_contains_any[1]", "yes", "true", "yes"),
            told.format("6:38", "turns[0].expect.reply_contains_any[2]", "null", "null", "null"),
            "7 errors in 1 file",
        ]


class TestH17CachedTokensAreCountedOnce:
    """Cached tokens are no input tokens: there are four numbers, and each is added up by itself."""

    WANTED = {"input_tokens": 11, "output_tokens": 23, "cache_read_tokens": 95, "cache_write_tokens": 2}  # noqa: RUF012
    SHOWN = "tokens: 11 in, 95 read from the provider&#39;s cache, 2 written to it, 23 out"

    def seen(self, project: UserProject, slug: str) -> dict[str, int]:
        assert self.SHOWN in project.report("html", slug).read_text(encoding="utf-8")
        [case] = project.results(slug)["cases"]
        [trial] = case["trials"]
        for usage in (case["usage"], trial["trajectory"]["usage"]):
            assert {name: usage[name] for name in self.WANTED} == self.WANTED
        found: dict[str, int] = project.results(slug)["summary"]["usage"]
        return found

    def test_in_a_recorded_trace(self, project: UserProject) -> None:
        turns = [
            user("q"),
            assistant(text("a"), ledger=(10, 5, 2, 20)),
            user("q"),
            assistant(text("a"), ledger=(1, 90, 0, 3)),
        ]
        project.write("evals/trace.jsonl", fixture("trace", turns, {"kind": "trace_max_turns", "max": 4}))
        assert project.run("evals/trace.jsonl").code == 0
        assert self.seen(project, "trace") == self.WANTED

    def test_in_what_an_agent_tells(self, project: UserProject) -> None:
        project.agent(f'return {{"reply": said, "tool_calls": [], "usage": {self.WANTED!r}}}')
        project.case("one")
        for _ in range(2):  # the second time from the cache
            assert project.run("evals", "--agent", "shop:agent").code == 0
            assert self.seen(project, "evals") == self.WANTED


class TestH18UsageAfterAResume:
    """After a resume, tokens and money cover both halves."""

    ANSWER = """n = CALLS.read_text().count("\\n")
    if n > 10 and not Path(STOP).exists():
        import asyncio
        await asyncio.sleep(60)
    return {"reply": "ok", "tool_calls": [], "usage": {"input_tokens": 7, "output_tokens": 3, "cost_usd": "0.001"}}"""

    def test_equal_those_of_an_unbroken_run(self, project: UserProject, tmp_path: Path) -> None:
        stop = tmp_path / "go on"
        project.agent(self.ANSWER, before=f"STOP = {str(stop)!r}\n")
        for number in range(20):
            project.case(f"case-{number:02}", user=f"ask {number:02}")
        project.suite("concurrency: 1\n")
        process = project.start("run", "evals/shop.suite.yaml")
        deadline = time.monotonic() + 30
        while len(project.calls) < 11 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        stop.touch()
        resumed = project.run()
        assert "went on with run" in resumed.err
        halves = project.results()["summary"]
        assert sorted(set(project.calls)) == [f"ask {number:02}" for number in range(20)]
        assert len(project.calls) == 21  # the call that was under way had no answer
        project.run("evals/shop.suite.yaml", "--new", "--refresh")
        whole = project.results()["summary"]
        assert halves["run_id"] != whole["run_id"]
        assert halves["usage"] == whole["usage"] == {
            "input_tokens": 140, "output_tokens": 60, "cost_usd": "0.020",
        }  # fmt: skip
        assert halves["duration_s"] > 0


class TestH19WhatACacheKeyIsMadeOf:
    """A change of judge, rubric or agent is a miss; a comment, the order of keys or another case is a hit."""

    CASE = "id: one\nturns:\n- user: hello\n  expect:\n    judge: {rubric: Greets.}\n"
    AGENT = 'VERSION = "1"\nTEMPERATURE = 0.0\n\ndef look_up(order):\n    """Look an order up."""\n\n'

    @pytest.fixture
    def asked(self, project: UserProject) -> Callable[..., tuple[int, int]]:
        """Run, and count the calls of the agent and the questions to the judge."""
        project.write("evals/one.yaml", self.CASE)
        project.agent(before=self.AGENT)
        project.suite("judge: 'x:a'\n")

        class Yes(ScriptedJudge):
            version = "same"

        def run() -> tuple[int, int]:
            project.forget_calls()
            judge = Yes([True] * 3)
            evaluation = proctor.evaluate(
                project.root / "evals/shop.suite.yaml", judge=judge, project=load_project(project.root)
            )
            assert evaluation.passed, evaluation.summary.reason
            project.forget_modules()
            return len(project.calls), len(judge.questions)

        assert run() == (1, 1)
        assert run() == (0, 0)
        return run

    def test_the_judges_model(self, project: UserProject, asked: Callable[..., tuple[int, int]]) -> None:
        project.suite("judge: 'x:b'\n")
        assert asked() == (0, 1)

    def test_the_rubrics_last_full_stop(self, project: UserProject, asked: Callable[..., tuple[int, int]]) -> None:
        project.write("evals/one.yaml", self.CASE.replace("Greets.", "Greets"))
        assert asked() == (0, 1)

    @pytest.mark.parametrize(
        ("old", "new"),
        [('"1"', '"2"'), ("0.0", "0.1"), ("an order up", "some order up")],
        ids=["its version", "the temperature", "a tool's description"],
    )
    def test_the_agents(self, project: UserProject, asked: Callable[..., tuple[int, int]], old: str, new: str) -> None:
        project.agent(before=self.AGENT.replace(old, new))
        assert asked() == (1, 0)

    def test_the_version_that_a_suite_declares(
        self, project: UserProject, asked: Callable[..., tuple[int, int]]
    ) -> None:
        for version, calls in (("1", 1), ("1", 0), ("2", 1)):
            project.write(
                "evals/shop.suite.yaml",
                f"specs: ['*.yaml']\nagents: {{shop: {{python: 'shop:agent', version: '{version}'}}}}\njudge: 'x:a'\n",
            )
            assert asked() == (calls, 0)

    def test_nothing_else(self, project: UserProject, asked: Callable[..., tuple[int, int]]) -> None:
        project.write("evals/one.yaml", f"# why\n{self.CASE}tags: [new]\nthreshold: 0.5\n")
        assert asked() == (0, 0)
        project.write("evals/one.yaml", "turns: [{expect: {judge: {rubric: Greets.}}, user: hello}]\nid: one\n")
        assert asked() == (0, 0)
        project.case("two")
        assert asked() == (1, 0)


class TestH20RepeatsAreAnswersOfTheirOwn:
    """Five runs of one case are five answers, and a second start replays these five."""

    def test_each_trial_has_its_own(self, project: UserProject) -> None:
        project.agent('return "answer " + str(CALLS.read_text().count("\\n")), []')
        project.case("one", "runs: 5\n")
        project.suite()

        def replies() -> list[str]:
            [case] = project.results()["cases"]
            return [trial["trajectory"]["turns"][0]["reply"] for trial in case["trials"]]

        project.run()
        first = replies()
        assert sorted(first) == [f"answer {number}" for number in range(1, 6)]
        project.forget_calls()
        ended = project.run()
        assert project.calls == []
        assert replies() == first
        assert "5 of 5 trials came from the cache" in ended.out


class TestH21PathsOfOtherSystems:
    """An audio path is joined to its spec's folder as it is; no path gets into a name of ours."""

    @pytest.mark.parametrize(
        ("audio", "reached"),
        [
            (r"..\clips\t1.wav", r"{folder}/..\clips\t1.wav"),
            (r"C:\clips\t1.wav", r"{folder}/C:\clips\t1.wav"),
            ("../clips/t1.wav", "{folder}/../clips/t1.wav"),
            ("/clips/t1.wav", "/clips/t1.wav"),
            ("file://./t1.wav", "file://./t1.wav"),
        ],
    )
    def test_an_audio_path_reaches_the_agent_as_it_was_written(
        self, project: UserProject, audio: str, reached: str
    ) -> None:
        heard: list[str] = []

        def agent(messages: Messages) -> tuple[str, list[str]]:
            heard.append(messages[-1]["audio"])
            return "ok", []

        path = project.write("evals/a b#c/one.yaml", f"id: one\nturns: [{{user: hi, audio: '{audio}'}}]\n")
        evaluation = proctor.evaluate(path, agent)
        assert heard == [reached.format(folder=path.parent)]
        assert all(report.is_file() for report in evaluation.reports.values())

    def test_an_id_with_separators_makes_no_folder(self, project: UserProject) -> None:
        project.write("evals/a b#c/one.yaml", "id: ../../x/y\\z\nturns: [{user: hi}]\n")
        assert project.run("evals/a b#c", "--agent", "shop:agent").code == 0
        folder = project.root / ".proctor" / "reports" / "a-b-c"
        [run] = folder.iterdir()
        assert sorted(path.name for path in run.iterdir()) == ["junit.xml", "report.html", "report.json", "report.md"]
        assert [case["case"] for case in project.results("a-b-c")["cases"]] == ["../../x/y\\z"]
