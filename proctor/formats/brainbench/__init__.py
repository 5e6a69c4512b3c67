"""The BrainBench format: transcripts of the flight recorder, and the companion files they are held against."""

from __future__ import annotations

from typing import Final

TRANSCRIPTS: Final = "brainbench"
"""The short name of the format."""
