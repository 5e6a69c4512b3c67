"""Why a judge gave no verdict, and the one way to say so."""

from __future__ import annotations

from enum import StrEnum

from proctor.excerpt import mark_controls
from proctor.results import Verdict
from proctor.trajectory import Usage

SHOWN_CHARACTERS = 200
"""How much of an error text a reader sees; providers like to repeat the whole request in theirs."""


class Cause(StrEnum):
    """Why there is no verdict. None of these says anything about the agent under test.

    ``UNAVAILABLE`` and ``TIMEOUT`` are outages and were tried again. ``MALFORMED``: the answer was no verdict.
    ``INCOMPLETE``: criteria were left out, scored twice or made up, also after the judge was told so.
    ``REFUSED``: a content filter stopped the judge. ``REJECTED``: the provider does not take this request, for
    example because it is too long. ``QUOTA`` and ``AUTH`` hold for every later call too. ``SETUP``: the judge
    or the question cannot work as configured. ``TIE``: no majority of a panel agrees.
    """

    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    MALFORMED = "malformed"
    INCOMPLETE = "incomplete"
    REFUSED = "refused"
    REJECTED = "rejected"
    QUOTA = "quota"
    AUTH = "auth"
    SETUP = "setup"
    TIE = "tie"


def one_line(text: str) -> str:
    """Make an error text fit for a sentence: one line, its first 200 characters, nothing a terminal obeys."""
    line = " ".join(text.split())
    cut = line if len(line) <= SHOWN_CHARACTERS else line[:SHOWN_CHARACTERS] + "…"
    return mark_controls(cut)


def unscored(
    model: str, cause: Cause, text: str, *, attempts: int = 0, usage: Usage | None = None, prompt_version: str = ""
) -> Verdict:
    """Build the verdict that is none: ``passed`` is None and the reasoning says what happened."""
    tries = {0: "it was not asked", 1: "1 attempt"}.get(attempts, f"{attempts} attempts")
    return Verdict(
        passed=None,
        reasoning=f"judge {mark_controls(model)} gave no verdict ({cause}, {tries}): {one_line(text)}",
        model=model,
        attempts=attempts,
        cause=cause.value,
        usage=usage or Usage(),
        prompt_version=prompt_version,
    )
