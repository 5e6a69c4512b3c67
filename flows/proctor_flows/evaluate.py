"""Entry points for deployments: ``proctor_flows.evaluate.eval_<slug>``, one for each spec, made when it is asked for.

Specs are looked up below the folders of ``[tool.proctor] specs``, from the project root of the working folder. Only the
spec that was asked for is compiled, so one broken spec breaks no other. ``evaluate`` takes the path of any spec.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Failed

from proctor.config import load_project
from proctor.overrides import Overrides, PullRequest
from proctor.real_path import real_path
from proctor_flows.compile import NO_OVERRIDES, EvalFlow, compile_spec
from proctor_flows.lookup import spec_named

_PREFIX = "eval_"


@flow(name="evaluate", description="Evaluates any spec of the project with Proctor.", persist_result=False)
async def evaluate(
    spec: str,
    overrides: Overrides = NO_OVERRIDES,
    pull_request: PullRequest | None = None,
) -> State[Any]:
    """Evaluate the spec at a path below the project's root. No other: a suite names code that is run."""
    project = load_project(Path.cwd())
    path = real_path(project.root / spec)
    if not path.is_relative_to(project.root):
        return Failed(name="Invalid spec", message=f"{spec} is not below the project's root {project.root}")
    return await compile_spec(path).fn(overrides, pull_request)


def __getattr__(name: str) -> EvalFlow:
    if not name.startswith(_PREFIX):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    project = load_project(Path.cwd())
    return compile_spec(spec_named(name.removeprefix(_PREFIX).replace("_", "-"), project))
