"""What a path means: a suite file, one bare file, a folder of them, or the project's own transcript folders."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from proctor.config import Project
from proctor.errors import Problem, Severity, SpecError, UsageError
from proctor.excerpt import shorten
from proctor.formats import FORMATS, format_of
from proctor.formats.discovery import expand, spec_files, suite_files
from proctor.formats.suite import Suite, is_suite, load_suite
from proctor.formats.yaml_reader import Document
from proctor.plan import SELF_TEST
from proctor.wording import listed

_ENDINGS: Final = "spec files end in .yaml or .yml, data sets in .jsonl, transcripts in .json"


@dataclass(slots=True)
class Target:
    """A spec before its files are read. ``implicit``: there is no suite file; ``suite`` is then all defaults.

    ``document`` is the suite file with its places.
    """

    path: Path
    files: list[Path]
    suite: Suite = field(default_factory=lambda: Suite(specs=["."]))
    problems: list[Problem] = field(default_factory=list)
    implicit: bool = True
    document: Document | None = None

    @property
    def base(self) -> Path:
        """The folder that relative paths in the spec start from."""
        return self.path if self.path.is_dir() else self.path.parent


def find_target(path: Path | None, project: Project) -> Target:
    """Find the files of a spec. None means the folders of ``[tool.agent_eval] yaml_dirs``.

    Raises:
        UsageError: nothing is there, or a folder holds suites, which must be named one by one.
        SpecError: the suite file itself cannot be used.
    """
    if path is None:
        return _project_target(project)
    if is_suite(path) and path.is_file():
        return _suite_target(path)
    if path.is_dir():
        return _folder_target(path)
    if not path.exists():
        raise UsageError(f"{path} does not exist", hint="name a suite file, a spec file, or a folder of them")
    if not path.is_file() or format_of(path) is None:
        known = ", ".join(sorted({suffix for format_ in FORMATS for suffix in format_.suffixes}))
        raise UsageError(f"{path} is not a spec file", hint=f"spec files end in {known} or .suite.yaml")
    return Target(path, [path])


def slug_of(name: str) -> str:
    """The name in lower-case letters, digits and single hyphens; ``spec`` if nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "spec"


def spec_slug(path: Path) -> str:
    """The slug of a suite file (its name inside, if it can be read), a bare file, or a folder."""
    if is_suite(path):
        suite = _read_suite(path)[0] if path.is_file() else None
        return slug_of(suite.name if suite and suite.name else re.sub(r"\.suite\.ya?ml$", "", path.name))
    return slug_of(path.name if path.is_dir() else path.stem)


def shown(path: Path) -> Path:
    """The path as the user would type it: relative to the working folder where it is below it."""
    absolute, here = Path(os.path.abspath(path)), Path.cwd()  # noqa: PTH100 - a link keeps its own name
    try:
        return absolute.relative_to(here)
    except ValueError:
        return path


def _project_target(project: Project) -> Target:
    folders = [project.root / name for name in project.agent_eval.yaml_dirs]
    files = sorted({file for folder in folders if folder.is_dir() for file in spec_files(folder)})
    if not files:
        names = ", ".join(str(folder) for folder in folders) or "no folder"
        raise UsageError(
            f"no spec file found in {names}", hint="name a path, or list folders in [tool.agent_eval] yaml_dirs"
        )
    return Target(project.root, files)


def _folder_target(folder: Path) -> Target:
    suites = suite_files(folder)
    if suites:
        names = listed([str(path) for path in suites], 5)
        raise UsageError(f"{folder} holds suite files", hint=f"name one of them: {names}")
    files = spec_files(folder)
    if not files:
        raise UsageError(f"no spec file found in {folder}", hint=f"{_ENDINGS} (lower case)")
    return Target(folder, files)


def _suite_target(path: Path) -> Target:
    suite, document, problems = _read_suite(path)
    if suite is None:
        raise SpecError(problems)
    target = Target(path, [], suite, problems, implicit=False, document=document)
    for number, pattern in enumerate(suite.specs):
        try:
            found = expand(pattern, path.parent)
        except OSError:  # a name that the system does not take names nothing
            found = []
        if not found:
            target.problems.append(_no_specs(document, pattern, number, suite))
        target.files += [file for file in found if file not in target.files]
    if suite.judge and suite.judge.model == SELF_TEST and "purpose" in suite.model_fields_set:
        target.problems += _self_test_release(document, suite)
    return target


def _read_suite(path: Path) -> tuple[Suite | None, Document, list[Problem]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        problems = (Problem(shown(path), "unreadable", f"cannot be read: {error.strerror or error}"),)
        return None, Document(path, None, None, problems), list(problems)
    return load_suite(path, data)


def _no_specs(document: Document, pattern: str, number: int, suite: Suite) -> Problem:
    """An entry that names nothing. Where probes are planned, that is for the verdict: none of them has a transcript."""
    line, column = document.place(("specs", number))
    is_planned = bool(suite.brainbench.probes or suite.brainbench.rubric)
    hint = f"paths and globs are relative to the suite file; {_ENDINGS}"
    return Problem(
        document.path,
        "no_specs",
        f"{shorten(repr(pattern))} matches no spec file",
        line,
        column,
        f"specs[{number}]",
        hint,
        Severity.WARNING if is_planned else Severity.ERROR,
    )


def _self_test_release(document: Document, suite: Suite) -> list[Problem]:
    if suite.purpose != "release":
        return []
    line, column = document.place(("purpose",))
    message = "a release cannot be judged by the self-test judge, which is a rule and no model"
    hint = "write purpose: self-test, or name a model"
    return [Problem(document.path, "self_test_release", message, line, column, "purpose", hint)]
