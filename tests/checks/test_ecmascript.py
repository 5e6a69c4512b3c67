"""ECMAScript patterns: the dialect is JavaScript's, and none can hang a run or exhaust the machine."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.checks import ecmascript
from proctor.checks.ecmascript import PatternProblem, search, syntax_problem
from proctor.checks.ecmascript_cost import most_steps
from proctor.checks.ecmascript_engine import OutOfBounds, compile_source, search_here

# Small patterns of every kind of part.
atoms = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^]", "[]", r"[^\]b]", r"\w", r"\u0061", "a?", "a??", "^", "$", r"\b", "(?=a)", "(?<!b)"]
)
some_patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("".join, st.lists(inner, min_size=1, max_size=4)),
        st.builds(lambda parts: f"(?:{'|'.join(parts)})", st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda body, repeat: f"({body}){repeat}",
            inner,
            st.sampled_from(["*", "+", "?", "*?", "+?", "{2}", "{0,3}", "{3,}", "{50}", "{2000}", ""]),
        ),
        st.builds(
            lambda atom, repeat: f"{atom}{repeat}",
            st.sampled_from(["a", ".", "[^b]", r"\w", r"\{"]),
            st.sampled_from(["*", "+", "{2,}", "{0,40}", "{5000}", "+?"]),
        ),
    ),
    max_leaves=6,
)


@pytest.fixture
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ecmascript, "_worker", None)


class TestTheDialect:
    @pytest.mark.parametrize(
        ("pattern", "text", "found"),
        [
            ("b", "abc", True),
            ("^b", "a\nb", False),
            ("b$", "b\n", False),
            ("^.$", "\u2028", False),
            ("^.$", "\x85", True),
            ("^.$", "😀", False),
            ("^..$", "😀", True),
            (r"^\d$", "٣", False),
            (r"^\s$", "\ufeff", True),
            (r"\A", "A", True),
            (r"^\p{L}$", "p{L}", True),
            ("/a/i", "A", False),
            (r"^(?<year>\d+)-\k<year>$", "12-12", True),
            ("\ud83d", "x\ud83d", True),
            ("a\x00b", "a\x00b", True),
            ("", "", True),
        ],
    )
    def test_is_that_of_javascript(self, pattern: str, text: str, found: bool) -> None:
        assert search(pattern, text) is found

    @pytest.mark.parametrize("pattern", ["[a", "(?i)a", "(?P<n>a)", "a++", "(?>a)", "a{2,1}", r"(?<n>a)\k<m>"])
    @pytest.mark.usefixtures("_no_worker")
    def test_refuses_what_javascript_refuses(self, pattern: str) -> None:
        assert syntax_problem(pattern)

    def test_what_the_engine_says_is_safe_to_show(self) -> None:
        problem = syntax_problem("(?<\x1b>a)")
        assert problem is not None
        assert "\x1b" not in problem


class TestACheapPattern:
    @pytest.mark.parametrize(
        "pattern",
        ["booked", r"QZ-\d+", "^(yes|no|maybe|never|always)$", r"\bconfirm(ed|ation)?\b", "a{2,5}", r"^\d{4}-\d{2}$"],
    )
    @pytest.mark.usefixtures("_no_worker")
    def test_needs_no_process(self, pattern: str) -> None:
        assert search(pattern, "x" * 300) is False

    @settings(max_examples=300)
    @given(some_patterns, st.sampled_from(["a", "ab", "aab", "😀"]), st.integers(1, 3_000))
    def test_is_quick_whatever_it_is_searched_in(self, pattern: str, part: str, length: int) -> None:
        text = (part * length)[:length] + "!"
        if syntax_problem(pattern) is None and most_steps(pattern, len(text)) <= ecmascript._CHEAP_STEPS:
            started = time.process_time()
            search_here(pattern, text)
            assert time.process_time() - started < 1.5

    @pytest.mark.parametrize(
        "pattern",
        ["(a+)+$", "(a|a)*$", r"(\w*)*!", "(?:a?){40}", "a?" * 40 + "a" * 40, r"(a*)\1b", "(?<n>a+)\\k<n>b",
         ".*" * 11, "(?:(?:a){0,900}){0,900}", "(?=a+)*b", "(|a|ab)+c"],
    )  # fmt: skip
    def test_is_none_of_these(self, pattern: str) -> None:
        assert syntax_problem(pattern) is None
        assert most_steps(pattern, 60) > ecmascript._CHEAP_STEPS


class TestTheWorker:
    @given(some_patterns, st.text("ab!\n😀", max_size=8))
    @settings(max_examples=60)
    def test_finds_what_is_found_here(self, pattern: str, text: str) -> None:
        if syntax_problem(pattern) is None:
            try:
                wanted = search_here(pattern, text)
            except OutOfBounds:
                return
            assert ecmascript._ask(pattern, text) is wanted

    def test_takes_patterns_and_texts_that_are_no_unicode(self) -> None:
        assert search("(\ud83d)+\x00?!", "\ud83d\ud83d!")

    def test_a_pattern_without_end_is_told_and_leaves_room_for_the_next(self) -> None:
        with pytest.raises(PatternProblem) as found:
            search("^(a+)+$", "a" * 40 + "b")
        assert str(found.value) == (
            'the pattern "^(a+)+$" gave no answer in 2 s on a text of 41 characters; '
            "write it without repeats inside repeats"
        )
        assert search("(aa|b)*c", "baabc")

    def test_memory_is_bounded(self) -> None:
        with pytest.raises(PatternProblem, match=r"could not be decided: out of memory on a text of 4,000,000 char"):
            search("(a|b)*c", "ab" * 2_000_000)

    def test_compiles_long_patterns(self) -> None:
        assert syntax_problem("a" * 2_000) is None
        assert syntax_problem("a" * 2_000 + "(") is not None
        assert not search("(a)" + "a" * 2_000, "aa")

    def test_a_pattern_that_takes_too_long_to_compile_is_refused(self) -> None:
        assert syntax_problem("a|" * 500_000) == "it gave no answer in 2 s"


class TestTheEngine:
    def test_stops_by_itself(self) -> None:
        with pytest.raises(OutOfBounds, match=r"^gave no answer in 2 s$"):
            search_here("^(a+)+$", "a" * 40 + "b")
        assert search_here("a+", "caat")

    def test_forgets_what_filled_its_memory(self) -> None:
        with pytest.raises(OutOfBounds, match="out of memory"):
            search_here("(a|b)*c", "ab" * 2_000_000)
        assert search_here("a+", "caat")

    def test_has_room_for_any_number_of_patterns(self) -> None:
        for number in range(1_000):
            compile_source(f"{'x' * 900}{number}")
        assert search_here("x9$", "x9")

    def test_serves_threads_side_by_side(self) -> None:
        found: list[bool] = []
        threads = [threading.Thread(target=lambda: found.append(search_here("a+b", "caab"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [True] * 8
