"""Cost and latency against budgets, in exact decimals."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.base import Dimension
from proctor.checks.dimensions.cost import COST
from proctor.checks.dimensions.latency import LATENCY
from proctor.checks.dimensions.token_usage import dollars, tokens_of
from proctor.dataset import Price, RowSettings
from proctor.plan import JudgeRequest
from proctor.results import Outcome

NOTHING = RowSettings()
PRICED = RowSettings(price=Price(Decimal("3.0"), Decimal("15.0")))
PROJECT = RowSettings(cost_budget_usd=Decimal("0.02"), latency_budget_ms=Decimal(80))


def score(
    dimension: Dimension, row: dict[str, Any], settings: RowSettings = NOTHING
) -> tuple[Outcome, list[str], float | None, str]:
    result = dimension.score(row, settings)
    assert not isinstance(result, JudgeRequest)
    return result.outcome, [finding.token for finding in result.findings], result.measure, result.reason


def cost(row: dict[str, Any], settings: RowSettings = NOTHING) -> tuple[Outcome, list[str], float | None]:
    assert COST.is_labeled(row, settings)
    assert not list(COST.issues(row, settings))
    return score(COST, row, settings)[:3]


def latency(row: dict[str, Any], settings: RowSettings = NOTHING) -> tuple[Outcome, list[str], float | None]:
    assert LATENCY.is_labeled(row, settings)
    assert not list(LATENCY.issues(row, settings))
    return score(LATENCY, row, settings)[:3]


def codes(dimension: Dimension, row: dict[str, Any], settings: RowSettings = NOTHING) -> list[str]:
    return [f"{'E' if issue.is_error else 'W'}:{issue.code}" for issue in dimension.issues(row, settings)]


def spend(usage: dict[str, Any]) -> Decimal | None:
    tokens = tokens_of(usage)
    return None if tokens is None else dollars(tokens, Price(Decimal(3), Decimal(15)))


class TestCost:
    def test_within_and_at_the_budget(self) -> None:
        assert cost({"cost_usd": 0.05, "cost_budget_usd": 0.05}) == (Outcome.PASSED, ["within", "reported"], 0.05)

    def test_over_the_budget(self) -> None:
        outcome, tokens, measure, reason = score(COST, {"cost_usd": 0.30000000000000004, "cost_budget_usd": 0.3})
        assert (outcome, tokens, measure) == (Outcome.FAILED, ["over", "reported"], 0.3)
        assert reason == (
            "the cost of 0.30000000000000004 dollars is over the budget of 0.3 dollars; as the row reports it"
        )

    def test_the_project_sets_a_budget_that_the_row_may_replace(self) -> None:
        assert cost({"cost_usd": 0.02}, PROJECT)[0] is Outcome.PASSED
        assert cost({"cost_usd": 0.02, "cost_budget_usd": None}, PROJECT)[0] is Outcome.PASSED
        assert cost({"cost_usd": 0.02, "cost_budget_usd": 0.01}, PROJECT)[0] is Outcome.FAILED

    def test_tokens_at_the_price_of_the_project(self) -> None:
        row = {"usage": {"input_tokens": 2000, "output_tokens": 400}, "cost_budget_usd": 0.0119}
        outcome, tokens, measure, reason = score(COST, row, PRICED)
        assert (outcome, tokens, measure) == (Outcome.FAILED, ["over", "usage"], 0.012)
        assert reason == (
            "the cost of 0.012 dollars is over the budget of 0.0119 dollars; "
            "worked out from the token counts, with cached tokens at the price of other input"
        )

    def test_a_sum_that_binary_fractions_get_wrong(self) -> None:
        row = {"usage": {"input_tokens": 100_000}, "cost_budget_usd": 0.3}
        assert cost(row, PRICED) == (Outcome.PASSED, ["within", "usage"], 0.3)

    def test_a_reported_cost_goes_before_tokens(self) -> None:
        row = {"cost_usd": 0.01, "usage": {"input_tokens": "many"}, "cost_budget_usd": 0.05}
        assert cost(row, PRICED)[1] == ["within", "reported"]

    @pytest.mark.parametrize(("text", "measure"), [("1e999", math.inf), ("1" + "0" * 400, math.inf), ("1e300", 1e300)])
    def test_huge_costs_are_over(self, text: str, measure: float) -> None:
        row = json.loads(f'{{"cost_usd": {text}, "cost_budget_usd": 1}}')
        assert cost(row) == (Outcome.FAILED, ["over", "reported"], measure)
        assert len(score(COST, row)[3]) < 250

    def test_huge_token_counts_are_over(self) -> None:
        for count in (10**400, math.inf):
            assert cost({"usage": {"input_tokens": count}, "cost_budget_usd": 1}, PRICED)[0] is Outcome.FAILED

    @pytest.mark.parametrize(
        ("row", "settings", "wanted"),
        [
            ({"cost_budget_usd": 1}, NOTHING, ["W:unmeasurable_cost"]),
            ({"cost_budget_usd": 1, "usage": {"input_tokens": 1}}, NOTHING, ["W:unmeasurable_cost"]),
            ({"cost_budget_usd": 1, "usage": {}}, PRICED, ["W:unmeasurable_cost"]),
            ({"cost_budget_usd": 1, "usage": {"total_tokens": 5}}, PRICED, ["W:unmeasurable_cost"]),
            ({"cost_budget_usd": 1, "usage": {"input_tokens": None}}, PRICED, ["W:unmeasurable_cost"]),
            ({"cost_budget_usd": 1, "usage": [1]}, PRICED, ["W:unmeasurable_cost"]),
            ({}, PROJECT, ["W:unmeasurable_cost"]),
            ({}, NOTHING, []),
            ({"cost_usd": 1}, NOTHING, []),
            ({"cost_usd": "1", "cost_budget_usd": 1}, NOTHING, ["W:unmeasurable_cost", "E:bad_type"]),
            ({"cost_usd": None, "cost_budget_usd": 1}, NOTHING, ["W:unmeasurable_cost", "E:bad_type"]),
            ({"cost_usd": True, "cost_budget_usd": 1}, NOTHING, ["W:unmeasurable_cost", "E:bad_type"]),
            ({"cost_usd": -1, "cost_budget_usd": 1}, NOTHING, ["W:unmeasurable_cost", "E:bad_value"]),
            ({"cost_usd": math.nan, "cost_budget_usd": 1}, NOTHING, ["W:unmeasurable_cost", "E:bad_value"]),
            ({"cost_usd": 1, "cost_budget_usd": "1"}, PROJECT, ["E:bad_type"]),
            ({"cost_budget_usd": "1"}, PROJECT, ["W:unmeasurable_cost", "E:bad_type"]),
            ({"cost_budget_usd": "1"}, NOTHING, ["E:bad_type"]),
            ({"cost_usd": 1, "cost_budget_usd": None}, NOTHING, ["E:bad_type"]),
            ({"cost_usd": 1, "cost_budget_usd": -1}, NOTHING, ["E:bad_value"]),
            ({"cost_usd": 1, "cost_budget_usd": math.inf}, NOTHING, ["E:bad_value"]),
            ({"cost_usd": 1, "cost_budget_usd": math.nan}, NOTHING, ["E:bad_value"]),
            (
                {"cost_budget_usd": 1, "usage": {"input_tokens": "many", "output_tokens": -1, "x": "y"}},
                PRICED,
                ["W:unmeasurable_cost", "E:bad_type", "E:bad_value"],
            ),
        ],
    )
    def test_what_cannot_be_measured_or_read(
        self, row: dict[str, Any], settings: RowSettings, wanted: list[str]
    ) -> None:
        assert codes(COST, row, settings) == wanted
        assert any(code.startswith("E") for code in wanted) or not COST.is_labeled(row, settings)

    @pytest.mark.parametrize(
        ("row", "token"),
        [
            ({"cost_usd": 1}, "no_budget"),
            ({"cost_budget_usd": 1}, "unmeasured"),
            ({"cost_budget_usd": 1, "usage": {"input_tokens": 1}}, "no_price_table"),
        ],
    )
    def test_what_is_missing_is_told(self, row: dict[str, Any], token: str) -> None:
        assert score(COST, row)[:3] == (Outcome.UNSCORED, [token], None)

    def test_messages_name_the_field_and_the_next_step(self) -> None:
        row = {"cost_budget_usd": -1, "usage": {"prompt_tokens": [1]}}
        assert [(issue.message, issue.hint) for issue in COST.issues(row, PRICED)] == [
            ("must not be negative", "record what was measured"),
            ("must be a number, not a list", "write the number without quotes or unit"),
        ]


class TestTokenUsage:
    @pytest.mark.parametrize(
        ("usage", "wanted"),
        [
            ({"input_tokens": 1000, "output_tokens": 100}, "0.0045"),
            (
                {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 900}},
                "0.0045",
            ),
            ({"input_tokens": 100, "cache_read_input_tokens": 600, "cache_creation_input_tokens": 300}, "0.003"),
            ({"prompt_tokens": 1000, "cache_read_input_tokens": 900}, "0.003"),
            ({"inputTokens": 100, "cacheReadInputTokens": 900, "outputTokens": 100}, "0.0045"),
            ({"promptTokenCount": 1000, "candidatesTokenCount": 40, "thoughtsTokenCount": 60}, "0.0045"),
            ({"gen_ai.usage.input_tokens": 1000}, "0.003"),
            ({"input_tokens": None, "prompt_tokens": 1000}, "0.003"),
            ({"input_tokens": "1000", "output_tokens": ""}, "0.003"),
            ({"input_tokens": 1000.5}, "0.0030015"),
            ({"input_tokens": 0}, "0"),
        ],
    )
    def test_names_of_several_providers(self, usage: dict[str, Any], wanted: str) -> None:
        assert spend(usage) == Decimal(wanted)

    @pytest.mark.parametrize("usage", [{}, {"total_tokens": 5}, {"input_tokens": True}, {"input_tokens": "1e3"}])
    def test_what_tells_nothing(self, usage: dict[str, Any]) -> None:
        assert spend(usage) is None

    @given(st.integers(0, 10**400), st.integers(0, 10**400))
    def test_the_price_is_exact(self, given_tokens: int, made_tokens: int) -> None:
        paid = spend({"input_tokens": given_tokens, "output_tokens": made_tokens})
        assert paid is not None
        numerator, denominator = paid.as_integer_ratio()
        assert numerator * 10**6 == denominator * (3 * given_tokens + 15 * made_tokens)


class TestLatency:
    @pytest.mark.parametrize(
        ("row", "outcome", "measure"),
        [
            ({"latency_ms": 100, "latency_budget_ms": 100.0}, Outcome.PASSED, 100.0),
            ({"latency_ms": 100.0001, "latency_budget_ms": 100}, Outcome.FAILED, 100.0),
            ({"latency_ms": 0, "latency_budget_ms": 0}, Outcome.PASSED, 0.0),
            ({"duration_ms": 80, "latency_budget_ms": 100}, Outcome.PASSED, 80.0),
            ({"elapsed_ms": 120, "latency_budget_ms": 100}, Outcome.FAILED, 120.0),
            ({"latency_s": 0.0041, "latency_budget_ms": 4.1}, Outcome.PASSED, 4.1),
            ({"latency_ms": 80, "duration_ms": -5, "latency_budget_ms": 100}, Outcome.PASSED, 80.0),
            ({"duration_ms": "x", "elapsed_ms": 80, "latency_budget_ms": 100}, Outcome.PASSED, 80.0),
            ({"latency_s": 10**400, "latency_budget_ms": 100}, Outcome.FAILED, math.inf),
        ],
    )
    def test_names_and_units(self, row: dict[str, Any], outcome: Outcome, measure: float) -> None:
        word = "within" if outcome is Outcome.PASSED else "over"
        assert latency(row) == (outcome, [word, "reported"], measure)

    def test_the_reason_names_both(self) -> None:
        reason = score(LATENCY, {"latency_s": 1.25, "latency_budget_ms": 1000})[3]
        assert reason == "the latency of 1250 ms is over the budget of 1000 ms; as the row reports it"

    def test_the_project_sets_a_budget_that_the_row_may_replace(self) -> None:
        assert latency({"latency_ms": 80}, PROJECT)[0] is Outcome.PASSED
        assert latency({"latency_ms": 80, "latency_budget_ms": 79}, PROJECT)[0] is Outcome.FAILED

    @pytest.mark.parametrize(
        ("row", "settings", "wanted"),
        [
            ({"latency_budget_ms": 100}, NOTHING, ["W:unmeasurable_latency"]),
            ({"latency_budget_ms": 100, "latency_s": "0.08"}, NOTHING, ["W:unmeasurable_latency"]),
            ({"latency_budget_ms": 100, "duration_ms": None}, NOTHING, ["W:unmeasurable_latency"]),
            ({"latency_budget_ms": 100, "duration_ms": True}, NOTHING, ["W:unmeasurable_latency"]),
            ({}, PROJECT, ["W:unmeasurable_latency"]),
            ({}, NOTHING, []),
            ({"latency_ms": "80", "latency_budget_ms": 100}, NOTHING, ["W:unmeasurable_latency", "E:bad_type"]),
            ({"latency_ms": None, "latency_budget_ms": 100}, NOTHING, ["W:unmeasurable_latency", "E:bad_type"]),
            ({"latency_ms": None, "duration_ms": 8, "latency_budget_ms": 100}, NOTHING, ["E:bad_type"]),
            ({"latency_ms": -1, "latency_budget_ms": 0}, NOTHING, ["W:unmeasurable_latency", "E:bad_value"]),
            ({"duration_ms": -1, "latency_budget_ms": 0}, NOTHING, ["W:unmeasurable_latency", "E:bad_value"]),
            ({"latency_ms": 1, "latency_budget_ms": False}, NOTHING, ["E:bad_type"]),
        ],
    )
    def test_what_cannot_be_measured_or_read(
        self, row: dict[str, Any], settings: RowSettings, wanted: list[str]
    ) -> None:
        assert codes(LATENCY, row, settings) == wanted

    def test_what_is_missing_is_told(self) -> None:
        assert score(LATENCY, {"latency_ms": 1})[1] == ["no_budget"]
        assert score(LATENCY, {"latency_budget_ms": 1})[1] == ["unmeasured"]


amounts = st.one_of(
    st.decimals(0, 1000, places=4), st.decimals(0, 1, places=9), st.integers(0, 10**30).map(Decimal)
).map(lambda value: f"{value:f}")


@given(amounts, amounts)
def test_numbers_are_compared_as_they_are_written(measured: str, budget: str) -> None:
    measures = f'"cost_usd": {measured}, "latency_ms": {measured}'
    row = json.loads(f'{{{measures}, "cost_budget_usd": {budget}, "latency_budget_ms": {budget}}}')
    wanted = Outcome.PASSED if Decimal(measured) <= Decimal(budget) else Outcome.FAILED
    assert score(COST, row)[0] is wanted
    assert score(LATENCY, row)[0] is wanted


@given(st.decimals(0, 10, places=6), st.decimals(0, 10_000, places=3))
def test_seconds_are_converted_without_error(seconds: Decimal, budget: Decimal) -> None:
    row = json.loads(f'{{"latency_s": {seconds:f}, "latency_budget_ms": {budget:f}}}')
    assert (score(LATENCY, row)[0] is Outcome.PASSED) is (seconds * 1000 <= budget)
