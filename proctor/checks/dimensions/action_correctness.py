"""The dimension ``action_correctness``: an agent did what it should, nothing that it must not, and with the right end.

What was done stands in ``agent_actions``, or else in the names of ``tool_calls``. An action that is recorded as a
number stands for its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from typing_extensions import override

from proctor.checks.dimensions.action_match import DEFAULT, MODES, match_actions, named, seen
from proctor.checks.dimensions.base import Dimension, Finding, Row, RowIssue, RowResult
from proctor.checks.dimensions.observed_calls import calls_of, name_of, pointer_of, wrong_name
from proctor.checks.dimensions.row_fields import is_filled, name_list_issues, wrong_choice, wrong_kind
from proctor.checks.dimensions.state_match import first_difference
from proctor.dataset import RowSettings
from proctor.results import Outcome

_DONE: Final[Mapping[str, str]] = {
    "ordered": "all expected actions were done in order",
    "exact": "exactly the expected actions were done",
    "set": "all expected actions were done",
}

_UNOBSERVED: Final = RowIssue(
    "no_observed_actions",
    ("expected_actions",),
    "the row records no actions to compare with these, in agent_actions or tool_calls",
    "write [] under agent_actions when the agent did nothing",
    is_error=False,
)


def _pass(mode: str, text: str) -> RowResult:
    return RowResult(Outcome.PASSED, (Finding("match", mode, text),))


_MATCHED: Final = {mode: _pass(mode, text) for mode, text in _DONE.items()}
_NOT_FORBIDDEN: Final = {mode: _pass(mode, "no forbidden action was done") for mode in MODES}
_STATE_HOLDS: Final = {mode: _pass(mode, "the observed state holds what is expected") for mode in MODES}
_NO_STATE: Final = RowResult(
    Outcome.UNSCORED,
    (Finding("no_observed_state", "", "expected_state cannot be verified: the row has no observed_state"),),
)


class ActionCorrectness(Dimension):
    """Whether the actions of the agent, and the state that they led to, are the right ones.

    ``expected_actions`` are compared by ``action_match`` (see `MODES`); with ``exact``, an empty list says that nothing
    may be done. ``forbidden_actions`` must not be done. ``expected_state`` must hold in ``observed_state``; null is a
    state too.
    """

    name: Final = "action_correctness"
    threshold: Final = 0.95
    required: Final[tuple[str, ...]] = ()
    answer_key: Final = ("expected_actions", "forbidden_actions", "expected_state")
    is_judged: Final = False
    needs_judge: Final = False

    @override
    def issues(self, row: Row, settings: RowSettings) -> Iterable[RowIssue]:
        """Fields that cannot be read; a warning when actions are expected and none is recorded."""
        return (
            *_match_issues(row),
            *name_list_issues(row, "expected_actions", or_text=True),
            *name_list_issues(row, "forbidden_actions", or_text=True),
            *_recorded_issues(row),
            *_nothing_recorded(row),
        )

    @override
    def is_labeled(self, row: Row, settings: RowSettings) -> bool:
        """Whether an expectation is filled in, or is an empty list that is to be matched exactly."""
        return (
            bool(row.get("expected_actions"))
            or bool(row.get("forbidden_actions"))
            or is_filled(row.get("expected_state"))
            or _forbids_all(row)
        )

    @override
    def score(self, row: Row, settings: RowSettings) -> RowResult:
        """Passed when state and actions are right; unscored when a state is expected and none was observed."""
        has_state = "expected_state" in row
        if has_state and "observed_state" not in row:
            return _NO_STATE
        mode, taken = _mode(row), _taken(row)
        forbidden, expected = _names(row.get("forbidden_actions")), _names(row.get("expected_actions"))
        findings = _state_findings(row["expected_state"], row["observed_state"]) if has_state else []
        if not set(forbidden).isdisjoint(taken):
            wrong = [action for action in forbidden if action in taken]
            findings.append(Finding("forbidden", "", f"{named(wrong)} must not be done; {seen(taken)}"))
        compares = bool(expected) or _forbids_all(row)
        if compares and (difference := match_actions(mode, expected, taken)):
            findings.append(difference)
        if findings:
            return RowResult(Outcome.FAILED, tuple(findings))
        return (_MATCHED if compares else _NOT_FORBIDDEN if forbidden else _STATE_HOLDS)[mode]


ACTION_CORRECTNESS: Final = ActionCorrectness()


def _mode(row: Row) -> str:
    mode = row.get("action_match")
    return mode.lower() if isinstance(mode, str) else DEFAULT


def _names(value: Any) -> list[str]:
    """A list of names, of which one text is a list of one and an empty text is none."""
    if isinstance(value, str):
        return [value] if value else []
    return value or []


def _taken(row: Row) -> list[str]:
    actions = row.get("agent_actions")
    if actions is None:
        actions = [name for call in calls_of(row) if isinstance(call, dict) and (name := name_of(call)) is not None]
    if isinstance(actions, str):
        return [actions]
    return [action if isinstance(action, str) else str(action) for action in actions]


def _forbids_all(row: Row) -> bool:
    return row.get("expected_actions") == [] and _mode(row) == "exact"


def _state_findings(expected: object, observed: object) -> list[Finding]:
    difference = first_difference(expected, observed)
    return [Finding("state_mismatch", "", f"the observed state is wrong: {difference.text}")] if difference else []


def _recorded_issues(row: Row) -> tuple[RowIssue, ...]:
    """The first recorded action that is neither a text nor a number."""
    actions = row.get("agent_actions")
    if actions is None:
        return _called_issues(row)
    if isinstance(actions, str):
        return ()
    if not isinstance(actions, list):
        return (wrong_kind(("agent_actions",), actions, "a list of names", 'write ["..."] under agent_actions'),)
    for index, action in enumerate(actions):
        if not _is_name(action):
            return (wrong_kind(("agent_actions", index), action, "a text"),)
    return ()


def _called_issues(row: Row) -> tuple[RowIssue, ...]:
    """The same for the names of recorded calls. Calls that are no objects, or have no name, are passed over."""
    calls = row.get("tool_calls")
    if calls is not None and not isinstance(calls, list | dict):
        return (wrong_kind(("tool_calls",), calls, "a list of calls"),)
    for index, call in enumerate(calls_of(row)):
        if isinstance(call, dict) and not _is_name(name := name_of(call) or ""):
            return (wrong_name(pointer_of(row, index), name),)
    return ()


def _is_name(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _match_issues(row: Row) -> tuple[RowIssue, ...]:
    mode = row.get("action_match")
    if mode is None or (isinstance(mode, str) and mode.lower() in MODES):
        return ()
    return (wrong_choice("action_match", mode, MODES),)


def _nothing_recorded(row: Row) -> tuple[RowIssue, ...]:
    actions = row.get("agent_actions")
    if row.get("expected_actions"):
        is_readable = actions is None or isinstance(actions, str | list)
        return () if is_readable and _taken(row) else (_UNOBSERVED,)
    return (_UNOBSERVED,) if _forbids_all(row) and actions is None and row.get("tool_calls") is None else ()
