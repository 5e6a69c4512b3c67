from __future__ import annotations

import json
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from store_samples import any_text, completed, gates, some_json, summaries, summary, trajectories

from proctor.errors import StoreError
from proctor.results import GateScore, Summary
from proctor.store.codec import (
    gate_from_json,
    gate_to_json,
    pack,
    pack_trajectory,
    summary_from_json,
    summary_to_json,
    unpack,
    unpack_trajectory,
)
from proctor.store.columns import escape, unescape
from proctor.trajectory import CacheOrigin, JsonValue, Trajectory


class TestRoundTrips:
    @given(summaries)
    def test_a_summary_comes_back_exactly(self, summary: Summary) -> None:
        assert summary_from_json(json.loads(json.dumps(summary_to_json(summary)))) == summary

    @given(gates)
    def test_a_gate_comes_back_exactly(self, gate: GateScore) -> None:
        assert gate_from_json(json.loads(json.dumps(gate_to_json(gate)))) == gate

    @given(trajectories)
    def test_a_trajectory_comes_back_exactly_whatever_the_agent_said(self, trajectory: Trajectory) -> None:
        assert unpack_trajectory(pack_trajectory(trajectory)) == trajectory

    @given(some_json)
    def test_any_json_survives_packing(self, value: JsonValue) -> None:
        assert unpack(pack(value)) == value

    def test_the_cache_origin_is_put_back_beside_the_trajectory(self) -> None:
        origin = CacheOrigin("run-1", "2026-11-30T12:00:00.000Z")
        assert unpack_trajectory(pack_trajectory(completed()), origin).cached == origin


class TestDamage:
    @pytest.mark.parametrize("packed", [b"", b"plain text", zlib.compress(b"{")])
    def test_bytes_of_somebody_else_are_an_error_that_says_so(self, packed: bytes) -> None:
        with pytest.raises(StoreError, match="a stored value cannot be read"):
            unpack(packed)

    @pytest.mark.parametrize(
        "other",
        [{"turns": [{"user": "Hi"}]}, {"failure": {"kind": "x", "mood": "sad"}}, {"usage": {"cost_usd": "much"}}],
        ids=["a member less", "a member more", "no number"],
    )
    def test_a_trajectory_of_another_version_says_to_start_afresh(self, other: dict[str, JsonValue]) -> None:
        later = completed().to_json() | other
        with pytest.raises(StoreError, match="another version of Proctor: start the run afresh with --new"):
            unpack_trajectory(pack(later))

    @pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes"])
    def test_what_is_no_json_is_refused_when_it_is_written(self, value: object) -> None:
        with pytest.raises(StoreError, match="cannot be stored as JSON"):
            pack(value)

    def test_a_value_nested_too_deeply_is_refused_when_it_is_written(self) -> None:
        deep: list[object] = []
        for _ in range(100_000):
            deep = [deep]
        with pytest.raises(StoreError, match="cannot be stored as JSON"):
            pack(deep)

    @pytest.mark.parametrize("change", [{"decision": "perhaps"}, {"new": 1}, {"cases": {"won": 1}}, {"usage": None}])
    def test_a_summary_of_another_version_is_an_error_that_says_so(self, change: dict[str, object]) -> None:
        data = summary_to_json(summary("r1")) | change
        with pytest.raises(
            StoreError, match=r"cannot be read: .*\n  hint: it was written by another version of Proctor"
        ):
            summary_from_json(data)


class TestEscapes:
    @given(any_text)
    @example("\x100041")
    @example("\x10")
    def test_escaped_text_comes_back(self, text: str) -> None:
        assert unescape(escape(text)) == text

    @given(any_text)
    def test_escaped_text_holds_nothing_that_a_database_refuses(self, text: str) -> None:
        assert b"\0" not in escape(text).encode("utf-8")

    @given(st.lists(any_text, unique=True))
    def test_different_texts_stay_different(self, texts: list[str]) -> None:
        assert len({escape(text) for text in texts}) == len(texts)

    @pytest.mark.parametrize("text", ["", "Grüße, 世界 🙂", "line\nline\ttab", "\\u0000", "%s ? :name"])
    def test_usual_text_is_stored_as_it_is(self, text: str) -> None:
        assert escape(text) == text
