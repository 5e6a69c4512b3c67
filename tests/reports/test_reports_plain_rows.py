"""Recorded rows in Markdown and in the terminal summary."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from recorded_samples import DIMENSIONS, REGRESSION, hostile_rows, recorded, row
from report_samples import CONTROLS, SCRIPT, gate, realistic

from proctor.dataset import RECORDED
from proctor.dimension_scores import Change, Reliability
from proctor.excerpt import mark_controls
from proctor.results import Changes, Counts, GateStatus, Outcome, RunResults
from proctor_reports import markdown
from proctor_reports.terminal import render_terminal

PARSER = MarkdownIt("commonmark").enable("table")
ALL = {"html": "report.html", "markdown": "report.md", "json": "report.json"}
MOVED = replace(
    REGRESSION,
    dimensions=(
        *REGRESSION.dimensions,
        replace(REGRESSION.dimensions[0], dimension="cost", change=Change.UNCLEAR),
        replace(REGRESSION.dimensions[0], dimension="safety", change=Change.STABLE),
    ),
)


def comment(run: RunResults) -> str:
    out = io.StringIO()
    report = markdown.open_report(out, run.summary, ALL)
    for detail in run.cases():
        report.add(detail)
    for line in run.rows():
        report.add_row(line)
    report.finish()
    return out.getvalue()


def show(run: RunResults, **options: Any) -> str:
    return render_terminal(run, **{"color": False, "width": 100, "unicode": True, **options})


class TestMarkdown:
    def test_it_says_dimensions_comparison_judges_and_rows_in_this_order(self) -> None:
        text = comment(recorded(regression=MOVED, changes=Changes("run-0041", newly_failing=("recorded/p1",))))
        expected = [
            "- Rows: 39 (33 passed, 3 failed, 3 skipped)",
            "### Dimensions of the recorded rows",
            "| ✓ met | `grounding` | 9 of 10 | 90 % | 70–99 % | 9 (90 %) | judge |  |",
            "| ! could not evaluate | `safety` | no result |  |  | 90 % | rule | no row has a result; 3 skipped |",
            "| ✗ not met | `pii` | 4 of 5 | 80 % | 70–99 % | 5 (100 %) | rule (patterns) |  |",
            "- Repeated cases of `task_completion`: pass^2 90 %, pass@\u200b2 100 %, consistency 90 %;",
            "; 1 flaky: late-arrival; interval with repeated trials counted as alike 61–100 %",
            "- Measured `cost`: 1 row: total \\$0.2000, mean \\$0.2000,",
            "### How far the judges can be trusted",
            "- `grounding`: trusted; kappa 0.86 on 40 labelled rows reaches the bar of 0.85",
            "### Recorded rows against the baseline `run-0041`",
            "Pii is worse than before; this hinders the run from passing.",
            "- ✗ regressed `pii`: 1 row lost",
            "- Cannot tell: cost; stable: safety.",
            "- 1 newly failing: `recorded/p1`",
            "### Rows to look at",
            "| Outcome | Row | Dimension | Why |",
            "| ✗ failed | `p1`<br>`rows.jsonl:7` | `pii` | `pii: a phone number is in the answer` |",
            "Rows to look at, with their texts: `report.html`.",
            "no agent was called, 1 recorded row cost \\$0.2000, no judge was paid.",
        ]
        places = [text.find(line) for line in expected]
        assert -1 not in places, expected[places.index(-1)]
        assert places == sorted(places)

    def test_dimensions_are_not_listed_as_gates_again(self) -> None:
        assert "### Gates" not in comment(recorded())
        text = comment(recorded(gates=(gate(agent=RECORDED),)))
        assert "| ✗ not met | `smoke` | `recorded` | 17 of 20 rows passed, needs 18 |  |" in text

    def test_controls_are_told(self) -> None:
        text = comment(recorded(dimensions=(replace(DIMENSIONS[2], controls=Counts(2, 1)),)))
        assert "- Controls of `pii`: 2 of 3 controls caught, 1 missed" in text

    def test_a_run_without_a_comparison_says_so_and_one_without_rows_names_none(self) -> None:
        assert "This run was not compared with a baseline." in comment(recorded(regression=None))
        text = comment(realistic())
        assert "recorded rows" not in text
        assert "judges can be trusted" not in text

    def test_the_longest_of_everything_stays_below_the_limit(self) -> None:
        long = "&`|<@\x00" * 300
        found = replace(DIMENSIONS[3], name=long, reason=long, engine=long, status=GateStatus.NOT_MET)
        found = replace(found, reliability=Reliability(9, 9, 9, 0.5, 2, 0.5, 0.9, 9, (long,) * 200))
        change = replace(REGRESSION.dimensions[0], dimension=long, reason=long)
        text = comment(
            recorded(
                [row(f"{long}{index}", long, Outcome.FAILED, long) for index in range(200)],
                dimensions=(found,) * 40,
                regression=replace(REGRESSION, reason=long, dimensions=(change,) * 40),
            )
        )
        assert len(text) < markdown.LIMIT
        assert "Not listed here:" in text
        assert text.rstrip().endswith("no judge was paid.")

    def test_hostile_rows_stay_text(self) -> None:
        text = comment(hostile_rows(SCRIPT + CONTROLS))
        assert mark_controls(text) == text
        children = [child for token in PARSER.parse(text) for child in token.children or ()]
        assert {child.content for child in children if child.type == "html_inline"} == {"<br>"}
        assert not [token for token in PARSER.parse(text) if token.type in {"html_block", "fence", "code_block"}]

    @settings(max_examples=20, deadline=None)
    @given(st.text(st.characters() | st.sampled_from("`|\\@#<>&*_[]()!\n\r\t~:$-."), max_size=60))
    def test_no_text_of_rows_breaks_the_tables(self, text: str) -> None:
        tokens = PARSER.parse(comment(hostile_rows(text or "x")))
        assert len([token for token in tokens if token.type == "td_open"]) == 2 * 8 + 1 * 4 + 2 * 0 + 0


class TestTheTerminal:
    def test_dimensions_stand_in_columns_with_a_sentence_where_one_is_needed(self) -> None:
        lines = show(recorded()).splitlines()
        begin = lines.index("Dimensions              passed   rate     95 %  needs  pass^2  by")
        assert lines[begin + 1 : begin + 9] == [
            "  ✓ grounding          9 of 10   90 %  70–99 %      9          judge",
            "  ! safety           no result                   90 %          rule",
            "    could not evaluate: no row has a result; 3 skipped",
            "  ✗ pii                 4 of 5   80 %  70–99 %      5          rule (patterns)",
            "    not met",
            "  ✓ task_completion   19 of 20   95 %  70–99 %     18    90 %  rule",
            "  ✓ cost                1 of 1  100 %  70–99 %      1          rule",
            "",
        ]

    def test_where_the_page_is_narrow_the_least_useful_column_goes_first(self) -> None:
        lines = show(recorded(), width=68).splitlines()
        assert "Dimensions              passed   rate     95 %  needs  pass^2" in lines

    def test_where_there_is_no_room_for_columns_each_dimension_is_a_sentence(self) -> None:
        text = show(recorded(), width=50)
        assert "Dimensions\n  ✓ grounding met: 9 of 10 rows passed, needs 9\n" in text
        assert max(map(len, text.splitlines())) <= 50

    def test_controls_are_told(self) -> None:
        found = replace(DIMENSIONS[4], controls=Counts(3))
        assert "    all 3 controls were caught" in show(recorded(dimensions=(found,))).splitlines()

    def test_the_comparison_the_judges_and_the_rows_follow(self) -> None:
        changes = Changes("run-0041", newly_failing=("recorded/p1",))
        lines = show(recorded(regression=MOVED, changes=changes)).splitlines()
        expected = [
            "Rows against the baseline run-0041: pii is worse than before; this hinders the run from passing",
            "  ✗ pii regressed: 1 row lost",
            "  cannot tell: cost; stable: safety",
            "  1 newly failing: recorded/p1",
            "Judge of grounding: trusted; kappa 0.86 on 40 labelled rows reaches the bar of 0.85",
            "Worst rows",
            "  ✗ p1 failed: rows.jsonl:7",
            "    pii: a phone number is in the answer",
            "Rows: 39 (33 passed, 3 failed, 3 skipped)",
            "Cost: no agent was called, 1 recorded row cost $0.2000, no judge was paid",
        ]
        assert [line for line in lines if line in expected] == expected
        assert not [line for line in lines if line.startswith(("Gates", "Trials", "Cases", "Against"))]

    def test_a_judge_that_a_gate_speaks_of_is_not_named_twice(self) -> None:
        reason = "grounding: kappa 0.86 on 40 labelled rows reaches the bar of 0.85"
        text = show(recorded(gates=(gate(name="calibrated judges", agent=RECORDED, reason=reason),)), width=140)
        assert f"  ✗ calibrated judges (recorded) not met: {reason}\n" in text
        assert "Judge of" not in text

    def test_colour_and_columns_go_together(self) -> None:
        text = show(recorded(), color=True)
        assert "\x1b[31m  ✗ pii                 4 of 5   80 %  70–99 %      5          rule (patterns)\x1b[0m\n" in text

    def test_without_unicode_everything_is_ascii(self) -> None:
        text = show(recorded(regression=MOVED), unicode=False)
        assert text.isascii()
        assert "  x pii                 4 of 5   80 %  70-99 %      5          rule (patterns)\n" in text

    @settings(max_examples=40, deadline=None)
    @given(st.text(st.characters(), max_size=60) | st.just(CONTROLS), st.booleans(), st.integers(0, 400))
    def test_no_text_of_rows_brings_a_control_character_along(self, text: str, unicode: bool, width: int) -> None:
        shown = show(hostile_rows(text), unicode=unicode, width=width)
        assert mark_controls(shown) == shown
        assert "\t" not in shown
        assert shown.isascii() or unicode
        assert max(map(len, shown.splitlines())) <= max(width, 40)
