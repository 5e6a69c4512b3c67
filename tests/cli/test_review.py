"""``proctor review``: at a terminal, from a file, into a file, and what the report says of it afterwards."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from reviewed_transcripts import SECRET, answer, scenario, write
from rich.cells import cell_len
from user_project import Ended, UserProject

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")

AGENT = "archivist (vector)"
ANSWERS = {"q-0001": answer(5, 5), "q-0002": answer(2, 3), "q-0003": answer(0, 1)}
POINTS, VERDICT = "): ", "means): "


def line(case: str, lamp: Any, rail: Any, **more: Any) -> dict[str, Any]:
    return {"case": case, "criteria": {"lamp": lamp, "rail": rail}} | more


FAULTS: list[tuple[Any, str]] = [
    ("{", "[invalid_json] no JSON: "),
    ("[]", "[wrong_type] must be an object, got array"),
    ('{"case": "q-0001", "case": ""}', '[duplicate_key] the member "case" stands twice'),
    (line("q-0001", 1, 1, caze=1), '[unknown_field] /caze: unknown member "caze" (did you mean "case"? known: agent, '),
    ({"criteria": {}}, "[missing_field] /case: is missing"),
    (line("q-0009", 1, 1), '[unknown_answer] /case: there is no case "q-0009" to review in run '),
    (line("q-0001", 1, 1, agent="x"), '[unknown_answer] /case: there is no agent "x" to review in run '),
    (line("q-0001", 1, 1, trial=3), "[unknown_answer] /case: there is no trial 3 to review in run "),
    (line("q-0001", 1, 1, trial="0"), "[wrong_type] /trial: must be an integer, got string"),
    (line("q-0001", 1, 1, content="00ff"), "[stale_review] /content: is the digest of another text"),
    (line("q-0001", 1, None), "[missing_criterion] /criteria: rail has no points (give points for each criterion, "),
    (line("q-0001", None, None, verdict="pass"), "[missing_criterion] /verdict: is given without any points"),
    (line("q-0001", 6, 1), "[out_of_range] /criteria/lamp: points go from 0 to 5, got 6"),
    (line("q-0001", -0.5, 1), "[out_of_range] /criteria/lamp: points go from 0 to 5, got -0.5"),
    (line("q-0001", "4", 1), "[wrong_type] /criteria/lamp: points must be a number, got string (write a number from"),
    (line("q-0001", True, 1), "[wrong_type] /criteria/lamp: points must be a number, got boolean"),
    (line("q-0001", {"points": 1, "nota": ""}, 1), '[unknown_field] /criteria/lamp/nota: unknown member "nota"'),
    (line("q-0001", {"points": 1, "note": 7}, 1), "[wrong_type] /criteria/lamp/note: must be a string"),
    (line("q-0001", 1, 1, verdict="judge_failed"), '[bad_choice] /verdict: unknown verdict "judge_failed"; expected '),
    (line("q-0001", 1, 1, verdict=["pass"]), "[bad_choice] /verdict: unknown verdict array"),
    (line("q-0001", 1, 1, reviewer=3), "[wrong_type] /reviewer: must be a string, got number"),
    (line("q-0001", 1, 1, reviewed_at="today"), "[bad_value] /reviewed_at: is no date and time"),
    (line("q-0001", 1, 1, reviewed_at="9999-12-31T23:59:59Z"), "[out_of_range] /reviewed_at: is in the future"),
    (line("q-0001", 1, 1, reviewed_at="2016-12-31T23:59:60Z"), "[bad_value] /reviewed_at: is a time that cannot"),
    (line("q-0001", 1, 1, reviewed_at="0001-01-01T00:00:00+09:00"), "[bad_value] /reviewed_at: is a time that cannot"),
    ({"case": "q-0001"}, "[wrong_type] /criteria: must be an object with points for each criterion, got null"),
    ({"case": "q-0001", "criteria": [1, 2]}, "[wrong_type] /criteria: must be an object with points for each"),
    (
        {"case": "q-0001", "criteria": {"lamb": 1}},
        '[unknown_criterion] /criteria/lamb: unknown criterion "lamb" (did you mean "lamp"? known: lamp, rail)',
    ),
]
"""Lines that cannot be used, and what is said of them."""


@pytest.fixture
def reviewed(project: UserProject) -> UserProject:
    """A project with a run of three answers, to which the judge gave 5 5, 2 3 and 0 1."""
    write(project, ANSWERS)
    assert project.run().code in (0, 1)
    return project


class Terminal:
    """The command at a pseudo-terminal, as somebody types at it."""

    def __init__(self, project: UserProject, arguments: Iterable[str]) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "proctor", "review", *arguments],
            cwd=project.root,
            env={**os.environ, "TERM": "xterm", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
        )
        os.close(theirs)
        self._unread = ""

    def until(self, mark: str) -> str:
        """What is shown up to a mark."""
        while mark not in self._unread:
            part = self._read()
            assert part, f"{mark!r} is not in {self._unread!r}"
            self._unread += part
        shown, _, self._unread = self._unread.partition(mark)
        return shown.replace("\r\n", "\n")

    def type(self, *lines: str | bytes, at: str = POINTS) -> str:
        """Answer one prompt after the other; what was shown meanwhile."""
        shown = ""
        for line in lines:
            shown += self.until(at)
            self.send(line)
        return shown

    def send(self, line: str | bytes) -> None:
        """Type a line, or keys as they are."""
        os.write(self._ours, line if isinstance(line, bytes) else f"{line}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def end(self) -> Ended:
        """Read what is left, until the command ends by itself."""
        while part := self._read():
            self._unread += part
        os.close(self._ours)
        _, err = self._process.communicate(timeout=60)
        return Ended(self._process.returncode, self._unread.replace("\r\n", "\n"), err.decode())

    def stop(self) -> None:
        """End the command if it is still there."""
        self._process.kill()
        self._process.communicate()

    def _read(self) -> str:
        try:
            return os.read(self._ours, 65_536).decode()
        except OSError:
            return ""


@contextmanager
def terminal(project: UserProject, *arguments: str) -> Iterator[Terminal]:
    opened = Terminal(project, ["--reviewer", "Ann", *arguments])
    try:
        yield opened
    finally:
        opened.stop()


def take(project: UserProject, *lines: Any, reviewer: str = "Ann", flags: Iterable[str] = ()) -> Ended:
    """Take reviews from a file; a line that is no text is spelled as JSON."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    project.write("reviews.jsonl", text + "\n")
    return project.proctor("review", "--from", "reviews.jsonl", "--reviewer", reviewer, *flags)


def stored(project: UserProject, **flags: str) -> Any:
    """The reviews that count, by case, of everybody."""
    found = project.proctor("review", "--reviewer", flags.get("reviewer", "Ann"), "--format", "json").json()
    return {each["case"]: each for each in found["reviews"]}


def agreement(project: UserProject) -> Any:
    """What the report says, written again."""
    assert project.proctor("report").code == 0
    return {each["reviewer"]: each for each in project.results()["summary"]["transcripts"]["reviews"]}


class TestAtATerminal:
    def test_an_answer_is_shown_as_its_judge_saw_it(self, reviewed: UserProject) -> None:
        with terminal(reviewed, "--case", "q-0002") as screen:
            shown = screen.until("1. lamp (weight 2): ")
            screen.send("q")
            ended = screen.end()
        assert "Ann: 1 answer of run" in shown
        assert "=== answer 1 of 1, case q-0002 ===\nQuestion\n  | Brief the keeper on the storm (q-0002).\n" in shown
        assert f"Answer\n  | {ANSWERS['q-0002']}\n" in shown
        assert "Gold page 1 of 1\n  | The rail broke and the lamp stayed lit.\n" in shown
        assert "Rubric\n1. lamp (weight 2)\n  | Says lamp stayed lit throughout\n2. rail (weight 1)\n" in shown
        assert SECRET not in shown
        assert "archivist" not in shown
        assert "self-test" not in shown
        assert (ended.code, ended.err) == (0, "")
        assert "0 reviews stored, 1 answer left\n" in ended.out

    def test_points_notes_and_the_verdict_are_stored(self, reviewed: UserProject) -> None:
        with terminal(reviewed, "--case", "q-0002") as screen:
            screen.type("2.5 lamp is named", "4")
            asked = screen.until("): ")
            screen.send("")
            ended = screen.end()
        assert asked.endswith("verdict (pass, partial, fail; Enter for partial, which 3 of 5 means")
        assert "stored: partial, 3 of 5\n" in ended.out
        assert "1 review stored, 0 answers left\nAnn: points alike 0 of 2" in ended.out
        assert "next: proctor report " in ended.out
        found = stored(reviewed)["q-0002"]
        assert found["criteria"] == {
            "lamp": {"points": 2.5, "note": "lamp is named"},
            "rail": {"points": 4, "note": ""},
        }
        assert (found["reviewer"], found["agent"], found["trial"], found["verdict"]) == ("Ann", AGENT, 0, None)
        assert found["reviewed_at"].endswith("Z")

    def test_a_verdict_of_ones_own_counts_whatever_the_points_mean(self, reviewed: UserProject) -> None:
        with terminal(reviewed, "--case", "q-0001") as screen:
            screen.type("5", "5")
            screen.type("never", "Fail", at=VERDICT)
            assert "stored: fail, 5 of 5\n" in screen.end().out
        assert stored(reviewed)["q-0001"]["verdict"] == "fail"
        assert agreement(reviewed)["Ann"]["verdicts_alike"] == 0

    def test_what_the_judge_said_is_never_shown_before(self, reviewed: UserProject) -> None:
        with terminal(reviewed, "--case", "q-0002", "--show-judge") as screen:
            shown = screen.type("5", "5") + screen.until(VERDICT)
            screen.send("")
            ended = screen.end()
        assert "the judge:" not in shown
        assert "of the criterion are in the answer" not in shown
        assert "the judge: fail, lamp 2, rail 3\n  lamp: 2 of 5 words of the criterion are in the answer\n" in ended.out

    def test_it_is_not_shown_afterwards_either_unless_it_is_asked_for(self, reviewed: UserProject) -> None:
        with terminal(reviewed, "--case", "q-0002") as screen:
            screen.type("5", "5")
            screen.type("", at=VERDICT)
            assert "words of the criterion" not in screen.end().out

    @pytest.mark.parametrize("said", ["", "6", "5.5", "-1", "five", "4/5", "1e0", "٣", "3x"])
    def test_what_is_no_points_is_asked_for_again(self, reviewed: UserProject, said: str) -> None:
        with terminal(reviewed, "--case", "q-0001") as screen:
            screen.type(said)
            shown = screen.until(POINTS)
            screen.send("q")
            assert "0 reviews stored" in screen.end().out
        assert "write a number from 0 to 5, then a note if you like; s skips the answer" in shown
        assert "1. lamp (weight 2" in shown

    def test_one_may_go_back_and_see_the_answer_again(self, reviewed: UserProject) -> None:
        with terminal(reviewed, "--case", "q-0001") as screen:
            screen.type("b", "1", "b", "2")
            screen.until(POINTS)
            screen.send("?")
            assert "=== answer 1 of 1, case q-0001 ===" in screen.type("3")
            screen.type("b", at=VERDICT)
            screen.type("4")
            screen.type("", at=VERDICT)
            screen.end()
        assert {name: each["points"] for name, each in stored(reviewed)["q-0001"]["criteria"].items()} == {
            "lamp": 2,
            "rail": 4,
        }

    @pytest.mark.parametrize("how", ["q", "Ctrl-D", "Ctrl-C"])
    def test_ending_it_keeps_what_is_stored_and_drops_what_is_half_done(self, reviewed: UserProject, how: str) -> None:
        with terminal(reviewed) as screen:
            screen.type("4", "4")
            screen.type("", at=VERDICT)
            screen.type("3")
            screen.until(POINTS)
            if how == "Ctrl-C":
                screen.interrupt()
            else:
                screen.send("q" if how == "q" else b"\x04")
            ended = screen.end()
        assert (ended.code, ended.err) == (0, "")
        assert "1 review stored, 2 answers left\n" in ended.out
        assert len(stored(reviewed)) == 1

    def test_what_is_left_comes_in_the_same_random_order_the_next_time(self, reviewed: UserProject) -> None:
        def cases(*flags: str) -> list[str]:
            with terminal(reviewed, *flags) as screen:
                shown = screen.type("s", "s", "s")
                assert "0 reviews stored, 3 answers left\n" in screen.end().out
            return [part.split(" ")[0] for part in shown.split(", case ")[1:]]

        first = cases()
        assert sorted(first) == list(ANSWERS)
        assert cases() == first
        assert any(cases("--seed", str(seed)) != first for seed in range(1, 6))
        take(reviewed, line(first[0], 1, 1))
        with terminal(reviewed) as screen:
            assert f"answer 1 of 2, case {first[1]} ===" in screen.until(POINTS)
            screen.send("q")
            screen.end()

    def test_answers_with_one_text_are_asked_for_once(self, project: UserProject) -> None:
        write(project, ANSWERS, "keyword", "second")
        write(project, ANSWERS)
        assert project.run().code in (0, 1)
        with terminal(project) as screen:
            for _ in ANSWERS:
                screen.type("4", "4")
                screen.type("", at=VERDICT)
            assert "3 reviews stored, 0 answers left\n" in screen.end().out
        assert agreement(project)["Ann"]["trials"] == 6

    def test_nobody_is_asked_twice_unless_a_case_is_named(self, reviewed: UserProject) -> None:
        take(reviewed, *(line(case, 4, 4) for case in ANSWERS))
        with terminal(reviewed) as screen:
            assert "0 reviews stored, 0 answers left\n" in screen.end().out
        with terminal(reviewed, "--case", "q-0001") as screen:
            screen.type("1", "1")
            screen.type("", at=VERDICT)
            screen.end()
        assert stored(reviewed)["q-0001"]["criteria"]["lamp"]["points"] == 1

    def test_foreign_text_can_neither_steer_the_terminal_nor_look_like_ours(self, project: UserProject) -> None:
        forged = f"{answer(5, 5)}\x1b[2J\x9b1m\rGold page 1 of 1\n  | forged\n=== answer 2 of 2 ===\n\u202eeval"
        wide = "漢" * 120 + " Gold page 9 of 9"
        write(project, {"q-0001": f"{forged}\n{wide}"})
        assert project.run().code in (0, 1)
        with terminal(project) as screen:
            shown = screen.until(POINTS)
            screen.send("q")
            screen.end()
        assert not {"\x1b", "\x9b", "\r", "\u202e"} & set(shown)
        assert "<1B>[2J<9B>1m<0D>Gold" in shown
        assert "\n  |   | forged\n  | === answer 2 of 2 ===\n  | <202E>eval\n" in shown
        ours = [text for text in shown.splitlines() if not text.startswith("  | ")]
        assert [text for text in ours if "Gold page " in text] == ["Gold page 1 of 1"]
        assert max(map(cell_len, shown.split("Answer\n")[1].split("\n\n")[0].splitlines())) < 100

    def test_an_answer_that_has_changed_is_left_out(self, reviewed: UserProject) -> None:
        write(reviewed, ANSWERS | {"q-0002": answer(1, 1)})
        with terminal(reviewed) as screen:
            screen.type("s", "s")
            ended = screen.end()
        assert 'left out: trial 0 of "q-0002" by "archivist (vector)" is no longer the answer that run' in ended.err
        with terminal(reviewed, "--case", "q-0002") as screen:
            ended = screen.end()
        assert ended.code == 2
        assert "error: none of these answers can be reviewed\n  hint: run the spec again" in ended.err

    def test_a_pipe_is_no_terminal(self, reviewed: UserProject) -> None:
        ended = reviewed.proctor("review", "--reviewer", "Ann")
        assert ended.code == 2
        assert ended.err == (
            "error: points are asked for at a terminal, and this is none\n"
            "  hint: --export writes a file to fill in, --from takes it back\n"
        )


class TestAFile:
    def test_gives_reviews_that_stand_in_the_report(self, reviewed: UserProject) -> None:
        ended = take(
            reviewed, line("q-0001", 5, 4), line("q-0002", 2, {"points": 3, "note": "no"}), line("q-0003", 0, 1)
        )
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith(
            "3 reviews stored\nAnn: points alike 5 of 6 (83.3 %), weighted kappa 0.92 (0.51 to "
        )
        found = agreement(reviewed)["Ann"]
        assert (found["criteria"], found["exact"], found["trials"], found["verdicts_alike"]) == (6, 5, 3, 3)
        # Six pairs, 1 point apart in all; any rating of one to any of the other: 74 of 36.
        assert found["kappa"] == pytest.approx(1 - (1 / 6) / (74 / 36))
        assert found["low"] < found["kappa"] < found["high"]

    def test_lines_without_points_are_left_out(self, reviewed: UserProject) -> None:
        ended = take(reviewed, line("q-0001", None, None), line("q-0002", 1, 1), {"case": "q-0003", "criteria": {}})
        assert ended.out.startswith("1 review stored, 2 lines without points\n")

    def test_what_is_stored_already_is_not_stored_again(self, reviewed: UserProject) -> None:
        take(reviewed, line("q-0001", 1, 1), line("q-0002", 1, 1))
        ended = take(reviewed, line("q-0001", 1, 1), line("q-0002", 1, 2), flags=["--format", "json"])
        told = ended.json()
        assert (told["stored"], told["known"], told["without_points"]) == (1, 1, 0)
        assert told["agreement"][0]["criteria"] == 4
        assert stored(reviewed)["q-0002"]["criteria"]["rail"]["points"] == 2

    def test_the_newest_review_of_one_person_counts(self, reviewed: UserProject) -> None:
        take(reviewed, line("q-0001", 1, 1, reviewed_at="2026-01-02T10:00:00Z"))
        take(reviewed, line("q-0001", 5, 5, reviewed_at="2026-01-02T09:00:00+02:00"))
        found = stored(reviewed)["q-0001"]
        assert found["criteria"]["lamp"]["points"] == 5, "an edited line is of now: its old time is that of the old one"
        assert found["reviewed_at"] > "2026-01-02T10:00:00.000Z"
        take(reviewed, line("q-0002", 3, 3, reviewed_at="2026-01-02T10:00:00+02:00"))
        assert stored(reviewed)["q-0002"]["reviewed_at"] == "2026-01-02T08:00:00.000Z"

    def test_reviewers_stand_side_by_side(self, reviewed: UserProject) -> None:
        take(reviewed, line("q-0001", 5, 5), line("q-0002", 2, 3), line("q-0001", 0, 0, reviewer="Bo \x1b[31m"))
        take(reviewed, line("q-0002", 0, 0), reviewer="Cy")
        found = agreement(reviewed)
        assert [(name, each["exact"]) for name, each in found.items()] == [("Ann", 4), ("Bo \x1b[31m", 0), ("Cy", 0)]
        assert "\x1b" not in take(reviewed).out

    def test_one_agent_of_several_has_to_be_named(self, project: UserProject) -> None:
        write(project, ANSWERS | {"q-0001": answer(3, 3)}, "keyword", "second")
        write(project, ANSWERS)
        project.run()
        ended = take(project, line("q-0001", 1, 1))
        assert ended.code == 2
        assert (
            'reviews.jsonl:1:10: error [ambiguous] /case: 2 answers of the case "q-0001" may be meant '
            "(name the agent and the trial too)" in ended.err
        )
        assert take(project, line("q-0001", 1, 1, agent="archivist (keyword)", trial=0)).code == 0
        assert stored(project)["q-0001"]["agent"] == "archivist (keyword)"

    def test_says_of_each_line_what_is_wrong_with_it_and_where(self, reviewed: UserProject) -> None:
        ended = take(reviewed, line("q-0002", 1, 1), *(text for text, _ in FAULTS))
        assert ended.code == 2
        *told, total = ended.err.splitlines()
        assert total == f"{len(FAULTS)} errors in 1 file"
        for number, (found, (_, problem)) in enumerate(zip(told, FAULTS, strict=True), start=2):
            assert re.sub(r"^reviews.jsonl:(\d+):\d+: error ", r"\1 ", found).startswith(f"{number} {problem}"), found
        assert stored(reviewed) == {}, "a file with a fault gives none of its reviews"

    def test_points_at_the_very_value(self, reviewed: UserProject) -> None:
        ended = take(reviewed, line("q-0001", 1, 1), '{"case": "q-0001", "criteria": {"lamp": {"points": 7}}}')
        assert ended.err == (
            "reviews.jsonl:2:52: error [out_of_range] /criteria/lamp/points: points go from 0 to 5, got 7 "
            '(write a number from 0 to 5, or {"points": 4, "note": "why"})\n1 error in 1 file\n'
        )

    def test_that_cannot_be_read_is_refused(self, reviewed: UserProject) -> None:
        for path, why in (("gone.jsonl", "No such file or directory"), ("evals", "it is a folder")):
            ended = reviewed.proctor("review", "--from", path, "--reviewer", "Ann")
            assert (ended.code, ended.err) == (2, f"error: {path} cannot be read: {why}\n")


class TestAnExport:
    def export(self, project: UserProject, *flags: str, path: str = "out.jsonl") -> tuple[Ended, list[dict[str, Any]]]:
        ended = project.proctor("review", "--reviewer", "Ann", "--export", path, *flags)
        written = project.root / path
        return ended, [json.loads(text) for text in written.read_text().splitlines()] if written.exists() else []

    def test_has_a_template_for_each_answer_that_is_to_be_reviewed(self, reviewed: UserProject) -> None:
        ended, lines = self.export(reviewed)
        assert ended.code == 0
        assert ended.out.startswith("wrote 0 reviews and 3 templates to out.jsonl\nnext: fill in the points, then ")
        by_case = {each["case"]: each for each in lines}
        assert sorted(by_case) == list(ANSWERS)
        template = by_case["q-0002"]
        assert template["criteria"] == {"lamp": None, "rail": None}
        assert template["shown"]["criteria"]["lamp"] == {"text": "Says lamp stayed lit throughout", "weight": 2}
        assert {"title": "Answer", "text": ANSWERS["q-0002"]} in template["shown"]["evidence"]
        text = json.dumps(lines)
        assert SECRET not in text
        assert "archivist" not in text
        assert "self-test" not in text

    def test_can_be_filled_in_and_taken_back(self, reviewed: UserProject) -> None:
        _, lines = self.export(reviewed)
        for each in lines[:2]:
            each["criteria"] = {"lamp": 3, "rail": {"points": 2, "note": "späť"}}
        ended = take(reviewed, *lines, reviewer="Somebody")
        assert ended.out.startswith("2 reviews stored, 1 line without points\n")
        ended, again = self.export(reviewed, path="again.jsonl")
        assert ended.out.startswith("wrote 2 reviews and 1 template to again.jsonl\n")
        assert [each["reviewer"] for each in again] == ["Ann"] * 3
        assert take(reviewed, *again).out.startswith("0 reviews stored, 2 known already, 1 line without points\n")

    def test_may_be_of_one_case_and_as_json(self, reviewed: UserProject) -> None:
        ended, lines = self.export(reviewed, "--case", "q-0003", "--format", "json")
        assert (ended.json()["reviews"], ended.json()["open"]) == (0, 1)
        assert [each["case"] for each in lines] == ["q-0003"]

    def test_overwrites_nothing(self, reviewed: UserProject) -> None:
        reviewed.write("out.jsonl", "mine")
        ended = reviewed.proctor("review", "--reviewer", "Ann", "--export", "out.jsonl")
        assert ended.code == 2
        assert ended.err.startswith("error: out.jsonl is there already\n")
        assert (reviewed.root / "out.jsonl").read_text() == "mine"

    def test_of_a_text_that_has_changed_since_is_stale_when_it_comes_back(self, reviewed: UserProject) -> None:
        _, lines = self.export(reviewed)
        write(reviewed, {case: f"{text} Now." for case, text in ANSWERS.items()})
        reviewed.run()
        for each in lines:
            each["criteria"] = {"lamp": 3, "rail": 2}
        ended = take(reviewed, *lines)
        assert ended.code == 2
        assert ended.err.count("[stale_review] /content: is the digest of another text") == 3


class TestAnotherRun:
    def test_over_the_same_transcripts_has_the_same_reviews(self, reviewed: UserProject) -> None:
        take(reviewed, line("q-0001", 5, 5), line("q-0002", 2, 1))
        reviewed.run("evals/shop.suite.yaml", "--new")
        found = {each["reviewer"]: each for each in reviewed.results()["summary"]["transcripts"]["reviews"]}
        assert (found["Ann"]["criteria"], found["Ann"]["exact"], found["Ann"]["stale"]) == (4, 3, 0)

    def test_may_have_them_at_another_place(self, project: UserProject) -> None:
        write(project, ANSWERS)
        project.run()
        take(project, line("q-0001", 5, 5))
        write(project, {"q-0001": answer(1, 1)}, name="earlier")
        write(project, ANSWERS)
        project.run()
        found = agreement(project)["Ann"]
        assert (found["trials"], found["exact"], found["stale"]) == (1, 2, 1)

    @pytest.mark.parametrize("changed", ["answer", "criterion", "weight", "gold", "question"])
    def test_over_another_text_counts_them_as_stale(self, reviewed: UserProject, changed: str) -> None:
        take(reviewed, line("q-0001", 5, 5), line("q-0002", 2, 3))
        if changed == "answer":
            write(reviewed, ANSWERS | {"q-0001": answer(5, 5, "Really.")})
        elif changed == "gold":
            page = {"slug": "logs/storm", "title": "Log", "content": "The rail broke."}
            reviewed.write("evals/pages.json", json.dumps({"pages": [page]}))
        else:
            rubric = scenario("q-0001")["rubric"]
            if changed == "criterion":
                rubric[0]["criterion"] += " the night"
            if changed == "weight":
                rubric[0]["weight"] = 1
            more = {"text": "Brief me."} if changed == "question" else {"rubric": rubric}
            scenarios = [scenario(case, **(more if case == "q-0001" else {})) for case in ANSWERS]
            reviewed.write("evals/scenarios.json", json.dumps({"scenarios": scenarios}))
        reviewed.run()
        found = agreement(reviewed)["Ann"]
        assert found["stale"] == (2 if changed == "gold" else 1)
        assert found["trials"] == 2 - found["stale"]

    def test_that_is_older_is_told_of_them_too_when_its_report_is_written_again(self, reviewed: UserProject) -> None:
        old = reviewed.results()["summary"]["run_id"]
        reviewed.run("evals/shop.suite.yaml", "--new")
        take(reviewed, line("q-0001", 5, 5))
        assert reviewed.proctor("report", old).code == 0
        report = json.loads((reviewed.root / f".proctor/reports/shop/{old}/report.json").read_text())
        assert [each["exact"] for each in report["summary"]["transcripts"]["reviews"]] == [2]

    def test_has_its_decision_whatever_reviewers_say(self, reviewed: UserProject) -> None:
        before = reviewed.results()["summary"]["decision"]
        take(reviewed, line("q-0001", 0, 0))
        assert agreement(reviewed)["Ann"]["exact"] == 0
        assert reviewed.results()["summary"]["decision"] == before

    def test_whose_files_are_gone_still_has_its_agreement(self, reviewed: UserProject) -> None:
        take(reviewed, line("q-0001", 5, 5))
        (reviewed.root / "evals/runs/first.json").unlink()
        assert agreement(reviewed)["Ann"]["exact"] == 2


class TestItRefuses:
    def refused(self, project: UserProject, *flags: str) -> str:
        ended = project.proctor("review", *flags)
        assert (ended.code, ended.out) == (2, "")
        return ended.err

    def test_an_unknown_case_agent_or_trial_and_names_the_known_ones(self, reviewed: UserProject) -> None:
        told = self.refused(reviewed, "--case", "q-9999")
        assert 'error: there is no case "q-9999" to review in run ' in told
        assert '  hint: there is "q-0001", "q-0002", "q-0003"\n' in told
        assert f'  hint: there is "{AGENT}"\n' in self.refused(reviewed, "--agent", "nobody")
        assert "there is no trial 1 to review" in self.refused(reviewed, "--case", "q-0001", "--trial", "1")

    def test_a_run_without_such_answers(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        project.run()
        assert "has no answer that a rubric grades, so there is nothing to review\n" in self.refused(project)

    def test_a_project_without_runs(self, project: UserProject) -> None:
        assert self.refused(project).startswith("error: the store holds no run yet\n")

    def test_a_file_together_with_a_choice(self, reviewed: UserProject) -> None:
        told = self.refused(reviewed, "--from", "reviews.jsonl", "--case", "q-0001")
        assert told.startswith("error: --from takes all reviews of a file\n")

    @pytest.mark.parametrize(("name", "why"), [(" ", "has no name"), ("x" * 201, "is longer than 200 characters")])
    def test_a_name_that_is_none(self, reviewed: UserProject, name: str, why: str) -> None:
        assert why in self.refused(reviewed, "--reviewer", name)

    def test_an_answer_whose_file_is_gone(self, reviewed: UserProject) -> None:
        write(reviewed, {"q-0001": ANSWERS["q-0001"]})
        ended = take(reviewed, line("q-0002", 1, 1))
        assert ended.code == 2
        assert 'trial 0 of "q-0002" by "archivist (vector)" is no longer the answer that run' in ended.err


class TestTheName:
    def test_is_that_of_git_or_else_of_the_login(
        self, reviewed: UserProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings = tmp_path / "gitconfig"
        settings.write_text("[user]\n\tname = Ada  Fenn\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        monkeypatch.setenv("LOGNAME", "ada")
        names = []
        for _ in range(2):
            found = reviewed.proctor("review", "--format", "json").json()["open"]
            names.append({each["reviewer"] for each in found})
            settings.write_text("")
        assert names == [{"Ada Fenn"}, {"ada"}]
