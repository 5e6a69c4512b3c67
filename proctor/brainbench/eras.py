"""The two eras of BrainBench, which differ in ways that change scores."""

from __future__ import annotations

from enum import StrEnum


class Era(StrEnum):
    """Whose rules hold; as the dialect of a transcript, whose schema it fits.

    ``SEED`` is version 0.2.0, whose transcript schema is the format's own. ``POST_AUDIT`` is 0.3.0 and later, after
    the audit of 2026-08-31 that found passes on nothing, means over what happened to be there, and leaked labels; its
    schema takes probe ids of any family, and needs the three totals.
    """

    SEED = "seed"
    POST_AUDIT = "post-audit"
