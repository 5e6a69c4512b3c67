"""A judge's replies in the provider's message form: the call of a tool, the one retry, and what the replies cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Generic, TypeAlias, TypeVar

from proctor.brainbench.facts import Tokens
from proctor.brainbench.judging.defects import Defect, Flaw
from proctor.brainbench.prices import JUDGE_PRICE

REQUESTS: Final = 2
"""How often a judge is asked: a reply that cannot be read is asked for once more."""

Message: TypeAlias = Mapping[str, Any]
"""A reply as the provider sends it: ``content`` is a list of blocks, ``usage`` counts tokens. Nothing of it is sure."""

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Asked(Generic[Read]):
    """What came of asking: the first reply that could be read, the flaws of those before it, the tokens of all."""

    answer: Read | None
    flaws: tuple[Flaw, ...]
    requests: int
    tokens: Tokens

    @property
    def defects(self) -> tuple[Defect, ...]:
        """The defect of each reply that could not be read."""
        return tuple(flaw.defect for flaw in self.flaws)

    @property
    def why_none(self) -> str:
        """Why there is no answer."""
        return "; ".join(flaw.text for flaw in self.flaws) or "there is no reply"

    @property
    def cost_usd(self) -> Decimal:
        """The price of all replies."""
        return JUDGE_PRICE.of(self.tokens)


def read_replies(replies: Sequence[Message], read: Callable[[Message], Read | Flaw]) -> Asked[Read]:
    """Read the replies to one question in order, up to the first that can be read, and two at most."""
    flaws: list[Flaw] = []
    answer: Read | None = None
    requests = 0
    for reply in replies[:REQUESTS]:
        requests += 1
        found = read(reply)
        if not isinstance(found, Flaw):
            answer = found
            break
        flaws.append(found)
    taken = replies[:requests]
    tokens = Tokens(_tokens(taken, "input_tokens"), _tokens(taken, "output_tokens"))
    return Asked(answer, tuple(flaws), requests, tokens)


def called_with(reply: Message, tool: str, what_to_do: str) -> Mapping[str, Any] | Flaw:
    """The arguments of the first call of a tool; further calls do not count. ``what_to_do`` closes a flaw's text."""
    call = next((block for block in _blocks(reply) if _is_call(block, tool)), None)
    if call is None:
        return Flaw(Defect.NO_TOOL_USE, f"the reply has no call of {tool}; {what_to_do}")
    arguments = call.get("input")
    if isinstance(arguments, Mapping):
        return arguments
    return Flaw(Defect.INPUT_NOT_OBJECT, f"the arguments of {tool} are no object; {what_to_do}")


def _blocks(reply: Message) -> Iterator[Mapping[str, Any]]:
    content = reply.get("content")
    blocks = content if isinstance(content, list) else []
    return (block for block in blocks if isinstance(block, Mapping))


def _is_call(block: Mapping[str, Any], tool: str) -> bool:
    return block.get("type") == "tool_use" and block.get("name") == tool


def _tokens(replies: Sequence[Message], name: str) -> int:
    usages = (reply.get("usage") for reply in replies)
    counts = (usage.get(name) for usage in usages if isinstance(usage, Mapping))
    return sum(count for count in counts if isinstance(count, int) and not isinstance(count, bool) and count > 0)
