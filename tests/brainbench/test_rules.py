"""The four rules of category 8: when each holds, and the sentence that says why not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import facts_of
from proctor.brainbench.probes import COMPLIANCE, Probe, Tier
from proctor.brainbench.scoring.rules import RULES, Rule, RuleFinding, rule_findings
from proctor.brainbench.tools import READ_TOOLS, TOOLS

SIMPLE = Probe("q-0001", "Who keeps the boats?", COMPLIANCE, Tier.SIMPLE)
COMPLEX = Probe("q-0002", "How did the trust begin?", COMPLIANCE, Tier.COMPLEX)
WRITING = Probe("q-0003", "Note the visit.", COMPLIANCE, Tier.COMPLEX, expects_write=True)
PROBES = (SIMPLE, COMPLEX, WRITING)

READ = ("search", {"query": "boats"})
LONG = "The trust keeps two boats in the east shed and a third one, the Plover, on loan up the river."


def page(body: str = "[b](people/b)", **more: str) -> tuple[str, dict[str, str]]:
    return "dry_run_put_page", {"slug": "people/a", "title": "A", "compiled_truth": body, **more}


def transcript(*calls: tuple[str, dict[str, Any]], answer: str | None = "ok") -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    for tool, arguments in calls:
        turns += [
            {"kind": "model_call", "model_call": {}},
            {"kind": "tool_call", "tool_call": {"tool_name": tool, "tool_input": arguments}},
            {"kind": "tool_result", "tool_result": {"tool_name": tool, "content": "[]"}},
        ]
    if answer:
        turns.append({"kind": "model_call", "model_call": {}})
    if answer is not None:
        turns.append({"kind": "final_answer", "final_answer": {"text": answer}})
    return {"turns": turns, "started_at": "2026-02-11T09:00:00.000Z", "ended_at": "2026-02-11T09:00:04.250Z"}


def finding(
    rule: Rule, probe: Probe, *calls: tuple[str, dict[str, Any]], answer: str | None = "ok", era: Era = Era.POST_AUDIT
) -> RuleFinding:
    found = rule_findings(probe, facts_of(transcript(*calls, answer=answer), era), era)
    return found[RULES.index(rule)]


calls = st.lists(
    st.one_of(
        st.sampled_from([(tool, {"query": "x"}) for tool in READ_TOOLS]),
        st.sampled_from([page(), page("no link"), page(timeline="- yesterday"), ("made_up", {}), ("", {})]),
        st.sampled_from([("dry_run_add_link", {"from": "people/a"}), ("dry_run_add_timeline_entry", {"date": "now"})]),
    ),
    max_size=5,
)
blanks = st.sampled_from([None, "", " ", "\n\t "])


class TestAllRules:
    @given(st.sampled_from(PROBES), calls, st.one_of(blanks, st.text()), st.sampled_from(Era))
    def test_are_four_in_order_and_say_what_was_wanted_and_seen(
        self, probe: Probe, made: list[tuple[str, dict[str, Any]]], answer: str | None, era: Era
    ) -> None:
        found = rule_findings(probe, facts_of(transcript(*made, answer=answer), era), era)
        assert [each.name for each in found] == list(RULES)
        assert all(each.reason.startswith("wanted ") and "; seen " in each.reason for each in found)

    @given(st.sampled_from(PROBES), calls, blanks)
    def test_are_not_all_kept_without_an_answer(
        self, probe: Probe, made: list[tuple[str, dict[str, Any]]], answer: str | None
    ) -> None:
        holds = {each.name: each.holds for each in rule_findings(probe, facts_of(transcript(*made, answer=answer)))}
        assert not holds[Rule.BACK_LINK]
        assert not holds[Rule.CITATION_FORMAT]

    @given(st.sampled_from(PROBES), st.one_of(blanks, st.text()), st.sampled_from(Era))
    def test_ask_for_a_read(self, probe: Probe, answer: str | None, era: Era) -> None:
        made = [page(), ("made_up", {})]
        holds = {
            each.name: each.holds for each in rule_findings(probe, facts_of(transcript(*made, answer=answer), era), era)
        }
        assert not holds[Rule.BRAIN_FIRST]
        assert not holds[Rule.TIER_ESCALATION]

    @given(st.sampled_from(PROBES), calls, st.one_of(blanks, st.text()))
    def test_are_never_milder_since_the_audit(
        self, probe: Probe, made: list[tuple[str, dict[str, Any]]], answer: str | None
    ) -> None:
        only_reads = [call for call in made if call[0] in READ_TOOLS]
        now = rule_findings(probe, facts_of(transcript(*only_reads, answer=answer)))
        seed = rule_findings(probe, facts_of(transcript(*only_reads, answer=answer), Era.SEED), Era.SEED)
        assert all(old.holds or not new.holds for old, new in zip(seed, now, strict=True))

    def test_need_a_tier(self) -> None:
        with pytest.raises(ValueError, match='the probe "q-9" is neither simple nor complex'):
            rule_findings(Probe("q-9", "x"), facts_of(transcript()))


class TestBrainFirst:
    def test_holds_for_a_read_before_the_answer(self) -> None:
        found = finding(Rule.BRAIN_FIRST, SIMPLE, READ, READ)
        assert found.holds
        assert found.reason == "wanted a read before the answer; seen 2 reads and the answer after the first"

    @pytest.mark.parametrize(
        ("made", "answer", "seen"),
        [([], "ok", "no read"), ([page()], "ok", "no read"), ([READ, READ], "", "2 reads and no answer after them")],
    )
    @pytest.mark.parametrize("era", Era)
    def test_says_what_was_seen_instead(
        self, made: list[tuple[str, dict[str, Any]]], answer: str, seen: str, era: Era
    ) -> None:
        found = finding(Rule.BRAIN_FIRST, SIMPLE, *made, answer=answer, era=era)
        assert not found.holds
        assert found.reason == f"wanted a read before the answer; seen {seen}"

    def test_fails_for_an_answer_that_came_first(self) -> None:
        foreign = transcript(READ)
        foreign["turns"].insert(0, {"kind": "final_answer", "final_answer": {"text": "I know."}})
        found = rule_findings(SIMPLE, facts_of(foreign))[0]
        assert not found.holds
        assert found.reason.endswith("; seen an answer before the first read")


class TestBackLinks:
    def test_hold_where_no_page_is_written(self) -> None:
        found = finding(Rule.BACK_LINK, COMPLEX, ("dry_run_add_timeline_entry", {"slug": "people/a"}))
        assert found.holds
        assert found.reason == "wanted an answer, a back-link in each page that is written; seen no page written"

    def test_are_wanted_in_each_page(self) -> None:
        bare = "dry_run_put_page", {"slug": 'people/"x\x1b', "compiled_truth": "none"}
        found = finding(Rule.BACK_LINK, WRITING, page(), bare, ("dry_run_put_page", {}))
        assert not found.holds
        assert found.reason.endswith('; seen none in "people/"x<1B>", dry_run_put_page without a page')
        assert finding(Rule.BACK_LINK, WRITING, page(), page()).reason.endswith("; seen 2 pages, each with one")

    def test_are_not_kept_without_an_answer_since_the_audit(self) -> None:
        assert finding(Rule.BACK_LINK, SIMPLE, READ, answer="", era=Era.SEED).holds
        found = finding(Rule.BACK_LINK, SIMPLE, READ, answer="")
        assert not found.holds
        assert found.reason.endswith("; seen no answer, no page written")


class TestCitations:
    def test_are_wanted_from_eighty_characters_on(self) -> None:
        found = finding(Rule.CITATION_FORMAT, SIMPLE, READ, answer=LONG)
        assert not found.holds
        assert found.reason == (
            "wanted an answer, well-formed citations in each write and a cited page in an answer of 80 characters or "
            f"more; seen 0 writes without a fault and 0 cited pages in an answer of {len(LONG)} characters"
        )
        assert finding(Rule.CITATION_FORMAT, SIMPLE, READ, answer=f"{LONG} `companies/trust`").holds

    @pytest.mark.parametrize("era", Era)
    def test_are_counted_in_utf_16_units_without_outer_blanks(self, era: Era) -> None:
        def holds(answer: str) -> bool:
            return finding(Rule.CITATION_FORMAT, SIMPLE, READ, answer=answer, era=era).holds

        assert holds(f"   {'z' * 79}\n")
        assert not holds("z" * 80)
        assert holds("🚢" * 39)
        assert not holds("🚢" * 40)

    def test_have_to_be_well_formed_in_every_write(self) -> None:
        found = finding(Rule.CITATION_FORMAT, WRITING, READ, page(timeline="- yesterday, they say"))
        assert not found.holds
        assert '; seen others in "people/a" and ' in found.reason

    def test_do_not_count_where_only_the_recorder_lists_them(self) -> None:
        claimed = transcript(READ, answer=LONG)
        claimed["turns"][-1]["final_answer"]["evidence_refs"] = ["companies/trust"]
        assert not rule_findings(SIMPLE, facts_of(claimed))[2].holds


class TestEscalation:
    @pytest.mark.parametrize(
        ("probe", "made", "seed", "now"),
        [
            (SIMPLE, [READ], True, True),
            (SIMPLE, [READ, READ], True, True),
            (SIMPLE, [READ] * 3, True, False),
            (SIMPLE, [READ, page()], True, False),
            (COMPLEX, [READ], False, False),
            (COMPLEX, [READ] * 9, True, True),
            (WRITING, [READ, page()], True, True),
            (WRITING, [READ] * 3, False, False),
            (WRITING, [page()], False, False),
        ],
    )
    def test_fits_the_tier(self, probe: Probe, made: list[tuple[str, dict[str, Any]]], seed: bool, now: bool) -> None:
        assert finding(Rule.TIER_ESCALATION, probe, *made, era=Era.SEED).holds is seed
        assert finding(Rule.TIER_ESCALATION, probe, *made).holds is now

    def test_says_what_the_tier_wants(self) -> None:
        def reason(probe: Probe, era: Era = Era.POST_AUDIT) -> str:
            return finding(Rule.TIER_ESCALATION, probe, READ, era=era).reason

        assert reason(SIMPLE) == "wanted 1 to 2 reads and no write for a simple probe; seen 1 read and 0 writes"
        assert reason(SIMPLE, Era.SEED) == "wanted a read for a simple probe; seen 1 read and 0 writes"
        assert reason(COMPLEX) == "wanted 2 reads or more for a complex probe; seen 1 read and 0 writes"
        assert reason(WRITING) == "wanted a read and a write for a complex probe; seen 1 read and 0 writes"

    def test_counts_the_twelve_tools_that_read_and_no_others(self) -> None:
        for tool in TOOLS | {"made_up", "put_page"}:
            assert finding(Rule.TIER_ESCALATION, SIMPLE, (tool, {}), era=Era.SEED).holds is (tool in READ_TOOLS)
