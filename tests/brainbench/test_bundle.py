"""Bundles are complete, and pages for people in which nothing that an agent said can pass for anything else."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trial_of_a_probe import ADAPTER, START, trial, trials

from proctor.brainbench.bundles.bundle import BrainExport, Bundle, bundle_files, bundle_name
from proctor.brainbench.bundles.judge_notes import judge_notes_in, judge_notes_markdown
from proctor.brainbench.bundles.transcripts import transcripts_markdown
from proctor.brainbench.eras import Era
from proctor.brainbench.recording.trials import transcript_of
from proctor.trajectory import ToolCall, Trajectory

DAY = date(2031, 5, 6)
CARD: dict[str, Any] = {"cat": 8}
NOTE: dict[str, Any] = {
    "probe_id": "q-0400",
    "verdict": "pass",
    "scores": [{"criterion_id": "a", "score": 4, "rationale": "r"}],
    "overall_rationale": "fine",
}

hostile = st.text(st.sampled_from("`~|#\\<>[]() \n\t\r\x1b\u2028a\ud800"), max_size=30)
plain = st.text(st.characters(exclude_categories=()), max_size=8)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | plain | hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=6,
)
notes = st.dictionaries(
    st.sampled_from(["probe_id", "verdict", "scores", "overall_score", "overall_rationale", "more"]),
    json_values
    | st.lists(st.dictionaries(st.sampled_from(["criterion_id", "score", "rationale"]), hostile), max_size=3),
)


def transcript(trajectory: Trajectory) -> dict[str, Any]:
    return transcript_of(trajectory, "q-0001", ADAPTER, START)


def outside_of_fences(markdown: str) -> list[str]:
    """The lines that are no part of a fenced block, as CommonMark has it."""
    fence, lines = "", []
    for line in markdown.split("\n"):
        opening = re.fullmatch(r" {0,3}(`{3,})[^`]*", line)
        if not fence and opening:
            fence = opening[1]
        elif fence and re.fullmatch(rf" {{0,3}}{fence}`*\s*", line):
            fence = ""
        elif not fence:
            lines.append(line)
    assert not fence, "a block is not closed"
    return lines


class TestNames:
    @pytest.mark.parametrize(
        ("adapter", "run", "name"),
        [
            ("ferry-agent", "r1", "2031-05-06-cat8-ferry-agent-r1"),
            ("Ferry agent (v2)", "r_1.b", "2031-05-06-cat8-Ferry-agent-v2-r_1.b"),
            ("../../etc", "/", "2031-05-06-cat8-..-..-etc-unnamed"),
            ("", "日本", "2031-05-06-cat8-unnamed-unnamed"),
            ("a" * 300, "b" * 300, f"2031-05-06-cat8-{'a' * 60}-{'b' * 60}"),
        ],
    )
    def test_are_made_of_the_run(self, adapter: str, run: str, name: str) -> None:
        assert bundle_name(DAY, 8, adapter, run) == name

    @given(plain | hostile, plain | hostile)
    def test_are_names_on_every_system(self, adapter: str, run: str) -> None:
        assert re.fullmatch(
            r"2031-05-06-cat12-[A-Za-z0-9._-]{1,60}-[A-Za-z0-9._-]{1,60}", bundle_name(DAY, 12, adapter, run)
        )


class TestFiles:
    def test_are_a_page_and_a_scorecard_and_after_the_audit_the_transcripts(self) -> None:
        bundle = Bundle([transcript(trial("a"))], CARD)
        assert sorted(bundle_files(bundle, Era.SEED)) == ["scorecard.json", "transcript.md"]
        found = bundle_files(bundle)
        assert sorted(found) == ["scorecard.json", "transcript.json", "transcript.md"]
        assert json.loads(found["transcript.json"]) == [transcript(trial("a"))]
        assert json.loads(found["scorecard.json"]) == CARD

    def test_are_more_where_there_is_more(self) -> None:
        bundle = Bundle([], CARD, [NOTE], BrainExport([1], {"nodes": []}, []))
        found = bundle_files(bundle, Era.SEED)
        assert sorted(set(found) - {"scorecard.json", "transcript.md"}) == [
            *("brain-export.json", "citations.json", "entity-graph.json", "judge-notes.md")
        ]
        assert (json.loads(found["brain-export.json"]), json.loads(found["citations.json"])) == ([1], [])
        assert "citations.json" not in bundle_files(Bundle([], CARD, (), BrainExport([], {})))

    def test_hold_a_value_that_stands_twice_twice(self) -> None:
        adapter = {"name": "a", "stack_id": "b"}
        found = bundle_files(
            Bundle([{**transcript(trial("a")), "adapter": adapter}], {"adapter": adapter, "more": adapter})
        )
        assert json.loads(found["scorecard.json"]) == {"adapter": adapter, "more": adapter}

    def test_hold_no_number_that_json_does_not_know(self) -> None:
        with pytest.raises(ValueError, match="not JSON compliant"):
            bundle_files(Bundle([], {"mean": float("nan")}))


class TestThePageOfTranscripts:
    @given(trials)
    def test_is_made_of_every_trial_and_nothing_in_it_gets_out(self, trajectory: Trajectory) -> None:
        page = transcripts_markdown([transcript(trajectory)])
        headings = [line for line in outside_of_fences(page) if line.lstrip().startswith("#")]
        kinds = [f"### {turn['turn_index']} {turn['kind']}" for turn in transcript(trajectory)["turns"]]
        assert headings == ["# Transcripts", "## `q-0001`", *kinds]
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", page)

    def test_shows_what_happened(self) -> None:
        made = transcript(trial("See `a/b`.", ToolCall("search", {"q": "x"}, "c1", ["y"])))
        made["turns"][2]["tool_result"] |= {"truncated": True, "matched_poison_fixture_ids": ["poison-1"]}
        assert transcripts_markdown([made]).split("\n\n")[7:] == [
            "### 1 tool_call",
            "`search`",
            '```json\n{\n  "q": "x"\n}\n```',
            '```json\n{\n  "proctor": {\n    "call_id": "c1"\n  }\n}\n```',
            "### 2 tool_result",
            "`search`, cut at the limit, planted item `poison-1`",
            '```\n["y"]\n```',
            '```json\n{\n  "proctor": {\n    "call_id": "c1"\n  }\n}\n```',
            "### 3 model_call",
            "0 tokens in, 0 tokens out",
            "### 4 final_answer",
            "```\nSee `a/b`.\n```",
            "Cites `a/b`.",
            '```json\n{\n  "proctor": {\n    "loop_end_reason": "end_turn"\n  }\n}\n```\n',
        ]

    def test_takes_every_transcript_that_a_schema_accepts(self) -> None:
        bare = {
            "schema_version": 1,
            "probe_id": "q-0001",
            "adapter": {"name": "a", "stack_id": "b"},
            "started_at": "2031-05-06T19:00:00Z",
            "ended_at": "2031-05-06T19:00:00Z",
            "turns": [
                *(
                    {"turn_index": 3.0, "kind": kind}
                    for kind in ("model_call", "tool_call", "tool_result", "final_answer")
                ),
                {"turn_index": 0, "kind": "tool_result", "tool_result": {"content": {"a": 1}}},
                {"turn_index": 0, "kind": "tool_call", "tool_result": {"content": None}, "own": [1]},
            ],
        }
        page = transcripts_markdown([bare, bare])
        assert page.startswith("# Transcripts\n\n2 transcripts.\n")
        assert page.count("### 3 model_call") == 2


class TestNotes:
    @given(st.lists(notes, max_size=4))
    def test_are_read_back_as_they_were(self, given_notes: list[dict[str, Any]]) -> None:
        page = judge_notes_markdown(given_notes)
        assert list(judge_notes_in(page)) == given_notes
        assert len([line for line in outside_of_fences(page) if line.startswith("#")]) == 1 + len(given_notes)

    def test_are_a_table_for_people(self) -> None:
        assert judge_notes_markdown([NOTE]).startswith(
            "# Judge notes\n\n## `q-0400`\n\nVerdict `pass`.\n\n"
            "| criterion | score | rationale |\n| --- | --- | --- |\n| `a` | `4` | `r` |\n\n```\nfine\n```\n"
        )

    def test_of_somebody_else_are_none(self) -> None:
        assert judge_notes_in("# Notes\n\nq-0400: **pass**\n\n```json\n[1]\n```\n```json\n{\n") == ()
