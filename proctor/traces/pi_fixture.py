"""From a run of pi to a fixture: who recorded what, the turns, and assertions to begin with, in a new file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proctor.errors import Problem, UsageError
from proctor.excerpt import quote
from proctor.masking import Masker
from proctor.traces.base import Notes
from proctor.traces.pi_blocks import calls_of
from proctor.traces.pi_lines import PiReading
from proctor.traces.pi_masking import mask_turn
from proctor.traces.pi_prompt import prompt_hash
from proctor.traces.pi_session import PiRun, read_run
from proctor.whole_file import whole_file
from proctor.wording import listed

PROMPT_OPTION: Final = "--system-prompt FILE or --system-prompt-hash HASH"

_WRITER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_HASH: Final = re.compile(r"(?:sha256:)?[0-9A-Fa-f]{64}")


@dataclass(frozen=True, slots=True)
class PiOptions:
    """What a user says about a run that its file does not say, and how the file is to be read.

    ``fixture_id`` and ``scenario`` are by default the id and the name of the session. ``system_prompt`` is a file with
    the exact prompt; the prompt that the file holds is the default. ``environment``: variables whose values are masked
    if they are secrets.
    """

    fixture_id: str | None = None
    pi_version: str | None = None
    scenario: str | None = None
    system_prompt: Path | None = None
    system_prompt_hash: str | None = None
    leaf: str | None = None
    keep_failed: bool = False
    lenient: bool = False
    mask: bool = True
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class PiImported:
    """What came of an import. ``masked`` says what was masked, empty for nothing."""

    kind: str
    fixture_id: str
    turns: Counter[str]
    calls: int
    masked: str = ""
    warnings: tuple[Problem, ...] = ()


def import_run(path: Path, out: Path, options: PiOptions) -> PiImported:
    """Write the run in ``path`` as a fixture into the new file ``out``: as a whole, or not at all.

    Raises:
        SpecError: with all problems of the file.
        UsageError: something has to be said that the file does not say, ``out`` exists, or a file cannot be read or
            written.
    """
    _check_files(path, out)
    reading = PiReading(Notes(path), options.lenient, options.keep_failed)
    try:
        run = read_run(path, reading, options.leaf)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    masker = Masker(options.environment) if options.mask else None
    records = list(fixture_records(run, fixture_meta(run, options, reading.notes), masker))
    _write(records, out)
    roles = Counter(str(turn["role"]) for turn in run.turns)
    told = masker.told() if masker else ""
    return PiImported(run.kind, records[0]["fixtureId"], roles, len(_calls(run)), told, reading.notes.told())


def fixture_meta(run: PiRun, options: PiOptions, notes: Notes) -> dict[str, Any]:
    """The first record of the fixture.

    Raises:
        UsageError: naming every option that has to be given, as nothing is made up.
    """
    said = {
        "fixtureId": options.fixture_id if options.fixture_id is not None else run.session_id,
        "piAgentCoreVersion": options.pi_version,
        "scenario": options.scenario if options.scenario is not None else run.name,
        "systemPromptHash": _hash(run, options, notes),
    }
    needed = {
        "fixtureId": ("the id of the fixture", "--fixture-id"),
        "piAgentCoreVersion": ("the version of pi", "--pi-version"),
        "scenario": ("what the scenario is about", "--scenario"),
        "systemPromptHash": ("the system prompt", PROMPT_OPTION),
    }
    missing = [words for name, words in needed.items() if said[name] is None]
    if missing:
        what, options_ = zip(*missing, strict=True)
        raise UsageError(f"{notes.path} does not say {listed(what, 9)}", hint=f"add {', '.join(options_)}")
    for name in ("fixtureId", "piAgentCoreVersion"):
        if not said[name]:
            raise UsageError(f"{needed[name][0]} is empty", hint=f"give one with {needed[name][1]}")
    return {
        "type": "meta",
        "fixtureId": said["fixtureId"],
        "piAgentCoreVersion": said["piAgentCoreVersion"],
        "recordedAt": run.recorded_at,
        "scenario": said["scenario"],
        "systemPromptHash": said["systemPromptHash"],
    }


def fixture_records(run: PiRun, meta: dict[str, Any], masker: Masker | None = None) -> Iterator[dict[str, Any]]:
    """The records of the fixture in their order, masked if there is a masker."""
    yield meta if masker is None else {**meta, "scenario": masker.mask(meta["scenario"])}
    for turn in run.turns:
        yield turn if masker is None else mask_turn(turn, masker)
    yield {"type": "assertions", "assertions": proposed_assertions(run)}


def proposed_assertions(run: PiRun) -> list[dict[str, Any]]:
    """What the run did as assertions: every call at its place, and no more turns. A person keeps what matters."""
    calls = [
        {"kind": "tool_called", "name": call["name"], "order": position} for position, call in enumerate(_calls(run))
    ]
    return [*calls, {"kind": "trace_max_turns", "max": len(run.turns)}]


def _calls(run: PiRun) -> list[dict[str, Any]]:
    return [call for turn in run.turns if turn["role"] == "assistant" for call in calls_of(turn["content"])]


def _hash(run: PiRun, options: PiOptions, notes: Notes) -> str | None:
    recorded = None if run.prompt is None else prompt_hash(run.prompt)
    said = said_hash(options.system_prompt, options.system_prompt_hash)
    if recorded and said and said.lower().removeprefix("sha256:") != recorded:
        notes.warn("other_prompt", "holds another system prompt than the one that was given, which is taken")
    return said or recorded


def said_hash(path: Path | None, said: str | None) -> str | None:
    """The SHA-256 of the system prompt that a user gives as a file or as a hash; None for neither.

    Raises:
        UsageError: both are given, or one that cannot be used.
    """
    if path is not None and said is not None:
        raise UsageError("the system prompt was given twice", hint=f"give {PROMPT_OPTION}, not both")
    if said is not None and not _HASH.fullmatch(said):
        hint = "give the SHA-256 of the prompt in hex, or the prompt itself with --system-prompt FILE"
        raise UsageError(f"{quote(said, 80)} is no SHA-256", hint=hint)
    return said if path is None else prompt_hash(_prompt(path))


def _prompt(path: Path) -> str:
    """The exact prompt: nothing is trimmed, and no line end changed."""
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no UTF-8 text", hint="save the prompt as UTF-8, as it was sent") from None


def _check_files(path: Path, out: Path) -> None:
    if not path.exists():
        raise UsageError(f"{path} does not exist", hint="name a session file of pi, or what pi --mode json printed")
    if not path.is_file():
        raise UsageError(f"{path} is no regular file", hint="name a session file of pi, or what pi --mode json printed")
    if out.exists():
        raise _taken(out)


def _write(records: list[dict[str, Any]], out: Path) -> None:
    try:
        with whole_file(out) as file:
            file.writelines(f"{_WRITER.encode(record)}\n" for record in records)
    except FileExistsError:
        raise _taken(out) from None
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from error


def _taken(out: Path) -> UsageError:
    return UsageError(f"{out} exists already", hint="name another file with --out, or move that one away")
