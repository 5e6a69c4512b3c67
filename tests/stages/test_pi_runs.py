"""Fixtures of pi through the six stages: what is recorded is judged, and nobody is called."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from recorded_rows import answered, lines
from recorded_traces import argument, asks, assistant, booking, call, fixture, result, text, user
from user_project import UserProject

import proctor_reports
from proctor.config import load_project
from proctor.errors import SourceChanged
from proctor.stages import reading
from proctor.stages.execute import execute
from proctor.stages.run import open_run
from proctor.stages.validate import compile_plan
from proctor.store import open_store

SCHEMA = json.loads((Path(proctor_reports.__file__).parent / "schemas" / "report.schema.json").read_text("utf-8"))
FAILS = asks("cancel_table")


def write(project: UserProject, **fixtures: str) -> None:
    for name, content in fixtures.items():
        project.write(f"evals/{name}.jsonl", content)


def cases(project: UserProject, slug: str = "evals") -> dict[str, dict[str, Any]]:
    found = project.results(slug)
    Draft202012Validator(SCHEMA).validate(found)
    return {case["case"]: case for case in found["cases"]}


def outcomes(project: UserProject, slug: str = "evals") -> dict[str, tuple[str, str]]:
    return {name: (case["agent"], case["outcome"]) for name, case in cases(project, slug).items()}


def checks(project: UserProject, case: str, slug: str = "evals") -> list[tuple[str, str]]:
    return [(check["outcome"], check["reason"]) for check in cases(project, slug)[case]["trials"][0]["checks"]]


class TestAFolder:
    def test_is_judged_as_it_is_recorded(self, project: UserProject) -> None:
        write(project, good=booking("good"), bad=booking("bad", FAILS, asks("find_table")))
        ended = project.run("evals")
        assert (ended.code, ended.err) == (1, "")
        assert "1 of 2 cases did not pass: bad." in ended.out
        assert "✗ recording/bad failed: 0/1 passed, needs 1/1" in ended.out
        assert "Cost: agent cost not known, no judge was paid" in ended.out
        assert outcomes(project) == {"bad": ("recording", "failed"), "good": ("recording", "passed")}
        assert checks(project, "bad") == [
            (
                "failed",
                '"cancel_table" should be called at least 1 time, and was called 0 times; called: "find_table"',
            ),
            ("passed", '"find_table" was called 1 time'),
        ]
        assert project.calls == []

    def test_may_be_one_file(self, project: UserProject) -> None:
        write(project, good=booking("good"))
        ended = project.run("evals/good.jsonl")
        assert (ended.code, ended.err) == (0, "")
        assert outcomes(project, "good") == {"good": ("recording", "passed")}

    def test_is_planned(self, project: UserProject) -> None:
        write(project, one=booking("one"), two=booking("two"))
        ended = project.proctor("plan", "evals")
        assert ended.code == 0
        assert "2 cases in 2 files\n2 recorded trials, judged as recorded\n" in ended.out

    def test_with_a_fixture_that_does_not_load_runs_nothing(self, project: UserProject) -> None:
        write(project, good=booking("good"), bad=booking("bad").replace("toolUseId", "toolCallId"))
        ended = project.run("evals")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == (
            "evals/bad.jsonl:4:1: error [missing_field] toolUseId: is missing "
            "(what pi calls toolCallId is toolUseId in a fixture)\n1 error in 1 file\n"
        )

    def test_with_two_fixtures_of_one_id_is_refused(self, project: UserProject) -> None:
        write(project, one=booking("same"), two="\n" + booking("same"))
        ended = project.run("evals")
        assert ended.code == 2
        assert ended.err == (
            "evals/two.jsonl:2:1: error [duplicate_id] id: the id 'same' is already used in evals/one.jsonl:1:1 "
            "(give each case an id of its own: results are filed under it)\n1 error in 1 file\n"
        )

    def test_can_be_run_in_part(self, project: UserProject) -> None:
        write(project, one=booking("one"), two=booking("two", FAILS), three=booking("three", FAILS))
        assert project.run("evals", "--select", "t*").code == 1
        assert outcomes(project).keys() == {"two", "three"}
        write(project, two=booking("two"))
        assert project.run("evals", "--failed").code == 1
        assert outcomes(project) == {"three": ("recording", "failed"), "two": ("recording", "passed")}

    def test_cannot_be_run_several_times(self, project: UserProject) -> None:
        write(project, one=booking("one"))
        ended = project.run("evals", "--runs", "3")
        assert ended.code == 2
        assert ended.err == (
            "error: this spec has recorded traces only: they cannot be run again\n"
            "  hint: name an agent to replay them with\n"
        )

    def test_runs_on_when_a_pattern_would_never_end_or_take_all_memory(self, project: UserProject) -> None:
        texts = {"never": "a" * 40 + "b", "large": "ab" * 1_500_000}
        turns = [user("x"), assistant(call("c1", "find", **texts)), result("c1", "r")]
        hard = (argument("find", "never", "^(a+)+$"), argument("find", "large", "(a|b)*c"))
        write(project, hard=fixture("hard", turns, *hard, argument("find", "never", "b$")), good=booking("good"))
        started = time.monotonic()
        assert project.run("evals").code == 1
        assert time.monotonic() - started < 30
        advice = "characters; write it without repeats inside repeats"
        assert checks(project, "hard") == [
            ("failed", f'the pattern "^(a+)+$" gave no answer in 2 s on a text of 41 {advice}'),
            (
                "failed",
                f'the pattern "(a|b)*c" could not be decided: out of memory on a text of 3,000,000 {advice}',
            ),
            ("passed", f'the argument "never" of "find" is "{"a" * 40}b"'),
        ]
        assert outcomes(project)["good"] == ("recording", "passed")


class TestReports:
    TURNS = (
        user("A table, please."),
        assistant(call("c1", "find_table", people=4), ledger=(10, 5, 2, 20)),
        result("c1", "no table is free", isError=True),
        assistant(text("I am sorry."), ledger=(1, 90, 0, 3)),
    )

    def run(self, project: UserProject) -> None:
        write(project, sorry=fixture("sorry", list(self.TURNS), FAILS))
        assert project.run("evals").code == 1

    def test_show_the_calls_with_arguments_and_results(self, project: UserProject) -> None:
        self.run(project)
        [trial] = cases(project)["sorry"]["trials"]
        assert trial["trajectory"]["turns"] == [
            {
                "user": "A table, please.",
                "reply": "I am sorry.",
                "latency_ms": 0.0,
                "tool_calls": [
                    {
                        "name": "find_table",
                        "arguments": {"people": 4},
                        "id": "c1",
                        "result": "no table is free",
                        "is_error": True,
                    }
                ],
                "usage": {
                    "input_tokens": 11,
                    "output_tokens": 23,
                    "cache_read_tokens": 95,
                    "cache_write_tokens": 2,
                    "requests": 2,
                },
            }
        ]
        page = project.report("html", "evals").read_text("utf-8")
        assert "As recorded" in page
        assert (
            "<code>find_table({&#34;people&#34;: 4})</code> <strong>error</strong> → <code>no table is free</code>"
            in page
        )
        failure = ElementTree.parse(project.report("junit", "evals")).find(".//failure")
        assert failure is not None
        assert '  called (turn 1): find_table({"people": 4}) error → no table is free' in str(failure.text).splitlines()

    def test_show_the_four_numbers_of_the_ledger_and_no_cost(self, project: UserProject) -> None:
        self.run(project)
        tokens = "tokens: 11 in, 95 read from the provider&#39;s cache, 2 written to it, 23 out"
        page = project.report("html", "evals").read_text("utf-8")
        assert f"2 model calls · {tokens}" in page
        assert f"<dt>Agents used</dt><dd>cost not known; {tokens}</dd>" in page
        usage = {"input_tokens": 11, "output_tokens": 23, "cache_read_tokens": 95, "cache_write_tokens": 2}
        summary = project.results("evals")["summary"]
        assert (summary["usage"], summary["latency_p50_ms"]) == (usage, None)

    def test_keep_numbers_that_pi_has_counted_below_zero(self, project: UserProject) -> None:
        turns = [user("x"), assistant(text("y"), ledger=(-30, 90, 0, 7))]
        write(project, below=fixture("below", turns, asks("y", min_count=0, max_count=0)))
        ended = project.run("evals")
        assert ended.code == 0
        assert ended.err == (
            "evals/below.jsonl:3:124: warning [negative_count] tokenLedger.input: is negative (-30), "
            "as some versions of pi-ai record it\n1 warning in 1 file\n"
        )
        wanted = {"input_tokens": -30, "output_tokens": 7, "cache_read_tokens": 90}
        assert cases(project)["below"]["usage"] == wanted
        assert project.results("evals")["summary"]["usage"] == wanted
        assert "tokens: -30 in, 90 read" in project.report("html", "evals").read_text("utf-8")

    def test_take_halves_of_characters_and_markup_from_anywhere(self, project: UserProject) -> None:
        name = "<script>alert(1)</script>\u202e../../etc\x00\ud83d"
        turns = [
            user("half \ud83d <b>"),
            assistant(text("\udc00 ]]> <script>x</script>"), call("\ud83d", "to<b>ol", **{"k\ud83d": "v\ud83d"})),
            result("\ud83d", "r\x1b[31m\ud83d"),
        ]
        write(project, odd=fixture(name, turns, asks("\ud83d no"), argument("to<b>ol", "k\ud83d", "^v.$")))
        ended = project.run("evals")
        assert ended.code == 1
        assert "<script>alert(1)</script><202E>../../etc<00><D83D>" in ended.out
        assert checks(project, name) == [
            ("failed", '"<D83D> no" should be called at least 1 time, and was called 0 times; called: "to<b>ol"'),
            ("passed", 'the argument "k<D83D>" of "to<b>ol" is "v<D83D>"'),
        ]
        [turn] = cases(project)[name]["trials"][0]["trajectory"]["turns"]
        assert (turn["user"], turn["reply"]) == ("half \ud83d <b>", "\udc00 ]]> <script>x</script>")
        assert turn["tool_calls"] == [
            {"name": "to<b>ol", "arguments": {"k\ud83d": "v\ud83d"}, "id": "\ud83d", "result": "r\x1b[31m\ud83d"}
        ]
        page = project.report("html", "evals").read_text("utf-8")
        assert "<script" not in page
        assert (
            "to&lt;b&gt;ol({&#34;k&lt;D83D&gt;&#34;: &#34;v&lt;D83D&gt;&#34;})</code> → <code>r&lt;1B&gt;[31m" in page
        )
        [test] = ElementTree.parse(project.report("junit", "evals")).iter("testcase")
        assert test.get("name") == "<script>alert(1)</script><202E>../../etc<00><D83D>"
        assert "<D83D> no" in project.report("markdown", "evals").read_text("utf-8").replace("&lt;", "<").replace(
            "&gt;", ">"
        )


CHECKS = """\
from proctor.results import CheckResult, Outcome


class Short:
    name = "short"

    def evaluate(self, context):
        calls = [call.name for call in context.tool_calls]
        return CheckResult(self.name, Outcome.FAILED, f"{context.user} {context.reply} {calls}")
"""


class TestASuite:
    @pytest.fixture
    def mixed(self, project: UserProject) -> UserProject:
        """A suite of two fixtures, a transcript and a data set."""
        write(project, one=booking("one"), two=booking("two"), rows=lines([answered("row")]))
        project.case("hello", "  expect: {reply_contains_any: [said]}\n")
        self.suite(project)
        return project

    @staticmethod
    def suite(project: UserProject, more: str = "") -> None:
        head = "specs: ['*.yaml', '*.jsonl']\nagents: {shop: 'shop:agent'}\nreplay: {mode: recorded}\n"
        project.write("evals/shop.suite.yaml", head + more)

    def test_takes_them_with_transcripts_and_data_sets(self, mixed: UserProject) -> None:
        ended = mixed.run("evals/shop.suite.yaml", "--runs", "2")
        assert (ended.code, ended.err) == (0, "")
        assert mixed.calls == ["hello", "hello"]
        assert outcomes(mixed, "shop") == {
            "hello": ("shop", "passed"),
            "one": ("recording", "passed"),
            "two": ("recording", "passed"),
        }
        summary = mixed.results()["summary"]
        assert (summary["cases"]["passed"], summary["trials"]["passed"]) == (4, 5)
        assert summary["latency_p50_ms"] > 0  # recordings took no time that is known

    def test_is_answered_from_the_cache_but_for_what_is_recorded(self, mixed: UserProject) -> None:
        mixed.run()
        ended = mixed.run()
        assert "1 of 3 trials came from the cache" in ended.out
        assert mixed.calls == ["hello"]

    def test_holds_recordings_to_its_own_checks(self, mixed: UserProject) -> None:
        mixed.write("own.py", CHECKS)
        self.suite(mixed, "checks: ['own:Short']\n")
        assert mixed.run().code == 1
        assert checks(mixed, "one", "shop")[-1] == ("failed", "A table, please. Table 7 is yours. ['find_table']")

    def test_may_name_them_in_a_gate(self, mixed: UserProject) -> None:
        self.suite(mixed, "gates: {tables: {must_pass: [one]}}\n")
        assert mixed.run().code == 0
        write(mixed, one=booking("one", FAILS))
        ended = mixed.run()
        assert ended.code == 1
        assert (
            "Gate tables (recording) is not met: must pass and did not: one; 1 of 3 cases outside every gate"
            in ended.out
        )

    def test_warns_of_a_gate_for_a_fixture_that_is_not_there(self, project: UserProject) -> None:
        write(project, one=booking("one"))
        self.suite(project, "gates: {tables: {must_pass: [gone]}}\n")
        project.case("hello")
        ended = project.run()
        assert "warning [unmatched_gate] gates.tables.must_pass[0]: there is no case 'gone'" in ended.err
        assert ended.code == 1

    def test_tells_a_fixture_that_fails_since_the_baseline(self, mixed: UserProject) -> None:
        assert mixed.run("evals/shop.suite.yaml", "--accept").code == 0
        write(mixed, one=booking("one", FAILS), three=booking("three"))
        (mixed.root / "evals/two.jsonl").unlink()
        assert mixed.run().code == 1
        changes = mixed.results()["summary"]["changes"]
        assert changes["newly_failing"] == ["recording/one"]
        assert (changes["added"], changes["gone"]) == (["recording/three"], ["recording/two"])


# The agent stops for good at its first call, until the file GO is there.
ANSWER = """if not GO.exists():
        import asyncio
        await asyncio.sleep(60)
    return said, []"""


class TestARunThatWasStopped:
    def test_goes_on_and_judges_every_recording_once(self, project: UserProject, tmp_path: Path) -> None:
        go = tmp_path / "go"
        project.agent(ANSWER, before=f"from pathlib import Path\nGO = Path({str(go)!r})\n")
        write(project, **{f"f{number:02}": booking(f"f{number:02}") for number in range(40)})
        project.case("hello")
        TestASuite.suite(project)
        process = project.start("run", "evals/shop.suite.yaml")
        while not project.calls and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
        go.touch()
        ended = project.run()
        assert "went on with run" in ended.err
        assert ended.code == 0
        found = cases(project, "shop")
        assert len(found) == 41
        assert all(len(case["trials"]) == 1 for case in found.values())
        assert project.results()["summary"]["usage"] == {
            "input_tokens": 40 * 20,
            "output_tokens": 40 * 10,
            "cache_write_tokens": 40 * 4,
        }

    def test_because_a_fixture_has_changed_stores_nothing_of_it(
        self, project: UserProject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Files whose cases are not kept are read again; any other is judged as it was validated."""
        monkeypatch.setattr(reading, "KEPT_BYTES", 0)
        write(project, one=booking("one"), two=booking("two"))
        compiled = compile_plan(project.root / "evals", load_project(project.root))
        write(project, two=booking("two", FAILS))

        async def play() -> None:
            async with run:
                for chunk in run.execute_chunks():
                    await execute(run, chunk)

        with open_store(None, project.root) as store:
            run = open_run(compiled, store)
            with pytest.raises(SourceChanged) as raised:
                asyncio.run(play())
            run.release()
            assert store.trial_refs(run.id) == {}
        assert raised.value.message == "evals/two.jsonl changed while the run was under way"

    def test_reads_what_is_not_kept_for_each_stage(self, project: UserProject, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "KEPT_BYTES", 0)
        write(project, **{f"f{number}": booking(f"f{number}") for number in range(5)})
        assert project.run("evals").code == 0
        assert len(cases(project)) == 5
