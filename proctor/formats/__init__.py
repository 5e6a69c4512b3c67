"""The formats of spec files. To add one, write its module and name it in `FORMATS`.

A module of this package reads one format (`proctor.formats.base.Format`); nothing else in Proctor knows its keys.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from proctor.formats.assevra.dataset_format import AssevraFormat
from proctor.formats.base import CaseFormat, Defaults, Format, Loaded, RowFormat
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.transcript import TranscriptFormat

__all__ = ["FORMATS", "CaseFormat", "Defaults", "Format", "Loaded", "RowFormat", "format_named", "format_of"]

FORMATS: Final[tuple[Format, ...]] = (TranscriptFormat(), PiFormat(), AssevraFormat())


def format_of(path: Path) -> Format | None:
    """The first format that claims a file."""
    return next((candidate for candidate in FORMATS if candidate.claims(path)), None)


def format_named(name: str) -> Format:
    """The format with this short name; KeyError for an unknown one."""
    return {candidate.name: candidate for candidate in FORMATS}[name]
