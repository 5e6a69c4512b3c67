"""The file of one transcript, which is read back before anybody writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.brainbench.eras import Era
from proctor.brainbench.recording.recorder import Unrecordable
from proctor.excerpt import shorten
from proctor.formats.brainbench.reading import read_transcripts


def transcript_text(transcript: Mapping[str, Any]) -> str:
    """The file of one transcript. Lone surrogates are left to whoever encodes it."""
    return json.dumps(transcript, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def refuse_unreadable(transcript: Mapping[str, Any], dialect: Era) -> None:
    """Read a transcript as it is going to be written.

    Raises:
        Unrecordable: it would not load.
    """
    try:
        data = transcript_text(transcript).encode("utf-8", "backslashreplace")
    except ValueError as error:
        raise Unrecordable(f"cannot be spelled as JSON: {error}") from None
    problems = read_transcripts(Path("transcript.json"), data, dialect).problems
    for problem in problems[:1]:
        where = f"{problem.pointer}: " if problem.pointer else ""
        raise Unrecordable(f"would not load: {where}{shorten(problem.message)}")
