"""Writes report files: all of them in one pass over the cases, each one complete or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TextIO

from proctor.errors import CouldNotEvaluate, UsageError
from proctor.results import RunResults
from proctor_reports.contract import Format, Report

FORMATS: Mapping[str, Format] = {
    "html": Format("report.html", "proctor_reports.html"),
    "markdown": Format("report.md", "proctor_reports.markdown"),
    "junit": Format("junit.xml", "proctor_reports.junit"),
    "json": Format("report.json", "proctor_reports.json_report"),
    "scorecard": Format("scorecard.json", "proctor_reports.scorecard"),
    "agent-card": Format("agent-card.md", "proctor_reports.agent_card"),
}
"""Every report format by its name."""


def write_reports(results: RunResults, directory: Path, formats: Sequence[str]) -> dict[str, Path]:
    """Write the reports of a run into a folder, which is made if needed; format name → path.

    Older reports stay as they are until the new ones are complete. An unknown format is a UsageError, a folder that
    cannot be written to is CouldNotEvaluate. No format writes nothing.
    """
    paths = {name: directory / FORMATS[name].file for name in _known(formats)}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _write_all(results, paths)
    except OSError as error:
        raise CouldNotEvaluate(
            f"the reports cannot be written to {directory}: {error.strerror or error}",
            hint="make that folder writable, or name another one for the reports",
        ) from error
    return paths


def _known(formats: Sequence[str]) -> Sequence[str]:
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UsageError(
            f"there is no report format {', '.join(map(repr, unknown))}", hint=f"the formats are {', '.join(FORMATS)}"
        )
    return formats


def _write_all(results: RunResults, paths: Mapping[str, Path]) -> None:
    files = {name: path.name for name, path in paths.items()}
    with ExitStack() as stack:
        reports: list[Report] = []
        for name, path in paths.items():
            out = stack.enter_context(_replacing(path))
            reports.append(import_module(FORMATS[name].module).open_report(out, results.summary, files))
        for detail in results.cases():
            for report in reports:
                report.add(detail)
        for line in results.rows():
            for report in reports:
                report.add_row(line)
        for report in reports:
            report.finish()


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """Open a file beside ``path`` that takes its place when the block ends well, and vanishes otherwise."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        # The only characters that UTF-8 cannot encode are lone surrogates, and their backslash form is what JSON
        # wants. The other formats have marked them before.
        with temporary.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            yield out
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
