"""What a run was made of, for its report: versions, commit, digests. Plain data."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from proctor.agents import Fingerprint
from proctor.dataset import RowSettings
from proctor.jsonvalue import digest
from proctor.plan import JudgeSettings, Plan
from proctor.replay_plan import ReplaySettings
from proctor.trajectory import JsonValue

_PACKAGES = ("proctor-evals", "prefect", "pydantic-ai-slim", "pydantic")


def provenance(plan: Plan, prints: Mapping[str, Fingerprint]) -> dict[str, JsonValue]:
    """The facts of a run. Nothing here changes a verdict."""
    return {
        "spec_digest": digest([[source.name, source.digest] for source in plan.sources]),
        "agents": {name: found.digest for name, found in prints.items()},
        "judge": _judge(plan.judge),
        **_dataset(plan),
        **_replay(plan),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "python": platform.python_version(),
        "commit": _commit(plan.root),
    }


def _judge(judge: JudgeSettings) -> dict[str, JsonValue]:
    """How judges are asked; the settings that are not set are left out."""
    named: dict[str, JsonValue] = {
        "panel": list(judge.panel),
        "base_url": judge.base_url,
        "max_tokens": judge.max_tokens,
        "temperature": judge.temperature,
    }
    plain: dict[str, JsonValue] = {"model": judge.model, "retries": judge.retries, "timeout_s": judge.timeout_s}
    return plain | {name: value for name, value in named.items() if value not in (None, [])}


def _dataset(plan: Plan) -> dict[str, JsonValue]:
    if plan.dataset is None:
        return {}
    files: dict[str, JsonValue] = {source.name: source.digest for source in plan.sources if source.spans}
    required: list[JsonValue] = [*plan.dataset.required]
    return {"datasets": files, "required_dimensions": required, "budgets": _budgets(plan.dataset.row)}


def _replay(plan: Plan) -> dict[str, JsonValue]:
    """How recorded traces are replayed, if it is not as usual, and whether their prompt was changed before."""
    if plan.replay == ReplaySettings():
        return {}
    facts: dict[str, JsonValue] = asdict(plan.replay)
    return {"replay": facts}


def _budgets(row: RowSettings) -> dict[str, JsonValue]:
    """What the project says of rows without a budget of their own; decimals as texts, exactly."""
    price = row.price and f"{row.price.input_per_mtok} in, {row.price.output_per_mtok} out"
    named = {"cost_usd": row.cost_budget_usd, "latency_ms": row.latency_budget_ms, "price": price}
    return {name: str(value) for name, value in named.items() if value is not None}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit(root: Path) -> str | None:
    """The commit of the working tree, with ``-dirty`` if something tracked is not committed; None outside of git."""
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return None
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None
