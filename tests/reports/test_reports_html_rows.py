from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_samples import DIMENSIONS, REGRESSION, hostile_rows, line, recorded, row
from report_page import page
from report_samples import CONTROLS, SCRIPT, case, gate, realistic

from proctor.dataset import RECORDED
from proctor.dimension_scores import Change, Regression
from proctor.excerpt import mark_controls
from proctor.results import Changes, Counts, GateStatus, Outcome, RunResults
from proctor.trajectory import Ending, Trajectory, TurnRecord
from proctor_reports import html


def mixed() -> RunResults:
    """Played cases and recorded rows in one run."""
    played, rows = realistic(), recorded()
    summary = replace(
        played.summary,
        dimensions=rows.summary.dimensions,
        regression=rows.summary.regression,
        cases=played.summary.cases + rows.summary.cases,
        trials=played.summary.trials + rows.summary.trials,
        gates=(*played.summary.gates, *rows.summary.gates),
    )
    return RunResults(summary, lambda: iter([*played.cases(), *rows.cases()]), rows.rows)


class TestDimensions:
    def test_they_come_after_the_gates_with_status_counts_and_what_they_need(self) -> None:
        words = page(recorded()).words()
        assert words.index("Gates Each dimension") < words.index("Dimensions Recorded rows that passed")
        assert words.index("Dimensions Recorded rows that passed") < words.index("Against the baseline The recorded")
        assert "✗ not met pii rule (patterns) 4 of 5 (80 %) 70–99 % 5 (100 %)" in words
        assert "✓ met grounding judge, trusted 9 of 10 (90 %) 70–99 % 9 (90 %)" in words
        assert "! could not evaluate safety rule no result 90 % no row has a result; 3 skipped" in words

    def test_the_gates_name_them_in_short_and_do_not_list_them(self) -> None:
        shown = page(recorded())
        assert (
            "Each dimension of the recorded rows is a gate, shown below: ✗ not met pii; ! could not evaluate safety;"
            " ✓ met grounding, task_completion, cost."
        ) in shown.words()
        assert "A gate is met when" not in shown.words()
        own = page(recorded(gates=(gate(agent=RECORDED),)))
        assert "✗ not met smoke recorded 17 of 20 rows passed, needs 18" in own.words()
        assert "And each dimension of the recorded rows is a gate" in own.words()

    def test_bars_have_a_text_with_the_threshold_and_one_more_where_trials_are_alike(self) -> None:
        labels = [bar["aria-label"] for bar in page(recorded(slices=())).named("svg")]
        assert labels == [
            "90 %, 95 % interval 70–99 %, threshold 90 %",
            "80 %, 95 % interval 70–99 %, threshold 100 %",
            "95 %, 95 % interval 70–99 %, threshold 90 %",
            "95 %, 95 % interval 61–100 %, threshold 90 %",
            "100 %, 95 % interval 70–99 %, threshold 90 %",
        ]
        assert "repeated trials counted as alike: 61–100 %" in page(recorded()).words()

    @pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
    def test_a_threshold_is_marked_inside_the_bar(self, threshold: float) -> None:
        shown = page(recorded(dimensions=(replace(DIMENSIONS[2], threshold=threshold),), slices=()))
        marks = [float(str(tag["x"])) for tag in shown.named("rect") if tag["class"] == "mark"]
        assert len(marks) == 2
        assert all(0 <= mark <= 99.2 for mark in marks)

    def test_a_self_test_judge_is_called_so(self) -> None:
        assert "grounding self-test, trusted" in page(recorded(self_test=True)).words()

    def test_lower_bounds_least_rows_and_controls_are_said(self) -> None:
        found = replace(DIMENSIONS[2], bound="lower", min_rows=30, controls=Counts(2, 1), reason="1 control missed")
        words = page(recorded(dimensions=(found,))).words()
        assert "an interval from 100 %, 30 rows or more" in words
        assert "1 control missed Controls: 2 of 3 controls caught, 1 missed" in words

    def test_repeated_cases_and_measures_have_tables_of_their_own(self) -> None:
        words = page(recorded()).words()
        assert "task_completion pass^2 90 % pass@2 100 % 90 % 10 of 10 cases repeated 1 flaky: late-arrival" in words
        assert "cost 1 $0.2000 $0.2000 $0.2000 $0.2000 $0.2000" in words
        plain = page(recorded(dimensions=DIMENSIONS[1:3])).words()
        assert "Repeated cases" not in plain
        assert "Cost and latency" not in plain

    def test_a_run_without_rows_has_none(self) -> None:
        shown = page(realistic())
        assert "Dimensions" not in shown.words()
        assert "#dimensions" not in shown.source


class TestJudges:
    def test_the_calibration_stands_beside_the_judged_numbers(self) -> None:
        words = page(recorded()).words()
        assert (
            "✓ trusted grounding 0.86 (0.71 to 0.97) 0.85 agreement 38 of 40 (95 %) sensitivity 30 of 31 (96.7 %)"
            " specificity 8 of 9 (88.8 %) kappa 0.86 on 40 labelled rows reaches the bar of 0.85"
        ) in words

    def test_a_judge_that_was_not_calibrated_is_shown_too(self) -> None:
        words = page(recorded(calibration=())).words()
        assert "grounding judge, not trusted 9 of 10" in words
        assert "✗ not trusted grounding not known not known not calibrated: no verdict of the judge" in words

    def test_without_a_judge_there_is_no_table(self) -> None:
        assert "Judge calibration" not in page(recorded(calibration=(), dimensions=DIMENSIONS[1:])).words()


class TestTheBaseline:
    def test_a_dimension_is_shown_before_and_now_with_test_and_power(self) -> None:
        change = replace(REGRESSION.dimensions[0], adjusted_p=1.0)
        words = page(recorded(regression=replace(REGRESSION, dimensions=(change,)))).words()
        assert (
            "The recorded rows and those of the baseline, run run-0041: pii is worse than before; this hinders the run"
            " from passing."
        ) in words
        assert (
            "✗ regressed pii 100 % of 5 80 % of 5 1 lost, 0 won of 5 McNemar: p 1, corrected 1 60 points 1 row lost"
        ) in words

    def test_cannot_tell_is_a_word_of_its_own(self) -> None:
        change = replace(REGRESSION.dimensions[0], change=Change.UNCLEAR)
        assert "? cannot tell pii" in page(recorded(regression=replace(REGRESSION, dimensions=(change,)))).words()

    def test_a_dimension_that_only_one_run_has_shows_no_share(self) -> None:
        change = replace(REGRESSION.dimensions[0], change=Change.ADDED, before=None, before_rows=0, shared=0, p=None)
        words = page(recorded(regression=replace(REGRESSION, dimensions=(change,)))).words()
        assert "+ added pii no row 80 % of 5 no row is in both no test" in words

    def test_what_cannot_be_compared_says_why_and_nothing_else(self) -> None:
        found = Regression("run-1", False, "its purpose was triage", 0.05, False, False)
        words = page(recorded(regression=found, changes=Changes("run-1"))).words()
        assert "those of the baseline, run run-1: cannot be compared: its purpose was triage." in words
        assert "Nothing changed" not in words

    def test_rows_that_changed_are_named_and_marked(self) -> None:
        words = page(recorded(changes=Changes("run-0041", newly_failing=("recorded/p1",)))).words()
        assert "1 newly failing recorded/p1" in words
        assert "✗ failed newly failing p1 pii" in words

    def test_a_run_without_a_comparison_says_so(self) -> None:
        assert "This run was not compared with a baseline." in page(recorded(regression=None)).words()


class TestRows:
    def test_the_page_speaks_of_rows(self) -> None:
        words = page(recorded()).words()
        for shown in (
            "Rows 39 (33 passed, 3 failed, 3 skipped) Cost no agent was called, 1 recorded row cost $0.2000",
            "The share of rows that passed",
            "Rows to look at Rows that failed or have no result. The worst come first.",
            "All rows 7 rows, worst first. The texts of a row without a link are in its file.",
            "Outcome Row Dimension Tags Why",
        ):
            assert shown in words
        for hidden in ("Trials", "cost not known; tokens", "Agents"):
            assert hidden not in words.replace("Agents and tags", "").replace("Judges used cost not known; tokens", "")

    def test_a_row_to_look_at_shows_its_finding_its_place_and_its_texts(self) -> None:
        detail = row("p1", "pii", Outcome.FAILED, "a phone number is in the answer")
        turn = TurnRecord("", "Call 555-0100.", ())
        trial = replace(detail.trials[0], trajectory=Trajectory(Ending.COMPLETED, (turn,)))
        words = page(recorded([replace(detail, trials=(trial,))])).words()
        assert "✗ failed p1 pii pii: a phone number is in the answer rows.jsonl:7 As recorded ✗ failed" in words
        assert "✗ failed pii a phone number is in the answer Agent Call 555-0100." in words

    def test_passed_rows_are_in_the_table_after_the_others_while_there_is_room(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = page(recorded()).words()
        assert words.index("– skipped s1") < words.index("✓ passed t3 task_completion vip") < words.index("✓ passed c1")
        monkeypatch.setattr(html, "ROWS", 6)
        words = page(recorded()).words()
        assert "6 rows, worst first. 1 more row would make this table too slow: read on in report.json." in words
        assert "✓ passed c1" not in words

    def test_rows_and_cases_of_one_run_are_told_apart(self) -> None:
        words = page(mixed()).words()
        assert "Cases 8 (2 passed, 2 failed, 1 errored, 1 refused, 1 unscored, 1 skipped) Trials 20" in words
        assert "Rows 39 (33 passed, 3 failed, 3 skipped)" in words
        assert "Outcome Case Agent Trials or dimension Tags Why" in words
        assert "✗ not met smoke concierge 17 of 20 cases passed, needs 18" in words
        assert "The baseline is run run-0041." in words
        assert "✗ failed double-booking concierge · 0/3 passed, needs 3/3" in words


class TestTheDocument:
    @pytest.mark.parametrize("run", [recorded(), mixed(), hostile_rows(SCRIPT)], ids=["rows", "mixed", "hostile"])
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

    def test_every_status_and_change_has_a_word_beside_its_colour(self) -> None:
        dimensions = [replace(DIMENSIONS[2], status=status) for status in GateStatus]
        changes = tuple(replace(REGRESSION.dimensions[0], change=change) for change in Change)
        run = recorded(dimensions=dimensions, regression=replace(REGRESSION, dimensions=changes))
        words = page(run).words()
        for badge in (
            "✓ met",
            "✗ not met",
            "! could not evaluate",
            "✗ regressed",
            "✓ improved",
            "= stable",
            "? cannot tell",
            "+ added",
            "– gone",
        ):
            assert badge in words

    def test_many_rows_do_not_make_a_large_page(self) -> None:
        lines = [line(f"row-{index}") for index in range(10_000)]
        assert len(page(recorded(lines=lines)).source) < 1_000_000


class TestHostileText:
    def test_markup_of_rows_is_shown_as_text(self) -> None:
        shown = page(hostile_rows(SCRIPT))
        assert "<img" not in shown.source
        assert "</script" not in shown.source
        assert shown.text.count(SCRIPT) > 25

    @settings(max_examples=25, deadline=None)
    @given(st.text(st.characters(), max_size=40) | st.just(CONTROLS))
    def test_no_text_of_rows_breaks_the_page(self, text: str) -> None:
        shown = page(hostile_rows(text))
        assert mark_controls(shown.source) == shown.source
        assert mark_controls(text).strip() in shown.text or not text.strip()


def test_a_case_named_like_a_row_is_still_a_case() -> None:
    words = page(RunResults(realistic().summary, lambda: iter([case(RECORDED, (Outcome.FAILED,))]))).words()
    assert "✗ failed recorded concierge · 0/1 passed, needs 1/1" in words
