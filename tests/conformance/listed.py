"""The differences on purpose. Each has a row in docs/formats/, found by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.conformance.assevra_listed import RULES as ROW_RULES
from tests.conformance.verdict import Difference, Rule, Vector


def _only(*places: str) -> Callable[[list[Difference]], bool]:
    return lambda differences: all(difference.place.startswith(places) for difference in differences)


_ON_RESULTS: Final = _only("runs[", "pass_fraction", "passed", "exit code")


def _steps(vector: Vector) -> Iterator[dict[str, Any]]:
    yield from (step for row in vector.get("agent_script", []) for step in row)


def _turns(vector: Vector) -> list[dict[str, Any]]:
    return vector["transcript"]["turns"] if "transcript" in vector else []


def _booleans(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_booleans, value.values() if isinstance(value, dict) else value))
    return isinstance(value, bool)


def _is_json_equality(vector: Vector, differences: list[Difference]) -> bool:
    """A boolean among the expected or observed arguments, and no reply check differs."""
    wanted = [
        entry.get("args") for turn in _turns(vector) for entry in turn.get("expect", {}).get("tool_calls_args", [])
    ]
    seen = [
        call.get("args") for step in _steps(vector) for call in step.get("tool_calls") or [] if isinstance(call, dict)
    ]
    fields = [difference for difference in differences if difference.place.endswith(".fields")]
    return _ON_RESULTS(differences) and not fields and bool(wanted) and _booleans([wanted, seen])


def _is_verbatim_hit(vector: Vector, differences: list[Difference]) -> bool:
    """A text that stands in the reply as it is, and is lost when both are lower-cased."""
    keys = ("reply_contains_any", "reply_contains_all")
    texts = [text for turn in _turns(vector) for key in keys for text in turn.get("expect", {}).get(key, [])]
    replies = [step.get("reply") or "" for step in _steps(vector)]
    lost = any(text in reply and text.lower() not in reply.lower() for text in texts for reply in replies)
    return _ON_RESULTS(differences) and lost


def _is_missing_reply(vector: Vector, differences: list[Difference]) -> bool:
    crashed = vector["expected"].get("crash_stage") == "check"
    return (
        crashed and any(step.get("reply", "") is None for step in _steps(vector)) and _only("case", "exit")(differences)
    )


def _is_missing_reply_shown(vector: Vector, differences: list[Difference]) -> bool:
    return any(step.get("reply", "") is None for step in _steps(vector)) and _only("judge_calls")(differences)


def _has_code(place: str, code: str) -> Callable[[Vector, list[Difference]], bool]:
    def predicate(_vector: Vector, differences: list[Difference]) -> bool:
        return _only(place)(differences) and all(code in str(difference.seen) for difference in differences)

    return predicate


def _is_checked_setting(_vector: Vector, differences: list[Difference]) -> bool:
    return _only("error")(differences) and "_setting" in str(differences[0].seen)


def _is_not_absorbed(vector: Vector, differences: list[Difference]) -> bool:
    raises = any("raise" in step for step in (vector.get("agent") or {}).values())
    return raises and _only("exit_code", "groups", "exit_overridden")(differences)


TRANSCRIPT_RULES: Final = (
    Rule("json-equality", "a boolean is no number", _is_json_equality),
    Rule("verbatim-hit", "a text that occurs verbatim is found", _is_verbatim_hit),
    Rule("missing-reply", "no reply fails a check on it", _is_missing_reply),
    Rule("missing-reply-shown", "a judge is told that there was no reply", _is_missing_reply_shown),
    Rule("duplicate-keys", "a key that stands twice is refused", _has_code("valid", "duplicate_key")),
    Rule("foreign-tags", "YAML tags beyond the core are refused", _has_code("error", "yaml_tag")),
    Rule("checked-settings", "unknown and wrong settings are refused", _is_checked_setting),
    Rule("errors-are-not-absorbed", "a gate never absorbs an errored case", _is_not_absorbed),
    Rule(
        "judge-setup",
        "a judge that cannot be built ends the run before it begins",
        _has_code("error", "JudgeSetupError"),
    ),
)

RULES: Final = (*TRANSCRIPT_RULES, *ROW_RULES)
"""Every rule of every format."""
