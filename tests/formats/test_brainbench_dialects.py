"""Which values are transcripts: the quick test and the one that explains say the same, and the same as jsonschema."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from recorded_transcripts import answer, call, model, result, transcript, usual

from proctor.brainbench.eras import Era
from proctor.brainbench.recording.probe_ids import is_probe_id
from proctor.formats.brainbench.acceptance import acceptance
from proctor.formats.brainbench.dialects import accepts, errors_of, transcript_schema
from proctor.formats.brainbench.schema_errors import Schema

SHARED = Path(__file__).parents[3] / "shared" / "schemas" / "brainbench.transcript.schema.json"
PLAIN = {
    dialect: Draft202012Validator(transcript_schema(dialect), format_checker=Draft202012Validator.FORMAT_CHECKER)
    for dialect in Era
}
EXPLAINING = {dialect: Schema(transcript_schema(dialect)) for dialect in Era}


def errors(value: Any, dialect: Era = Era.SEED) -> list[tuple[str, str]]:
    return [(error.pointer, error.keyword) for error in errors_of(value, dialect)]


def taken(probe_id: Any) -> list[bool]:
    return [acceptance(transcript_schema(dialect)["properties"]["probe_id"])(probe_id) for dialect in Era]


class TestTheSchemas:
    def test_that_of_the_seed_dialect_is_the_published_one(self) -> None:
        if not SHARED.exists():
            pytest.skip("the published schema is not at hand")
        assert transcript_schema(Era.SEED) == json.loads(SHARED.read_text(encoding="utf-8"))

    def test_that_of_the_other_dialect_differs_in_the_id_and_in_what_is_required(self) -> None:
        seed, other = (copy.deepcopy(dict(transcript_schema(dialect))) for dialect in Era)
        totals = ["total_input_tokens", "total_output_tokens", "elapsed_ms"]
        assert other.pop("required") == [*seed.pop("required"), *totals]
        assert other["properties"].pop("probe_id") != seed["properties"].pop("probe_id")
        assert other == seed

    @pytest.mark.parametrize("dialect", Era)
    def test_are_schemas(self, dialect: Era) -> None:
        Draft202012Validator.check_schema(transcript_schema(dialect))


class TestProbeIds:
    @pytest.mark.parametrize("probe_id", ["q-0001", "q-9999"])
    def test_of_the_seed_are_taken_by_both_dialects(self, probe_id: str) -> None:
        assert taken(probe_id) == [True, True]

    @pytest.mark.parametrize("probe_id", ["sig-0001", "s-briefing-1", "q5-0001", "c13-00001", "Q-0001", "a", "0.x_Y-"])
    def test_of_other_families_are_taken_after_the_audit(self, probe_id: str) -> None:
        assert taken(probe_id) == [False, True]

    @pytest.mark.parametrize(
        "probe_id", ["", "q-0001\n", "\nq-0001", "-a", "a/b", "a b", "é", "q-٠٠٠١", "../x", None, 7, ["q-0001"]]
    )
    def test_of_no_family_are_refused(self, probe_id: Any) -> None:
        assert taken(probe_id) == [False, False]

    @given(st.text("aq0-._/\n", max_size=7) | st.from_regex("q-[0-9]{4}"))
    def test_are_the_same_for_the_schema_and_for_the_recorder(self, probe_id: str) -> None:
        assert taken(probe_id) == [is_probe_id(probe_id, dialect) for dialect in Era]


class TestAValue:
    def test_is_a_transcript(self) -> None:
        assert [errors(usual(), dialect) for dialect in Era] == [[], []]

    def test_is_told_with_every_error(self) -> None:
        value = usual() | {"probe_id": "q-1\n", "elapsed_ms": -1, "cost": 1, "schema_version": True}
        value["turns"][1] = {"kind": "end", "turn_index": 1.5}
        del value["adapter"]["name"]
        assert errors(value) == [
            ("", "additionalProperties"),
            ("/adapter", "required"),
            ("/elapsed_ms", "minimum"),
            ("/probe_id", "pattern"),
            ("/schema_version", "const"),
            ("/schema_version", "type"),
            ("/turns/1/kind", "enum"),
            ("/turns/1/turn_index", "type"),
        ]

    @pytest.mark.parametrize(
        "written",
        ["2026-02-11", "2026-02-11 09:00:00Z", "2026-02-11T09:00:00", "2026-02-30T09:00:00Z", "yesterday", "",
         "2026-02-11T09:00:00Z\n", "2026-02-11T24:00:00Z", "2026-02-11T09:00Z", "２０２６-02-11T09:00:00Z"],
    )  # fmt: skip
    def test_has_times_with_a_day_a_time_and_an_offset(self, written: str) -> None:
        assert errors(usual() | {"ended_at": written}) == [("/ended_at", "format")]


POOL: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, -0.0, 1.5, 1e300, 10**30, "", "x", "q-0001", "q-0001\n", "sig-0001", [], {}, [[]],
    ["people/orla", 7], {"name": 1}, "tool_call", "final_answer", "2026-02-11", "2026-02-30T09:00:00Z",
    "2026-02-11T09:00:00Z", "2026-02-11t09:00:00.5+05:30",
]  # fmt: skip
"""What may stand in a wrong place."""
NAMES = ["kind", "turn_index", "tool_call", "final_answer", "text", "own", "turns", "elapsed_ms", "probe_id"]
GOOD = [
    usual(),
    transcript(),
    transcript(model(), call("search", q=[1]), result({"a": [None]}), answer("x", "a/b")),
    transcript({"kind": "model_call", "own": 1}, {"kind": "final_answer", "tool_result": {"truncated": True}}),
]


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@st.composite
def nearly_transcripts(draw: st.DrawFn) -> Any:
    """Transcripts in which up to three things were changed."""
    value = copy.deepcopy(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(0, 3))):
        container = draw(st.sampled_from([*containers(value)]))
        place = draw(
            st.sampled_from([*container, *NAMES] if isinstance(container, dict) else [*range(len(container) + 1)])
        )
        if isinstance(container, list):
            container[place : place + draw(st.integers(0, 1))] = draw(st.lists(st.sampled_from(POOL), max_size=1))
        elif draw(st.booleans()):
            container[place] = copy.deepcopy(draw(st.sampled_from(POOL)))
        else:
            container.pop(place, None)
    return value


anything = st.recursive(
    st.sampled_from(POOL) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=4),
    max_leaves=8,
)


class TestTheQuickTest:
    @given(nearly_transcripts() | anything, st.sampled_from(Era))
    @example(usual() | {"ended_at": "2016-12-31T23:59:60Z"}, Era.SEED)
    @example(usual() | {"probe_id": "a\n"}, Era.POST_AUDIT)
    def test_says_what_the_one_that_explains_says(self, value: Any, dialect: Era) -> None:
        assert accepts(value, dialect) is EXPLAINING[dialect].accepts(value) is (errors_of(value, dialect) == [])

    @given(nearly_transcripts() | anything, st.sampled_from(Era))
    def test_says_what_jsonschema_says_but_for_a_line_feed_behind_an_id(self, value: Any, dialect: Era) -> None:
        has_line_feed = isinstance(value, dict) and str(value.get("probe_id")).endswith("\n")
        assert accepts(value, dialect) is (PLAIN[dialect].is_valid(value) and not has_line_feed)

    @pytest.mark.parametrize("written", ["2016-12-31T23:59:60Z", "2017-01-01T01:59:60.5+02:00", "0000-02-29T00:00:00Z"])
    def test_takes_times_of_rfc_3339_that_jsonschema_does_not_know(self, written: str) -> None:
        value = usual() | {"ended_at": written}
        assert accepts(value, Era.SEED)
        assert not PLAIN[Era.SEED].is_valid(value)

    @pytest.mark.parametrize(
        "schema",
        [{"type": "number"}, {"format": "email"}, {"maximum": 3}, {"properties": {}, "additionalProperties": True}],
    )
    def test_is_not_made_of_what_it_does_not_know(self, schema: dict[str, Any]) -> None:
        with pytest.raises(KeyError):
            acceptance(schema)

    def test_ends_a_pattern_where_ecma_does(self) -> None:
        test = acceptance({"pattern": "^a$"})
        assert [test(text) for text in ("a", "a\n", "b", 7)] == [True, False, False, True]
        assert re.search("^a$", "a\n")
