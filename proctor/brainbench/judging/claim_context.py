"""Category 5: the pages that a judge is shown with a claim. Nothing about them tells which label is expected."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from proctor.brainbench.probes import Claim, Companions, Page
from proctor.excerpt import quote
from proctor.wording import listed

CONTEXT_PAGES: Final = 8
"""Pages with each claim; more if some claim has more of its own."""


class NoContext(LookupError):
    """A claim cannot be held against anything."""


def claim_context(claim: Claim, companions: Companions) -> tuple[Page, ...]:
    """The sources of a claim among sources of other claims, sorted by slug: as many pages for every claim.

    A claim that nothing supports may have no source, so its judge would know the label from an empty context. The
    others are taken from the sources of all claims, by a digest of claim and slug. The page that makes the claim is
    left out, unless it is given as its own source.

    Raises:
        NoContext: a source is missing among the pages, or no claim has any.
    """
    missing = [slug for slug in claim.evidence_slugs if slug not in companions.pages]
    if missing:
        raise NoContext(f"no page is given for {listed([quote(slug, 80) for slug in missing], 3)}")
    claims = companions.claims.values()
    own = set(claim.evidence_slugs)
    size = max([CONTEXT_PAGES, *(len(set(each.evidence_slugs)) for each in claims)])
    others = {slug for each in claims for slug in each.evidence_slugs if slug in companions.pages}
    others -= {claim.source_page, *own}
    fillers = sorted(others, key=lambda slug: sha256(f"{claim.id}\n{slug}".encode("utf-8", "surrogatepass")).digest())
    slugs = sorted((*own, *fillers[: size - len(own)]))
    if not slugs:
        raise NoContext("no claim names a page as its source")
    return tuple(companions.pages[slug] for slug in slugs)
