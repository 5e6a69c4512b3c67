from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import CONTROLS, case, hostile, realistic, results

from proctor.excerpt import mark_controls
from proctor.results import CaseDetail, Changes, Decision, Outcome, RunResults
from proctor_reports.terminal import render_terminal

P, F = Outcome.PASSED, Outcome.FAILED


def show(run: RunResults, **options: Any) -> str:
    return render_terminal(run, **{"color": False, "width": 100, "unicode": True, **options})


class TestTheSummary:
    def test_the_verdict_comes_first(self) -> None:
        assert show(realistic()).splitlines()[:4] == [
            "✗ Failed: Booking assistant",
            "  Gate smoke is not met: 17 of 20 cases passed, needs 18.",
            "  May not ship: the run failed.",
            "  Warning: the calibration of judge polite is stale",
        ]

    def test_gates_changes_cases_and_figures_follow(self) -> None:
        lines = show(realistic()).splitlines()
        for line in (
            "  ✗ smoke (concierge) not met: 17 of 20 cases passed, needs 18",
            "  ✓ core (concierge) met: 3 of 3 cases passed, needs 3",
            "  1 newly failing: concierge/late-arrival",
            "  ✗ concierge/late-arrival failed, flaky: 2/3 passed, needs 3/3",
            "    reply_contains (turn 1): 'booked' is not in the reply",
            "  ! concierge/tōkyō-table errored: 0/3 passed, needs 3/3, 3 errored",
            "Cases: 8 (2 passed, 2 failed, 1 errored, 1 refused, 1 unscored, 1 skipped)",
            "Cache: 1 of 20 trials came from the cache, the oldest from 2026-05-01T08:00:00Z.",
            "Cost: agent $0.0021, no judge was paid",
        ):
            assert line in lines

    def test_the_paths_of_the_reports_stay_whole(self) -> None:
        path = Path("/builds") / ("long-folder-name" * 10) / "report.html"
        assert show(realistic(), paths={"html": path}, width=60).splitlines()[-1] == f"  html      {path}"

    def test_ten_cases_are_shown_and_the_others_counted(self) -> None:
        text = show(results([case(f"case-{index:02}", (F,)) for index in range(14)]))
        assert "case-09" in text
        assert "case-10" not in text
        assert "  and 4 more that did not pass" in text.splitlines()

    def test_more_flaky_cases_are_not_called_failed(self) -> None:
        text = show(results([case(f"case-{index:02}", (P, F), P, needed=1) for index in range(12)]))
        assert "  and more flaky ones" in text.splitlines()

    def test_a_run_in_which_all_is_well_is_short(self) -> None:
        text = show(results([case("c", (P,))], Decision.PASSED, changes=Changes("run-1")))
        assert text.startswith("✓ Passed: Booking assistant\n")
        assert "  May ship.\n" in text
        assert "  Nothing changed.\n" in text
        assert "Worst cases" not in text

    def test_no_more_cases_are_read_than_are_shown(self) -> None:
        read = []

        def cases() -> Iterator[CaseDetail]:
            for index in range(1000):
                read.append(index)
                yield case(f"c{index}", (F,) if index < 3 else (P,))

        show(RunResults(realistic().summary, cases))
        assert read == [0, 1, 2, 3]


class TestTheTerminal:
    def test_colour_is_only_there_when_asked_for(self) -> None:
        assert "\x1b" not in show(realistic())
        coloured = show(realistic(), color=True)
        assert coloured.startswith("\x1b[31m✗ Failed: Booking assistant\x1b[0m\n")
        assert re.sub("\x1b\\[\\d+m", "", coloured) == show(realistic())

    def test_lines_are_folded_to_the_width(self) -> None:
        details = [case("case-" * 40, (F,), reason="because " * 100), case("x" * 200, (F,))]
        text = show(results(details, reason="word " * 80), width=50)
        assert max(map(len, text.splitlines())) <= 50

    def test_without_unicode_everything_is_ascii(self) -> None:
        text = show(realistic(), unicode=False)
        assert text.isascii()
        assert text.startswith("x Failed: Booking assistant\n")
        assert "concierge/t?ky?-table" in text

    def test_escape_sequences_of_an_agent_do_not_reach_it(self) -> None:
        text = show(hostile(CONTROLS))
        assert "\x1b" not in text
        assert "a<00>b<1B>[31mred<FFFE>" in text

    def test_an_agent_cannot_add_a_line_that_looks_like_ours(self) -> None:
        text = show(results([case("c", (F,), reason="no\n✓ Passed: Booking assistant")]))
        assert "✓ Passed: Booking assistant" not in text.splitlines()

    @settings(max_examples=40, deadline=None)
    @given(st.text(st.characters(), max_size=60), st.booleans(), st.booleans(), st.integers(0, 200))
    def test_no_text_brings_a_control_character_along(self, text: str, color: bool, unicode: bool, width: int) -> None:
        shown = show(hostile(text), color=color, unicode=unicode, width=width, paths={"html": Path("a\x1bb\nc")})
        ours = re.sub("\x1b\\[3[1-7]m|\x1b\\[0m", "", shown) if color else shown
        assert mark_controls(ours) == ours
        assert "\t" not in ours
        assert ours.endswith("  html      a<1B>b<0A>c\n")
        assert ours.isascii() or unicode
