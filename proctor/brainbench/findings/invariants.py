"""What the recorder's loop guarantees of a transcript, and its schema does not: order, pairs, totals, times, tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proctor.brainbench.facts import Facts
from proctor.brainbench.findings.answers import answer_findings, unread_citations
from proctor.brainbench.findings.finding import Finding, Level
from proctor.brainbench.findings.results import result_findings
from proctor.brainbench.findings.turns import turn_findings
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.transcript import Transcript
from proctor.excerpt import shorten

__all__ = ["Finding", "Level", "findings", "unread_citations"]

_TOTALS: Final = ("total_input_tokens", "total_output_tokens", "elapsed_ms")
_TOLERANCE_MS: Final = 1


def findings(transcript: Transcript, facts: Facts, catalogue: Catalogue | None = None) -> tuple[Finding, ...]:
    """Every invariant that a transcript breaks, sorted by pointer (as text) and code.

    Tags of planted items are looked at only where there is a catalogue of them.
    """
    found = (
        *turn_findings(transcript["turns"]),
        *result_findings(transcript["turns"], catalogue),
        *answer_findings(transcript["turns"]),
        *_total_findings(transcript, facts),
        *_time_findings(facts),
    )
    return tuple(sorted(found, key=lambda finding: (finding.pointer, finding.code)))


def _total_findings(transcript: Transcript, facts: Facts) -> Iterator[Finding]:
    for name in _TOTALS:
        if name not in transcript:
            yield Finding("totals_missing", Level.INFO, f"/{name}", f"{name} is missing")
    totals = (
        ("input", facts.declared_input, facts.summed.input),
        ("output", facts.declared_output, facts.summed.output),
    )
    for name, declared, summed in totals:
        if declared is not None and declared != summed:
            message = f"the total says {_shown(declared)} {name} tokens, the model calls sum up to {_shown(summed)}"
            yield Finding(f"{name}_tokens_total", Level.WARN, f"/total_{name}_tokens", message)


def _time_findings(facts: Facts) -> Iterator[Finding]:
    """Times that contradict each other. Between two of which one is no time of Python's there is no telling."""
    if facts.wall_ms is None:
        return
    if facts.wall_ms < 0:
        message = f"the run ends {-facts.wall_ms:,.0f} ms before it starts"
        yield Finding("ended_before_started", Level.ERROR, "/ended_at", message)
    elif facts.elapsed_ms is not None and abs(facts.elapsed_ms - facts.wall_ms) > _TOLERANCE_MS:
        message = f"elapsed_ms says {_shown(facts.elapsed_ms)} ms, the two times are {facts.wall_ms:,.0f} ms apart"
        yield Finding("elapsed_mismatch", Level.WARN, "/elapsed_ms", message)


def _shown(number: int) -> str:
    return shorten(f"{number:,}", 40)
