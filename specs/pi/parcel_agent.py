"""The agent under test: the desk of a parcel service, with any model; the scripted one needs no network.

When the traces were recorded, `reschedule` took a day. Now it takes a number of days to wait, and the desk has changed
with it: one of the two replays shows that.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

SCRIPTED = "scripted"
PROMPT = Path(__file__).with_name("prompt.txt")
_NUMBER = re.compile(r"\bP-\d+")


def find_parcel(number: str) -> dict[str, str]:
    """Look a parcel up by its number, such as P-1042."""
    raise RuntimeError(f"a replay never asks the real service for {number}")


def reschedule(number: str, wait_days: int) -> dict[str, str]:
    """Have a parcel wait for some days before it is delivered."""
    raise RuntimeError(f"a replay never moves {number} by {wait_days}")


def agent(model: str = SCRIPTED) -> Agent:
    """Build the agent."""
    return Agent(
        FunctionModel(_respond, model_name=SCRIPTED) if model == SCRIPTED else model,
        instructions=PROMPT.read_text(encoding="utf-8"),
        tools=[find_parcel, reschedule],
    )


def _respond(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Do what a model would do: look the parcel up, move it if that is the wish, and tell how it stands."""
    said = str(getattr(messages[0].parts[-1], "content", ""))
    number = _NUMBER.search(said)
    if number is None:
        return ModelResponse([TextPart("What is the number of your parcel?")])
    done = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    if not done:
        return _call("find_parcel", {"number": number[0]})
    if "later" in said and len(done) == 1:
        return _call("reschedule", {"number": number[0], "wait_days": 2})
    return ModelResponse([TextPart(f"Your parcel {number[0]}: {done[-1].content}")])


def _call(tool: str, arguments: dict[str, Any]) -> ModelResponse:
    return ModelResponse([ToolCallPart(tool, arguments)])
