"""The original's outcomes in Proctor's terms: one table, explained in docs/formats/transcript.md.

- An exception of the agent, or an answer outside its contract: the original fails the test, here the trial is errored
  and the run could not be evaluated.
- A judge that fails: the original books a failed check, here the check is unscored.
- pytest's exit codes: 0 stays 0, 1 stays 1 (3 where trials are errored or unscored), 2 (collection error), 4 (usage)
  and 5 (nothing collected) are 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ERROR_CODES: Final[Mapping[str, frozenset[str]]] = {
    "unknown_field": frozenset({"unknown_field"}),
    "missing_field": frozenset({"missing_field"}),
    "no_turns": frozenset({"empty", "missing_field", "wrong_type"}),
    "wrong_type": frozenset({"wrong_type"}),
    "bad_threshold": frozenset({"wrong_type", "out_of_range"}),
    "bad_runs": frozenset({"wrong_type", "out_of_range"}),
    "bad_mode": frozenset({"wrong_type", "bad_choice"}),
    "bad_tool": frozenset({"wrong_type", "missing_field"}),
    "needs_args_or_judge": frozenset({"needs_args_or_judge"}),
    "invalid_regex": frozenset({"invalid_pattern"}),
    "yaml_syntax": frozenset(
        {"yaml_syntax", "yaml_tag", "bad_scalar", "bad_key", "bad_merge", "alias_cycle", "too_deep"}
    ),
    "loader_crash": frozenset({"invalid_pattern", "encoding", "yaml_syntax", "bad_scalar", "too_deep", "alias_cycle"}),
}
"""The codes that stand for each kind of error of the original. It tells its first problem only, Proctor tells all."""

EXIT_CODES: Final[Mapping[int, int]] = {0: 0, 1: 1, 2: 2, 3: 3, 4: 2, 5: 2}
"""pytest's exit codes, but for runs with trials that have no result (3)."""


def attempt_fails(answer: Mapping[str, Any]) -> bool:
    """Whether one attempt of a scripted judge gives no verdict."""
    if "passed" in answer and "output" not in answer:
        return False
    return "output" not in answer or not _is_verdict(answer["output"])


def attempts_of(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The attempts of one entry of a judge script."""
    return list(entry["attempts"]) if "attempts" in entry else [entry]


def _is_verdict(output: object) -> bool:
    """A reasoning text and something that pydantic reads as a boolean."""
    if not isinstance(output, dict) or not isinstance(output.get("reasoning"), str):
        return False
    passed = output.get("passed")
    words = ("true", "t", "yes", "y", "on", "1", "false", "f", "no", "n", "off", "0")
    return (
        isinstance(passed, bool)
        or (isinstance(passed, int | float) and passed in (0, 1))
        or (isinstance(passed, str) and passed.lower() in words)
    )
