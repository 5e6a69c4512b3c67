from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from report_samples import CONTROLS, SCRIPT, case, gate, hostile, realistic, results

from proctor.excerpt import mark_controls
from proctor.results import Changes, Decision, Outcome, RunResults
from proctor_reports import markdown

PARSER = MarkdownIt("commonmark").enable("table")
ALL = {"html": "report.html", "markdown": "report.md", "json": "report.json"}
TEXT = st.text(st.characters() | st.sampled_from("`|\\@#<>&*_[]()!\n\r\t~:$-."), max_size=60)


def report(run: RunResults, files: dict[str, str] = ALL) -> str:
    out = io.StringIO()
    writer = markdown.open_report(out, run.summary, files)
    for detail in run.cases():
        writer.add(detail)
    writer.finish()
    return out.getvalue()


def inline(source: str) -> list[Token]:
    """All tokens inside paragraphs, cells and headings."""
    return [child for token in PARSER.parse(source) for child in token.children or ()]


class TestTheReport:
    def test_it_says_verdict_gates_changes_and_worst_cases_in_this_order(self) -> None:
        text = report(realistic())
        expected = [
            "## ✗ Failed: Booking assistant",
            "**Gate smoke is not met: 17 of 20 cases passed, needs 18.**",
            "May not ship: the run failed.",
            "- Cases: 8 (2 passed, 2 failed, 1 errored, 1 refused, 1 unscored, 1 skipped)",
            "- Warning: the calibration of judge polite is stale",
            "| ✗ not met | `smoke` | `concierge` | 17 of 20 cases passed, needs 18 |  |",
            "### Against the baseline `run-0041`",
            "- 1 newly failing: `concierge/late-arrival`",
            "### Cases to look at",
            "| ✗ failed, flaky | `late-arrival`<br>`concierge` | 2/3 passed, needs 3/3 |",
            "| ! errored | `tōkyō-table`<br>`concierge` | 0/3 passed, needs 3/3, 3 errored |",
            "Every trial with its turns, checks and judges: `report.json`.",
        ]
        places = [text.find(line) for line in expected]
        assert -1 not in places
        assert places == sorted(places)

    def test_cases_that_passed_or_were_skipped_are_not_listed(self) -> None:
        text = report(realistic())
        assert "voice-only" not in text
        assert "`simple`<br>" not in text

    def test_it_names_only_reports_that_were_written(self) -> None:
        text = report(realistic(), {"markdown": "report.md"})
        assert "report.json" not in text
        assert "report.html" not in text
        assert "`proctor report run-0042`" in text

    def test_a_run_without_gates_changes_and_problems_is_short(self) -> None:
        text = report(results([case("c", (Outcome.PASSED,))], Decision.PASSED, changes=Changes("run-1")))
        assert "May ship." in text
        assert "Nothing changed." in text
        assert "### Gates" not in text
        assert "### Cases to look at" not in text


class TestTheSize:
    def test_400_failures_of_two_kilobytes_stay_below_the_limit(self) -> None:
        details = [case(f"case-{index}", (Outcome.FAILED,), reason="because " * 250) for index in range(400)]
        text = report(results(details))
        assert len(text) < markdown.LIMIT
        assert text.count("| ✗ failed |") == 100
        assert "Not listed here: 300 more cases." in text

    def test_the_longest_of_everything_stays_below_the_limit(self) -> None:
        long = "&`|<@\x00" * 300
        gates = [gate(name=long, agent=long, reason=long)] * 60
        names = (long,) * 200
        run = results(
            [case(long, (Outcome.FAILED,), agent=long, reason=long)] * 150,
            gates=tuple(gates),
            warnings=names,
            changes=Changes(long, names, names, names, names),
            reason=long,
            name=long,
            run_id=long,
            spec=long,
            started_at=long,
            partial=long,
        )
        text = report(run)
        assert len(text) < markdown.LIMIT
        assert "Not listed here:" in text
        assert text.rstrip().endswith("no judge was paid.")


class TestHostileText:
    def test_markup_control_characters_and_fences_stay_text(self) -> None:
        text = report(hostile(SCRIPT + CONTROLS))
        assert mark_controls(text) == text
        html = [token.content for token in inline(text) if token.type == "html_inline"]
        assert set(html) == {"<br>"}
        assert not [token for token in PARSER.parse(text) if token.type in {"html_block", "fence", "code_block"}]
        assert "<img src=x" not in PARSER.render(text)

    @settings(max_examples=20, deadline=None)
    @given(TEXT)
    def test_no_text_breaks_the_tables(self, text: str) -> None:
        source = report(hostile(text or "x"))
        tokens = PARSER.parse(source)
        assert sum(token.type == "tr_open" for token in tokens) == (1 + 1) + (1 + 6)
        assert len([token for token in tokens if token.type == "td_open"]) == 5 + 6 * 4
