"""The pages that go with a claim: nothing about them may tell its label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.brainbench.judging.claim_context import CONTEXT_PAGES, NoContext, claim_context
from proctor.brainbench.judging.texts import claim_texts
from proctor.brainbench.probes import Claim, Companions, Label, Page


def page(number: int) -> Page:
    return Page(f"doc/d-{number:02}", f"D {number}", f"content {number}")


def claim(number: int, *sources: int, expected: Label = Label.SUPPORTED, made_by: str = "people/a") -> Claim:
    return Claim(f"claim-{number}", made_by, f"text {number}", expected, tuple(page(each).slug for each in sources))


def companions(*claims: Claim, pages: int = 30) -> Companions:
    known = [*map(page, range(pages)), Page("people/a", "A", "the page that makes the claims")]
    return Companions(claims={each.id: each for each in claims}, pages={each.slug: each for each in known})


class TestContext:
    @given(st.lists(st.lists(st.integers(0, 29), max_size=12, unique=True), min_size=1, max_size=12))
    def test_is_as_large_for_each_claim_sorted_and_has_its_sources(self, sources: list[list[int]]) -> None:
        claims = [claim(number, *each) for number, each in enumerate(sources)]
        known = companions(*claims)
        pool = {source for each in sources for source in each}
        if not pool:
            with pytest.raises(NoContext, match="no claim names a page as its source"):
                claim_context(claims[0], known)
            return
        size = min(len(pool), max(CONTEXT_PAGES, *map(len, [*sources, []])))
        for each in claims:
            slugs = [found.slug for found in claim_context(each, known)]
            assert len(slugs) == size
            assert slugs == sorted(set(slugs))
            assert set(each.evidence_slugs) <= set(slugs)

    def test_does_not_depend_on_the_label(self) -> None:
        found = set()
        for label in Label:
            claims = [claim(0, expected=label), *(claim(number, number) for number in range(1, 20))]
            found.add(claim_context(claims[0], companions(*claims)))
        assert len(found) == 1

    def test_leaves_out_the_page_that_makes_the_claim(self) -> None:
        claims = [claim(0), claim(1, 3, made_by="doc/d-04"), claim(2, 4)]
        known = companions(*claims)
        assert [found.slug for found in claim_context(claims[1], known)] == ["doc/d-03"]
        assert [found.slug for found in claim_context(claims[0], known)] == ["doc/d-03", "doc/d-04"]

    def test_a_source_that_nobody_gave_is_refused(self) -> None:
        missing = claim(0, 99)
        with pytest.raises(NoContext, match=r'^no page is given for "doc/d-99"$'):
            claim_context(missing, companions(missing))


def test_a_judge_reads_the_claim_and_the_pages_and_neither_label_nor_reason() -> None:
    given_claim = Claim("claim-0", "people/a", "A founded it.", Label.UNSUPPORTED, (), "nobody says so")
    shown = claim_texts(given_claim, [page(1), page(2)])
    assert [(each.title, each.text) for each in shown] == [
        ("Claim", "A founded it."),
        ("Source pages", "1. ⟨doc/d-01⟩, entitled ⟨D 1⟩\n2. ⟨doc/d-02⟩, entitled ⟨D 2⟩"),
        ("Source page 1 of 2", "content 1"),
        ("Source page 2 of 2", "content 2"),
    ]
