"""From recorded trials of one format to files of another, as far as they hold what it needs.

- `trials_of_run` and `trials_of_file` read trials; `convert` writes them as pi fixtures or as rows of a data set.
- `build_fixture` makes one fixture of one trial; `proctor record` uses it too.
- `proctor.convert.brainbench` makes transcripts and bundles of BrainBench of a run.

A format whose files hold trials is added by an entry of `proctor.convert.sources.FILE_SOURCES`, what can be written by
one of `proctor.convert.converting.TARGETS`. Where a conversion makes no sense, it is refused with the reason.
"""

from __future__ import annotations

from proctor.convert.converting import TARGETS, Converted, convert
from proctor.convert.fixture import Built, FixtureHead, build_fixture
from proctor.convert.places import check_place, write_file
from proctor.convert.sources import trials_of_file, trials_of_run

__all__ = [
    "TARGETS",
    "Built",
    "Converted",
    "FixtureHead",
    "build_fixture",
    "check_place",
    "convert",
    "trials_of_file",
    "trials_of_run",
    "write_file",
]
