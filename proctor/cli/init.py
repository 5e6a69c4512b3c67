"""``init``: settings, a first suite, and an agent that it passes with. Overwrites nothing."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from proctor.cli.output import say
from proctor.cli.schemas import read_schema
from proctor.errors import UsageError

EXAMPLE = "Example: proctor init"

_FILES: Final = ("prefect.toml", "evals/hello.suite.yaml", "evals/hello/greeting.yaml", "evals/hello_agent.py")
_SETTINGS: Final = '[tool.proctor]\nspecs = ["evals"]\n'


def init(
    folder: Annotated[Path | None, typer.Argument(help="The project's root; the working folder by default.")] = None,
) -> None:
    """Set up a project: [tool.proctor] in pyproject.toml, prefect.toml, and a first suite that runs offline."""
    root = folder or Path.cwd()
    try:
        root.mkdir(parents=True, exist_ok=True)
        _write_settings(root / "pyproject.toml")
        for name in _FILES:
            _write(root / name, (files("proctor.cli") / "starter" / name).read_text(encoding="utf-8"))
        _write(root / "evals" / "suite.schema.json", json.dumps(read_schema("suite"), indent=2) + "\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{root / 'pyproject.toml'} is not UTF-8 text", hint="save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"{root} cannot be set up: {error.strerror or error}") from error
    say("next: proctor run evals/hello.suite.yaml")


def _write_settings(path: Path) -> None:
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if "[tool.proctor" in before:
        say(f"kept     {path} ([tool.proctor] is there)")
        return
    path.write_text(f"{before.rstrip()}\n\n{_SETTINGS}" if before.strip() else _SETTINGS, encoding="utf-8")
    say(f"{'extended' if before else 'wrote   '} {path}")


def _write(path: Path, text: str) -> None:
    if path.exists():
        say(f"kept     {path}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    say(f"wrote    {path}")
