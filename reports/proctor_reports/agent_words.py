"""What to call those whose results a run shows: agents, or the adapters of recorded transcripts."""

from __future__ import annotations

from proctor.plan import RECORDING
from proctor.results import Summary


def adapters(summary: Summary) -> tuple[str, ...]:
    """Name the adapters of the transcripts, in the order of the files."""
    return () if summary.transcripts is None else tuple(card.agent for card in summary.transcripts.adapters)


def agent_word(summary: Summary) -> str:
    """Give ``adapter`` where all results are of adapters, else ``agent``. Claims are of nobody."""
    known = adapters(summary)
    shown = {part.agent for part in summary.slices} - {RECORDING}
    return "adapter" if known and not summary.agents and shown <= {*known} else "agent"


def has_several(summary: Summary) -> bool:
    """Whether a reader has to be told of whom a result is."""
    of_transcripts = () if summary.transcripts is None else (part.agent for part in summary.slices)
    return len({*summary.agents, *adapters(summary), *of_transcripts}) > 1
