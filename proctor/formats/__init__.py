"""The formats of spec files. To add one, write its module and name it in `FORMATS`.

A module of this package reads one format (`proctor.formats.base.Format`); nothing else in Proctor knows its keys.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeGuard

from proctor.formats.assevra.dataset_format import AssevraFormat
from proctor.formats.base import CaseFormat, Defaults, Format, Loaded, RowFormat
from proctor.formats.brainbench.brainbench_format import BrainBenchFormat
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.transcript import TranscriptFormat

__all__ = [
    "FORMATS",
    "CaseFormat",
    "Defaults",
    "Format",
    "Loaded",
    "RowFormat",
    "format_named",
    "format_of",
    "has_cases",
    "has_rows",
]

FORMATS: Final[tuple[Format, ...]] = (TranscriptFormat(), PiFormat(), BrainBenchFormat(), AssevraFormat())

_WITH_CASES: Final = frozenset(format_.name for format_ in FORMATS if hasattr(type(format_), "load"))
_WITH_ROWS: Final = frozenset(format_.name for format_ in FORMATS if hasattr(type(format_), "scan"))
"""Instance checks on protocols are slow, and they ask for the model, which is costly to build."""


def format_of(path: Path) -> Format | None:
    """The first format that claims a file."""
    return next((candidate for candidate in FORMATS if candidate.claims(path)), None)


def format_named(name: str) -> Format:
    """The format with this short name; KeyError for an unknown one."""
    return {candidate.name: candidate for candidate in FORMATS}[name]


def has_cases(format_: Format | None) -> TypeGuard[CaseFormat]:
    """Whether the files of a format hold cases."""
    return format_ is not None and format_.name in _WITH_CASES


def has_rows(format_: Format | None) -> TypeGuard[RowFormat]:
    """Whether the files of a format hold recorded rows."""
    return format_ is not None and format_.name in _WITH_ROWS
