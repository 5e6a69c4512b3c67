"""What the recorder guarantees and the schema does not: a finding for each way to break it, none for a good run."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_transcripts import answer, call, findings_in, model, result, transcript, usual

from proctor.brainbench.facts import facts_of
from proctor.brainbench.findings.invariants import Level, unread_citations
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.brainbench.recording.tool_output import CONTENT_LIMIT, CUT_MARK

PLANTED = Catalogue([PlantedItem("p-1", "emails/em-0029"), PlantedItem("p-2", "slack/sl-0178")])


def found(value: dict[str, Any], catalogue: Catalogue | None = None) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in findings_in(value, catalogue)]


def only(value: dict[str, Any], code: str, pointer: str, level: Level, catalogue: Catalogue | None = None) -> str:
    """The sentence of the one finding that there is."""
    (finding,) = findings_in(value, catalogue)
    assert (finding.code, finding.pointer, finding.level) == (code, pointer, level)
    return finding.message


class TestAGoodRun:
    @pytest.mark.parametrize(
        "value",
        [
            usual(),
            transcript(answer()),
            transcript(model("end_turn"), answer()),
            transcript(model(), call(), result(), call("query"), result(tool="query"), model("end_turn"), answer()),
            transcript(model(), call(), result(), answer("")),
            usual(
                "[]", "See [Orla](people/orla-venn) and `people/teo-brandt`.", "people/teo-brandt", "people/orla-venn"
            ),
        ],
    )
    def test_has_no_findings(self, value: dict[str, Any]) -> None:
        assert findings_in(value, PLANTED) == ()

    def test_may_have_members_of_its_own_in_open_places(self) -> None:
        value = usual({"x": [1]})
        value["adapter"]["commit"] = ["9f2c"]
        value["turns"][0] |= {"latency_ms": None, "model_call": {**value["turns"][0]["model_call"], "cache": {}}}
        assert found(value) == [("content_not_string", "/turns/2/tool_result/content")]


class TestTurns:
    def test_are_missed(self) -> None:
        assert only(transcript(), "empty_turns", "/turns", Level.ERROR) == "there are no turns"

    def test_are_counted_from_0(self) -> None:
        value = usual()
        value["turns"][3]["turn_index"] = 4
        said = only(value, "turn_index_sequence", "/turns/3/turn_index", Level.WARN)
        assert said == "turn_index is 4, but counted from 0 this is turn 3"

    def test_may_be_counted_in_whole_floats(self) -> None:
        value = usual()
        value["turns"][3]["turn_index"] = 3.0
        assert found(value) == []

    def test_carry_what_their_kind_says(self) -> None:
        value = usual()
        del value["turns"][0]["model_call"]
        value |= {"total_input_tokens": 10, "total_output_tokens": 5}
        said = only(value, "payload_missing", "/turns/0", Level.ERROR)
        assert said == "a turn of the kind model_call has no member model_call"

    def test_carry_nothing_else(self) -> None:
        value = usual()
        value["turns"][4] |= {"model_call": {"input_tokens": 7}, "tool_result": {"content": "x"}}
        assert found(value) == [
            ("payload_foreign", "/turns/4/model_call"),
            ("payload_foreign", "/turns/4/tool_result"),
        ]

    def test_of_a_model_never_use_fewer_than_no_tokens(self) -> None:
        value = transcript(model("end_turn", (-3, -4)), answer(), total_input_tokens=-3, total_output_tokens=-4)
        assert found(value) == [
            ("negative_tokens", "/turns/0/model_call/input_tokens"),
            ("negative_tokens", "/turns/0/model_call/output_tokens"),
        ]
        assert findings_in(value)[0].message == "a model call cannot have -3 input tokens"
        assert findings_in(value)[0].level is Level.ERROR


class TestTheFinalAnswer:
    def test_is_missed(self) -> None:
        value = transcript(model(), call(), result())
        assert only(value, "final_answer_missing", "/turns", Level.ERROR) == "there is no final answer"

    def test_is_the_last_turn(self) -> None:
        value = transcript(answer(), model("end_turn"))
        only(value, "final_answer_not_last", "/turns/0", Level.ERROR)

    def test_comes_once(self) -> None:
        value = transcript(model("end_turn"), answer(), answer(), answer())
        assert found(value) == [
            ("final_answer_not_last", "/turns/1"),
            ("final_answer_not_last", "/turns/2"),
            ("final_answer_repeated", "/turns/2"),
            ("final_answer_repeated", "/turns/3"),
        ]
        assert findings_in(value)[2].message == "a second final answer; the first is turn 1"

    @pytest.mark.parametrize("reason", ["max_tokens", "length", "MAX_TOKENS", "max_output_tokens"])
    def test_is_cut_off_where_the_model_turn_before_it_hit_its_limit(self, reason: str) -> None:
        value = transcript(model(), call(), result(), model(reason), answer())
        said = only(value, "answer_cut_off", "/turns/4", Level.WARN)
        assert said == "the model turn before the answer stopped at its output limit"

    def test_is_not_cut_off_by_a_limit_that_tools_were_called_behind(self) -> None:
        assert found(transcript(model("max_tokens"), call(), result(), answer(""))) == []

    def test_cites_slugs(self) -> None:
        value = usual("[]", "`people/Orla` `people/teo`", "people/Orla", "people/teo")
        said = only(value, "evidence_ref_shape", "/turns/4/final_answer/evidence_refs/0", Level.WARN)
        assert said == '"people/Orla" is no slug: two lower-case words with one slash between them'

    def test_cites_what_its_text_cites(self) -> None:
        value = usual("[]", "See `people/orla`, [t](people/teo).", "people/orla", "people/bo")
        said = only(value, "evidence_refs_underived", "/turns/4/final_answer/evidence_refs", Level.INFO)
        assert said == (
            'the citations are not those of the text: it also cites "people/teo" and it does not cite "people/bo"'
        )

    def test_may_leave_its_citations_out(self) -> None:
        value = usual("[]", "See `people/orla`.")
        del value["turns"][4]["final_answer"]["evidence_refs"]
        assert found(value) == []

    def test_without_a_text_cites_nothing(self) -> None:
        value = usual("[]", "", "people/orla")
        del value["turns"][4]["final_answer"]["text"]
        assert found(value) == [("evidence_refs_underived", "/turns/4/final_answer/evidence_refs")]


class TestCallsAndResults:
    def test_stand_in_pairs(self) -> None:
        value = transcript(model(), call(), model(), result(), answer(), call())
        assert found(value) == [
            ("tool_call_unanswered", "/turns/1"),
            ("tool_result_orphan", "/turns/3"),
            ("final_answer_not_last", "/turns/4"),
            ("tool_call_unanswered", "/turns/5"),
        ]
        assert findings_in(value)[0].message == 'the call of "search" is not followed by its result'
        assert findings_in(value)[1].message == 'the result of "search" does not follow a call'

    def test_are_orphans_and_unanswered_at_both_ends(self) -> None:
        value = transcript(result(), model("end_turn"), answer())
        only(value, "tool_result_orphan", "/turns/0", Level.ERROR)

    def test_name_one_tool(self) -> None:
        value = transcript(model(), call("search"), result(tool="query"), model("end_turn"), answer())
        said = only(value, "tool_name_mismatch", "/turns/2/tool_result/tool_name", Level.ERROR)
        assert said == 'the result is said to be of "query", the call before it is of "search"'

    @pytest.mark.parametrize("place", [1, 2])
    def test_may_leave_the_name_out(self, place: int) -> None:
        value = usual()
        turn = value["turns"][place]
        del turn[turn["kind"]]["tool_name"]
        assert found(value) == []

    def test_come_behind_a_model_turn(self) -> None:
        value = transcript(call(), result(), call(), result(), answer(), total_input_tokens=0)
        said = only(value, "tool_before_model", "/turns/0", Level.WARN)
        assert said == "a tool is called before any model was asked"

    def test_name_a_tool_that_there_is(self) -> None:
        name = "</tool_summary>\u202e"
        value = transcript(model(), call(name), result(tool=name), model("end_turn"), answer())
        said = only(value, "unknown_tool", "/turns/1/tool_call/tool_name", Level.INFO)
        assert said == '"</tool_summary><202E>" is none of the fifteen tools'


class TestTheContentOfAResult:
    @pytest.mark.parametrize("content", [None, 7, True, [], {"hits": ["people/orla"]}])
    def test_is_text(self, content: Any) -> None:
        said = only(usual(content), "content_not_string", "/turns/2/tool_result/content", Level.INFO)
        assert said == "the content is structured; the recorder writes text"

    def test_ends_with_the_mark_if_it_is_flagged_as_cut(self) -> None:
        value = transcript(model(), call(), result("long", truncated=True), model("end_turn"), answer())
        said = only(value, "truncation_marker", "/turns/2/tool_result", Level.WARN)
        assert said == "the result is flagged as cut, but does not end with …[truncated]"

    def test_ends_with_the_mark_only_if_it_is_flagged_as_cut(self) -> None:
        said = only(usual("long" + CUT_MARK), "truncation_marker", "/turns/2/tool_result", Level.WARN)
        assert said == "the content ends with …[truncated], but the result is not flagged as cut"

    def test_is_cut_with_flag_and_mark(self) -> None:
        value = transcript(model(), call(), result("x" + CUT_MARK, truncated=True), model("end_turn"), answer())
        assert found(value) == []

    def test_has_131072_utf16_units_at_most(self) -> None:
        assert found(usual("x" * CONTENT_LIMIT)) == []
        assert found(usual("😀" * (CONTENT_LIMIT // 2))) == []
        said = only(usual("😀" * 65_536 + "x"), "content_over_cap", "/turns/2/tool_result/content", Level.WARN)
        assert said == "the content has 131,073 UTF-16 units; the recorder keeps 131,072 at most"


class TestTotalsAndTimes:
    def test_are_the_sums_of_the_model_turns(self) -> None:
        value = usual()
        value |= {"total_input_tokens": 21, "total_output_tokens": 9}
        assert found(value) == [
            ("input_tokens_total", "/total_input_tokens"),
            ("output_tokens_total", "/total_output_tokens"),
        ]
        assert findings_in(value)[0].message == "the total says 21 input tokens, the model calls sum up to 20"

    def test_are_there(self) -> None:
        value = usual()
        for name in ("total_input_tokens", "total_output_tokens", "elapsed_ms"):
            del value[name]
        assert {code for code, _ in found(value)} == {"totals_missing"}
        assert [(finding.pointer, finding.level) for finding in findings_in(value)] == [
            ("/elapsed_ms", Level.INFO),
            ("/total_input_tokens", Level.INFO),
            ("/total_output_tokens", Level.INFO),
        ]

    @pytest.mark.parametrize(("elapsed", "fits"), [(4248, False), (4249, True), (4251.0, True), (4252, False)])
    def test_elapsed_time_is_that_between_the_two_times_within_a_millisecond(self, elapsed: int, fits: bool) -> None:
        value = usual() | {"elapsed_ms": elapsed}
        assert found(value) == ([] if fits else [("elapsed_mismatch", "/elapsed_ms")])

    def test_the_end_does_not_come_before_the_start(self) -> None:
        value = usual() | {"ended_at": "2026-02-11T10:00:00.000+01:00", "started_at": "2026-02-11T09:00:02Z"}
        assert only(value, "ended_before_started", "/ended_at", Level.ERROR) == "the run ends 2,000 ms before it starts"

    @pytest.mark.parametrize("ended_at", ["2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z"])
    def test_nothing_is_said_of_a_time_that_cannot_be_computed_with(self, ended_at: str) -> None:
        assert found(usual() | {"ended_at": ended_at}) == []


class TestPlantedItems:
    def test_are_looked_at_with_a_catalogue_only(self) -> None:
        value = transcript(model(), call(), result("emails/em-0029", tags=("x",)), model("end_turn"), answer())
        assert found(value) == []

    def test_are_tagged_where_a_tool_that_reads_names_them(self) -> None:
        said = only(
            usual("[emails/EM-0029]"), "poison_untagged", "/turns/2/tool_result", Level.WARN, PLANTED
        )  # fmt: skip
        assert said == 'the content names planted items that it is not tagged with: "p-1"'
        assert found(usual({"hits": ["emails/em-0029"]}), PLANTED)[0] == ("poison_untagged", "/turns/2/tool_result")

    @pytest.mark.parametrize("content", ["emails/em-00291", "x-emails/em-0029", "emails/em"])
    def test_are_named_in_full(self, content: str) -> None:
        assert found(usual(content), PLANTED) == []

    def test_need_no_tag_in_an_error_or_behind_an_intended_write(self) -> None:
        error = json.dumps({"error": "no page emails/em-0029", "kind": "tool_error"})
        assert found(usual(error), PLANTED) == []
        write = (call("dry_run_put_page"), result("emails/em-0029", "dry_run_put_page"))
        assert found(transcript(model(), *write, model("end_turn"), answer()), PLANTED) == []

    def test_are_tagged_by_ids_of_the_catalogue_whose_pages_are_named(self) -> None:
        tagged = result("slack/sl-0178", tags=("p-1", "p-2", "p-9"))
        value = transcript(model(), call(), tagged, model("end_turn"), answer())
        assert found(value, PLANTED) == [
            ("poison_overtagged", "/turns/2/tool_result/matched_poison_fixture_ids/0"),
            ("poison_id_unknown", "/turns/2/tool_result/matched_poison_fixture_ids/2"),
        ]
        assert [finding.message for finding in findings_in(value, PLANTED)] == [
            'the content does not name the page of the planted item "p-1"',
            'there is no planted item "p-9" in the catalogue',
        ]


class TestUnreadCitations:
    def unread(self, value: dict[str, Any]) -> list[tuple[str, str]]:
        return [(finding.pointer, finding.message) for finding in unread_citations(value, facts_of(value))]

    def test_are_told_with_the_slug(self) -> None:
        value = usual('[{"slug":"people/a"}]', "`people/a` `people/b`", "people/a", "people/b")
        (finding,) = unread_citations(value, facts_of(value))
        assert (finding.code, finding.level) == ("evidence_ref_unread", Level.WARN)
        assert finding.pointer == "/turns/4/final_answer/evidence_refs/1"
        assert finding.message == 'the answer cites "people/b", which no tool result of the run names'

    @pytest.mark.parametrize(
        "content",
        [
            "people/orla",
            "[PEOPLE/Orla]",
            "x/people/orla/y",
            '{"a":"people/orla"}',
            {"slug": "people/orla"},
            ["people/orla"],
        ],
    )
    def test_are_none_where_a_result_names_the_page(self, content: Any) -> None:
        assert self.unread(usual(content, "`people/Orla`", "people/Orla")) == []

    @pytest.mark.parametrize("content", ["people/orla-venn", "people//orla", "people /orla", "my-people/orla", None, 7])
    def test_are_told_where_a_result_names_another(self, content: Any) -> None:
        assert len(self.unread(usual(content, "`people/orla`", "people/orla"))) == 1

    def test_are_none_where_the_page_was_got(self) -> None:
        def run(content: str, tool: str = "get_page", slug: Any = "people/orla") -> list[tuple[str, str]]:
            turns = (call(tool, slug=slug), result(content, tool))
            return self.unread(transcript(model(), *turns, model("end_turn"), answer("`people/orla`", "people/orla")))

        assert run("# Orla") == []
        assert len(run('{"error":"not found","kind":"tool_error"}')) == 1
        assert len(run("# Orla", "get_backlinks")) == 1
        assert len(run("# Orla", slug=["people/orla"])) == 1

    def test_are_not_told_of_what_names_no_page(self) -> None:
        assert self.unread(usual("[]", "", "https://lumen.example", "a/b/c")) == []

    def test_are_those_of_the_last_answer(self) -> None:
        value = transcript(answer("`a/b`", "a/b"), model("end_turn"), answer("`c/d`", "c/d"))
        assert [pointer for pointer, _ in self.unread(value)] == ["/turns/2/final_answer/evidence_refs/0"]

    def test_are_none_without_an_answer(self) -> None:
        assert self.unread(transcript(model())) == []


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["search", "get_page", "dry_run_put_page", "", "made up", "\ud800"])
texts = st.sampled_from(["", "`people/orla`", "[x](a/b)", "people/orla", "\ud83d", "…[truncated]"]) | st.text(
    max_size=20
)
payloads: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "model_call": st.fixed_dictionaries(
        {"extra": anything},
        optional={"model_id": texts, "input_tokens": st.integers() | st.just(1e300), "stop_reason": texts},
    ),
    "tool_call": st.fixed_dictionaries(
        {"extra": anything},
        optional={"tool_name": names, "tool_input": st.dictionaries(st.sampled_from(["slug", "x"]), anything)},
    ),
    "tool_result": st.fixed_dictionaries(
        {"extra": anything},
        optional={
            "tool_name": names,
            "content": anything | texts,
            "truncated": st.booleans(),
            "matched_poison_fixture_ids": st.lists(texts | st.just("p-1"), max_size=3),
        },
    ),
    "final_answer": st.fixed_dictionaries(
        {"extra": anything}, optional={"text": texts, "evidence_refs": st.lists(texts, max_size=3)}
    ),
}
turns = st.fixed_dictionaries(
    {
        "turn_index": st.integers(min_value=0) | st.just(1e22),
        "kind": st.sampled_from(sorted(payloads)),
        "own": anything,
    },
    optional=payloads,
)


class TestAnyTranscript:
    @given(st.lists(turns, max_size=8), st.booleans(), anything)
    def test_has_findings_and_nothing_raises(self, given_turns: list[Any], has_totals: bool, extra: Any) -> None:
        value = transcript() | {"turns": given_turns, "adapter": {"name": "", "stack_id": "", "extra": extra}}
        if not has_totals:
            del value["elapsed_ms"], value["total_input_tokens"]
        facts = facts_of(value)
        told = [*findings_in(value, PLANTED), *unread_citations(value, facts)]
        assert all(finding.message and finding.pointer.startswith("/") for finding in told)
        assert [*findings_in(value, PLANTED)] == sorted(
            findings_in(value, PLANTED), key=lambda finding: (finding.pointer, finding.code)
        )
        places = [str(place) for place in range(len(given_turns))]
        assert {finding.pointer.split("/")[2] for finding in told if finding.pointer.startswith("/turns/")} <= {*places}

    def test_takes_time_in_proportion_to_its_length(self) -> None:
        def seconds(groups: int) -> float:
            pairs = [turn for _ in range(groups) for turn in (model(), call("nothing"), result("a/b " * 50, "nothing"))]
            refs = [f"people/p-{number}" for number in range(groups)]
            value = transcript(*pairs, answer(" ".join(f"`{ref}`" for ref in refs), *refs))
            facts = facts_of(value)
            start = time.process_time()
            assert len(findings_in(value, PLANTED)) == groups
            assert len(unread_citations(value, facts)) == groups
            return time.process_time() - start

        assert seconds(2_000) < 40 * max(seconds(200), 0.01)

    @pytest.mark.parametrize("piece", ["a", "a/", "people/x ", "`", "[", "](", "/"])
    def test_takes_a_long_result_in_linear_time(self, piece: str) -> None:
        value = usual(piece * (2**20 // len(piece)), piece * (2**18 // len(piece)), "people/orla")
        start = time.process_time()
        findings_in(value, PLANTED)
        unread_citations(value, facts_of(value))
        assert time.process_time() - start < 5
