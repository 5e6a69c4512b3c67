from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_page import page
from report_samples import CONTROLS, SCRIPT, case, hostile, realistic, results

from proctor.excerpt import mark_controls
from proctor.results import CaseDetail, Changes, Decision, Outcome
from proctor_reports import html

P, F = Outcome.PASSED, Outcome.FAILED


class TestTheVerdict:
    def test_it_comes_first_in_words_and_not_by_colour_alone(self) -> None:
        words = page(realistic()).words()
        assert "✗ Failed Gate smoke is not met: 17 of 20 cases passed, needs 18. May not ship: the run failed." in words
        assert words.index("✗ Failed") < words.index("Gates A gate is met") < words.index("Cases to look at Cases")

    @pytest.mark.parametrize(
        ("decision", "shown"),
        [
            (Decision.PASSED, "✓ Passed"),
            (Decision.FAILED, "✗ Failed"),
            (Decision.COULD_NOT_EVALUATE, "! Could not evaluate"),
        ],
    )
    def test_each_decision_has_its_word_and_symbol(self, decision: Decision, shown: str) -> None:
        words = page(results([case("c", (P,))], decision)).words()
        assert shown in words
        assert ("May ship." in words) is (decision is Decision.PASSED)

    def test_a_self_test_never_says_that_it_may_ship(self) -> None:
        words = page(results([case("c", (P,))], Decision.PASSED, self_test=True)).words()
        assert "May not ship: a self-test judge gave verdicts." in words
        assert "May ship." not in words

    def test_an_empty_run_makes_a_whole_page(self) -> None:
        words = page(results([], Decision.COULD_NOT_EVALUATE, reason="Nothing ran.", slices=())).words()
        for sentence in (
            "Nothing ran.",
            "No gate is declared, so every case has to pass.",
            "This run was not compared with a baseline.",
            "There are none.",
            "No case ran.",
        ):
            assert sentence in words


class TestTheSections:
    def test_gates_show_counts_pins_and_status(self) -> None:
        words = page(realistic()).words()
        assert "✗ not met smoke concierge 17 of 20 cases passed, needs 18" in words
        assert "! could not evaluate voice concierge 3 of 5 cases passed, needs 5; 2 could not be evaluated" in words
        assert "must pass and did not: late-arrival; must pass and did not run: gone" in words

    def test_changes_against_the_baseline_are_named_and_the_case_is_marked(self) -> None:
        words = page(realistic()).words()
        assert "1 newly failing concierge/late-arrival" in words
        assert "≈ flaky newly failing late-arrival" in words

    def test_a_baseline_without_a_change_says_so(self) -> None:
        words = page(results([case("c", (P,))], changes=Changes("run-1"))).words()
        assert "The baseline is run run-1. Nothing changed." in words

    def test_slices_have_a_bar_with_a_text_for_those_who_do_not_see_it(self) -> None:
        bars = [attributes for attributes in page(realistic()).named("svg") if attributes["role"] == "img"]
        assert [bar["aria-label"] for bar in bars] == ["40 %, 95 % interval 38–91 %"]

    def test_a_case_to_look_at_shows_all_of_its_trials(self) -> None:
        words = page(realistic()).words()
        for shown in (
            "Book a table for two tonight at seven.",
            'book_table({"guests": 2, "time": "19:00"})',
            '→ {"ok": true}',
            "Judge openai:gpt-4.1 · 2 attempts · from the cache, first made by run run-0007 at 2026-05-01T08:00:00Z",
            "no verdict: the judge answered no JSON in 3 tries",
            "The agent confirmed the time.",
            "ConnectError (unavailable, turn 1): connection refused by 127.0.0.1:8080",
            "3 attempts",
        ):
            assert shown in words

    def test_no_reply_and_an_empty_reply_are_told_apart(self) -> None:
        words = page(results([case("none", (F,), reply=None), case("empty", (F,), reply="")])).words()
        assert "Agent · 0.8 s no reply" in words
        assert "Agent · 0.8 s an empty reply" in words

    def test_the_end_says_where_the_results_come_from(self) -> None:
        words = page(realistic()).words()
        assert "Run run-0042 Spec evals/booking.suite.yaml Purpose release" in words
        assert "Commit abc123 Engine inline Packages 1 entrypydantic 2.12.0" in words
        assert "1 of 20 trials came from the cache, the oldest from 2026-05-01T08:00:00Z." in words


class TestTheDocument:
    def test_it_loads_nothing_and_runs_nothing(self) -> None:
        shown = page(hostile())
        csp = [tag["content"] for tag in shown.named("meta") if tag.get("http-equiv") == "Content-Security-Policy"]
        assert csp == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]
        assert {tag for tag, _ in shown.tags}.isdisjoint({"script", "img", "link", "iframe", "object", "base", "form"})
        names = {name for _, attributes in shown.tags for name in attributes}
        assert not {name for name in names if name.startswith("on") or name in {"src", "srcset", "style", "action"}}
        assert all(str(tag["href"]).startswith("#") for tag in shown.named("a"))

    def test_links_lead_somewhere_and_no_two_places_share_an_id(self) -> None:
        for run in (realistic(), hostile()):
            shown = page(run)
            ids = shown.ids()
            assert len(ids) == len(set(ids))
            assert {str(tag["href"])[1:] for tag in shown.named("a")} <= set(ids)

    def test_headings_captions_and_scopes_let_it_be_read_aloud(self) -> None:
        shown = page(realistic())
        assert len(shown.named("main")) == 1
        assert len(shown.named("h1")) == 1
        assert len(shown.named("table")) == len(shown.named("caption")) == 3
        assert all(tag.get("scope") in {"row", "col"} for tag in shown.named("th"))
        assert shown.named("html") == [{"lang": "en"}]

    @given(st.text(), st.text())
    def test_an_anchor_is_letters_digits_and_dashes_for_every_name(self, agent: str, key: str) -> None:
        score = case(key, (P,), agent=agent).score
        assert re.fullmatch("case-[a-z0-9-]+", html.anchor(score))
        assert html.anchor(score) != html.anchor(case(f"{key}x", (P,), agent=agent).score)


class TestHostileText:
    def test_markup_is_shown_as_text_everywhere(self) -> None:
        shown = page(hostile(SCRIPT))
        assert "<img" not in shown.source
        assert "</script" not in shown.source
        assert shown.text.count(SCRIPT) > 40

    def test_control_characters_are_marked(self) -> None:
        shown = page(hostile(CONTROLS))
        assert mark_controls(CONTROLS) in shown.text
        assert "a<00>b<1B>[31mred<FFFE> <D83D> end 🚀<202E><0D>" in shown.text
        assert mark_controls(shown.source) == shown.source

    @settings(max_examples=25, deadline=None)
    @given(st.text(st.characters(), max_size=40))
    def test_no_text_breaks_the_page(self, text: str) -> None:
        shown = page(hostile(text))
        assert mark_controls(shown.source) == shown.source
        assert mark_controls(text).strip() in shown.text or not text.strip()


class TestTheSize:
    def test_trajectories_stop_at_their_budget_and_the_page_says_where_they_are(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(html, "TRAJECTORY_BYTES", 60_000)
        run = results([case(f"case-{index}", (F, F)) for index in range(60)])
        shown = page(run)
        cases = [tag for tag in shown.named("details") if str(tag.get("class")).startswith("case")]
        assert 10 < len(cases) < 30
        left_out = 60 - len(cases)
        assert (
            f"{left_out} more cases to look at would make this page too large. Their trials are in report.json"
            in shown.words()
        )
        assert shown.text.count("(trials in report.json)") == left_out
        assert len(shown.source) < 60_000 + 45_000

    def test_a_page_without_a_json_report_does_not_point_to_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(html, "TRAJECTORY_BYTES", 0)
        words = page(results([case("c", (F,))]), {"html": "report.html"}).words()
        assert "report.json" not in words
        assert "Their trials are in the JSON report, which was not asked for" in words

    def test_one_huge_reply_is_shortened_and_does_not_use_up_the_page(self) -> None:
        huge = case("huge", (F,), reply="x" * 1_000_000)
        shown = page(results([huge, case("small", (F,))]))
        assert "992000 characters…" in shown.text
        assert len(shown.source) < 60_000

    def test_a_long_trial_has_its_texts_cut_shorter(self) -> None:
        shown = page(results([case("long", (F,), reply="y" * 7_000, turns=60)]))
        assert shown.text.count("6200 characters…") == 60
        assert len(shown.source) < html.TRIAL_BYTES + 60_000

    def test_a_trial_that_is_too_long_even_so_says_where_it_is(self) -> None:
        words = page(results([case("endless", (F,), turns=400)])).words()
        assert "1 trial of this case would make this page too large: read on in report.json." in words

    def test_a_trial_that_is_too_long_does_not_hide_the_next_one(self) -> None:
        endless, short = case("c", (F,), turns=400), case("c", (F, F))
        both = CaseDetail(short.score, (endless.trials[0], short.trials[1]))
        assert re.findall(r"Trial \d", page(results([both])).text) == ["Trial 2"]

    def test_a_case_with_many_trials_leaves_room_for_others(self) -> None:
        shown = page(results([case("many", (F,) * 600), case("small", (F,))]))
        assert len(shown.source) < html.CASE_BYTES + 40_000
        assert re.search(r"\d+ trials of this case would make this page too large", shown.words())
        assert len(shown.named("section")) > 100

    def test_failing_trials_come_before_passing_ones(self) -> None:
        shown = page(results([case("c", (P, P, F))]))
        assert re.findall(r"Trial \d", shown.text) == ["Trial 3", "Trial 1", "Trial 2"]

    def test_the_table_of_all_cases_ends_and_says_how_many_it_leaves_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(html, "ROWS", 5)
        words = page(results([case(f"case-{index}", (P,)) for index in range(8)])).words()
        assert "5 cases, worst first. 3 more cases would make this table too slow: read on in report.json." in words
        assert "case-4" in words
        assert "case-5" not in words
