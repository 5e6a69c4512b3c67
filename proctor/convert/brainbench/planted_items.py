"""Planted items from files that a user names."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench_plan import CompanionFile
from proctor.errors import Severity, SpecError
from proctor.formats.brainbench.companions.reading import load_companions
from proctor.regular_file import read_named


def read_planted_items(paths: Sequence[Path]) -> Catalogue:
    """The planted items of files.

    Raises:
        UsageError: a file cannot be read.
        SpecError: with all problems of the files.
    """
    reading = load_companions([CompanionFile("poison", path, sha256(read_named(path)).hexdigest()) for path in paths])
    if any(problem.severity is Severity.ERROR for problem in reading.problems):
        raise SpecError(reading.problems)
    return reading.companions.planted
