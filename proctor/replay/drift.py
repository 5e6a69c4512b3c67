"""Whether the system prompt is still the one that a recording was made with."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from enum import StrEnum

from proctor.jsonvalue import well_formed
from proctor.replay_plan import CurrentPrompt


class Drift(StrEnum):
    """How the prompt of today stands to the recorded one.

    ``UNVERIFIABLE``: what is recorded is no SHA-256. ``UNKNOWN``: nobody has said what the prompt of today is.
    """

    MATCH = "match"
    MISMATCH = "mismatch"
    UNVERIFIABLE = "unverifiable"
    UNKNOWN = "unknown"


def drift_of(recorded: str | None, prompt: CurrentPrompt | None) -> Drift:
    """Compare a recorded SHA-256 (lower-case hex; None for a text that is none) with the prompt of today."""
    if recorded is None:
        return Drift.UNVERIFIABLE
    if prompt is None:
        return Drift.UNKNOWN
    return Drift.MATCH if prompt.sha256 == recorded else Drift.MISMATCH


def current_prompt(text: str, replacements: Sequence[tuple[re.Pattern[str], str]] = ()) -> CurrentPrompt:
    """Take the digest of a prompt, after the replacements, which are made in their order."""
    made = 0
    for pattern, replacement in replacements:
        text, times = pattern.subn(replacement, text)
        made += times
    trimmed = text.removesuffix("\n").removesuffix("\r")
    return CurrentPrompt(prompt_sha256(text), None if trimmed == text else prompt_sha256(trimmed), made)


def prompt_sha256(text: str) -> str:
    """The SHA-256 of a text in UTF-8, byte for byte. Unpaired surrogates become U+FFFD, as JavaScript encodes them."""
    return hashlib.sha256(well_formed(text).encode()).hexdigest()
