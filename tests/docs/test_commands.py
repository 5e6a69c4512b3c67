"""The commands of the documentation, and the examples of ``--help``, are run in a copy of the project."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import doc_pages
import pytest
from doc_pages import PAGES, Command, Ended, page_name
from typer.main import get_command
from typer.testing import CliRunner

from proctor.cli.app import app

pytestmark = pytest.mark.requires("git")

DOCUMENTED_CODES = {"proctor server status": 3}
"""The examples in ``--help`` that end otherwise than with 0: no server runs here, and the help says 3 for that."""

NO_KEY = "rm -f evidence.pem evidence.pem.pub"
BEFORE = {
    "convert": ["run"],
    "export": ["run"],
    "keygen": [NO_KEY],
    "review": ["proctor run specs/brainbench/archive.suite.yaml --engine inline", "rm -f reviews.jsonl"],
    "sign": [NO_KEY, "keygen"],
    "verify": [NO_KEY, "keygen", "sign"],
}
"""What comes before the example of a command: a shell command, or the example of another one."""


def pages(*, engine: bool) -> list[Path]:
    return [page for page in PAGES if doc_pages.blocks(page, engine=engine)]


def check(wanted: list[Command], ended: list[Ended]) -> None:
    for command, result in zip(wanted, ended, strict=True):
        told = f"$ {command.line}\n{result.printed}"
        assert result.exit_code == command.exit_code, told
        assert "Traceback" not in result.printed, told
        assert command.printed is None or doc_pages.matches(result.printed, command.printed), told


def write_files(page: Path, copy: Path) -> None:
    for name, text in doc_pages.files(page):
        if not (copy / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(text, encoding="utf-8")


def at_free_port(command: Command) -> Command:
    """The command with a port of this machine in the place of Prefect's own, which may be taken."""
    return replace(
        command,
        line=command.line.replace("4200", str(PORT)),
        printed=command.printed and command.printed.replace("4200", str(PORT)),
    )


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


PORT = free_port()


def command_names(command: Any, path: str = "") -> Iterator[str]:
    """Every command as it is typed, without ``proctor``."""
    children = getattr(command, "commands", None)
    if children is None:
        yield path
    else:
        for name, child in children.items():
            yield from command_names(child, f"{path} {name}".strip())


def help_of(command: str) -> str:
    return CliRunner().invoke(app, [*command.split(), "--help"]).output


def example(command: str) -> str:
    """The command that the help of a command can be tried with."""
    (line,) = re.findall(r"^ *Example: (.*)$", help_of(command), re.MULTILINE)
    return str(line)


class TestPages:
    @pytest.mark.parametrize("page", pages(engine=False), ids=page_name)
    def test_every_command_ends_and_prints_as_the_page_says(self, page: Path, tmp_path: Path) -> None:
        copy = doc_pages.copy_project(tmp_path / "copy")
        write_files(page, copy)
        for wanted in doc_pages.blocks(page, engine=False):
            check(wanted, doc_pages.run([command.line for command in wanted], copy, tmp_path / "home"))

    @pytest.mark.engine
    @pytest.mark.parametrize("page", pages(engine=True), ids=page_name)
    def test_every_command_with_a_server_ends_and_prints_as_the_page_says(self, page: Path, tmp_path: Path) -> None:
        copy = doc_pages.copy_project(tmp_path / "copy")
        try:
            for block in doc_pages.blocks(page, engine=True):
                wanted = [at_free_port(command) for command in block]
                check(wanted, doc_pages.run([command.line for command in wanted], copy, tmp_path / "home"))
        finally:
            doc_pages.run(["proctor server stop"], copy, tmp_path / "home")

    @pytest.mark.parametrize("page", PAGES, ids=page_name)
    def test_a_file_of_the_project_is_quoted_as_it_is(self, page: Path) -> None:
        for name, text in doc_pages.files(page):
            path = doc_pages.ROOT / name
            assert not path.exists() or text in path.read_text(encoding="utf-8"), name


COMMANDS = sorted(command_names(get_command(app)))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with one run, so that there is something to report."""
    copy = doc_pages.copy_project(tmp_path_factory.mktemp("help") / "copy")
    check([Command(example("run"), None)], doc_pages.run([example("run")], copy, copy.parent / "home"))
    return copy


class TestHelp:
    @pytest.mark.parametrize("command", [name for name in COMMANDS if name != "server start"])
    def test_the_example_of_every_command_works_when_pasted(self, command: str, copy: Path) -> None:
        line = example(command)
        assert line.startswith(f"proctor {command}")
        lines = [example(each) if each in COMMANDS else each for each in BEFORE.get(command, [])] + [line]
        wanted = [Command(each, None, DOCUMENTED_CODES.get(each, 0)) for each in lines]
        check(wanted, doc_pages.run(lines, copy, copy.parent / "home"))

    def test_the_examples_around_a_server_are_those_of_the_page_that_is_run_with_one(self) -> None:
        page = doc_pages.blocks(doc_pages.ROOT / "docs" / "cli.md", engine=True)
        lines = [command.line for block in page for command in block if command.line.startswith("proctor server ")]
        assert lines == [example(f"server {verb}") for verb in ("start", "status", "stop")]

    @pytest.mark.parametrize("line", DOCUMENTED_CODES)
    def test_an_exit_code_other_than_0_is_in_the_help(self, line: str) -> None:
        assert f"else {DOCUMENTED_CODES[line]}." in help_of(line.removeprefix("proctor "))
