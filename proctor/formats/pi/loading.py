"""A fixture as a case: its user's messages, its assertions, and the trial that was recorded."""

from __future__ import annotations

from pathlib import Path

from proctor.checks.pi.trace import USER
from proctor.errors import Severity
from proctor.formats.base import Defaults, Loaded
from proctor.formats.pi.fixture import Fixture
from proctor.formats.pi.lint import lint
from proctor.formats.pi.reading import read_fixture
from proctor.formats.pi.recording import recorded_trial
from proctor.formats.pi.replaying import prepared_case, replay_problems
from proctor.plan import RECORDING, Case, Outline, Turn
from proctor.results import TrialRef


def load_fixture(path: Path, data: bytes, defaults: Defaults) -> Loaded:
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
        recorded=TrialRef(RECORDING, fixture.meta.fixture_id, 0),
    )
    return Case(outline, turns, fixture.checks, recorded_trial(fixture))
