"""The refusal of agents whose model cannot be answered for."""

from __future__ import annotations

from proctor.agents.base import ModelHost
from proctor.errors import AgentSetupError


def refuse_model(model: ModelHost | None, agent: str) -> None:
    """Do nothing without a model host. ``agent`` is how the message begins.

    Raises AgentSetupError: a recording cannot take the place of the agent's model.
    """
    if model is not None:
        raise AgentSetupError(
            f"{agent} asks its model out of our reach, so a recording cannot answer in the model's place",
            hint="replay it live (mode: live below replay: in the suite, or --replay live), or name a pydantic-ai one",
        )
