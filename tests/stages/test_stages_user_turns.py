"""User turns are read from lines, a JSON list, a transcript or a fixture; anything else is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.errors import SpecError, UsageError
from proctor.stages.user_turns import read_user_turns, refuse_empty

META = {
    "type": "meta",
    "fixtureId": "f",
    "piAgentCoreVersion": "0.73.1",
    "recordedAt": "2026-05-04T10:20:30Z",
    "scenario": "",
    "systemPromptHash": "ab" * 32,
}
LEDGER = {"input": 0, "cache_read": 0, "cache_creation": 0, "output": 0}


def save(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return path


def fixture(*said: Any) -> str:
    """A fixture whose user says these things, with an answer to each."""
    turns: list[dict[str, Any]] = [
        {"type": "turn", "turnIndex": index, "role": role, "content": content, "tokenLedger": LEDGER}
        for index, each in enumerate(said)
        for role, content in (("user", each), ("assistant", []))
    ]
    return "".join(json.dumps(record) + "\n" for record in (META, *turns, {"type": "assertions", "assertions": []}))


class TestTheTurns:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("turns.txt", "first\nsecond\n"),
            ("turns.txt", "\ufefffirst\r\n\r\n  \nsecond"),
            ("turns.json", '\n["first", "second"]'),
            ("turns", '["first", "second"]'),
            ("turns.yaml", "id: x\nturns:\n- user: first\n- user: second\n  expect: {reply_contains_any: [a]}\n"),
            ("turns.jsonl", fixture("first", [{"type": "text", "text": "second"}])),
        ],
    )
    def test_are_read_from_every_kind_of_file(self, name: str, content: str, tmp_path: Path) -> None:
        assert read_user_turns(save(tmp_path, name, content)) == ("first", "second")

    def test_of_lines_end_with_line_feeds_only(self, tmp_path: Path) -> None:
        assert read_user_turns(save(tmp_path, "t.txt", "a\u2028b\x0bc\n[d\n")) == ("a\u2028b\x0bc", "[d")

    def test_of_a_text_that_only_begins_like_a_list_are_lines(self, tmp_path: Path) -> None:
        assert read_user_turns(save(tmp_path, "t.txt", "[hm] hello\n")) == ("[hm] hello",)

    @given(turns=st.lists(st.text().filter(str.strip), min_size=1, max_size=4))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_of_a_list_are_exactly_those_that_were_written(self, turns: list[str], tmp_path: Path) -> None:
        assert read_user_turns(save(tmp_path, "turns.json", json.dumps(turns))) == tuple(turns)


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("t.txt", "\n \n", "{path} has no user turn"),
            ("t.txt", b"\xff", "{path} is no UTF-8 text"),
            ("t.json", "[]", "{path} has no user turn"),
            ("t.json", '["a", " "]', "{path} has nothing in user turn 2"),
            ("t.json", '{"a": 1}', "{path} is no list of texts"),
            ("t.json", '["a", 1]', "{path} is no list of texts"),
            ("t.json", "a", "{path} is no JSON: Expecting value: line 1 column 1 (char 0)"),
            ("t.suite.yaml", "specs: [a]", "{path} is a suite"),
            ("t.jsonl", '{"id": "a", "dimension": "pii"}', "{path} is a data set of rows"),
            (
                "t.yaml",
                "id: x\nturns:\n- {user: a, audio: a.wav}\n",
                "{path} has audio in turn 1, and a fixture cannot hold it",
            ),
            (
                "t.jsonl",
                fixture([{"type": "image", "data": "", "mimeType": "image/png"}]),
                "{path}:2 has an image, and agents are sent text",
            ),
            ("t.jsonl", fixture(), "{path} has no user turn"),
        ],
    )
    def test_is_told(self, name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
        path = save(tmp_path, name, content)
        with pytest.raises(UsageError) as caught:
            read_user_turns(path)
        assert caught.value.message == message.format(path=path)
        assert caught.value.hint

    @pytest.mark.parametrize(("name", "content"), [("t.yaml", "id: x\n"), ("t.jsonl", '{"type":"meta"}\n')])
    def test_is_a_broken_spec_with_its_problems(self, name: str, content: str, tmp_path: Path) -> None:
        with pytest.raises(SpecError):
            read_user_turns(save(tmp_path, name, content))

    def test_is_what_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="cannot be read: No such file or directory"):
            read_user_turns(tmp_path / "no.txt")

    def test_is_nothing_at_all(self) -> None:
        with pytest.raises(UsageError, match="there is no user turn"):
            refuse_empty([], "there is")
