"""The shape of tool calls, and the first place where two sequences of calls part."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from proctor.excerpt import mark_controls, quote, shorten
from proctor.jsonvalue import json_equal, well_formed_value
from proctor.replay_plan import Compare
from proctor.trajectory import JsonValue, ToolCall

_NOTHING: Final = "nothing"
_PLAIN_NAME: Final = re.compile(r"\w[\w-]{0,79}", re.ASCII)


class Difference(NamedTuple):
    """Where calls part: the number of the call, from 1, and that call as it was recorded and observed.

    ``detail`` says where in the arguments the first difference is; it is empty where the calls as such differ.
    """

    call: int
    recorded: str
    observed: str
    detail: str = ""

    def __str__(self) -> str:
        text = f"call {self.call:,}: recorded {self.recorded}, observed {self.observed}"
        return f"{text}; {self.detail}" if self.detail else text


def argument_shape(value: JsonValue) -> str:
    """Spell the shape of a value: scalars are their types, and an array is the set of the shapes of its elements.

    ``{"seats": 2, "tags": ["a", 1, "b"]}`` is ``{"seats": number, "tags": [number | string]}``. Members stand in the
    order of their names, so two values have the same shape exactly if they have the same spelling.
    """
    if isinstance(value, dict):
        members = [f"{json.dumps(name, ensure_ascii=False)}: {argument_shape(value[name])}" for name in sorted(value)]
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + " | ".join(sorted(set(map(argument_shape, value)))) + "]"
    return _type_name(value)


def first_difference(recorded: Sequence[ToolCall], observed: Sequence[ToolCall], compare: Compare) -> Difference | None:
    """Find the first call that is not as recorded; None if all are.

    A call whose arguments were not captured is taken for one without arguments.
    """
    for number, (wanted, seen) in enumerate(zip_longest(recorded, observed), 1):
        detail = _detail(wanted, seen, compare)
        if detail is not None:
            return Difference(number, _call_text(wanted, compare), _call_text(seen, compare), detail)
    return None


def _detail(wanted: ToolCall | None, seen: ToolCall | None, compare: Compare) -> str | None:
    """Where the arguments of two calls differ first; empty where the calls as such do, and None if nothing differs."""
    if wanted is None or seen is None or wanted.name != seen.name:
        return ""
    if compare is Compare.NAMES:
        return None
    found = next(_differences(_arguments(wanted), _arguments(seen), compare, ""), None)
    if found is None:
        return None
    path, was, now = found
    return f"at {shorten(path.removeprefix('.'), 160)}: {was} recorded, {now} observed" if path else ""


def _differences(
    recorded: JsonValue, observed: JsonValue, compare: Compare, path: str
) -> Iterator[tuple[str, str, str]]:
    """The places where two values differ, each with what is there in both."""
    was, now = _parts(recorded, compare), _parts(observed, compare)
    if was is None or now is None or type(recorded) is not type(observed):
        if not _same(recorded, observed, compare):
            yield path, _text(recorded, compare), _text(observed, compare)
        return
    for step in was | now:
        here = path + step
        if step not in now:
            yield here, _text(was[step], compare), _NOTHING
        elif step not in was:
            yield here, _NOTHING, _text(now[step], compare)
        else:
            yield from _differences(was[step], now[step], compare, here)


def _parts(value: JsonValue, compare: Compare) -> dict[str, JsonValue] | None:
    """What is compared one by one, by how a path goes on there; None for what is compared as a whole."""
    if isinstance(value, dict):
        return {_step(name): item for name, item in value.items()}
    if isinstance(value, list) and compare is Compare.VALUES:
        return {f"[{index}]": item for index, item in enumerate(value)}
    return None


def _step(name: str) -> str:
    return f".{name}" if _PLAIN_NAME.fullmatch(name) else f"[{json.dumps(name)}]"


def _same(recorded: JsonValue, observed: JsonValue, compare: Compare) -> bool:
    if compare is Compare.VALUES:
        return json_equal(well_formed_value(recorded), well_formed_value(observed))
    return argument_shape(recorded) == argument_shape(observed)


def _arguments(call: ToolCall) -> JsonValue:
    return {} if call.arguments is None else call.arguments


def _call_text(call: ToolCall | None, compare: Compare) -> str:
    if call is None:
        return "no call"
    arguments = "" if compare is Compare.NAMES else f" {_text(_arguments(call), compare)}"
    return f"{quote(call.name, 80)}{arguments}"


def _text(value: JsonValue, compare: Compare) -> str:
    text = json.dumps(value, ensure_ascii=False) if compare is Compare.VALUES else argument_shape(value)
    return mark_controls(shorten(text, 160))


def _type_name(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "number"
