"""Which files are taken for transcripts by their beginning."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_transcripts import usual

from proctor.formats.brainbench.recognition import looks_like_transcript

GOOD = json.dumps(usual('[{"slug":"people/orla"}] "type": "turn"')).encode()
PI = [
    {"type": "meta", "fixtureId": "f", "piAgentCoreVersion": "1"},
    {"type": "turn", "turnIndex": 0, "role": "user", "content": "x", "schema_version": 1, "adapter": {}},
    {"type": "assertions", "assertions": []},
]
ROWS = [
    {"dimension": "accuracy", "input": "q", "agent_output": "a", "expected": "a"},
    {"agent_output": "a", "probe_id": "q-0001", "turns": [], "adapter": {}},
]
OTHERS = [
    {"schema_version": 1, "config_card": {"adapter": {"name": "a"}}, "cat": 8, "verdict": "pass"},
    {"schema_version": 1, "probe": {"id": "q-0001", "text": "t", "category": 9}, "final_answer_text": "x"},
    {"schema_version": 1, "stack_id": "s", "read_tools": []},
    {"probe_id": "q-0001", "verdict": "pass", "scores": [], "overall_rationale": "turns"},
    {"id": "q-0001", "tier": "easy", "text": "who?"},
    {"version": 1, "items": [{"probe_id": "q-0001", "schema_version": 1, "adapter": {}, "turns": []}]},
    {"id": "chat", "turns": [{"role": "user", "content": "hi"}], "started_at": "today"},
    {"name": "package", "version": "1.0.0"},
    {},
]


class TestATranscript:
    @pytest.mark.parametrize(
        "data",
        [
            GOOD,
            b"\xef\xbb\xbf" + GOOD,
            b" \r\n\t[ \n" + GOOD + b"]",
            GOOD + b"\n" + GOOD,
            json.dumps([usual(), usual()], indent=2).encode(),
            json.dumps(usual("x" * 200_000), sort_keys=True).encode(),
            json.dumps(dict(reversed(usual("[" * 50_000 + '{\\"type\\":1}' * 50_000).items()))).encode(),
            b'{"turns": [{"kind": "model_call", "turn_index" : 0',
            b'{"turns": [], "adapter": 7}',
        ],
    )
    def test_is_recognised(self, data: bytes) -> None:
        assert looks_like_transcript(data)

    @pytest.mark.parametrize(
        "data",
        [
            b'{"schema_version": 1, "probe_id": "q-0001", "ada',
            b'{"schema_version": NaN, "probe_id": None, }',
            b'{"probe_id": "sig-1", "turns": {}, "turns": 7}',
            b'{"probe_id": "q-0001", "adapter": "\xff"}',
            b'[{"schema_version": 2, "adapter": {}}, 7',
            b'{"schema_version": 1, "adapter": {"name": "}"}, "cost": "\\"',
        ],
    )
    def test_is_recognised_when_it_is_broken_or_unfinished(self, data: bytes) -> None:
        assert looks_like_transcript(data)


class TestAnotherFile:
    @pytest.mark.parametrize("value", [*PI, *ROWS, *OTHERS])
    def test_is_none(self, value: object) -> None:
        assert not looks_like_transcript(json.dumps(value).encode())
        assert not looks_like_transcript(json.dumps([value]).encode())

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"[]",
            b"7",
            b"{",
            b"[[",
            b'"probe_id" "turns"',
            b"probe_id: q-0001\nturns: []",
            b"[7, " + GOOD,
            b"\x00" * 9,
        ],
    )
    def test_is_none_either(self, data: bytes) -> None:
        assert not looks_like_transcript(data)

    @given(st.binary() | st.text(st.sampled_from('{}[]":,\\ probe_id turns')).map(str.encode))
    def test_is_looked_at_without_raising(self, data: bytes) -> None:
        assert looks_like_transcript(data) in (True, False)
        looks_like_transcript(b'{"probe_id":' + data)
