"""The differences on purpose for recorded rows. Each has a row in docs/formats/assevra.md, found by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.conformance.verdict import Difference, Rule, Vector

_TYPE_CODES: Final = ("E:bad_type", "E:bad_value", "E:missing_field")

Predicate = Callable[[Vector, list[Difference]], bool]


def _row(vector: Vector) -> dict[str, Any]:
    row = vector.get("row")
    return row if isinstance(row, dict) else {}


def _seen(differences: list[Difference], place: str) -> Any:
    return next((difference.seen for difference in differences if difference.place == place), None)


def _wanted(differences: list[Difference], place: str) -> Any:
    return next((difference.wanted for difference in differences if difference.place == place), None)


def _in(*dimensions: str) -> Predicate:
    return lambda vector, _: vector.get("kind") == "row" and _row(vector).get("dimension") in dimensions


def _both(*predicates: Predicate) -> Predicate:
    return lambda vector, differences: all(predicate(vector, differences) for predicate in predicates)


def _reasons(*tokens: str) -> Predicate:
    """One of our findings begins like one of these."""

    def predicate(_vector: Vector, differences: list[Difference]) -> bool:
        seen = _seen(differences, "reasons") or []
        return any(str(token).startswith(tokens) for token in seen)

    return predicate


def _was(*tokens: str) -> Predicate:
    """One of the original's findings begins like one of these."""

    def predicate(_vector: Vector, differences: list[Difference]) -> bool:
        wanted = _wanted(differences, "reasons") or []
        return any(str(token).startswith(tokens) for token in wanted)

    return predicate


def _is_refused(vector: Vector, differences: list[Difference]) -> bool:
    """A row that we refuse at validation, whatever the original did with it."""
    return vector.get("kind") == "row" and _seen(differences, "status") == "invalid"


def _is_unlabeled(vector: Vector, differences: list[Difference]) -> bool:
    """A row that has nothing to verify the answer against."""
    return vector.get("kind") == "row" and _seen(differences, "status") == "unlabeled"


def _is_crash(vector: Vector, differences: list[Difference]) -> bool:
    """The original raised; we say something of the row, or of the file."""
    crashed = any("crash" in str(difference.wanted).lower() for difference in differences)
    named = str(vector["expected"].get("error", "")).endswith("Error")
    return crashed or named


def _has(kind: str, *places: str) -> Predicate:
    """A vector of a kind whose differences are all in these places."""

    def predicate(vector: Vector, differences: list[Difference]) -> bool:
        return vector.get("kind") == kind and all(difference.place.startswith(places) for difference in differences)

    return predicate


def _is_bom(vector: Vector, _differences: list[Difference]) -> bool:
    return vector.get("kind") == "validate" and str(vector.get("text", "")).startswith("\ufeff")


def _is_typed_file(vector: Vector, differences: list[Difference]) -> bool:
    return vector.get("kind") == "validate" and any(
        str(code).startswith(_TYPE_CODES) for codes in (_seen(differences, "rows") or {}).values() for code in codes
    )


def _rows_of(vector: Vector, *dimensions: str) -> list[dict[str, Any]]:
    rows = [*vector.get("rows", []), *(row for run in vector.get("runs", []) for row in run.get("rows", []))]
    return [row for row in rows if isinstance(row, dict) and (not dimensions or row.get("dimension") in dimensions)]


def _has_control(vector: Vector, differences: list[Difference]) -> bool:
    rows = [row for row in _rows_of(vector, "pii") if "negative-example" in (row.get("tags") or ())]
    return vector.get("kind") == "evaluate" and bool(rows) and _seen(differences, "decision") == "FAIL"


def _is_skipped_injection(vector: Vector, differences: list[Difference]) -> bool:
    return (
        vector.get("kind") == "evaluate"
        and bool(_rows_of(vector, "injection"))
        and not vector.get("judge_script")
        and _seen(differences, "decision") == "INCOMPLETE"
    )


def _is_setting(vector: Vector, differences: list[Difference]) -> bool:
    return vector.get("kind") in ("evaluate", "config") and "error [" in str(_seen(differences, "results"))


RULES: Final = (
    Rule("typed-rows", "the row schema is applied, types too", _is_refused),
    Rule("typed-files", "the same, told by validate", _is_typed_file),
    Rule("blank-is-no-answer-key", "a blank, an empty contract or unknown tokens verify nothing", _is_unlabeled),
    Rule("empty-answer", "an agent that answered nothing has failed", _both(_reasons("missing:"), _was("E:missing"))),
    Rule(
        "no-calls-scorable",
        "an empty list of calls can be right, and can be wrong",
        _both(_in("tool_call"), _was("E:missing_field")),
    ),
    Rule(
        "empty-lists-mean-nothing",
        "an empty allow-list allows nothing, an exact empty list forbids all",
        _both(_in("tool_call", "action_correctness"), _was("W:missing_answer_key")),
    ),
    Rule("json-out-of-bounds", "what cannot be parsed is a finding", _both(_in("tool_call"), _reasons("bad_json"))),
    Rule(
        "calls-are-counted",
        "each expected call needs a call of its own",
        _both(_in("tool_call"), _reasons("expected_missing", "expected_args", "calls:")),
    ),
    Rule(
        "json-equality",
        "true is not 1, absent is not null, 2.0 is an integer",
        _both(_in("tool_call"), _reasons("not_in_enum", "expected_args", "calls:")),
    ),
    Rule(
        "refusal-words",
        "typographic apostrophes, two words, plurals; one harmless word is no refusal",
        _in("safety", "injection"),
    ),
    Rule("pii-detector", "check digits, other spellings, e-mail; harmless numbers are left alone", _in("pii")),
    Rule("panel-tie", "a tie across the pass line is no verdict", _both(_in("grounding"), _reasons("bad_verdict"))),
    Rule("null-budget", "null is the project's budget", _both(_in("cost", "latency"), _was("E:bad_type"))),
    Rule(
        "usage-is-understood",
        "token counts under other names are priced",
        _both(_in("cost"), _reasons("over", "within")),
    ),
    Rule(
        "decimal-amounts",
        "money and time are compared in decimals",
        _both(_in("cost", "latency"), _reasons("over", "within")),
    ),
    Rule("no-crash", "what makes the original raise is scored, or told with its place", _is_crash),
    Rule("byte-order-mark", "a byte-order mark is accepted", _is_bom),
    Rule("missed-control", "a control that is missed fails its dimension", _has_control),
    Rule("injection-without-judge", "an injection row without marker and judge is undecided", _is_skipped_injection),
    Rule("checked-settings", "settings that mean nothing are refused", _is_setting),
    Rule("real-yaml", "the configuration is YAML", _has("config", "value", "error")),
    Rule("accepted-baseline", "a run is compared with the last accepted one", _has("history", "runs[")),
    Rule("every-field-is-signed", "the signature covers every field of its block", _has("sign", "verify")),
    Rule("signed-json-only", "NaN is no JSON", _has("sign", "refused")),
    Rule("half-a-character", "a lone surrogate is signed as its escape", _has("sign", "canonical", "block", "refused")),
    Rule(
        "calibration-per-dimension",
        "one class is undefined; the bar holds for every dimension",
        _has("calibrate", "exit", "overall", "per_dimension", "why"),
    ),
)
