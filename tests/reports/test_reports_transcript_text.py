from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import gate, realistic
from transcript_samples import (
    ADAPTERS,
    CLAIMS,
    FOUND,
    GBRAIN,
    GREP,
    METRICS,
    PROBES,
    as_gates,
    baseline,
    metric,
    of_one,
    transcripts,
)

from proctor.category_scores import Spread
from proctor.plan import RECORDING
from proctor.results import Counts, GateStatus, Slice
from proctor.trajectory import Usage
from proctor_reports import agent_words
from proctor_reports import summary_text as text
from proctor_reports import transcript_text as metrics
from proctor_reports.metric_tables import MOST_ADAPTERS, metric_table, nobodys
from proctor_reports.own_gates import other_gates

UNDECIDED, NOT_MET = GateStatus.UNDECIDED, GateStatus.NOT_MET


class TestGates:
    def test_a_metric_is_not_among_the_other_gates(self) -> None:
        own = gate(agent=GBRAIN)
        assert other_gates(transcripts(gates=(own, *as_gates(FOUND))).summary) == (own,)

    def test_a_gate_that_is_called_like_a_metric_is_still_one_of_the_others(self) -> None:
        own = gate(name="citation_format", agent=GBRAIN)
        assert other_gates(transcripts(gates=(own, *as_gates(FOUND))).summary) == (own,)

    def test_a_metric_that_is_a_baseline_hides_no_gate(self) -> None:
        score = METRICS[1]
        like_it = gate(name=score.name, agent=score.agent, reason=score.reason)
        assert other_gates(transcripts(baseline(), gates=(like_it,)).summary) == (like_it,)

    def test_metrics_are_named_by_status_and_with_the_adapter_only_where_there_are_several(self) -> None:
        assert metrics.by_status(FOUND) == {
            NOT_MET: [f"brain_first_compliance ({GREP})", f"planted items ({GBRAIN})"],
            UNDECIDED: [f"citation_format ({GREP})", f"workflow briefing ({GREP})"],
            GateStatus.MET: [f"{name} ({GBRAIN})" for name in METRICS_MET],
        }
        one = of_one()
        assert metrics.by_status(replace(one, metrics=(*one.metrics, CLAIMS))) == {
            NOT_MET: ["planted items", "claims"],
            GateStatus.MET: METRICS_MET,
        }
        assert metrics.by_status(baseline()) == {}


METRICS_MET = ["brain_first_compliance", "citation_format", "workflow briefing"]


class TestAMetric:
    def test_its_figures_are_counts_rate_and_what_it_needs(self) -> None:
        score = METRICS[0]
        assert metrics.passed_line(score) == "19 of 20 (95 %)"
        assert metrics.interval_line(score) == "73–100 %"
        assert metrics.needs_line(score) == "18 of 20 (90 %)"
        assert metrics.why_line(score) == ""

    def test_what_has_no_result_counts_towards_what_is_needed_and_is_told(self) -> None:
        score = METRICS[3]
        assert metrics.passed_line(score) == "17 of 17 (100 %)"
        assert metrics.needs_line(score) == "18 of 20 (90 %)"
        assert metrics.why_line(score) == "1 probe without a transcript and 2 trials without a result"

    def test_missing_probes_are_told_where_the_reason_does_not(self) -> None:
        score = metric("x", Counts(1, 9, unscored=1), NOT_MET, "1 of 13 trials passed, needs 12", missing=2)
        assert metrics.why_line(score) == "2 probes without a transcript; 1 trial without a result"

    def test_a_reason_that_is_no_count_is_told_whole(self) -> None:
        assert metrics.why_line(METRICS[5]) == "nothing to score: 10 trials without a result"
        assert metrics.passed_line(METRICS[5]) == "no result"
        assert metrics.interval_line(METRICS[5]) == ""

    def test_without_anything_to_count_it_needs_a_share(self) -> None:
        score = metric("x", Counts(skipped=4), UNDECIDED, "nothing to score: all 4 trials were skipped")
        assert metrics.needs_line(score) == "90 %"
        assert metrics.needed_line(score) == ""

    def test_a_baseline_needs_nothing_and_has_a_word_of_its_own(self) -> None:
        score = replace(METRICS[1], held=False)
        assert (metrics.status_word(score), metrics.needs_line(score)) == ("baseline", "")
        assert metrics.metric_line(score) == "12 of 20 (60 %), 38–79 %"
        assert metrics.status_word(METRICS[1]) == "not met"

    @pytest.mark.parametrize(
        ("runs", "shown"),
        [
            (None, ""),
            (Spread(0.95, 0.0, (0.95,)), ""),
            (Spread(0.95, 0.016, (0.96, 0.94, 0.95)), "95.0% ±1.6 over 3 runs"),
            (Spread(1.0, 0.0, (1.0, 1.0)), "100.0% in each of 2 runs"),
        ],
    )
    def test_the_spread_is_told_where_there_are_several_runs(self, runs: Spread | None, shown: str) -> None:
        assert metrics.runs_line(replace(METRICS[0], runs=runs)) == shown

    @pytest.mark.parametrize(
        ("points", "shown"),
        [
            (None, ""),
            (Spread(3.499, 0.0, (3.499,)), "3.49 of 5 points"),
            (Spread(4.219, 0.301, (4.5, 4.2, 3.9)), "4.21 ±0.3 of 5 points over 3 runs"),
            (Spread(5.0, 0.0, (5.0, 5.0)), "5 of 5 points in each of 2 runs"),
        ],
    )
    def test_the_points_of_a_judge_are_never_rounded_up(self, points: Spread | None, shown: str) -> None:
        assert metrics.points_line(replace(METRICS[0], points=points)) == shown

    @given(st.floats(0, 5))
    def test_no_points_look_like_more_than_they_are(self, value: float) -> None:
        assert value - 0.01 < float(metrics.points(value)) <= value

    def test_a_sentence_says_all_of_it(self) -> None:
        assert metrics.metric_line(METRICS[4]) == (
            "9 of 10 (90 %), 73–100 %, 90.0% ±10.0 over 3 runs, 4.21 ±0.3 of 5 points over 3 runs, needs 9 of 10 (90 %)"
        )

    def test_a_self_test_is_never_a_judge(self) -> None:
        words = [metrics.decided_by(judged=judged, self_test=True) for judged in (False, True)]
        assert [*words, metrics.decided_by(judged=True, self_test=False)] == ["rule", "self-test", "judge"]
        assert (metrics.category_line(8), metrics.category_line(None)) == ("category 8", "no category")


class TestTheTable:
    def test_each_metric_is_a_row_with_a_column_for_each_adapter(self) -> None:
        table = metric_table(FOUND)
        assert table.agents == (GBRAIN, GREP)
        assert [row.name for row in table.rows] == [*METRICS_MET, "planted items"]
        assert [[score is not None for score in row.scores] for row in table.rows] == [[True, True]] * 3 + [
            [True, False]
        ]

    def test_metrics_of_two_categories_with_one_name_are_two_rows(self) -> None:
        twins = (metric("rubric", Counts(1), category=3), metric("rubric", Counts(2), category=4))
        assert [row.category for row in metric_table(replace(FOUND, metrics=twins)).rows] == [3, 4]

    def test_claims_are_of_no_adapter(self) -> None:
        found = replace(FOUND, metrics=(*METRICS, CLAIMS))
        assert nobodys(found) == (CLAIMS,)
        assert RECORDING not in metric_table(found).agents

    def test_more_adapters_than_there_is_room_for_are_counted(self) -> None:
        cards = tuple(replace(ADAPTERS[0], agent=f"stack {number}") for number in range(MOST_ADAPTERS + 3))
        table = metric_table(replace(FOUND, adapters=cards))
        assert table.agents == tuple(f"stack {number}" for number in range(MOST_ADAPTERS))
        assert metrics.left_out_line(table, "in report.json") == "5 more adapters in report.json"


class TestWords:
    def test_adapters_are_called_so_where_there_is_nothing_else(self) -> None:
        run = transcripts().summary
        assert (agent_words.agent_word(run), agent_words.has_several(run)) == ("adapter", True)
        claims = Slice("all cases", RECORDING, Counts(1), Counts(1), 0.1, 0.9)
        assert agent_words.agent_word(replace(run, slices=(*run.slices, claims))) == "adapter"
        assert agent_words.agent_word(replace(run, agents=("concierge",))) == "agent"
        played = Slice("all cases", "concierge", Counts(1), Counts(1), 0.1, 0.9)
        assert agent_words.agent_word(replace(run, slices=(*run.slices, played))) == "agent"

    def test_one_adapter_is_not_several_and_an_agent_is_no_adapter(self) -> None:
        assert not agent_words.has_several(transcripts(of_one(), PROBES[:1]).summary)
        assert (agent_words.agent_word(realistic().summary), agent_words.adapters(realistic().summary)) == ("agent", ())

    def test_what_recorded_runs_cost_is_not_said_of_an_agent(self) -> None:
        run = transcripts().summary
        assert text.cost_line(run) == "no agent was called, the recorded runs cost $0.0021, no judge was paid"
        assert text.cost_line(replace(run, usage=Usage())) == (
            "no agent was called, what the recorded runs cost is not known, no judge was paid"
        )

    def test_the_words_of_the_format_are_explained_and_a_baseline_is_called_one(self) -> None:
        words = "A case is a probe with one adapter; each of its trials is a run of the probe, as it was recorded."
        assert metrics.intro_line(FOUND) == f"{words} Each metric of an adapter is a gate."
        assert metrics.intro_line(baseline()) == (
            f"{words} The metrics are a baseline only: no threshold is held against them."
        )
        assert metrics.intro_line(replace(FOUND, metrics=())) == words
