"""The key of a trial: everything that the agent can see or be, and nothing else.

Comments, key order, other cases, checks, thresholds and gates are in no key; see docs/caching.md.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from proctor.agents import CONTRACT_VERSION, Fingerprint
from proctor.formats import format_named
from proctor.jsonvalue import digest
from proctor.plan import Case, Source
from proctor.trajectory import RECORD_VERSION, JsonValue


def trial_parts(case: Case, source: Source, trial: int, agent: Fingerprint) -> dict[str, JsonValue]:
    """The named parts of a trial's key. Trial *n* has an entry of its own, so five trials are five answers."""
    return {
        "case": case.outline.id,
        "source": source.name,
        "format": f"{source.format}/{format_named(source.format).rules_version}",
        "input": digest([[turn.user, _audio(turn.audio)] for turn in case.turns]),
        "trial": trial,
        "agent": agent.digest,
        "contract": CONTRACT_VERSION,
        "record": RECORD_VERSION,
        **({} if case.replay is None else {"replay": digest(case.replay.to_json())}),
    }


def trial_key(parts: dict[str, JsonValue]) -> str:
    """The key of these parts."""
    return digest(parts)


def _audio(path: str | None) -> str | None:
    """What an agent hears: the content of the file, or the path of one that is not there."""
    if path is None:
        return None
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except (OSError, ValueError):  # a path with a NUL character is a ValueError
        return f"not readable: {path}"
