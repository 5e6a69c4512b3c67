"""Trials of any shape, and what a fixture that is made of one holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from proctor.convert import Built, FixtureHead, build_fixture
from proctor.formats import Defaults
from proctor.formats.pi.fixture import Fixture
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.pi.reading import read_fixture
from proctor.masking import Masker
from proctor.plan import Case
from proctor.trajectory import Ending, Step, ToolCall, Trajectory, TurnRecord, Usage

HEAD = FixtureHead("f", "2031-05-06T19:00:00.000Z", "Books a table.")
PATH = Path("f.jsonl")

texts = st.text(st.characters(exclude_categories=()), max_size=8)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**1024, 2**1024 - 1, 1 - 10**308, 1 - 10**307])
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
calls = st.builds(
    ToolCall,
    name=st.sampled_from(["look", "book", "sk-ant-abcdefghijklmnopqrstuvwxyz", "\ud83d"]),
    arguments=st.dictionaries(texts, json_values, max_size=3) | st.none() | texts | st.lists(json_values, max_size=2),
    id=st.sampled_from([None, "", "a", "b", "call-1", "call-2"]),
    result=json_values,
    is_error=st.booleans(),
)
counts = st.integers(0, 2**40)
usages = st.builds(Usage, counts, counts, counts, counts)


@st.composite
def turns(draw: st.DrawFn) -> TurnRecord:
    """A turn whose steps, if it has any, account for its calls, or do not."""
    made = tuple(draw(st.lists(calls, max_size=4)))
    steps = draw(st.lists(st.builds(Step, texts | st.none(), st.integers(0, 3)), max_size=3))
    return TurnRecord(
        user=draw(texts),
        reply=draw(texts | st.none()),
        tool_calls=made,
        usage=draw(usages | st.none()),
        steps=tuple(steps),
    )


trials = st.lists(turns(), max_size=3).map(lambda made: Trajectory(Ending.COMPLETED, tuple(made)))


def trial(*made: TurnRecord) -> Trajectory:
    return Trajectory(Ending.COMPLETED, made)


def built(trajectory: Trajectory, masker: Masker | None = None) -> Built:
    return build_fixture(trajectory, HEAD, PATH, masker)


def fixture(trajectory: Trajectory, masker: Masker | None = None) -> Fixture:
    """The fixture of a trial, read from its file."""
    found, problems = read_fixture(PATH, built(trajectory, masker).data)
    assert found is not None, problems
    return found


def case(trajectory: Trajectory, masker: Masker | None = None) -> Case:
    """The case that the fixture of a trial is."""
    loaded = PiFormat().load(PATH, built(trajectory, masker).data, Defaults())
    assert len(loaded.cases) == 1, loaded.problems
    return loaded.cases[0]


def records(trajectory: Trajectory) -> list[dict[str, Any]]:
    """The turn records of the fixture of a trial, without what all of them have."""
    kept = [dict(turn.record) for turn in fixture(trajectory).turns]
    return [{name: value for name, value in turn.items() if name not in ("type", "turnIndex")} for turn in kept]
