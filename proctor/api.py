"""The Python API: `evaluate` runs a spec in this process and gives its results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.config import AgentBlock, Project, agent_block, load_project
from proctor.overrides import Overrides
from proctor.results import RunResults, Summary
from proctor.stages.run import Given

if TYPE_CHECKING:
    from pydantic_ai.models import Model


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `evaluate` found: the results, which stream from the store, and the paths of the reports by format."""

    results: RunResults
    reports: Mapping[str, Path]

    @property
    def summary(self) -> Summary:
        """Decision, gates, counts."""
        return self.results.summary

    @property
    def passed(self) -> bool:
        """Whether every gate is met and every case outside a gate passed."""
        return self.summary.exit_code == 0


def evaluate(
    spec: str | Path | None,
    agent: object = None,
    *,
    judge: str | Callable[[str], Model] | None = None,
    overrides: Overrides | None = None,
    project: Project | None = None,
) -> Evaluation:
    """Evaluate a spec with the inline engine.

    Args:
        spec: a suite file, a spec file or a folder; None means the project's own transcript folders.
        agent: an import string, a URL, the name of a declared agent, or an object: a pydantic-ai agent, a callable
            ``(messages) -> (reply, tool_calls)``, or a factory of one. None: as the suite or the project says.
        judge: a model string, or a callable that makes a pydantic-ai model of one.
        overrides: what else to change.
        project: the project and its settings; found from the path of the spec by default.

    Raises:
        SpecError: the spec is invalid; it carries every problem.
        UsageError: an argument cannot be used.
        CouldNotEvaluate: the run stopped before its end.
    """
    return asyncio.run(evaluate_async(spec, agent, judge=judge, overrides=overrides, project=project))


async def evaluate_async(
    spec: str | Path | None,
    agent: object = None,
    *,
    judge: str | Callable[[str], Model] | None = None,
    overrides: Overrides | None = None,
    project: Project | None = None,
) -> Evaluation:
    """`evaluate`, for callers that have an event loop. The agent is called in that loop."""
    from proctor_flows.inline import evaluate_inline
    from proctor_flows.pipeline import Request, open_project_store

    path = None if spec is None else Path(spec)
    project = project or load_project(path or Path.cwd())
    changed, block, given = _agent(agent, overrides or Overrides())
    if isinstance(judge, str):
        changed = changed.model_copy(update={"judge": judge})
    elif judge is not None:
        given = Given(given.agent, judge)
    # What an object is made of cannot be told, so a run with one never goes on with an earlier run.
    request = Request(path, project, changed, agent=block, given=given, fresh=given.agent is not None)
    with open_project_store(project) as store:
        finished = await evaluate_inline(request, store)
    return Evaluation(finished.results, finished.reports)


def _agent(agent: object, overrides: Overrides) -> tuple[Overrides, AgentBlock | None, Given]:
    """The agent as an override (a declared name), a declaration, or an object."""
    if agent is None:
        return overrides, None, Given()
    if not isinstance(agent, str):
        from proctor.agents import wrap_object

        return (
            overrides,
            AgentBlock(python=_name_of(agent)).model_copy(update={"version": _version_of(agent)}),
            Given(agent=wrap_object(agent)),
        )
    block = agent_block(agent)
    return (overrides if block else overrides.model_copy(update={"agent": agent})), block, Given()


def _version_of(agent: object) -> str | None:
    """The version that an object declares of itself; with one, its answers may be reused by later runs."""
    version = getattr(agent, "version", None)
    return version if isinstance(version, str) else None


def _name_of(agent: Any) -> str:
    named = agent if hasattr(agent, "__qualname__") else type(agent)
    return f"{named.__module__}:{named.__qualname__}"
