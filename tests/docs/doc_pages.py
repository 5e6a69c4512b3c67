"""The pages of the documentation as something that can be run.

A ``console`` block holds commands (lines that begin with ``$ ``) and, after each, what it prints; ``…`` stands for any
text. A block whose first line is a comment with a path is that file, or a part of it. An HTML comment before a block
says what is special: ``<!-- test: exit 1 -->`` is the exit code of its last command, ``<!-- test: engine -->`` means
that it needs a Prefect server, ``<!-- test: skip, because … -->`` that it cannot be run here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOREIGN_SETTINGS = ("PROCTOR_", "PREFECT_", "OPENAI_", "ANTHROPIC_", "GIT_")

_BLOCK = re.compile(
    r"^(?:<!-- test: (?P<test>.*?) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_PATH = re.compile(r"# ([\w./-]+\.\w+)\n")


@dataclass(frozen=True, slots=True)
class Command:
    """A command, what it should print (None: not said), and its exit code."""

    line: str
    printed: str | None
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it printed on both streams."""

    exit_code: int
    printed: str


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, *, engine: bool) -> list[list[Command]]:
    """The commands of a page by block: those that need a server, or those that do not."""
    return [
        list(_commands(text, int(test.removeprefix("exit ")) if test.startswith("exit ") else 0))
        for test, language, text in _BLOCK.findall(page.read_text(encoding="utf-8"))
        if language == "console" and not test.startswith("skip") and (test == "engine") is engine
    ]


def _commands(text: str, exit_code: int) -> Iterator[Command]:
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    for line, printed in zip(parts[::2], parts[1::2], strict=True):
        is_last = printed is parts[-1]
        yield Command(line, printed.strip() or None, exit_code if is_last else 0)


def files(page: Path) -> list[tuple[str, str]]:
    """The files that a page shows, by path."""
    shown = [text for _, language, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if language != "console"]
    return [(found[1], text[found.end() :]) for text in shown if (found := _PATH.match(text))]


def copy_project(folder: Path) -> Path:
    """Copy what git tracks, or would not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def environment(home: Path) -> dict[str, str]:
    """An environment without anybody's settings, with the programs of this environment first on the path."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN_SETTINGS)}
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return own | {"PATH": programs, "HOME": str(home), "PREFECT_HOME": str(home), "COLUMNS": "100", "NO_COLOR": "1"}


def run(lines: list[str], folder: Path, home: Path) -> list[Ended]:
    """Run the commands of a block in one shell, so that ``cd`` and ``export`` stay."""
    home.mkdir(exist_ok=True)
    outputs = [home / f"{number}.out" for number in range(len(lines))]
    script = "".join(
        f"{{ {line}\n}} >'{output}' 2>&1; echo $? >'{output}.code'\n"
        for line, output in zip(lines, outputs, strict=True)
    )
    subprocess.run(["bash", "-c", script], cwd=folder, env=environment(home), check=True, timeout=300)
    return [Ended(int(Path(f"{output}.code").read_text()), output.read_text(encoding="utf-8")) for output in outputs]


def matches(printed: str, wanted: str) -> bool:
    """Whether a text is what was wanted, where ``…`` stands for any text."""
    return re.fullmatch(".*?".join(map(re.escape, wanted.split("…"))), printed.strip(), re.DOTALL) is not None
