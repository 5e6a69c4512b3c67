"""The bundle: a folder with everything that a run of the benchmark leaves behind. Names and texts; nobody writes here.

The original's writer stops at transcripts that its schema accepts (without planted ids, with structured content), lets
fences break out, and spells a value that stands twice only once. This one does none of that, in either era.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from proctor.brainbench.bundles.judge_notes import judge_notes_markdown
from proctor.brainbench.bundles.transcripts import transcripts_markdown
from proctor.brainbench.eras import Era
from proctor.brainbench.transcript import Transcript
from proctor.trajectory import JsonValue

TRANSCRIPTS: Final = "transcript.json"
SCORECARD: Final = "scorecard.json"
JUDGE_NOTES: Final = "judge-notes.md"

MOST_ALIKE: Final = 999
"""Bundles of one name: the later ones are called ``-2`` to ``-999``."""

_REFUSED: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 60
"""Characters of each part of a name, so that the whole is one on every system."""


@dataclass(frozen=True, slots=True)
class BrainExport:
    """What an adapter gives away of its knowledge base. ``citations`` is None where it has none to give."""

    pages: JsonValue
    graph: JsonValue
    citations: JsonValue = None


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a run of one category with one adapter leaves behind; ``judge_notes`` are results of judges."""

    transcripts: Sequence[Transcript]
    scorecard: Mapping[str, Any]
    judge_notes: Sequence[Mapping[str, Any]] = ()
    brain: BrainExport | None = None


def bundle_name(day: date, category: int, adapter: str, run_id: str) -> str:
    """The name of a bundle's folder, safe whatever the adapter and the run are called."""
    return "-".join((day.isoformat(), f"cat{category}", _safe(adapter), _safe(run_id)))


def bundle_files(bundle: Bundle, era: Era = Era.POST_AUDIT) -> dict[str, str]:
    """The texts of a bundle by file name. The seed era keeps its transcripts as Markdown only.

    Raises:
        ValueError: a number in it is none in JSON.
    """
    files = {"transcript.md": transcripts_markdown(bundle.transcripts), SCORECARD: _spelled(bundle.scorecard)}
    if era is not Era.SEED:
        files[TRANSCRIPTS] = _spelled(list(bundle.transcripts))
    if bundle.judge_notes:
        files[JUDGE_NOTES] = judge_notes_markdown(bundle.judge_notes)
    if bundle.brain is not None:
        files["brain-export.json"] = _spelled(bundle.brain.pages)
        files["entity-graph.json"] = _spelled(bundle.brain.graph)
        if bundle.brain.citations is not None:
            files["citations.json"] = _spelled(bundle.brain.citations)
    return files


def _safe(part: str) -> str:
    return _REFUSED.sub("-", part).strip("-")[:_LONGEST].strip("-") or "unnamed"


def _spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
