"""Runs of pi: which messages become turns, in which order, and what is told about the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_runs import HEADER, OLD_HEADER, assistant, call, entries, events, read, refused, result, save, shape, text, user

from proctor.errors import SpecError, UsageError
from proctor.traces.pi_messages import is_pi_file
from proctor.traces.pi_prompt import prompt_hash


def message(value: dict[str, Any], ident: str, parent: str | None) -> dict[str, Any]:
    return {"type": "message", "id": ident, "parentId": parent, "message": value}


class TestTurns:
    def test_messages_become_turns_with_what_a_fixture_keeps(self, tmp_path: Path) -> None:
        said = [
            user(),
            assistant(call(x=1)),
            result(details={"a": 1}),
            assistant(call(ident="c2")),
            result("c2", isError=True),
        ]
        run, warnings = read(save(tmp_path, entries(*said)))
        ledger = {"input": 10, "cache_read": 3, "cache_creation": 2, "output": 4}
        assert list(run.turns) == [
            {"type": "turn", "turnIndex": 0, "role": "user", "content": "hello"},
            {"type": "turn", "turnIndex": 1, "role": "assistant", "content": [call(x=1)], "tokenLedger": ledger},
            {"type": "turn", "turnIndex": 2, "role": "toolResult", "toolUseId": "c1", "content": [text("seen")]},
            {"type": "turn", "turnIndex": 3, "role": "assistant", "content": [call(ident="c2")], "tokenLedger": ledger},
            {
                "type": "turn", "turnIndex": 4, "role": "toolResult", "toolUseId": "c2", "content": [text("seen")],
                "isError": True,
            },
        ]  # fmt: skip
        assert (run.kind, run.session_id, run.recorded_at, warnings) == (
            "session-v3", "s-1", "2026-01-01T00:00:00.000Z", [],
        )  # fmt: skip
        assert list(run.turns[1]["tokenLedger"]) == ["input", "cache_read", "cache_creation", "output"]

    def test_null_content_is_no_block(self, tmp_path: Path) -> None:
        said = [user(None), assistant(content=None), result(content=None)]
        assert [turn["content"] for turn in read(save(tmp_path, entries(*said)))[0].turns] == [[], [], []]

    def test_blocks_and_digits_stay_as_they_are(self, tmp_path: Path) -> None:
        arguments = '{"n":12345678901234567890123,"t":"\\ud83d"}'
        odd = f'{{"type":"toolCall","id":"","name":"x","arguments":{arguments},"later":[1.0]}}'
        line = f'{{"type":"message_end","message":{{"role":"assistant","content":[{odd}],"timestamp":0,"usage":{{'
        line += '"input":-1,"output":2.0,"cacheRead":0,"cacheWrite":1e3}}}\n'
        run, _ = read(save(tmp_path, line.encode()))
        (block,) = run.turns[0]["content"]
        assert block["arguments"] == {"n": 12345678901234567890123, "t": "\ud83d"}
        assert block["later"] == [1.0]
        assert run.turns[0]["tokenLedger"] == {"input": -1, "cache_read": 0, "cache_creation": 1000, "output": 2}
        assert (run.kind, run.recorded_at, run.session_id) == ("json-event-stream", "1970-01-01T00:00:00.000Z", None)

    def test_the_time_of_the_line_stands_in_for_that_of_the_message(self, tmp_path: Path) -> None:
        entry = {"type": "message", "message": user(timestamp=None), "timestamp": "2026-02-03T04:05:06.007Z"}
        assert read(save(tmp_path, entries(entry)))[0].recorded_at == "2026-02-03T04:05:06.007Z"

    @pytest.mark.parametrize("time", [None, True, "yesterday", "2026-13-01", 10**30, "20260203"])
    def test_a_run_without_a_time_is_refused(self, tmp_path: Path, time: Any) -> None:
        assert refused(save(tmp_path, entries(user(timestamp=time)))) == [
            "line 2: the first turn has no time, which a fixture needs as the time of its recording"
        ]


class TestLeftOut:
    @pytest.mark.parametrize("reason", ["error", "aborted", "pending", "deferred"])
    def test_failed_answers_go_with_the_results_of_their_calls(self, tmp_path: Path, reason: str) -> None:
        said = [user(), assistant(call(), stopReason=reason), result(), assistant()]
        path = save(tmp_path, entries(*said))
        run, warnings = read(path)
        assert shape(run) == ["user:text", "assistant:text"]
        assert [turn["turnIndex"] for turn in run.turns] == [0, 1]
        assert warnings == [f"line 3: assistant turn with stopReason {reason} dropped"]
        run, warnings = read(path, keep_failed=True)
        assert (shape(run), warnings) == (
            ["user:text", "assistant:toolCall(look)", "toolResult:text", "assistant:text"],
            [],
        )

    def test_a_call_that_was_tried_again_under_its_id_keeps_its_result(self, tmp_path: Path) -> None:
        said = [user(), assistant(call(), stopReason="error"), result(), assistant(call()), result()]
        assert shape(read(save(tmp_path, entries(*said)))[0]) == [
            "user:text", "assistant:toolCall(look)", "toolResult:text",
        ]  # fmt: skip

    @pytest.mark.parametrize("make", [entries, events])
    def test_messages_that_are_no_turns_are_named(self, tmp_path: Path, make: Any) -> None:
        others = ("bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary", "new\x1b")
        said = [{"role": role, "content": "x"} for role in others]
        run, warnings = read(save(tmp_path, make(user(), *said)))
        assert shape(run) == ["user:text"]
        names = ("bashExecution", "custom", "custom", "branchSummary", "compactionSummary", '"new<1B>"')
        assert [warning.partition(": ")[2] for warning in warnings] == [f"{name} message skipped" for name in names]

    def test_entries_that_the_model_saw_are_named_before_the_messages(self, tmp_path: Path) -> None:
        seen = ("custom_message", "branch_summary", "context_edit", "compaction", "wish")
        unseen = ("custom", "label", "model_change", "session_info", "thinking_level_change", "usage")
        said = [{"role": "custom"}, *({"type": kind} for kind in (*seen, *unseen)), user()]
        assert read(save(tmp_path, entries(*said)))[1] == [
            "line 3: custom_message skipped",
            "line 4: branch_summary skipped",
            "line 5: context_edit skipped",
            "line 6: compaction",
            'line 7: "wish" skipped: no such entry is known here',
            "line 2: custom message skipped",
        ]


class TestBranches:
    LINES = (
        HEADER,
        message(user("one"), "a", None),
        message(assistant(text("two")), "b", "a"),
        message(user("three"), "c", "a"),
        message(assistant(text("four")), "d", "c"),
        {"type": "label", "id": "e", "parentId": "d"},
    )

    def test_the_last_entry_of_the_file_ends_the_conversation(self, tmp_path: Path) -> None:
        run, warnings = read(save(tmp_path, list(self.LINES)))
        assert [turn["content"] for turn in run.turns] == ["one", "three", [text("four")]]
        assert warnings == ["1 message is on another branch"]

    def test_another_branch_can_be_taken(self, tmp_path: Path) -> None:
        run, warnings = read(save(tmp_path, list(self.LINES)), leaf="b")
        assert [turn["content"] for turn in run.turns] == ["one", [text("two")]]
        assert warnings == ["2 messages are on other branches"]

    def test_the_order_of_lines_is_not_that_of_the_tree(self, tmp_path: Path) -> None:
        first, *others = self.LINES
        run, _ = read(save(tmp_path, [first, *reversed(others[:-1])]), leaf="d")
        assert [turn["content"] for turn in run.turns] == ["one", "three", [text("four")]]

    def test_a_leaf_that_is_not_there_names_those_that_are(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as told:
            read(save(tmp_path, list(self.LINES)), leaf="x\x1b")
        assert str(told.value) == ('the session has no entry "x<1B>"\n  hint: the ends of its branches: "b", "e"')

    @pytest.mark.parametrize(
        ("lines", "what"),
        [
            ([OLD_HEADER, {"type": "message", "message": user()}], "a session of format 1"),
            (events(user()), "an event stream"),
        ],
    )
    def test_what_has_no_branches_takes_no_leaf(self, tmp_path: Path, lines: list[Any], what: str) -> None:
        with pytest.raises(UsageError, match=f"^{what} has no branches to choose from\n  hint: leave --leaf out$"):
            read(save(tmp_path, lines), leaf="a")

    @pytest.mark.parametrize(
        ("entry", "said"),
        [
            ({"type": "message", "message": user()}, "this entry has no id"),
            (message(user(), "a", None), 'the id "a" stands at line 2 already'),
            (message(user(), "z", "nowhere"), 'the entry before this one, "nowhere", is not in the file'),
            (message(user(), "z", "z"), "the entries before this one lead back to it"),
            (HEADER, "a second session begins here"),
            ({"id": "z", "parentId": "a"}, 'this entry has no "type"'),
            ({"type": "message", "id": "z", "parentId": "a"}, "this message line has no message"),
        ],
    )
    def test_a_broken_tree_is_refused_or_left_out_on_request(
        self, tmp_path: Path, entry: dict[str, Any], said: str
    ) -> None:
        path = save(tmp_path, [*entries(user("one")), entry])
        path.write_text(path.read_text(encoding="utf-8").replace('"e1"', '"a"'), encoding="utf-8")
        assert refused(path) == [f"line 3: {said}"]
        assert f"line 3: {said}; ignored" in read(path, lenient=True)[1]

    @given(parents=st.lists(st.integers(0, 30), min_size=1, max_size=30), data=st.data())
    def test_the_path_is_that_of_the_parents(
        self, tmp_path_factory: pytest.TempPathFactory, parents: list[int], data: st.DataObject
    ) -> None:
        tree = [min(parent, number) for number, parent in enumerate(parents)]  # 0 is the root
        leaf = data.draw(st.integers(1, len(tree)))
        lines = [
            message(user(str(number)), f"n{number}", f"n{parent}" if parent else None)
            for number, parent in enumerate(tree, 1)
        ]
        way, at = [], leaf
        while at:
            way.append(str(at))
            at = tree[at - 1]
        run, warnings = read(save(tmp_path_factory.mktemp("tree"), [HEADER, *lines]), leaf=f"n{leaf}")
        assert [turn["content"] for turn in run.turns] == way[::-1]
        assert bool(warnings) is (len(way) < len(tree))


class TestFormats:
    def test_format_1_is_a_plain_list(self, tmp_path: Path) -> None:
        said = [{"type": "message", "message": each} for each in (user("one"), assistant(), user("two"))]
        run, warnings = read(save(tmp_path, [OLD_HEADER, *said]))
        assert (run.kind, shape(run), warnings) == ("session-v1", ["user:text", "assistant:text", "user:text"], [])

    def test_an_event_stream_has_every_message_once(self, tmp_path: Path) -> None:
        run, _ = read(save(tmp_path, [HEADER, *events(user(), assistant(call()), result())]))
        assert (run.kind, run.session_id) == ("json-event-stream", "s-1")
        assert shape(run) == ["user:text", "assistant:toolCall(look)", "toolResult:text"]

    @pytest.mark.parametrize("version", [0, 4, "3", True, None, 2.5])
    def test_a_format_that_is_not_known_is_refused(self, tmp_path: Path, version: Any) -> None:
        (told,) = refused(save(tmp_path, [{**HEADER, "version": version}, *entries(user())[1:]]))
        assert told.startswith("line 1: session format ")
        assert told.endswith(" is not known here; known are 1 to 3")

    def test_the_name_is_the_last_that_was_given(self, tmp_path: Path) -> None:
        names = [{"type": "session_info", "name": name} for name in ("first", "second")]
        assert read(save(tmp_path, entries(user(), *names)))[0].name == "second"

    def test_a_file_without_turns_is_refused(self, tmp_path: Path) -> None:
        said = "line 0: holds no message of a user, an assistant or a tool"
        assert refused(save(tmp_path, b"\n \r\n")) == [said]
        assert refused(save(tmp_path, entries({"role": "system", "content": "x"}))) == [said]

    @pytest.mark.parametrize(
        ("lines", "is_pi"),
        [
            ([HEADER], True),
            ([OLD_HEADER], True),
            ([{"type": "response"}, {"type": "message_end", "message": user()}], True),
            ([{"type": "meta", "fixtureId": "x"}, {"type": "turn"}], False),
            ([{"type": ["session"]}, [], {"type": "session"}], False),
            ([{"dimension": "pii", "type": "turn_end"}], False),
            (b"\xff\xfe{}\n", False),
            (b"", False),
        ],
    )
    def test_a_file_is_known_by_its_first_lines(self, tmp_path: Path, lines: list[Any] | bytes, is_pi: bool) -> None:
        assert is_pi_file(save(tmp_path, lines)) is is_pi


IMAGE = {"type": "image", "data": "", "mimeType": ""}
KEYS = st.sampled_from(["type", "role", "content", "timestamp", "usage", "toolCallId", "id", "parentId", "message"])


class TestBadLines:
    @pytest.mark.parametrize(
        ("line", "said"),
        [
            (b"{", "is no JSON: Expecting property name enclosed in double quotes at column 2"),
            (b'{"a": NaN}', "is no JSON: NaN is no JSON number"),
            (b'{"a": 1e999}', 'is no JSON: the number "1e999" is larger than any that a double holds'),
            (b'{"a": ' + b"9" * 400 + b"}", "is no JSON: the number"),
            (b'{"a": "\xff"}', "is no UTF-8 text at byte 8"),
            (b"[1]", "expected a JSON object, got array"),
            (b"null", "expected a JSON object, got null"),
            (b"{} {}", "is no JSON: Extra data at column 4"),
            (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "is nested deeper than 200 levels"),
            (b'{"a":' + b"[" * 90_000 + b"]" * 90_000 + b"}", "is nested deeper than 200 levels"),
        ],
    )
    def test_a_line_that_cannot_be_read_is_told_with_its_number(self, tmp_path: Path, line: bytes, said: str) -> None:
        good = [json.dumps(entry).encode() for entry in entries(user())]
        path = save(tmp_path, b"\n".join([good[0], b" \t", line, good[1]]) + b"\r\n")
        (told,) = refused(path)
        assert told.startswith(f"line 3: {said}")
        run, warnings = read(path, lenient=True)
        assert (shape(run), warnings) == (["user:text"], [f"{told}; ignored"])

    def test_only_a_line_feed_ends_a_line(self, tmp_path: Path) -> None:
        lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in entries(user("a\u2028b\u0085c\x7f")))
        assert read(save(tmp_path, lines.encode()))[0].turns[0]["content"] == "a\u2028b\u0085c\x7f"

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ({"content": "x"}, "this message has no role"),
            ({"role": ["user"]}, "this message has no role"),
            ({"role": "user"}, "this user message has no content"),
            (assistant(content="old"), "this assistant message has a content that is no list of blocks"),
            (user([{"type": "toolCall"}]), 'content[0] is a block "toolCall", and user messages have text or image'),
            (user([text(), 5]), "content[1] is no block with a type, and user messages have text or image"),
            (user([IMAGE]), "content[0].mimeType has to be a text that is not empty"),
            (assistant({"type": "text"}), "content[0].text has to be a text"),
            (assistant({**call(), "arguments": "{}"}), "content[0].arguments has to be an object"),
            (assistant(usage=None), "this assistant message has no usage"),
            (assistant(usage={"input": 1.5}), "usage.input has to be a whole number"),
            (assistant(usage={"input": True}), "usage.input has to be a whole number"),
            (assistant(usage={"input": 2**53}), "usage.input has to be a whole number"),
            (result(toolCallId=""), "this tool result does not say which call it belongs to"),
            (result(toolCallId=["c1"]), "this tool result does not say which call it belongs to"),
        ],
    )
    def test_a_message_that_no_turn_can_hold_is_told(self, tmp_path: Path, value: dict[str, Any], said: str) -> None:
        path = save(tmp_path, entries(user(), value))
        assert refused(path) == [f"line 3: {said}"]
        assert read(path, lenient=True)[1] == [f"line 3: {said}; ignored"]

    JSON = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["user", "assistant", "e1"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
        max_leaves=12,
    )

    @given(
        lines=st.lists(JSON | st.fixed_dictionaries({"type": st.sampled_from(["message", "message_end"])}), max_size=4),
        message=JSON,
        lenient=st.booleans(),
    )
    def test_any_json_gives_turns_or_problems(
        self, tmp_path_factory: pytest.TempPathFactory, lines: list[Any], message: Any, lenient: bool
    ) -> None:
        lines = [HEADER, *lines, {"type": "message", "id": "e1", "parentId": None, "message": message}]
        try:
            run, _ = read(save(tmp_path_factory.mktemp("any"), lines), lenient=lenient)
        except SpecError:
            return
        assert run.turns


class TestPrompt:
    @pytest.mark.parametrize("make", [entries, events])
    def test_system_messages_before_the_first_answer_make_it(self, tmp_path: Path, make: Any) -> None:
        system = [
            {"role": "system", "content": "Base.", "sections": {"a": "A", "b": "B", "c": ""}},
            {"role": "system", "content": [text("More"), text("of it.")], "sections": {"a": None, "b": "B2", "d": "D"}},
        ]
        later = {"role": "system", "content": "Later.", "sections": {}}
        run, warnings = read(save(tmp_path, make(*system, user(), assistant(), later, user())))
        assert run.prompt == "Base.\n\nMore\nof it.\n\nB2\n\nD"
        assert (shape(run), warnings) == (["user:text", "assistant:text", "user:text"], [])

    def test_it_is_not_known_without_one(self, tmp_path: Path) -> None:
        assert read(save(tmp_path, entries(user())))[0].prompt is None
        assert read(save(tmp_path, entries({"role": "system", "content": ""}, user())))[0].prompt == ""

    @pytest.mark.parametrize(
        ("prompt", "digest"),
        [
            ("You are a careful clerk.", "2eec03df053eeaa452c9096a762e04e4ab838bca33794ef344199e69ec4a0ba6"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ],
    )
    def test_its_hash_is_that_of_its_bytes(self, prompt: str, digest: str) -> None:
        assert prompt_hash(prompt) == digest

    def test_lone_surrogates_count_as_in_javascript(self) -> None:
        assert prompt_hash("a\ud83d") == prompt_hash("a\ufffd") != prompt_hash("a?")
