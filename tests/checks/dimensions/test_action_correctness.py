"""The dimension ``action_correctness``: actions in three ways, forbidden ones, and the state that they led to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.action_correctness import ACTION_CORRECTNESS
from proctor.checks.dimensions.state_match import first_difference
from proctor.dataset import RowSettings
from proctor.results import Outcome

SETTINGS = RowSettings()
names = st.lists(st.sampled_from("abc"), max_size=5)
scalars = st.none() | st.booleans() | st.integers(-1, 1) | st.sampled_from([0.0, 1.0, "", "1"])
states = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


def score(**row: Any) -> tuple[Outcome, list[str], str]:
    assert [issue for issue in ACTION_CORRECTNESS.issues(row, SETTINGS) if issue.is_error] == []
    result = ACTION_CORRECTNESS.score(row, SETTINGS)
    return result.outcome, [finding.token for finding in result.findings], result.reason


def passes(mode: str, expected: list[str], taken: list[str]) -> bool:
    return score(expected_actions=expected, agent_actions=taken, action_match=mode)[0] is Outcome.PASSED


def issues(**row: Any) -> list[tuple[str, tuple[str | int, ...], str, bool]]:
    found = ACTION_CORRECTNESS.issues(row, SETTINGS)
    return [(issue.code, issue.pointer, issue.message, issue.is_error) for issue in found]


class TestModes:
    @pytest.mark.parametrize(
        ("mode", "expected", "taken", "token", "reason"),
        [
            (None, ["weigh", "bill"], ["greet", "weigh", "pet", "bill"], "match:ordered",
             "all expected actions were done in order"),
            ("exact", ["weigh", "bill"], ["weigh", "bill"], "match:exact", "exactly the expected actions were done"),
            ("SET", ["bill", "weigh", "bill"], ["weigh", "pet", "bill"], "match:set",
             "all expected actions were done"),
            (None, ["weigh", "bill"], ["weigh"], "missing", '"bill" should be done; done: "weigh"'),
            ("ordered", ["weigh", "bill"], [], "missing", '"weigh", "bill" should be done; nothing was done'),
            ("ordered", ["weigh", "bill"], ["bill", "weigh"], "out_of_order",
             '"weigh", "bill" should be done in this order; done: "bill", "weigh"'),
            ("ordered", ["weigh", "weigh"], ["weigh"], "out_of_order",
             '"weigh", "weigh" should be done in this order; done: "weigh"'),
            ("Exact", ["weigh"], ["weigh", "bill"], "not_exact",
             'exactly "weigh" should be done; done: "weigh", "bill"'),
            ("exact", [], ["weigh"], "not_exact", 'nothing should be done; done: "weigh"'),
            ("exact", [], [], "match:exact", "exactly the expected actions were done"),
            ("set", ["Weigh"], ["weigh"], "missing", '"Weigh" should be done; done: "weigh"'),
        ],
    )  # fmt: skip
    def test_says_what_it_found(
        self, mode: str | None, expected: list[str], taken: list[str], token: str, reason: str
    ) -> None:
        outcome = Outcome.PASSED if token.startswith("match") else Outcome.FAILED
        row = {"expected_actions": expected, "agent_actions": taken, "action_match": mode}
        assert ACTION_CORRECTNESS.is_labeled(row, SETTINGS)
        assert score(**row) == (outcome, [token], reason)

    @given(names.filter(bool), names)
    def test_exact_implies_ordered_implies_set(self, expected: list[str], taken: list[str]) -> None:
        assert passes("exact", expected, taken) <= passes("ordered", expected, taken) <= passes("set", expected, taken)

    @given(names.filter(bool), names, names)
    def test_more_actions_never_hurt_unless_exact(self, expected: list[str], taken: list[str], more: list[str]) -> None:
        for mode in ("ordered", "set"):
            assert passes(mode, expected, taken) <= passes(mode, expected, [*taken, *more])

    @given(names.filter(bool), names, st.randoms(use_true_random=False))
    def test_order_does_not_matter_to_a_set(self, expected: list[str], taken: list[str], random: Any) -> None:
        before = passes("set", expected, taken)
        random.shuffle(expected)
        random.shuffle(taken)
        assert passes("set", expected, taken) is before


class TestForbidden:
    def test_taken(self) -> None:
        reason = '"sink", "burn" must not be done; done: "burn", "weigh", "sink"'
        row = {"expected_actions": ["weigh"], "forbidden_actions": ["sink", "flood", "burn"]}
        assert score(**row, agent_actions=["burn", "weigh", "sink"]) == (Outcome.FAILED, ["forbidden"], reason)

    def test_not_taken(self) -> None:
        passed = (Outcome.PASSED, ["match:ordered"], "no forbidden action was done")
        assert score(forbidden_actions=["sink"], agent_actions=["weigh"]) == passed
        assert score(forbidden_actions=["sink"]) == passed

    def test_beats_what_is_expected(self) -> None:
        assert score(expected_actions=["sink"], agent_actions=["sink"], forbidden_actions=["sink"])[1] == ["forbidden"]
        row = {"expected_actions": ["weigh"], "agent_actions": ["sink"], "forbidden_actions": "sink"}
        assert score(**row)[1] == ["forbidden", "missing"]


class TestRecorded:
    @pytest.mark.parametrize(
        "row",
        [
            {"agent_actions": ["weigh", "7"]},
            {"agent_actions": ["weigh", 7]},
            {"agent_actions": None, "tool_calls": [{"name": "weigh"}, {"function": {"name": "7"}}]},
            {"tool_calls": ["weigh", {"arguments": {}}, {"tool": "weigh"}, {"name": 7}]},
        ],
    )
    def test_where_actions_may_stand(self, row: dict[str, Any]) -> None:
        assert score(expected_actions=["weigh", "7"], action_match="exact", **row)[1] == ["match:exact"]

    def test_one_text_is_one_action(self) -> None:
        assert score(expected_actions="weigh", agent_actions="weigh", action_match="exact")[1] == ["match:exact"]
        assert score(expected_actions=["w"], agent_actions="weigh")[1] == ["missing"]
        assert score(expected_actions=["weigh"], tool_calls={"name": "weigh"})[1] == ["match:ordered"]

    def test_an_empty_list_does_not_fall_back(self) -> None:
        row = {"expected_actions": ["weigh"], "agent_actions": [], "tool_calls": [{"name": "weigh"}]}
        assert score(**row)[1] == ["missing"]


class TestState:
    @pytest.mark.parametrize(
        ("expected", "observed", "text"),
        [
            ({"a": 1}, {"a": 2}, '2 was found at "/a", not 1'),
            ({"a": {"b": 1}}, {"a": {}}, '"b" is missing at "/a"'),
            ({"a": None}, {}, '"a" is missing'),
            ({"n": 1}, {"n": 1.0}, '1.0 was found at "/n", not 1'),
            ({"n": 1}, {"n": True}, 'true was found at "/n", not 1'),
            ([1], [1, 2], "the list should have length 1, not 2"),
            ({"l": [1, {"a": 1}]}, {"l": [1, {"a": "1"}]}, '"1" was found at "/l/1/a", not 1'),
            ({"a": 1}, None, "null was found, not an object"),
            ("done", ["done"], 'a list was found, not "done"'),
            (float("nan"), float("nan"), "NaN was found, not NaN"),
        ],
    )
    def test_differs(self, expected: Any, observed: Any, text: str) -> None:
        found = score(expected_state=expected, observed_state=observed)
        assert found == (Outcome.FAILED, ["state_mismatch"], f"the observed state is wrong: {text}")

    @pytest.mark.parametrize(
        ("expected", "observed"),
        [
            ({"chip": {"id": 7}}, {"chip": {"id": 7, "by": "Noor"}, "paid": False}),
            ({"l": [{"a": 1}]}, {"l": [{"a": 1, "b": 2}]}),
            ("done", "done"),
            (False, False),
        ],
    )
    def test_holds(self, expected: Any, observed: Any) -> None:
        row = {"expected_state": expected, "observed_state": observed}
        assert ACTION_CORRECTNESS.is_labeled(row, SETTINGS)
        assert score(**row) == (Outcome.PASSED, ["match:ordered"], "the observed state holds what is expected")

    def test_without_an_observed_state_there_is_no_verdict(self) -> None:
        row = {"expected_state": {"a": 1}, "agent_actions": ["sink"], "forbidden_actions": ["sink"]}
        reason = "expected_state cannot be verified: the row has no observed_state"
        assert score(**row) == (Outcome.UNSCORED, ["no_observed_state"], reason)

    def test_comes_before_actions(self) -> None:
        row = {"expected_state": 1, "observed_state": 2, "expected_actions": ["weigh"], "agent_actions": ["sink"]}
        assert score(**row, forbidden_actions=["sink"])[1] == ["state_mismatch", "forbidden", "missing"]

    def test_null_is_a_state_as_any_other(self) -> None:
        row = {"expected_state": None, "expected_actions": ["weigh"], "agent_actions": ["weigh"]}
        assert score(**row)[1] == ["no_observed_state"]
        assert score(**row, observed_state=None)[1] == ["match:ordered"]
        assert score(**row, observed_state={})[1] == ["state_mismatch"]

    @given(states)
    def test_every_state_holds_in_itself(self, state: Any) -> None:
        assert first_difference(state, state) is None

    @given(states, states, states)
    def test_holding_is_transitive(self, first: Any, second: Any, third: Any) -> None:
        if first_difference(first, second) is None and first_difference(second, third) is None:
            assert first_difference(first, third) is None

    @given(st.dictionaries(st.sampled_from("abc"), scalars), st.dictionaries(st.sampled_from("abc"), scalars))
    def test_more_members_never_hurt(self, state: dict[str, Any], more: dict[str, Any]) -> None:
        assert first_difference(state, {**more, **state}) is None

    def test_any_depth_can_be_compared(self) -> None:
        one: Any = 1
        other: Any = 2
        for _ in range(3_000):
            one, other = {"x": one}, {"x": other}
        difference = first_difference(one, other)
        assert difference is not None
        assert len(difference.path) == 3_000
        assert len(difference.text) < 300


class TestRows:
    @pytest.mark.parametrize(
        ("row", "issue"),
        [
            ({"expected_actions": {"weigh": 1}}, ("expected_actions", "must be a list of names, not an object")),
            ({"forbidden_actions": 5}, ("forbidden_actions", "must be a list of names, not a number")),
            ({"agent_actions": {"name": "a"}}, ("agent_actions", "must be a list of names, not an object")),
            ({"tool_calls": "weigh"}, ("tool_calls", "must be a list of calls, not a text")),
        ],
    )
    def test_fields_that_cannot_be_read(self, row: dict[str, Any], issue: tuple[str, str]) -> None:
        assert [found for found in issues(**row) if found[3]] == [("bad_type", (issue[0],), issue[1], True)]

    @pytest.mark.parametrize(
        ("row", "pointer"),
        [
            ({"expected_actions": ["weigh", 1]}, ("expected_actions", 1)),
            ({"forbidden_actions": [None]}, ("forbidden_actions", 0)),
            ({"agent_actions": ["weigh", None]}, ("agent_actions", 1)),
            ({"agent_actions": [True]}, ("agent_actions", 0)),
            ({"agent_actions": [{"name": "weigh"}]}, ("agent_actions", 0)),
            ({"tool_calls": [{"name": "weigh"}, {"name": ["weigh"]}]}, ("tool_calls", 1)),
        ],
    )
    def test_names_that_are_none(self, row: dict[str, Any], pointer: tuple[str | int, ...]) -> None:
        found = [issue for issue in issues(**row) if issue[3]]
        assert [issue[:2] for issue in found] == [("bad_type", pointer)]

    @pytest.mark.parametrize(
        ("mode", "seen"),
        [("fuzzy", '"fuzzy"'), ("exact ", '"exact "'), ("", '""'), (1, "a number"), (["set"], "a list")],
    )
    def test_unknown_modes(self, mode: Any, seen: str) -> None:
        message = f"must be one of ordered, exact, set, not {seen}"
        assert issues(agent_actions=[], action_match=mode) == [("bad_value", ("action_match",), message, True)]

    def test_the_mode_is_told_first(self) -> None:
        found = issues(agent_actions=5, expected_actions=5, forbidden_actions=5, action_match="any")
        assert [issue[1][0] for issue in found] == [
            "action_match", "expected_actions", "forbidden_actions", "agent_actions", "expected_actions"
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("row", "warns"),
        [
            ({"expected_actions": ["weigh"]}, True),
            ({"expected_actions": ["weigh"], "agent_actions": []}, True),
            ({"expected_actions": ["weigh"], "tool_calls": [{"arguments": {}}]}, True),
            ({"expected_actions": ["weigh"], "tool_calls": [{"name": "weigh"}]}, False),
            ({"expected_actions": ["weigh"], "agent_actions": "weigh"}, False),
            ({"expected_actions": [], "action_match": "exact"}, True),
            ({"expected_actions": [], "action_match": "exact", "agent_actions": []}, False),
            ({"forbidden_actions": ["sink"]}, False),
        ],
    )
    def test_warns_when_nothing_is_recorded(self, row: dict[str, Any], warns: bool) -> None:
        message = "the row records no actions to compare with these, in agent_actions or tool_calls"
        warning = ("no_observed_actions", ("expected_actions",), message, False)
        assert issues(**row) == ([warning] if warns else [])

    @pytest.mark.parametrize(
        ("row", "labeled"),
        [
            ({}, False),
            ({"expected_actions": []}, False),
            ({"expected_actions": None, "action_match": "exact"}, False),
            ({"expected_actions": [], "action_match": "exact"}, True),
            ({"forbidden_actions": ["sink"]}, True),
            ({"expected_state": {}}, False),
            ({"expected_state": 0}, True),
        ],
    )
    def test_what_is_an_answer_key(self, row: dict[str, Any], labeled: bool) -> None:
        assert ACTION_CORRECTNESS.is_labeled(row, SETTINGS) is labeled

    @given(states, states, states, states)
    def test_any_json_is_refused_or_scored(self, expected: Any, taken: Any, calls: Any, state: Any) -> None:
        row = {"expected_actions": expected, "agent_actions": taken, "tool_calls": calls, "expected_state": state}
        if not any(issue.is_error for issue in ACTION_CORRECTNESS.issues(row, SETTINGS)):
            assert ACTION_CORRECTNESS.score(row, SETTINGS).findings
