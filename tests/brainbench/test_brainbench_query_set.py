"""Query sets: what is wrong with one, and what of a query an adapter is shown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.brainbench.eras import Era
from proctor.brainbench.retrieval.query_set import OUTPUT_TYPES, query_issues, query_set_issues, shown_to_adapter

GOLD: dict[str, dict[str, Any]] = {
    "answer-string": {"expected_answer": "Orla Venn"},
    "canonical-entity-id": {"expected_entity_id": "people/orla-venn"},
    "cited-source-pages": {"relevant": ["people/orla-venn"]},
    "time-qualified-answer": {"expected_answer": "since March"},
    "abstention": {"expected_abstention": True},
    "contradiction-explanation": {"expected_citations": ["notes/a", "notes/b"]},
    "poison-flag": {"relevant": ["emails/em-0029"]},
    "confidence-score": {"expected_confidence": 0.4},
}


def query(**members: Any) -> dict[str, Any]:
    """A query without fault, but for what is given."""
    members.setdefault("expected_output_type", "cited-source-pages")
    gold = GOLD.get(members["expected_output_type"], {})
    dated = {"as_of_date": "corpus-end"} if members["expected_output_type"] == "time-qualified-answer" else {}
    return {"id": "q-0001", "tier": "easy", "text": "Hull survey signer", "gold": gold, **dated, **members}


def fields(found: dict[str, Any], era: Era = Era.POST_AUDIT) -> list[str]:
    return [issue.field for issue in query_issues(found, era)]


class TestAQuery:
    @pytest.mark.parametrize("era", Era)
    @pytest.mark.parametrize("output", OUTPUT_TYPES)
    def test_of_each_output_type_is_right_with_its_gold(self, output: str, era: Era) -> None:
        assert fields(query(expected_output_type=output), era) == []

    @pytest.mark.parametrize("output", OUTPUT_TYPES)
    def test_needs_gold_that_can_be_scored_since_the_audit(self, output: str) -> None:
        found = query(expected_output_type=output, gold={})
        assert [field.partition(".")[0] for field in fields(found)] == ["gold"]
        assert bool(fields(found, Era.SEED)) is (output in {"cited-source-pages", "abstention"})

    @pytest.mark.parametrize(
        ("output", "gold"),
        [
            ("cited-source-pages", {"relevant": []}),
            ("cited-source-pages", {"relevant": ["people/orla-venn", "Orla"]}),
            ("cited-source-pages", {"relevant": "people/orla-venn"}),
            ("cited-source-pages", []),
            ("canonical-entity-id", {"expected_entity_id": "Orla"}),
            ("contradiction-explanation", {"expected_citations": ["notes/a"]}),
            ("abstention", {"expected_abstention": 1}),
            ("confidence-score", {"expected_confidence": 1.2}),
            ("confidence-score", {"expected_confidence": True}),
            ("answer-string", {"expected_answer": "  "}),
        ],
    )
    def test_has_gold_of_the_wrong_shape(self, output: str, gold: Any) -> None:
        assert len(fields(query(expected_output_type=output, gold=gold))) == 1

    def test_may_have_variants_in_the_place_of_an_answer(self) -> None:
        assert fields(query(expected_output_type="answer-string", gold={}, acceptable_variants=["Orla"])) == []

    @pytest.mark.parametrize(
        "text", ["Who WAS it?", "what is it", "as of May", "When did it sink?", "at the time", "it, now"]
    )
    @pytest.mark.parametrize("date", [None, "", "May 2026", "2026-5-1", 20260501, ["corpus-end"], "2026-05-01T\n"])
    def test_about_time_needs_a_date(self, text: str, date: object) -> None:
        assert fields(query(text=text, as_of_date=date)) == ["as_of_date"]

    @pytest.mark.parametrize("text", ["This wasp", "nowhere", "currently", "as off"])
    def test_with_a_temporal_word_inside_another_one_needs_none(self, text: str) -> None:
        assert fields(query(text=text)) == []

    def test_ends_words_where_javascript_does(self) -> None:
        assert fields(query(text="öis")) == ["as_of_date"]

    def test_with_an_answer_in_time_needs_a_date_since_the_audit(self) -> None:
        found = query(expected_output_type="time-qualified-answer", as_of_date="")
        assert fields(found) == ["as_of_date"]
        assert fields(found, Era.SEED) == []

    def test_of_an_outsider_names_its_author(self) -> None:
        assert fields(query(tier="externally-authored", author=" ")) == ["author"]
        assert fields(query(tier="externally-authored", author="@ana")) == []

    def test_with_a_placeholder_is_refused_since_the_audit(self) -> None:
        found = query(gold={"relevant": ["people/orla-venn"], "note": {"x": ["REPLACE"]}})
        assert fields(found) == ["text"]
        assert fields(found, Era.SEED) == []

    def test_without_anything_is_told_member_by_member(self) -> None:
        (first, *others) = query_issues({})
        assert (first.query_id, first.field) == ("(missing id)", "id")
        assert [issue.field for issue in others] == ["text", "tier", "expected_output_type", "gold"]

    @given(
        st.dictionaries(
            st.sampled_from(["id", "tier", "text", "expected_output_type", "gold", "as_of_date", "author"]),
            st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()) | st.sampled_from(OUTPUT_TYPES),
        ),
        st.sampled_from(Era),
    )
    def test_of_any_content_is_told_without_an_exception(self, found: dict[str, Any], era: Era) -> None:
        assert query_set_issues([found, found], era)


class TestASet:
    def test_has_each_id_once(self) -> None:
        issues = query_set_issues([query(), query(id="q-0002"), query(), query()])
        assert [(issue.query_id, issue.field) for issue in issues] == [("q-0001", "id")] * 2
        assert issues[0].message == "stands twice in the set"


class TestAnAdapter:
    def test_is_shown_no_more_than_it_needs(self) -> None:
        found = query(as_of_date="corpus-end", tags=["trap"], acceptable_variants=["Orla"])
        assert shown_to_adapter(found) == {
            "id": "q-0001",
            "text": "Hull survey signer",
            "as_of_date": "corpus-end",
        }
        assert shown_to_adapter(found, Era.SEED).keys() == found.keys() - {"gold"}
