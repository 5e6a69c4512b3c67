"""Why we see a recorded row otherwise than the real Assevra: the rules of docs/formats/assevra.md, as questions.

Each is asked of the row and of both results, and is as narrow as it can be without repeating the code that it is about.
A difference that no rule explains is a fault of ours, or a new rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assevra_result_rules import LATENCIES, forbids_all, is_same_result, result_rule
from assevra_sides import CRASH, Row, Seen
from assevra_wrong_fields import also_wrong
from jsonschema import Draft202012Validator

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.token_usage import has_counts

LABELED: Final = "LABELED"

_TYPED: Final = ("E:bad_type", "E:bad_value", "E:missing_field")
_NO_KEY: Final = "W:missing_answer_key"
_UNCONFIRMED: Final = "W:unconfirmed_labels"


class Unexplained(AssertionError):
    """A difference without a rule."""


class Rules:
    """Explains differences. ``schema`` is the published schema of rows: it says of most fields what is wrong there."""

    def __init__(self, schema: Mapping[str, Any], config: Mapping[str, Any]) -> None:
        self._schema = Draft202012Validator(schema)
        self._budgets = config.get("budgets", {})

    def explain(self, row: Row, theirs: Seen, ours: Seen) -> set[str]:
        """The names of the rules behind all differences; none where there is no difference.

        Raises:
            Unexplained: a difference has no rule.
        """
        if theirs.state == CRASH:
            return {"no-crash"}
        used = set(self._of_codes(row, theirs, ours))
        if theirs.state == ours.state == LABELED and not is_same_result(theirs, ours):
            rule = result_rule(row, theirs, ours)
            used.add(_named(rule, f"the original says {theirs[2:6]}, we say {ours[2:6]}"))
        return used

    def _of_codes(self, row: Row, theirs: Seen, ours: Seen) -> Iterator[str]:
        missing, extra = Counter(theirs.codes) - Counter(ours.codes), Counter(ours.codes) - Counter(theirs.codes)
        common = (Counter(theirs.codes) & Counter(ours.codes)).total()
        if row.get("tool_calls") != [] and _common_order(theirs.codes, ours.codes) < common:
            raise Unexplained("the same codes in another order")
        wrong = self._wrong_fields(row)
        for code in extra:
            yield _named(self._extra_rule(code, row, theirs, ours, wrong), f"we say {code}")
        for code in missing:
            yield _named(self._missing_rule(code, row, theirs, ours, wrong), f"we do not say {code}")
        if theirs.state != ours.state and not (missing or extra):
            raise Unexplained("the same codes and another state")

    def _extra_rule(self, code: str, row: Row, theirs: Seen, ours: Seen, wrong: set[str]) -> str | None:
        """The rule by which we say something that the original does not."""
        if code in _TYPED:
            told = {field for said, field in zip(ours.codes, ours.fields, strict=True) if said == code}
            return "typed-rows" if told & wrong else None
        if code in (_NO_KEY, _UNCONFIRMED) and "E:missing_field" in theirs.codes:
            return self._missing_rule("E:missing_field", row, theirs, ours, wrong)
        if code == _UNCONFIRMED:
            return self._missing_rule(_NO_KEY, row, theirs, ours, wrong) if _NO_KEY in theirs.codes else None
        if code in (_NO_KEY, "W:unmeasurable_cost") and row["dimension"] == "cost":
            return "typed-rows" if "cost_usd" in wrong else "usage-is-understood" if not _is_priced(row) else None
        if code == _NO_KEY and row["dimension"] == "latency":
            return "typed-rows" if wrong & LATENCIES else None
        if code == "W:unmeasurable_latency":
            return "typed-rows" if wrong & LATENCIES else None
        if code == "W:no_observed_actions":
            return "empty-lists-mean-nothing" if forbids_all(row) else None
        if code == _NO_KEY:
            return "blank-is-no-answer-key" if _says_nothing(row) else None
        return None

    def _missing_rule(self, code: str, row: Row, theirs: Seen, ours: Seen, wrong: set[str]) -> str | None:
        """The rule by which we do not say something that the original does."""
        if code == "E:missing_field":
            if row.get("agent_output") == "":
                return "empty-answer"
            return "no-calls-scorable" if row["dimension"] == "tool_call" and row.get("tool_calls") == [] else None
        if ours.state == "INVALID" and (code in (_NO_KEY, _UNCONFIRMED) or code.startswith("W:unmeasurable")):
            return "typed-rows"
        if code == _UNCONFIRMED:
            return self._extra_rule(_NO_KEY, row, theirs, ours, wrong) if _NO_KEY in ours.codes else None
        if code in (_NO_KEY, "W:unmeasurable_cost") and row["dimension"] == "cost":
            return "usage-is-understood" if _is_priced(row) else None
        if code == _NO_KEY and (row.get("allowed_tools") == [] or forbids_all(row)):
            return "empty-lists-mean-nothing"
        if code == "E:bad_type" and row["dimension"] in ("cost", "latency"):
            return "null-budget" if self._is_null_budget(row) else None
        return None

    def _is_null_budget(self, row: Row) -> bool:
        name, field = (
            ("cost_usd", "cost_budget_usd") if row["dimension"] == "cost" else ("latency_ms", "latency_budget_ms")
        )
        return field in row and row[field] is None and name in self._budgets

    def _wrong_fields(self, row: Row) -> set[str]:
        by_schema = {str(error.absolute_path[0]) for error in self._schema.iter_errors(row) if error.absolute_path}
        return by_schema | also_wrong(row)


def _named(rule: str | None, what: str) -> str:
    if rule is None:
        raise Unexplained(what)
    return rule


def _common_order(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """How many codes two sequences have in common, in the same order."""
    lengths = [0] * (len(second) + 1)
    for code in first:
        before = 0
        for index, other in enumerate(second, 1):
            longest = before + 1 if code == other else max(lengths[index], lengths[index - 1])
            before, lengths[index] = lengths[index], longest
    return lengths[-1]


def _is_priced(row: Row) -> bool:
    return has_counts(row.get("usage"))


def _says_nothing(row: Row) -> bool:
    """No answer key of the row says anything."""
    values = [row.get(field) for field in DIMENSIONS[row["dimension"]].answer_key]
    return not any(_speaks(value) for value in values)


def _speaks(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return any(map(_speaks, value.values())) if isinstance(value, dict) else value not in (None, [], {})
