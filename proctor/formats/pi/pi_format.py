"""The trace fixture of pi as a format: which files are one, their schema, and the case that each of them is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from pydantic_core import from_json

from proctor.checks.pi.trace import USER
from proctor.errors import Severity
from proctor.formats.assevra.lines import BYTE_ORDER_MARK
from proctor.formats.base import Defaults, Loaded
from proctor.formats.pi.fixture import Fixture
from proctor.formats.pi.lint import lint
from proctor.formats.pi.reading import read_fixture
from proctor.formats.pi.record_order import TYPES
from proctor.formats.pi.recording import recorded_trial
from proctor.formats.pi.replaying import prepared_case, replay_problems
from proctor.plan import Case, Outline, Turn

_HEAD: Final = 2**16
_BEGINNING: Final = re.compile(rb'\{\s*"type"\s*:\s*"(?:meta|turn|assertions)"')


class PiFormat:
    """Trace fixtures of pi: a recorded trial and the assertions on it, one JSON record a line."""

    name = "pi"
    title = "pi trace fixture"
    rules_version = 1
    suffixes = (".jsonl",)

    @property
    def model(self) -> type[BaseModel]:
        """The model whose JSON Schema is published. Files are not read with it, so it is built when it is asked for."""
        from proctor.formats.pi.model import FixtureLine

        return FixtureLine

    def claims(self, path: Path) -> bool:
        """Every .jsonl file that begins with a record of a fixture, also with one that is misplaced or broken."""
        if path.suffix not in self.suffixes or not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                return self.recognises(file.read(_HEAD))
        except OSError:
            return False

    def recognises(self, data: bytes) -> bool:
        """Whether the first line is a record of a fixture, and no row of a data set."""
        first = data[:_HEAD].removeprefix(BYTE_ORDER_MARK).lstrip(b" \t\r\n").partition(b"\n")[0]
        try:
            record = from_json(first)
        except ValueError:
            return _BEGINNING.match(first) is not None
        return isinstance(record, dict) and record.get("type") in TYPES and "dimension" not in record

    def load(self, path: Path, data: bytes, defaults: Defaults) -> Loaded:
        """Read one file. A file with errors gives no case."""
        fixture, problems = read_fixture(path, data)
        if fixture is None:
            return Loaded((), problems)
        problems = (*replay_problems(fixture, defaults.replay, path), *lint(fixture, path, data))
        if any(problem.severity is Severity.ERROR for problem in problems):
            return Loaded((), problems)
        return Loaded((prepared_case(fixture_case(fixture), fixture, defaults),), problems)


def fixture_case(fixture: Fixture) -> Case:
    """The case of a fixture: its user's messages to replay, its assertions, and the trial that was recorded."""
    turns = tuple(Turn(turn.text) for turn in fixture.turns if turn.role == USER)
    outline = Outline(
        key=fixture.meta.fixture_id,
        id=fixture.meta.fixture_id,
        runs=1,
        threshold=1.0,
        line=fixture.meta.line,
        turns=len(turns),
        recorded=True,
    )
    return Case(outline, turns, fixture.checks, recorded_trial(fixture))
