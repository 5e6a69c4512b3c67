"""Agents under test.

- `build_agent` makes an `Agent` of what a suite declares; `wrap_object` makes one of a Python object.
- `KINDS` names the kinds there are. A new kind is one module with a builder, and one line there.
- `fingerprint` says what an agent is made of, so that its answers can be reused; `check_agent` tries it out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from proctor.agents.base import (
    CONTRACT_VERSION,
    Agent,
    AgentOutage,
    AgentReply,
    Message,
    ModelHost,
    Session,
    ToolHost,
    failed_usage,
)
from proctor.agents.check import Finding, Level, check_agent
from proctor.agents.command_agent import build_command_agent
from proctor.agents.fingerprint import Fingerprint, fingerprint
from proctor.agents.http_agent import build_http_agent
from proctor.agents.python_agent import build_python_agent, wrap_object
from proctor.errors import AgentSetupError
from proctor.plan import AgentSpec

__all__ = [
    "CONTRACT_VERSION",
    "KINDS",
    "Agent",
    "AgentOutage",
    "AgentReply",
    "Finding",
    "Fingerprint",
    "Level",
    "Message",
    "ModelHost",
    "Session",
    "ToolHost",
    "build_agent",
    "check_agent",
    "failed_usage",
    "fingerprint",
    "wrap_object",
]

KINDS: dict[str, Callable[[AgentSpec, Path], Agent]] = {
    "python": build_python_agent,
    "http": build_http_agent,
    "command": build_command_agent,
}
"""The builder of each kind of agent. It gets the declaration and the project root."""


def build_agent(spec: AgentSpec, root: Path) -> Agent:
    """Build a declared agent. Raises AgentSetupError when it cannot be."""
    builder = KINDS.get(spec.kind)
    if builder is None:
        raise AgentSetupError(
            f"the agent {spec.name} is of an unknown kind {spec.kind!r}", hint=f"the kinds are {', '.join(KINDS)}"
        )
    return builder(spec, root)
