"""JSON Schemas of BrainBench: what they find, in which order, and that ours accept what the original's accept."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from proctor.brainbench.eras import Era
from proctor.formats.brainbench.companion_schemas import COMPANION_SCHEMAS, companion_errors, companion_schema
from proctor.formats.brainbench.rfc3339 import is_date, is_date_time
from proctor.formats.brainbench.schema_errors import MOST_ERRORS, Schema

ORIGINALS = Path(__file__).parents[3] / "shared" / "peer_files" / "brainbench" / "schemas"


def told(schema: dict[str, Any], instance: Any) -> list[str]:
    return [f"{error.pointer}: {error.message}" for error in Schema(schema).errors(instance)]


class TestTheErrors:
    def test_are_sorted_by_pointer_keyword_and_property(self) -> None:
        schema = {"required": ["b", "a"], "additionalProperties": False, "properties": {"c": {"type": "string"}}}
        errors = Schema(schema).errors({"z/~": 1, "c": 2, "y": 3})
        assert [error.to_json() for error in errors] == [
            {"pointer": "", "keyword": "additionalProperties", "properties": ["y", "z/~"]},
            {"pointer": "", "keyword": "required", "property": "a"},
            {"pointer": "", "keyword": "required", "property": "b"},
            {"pointer": "/c", "keyword": "type"},
        ]

    def test_have_pointers_with_escapes(self) -> None:
        assert told({"properties": {"a/~": {"items": {"type": "null"}}}}, {"a/~": [1]}) == [
            "/a~1~0/0: must be a null, got 1"
        ]

    @pytest.mark.parametrize(
        ("schema", "value", "message"),
        [
            ({"type": "integer"}, True, "must be an integer, got true"),
            ({"type": ["integer", "string"]}, None, "must be an integer or a string, got null"),
            ({"type": "object"}, [1], "must be an object, got an array"),
            ({"type": "string"}, {"a": 1}, "must be a string, got an object"),
            ({"const": 1}, True, "must be 1, got true"),
            ({"enum": ["a", "b", "c"]}, "d", 'must be "a", "b" or "c", got "d"'),
            ({"enum": list(range(1, 35))}, 35, "must be one of 1 to 34, got 35"),
            ({"minimum": 0}, -1, "must be 0 or more, got -1"),
            ({"maximum": 2}, 10**40, "must be 2 or less, got 1e+40"),
            ({"minItems": 12}, [], "must have at least 12 items"),
            ({"maxItems": 0}, [1], "must have at most 0 items"),
            ({"minLength": 1}, "", "must not be empty"),
            ({"pattern": "^a$"}, "b\x1b", 'must match ^a$, got "b<1B>"'),
            ({"format": "date"}, "today", 'must be a date as RFC 3339 writes it, got "today"'),
            ({"required": ["a"]}, {}, 'the member "a" is missing'),
            ({"additionalProperties": False}, {"a": 1}, 'unknown member "a"'),
            ({"additionalProperties": False}, {"a": 1, "b": 2}, 'unknown members "a", "b"'),
            ({"multipleOf": 2}, 1, "breaks the rule multipleOf, got 1"),
            ({"oneOf": [{"type": "null"}]}, 1, "has none of the allowed forms, got 1"),
        ],
    )
    def test_say_what_is_wanted_and_what_is_there(self, schema: dict[str, Any], value: Any, message: str) -> None:
        assert told(schema, value) == [f": {message}"]

    @pytest.mark.parametrize(("value", "right"), [("q-0001", True), ("q-0001\n", False), ("q-000١", False)])
    def test_take_patterns_as_ecmascript_does(self, value: str, right: bool) -> None:
        assert Schema({"pattern": r"^q-\d{4}$"}).accepts(value) is right

    def test_are_no_more_than_anybody_reads(self) -> None:
        assert len(Schema({"items": {"type": "string"}}).errors([1] * (MOST_ERRORS + 1))) == MOST_ERRORS

    def test_of_whole_floats_are_none(self) -> None:
        assert Schema({"type": "integer", "const": 1}).accepts(1.0)


class TestADate:
    @pytest.mark.parametrize("text", ["2026-02-11", "2024-02-29", "0000-02-29"])
    def test_is_a_day_of_the_calendar(self, text: str) -> None:
        assert is_date(text)

    @pytest.mark.parametrize(
        "text",
        ["2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "20260211", "2026-2-1", "2026-02-11\n", "٢٠٢٦-02-11"],
    )
    def test_is_written_in_one_way(self, text: str) -> None:
        assert not is_date(text)

    @pytest.mark.parametrize(
        "text",
        [
            "2026-02-11T09:00:00Z",
            "2026-02-11t09:00:00.123456789z",
            "2026-02-11T09:00:00+05:30",
            "2026-12-31T23:59:60Z",
            "2027-01-01T05:29:60+05:30",
            "2026-12-31T15:59:60-08:00",
        ],
    )
    def test_with_a_time_has_an_offset(self, text: str) -> None:
        assert is_date_time(text)

    @pytest.mark.parametrize(
        "text",
        [
            "2026-02-11T09:00:00",
            "2026-02-11 09:00:00Z",
            "2026-02-11T09:00Z",
            "2026-02-11T24:00:00Z",
            "2026-02-11T09:60:00Z",
            "2026-02-11T09:00:60Z",
            "2026-02-11T09:00:00.Z",
            "2026-02-11T09:00:00+24:00",
            "2026-02-11T09:00:00+0530",
            "2026-02-30T09:00:00Z",
            "2026-02-11",
        ],
    )
    def test_with_a_time_is_written_in_one_way(self, text: str) -> None:
        assert not is_date_time(text)


PROBE = {"id": "q-0001", "tier": "easy", "text": "Who?", "expected_output_type": "poison-flag", "tags": ["a"]}
TOOL = {"description": "d", "input_schema": {}}
INSTANCES: dict[str, dict[str, Any]] = {
    "public-probe": {**PROBE, "as_of_date": "2026-02-11"},
    "scorecard": {
        "schema_version": 1,
        "config_card": {
            "brainbench_version": "0.2.0",
            "adapter": {"name": "ferry-agent", "stack_id": "lanternfish"},
            "driver_model": {"model_id": "m", "params": {}},
            "judge_model": {"provider": "p"},
            "corpus_sha": "aa",
            "seed": 7,
            "bun_version": "1.3",
        },
        "cat": 9,
        "N": 5,
        "metrics": {"pass_rate": {"mean": 0.8, "stddev": 0.1, "per_run": [0.7, 0.9]}},
        "probes_total": 3,
        "verdict": "pass",
        "total_cost_usd": 0.5,
        "wall_clock_seconds": 9,
    },
    "evidence-contract": {
        "schema_version": 1,
        "probe": {"id": "q-0001", "text": "Who?", "category": 9},
        "final_answer_text": "Orla.",
        "evidence_refs": ["people/orla-venn"],
        "tool_call_summary": {
            "count_by_tool": {"search": 1},
            "saw_poison_items": ["poison-101"],
            "brain_first_ordering": "no_brain_calls",
            "made_dry_run_writes": [
                {"slug": "a/b", "has_back_links": True, "citation_format_ok": False, "tool_name": "dry_run_put_page"}
            ],
        },
        "ground_truth_pages": [{"slug": "a/b", "title": "t", "content": "c"}],
        "rubric": [{"id": "c1", "criterion": "names her", "weight": 2}],
    },
    "tool-schema": {
        "schema_version": 1,
        "stack_id": "lanternfish",
        "read_tools": [{"name": "search", **TOOL}] * 12,
        "dry_run_tools": [{"name": "dry_run_put_page", **TOOL}] * 3,
        "tool_output_max_tokens": 32768,
    },
    "corpus-manifest": {
        "schema_version": 1,
        "corpus_id": "ferry-v1",
        "generated_at": "2026-02-11T09:00:00Z",
        "generator": {"name": "g", "model": "m", "seed": 1, "template_hash": "x"},
        "license": "MIT",
        "items": [
            {
                "slug": "emails/em-0001",
                "path": "a.jsonl",
                "type": "email",
                "content_sha256": "0" * 64,
                "generator_cache_key": "f" * 64,
                "perturbations": ["poison"],
            }
        ],
    },
}


class TestACompanionSchema:
    @pytest.mark.parametrize("name", COMPANION_SCHEMAS)
    def test_takes_what_the_benchmark_writes(self, name: str) -> None:
        assert companion_errors(name, INSTANCES[name], Era.SEED) == []
        assert bool(companion_errors(name, INSTANCES[name])) is (name == "public-probe")

    def test_hides_all_but_three_members_of_a_probe_since_the_audit(self) -> None:
        (error,) = companion_errors("public-probe", PROBE)
        assert error.unknown == ("expected_output_type", "tags", "tier")
        assert companion_errors("public-probe", {"id": "sig-0001", "text": "Who?", "as_of_date": "per-source"}) == []

    def test_knows_34_categories_and_needs_a_shorter_card_since_the_audit(self) -> None:
        card = {"brainbench_version": "0.3.0", "adapter": {"name": "a", "stack_id": "s"}, "corpus_sha": "x", "seed": 1}
        scorecard = {**INSTANCES["scorecard"], "cat": 34, "config_card": card}
        assert companion_errors("scorecard", scorecard) == []
        assert [error.to_json() for error in companion_errors("scorecard", scorecard, Era.SEED)] == [
            {"pointer": "/cat", "keyword": "enum"},
            {"pointer": "/config_card", "keyword": "required", "property": "bun_version"},
            {"pointer": "/config_card", "keyword": "required", "property": "driver_model"},
            {"pointer": "/config_card", "keyword": "required", "property": "judge_model"},
        ]

    def test_knows_a_run_without_an_answer_since_the_audit(self) -> None:
        evidence = copy.deepcopy(INSTANCES["evidence-contract"])
        evidence["tool_call_summary"]["brain_first_ordering"] = "no_answer"
        assert companion_errors("evidence-contract", evidence) == []
        assert len(companion_errors("evidence-contract", evidence, Era.SEED)) == 1

    def test_is_one_of_five(self) -> None:
        with pytest.raises(KeyError):
            companion_schema("../transcript")
        assert all(companion_schema(name, era)["title"] for name in COMPANION_SCHEMAS for era in Era)

    @pytest.mark.parametrize("name", COMPANION_SCHEMAS)
    def test_finds_what_the_original_finds(self, name: str) -> None:
        path = ORIGINALS / f"{name}.schema.json"
        if not path.exists():
            pytest.skip("the original's schemas are not here")
        original = Schema(json.loads(path.read_text(encoding="utf-8")))
        chance = random.Random(name)
        for _ in range(300):
            instance = copy.deepcopy(INSTANCES[name])
            for _ in range(chance.randint(0, 3)):
                _change(instance, chance)
            found = [error.to_json() for error in companion_errors(name, instance, Era.SEED)]
            assert found == [error.to_json() for error in original.errors(instance)]


VALUES = (
    None,
    True,
    1,
    1.0,
    0,
    -1,
    3,
    12,
    13,
    1.5,
    "",
    "x",
    "a/b",
    "corpus-end",
    "2026-02-30",
    "q-0001\n",
    [],
    {},
    ["a"],
)


def _change(value: Any, chance: random.Random) -> None:
    """Take away, replace or add one member or item somewhere."""
    *way, last = chance.choice([place for place in _places(value) if place])
    for step in way:
        value = value[step]
    kind = chance.random()
    if kind < 0.3:
        del value[last]
    elif kind < 0.8:
        value[last] = copy.deepcopy(chance.choice(VALUES))
    elif isinstance(value, dict):
        value["added"] = 1
    else:
        value.append(copy.deepcopy(chance.choice(VALUES)))


def _places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(each for step, part in inner for each in _places(part, (*place, step)))]
