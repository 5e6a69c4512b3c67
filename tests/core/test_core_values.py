"""The plain values: JSON equality, text made fit to be shown, errors, trajectories, results."""

from __future__ import annotations

import inspect
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import proctor
from proctor import errors
from proctor.errors import Problem, ProctorError, Severity, SpecError
from proctor.excerpt import mark_controls, quote, shorten
from proctor.jsonvalue import canonical, digest, json_equal
from proctor.overrides import Overrides, PullRequest
from proctor.plan import AgentSpec, Outline, Plan, Source
from proctor.results import CheckKind, CheckResult, Counts, Decision, Outcome, Summary, Verdict
from proctor.trajectory import CacheOrigin, Ending, Failure, ToolCall, Trajectory, TurnRecord, Usage

any_text = st.text(st.characters(codec=None), max_size=30)
some_json: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
usages = st.builds(
    Usage,
    *[st.integers(0, 10**12)] * 5,
    st.none() | st.decimals(0, 10**6, places=4),
)


class TestJsonEquality:
    def test_crosses_no_type_but_that_of_numbers(self) -> None:
        values = [1, 0, True, False, "1", "true", "", None, [], [1], {}, {"1": 1}]
        for number, left in enumerate(values):
            for other, right in enumerate(values):
                assert json_equal(left, right) == (number == other), (left, right)
        assert json_equal(1, 1.0)
        assert json_equal(0.0, -0.0)

    def test_is_exact_for_large_numbers(self) -> None:
        assert not json_equal(2**53, 2**53 + 1)
        assert not json_equal(float(2**53), 2**53 + 1)

    @given(some_json)
    def test_holds_for_a_value_and_its_copy(self, value: Any) -> None:
        assert json_equal(value, json.loads(json.dumps(value)))

    @given(some_json, some_json)
    def test_agrees_with_the_canonical_spelling_but_for_numbers(self, left: Any, right: Any) -> None:
        if canonical(left) == canonical(right):
            assert json_equal(left, right)
        assert json_equal(left, right) == json_equal(right, left)

    @given(st.dictionaries(st.text(max_size=3), some_json, max_size=4))
    def test_and_digests_ignore_the_order_of_members(self, value: dict[str, Any]) -> None:
        turned = dict(reversed(value.items()))
        assert json_equal(value, turned)
        assert digest(value) == digest(turned)

    def test_of_a_lone_surrogate_has_a_digest(self) -> None:
        assert digest("\ud83d") != digest("\ud83e")


class TestTextMadeFitToBeShown:
    @given(any_text)
    def test_has_no_character_that_xml_or_a_terminal_must_not_see(self, text: str) -> None:
        shown = mark_controls(text)
        shown.encode()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]", shown)

    @given(st.text("abc äß東🚀\n\t", max_size=20))
    def test_keeps_everything_else(self, text: str) -> None:
        assert mark_controls(text) == text

    @given(any_text, st.integers(1, 20))
    def test_is_shortened_in_the_middle(self, text: str, limit: int) -> None:
        shown = shorten(text, limit)
        if len(text) <= limit:
            assert shown == text
        else:
            assert f" […{len(text) - limit} characters…] " in shown
            assert shown.startswith(text[: limit // 2])
            assert shown.endswith(text[len(text) - (limit - limit // 2) :])

    @given(any_text | st.none())
    def test_is_one_line_in_quotes(self, text: str | None) -> None:
        shown = quote(text)
        assert "\n" not in shown
        assert shown == "no reply" if text is None else shown[0] == shown[-1] == '"'


class TestTheErrors:
    def test_are_drawn_as_a_tree_in_the_module(self) -> None:
        drawn = re.findall(r"^[│ ├└─]*(\w+)", errors.__doc__ or "", re.MULTILINE)
        classes = {name for name, each in vars(errors).items() if inspect.isclass(each) and issubclass(each, Exception)}
        assert classes <= set(drawn)

    @pytest.mark.parametrize(
        ("name", "code"),
        [("UsageError", 2), ("SpecError", 2), ("CouldNotEvaluate", 3), ("StoreError", 3), ("SourceChanged", 3)],
    )
    def test_have_their_exit_codes(self, name: str, code: int) -> None:
        assert getattr(errors, name).exit_code == code

    def test_show_the_next_step(self) -> None:
        assert str(ProctorError("it broke", hint="mend it")) == "it broke\n  hint: mend it"
        assert str(ProctorError("it broke")) == "it broke"

    def test_of_a_spec_are_sorted_by_place(self) -> None:
        found = [
            Problem(Path("b"), "x", "m", 1, 1),
            Problem(Path("a"), "x", "m", 10, 1),
            Problem(Path("a"), "x", "m", 2, 5, "id", "hint", Severity.WARNING),
            Problem(Path("a"), "x", "m"),
        ]
        assert str(SpecError(found)).splitlines() == [
            "a: error [x] m",
            "a:2:5: warning [x] id: m (hint)",
            "a:10:1: error [x] m",
            "b:1:1: error [x] m",
        ]


class TestUsage:
    @given(usages, usages, usages)
    def test_adds_up_in_any_order(self, one: Usage, two: Usage, three: Usage) -> None:
        assert one + two == two + one
        assert (one + two) + three == one + (two + three)
        assert one + Usage() == one

    @given(usages)
    def test_survives_a_round_trip(self, usage: Usage) -> None:
        assert Usage.from_json(json.loads(json.dumps(usage.to_json()))) == usage

    def test_of_an_unknown_price_is_not_free(self) -> None:
        assert (Usage() + Usage()).cost_usd is None
        assert (Usage() + Usage(cost_usd=Decimal("0.1"))).cost_usd == Decimal("0.1")
        assert sum((Usage(cost_usd=Decimal("0.1")) for _ in range(3)), Usage()).cost_usd == Decimal("0.3")


calls = st.builds(
    ToolCall, st.text(min_size=1, max_size=4), some_json, st.none() | st.text(max_size=3), some_json, st.booleans()
)
turns = st.builds(
    TurnRecord, any_text, st.none() | any_text, st.lists(calls, max_size=2).map(tuple), st.none() | any_text,
    st.integers(0, 10**6).map(float), st.none() | usages,
)  # fmt: skip
trajectories = st.builds(
    Trajectory, st.sampled_from(Ending), st.lists(turns, max_size=2).map(tuple),
    st.none() | st.builds(Failure, any_text, any_text, any_text, st.none() | st.integers(0, 9)),
    usages, st.integers(0, 10**6).map(float), st.integers(1, 9),
)  # fmt: skip


class TestATrajectory:
    @given(trajectories)
    def test_survives_a_round_trip_through_json(self, trajectory: Trajectory) -> None:
        origin = CacheOrigin("run", "then")
        copy = Trajectory.from_json(json.loads(json.dumps(trajectory.to_json())), origin)
        assert copy.cached == origin
        assert copy.to_json() == trajectory.to_json()
        assert Trajectory.from_json(json.loads(json.dumps(trajectory.to_json()))) == trajectory


class TestResults:
    @given(st.lists(st.sampled_from(Outcome)), st.lists(st.sampled_from(Outcome)))
    def test_counts_add_up(self, one: list[Outcome], two: list[Outcome]) -> None:
        counts = Counts.of(one) + Counts.of(two)
        assert counts == Counts.of([*one, *two])
        assert counts.total == len(one) + len(two)
        assert counts.decided + counts.undecided + counts.skipped == counts.total

    @pytest.mark.parametrize("outcome", Outcome)
    def test_only_a_pass_has_passed(self, outcome: Outcome) -> None:
        assert CheckResult("c", outcome, "r").passed is (outcome is Outcome.PASSED)
        assert CheckResult("c", outcome, "r").kind is CheckKind.DETERMINISTIC

    def test_a_verdict_survives_a_round_trip(self) -> None:
        verdict = Verdict(None, "r", "m", 3, "timeout", True, Usage(1, cost_usd=Decimal("0.5")), "reply/1")
        assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict

    @pytest.mark.parametrize(
        ("changes", "ships"),
        [
            ({}, True),
            ({"decision": Decision.FAILED}, False),
            ({"decision": Decision.COULD_NOT_EVALUATE}, False),
            ({"purpose": "triage"}, False),
            ({"partial": "--select a"}, False),
            ({"self_test": True}, False),
        ],
    )
    def test_only_a_whole_passed_release_may_ship(self, changes: dict[str, Any], ships: bool) -> None:
        plain = {"purpose": "release", "decision": Decision.PASSED, **changes}
        summary = Summary("r", "s", "n", "p", reason="", cases=Counts(), trials=Counts(), **plain)
        assert summary.may_ship is ships


class TestAPlan:
    def test_counts_its_cases_and_trials(self) -> None:
        sources = tuple(
            Source("transcript", Path(name), name, "", tuple(Outline(f"{name}{n}", "", n, 1.0) for n in (1, 2)))
            for name in "ab"
        )
        agents = tuple(AgentSpec(name, "python", "a:b") for name in "xyz")
        plan = Plan("s", "n", Path("p"), Path(), sources, agents)
        assert (plan.cases, plan.trials) == (4, 18)


class TestOverrides:
    @pytest.mark.parametrize(
        "wrong", [{"runs": 0}, {"runs": 10_001}, {"unknown": 1}, {"judge": "python:a:b"}, {"select": "a"}]
    )
    def test_are_refused_when_they_cannot_be_used(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Overrides(**wrong)

    def test_have_a_form_that_says_what_each_is_for(self) -> None:
        for model in (Overrides, PullRequest):
            assert all(part.get("description") for part in model.model_json_schema()["properties"].values())


class TestThePublicNames:
    def test_are_those_that_the_package_lists(self) -> None:
        assert sorted(proctor.__all__) == ["Evaluation", "evaluate", "evaluate_async"]
        for name in proctor.__all__:
            assert getattr(proctor, name).__doc__
        with pytest.raises(AttributeError, match="module 'proctor' has no attribute 'nothing'"):
            _ = proctor.nothing
