"""The flight-recorder transcript of BrainBench as a format: which files are one, and the cases that they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from proctor.formats.base import Defaults, Loaded
from proctor.formats.brainbench import TRANSCRIPTS

_HEAD: Final = 2**16


class BrainBenchFormat:
    """Transcripts of BrainBench: recorded runs of an adapter, one JSON object or an array of them a file."""

    name = TRANSCRIPTS
    title = "BrainBench transcript"
    rules_version = 1
    suffixes = (".json", ".jsonl")

    def claims(self, path: Path) -> bool:
        """Every .json and .jsonl file that begins like a transcript, a bundle's array of them, or a file of claims."""
        if path.suffix not in self.suffixes or not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                return self.recognises(file.read(_HEAD))
        except OSError:
            return False

    def recognises(self, data: bytes) -> bool:
        """Whether the beginning of a file is that of a transcript or of claims."""
        from proctor.formats.brainbench.claims_file import is_claims_file
        from proctor.formats.brainbench.recognition import looks_like_transcript

        return looks_like_transcript(data[:_HEAD]) or is_claims_file(data[:_HEAD])

    def load(self, path: Path, data: bytes, defaults: Defaults) -> Loaded:
        """Read one file. A file with errors gives no case."""
        from proctor.formats.brainbench.loading import load_recorded

        return load_recorded(path, data, defaults)
