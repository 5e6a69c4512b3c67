"""The published schemas: fresh, equal to the format's own, and of one mind with the loader."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from user_project import UserProject

from proctor.formats import FORMATS, Defaults, format_named
from proctor.formats.schema import published_schema
from proctor.formats.suite import Suite, load_suite

TRANSCRIPT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "turns"],
    "properties": {
        "id": {"type": "string"},
        "threshold": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.8},
        "runs": {"type": "integer", "minimum": 1, "default": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "turns": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["user"],
                "properties": {
                    "user": {"type": "string"},
                    "audio": {"type": "string"},
                    "expect": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            **{
                                name: {"type": "array", "items": {"type": "string"}}
                                for name in (
                                    "reply_contains_any", "reply_contains_all", "reply_matches_any",
                                    "reply_matches_all", "tool_calls_include", "tool_calls_exclude",
                                )
                            },
                            "tool_calls_ordered": {"type": "boolean", "default": False},
                            "tool_calls_args": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "additionalProperties": False,
                                    "required": ["tool"],
                                    "anyOf": [{"required": ["args"]}, {"required": ["judge"]}],
                                    "properties": {
                                        "tool": {"type": "string"},
                                        "args": {"type": "object"},
                                        "mode": {"type": "string", "enum": ["subset", "exact"], "default": "subset"},
                                        "judge": {
                                            "type": "object",
                                            "additionalProperties": False,
                                            "required": ["rubric"],
                                            "properties": {"rubric": {"type": "string"}, "model": {"type": "string"}},
                                        },
                                    },
                                },
                            },
                            "judge": {
                                "type": "object",
                                "additionalProperties": False,
                                "required": ["rubric"],
                                "properties": {"rubric": {"type": "string"}, "model": {"type": "string"}},
                            },
                        },
                    },
                },
            },
        },
    },
}  # fmt: skip
"""The schema of pytest-agent-eval 0.3.0 without titles and descriptions, and with its definitions put in place."""


def normalised(schema: dict[str, Any]) -> Any:
    """A schema without what changes no verdict: titles, descriptions, $id, and the names of definitions."""
    definitions = schema.get("$defs", {})

    def resolve(part: Any, *, is_schema: bool = True) -> Any:
        if isinstance(part, list):
            return [resolve(item) for item in part]
        if not isinstance(part, dict):
            return part
        if not is_schema:  # a mapping of names to schemas
            return {name: resolve(inner) for name, inner in part.items()}
        if "$ref" in part:
            return resolve(
                {**definitions[part["$ref"].rpartition("/")[2]], **{k: v for k, v in part.items() if k != "$ref"}}
            )
        left_out = ("$schema", "$id", "$defs", "title", "description")
        return {
            key: resolve(value, is_schema=key != "properties") for key, value in part.items() if key not in left_out
        }

    return resolve(schema)


class TestTheTranscriptSchema:
    def test_equals_that_of_the_format(self, project: UserProject) -> None:
        assert normalised(project.proctor("schema", "transcript").json()) == TRANSCRIPT

    @pytest.mark.requires("peer-files")
    def test_equals_the_file_that_the_format_publishes(self, require: Any) -> None:
        peer_files = require("peer-files")
        found = [
            path for folder in (peer_files, peer_files.parent / "schemas") for path in folder.rglob("*transcript*.json")
            if "pytest-agent-eval" in path.read_text(encoding="utf-8", errors="replace")[:400]
        ]  # fmt: skip
        if not found:
            pytest.skip("the peer's schema is not among its files")
        for path in found:
            assert normalised(json.loads(path.read_text(encoding="utf-8"))) == TRANSCRIPT


OF_MODELS = [format_ for format_ in FORMATS if hasattr(type(format_), "model")]
"""The formats whose schema is made from a model; that of the others is a rule that was given."""


class TestThePublishedFiles:
    @pytest.mark.parametrize("format_", OF_MODELS, ids=lambda format_: format_.name)
    def test_are_fresh(self, format_: Any) -> None:
        name = f"schemas/{format_.name}.schema.json"
        wanted = published_schema(format_.model, format_.title, f"urn:proctor:schema:{format_.name}")
        assert json.loads((files("proctor.formats") / name).read_text(encoding="utf-8")) == wanted

    def test_of_suites_is_fresh(self) -> None:
        found = json.loads((files("proctor.formats") / "schemas/suite.schema.json").read_text(encoding="utf-8"))
        assert found == published_schema(Suite, found["title"], "urn:proctor:schema:suite")

    def test_describe_every_key(self) -> None:
        for name in ("transcript", "suite"):
            schema = json.loads((files("proctor.formats") / f"schemas/{name}.schema.json").read_text("utf-8"))
            for block in (schema, *schema["$defs"].values()):
                for key, part in block.get("properties", {}).items():
                    if name == "transcript":
                        assert "description" in part, key


# Documents that are nearly right: each part is now and then of another type, missing, or misspelt.
wrong = st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -1, "", "text", [], ["a"], [1], [None], {}, {"a": 1}])
text, texts = st.text('aé東🚀: -#\n"', max_size=3), st.lists(st.text("ab", max_size=2), max_size=2)


def nearly(good: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A good value, and sometimes another one."""
    return st.integers(0, 19).flatmap(lambda number: wrong if number == 0 else good)


def block(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A mapping whose parts are nearly right, and sometimes with an unknown key or without a required one."""
    whole = st.fixed_dictionaries(
        {key: nearly(value) for key, value in required.items()},
        optional={key: nearly(value) for key, value in optional.items()},
    )
    extra = st.sampled_from([{}] * 29 + [{"extra": 1}])
    lacking = st.sampled_from([None] * 29 + [*required])
    return st.builds(
        lambda found, more, key: {name: value for name, value in {**found, **more}.items() if name != key},
        whole, extra, lacking,
    )  # fmt: skip


judge = block({"rubric": text}, {"model": text})
arguments = block(
    {"tool": text},
    {"args": st.dictionaries(text, wrong, max_size=2), "mode": st.sampled_from(["subset", "exact"]), "judge": judge},
)
expect = block(
    {},
    {
        **dict.fromkeys(
            ("reply_contains_any", "reply_contains_all", "tool_calls_include", "tool_calls_exclude"), texts
        ),
        **dict.fromkeys(("reply_matches_any", "reply_matches_all"), texts),
        "tool_calls_ordered": st.booleans(),
        "tool_calls_args": st.lists(arguments, max_size=2),
        "judge": judge,
    },
)
turn = block({"user": text}, {"audio": text, "expect": expect})
transcripts = block(
    {"id": text, "turns": st.lists(turn, max_size=2)},
    {
        "threshold": st.sampled_from([0, 1, 0.5, 0.0, 1.0, -0.1, 1.1, 2, True, "1"]),
        "runs": st.sampled_from([1, 2, 3.0, 0, -1, 1.5, True, "1", 10**30]),
        "tags": texts,
    },
)
VALIDATOR = jsonschema.Draft202012Validator(TRANSCRIPT)


class TestTheLoader:
    @settings(max_examples=1500, deadline=None)
    @given(transcripts)
    def test_accepts_what_the_schema_accepts(self, document: Any) -> None:
        data = json.dumps(document, ensure_ascii=False).encode()
        problems = format_named("transcript").load(Path("case.yaml"), data, Defaults()).problems
        refused = [problem for problem in problems if problem.severity == "error"]
        assert bool(refused) == (not VALIDATOR.is_valid(document)), refused

    @settings(max_examples=300, deadline=None)
    @given(transcripts)
    def test_gives_a_place_for_every_problem(self, document: Any) -> None:
        text = yaml.safe_dump(document, sort_keys=False)
        lines = text.splitlines()
        for problem in format_named("transcript").load(Path("case.yaml"), text.encode(), Defaults()).problems:
            assert 1 <= problem.line <= len(lines) + 1
            assert problem.column >= 1
            assert problem.code
            assert str(problem).startswith(f"case.yaml:{problem.line}:{problem.column}: ")

    @pytest.mark.parametrize(
        ("key", "text"), [("threshold", ".nan"), ("turns", "[{user: a, expect: {reply_matches_any: ['(']}}]")]
    )
    def test_alone_refuses_no_number_and_bad_patterns(self, key: str, text: str) -> None:
        document = {"id": "a", "turns": "[{user: a}]", key: text}
        data = "".join(f"{name}: {value}\n" for name, value in document.items())
        assert VALIDATOR.is_valid(yaml.safe_load(data))
        assert format_named("transcript").load(Path("case.yaml"), data.encode(), Defaults()).cases == ()


suites = block(
    {"specs": st.lists(st.text("ab", min_size=1), min_size=1, max_size=2)},
    {
        "suite": st.just(1),
        "name": st.text("ab", max_size=2),
        "purpose": st.sampled_from(["release", "triage", "self-test", "other"]),
        "agents": st.dictionaries(
            st.sampled_from(["a", "b-1", "-a", ""]),
            st.just("pkg:agent") | block({"python": text}, {"version": text, "inputs": texts}),
            max_size=2,
        ),
        "judge": st.just("x:y")
        | block({}, {"model": text, "retries": st.integers(-1, 21), "timeout": st.integers(0, 9)}),
        "runs": st.integers(0, 3),
        "threshold": st.sampled_from([0, 0.5, 1, 2]),
        "concurrency": st.integers(0, 2),
        "timeouts": block({}, {"turn": st.integers(0, 3), "trial": st.sampled_from([0.5, 86_401])}),
        "gates": st.dictionaries(st.sampled_from(["g", "two words", " g", ""]), block({}, {"tags": texts}), max_size=1),
        "allow": block({}, {"errored": st.sampled_from([0, 0.1, 2])}),
        "checks": st.lists(st.just("pkg:Check") | block({"use": st.just("a:B")}, {"with": st.just({})}), max_size=1),
        "environment": texts,
        "report": block({}, {"formats": st.lists(st.sampled_from(["html", "pdf"]), max_size=2), "dir": text}),
        "compat": st.sampled_from(["strict", "upstream", "loose"]),
    },
)


class TestTheSuiteLoader:
    SCHEMA = jsonschema.Draft202012Validator(
        json.loads((files("proctor.formats") / "schemas/suite.schema.json").read_text(encoding="utf-8"))
    )

    @settings(max_examples=800, deadline=None)
    @given(suites)
    def test_accepts_what_the_schema_accepts(self, document: Any) -> None:
        """But for what a schema cannot say: an agent has exactly one kind, and 1.0 is written 1."""
        suite, _, problems = load_suite(Path("a.suite.yaml"), json.dumps(document, ensure_ascii=False).encode())
        unsaid = ("exactly one of 'python'", "must be a whole number, got a number (")
        if not problems or not all(any(words in problem.message for words in unsaid) for problem in problems):
            assert (suite is None) == (not self.SCHEMA.is_valid(document)), problems
