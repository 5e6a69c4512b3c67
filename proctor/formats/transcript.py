"""The pytest-agent-eval transcript (YAML, one case a file): load, lint, and make the case with its checks.

The rules are those of pytest-agent-eval 0.3.0; where Proctor differs on purpose, docs/formats/transcript.md says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from proctor.checks.arguments import ToolArgumentsEqual, ToolArgumentsJudged
from proctor.checks.judged import ReplyJudged
from proctor.checks.reply import ReplyContains, ReplyMatches
from proctor.checks.tools import ToolsExcluded, ToolsIncluded
from proctor.errors import Problem, Severity
from proctor.formats.base import Defaults, Loaded
from proctor.formats.pointers import Pointer, pointer_text
from proctor.formats.problems import model_problems, read_as
from proctor.formats.suite import is_suite
from proctor.formats.transcript_model import Expect, ToolArguments, Transcript, TurnBlock
from proctor.formats.yaml_reader import Dialect, Document, read_yaml, reads_the_same
from proctor.plan import Case, Check, Outline, Turn
from proctor.statistics.threshold import needed_passes

MARKER: Final = "agent_eval"
"""The pytest marker that every transcript carries in pytest-agent-eval; groups may select it."""


class TranscriptFormat:
    """Transcripts of pytest-agent-eval."""

    name = "transcript"
    title = "pytest-agent-eval transcript"
    rules_version = 1
    suffixes = (".yaml", ".yml")
    model: type[BaseModel] = Transcript

    def claims(self, path: Path) -> bool:
        """Every lower-case .yaml and .yml file that is not a suite."""
        return path.suffix in self.suffixes and not is_suite(path)

    def recognises(self, data: bytes) -> bool:
        """Both required keys begin a line."""
        return all(re.search(rb"^%s\s*:" % key, data, re.MULTILINE) for key in (b"id", b"turns"))

    def load(self, path: Path, data: bytes, defaults: Defaults) -> Loaded:
        """Read one file. A file with errors gives no case."""
        document = read_yaml(path, data, Dialect.YAML_1_1)
        if document.root is None and document.problems:
            return Loaded((), document.problems)
        try:
            transcript = Transcript.model_validate(document.value)
        except ValidationError as error:
            return Loaded((), (*document.problems, *model_problems(document, Transcript, error)))
        if document.problems:
            return Loaded((), document.problems)
        case = _case(document, transcript, defaults)
        return Loaded((case,), tuple(_lint(document, transcript, case.outline)))


def _case(document: Document, transcript: Transcript, defaults: Defaults) -> Case:
    turns = tuple(_turn(block, document.path, defaults) for block in transcript.turns)
    outline = Outline(
        key=transcript.id,
        id=transcript.id,
        runs=transcript.runs if transcript.runs is not None else defaults.runs,
        threshold=transcript.threshold if transcript.threshold is not None else defaults.threshold,
        line=document.place(("id",))[0],
        tags=tuple(transcript.tags),
        markers=(MARKER,),
        turns=len(turns),
        judges=tuple(
            check.model or ""
            for turn in turns
            for check in turn.checks
            if isinstance(check, ReplyJudged | ToolArgumentsJudged)
        ),
    )
    return Case(outline, turns)


def _turn(block: TurnBlock, path: Path, defaults: Defaults) -> Turn:
    audio = None if block.audio is None else _audio(block.audio, path.parent)
    checks = tuple(_checks(block.expect, defaults)) if block.expect else ()
    return Turn(block.user, audio, checks)


def _audio(written: str, folder: Path) -> str:
    """The path next to the spec file. An address is no path: it stays as it was written."""
    return written if "://" in written else str(folder / written)


def _checks(expect: Expect, defaults: Defaults) -> Iterator[Check]:
    """The checks of one turn, in the order in which pytest-agent-eval reports them. Empty lists check nothing."""
    upstream = defaults.upstream
    if expect.tool_calls_include:
        yield ToolsIncluded(tuple(expect.tool_calls_include), expect.tool_calls_ordered)
    if expect.tool_calls_exclude:
        yield ToolsExcluded(tuple(expect.tool_calls_exclude))
    if expect.reply_contains_any:
        yield ReplyContains(tuple(expect.reply_contains_any), any=True, upstream=upstream)
    if expect.reply_contains_all:
        yield ReplyContains(tuple(expect.reply_contains_all), any=False, upstream=upstream)
    if expect.reply_matches_any:
        yield ReplyMatches(tuple(expect.reply_matches_any), any=True)
    if expect.reply_matches_all:
        yield ReplyMatches(tuple(expect.reply_matches_all), any=False)
    if expect.judge:
        yield ReplyJudged(expect.judge.rubric, expect.judge.model)
    for position, entry in enumerate(expect.tool_calls_args):
        yield from _argument_checks(position, entry, upstream)


def _argument_checks(position: int, entry: ToolArguments, upstream: bool) -> Iterator[Check]:
    if entry.args is not None:
        yield ToolArgumentsEqual(position, entry.tool, entry.args, entry.mode, upstream)
    if entry.judge:
        yield ToolArgumentsJudged(position, entry.tool, entry.judge.rubric, entry.judge.model)


def _lint(document: Document, transcript: Transcript, outline: Outline) -> Iterator[Problem]:
    """Warnings on a file that is valid, but probably does not say what its author means."""
    yield from _lint_threshold(document, transcript, outline)
    for number, turn in enumerate(transcript.turns):
        for position, entry in enumerate(turn.expect.tool_calls_args if turn.expect else ()):
            place: Pointer = ("turns", number, "expect", "tool_calls_args", position, "args")
            yield from _lint_arguments(document, place, entry.args)


def _lint_threshold(document: Document, transcript: Transcript, outline: Outline) -> Iterator[Problem]:
    needed = needed_passes(outline.runs, outline.threshold)
    if transcript.threshold is None or needed < outline.runs or outline.threshold == 1 or outline.runs == 1:
        return
    line, column = document.place(("threshold",))
    yield Problem(
        document.path,
        "threshold_means_all",
        f"{outline.threshold:g} of {outline.runs} runs means {needed} of {outline.runs}: every run must pass",
        line,
        column,
        "threshold",
        f"for {outline.runs - 1} of {outline.runs} write {_short_share(outline.runs - 1, outline.runs)}",
        Severity.WARNING,
    )


def _short_share(passed: int, total: int) -> str:
    """The shortest decimal, of two digits or more, that ``passed`` of ``total`` just reaches: 0.66 for 2 of 3."""
    shares = (f"{passed * 10**digits // total / 10**digits:.{digits}f}" for digits in range(2, 16))
    return next((share for share in shares if needed_passes(total, float(share)) == passed), f"{passed}/{total}")


def _lint_arguments(document: Document, pointer: Pointer, value: Any) -> Iterator[Problem]:
    """Scalars inside ``args`` that YAML 1.1 reads as something an agent cannot have sent as JSON text."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                text, line, column = document.odd_key(pointer, key) or (str(key), *document.place(pointer))
                message = f"the key {text!r} is read as {read_as(key)}; JSON keys are text"
                yield _surprise(document, pointer, message, text, line, column)
            yield from _lint_arguments(document, (*pointer, key), item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _lint_arguments(document, (*pointer, number), item)
    elif (written := document.plain_text(pointer)) and not reads_the_same(written):
        message = f"{written!r} is read as {read_as(value)}"
        yield _surprise(document, pointer, message, written, *document.place(pointer))


def _surprise(document: Document, pointer: Pointer, message: str, written: str, line: int, column: int) -> Problem:
    hint = f'put it in quotes if text is meant: "{written}"'
    return Problem(document.path, "read_as", message, line, column, pointer_text(pointer), hint, Severity.WARNING)
