"""A trial becomes a fixture that loads, says what was done, and passes its own assertions."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from trial_samples import HEAD, PATH, built, case, fixture, records, trial, trials

from proctor.checks.pi.trace import trace_of
from proctor.convert import FixtureHead, build_fixture
from proctor.formats.pi.recording import recorded_trace, recorded_trial
from proctor.masking import Masker
from proctor.plan import CheckContext
from proctor.results import CheckResult
from proctor.trajectory import Step, ToolCall, Trajectory, TurnRecord, Usage

NOTHING = {"input": 0, "cache_read": 0, "cache_creation": 0, "output": 0}


def say(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(*content: dict[str, Any], ledger: dict[str, int] = NOTHING) -> dict[str, Any]:
    return {"role": "assistant", "content": [*content], "tokenLedger": ledger}


def call(ident: str, name: str = "look", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": ident, "name": name, "arguments": arguments}


def result(ident: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "toolResult", "toolUseId": ident, "content": [*content], **more}


def outcomes(trajectory: Trajectory, masker: Masker | None = None) -> list[bool]:
    """Whether each assertion of the fixture of a trial holds for the trial that it records."""
    found = case(trajectory, masker)
    assert found.recorded is not None
    context = CheckContext(found, found.recorded.trajectory)
    results = [check.evaluate(context) for check in found.checks]
    return [isinstance(each, CheckResult) and each.passed for each in results]


class TestEveryFixture:
    @given(trials)
    def test_loads_and_passes_its_own_assertions(self, trajectory: Trajectory) -> None:
        made = sum(len(turn.tool_calls) for turn in trajectory.turns)
        assert outcomes(trajectory) == [True] * (made + 1)

    @given(trials)
    def test_does_so_when_it_is_masked_too(self, trajectory: Trajectory) -> None:
        assert all(outcomes(trajectory, Masker({"SOME_TOKEN": "abcdefghij0123456789"})))

    @given(trials)
    def test_records_what_was_said_called_and_used(self, trajectory: Trajectory) -> None:
        again = recorded_trial(fixture(trajectory)).trajectory
        assert [(turn.user, turn.reply) for turn in again.turns] == [
            (turn.user, turn.reply) for turn in trajectory.turns
        ]
        assert [[each.name for each in turn.tool_calls] for turn in again.turns] == [
            [each.name for each in turn.tool_calls] for turn in trajectory.turns
        ]
        assert [each.is_error for turn in again.turns for each in turn.tool_calls] == [
            each.is_error for turn in trajectory.turns for each in turn.tool_calls
        ]
        for was, now in zip(trajectory.turns, again.turns, strict=True):
            assert now.usage is not None
            used = was.usage or Usage()
            assert (now.usage.input_tokens, now.usage.output_tokens) == (used.input_tokens, used.output_tokens)
            assert (now.usage.cache_read_tokens, now.usage.cache_write_tokens) == (
                used.cache_read_tokens,
                used.cache_write_tokens,
            )

    @given(trials)
    def test_has_ids_that_tell_calls_apart_and_a_result_for_each(self, trajectory: Trajectory) -> None:
        turns = fixture(trajectory).turns
        ids = [block["id"] for turn in turns for block in turn.calls]
        results = [turn.record["toolUseId"] for turn in turns if turn.role == "toolResult"]
        assert len(set(ids)) == len(ids)
        assert results == ids
        assert all(ids)

    @given(trials)
    def test_counts_its_turns_from_0(self, trajectory: Trajectory) -> None:
        indexes = [turn.index for turn in fixture(trajectory).turns]
        assert indexes == list(range(len(indexes)))
        assert all(later == earlier + 1 for earlier, later in pairwise(indexes))

    @given(trials)
    def test_has_the_messages_that_checks_take_a_trial_for_where_steps_are_not_known(
        self, trajectory: Trajectory
    ) -> None:
        plain = trial(*(TurnRecord(turn.user, turn.reply, turn.tool_calls) for turn in trajectory.turns if turn.reply))
        found, taken = recorded_trace(fixture(plain)), trace_of(plain)
        assert [(turn.role, turn.text) for turn in found.turns] == [(turn.role, turn.text) for turn in taken.turns]
        assert [each.name for each in found.calls] == [each.name for each in taken.calls]


class TestAConversation:
    def test_is_written_message_by_message(self) -> None:
        look = ToolCall("look", {"what": "tea"}, "own", {"price": 3})
        turn = TurnRecord("tea?", "3 dollars", (look,), usage=Usage(7, 2, 100, 4))
        ledger = {"input": 7, "cache_read": 100, "cache_creation": 4, "output": 2}
        assert records(trial(turn, TurnRecord("thanks", "bye"))) == [
            user("tea?"),
            assistant(call("own", what="tea")),
            result("own", say('{"price":3}')),
            assistant(say("3 dollars"), ledger=ledger),
            user("thanks"),
            assistant(say("bye")),
        ]

    def test_has_its_steps_where_they_are_known(self) -> None:
        made = (ToolCall("look", {}, "a", 1), ToolCall("look", {}, "b", 2), ToolCall("book", {}, "c", 3))
        steps = (Step("one moment", 2), Step("", 1), Step("said", 0))
        assert records(trial(TurnRecord("q", "done", made, steps=steps))) == [
            user("q"),
            assistant(say("one moment"), call("a"), call("b")),
            result("a", say("1")),
            result("b", say("2")),
            assistant(call("c", "book")),
            result("c", say("3")),
            assistant(say("done")),
        ]

    def test_does_not_trust_steps_that_do_not_account_for_the_calls(self) -> None:
        turn = TurnRecord("q", "done", (ToolCall("look", {}, "a", "x"),), steps=(Step("hm", 2), Step("done")))
        assert records(trial(turn))[1:] == [assistant(call("a")), result("a", say("x")), assistant(say("done"))]

    def test_keeps_an_empty_reply_and_no_reply_apart(self) -> None:
        assert records(trial(TurnRecord("q", "")))[1] == assistant(say(""))
        assert records(trial(TurnRecord("q", None)))[1] == assistant()

    def test_ends_with_its_calls_where_there_was_no_reply(self) -> None:
        turn = TurnRecord("q", None, (ToolCall("hang_up", {}, "a", "ok"),), usage=Usage(1, 2))
        ledger = {"input": 1, "cache_read": 0, "cache_creation": 0, "output": 2}
        assert records(trial(turn))[1:] == [assistant(call("a", "hang_up"), ledger=ledger), result("a", say("ok"))]

    def test_gives_ids_to_calls_that_have_none_or_one_that_is_taken(self) -> None:
        names = (None, "x", "x", "call-1", "")
        turn = TurnRecord("q", "a", tuple(ToolCall("look", {}, name, "r") for name in names))
        ids = [block["id"] for block in records(trial(turn))[1]["content"]]
        assert ids == ["call-2", "x", "call-3", "call-1", "call-4"]

    def test_marks_failed_results_and_spells_them_as_json(self) -> None:
        made = (ToolCall("a", {}, "1", ["café", None], is_error=True), ToolCall("b", {}, "2", None, is_error=True))
        found = [turn for turn in records(trial(TurnRecord("q", "a", made))) if turn["role"] == "toolResult"]
        assert found == [result("1", say('["café",null]'), isError=True), result("2", isError=True)]

    def test_says_of_arguments_that_are_no_object_what_they_were(self) -> None:
        made = (ToolCall("a", None, "1", "r"), ToolCall("b", '{"x": ', "2", "r"), ToolCall("c", [1], "3", "r"))
        blocks = records(trial(TurnRecord("q", "a", made)))[1]["content"]
        assert [block["arguments"] for block in blocks] == [{}, {}, {}]
        assert [block["argumentsError"] for block in blocks] == [
            "the arguments were not recorded",
            'no JSON object: {"x": ',
            "no JSON object: [1]",
        ]

    def test_has_numbers_that_no_double_holds_as_texts(self) -> None:
        large = 2**1024
        turn = TurnRecord("q", "a", (ToolCall("look", {"n": [large, 2**1000, True]}, "1", "r"),))
        [block] = records(trial(turn))[1]["content"]
        assert block["arguments"] == {"n": [str(large), 2**1000, True]}


class TestTheHead:
    def test_says_who_wrote_it_and_nothing_that_is_not_known(self) -> None:
        meta = fixture(trial(TurnRecord("q", "a"))).meta
        assert meta.record == {
            "type": "meta",
            "fixtureId": "f",
            "piAgentCoreVersion": meta.pi_version,
            "recordedAt": "2031-05-06T19:00:00.000Z",
            "scenario": "Books a table.",
            "systemPromptHash": "unknown",
        }
        assert meta.pi_version.startswith("proctor/")

    def test_says_what_the_user_says(self) -> None:
        head = FixtureHead("f", HEAD.recorded_at, "", "0.73.1", "ab" * 32)
        made = build_fixture(trial(TurnRecord("q", "a")), head, PATH, None)
        assert b'"piAgentCoreVersion":"0.73.1"' in made.data
        assert ("ab" * 32).encode() in made.data


class TestWhatAReaderShouldKnow:
    def warnings(self, *turns: TurnRecord) -> list[str]:
        return [str(problem) for problem in built(trial(*turns)).warnings if problem.code != "odd_hash"]

    def test_is_nothing_where_all_is_known(self) -> None:
        made = (ToolCall("look", {}, "a", "r"), ToolCall("look", {}, "b", "r"))
        assert self.warnings(TurnRecord("q", "a", made, usage=Usage(1), steps=(Step(calls=2), Step("a")))) == []

    def test_is_what_the_trial_does_not_tell(self) -> None:
        assert self.warnings(TurnRecord("q", "a", (ToolCall("look"), ToolCall("book")))) == [
            "f.jsonl: warning [one_message] which calls of a turn were made together is not known: one message has all",
            "f.jsonl: warning [no_usage] the agent told no tokens for some turn: its token ledger has zeros",
            "f.jsonl: warning [no_arguments] the arguments of some call are no object: argumentsError says so",
            "f.jsonl: warning [no_result] the result of some call is not known: it is empty",
        ]

    def test_is_that_the_prompt_is_not_known(self) -> None:
        [problem] = built(trial(TurnRecord("q", "a", usage=Usage(1)))).warnings
        assert (problem.code, problem.pointer) == ("odd_hash", "systemPromptHash")

    def test_is_why_a_trial_cannot_be_a_fixture(self) -> None:
        made = built(trial(TurnRecord("q", "a", usage=Usage(2**60))))
        assert made.error is not None
        assert made.error.pointer == "tokenLedger.input"
