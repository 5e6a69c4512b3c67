"""A trial becomes drafts of rows for what was observed of it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import given
from trial_samples import trial, trials

from proctor.convert.rows import rows_of
from proctor.convert.trials import Trial
from proctor.masking import Masker
from proctor.trajectory import ToolCall, Trajectory, TurnRecord, Usage

LOOK = ToolCall("look", {"what": "tea"}, "c1", {"price": 3})


def source(trajectory: Trajectory, agent: str = "") -> Trial:
    return Trial("shop", 2, trajectory, "2031-05-06T19:00:00.000Z", "", agent)


def rows(trajectory: Trajectory, masker: Masker | None = None, agent: str = "") -> dict[str, dict[str, Any]]:
    return {row["dimension"]: row for row in rows_of(source(trajectory, agent), masker)}


class TestTheRows:
    def test_are_one_for_each_dimension_with_observations(self) -> None:
        seen = Trajectory(
            trial().ending,
            (TurnRecord("tea?", "one moment", (LOOK,), context="menu"), TurnRecord("well?", "3 dollars")),
            usage=Usage(5, 2, cost_usd=Decimal("0.25")),
            latency_ms=12.34567,
        )
        found = rows(seen)
        shared = {"case_id": "shop", "input": "tea?\nwell?"}
        called = [{"name": "look", "arguments": {"what": "tea"}, "id": "c1"}]
        assert list(found) == [
            *("grounding", "safety", "pii", "task_completion", "tool_call", "action_correctness", "cost", "latency")
        ]
        assert found["grounding"]["context"] == "menu"
        assert found["tool_call"] == {
            "id": "shop#2:tool_call",
            "dimension": "tool_call",
            **shared,
            "agent_output": "3 dollars",
            "tool_calls": called,
        }
        assert found["cost"] == {
            "id": "shop#2:cost",
            "dimension": "cost",
            **shared,
            "usage": {"input_tokens": 5, "output_tokens": 2},
            "cost_usd": 0.25,
        }
        assert found["latency"]["latency_ms"] == 12.346

    def test_are_only_those_that_the_trial_shows_something_for(self) -> None:
        assert list(rows(trial(TurnRecord("q", "a")))) == ["safety", "pii", "task_completion"]
        assert rows(trial(TurnRecord("q", None))) == {}
        assert list(rows(trial(TurnRecord("q", None, (LOOK,))))) == ["tool_call", "action_correctness"]

    def test_have_cached_tokens_beside_the_input(self) -> None:
        seen = replace(trial(TurnRecord("q", None)), usage=Usage(5, 2, 100, 7))
        assert rows(seen)["cost"]["usage"] == {
            "input_tokens": 5,
            "output_tokens": 2,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 7,
        }

    def test_tell_tokens_that_were_told_to_be_none(self) -> None:
        assert rows(trial(TurnRecord("q", None, usage=Usage())))["cost"]["usage"]["input_tokens"] == 0

    def test_of_several_agents_are_cases_of_their_own(self) -> None:
        row = rows(trial(TurnRecord("q", "a")), agent="new")["pii"]
        assert (row["id"], row["case_id"]) == ("new/shop#2:pii", "new/shop")

    def test_are_masked_but_for_ids_and_names(self) -> None:
        key = "sk-ant-abcdefghijklmnopqrstuvwxyz"
        masker = Masker({})
        seen = trial(TurnRecord(f"use {key}", f"used {key}", (ToolCall("look", {"k": key}, "c1"),), context=key))
        found = rows(seen, masker)
        assert key not in str(found)
        assert found["tool_call"]["tool_calls"][0]["name"] == "look"
        assert masker.told() == "masked 4 secrets (4 anthropic-key)"

    @given(trials)
    def test_have_ids_of_their_own(self, trajectory: Trajectory) -> None:
        found = list(rows_of(source(trajectory)))
        assert len({row["id"] for row in found}) == len(found)
        assert all(row["id"] == f"shop#2:{row['dimension']}" for row in found)
