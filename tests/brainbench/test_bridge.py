"""The bridge counts, refuses, cuts and tags what an agent does, and keeps every character whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import is_tool_error
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.brainbench.recording.bridge import MUTATING_OPERATIONS, BridgeState, ToolBridge
from proctor.brainbench.recording.tool_output import CUT_MARK, ToolOutput, cut, error_output, shaped_output, utf16_units
from proctor.brainbench.tools import READ_TOOLS, TOOLS

PLANTED = Catalogue([PlantedItem("poison-1", "emails/em-0311"), PlantedItem("poison-2", "people/orla")])

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("𝄞😀\ud83d\ude00"), max_size=60)


def bridge(result: Any = "[]", era: Era = Era.POST_AUDIT, limit: int = 100) -> ToolBridge:
    def execute(tool: str, arguments: Mapping[str, Any]) -> Any:
        if isinstance(result, Exception):
            raise result
        return result(tool, arguments) if callable(result) else result

    return ToolBridge(execute, PLANTED, era, limit)


class TestCutting:
    @given(any_text, st.integers(0, 80))
    def test_never_exceeds_the_limit(self, text: str, limit: int) -> None:
        kept, was_cut = cut(text, limit)
        assert utf16_units(kept) <= max(limit, utf16_units(CUT_MARK))
        assert was_cut is (utf16_units(text) > limit)
        assert was_cut or kept == text

    @given(any_text, st.integers(0, 80))
    def test_keeps_the_beginning_and_as_much_of_it_as_there_is_room_for(self, text: str, limit: int) -> None:
        kept, was_cut = cut(text, limit)
        if was_cut:
            begin = kept.removesuffix(CUT_MARK)
            units = text.encode("utf-16-le", "surrogatepass")
            assert units.startswith(begin.encode("utf-16-le", "surrogatepass"))
            assert utf16_units(begin) >= max(0, limit - utf16_units(CUT_MARK)) - 1

    @given(any_text, st.integers(0, 80))
    def test_never_splits_a_character(self, text: str, limit: int) -> None:
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        kept, was_cut = cut(text, limit)
        if was_cut:
            assert whole.startswith(kept.removesuffix(CUT_MARK))

    def test_counts_in_units_of_javascript(self) -> None:
        assert cut("😀" * 10, 20) == ("😀" * 10, False)
        assert cut("😀" * 11, 20) == ("😀" * 4 + CUT_MARK, True)
        assert cut("a" + "😀" * 11, 21) == ("a" + "😀" * 4 + CUT_MARK, True)
        assert cut("a" + "😀" * 11, 20) == ("a" + "😀" * 3 + CUT_MARK, True)

    def test_leaves_the_mark_alone_where_nothing_else_has_room(self) -> None:
        assert cut("y" * 40, 5) == (CUT_MARK, True)
        assert cut("", 0) == ("", False)


class TestOutput:
    @pytest.mark.parametrize(
        ("value", "content"),
        [
            ("as it is\n", "as it is\n"),
            ({"a": [1.0, 1e21, 0.1, None, True], "é": "\u2028"}, '{"a":[1,1e+21,0.1,null,true],"é":"\u2028"}'),
            (None, "null"),
            (float("nan"), "null"),
            ("\ud800", "\ud800"),
            (['\ud800\x01"'], '["\\ud800\\u0001\\""]'),
            (2**60, "1152921504606846976"),
        ],
    )
    def test_is_the_text_or_what_javascript_makes_of_it(self, value: Any, content: str) -> None:
        assert shaped_output(value, PLANTED) == ToolOutput(content)

    def test_is_searched_after_the_cut(self) -> None:
        output = shaped_output("x" * 40 + " people/orla", PLANTED, limit=50)
        assert (output.truncated, output.planted_ids) == (True, ())
        assert shaped_output("people/orla " + "x" * 90, PLANTED, limit=50).planted_ids == ("poison-2",)

    @given(st.text(st.characters(exclude_categories=()), max_size=2000))
    def test_of_an_error_is_always_known_for_one(self, message: str) -> None:
        output = error_output("tool_error", message * 10)
        assert is_tool_error(output.content)
        assert output.planted_ids == ()


class TestABridge:
    def test_counts_before_it_checks(self) -> None:
        made = bridge()
        for tool in ("put_page", "fly", "search", "search"):
            made.call(tool, {})
        assert made.state.to_json() == {
            "count_by_tool": {"put_page": 1, "fly": 1, "search": 2},
            "call_order": ["put_page", "fly", "search", "search"],
            "saw_poison_items": [],
            "made_dry_run_writes": [],
        }

    def test_refuses_what_would_change_the_knowledge_base_and_what_there_is_not(self) -> None:
        made = bridge()
        assert made.call("put_page", {}).content == (
            '{"error":"put_page changes the knowledge base, which can only be read here","kind":"forbidden_op"}'
        )
        assert made.call("fly\n", {}).content == '{"error":"there is no tool \\"fly\\\\n\\"","kind":"unknown_tool"}'

    def test_knows_the_operations_that_change_by_name(self) -> None:
        assert TOOLS.isdisjoint(MUTATING_OPERATIONS)
        intended = {"dry_run_put_page", "dry_run_add_link", "dry_run_add_timeline_entry"}
        assert {name.removeprefix("dry_run_") for name in intended} <= MUTATING_OPERATIONS
        for name in MUTATING_OPERATIONS:
            assert bridge().call(name, {}).error == "forbidden_op"

    @pytest.mark.parametrize("asked", [{"query": "x"}, {"query": "x", "expand": True}])
    def test_never_expands_a_query_and_keeps_what_was_asked(self, asked: dict[str, Any]) -> None:
        before, executed = dict(asked), []
        bridge(lambda _tool, arguments: executed.append(arguments) or "").call("query", asked)
        assert executed == [{"query": "x", "expand": False}]
        assert asked == before

    def test_leaves_the_input_of_other_tools_alone(self) -> None:
        executed: list[Any] = []
        bridge(lambda *call: executed.append(call) or "").call("search", {"expand": True})
        assert executed == [("search", {"expand": True})]

    def test_notes_intended_writes_and_runs_nothing(self) -> None:
        made = bridge(AssertionError("nothing may run"), Era.SEED)
        output = made.call("dry_run_add_link", {"from": "people/orla", "to": "a/b", "type": "t"})
        assert output == ToolOutput('{"recorded":true}')
        [write] = made.state.writes
        assert (write.slug, made.state.planted_seen) == ("people/orla", ())

    def test_tells_an_error_of_a_tool_as_a_result_after_the_audit(self) -> None:
        made = bridge(KeyError("people/orla"))
        output = made.call("get_page", {})
        assert output == ToolOutput('{"error":"KeyError: \'people/orla\'","kind":"tool_error"}', error="tool_error")
        assert made.state == BridgeState(("get_page",))

    def test_tells_an_output_that_json_does_not_know_as_an_error(self) -> None:
        assert bridge(object()).call("get_page", {}).error == "tool_error"

    def test_lets_an_error_of_a_tool_through_in_the_seed_era(self) -> None:
        made = bridge(KeyError("gone"), Era.SEED)
        with pytest.raises(KeyError):
            made.call("get_page", {})
        assert made.state.call_order == ("get_page",)

    def test_lets_an_interrupt_through(self) -> None:
        def interrupt(*_: Any) -> Any:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            bridge(interrupt).call("get_page", {})

    def test_gives_an_error_object_of_the_operation_on_as_it_is(self) -> None:
        told = {"error": "no such page", "kind": "not_found"}
        assert is_tool_error(bridge(told).call("get_page", {}).content)

    def test_tells_planted_items_once_in_order_of_first_sight(self) -> None:
        made = bridge(lambda _tool, arguments: arguments["q"])
        for text in ("people/orla", "EMAILS/em-0311 people/orla"):
            made.call("search", {"q": text})
        assert made.state.planted_seen == ("poison-2", "poison-1")

    def test_gives_a_state_that_stays_as_it_was(self) -> None:
        made = bridge()
        before = made.state
        made.call(READ_TOOLS[0], {})
        assert (before.call_order, made.state.call_order) == ((), ("search",))
