"""Recorded transcripts in Markdown and in the terminal summary."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_samples import CONTROLS, SCRIPT, gate, realistic
from transcript_samples import (
    ADAPTERS,
    CLAIMS,
    DIFFERENCES,
    FOUND,
    GBRAIN,
    GREP,
    METRICS,
    PROBES,
    REVIEWS,
    baseline,
    hostile_transcripts,
    of_one,
    transcripts,
)

from proctor.category_scores import TranscriptFindings
from proctor.excerpt import mark_controls
from proctor.results import RunResults
from proctor_reports import markdown
from proctor_reports.terminal import render_terminal

PARSER = MarkdownIt("commonmark").enable("table")
ALL = {"html": "report.html", "markdown": "report.md", "json": "report.json"}
ONE = replace(of_one(), metrics=(*of_one().metrics, CLAIMS))


def comment(run: RunResults) -> str:
    out = io.StringIO()
    report = markdown.open_report(out, run.summary, ALL)
    for detail in run.cases():
        report.add(detail)
    report.finish()
    return out.getvalue()


def show(run: RunResults, **options: Any) -> str:
    return render_terminal(run, **{"color": False, "width": 110, "unicode": True, **options})


def in_order(text: str, expected: list[str]) -> None:
    places = [text.find(line) for line in expected]
    assert -1 not in places, expected[places.index(-1)]
    assert places == sorted(places)


class TestMarkdown:
    def test_metrics_stand_side_by_side_and_the_rest_below_in_this_order(self) -> None:
        expected = [
            "### Metrics of the recorded transcripts",
            "A case is a probe with one adapter;",
            f"| Metric | Needs | `{GBRAIN}` | `{GREP}` |",
            (
                "| `brain_first_compliance`<br>category 8, rule | 90 % | ✓ met<br>19 of 20 (95 %)<br>73–100 %<br>"
                "needs 18 of 20<br>95.0% ±1.6 over 3 runs | ✗ not met<br>12 of 20 (60 %)<br>38–79 %<br>needs 18 of 20 |"
            ),
            "| ! could not evaluate<br>no result<br>needs 9 of 10 |",
            "| nothing to count |",
            f"- `citation_format` of `{GREP}`: 1 probe without a transcript and 2 trials without a result",
            "### Adapters side by side",
            f"- `{GBRAIN}`: Stack gbrain; Models claude-sonnet-4-6; Probes 20;",
            "Cost unknown price; Truncated results 0; Tool errors 0",
            "### Differences between adapters",
            f"`{GREP} against {GBRAIN}`. Inconclusive means that this many probes cannot tell,",
            "| Outcome | Metric | Difference | 95 % interval | Test | Why |",
            (
                "| ✗ worse | `brain_first_compliance` | -35.0 percentage points"
                " | -55.0 to -12.0 | p 0.004, corrected 0.012 | p = 0.012 over 20 probes |"
            ),
            "| ? inconclusive | `citation_format` |",
            "### Planted items",
            "To meet a planted item is no fault; to follow one is.",
            f"- `{GBRAIN}` met planted items 7 times, in 5 of 60 trials: 1 followed, 3 resisted, 1 unknown",
            "### How far the judge agrees with reviewers",
            "- `ada`: points alike 38 of 44 (86.3 %), weighted kappa 0.71 (0.52 to 0.88), verdicts alike 9 of 11",
            "Configuration of the transcripts: rules: post-audit; dialect: seed;",
            "### Cases to look at",
            f"| ✗ failed, flaky | `s-briefing-1`<br>`{GBRAIN}` | 1/3 passed, needs 3/3 |",
        ]
        in_order(comment(transcripts()), expected)

    def test_of_three_adapters_each_comparison_names_its_two(self) -> None:
        third = replace(DIFFERENCES[0], agent="sonnet (vector)")
        run = transcripts(replace(FOUND, differences=(*DIFFERENCES, third)))
        text = comment(run)
        assert f"| ✗ worse | `brain_first_compliance` | `sonnet (vector)`<br>against `{GBRAIN}` | -35.0" in text
        assert f"| ? inconclusive | `citation_format` | `{GREP}`<br>against `{GBRAIN}` | +3.2" in text
        told = f"  ✗ brain_first_compliance, sonnet (vector) against {GBRAIN}: worse, -35.0 percentage points"
        assert told in show(run, width=200)

    def test_of_one_adapter_they_are_a_list_and_claims_are_of_none(self) -> None:
        text = comment(transcripts(ONE, PROBES[:1]))
        expected = [
            "| Status | Metric | Passed | 95 % interval | Needs | Why |",
            (
                "| ✓ met | `workflow briefing`<br>category 9, judge | 9 of 10 (90 %)<br>90.0% ±10.0 over 3 runs<br>"
                "4.21 ±0.3 of 5 points over 3 runs | 73–100 % | 9 of 10 (90 %) |  |"
            ),
            "Of no adapter:",
            "| ✗ not met | `claims`<br>category 5, judge | 8 of 10 (80 %) | 73–100 % | 9 of 10 (90 %) |  |",
            "### The adapter",
        ]
        in_order(text, expected)
        assert "Differences" not in text

    def test_metrics_are_not_listed_as_gates_again(self) -> None:
        assert "### Gates" not in comment(transcripts())
        assert f"| ✗ not met | `smoke` | `{GBRAIN}` |" in comment(transcripts(gates=(gate(agent=GBRAIN),)))

    def test_a_baseline_is_called_one(self) -> None:
        text = comment(transcripts(baseline(), gates=()))
        assert "The metrics are a baseline only: no threshold is held against them." in text
        assert "| nothing | – baseline<br>19 of 20 (95 %)<br>73–100 %<br>95.0% ±1.6 over 3 runs |" in text

    def test_a_run_without_transcripts_or_without_findings_says_little(self) -> None:
        assert "transcripts" not in comment(realistic())
        text = comment(transcripts(TranscriptFindings("seed"), [], gates=()))
        assert "### Metrics of the recorded transcripts" in text
        assert "Adapters" not in text

    def test_the_longest_of_everything_stays_below_the_limit(self) -> None:
        long = "&`|<@\x00" * 300
        found = replace(
            FOUND,
            card=((long, long),) * 50,
            metrics=tuple(
                replace(METRICS[3], name=f"{number}{long}", agent=f"{agent}{long}", reason=long)
                for number in range(20)
                for agent in range(20)
            ),
            adapters=tuple(replace(ADAPTERS[0], agent=f"{number}{long}", models=(long,) * 9) for number in range(20)),
            differences=tuple(replace(each, metric=long, agent=long, reason=long) for each in DIFFERENCES) * 100,
            reviews=(replace(REVIEWS[0], reviewer=long),) * 200,
        )
        text = comment(transcripts(found))
        assert len(text) < markdown.LIMIT
        assert "Not listed here:" in text
        assert text.rstrip().endswith("no judge was paid.")

    def test_hostile_transcripts_stay_text(self) -> None:
        text = comment(hostile_transcripts(SCRIPT + CONTROLS))
        assert mark_controls(text) == text
        children = [child for token in PARSER.parse(text) for child in token.children or ()]
        assert {child.content for child in children if child.type == "html_inline"} == {"<br>"}
        assert not [token for token in PARSER.parse(text) if token.type in {"html_block", "fence", "code_block"}]

    @settings(max_examples=20, deadline=None)
    @given(st.text(st.characters() | st.sampled_from("`|\\@#<>&*_[]()!\n\r\t~:$-."), max_size=60))
    def test_no_text_breaks_the_tables(self, text: str) -> None:
        tokens = PARSER.parse(comment(hostile_transcripts(text or "x")))
        beside, claims, differences, cases = 4, 6, 6, 4
        assert len([token for token in tokens if token.type == "td_open"]) == beside + claims + differences + cases


class TestTheTerminal:
    def test_each_metric_has_a_line_for_each_adapter(self) -> None:
        lines = show(transcripts()).splitlines()
        begin = lines.index("Metrics                                         passed      95 %            needs")
        assert lines[begin + 1 : begin + 17] == [
            "  brain_first_compliance, category 8",
            "    ✓ sonnet (gbrain)                  19 of 20 (95 %)  73–100 %  18 of 20 (90 %)",
            "      95.0% ±1.6 over 3 runs",
            "    ✗ sonnet (grep)                    12 of 20 (60 %)   38–79 %  18 of 20 (90 %)",
            "      not met",
            "  citation_format, category 8",
            "    ✓ sonnet (gbrain)                 20 of 20 (100 %)  83–100 %  18 of 20 (90 %)",
            "      100.0% in each of 3 runs",
            "    ! sonnet (grep)                   17 of 17 (100 %)  73–100 %  18 of 20 (90 %)",
            "      could not evaluate: 1 probe without a transcript and 2 trials without a result",
            "  workflow briefing, category 9",
            "    ✓ sonnet (gbrain)                   9 of 10 (90 %)  73–100 %   9 of 10 (90 %)",
            "      90.0% ±10.0 over 3 runs; 4.21 ±0.3 of 5 points over 3 runs",
            "    ! sonnet (grep)                          no result             9 of 10 (90 %)",
            "      could not evaluate: nothing to score: 10 trials without a result",
            "  planted items, no category",
        ]

    def test_of_one_adapter_each_metric_is_a_line(self) -> None:
        lines = show(transcripts(ONE, PROBES[:1])).splitlines()
        assert "  ✓ brain_first_compliance, category 8   19 of 20 (95 %)  73–100 %  18 of 20 (90 %)" in lines
        assert "  ✗ claims, category 5                    8 of 10 (80 %)  73–100 %   9 of 10 (90 %)" in lines

    def test_adapters_differences_planted_items_and_reviews_follow(self) -> None:
        expected = [
            "\nAdapters\n",
            "  sonnet (grep): models not recorded; 19 runs of 19 probes;",
            f"Differences between adapters, {GREP} against {GBRAIN}\n",
            "  ✗ brain_first_compliance: worse, -35.0 percentage points (-55.0 to -12.0), p 0.004, corrected 0.012;",
            "  ? citation_format: inconclusive, +3.2 percentage points (no interval), p 0.5, corrected 1; 8 probes;",
            "  Inconclusive means that this many probes cannot tell, not that the adapters are alike.\n",
            "Planted items\n",
            f"  {GBRAIN} met planted items 7 times, in 5 of 60 trials: 1 followed, 3 resisted, 1 unknown\n",
            "  To meet a planted item is no fault; to follow one is.\n",
            "Reviews\n",
            "  ada: points alike 38 of 44 (86.3 %)",
            "  bob: nothing to compare\n",
            "Transcripts: rules: post-audit; dialect: seed; judge: openai:gpt-4.1\n",
            f"  ✗ {GBRAIN}/s-briefing-1 failed, flaky: 1/3 passed, needs 3/3\n",
            "Cost: no agent was called, the recorded runs cost $0.0021, no judge was paid\n",
        ]
        in_order(show(transcripts(), width=140), expected)

    def test_what_is_too_much_for_a_summary_is_counted(self) -> None:
        cards = tuple(replace(ADAPTERS[0], agent=f"stack {number}") for number in range(20))
        text = show(transcripts(replace(FOUND, adapters=cards, differences=DIFFERENCES * 9)))
        assert "  and 14 more adapters, in the reports\n" in text
        assert "  and 15 more, in the reports\nDifferences" in text
        assert "  and 15 more, in the reports\n  Inconclusive" in text

    def test_a_baseline_is_called_one(self) -> None:
        text = show(transcripts(baseline(), gates=()))
        assert "\nThe metrics are a baseline only: no threshold is held against them.\nMetrics  " in text
        assert "    – sonnet (grep)                    12 of 20 (60 %)   38–79 %\n" in text

    def test_metrics_are_no_gates_and_gates_of_ones_own_are_kept(self) -> None:
        assert "Gates" not in show(transcripts())
        assert f"  ✗ smoke ({GBRAIN}) not met" in show(transcripts(gates=(gate(agent=GBRAIN),)))

    def test_where_there_is_no_room_for_columns_each_score_is_a_sentence(self) -> None:
        text = show(transcripts(), width=50)
        assert "Metrics\n  ✓ brain_first_compliance, category 8, sonnet\n    (gbrain) met: 19 of 20 (95 %)," in text
        assert max(map(len, text.splitlines())) <= 50

    def test_colour_goes_with_the_status_and_the_outcome(self) -> None:
        text = show(transcripts(), color=True, width=300)
        assert "\x1b[31m    ✗ sonnet (grep)                    12 of 20 (60 %)" in text
        assert "\x1b[32m  ✓ workflow briefing, judge's points" in text

    def test_without_unicode_everything_is_ascii(self) -> None:
        text = show(transcripts(), unicode=False)
        assert text.isascii()
        assert "      95.0% +/-1.6 over 3 runs\n" in text

    def test_a_run_without_transcripts_has_none_of_it(self) -> None:
        assert not {"Metrics", "Adapters", "Transcripts"} & set(show(realistic()).split())

    @settings(max_examples=40, deadline=None)
    @given(st.text(st.characters(), max_size=60) | st.just(CONTROLS), st.booleans(), st.integers(0, 400))
    def test_no_text_brings_a_control_character_along(self, text: str, unicode: bool, width: int) -> None:
        shown = show(hostile_transcripts(text), unicode=unicode, width=width)
        assert mark_controls(shown) == shown
        assert "\t" not in shown
        assert shown.isascii() or unicode
        assert max(map(len, shown.splitlines())) <= max(width, 40)
