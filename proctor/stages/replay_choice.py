"""What a run does with recorded traces: a flag over the suite's ``replay:`` over defaults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.config import AgentBlock, Project
from proctor.errors import Problem, UsageError
from proctor.excerpt import quote
from proctor.formats.replay_block import PromptBlock, ReplayBlock
from proctor.overrides import Overrides
from proctor.plan import AgentSpec
from proctor.regular_file import read_regular
from proctor.replay import current_prompt
from proctor.replay_plan import Compare, CurrentPrompt, Policy, ReplayMode, ReplaySettings
from proctor.stages.merge import declared_agents
from proctor.stages.target import Target, shown

_OWN_MODEL = ("http", "command")
"""Kinds of agents that ask their model out of our reach."""


@dataclass(frozen=True, slots=True)
class ReplayChoice:
    """The settings for recorded traces, the agents that would replay them, and the problems of the suite's block."""

    settings: ReplaySettings
    agents: tuple[AgentSpec, ...] = ()
    problems: tuple[Problem, ...] = ()

    def settings_for(self, overrides: Overrides, *, has_traces: bool) -> ReplaySettings:
        """The settings for the cases of a run; the defaults where no trace is among them.

        Raises:
            UsageError: a replay is asked for, and there is nothing to replay, or no agent that can.
        """
        if not has_traces:
            if overrides.replay is not None:
                raise UsageError(
                    "this spec has no recorded trace to replay", hint="leave --replay out, or name a pi trace fixture"
                )
            return ReplaySettings()
        self._refuse_agents()
        return self.settings

    def _refuse_agents(self) -> None:
        mode = self.settings.mode
        if mode is ReplayMode.RECORDED:
            return
        if not self.agents:
            raise UsageError(
                f"a {mode} replay needs an agent, and none is declared",
                hint="pass --agent, declare agents: in the suite, or judge what is recorded with --replay recorded",
            )
        others = [f"{agent.name} ({agent.kind})" for agent in self.agents if agent.kind in _OWN_MODEL]
        if mode is ReplayMode.HARNESS and others:
            raise UsageError(
                f"a harness replay answers in the place of the model, which is out of reach here: {', '.join(others)}",
                hint="replay them live (--replay live), or name a pydantic-ai agent with --agent",
            )


def choose_replay(
    target: Target, project: Project, overrides: Overrides, agent: AgentBlock | None = None
) -> ReplayChoice:
    """Merge the settings for the recorded traces of a spec. Without a wish, agents replay them live if there are some.

    Raises:
        UsageError: an override names an agent that is not declared.
    """
    block = target.suite.replay
    agents = declared_agents(target.suite, project, overrides, agent)
    prompt, problems = _prompt(target, block)
    settings = ReplaySettings(
        mode=ReplayMode(overrides.replay or block.mode or ("live" if agents else "recorded")),
        compare=Compare(block.compare),
        on_divergence=Policy(block.on_divergence),
        on_drift=Policy(block.on_drift),
        prompt=prompt,
    )
    return ReplayChoice(settings, agents, tuple(problems))


def _prompt(target: Target, block: ReplayBlock) -> tuple[CurrentPrompt | None, list[Problem]]:
    if block.system_prompt is None:
        return None, []
    replacements, problems = _replacements(target, block)
    try:
        text = _text(target, block.system_prompt)
    except (OSError, UnicodeDecodeError) as error:
        problems.append(_problem(target, ("system_prompt",), "unreadable", f"cannot be read: {_why(error)}"))
        return None, problems
    return (None if problems else current_prompt(text, replacements)), problems


def _text(target: Target, block: PromptBlock) -> str:
    if block.file is None:
        return block.text or ""
    return read_regular(target.base / block.file).decode("utf-8")


def _why(error: OSError | UnicodeDecodeError) -> str:
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error.strerror or error)


def _replacements(target: Target, block: ReplayBlock) -> tuple[list[tuple[re.Pattern[str], str]], list[Problem]]:
    found: list[tuple[re.Pattern[str], str]] = []
    problems: list[Problem] = []
    for number, entry in enumerate(block.replace):
        try:
            pattern = re.compile(entry.pattern)
            re.sub(pattern, entry.replacement, "")
            found.append((pattern, entry.replacement))
        except (re.error, IndexError, RecursionError, OverflowError) as error:
            message = f"{quote(entry.pattern, 80)} cannot be replaced by {quote(entry.replacement, 80)}: {error}"
            problems.append(_problem(target, ("replace", number), "invalid_pattern", message))
    return found, problems


def _problem(target: Target, pointer: Sequence[str | int], code: str, message: str) -> Problem:
    where: tuple[str | int, ...] = ("replay", *pointer)
    line, column = (0, 0) if target.document is None else target.document.place(where)
    return Problem(shown(target.path), code, message, line, column, ".".join(map(str, where)))
