"""A user's project in a temporary folder, and the real command run in it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proctor.cli import main

SETTINGS = '[tool.proctor]\nspecs = ["evals"]\nengine = "inline"\n'

AGENT = """
from pathlib import Path

CALLS = Path({calls!r})


def called(text):
    with CALLS.open("a", encoding="utf-8") as file:
        file.write(text.replace("\\n", " ") + "\\n")


async def agent(messages):
    said = messages[-1]["content"]
    called(said)
    {answer}
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The document on standard output."""
        return json.loads(self.out)


class UserProject:
    """A project with an agent ``shop:agent`` that writes down what it was asked, outside of the project."""

    def __init__(self, root: Path, calls: Path) -> None:
        self.root = root
        self._calls = calls
        self.write("pyproject.toml", SETTINGS)
        self.agent()

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file as it is: no line end is changed."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def agent(self, answer: str = 'return "You said " + said, []', before: str = "") -> Path:
        """Write the agent; ``answer`` is its last statement."""
        return self.write("shop.py", before + AGENT.format(calls=str(self._calls), answer=answer))

    def case(self, name: str, more: str = "", user: str = "hello") -> Path:
        """Write a transcript of one turn."""
        return self.write(f"evals/{name}.yaml", f"id: {name}\nturns:\n- user: {user}\n{more}")

    def suite(self, more: str = "", name: str = "shop") -> Path:
        """Write a suite over all transcripts."""
        text = f"specs: ['*.yaml']\nagents: {{shop: 'shop:agent'}}\n{more}"
        return self.write(f"evals/{name}.suite.yaml", text)

    def forget_modules(self) -> None:
        """Import the agent anew next time."""
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(str(self.root)):
                del sys.modules[name]

    @property
    def calls(self) -> list[str]:
        """What the agent was asked, call by call."""
        return self._calls.read_text(encoding="utf-8").splitlines() if self._calls.exists() else []

    def forget_calls(self) -> None:
        """Begin to count calls anew."""
        self._calls.unlink(missing_ok=True)

    def proctor(self, *arguments: str | Path) -> Ended:
        """Run the command in this process, from the project's root. No traceback may ever be seen."""
        return self.proctor_in(self.root, *arguments)

    def proctor_in(self, folder: Path, *arguments: str | Path) -> Ended:
        """Run the command in a folder."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with _as_started(folder, arguments), redirect_stdout(out), redirect_stderr(err):
            try:
                main()
                code: Any = 0
            except SystemExit as end:
                code = end.code or 0
        self.forget_modules()
        ended = Ended(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))
        assert "Traceback" not in ended.err, ended.err
        assert "internal error" not in ended.err, ended.err
        return ended

    def run(self, *arguments: str | Path) -> Ended:
        """``proctor run`` on the suite, or on what is named."""
        return self.proctor("run", *(arguments or ("evals/shop.suite.yaml",)))

    def start(self, *arguments: str | Path, **variables: str) -> subprocess.Popen[bytes]:
        """Start the command as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "proctor", *map(str, arguments)],
            cwd=self.root,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def report(self, kind: str = "json", slug: str = "shop") -> Path:
        """The newest report of a kind."""
        names = {"json": "report.json", "html": "report.html", "markdown": "report.md", "junit": "junit.xml"}
        return max((self.root / ".proctor" / "reports" / slug).glob(f"*/{names[kind]}"), key=lambda path: path.parent)

    def results(self, slug: str = "shop") -> Any:
        """The newest JSON report."""
        return json.loads(self.report(slug=slug).read_text(encoding="utf-8"))


@contextmanager
def _as_started(folder: Path, arguments: tuple[str | Path, ...]) -> Iterator[None]:
    """Arguments and working folder of a fresh process."""
    before = sys.argv, sys.path[:], Path.cwd()
    sys.argv = ["proctor", *map(str, arguments)]
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before[2])
        sys.argv, sys.path[:] = before[:2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[UserProject]:
    """Make a project whose settings are its own, with no key of any provider in the environment."""
    for name in list(os.environ):
        if name.startswith(("PROCTOR_", "OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")  # lines are folded there, in every terminal and worker
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it is told apart by the second only
    monkeypatch.setattr(sys, "path", sys.path[:])
    root = tmp_path / "project"
    root.mkdir()
    made = UserProject(root, tmp_path / "calls.txt")
    yield made
    made.forget_modules()
