"""A pattern cannot hang a run: it is cheap, or searched where it can be killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.checks import patterns
from proctor.checks.pattern_worker import PatternProblem, PatternWorker
from proctor.checks.patterns import search
from proctor.checks.worker_process import TIME_LIMIT_S

CATASTROPHIC = ["(a+)+$", "(a|a)*$", r"(\w*)*!", "(a?){40}a{40}", "(?:a|aa)+$", "(.*)*x", r"(a+)\1+b", "(?=(a+)+$)b"]

# Small patterns of every kind of part. Bodies of repeats are groups, so that repeats nest.
atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^b]", r"\w", "a?", "^", "$", r"\b", "(?=a)", "(?!b)", ""])
some_patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("".join, st.lists(inner, min_size=1, max_size=4)),
        st.builds(lambda parts: f"(?:{'|'.join(parts)})", st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda body, repeat: f"(?:{body}){repeat}",
            inner,
            st.sampled_from(["*", "+", "?", "*?", "+?", "{2}", "{0,3}", "{3,}", "{50}", "{0,900}", "{2000}"]),
        ),
        st.builds(lambda body: f"(?={body})", inner),
    ),
    max_leaves=6,
)


class TestACatastrophicPattern:
    @pytest.mark.parametrize("pattern", CATASTROPHIC)
    def test_is_never_searched_in_this_process(self, pattern: str) -> None:
        assert patterns._most_steps(pattern, 60) > patterns._CHEAP_STEPS

    @pytest.mark.parametrize("pattern", ["(a+)+$", r"(\w*)*!"])
    def test_ends_in_time_with_its_reason(self, pattern: str) -> None:
        started = time.monotonic()
        with pytest.raises(PatternProblem) as found:
            search(pattern, "a" * 60 + "?")
        assert time.monotonic() - started < TIME_LIMIT_S + 20
        assert str(found.value).endswith(
            "gave no answer in 2 s on a text of 61 characters; write it without repeats inside repeats"
        )

    def test_leaves_a_worker_for_the_next_one(self) -> None:
        with pytest.raises(PatternProblem):
            search("(a+)+$", "a" * 60 + "?")
        assert search("(aa|b)*c", "baabc")
        assert not search("(aa|b)*d", "baabc")

    @pytest.mark.parametrize(
        ("pattern", "length"),
        [
            (".*a{0,999}x", 2_000),
            (".*" + "a" * 900 + "x", 3_000),
            (".*.*.*x", 1_000),
            (r"(?:(?:\b){900}){900}x", 1_000),
        ],
    )
    def test_may_be_one_whose_repeats_do_not_nest(self, pattern: str, length: int) -> None:
        assert patterns._most_steps(pattern, length) > patterns._CHEAP_STEPS


class TestACheapPattern:
    @pytest.mark.parametrize(
        "pattern",
        ["booked", r"QZ-\d+", "^(yes|no)$", r"\bconfirm(ed|ation)?\b", "(?s)a.*b", "a{2,5}", "colou?r", r"\d{4}-\d{2}"],
    )
    def test_needs_no_process(self, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(patterns, "_worker", None)
        assert search(pattern, "x" * 1_000) is False

    @settings(max_examples=400, deadline=5_000)
    @given(some_patterns, st.sampled_from(["a", "ab", "aab", "b"]), st.integers(1, 3_000))
    def test_is_quick_whatever_it_is_searched_in(self, pattern: str, part: str, length: int) -> None:
        text = (part * length)[:length] + "!"
        if patterns._most_steps(pattern, len(text)) > patterns._CHEAP_STEPS:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern, re.IGNORECASE)
        started = time.process_time()
        compiled.search(text)
        assert time.process_time() - started < 2


class TestASearch:
    @given(some_patterns, st.text("abAB!\n", max_size=12))
    @settings(max_examples=200, deadline=None)
    def test_finds_what_re_finds(self, pattern: str, text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = re.search(pattern, text, re.IGNORECASE) is not None
        assert search(pattern, text) is wanted

    @pytest.mark.parametrize("text", ["tōkyō 東京 🚀", "\ud83d lone", "a\x00b\nc", "x" * 200_000 + "東"])
    def test_in_the_worker_takes_any_text(self, text: str) -> None:
        assert search(f"(x|{re.escape(text[-2:])})*$", text) is True

    def test_of_much_text_is_made_by_the_worker(self) -> None:
        assert search("(?:a|b)*c", "ab" * 100_000 + "c")

    def test_that_needs_too_much_memory_has_its_reason(self) -> None:
        with pytest.raises(PatternProblem, match=r"could not be decided: out of memory|gave no answer"):
            search("((?:a|b)*)*c", "ab" * 8_000_000)


class TestTheWorker:
    def test_is_killed_by_stop(self) -> None:
        worker = PatternWorker()
        assert worker.search("a", "a")
        process = worker._process
        assert process is not None
        assert process.poll() is None
        worker.stop()
        assert process.poll() is not None
        worker.stop()

    def test_is_started_anew_when_it_has_died(self) -> None:
        worker = PatternWorker()
        worker.search("a", "a")
        assert worker._process is not None
        worker._process.kill()
        worker._process.wait()
        with pytest.raises(PatternProblem):
            worker.search("a", "a")
        assert worker.search("a", "a")
        worker.stop()

    def test_ends_with_its_parent(self) -> None:
        code = (
            "import os, signal\nfrom proctor.checks.pattern_worker import PatternWorker\nworker = PatternWorker()\n"
            "print(worker.search('a', 'a'), worker._process.pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        found, pid = done.stdout.split()
        assert found == "True"
        deadline = time.monotonic() + 10
        while is_alive(int(pid)):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be reaped does not."""
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()


class TestAWorkerWithoutItsParent:
    """A search that does not end is ended by the system when nobody is left to kill it."""

    def test_ends_by_itself_soon_after_the_limit(self) -> None:
        command = [sys.executable, "-m", "proctor.checks.pattern_worker"]
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert worker.stdin is not None
        assert worker.stdout is not None
        with worker.stdin, worker.stdout:
            assert worker.stdout.readline() == "ready\n"
            worker.stdin.write(json.dumps(["^(a|aa)+$", "a" * 60 + "b"]) + "\n")
            worker.stdin.flush()
            assert worker.wait(timeout=TIME_LIMIT_S + 10) == -signal.SIGALRM
