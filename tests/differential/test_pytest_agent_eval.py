"""The real pytest-agent-eval, on random transcripts, agents and texts: acceptance and verdicts are the same.

``compat: upstream`` is set, so the only differences left are those that the format's page names.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.formats import Defaults
from proctor.formats.transcript import TranscriptFormat
from proctor.plan import Case, Limits
from proctor.results import CheckResult, Outcome
from proctor.stages.trial import play
from proctor.stages.trial_checks import score_trial

pytestmark = pytest.mark.requires("pytest-agent-eval")

UPSTREAM = Defaults(upstream=True)


@pytest.fixture(scope="module")
def peer(require: Callable[[str], Path]) -> Iterator[Any]:
    """The package, from a folder of its own, so that its pytest plug-in stays out of this session."""
    folder = str(require("pytest-agent-eval"))
    sys.path.append(folder)
    try:
        import pytest_agent_eval.runner
        import pytest_agent_eval.yaml_loader

        yield pytest_agent_eval
    finally:
        sys.path.remove(folder)


texts = st.text(st.sampled_from("abAB \nσςΣßİıſK1é́"), max_size=6)
words = st.lists(texts, max_size=3)
patterns = st.lists(
    st.sampled_from(["a", "^a", "b$", "a.b", "(?s)a.b", "[ab]+", r"\bA\b", "i", "σ", "(?-i:A)", ""]), max_size=2
)
names = st.sampled_from(["find", "book", "Book", "cancel"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 0.5]) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("kK"), inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(st.sampled_from(["k", "n", "a.b"]), values, max_size=2)
entries = st.fixed_dictionaries(
    {"tool": names, "args": arguments}, optional={"mode": st.sampled_from(["subset", "exact"])}
)
expects = st.fixed_dictionaries(
    {},
    optional={
        "reply_contains_any": words,
        "reply_contains_all": words,
        "reply_matches_any": patterns,
        "reply_matches_all": patterns,
        "tool_calls_include": st.lists(names, max_size=3),
        "tool_calls_exclude": st.lists(names, max_size=2),
        "tool_calls_ordered": st.booleans(),
        "tool_calls_args": st.lists(entries, max_size=2),
    },
)
transcripts = st.fixed_dictionaries(
    {
        "id": texts,
        "turns": st.lists(st.fixed_dictionaries({"user": texts}, optional={"expect": expects}), min_size=1, max_size=3),
    },
    optional={"tags": words, "runs": st.integers(1, 3), "threshold": st.sampled_from([0, 0.5, 1, 0.67])},
)
calls = st.lists(st.tuples(names, st.none() | arguments), max_size=4)
steps = st.lists(st.tuples(texts, calls), min_size=3, max_size=3)
quick = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


class TestVerdicts:
    @quick
    @given(document=transcripts, script=steps)
    def test_every_turn_of_every_trial_passes_where_the_original_passes(
        self, peer: Any, tmp_path: Path, document: dict[str, Any], script: list[tuple[str, list[tuple[str, Any]]]]
    ) -> None:
        path = tmp_path / "case.yaml"
        path.write_text(_text({**document, "runs": 1}), encoding="utf-8")
        transcript = peer.yaml_loader.load_transcript(path)
        assert asyncio.run(_our_turns(_ours(document), script)) == asyncio.run(_their_turns(peer, transcript, script))


class TestAcceptance:
    """Documents with one part replaced by any JSON value are refused by both or by neither."""

    @quick
    @given(document=transcripts, key=st.sampled_from(["id", "runs", "threshold", "tags", "turns", "x"]), value=values)
    def test_the_same_documents_are_accepted(self, peer: Any, document: dict[str, Any], key: str, value: Any) -> None:
        self._check(peer, {**document, key: value})

    @quick
    @given(
        key=st.sampled_from(
            ["reply_contains_any", "tool_calls_ordered", "tool_calls_args", "judge", "reply_match_any"]
        ),
        value=values,
    )
    def test_the_same_expectations_are_accepted(self, peer: Any, key: str, value: Any) -> None:
        self._check(peer, {"id": "a", "turns": [{"user": "hi", "expect": {key: value}}]})

    @quick
    @given(
        entry=st.fixed_dictionaries(
            {}, optional={"tool": values, "args": values, "mode": values, "judge": values, "arg": values}
        )
    )
    def test_the_same_argument_entries_are_accepted(self, peer: Any, entry: dict[str, Any]) -> None:
        self._check(peer, {"id": "a", "turns": [{"user": "hi", "expect": {"tool_calls_args": [entry]}}]})

    def _check(self, peer: Any, document: dict[str, Any]) -> None:
        loaded = TranscriptFormat().load(Path("case.yaml"), _text(document).encode(), UPSTREAM)
        try:
            peer.yaml_loader.validate_transcript_dict(document)
            theirs = True
        except peer.yaml_loader.TranscriptError:
            theirs = False
        assert bool(loaded.cases) is theirs, [str(problem) for problem in loaded.problems]


def _text(document: dict[str, Any]) -> str:
    return yaml.safe_dump(document, allow_unicode=True)


def _ours(document: dict[str, Any]) -> Case:
    loaded = TranscriptFormat().load(Path("case.yaml"), _text(document).encode(), UPSTREAM)
    assert loaded.cases, [str(problem) for problem in loaded.problems]
    return loaded.cases[0]


async def _our_turns(case: Case, script: list[tuple[str, list[tuple[str, Any]]]]) -> list[bool]:
    from proctor.agents import wrap_object

    async def agent(messages: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
        reply, made = script[len(messages) // 2]
        return reply, [{"name": name, "args": arguments} for name, arguments in made]

    trajectory = await play(wrap_object(agent), case, Limits())
    outcome, checks = score_trial(case, trajectory)
    failed = {check.turn for check in checks if isinstance(check, CheckResult) and not check.passed}
    assert (outcome is Outcome.FAILED) is bool(failed)
    return [number not in failed for number in range(len(case.turns))]


async def _their_turns(peer: Any, transcript: Any, script: list[tuple[str, list[tuple[str, Any]]]]) -> list[bool]:
    async def agent(history: list[dict[str, Any]]) -> tuple[str, list[Any]]:
        reply, made = script[len(history) // 2]
        return reply, [peer.models.ToolCall(name, arguments) for name, arguments in made]

    result = await peer.runner.run_transcript(transcript, agent)
    return [turn.passed for turn in result.runs[0].turn_results]
