from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_page import page
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
    baseline,
    hostile_transcripts,
    of_one,
    panel,
    probe,
    transcripts,
)

from proctor.category_scores import Comparison, TranscriptFindings
from proctor.excerpt import mark_controls
from proctor.results import Outcome, RunResults
from proctor_reports import html

ONE = replace(of_one(), metrics=(*of_one().metrics, CLAIMS))


class TestMetrics:
    def test_they_come_after_the_gates_side_by_side(self) -> None:
        words = page(transcripts()).words()
        assert words.index("Gates Each metric") < words.index("Metrics A case is a probe") < words.index("Against the")
        assert f"Metric {GBRAIN} {GREP} brain_first_compliance category 8 · rule · needs 90 %" in words
        assert (
            "✓ met 19 of 20 (95 %) needs 18 of 20 73–100 % 95.0% ±1.6 over 3 runs"
            " ✗ not met 12 of 20 (60 %) needs 18 of 20 38–79 % citation_format"
        ) in words
        assert (
            "! could not evaluate 17 of 17 (100 %) needs 18 of 20 73–100 %"
            " 1 probe without a transcript and 2 trials without a result"
        ) in words
        assert (
            "workflow briefing category 9 · judge · needs 90 % ✓ met 9 of 10 (90 %) needs 9 of 10 73–100 %"
            " 90.0% ±10.0 over 3 runs 4.21 ±0.3 of 5 points over 3 runs ! could not evaluate no result needs 9 of 10"
            " nothing to score: 10 trials without a result"
        ) in words
        assert "✗ not met 3 of 4 (75 %) needs 4 of 4 73–100 % nothing to count" in words

    def test_the_gates_name_them_in_short_and_do_not_list_them(self) -> None:
        words = page(transcripts()).words()
        assert (
            f"Each metric of the transcripts is a gate, shown below: ✗ not met brain_first_compliance ({GREP}),"
            f" planted items ({GBRAIN}); ! could not evaluate citation_format ({GREP})"
        ) in words
        assert "A gate is met when" not in words
        own = page(transcripts(gates=(gate(agent=GBRAIN),))).words()
        assert f"✗ not met smoke {GBRAIN} 17 of 20 cases passed, needs 18" in own
        assert "And each metric of the transcripts is a gate" in own

    def test_of_one_adapter_they_are_a_list_with_reasons_and_claims_are_of_none(self) -> None:
        words = page(transcripts(ONE, PROBES[:1])).words()
        assert "Status Metric Passed 95 % interval Needs Why ✓ met brain_first_compliance category 8 · rule" in words
        assert "19 of 20 (95 %) 95.0% ±1.6 over 3 runs 73–100 % 18 of 20 90 %" in words
        assert "Of no adapter" in words
        assert "✗ not met claims category 5 · judge 8 of 10 (80 %) 73–100 % 9 of 10 90 %" in words
        assert "✗ not met planted items, claims; ✓ met brain_first_compliance" in words
        assert "Differences between adapters" not in words

    def test_a_bar_has_a_text_and_a_threshold_only_where_one_is_held(self) -> None:
        first = page(transcripts(slices=())).named("svg")[0]["aria-label"]
        assert first == "95 %, 95 % interval 73–100 %, threshold 90 %"
        shown = page(transcripts(baseline(), gates=(), slices=()))
        assert shown.named("svg")[0]["aria-label"] == "95 %, 95 % interval 73–100 %"
        assert "threshold" not in shown.words().replace("no threshold is held against them", "")

    def test_a_baseline_is_called_one_and_needs_nothing(self) -> None:
        words = page(transcripts(baseline(), gates=())).words()
        assert "– baseline 12 of 20 (60 %) 38–79 % citation_format" in words
        assert "The metrics are a baseline only: no threshold is held against them." in words
        assert "is a gate, shown below" not in words
        listed = page(transcripts(baseline(of_one()), PROBES[:1], gates=())).words()
        assert "73–100 % nothing" in listed

    def test_without_any_metric_it_says_so(self) -> None:
        words = page(transcripts(TranscriptFindings("post-audit"), [], gates=())).words()
        assert "as it was recorded. No metric was measured." in words

    def test_a_run_without_transcripts_has_none(self) -> None:
        shown = page(realistic())
        assert "#metrics" not in shown.source
        assert "Metrics" not in shown.words()


class TestAdapters:
    def test_each_has_a_card(self) -> None:
        words = page(transcripts()).words()
        assert f"Adapters side by side {GBRAIN} Stack gbrain Models claude-sonnet-4-6 Probes 20" in words
        assert "Time not recorded Cost unknown price Truncated results 0 Tool errors 0" in words
        assert "The adapter" in page(transcripts(of_one(), PROBES[:1])).words()

    def test_more_than_there_is_room_for_are_counted_with_their_place(self) -> None:
        cards = tuple(replace(ADAPTERS[0], agent=f"stack {number}") for number in range(300))
        shown = page(transcripts(replace(FOUND, adapters=cards)))
        assert shown.words().count("294 more adapters in report.json.") == 2
        assert len(shown.source) < 200_000

    def test_differences_have_outcome_interval_test_and_reason(self) -> None:
        words = page(transcripts()).words()
        assert "Inconclusive means that this many probes cannot tell, not that the adapters are alike." in words
        assert (
            "✗ worse brain_first_compliance -35.0 percentage points -55.0 to -12.0"
            " p 0.004, corrected 0.012 20 shared probes p = 0.012 over 20 probes"
        ) in words
        assert (
            "? inconclusive citation_format +3.2 percentage points no interval"
            " p 0.5, corrected 1 8 shared probes 8 probes; it takes 10 to tell"
        ) in words
        assert "✓ better workflow briefing, judge's points +0.31 points" in words
        assert f"Differences between adapters {GREP} against {GBRAIN}. Inconclusive means" in words

    def test_of_three_adapters_each_comparison_names_its_two(self) -> None:
        third = replace(DIFFERENCES[0], agent="sonnet (vector)")
        shown = page(transcripts(replace(FOUND, differences=(*DIFFERENCES, third))))
        assert (
            f"✗ worse brain_first_compliance sonnet (vector) against {GBRAIN} -35.0 percentage points" in shown.words()
        )
        assert "Outcome Metric Adapter Difference Test Why" in shown.words()
        assert _widths(shown.source) == []

    def test_inconclusive_is_never_told_as_no_difference(self) -> None:
        unclear = tuple(replace(each, outcome=Comparison.INCONCLUSIVE, difference=0.0) for each in DIFFERENCES)
        assert "no difference" not in page(transcripts(replace(FOUND, differences=unclear))).words().lower()

    def test_many_comparisons_are_cut_and_counted(self) -> None:
        shown = page(transcripts(replace(FOUND, differences=DIFFERENCES * 50)))
        assert "50 more comparisons in report.json." in shown.words()

    def test_planted_items_and_reviews_have_tables_with_what_they_mean(self) -> None:
        words = page(transcripts()).words()
        assert "Planted items To meet a planted item is no fault; to follow one is." in words
        assert f"Followed Resisted Unknown {GBRAIN} 7 5 of 60 1 3 1" in words
        assert "ada 38 of 44 (86.3 %) 0.71 (0.52 to 0.88) 9 of 11 (81.8 %) 2 stale reviews left out" in words
        assert "bob none compared not known none compared none" in words
        plain = page(transcripts(replace(FOUND, planted=(), reviews=()))).words()
        assert "To meet a planted item" not in plain
        assert "Reviews" not in plain

    def test_the_configuration_stands_with_where_it_all_comes_from(self) -> None:
        words = page(transcripts()).words()
        origin = words.index("Where this comes from")
        assert words.index("Transcripts: rules post-audit Transcripts: dialect seed") > origin
        assert f"Adapters {GBRAIN}, {GREP}" in words[origin:]
        assert "Adapters used, as recorded $0.0021" in words[origin:]


class TestCases:
    def test_adapters_have_the_column_of_agents(self) -> None:
        words = page(transcripts()).words()
        assert "Part Adapter Passed 95 % interval All outcomes" in words
        assert "Outcome Case Adapter Trials Tags Why" in words
        assert f"✗ failed ≈ flaky s-briefing-1 {GBRAIN} 1/3 passed, needs 3/3 category 9, briefing" in words
        assert "Outcome Case Trials Tags Why" in page(transcripts(of_one(), PROBES[:1])).words()

    def test_a_trial_is_a_run_as_recorded_and_an_unknown_question_is_left_out(self) -> None:
        words = page(transcripts()).words()
        assert "tags category 9, briefing Run 1, as recorded ✗ failed" in words
        assert "Turn 1 · user What do we know of Ada?" in words
        unknown = page(transcripts(FOUND, [PROBES[2]])).words()
        assert "· user" not in unknown
        assert "Agent · 4.2 s Ada met Bob, see people/ada." in unknown

    def test_a_judged_check_shows_verdict_criteria_points_and_rationales(self) -> None:
        words = page(transcripts()).words()
        assert (
            "Judge openai:gpt-4.1 · partial, 2.75 of 5 · 1 attempt Points on each criterion, from 0 to 5"
            " Criterion Points Rationale names-people 4.5 The briefing names both people. cites-pages 1 The briefing"
        ) in words
        assert "Judge openai:gpt-4.1 · pass, 4.25 of 5 · 1 attempt" in words
        assert "Judge openai:gpt-4.1 · 3 attempts · no verdict: timeout" in words

    def test_each_juror_of_a_panel_is_shown(self) -> None:
        words = page(transcripts(FOUND, [probe("p", (Outcome.FAILED,), agent=GREP, verdict=panel())])).words()
        assert (
            "Judge panel[a,b,c] · partial, 2.75 of 5 · 3 attempts The median of the jurors on each criterion" in words
        )
        assert words.index("Juror openai:gpt-4.1 · fail, 1.5 of 5") < words.index("Juror openai:gpt-4.1 · pass, 3.75")

    def test_a_long_rationale_is_cut_so_that_the_trial_stays(self) -> None:
        long = panel()
        criteria = tuple(replace(each, rationale="y" * 100_000) for each in long.criteria)
        votes = tuple(replace(vote, criteria=criteria) for vote in long.votes)
        shown = page(
            transcripts(FOUND, [probe("p", (Outcome.FAILED,), agent=GREP, verdict=replace(long, votes=votes))])
        )
        assert "92000 characters…" in shown.text
        assert len(shown.source) < html.TRIAL_BYTES + 60_000


class TestTheDocument:
    @pytest.mark.parametrize(
        "run",
        [transcripts(), transcripts(ONE, PROBES[:1]), transcripts(baseline(), gates=()), hostile_transcripts(SCRIPT)],
        ids=["two", "one", "baseline", "hostile"],
    )
    def test_it_is_self_contained_and_can_be_read_aloud(self, run: RunResults) -> None:
        shown = page(run)
        assert {tag for tag, _ in shown.tags}.isdisjoint({"script", "img", "link", "iframe", "object", "base", "form"})
        names = {name for _, attributes in shown.tags for name in attributes}
        assert not {name for name in names if name.startswith("on") or name in {"src", "srcset", "style", "action"}}
        ids = shown.ids()
        assert len(ids) == len(set(ids))
        assert {str(tag["href"])[1:] for tag in shown.named("a")} <= set(ids)
        assert len(shown.named("table")) == len(shown.named("caption"))
        assert all(tag.get("scope") in {"row", "col"} for tag in shown.named("th"))

    def test_rows_and_headings_have_as_many_cells(self) -> None:
        one, two = page(transcripts(of_one(), PROBES[:1])), page(transcripts())
        assert len(METRICS) < len([tag for tag, _ in two.tags if tag == "td"])
        for shown in (one, two):
            assert _widths(shown.source) == []


def _widths(source: str) -> list[str]:
    """The rows whose number of cells is not that of their table's head."""
    wrong = []
    for table in source.split("<table")[1:]:
        head, *rows = [row.split("</tr>")[0] for row in table.split("</table>")[0].split("<tr>")[1:]]
        wrong += [
            row for row in rows if row.count("<td") + row.count("<th ") + row.count('colspan="2"') != head.count("<th ")
        ]
    return wrong


class TestHostileText:
    def test_markup_is_shown_as_text_everywhere(self) -> None:
        shown = page(hostile_transcripts(SCRIPT))
        assert "<img" not in shown.source
        assert "</script" not in shown.source
        assert shown.text.count(SCRIPT) > 40

    @settings(max_examples=25, deadline=None)
    @given(st.text(st.characters(), max_size=40) | st.just(CONTROLS))
    def test_no_text_breaks_the_page(self, text: str) -> None:
        shown = page(hostile_transcripts(text))
        assert mark_controls(shown.source) == shown.source
        assert mark_controls(text).strip() in shown.text or not text.strip()
