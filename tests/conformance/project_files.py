"""The project that a vector is run in: its pyproject.toml, and a store that all vectors share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_QUICK = {"report": {"formats": ["json"]}, "concurrency": 1, "judge": {"backoff": 0}}


def write_settings(root: Path, agent_eval: Mapping[str, Any] | None = None, *, upstream: bool = False) -> None:
    """Write ``[tool.proctor]`` for quick, ordered runs, and ``[tool.agent_eval]`` in front of what is there already."""
    path = root / "pyproject.toml"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    own = {**_QUICK, "compat": "upstream" if upstream else "strict"}
    own = {key: value for key, value in own.items() if value is not None}
    lines = ["[tool.proctor]", *(f"{key} = {toml(value)}" for key, value in own.items())]
    if agent_eval:
        lines += ["[tool.agent_eval]", *(f"{key} = {toml(value)}" for key, value in agent_eval.items())]
    path.write_text("\n".join(lines) + "\n" + before, encoding="utf-8")


def toml(value: Any) -> str:
    """A value in TOML, tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, str) else repr(value)
