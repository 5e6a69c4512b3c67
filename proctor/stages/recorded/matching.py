"""The rows of two runs, matched by key: what was lost and won, what only one has, and what asks something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from proctor.dimension_scores import RowLine
from proctor.results import Outcome

_DECIDED = (Outcome.PASSED, Outcome.FAILED)


class _Before(NamedTuple):
    """A row of the baseline."""

    dimension: str
    definition: int
    passed: bool


@dataclass(slots=True)
class Pairs:
    """The rows of one dimension in both runs: (passed before, passes now) pairs, and rows that only one has."""

    pairs: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    added: Counter[bool] = field(default_factory=Counter)
    gone: Counter[bool] = field(default_factory=Counter)

    @property
    def shared(self) -> int:
        """The number of pairs."""
        return self.pairs.total()

    @property
    def before(self) -> tuple[int, int]:
        """Passed and decided rows of the baseline."""
        passed = self.pairs[True, True] + self.pairs[True, False] + self.gone[True]
        return passed, self.shared + self.gone.total()

    @property
    def now(self) -> tuple[int, int]:
        """Passed and decided rows of this run."""
        passed = self.pairs[True, True] + self.pairs[False, True] + self.added[True]
        return passed, self.shared + self.added.total()

    @property
    def compared(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Passed and decided rows before and now, of the rows that say whether anything changed.

        These are the shared ones, so that rows which are new, or left out, neither hide a change nor make one; where
        the runs share none, all of them.
        """
        if not self.shared:
            return self.before, self.now
        lasting = self.pairs[True, True]
        return (lasting + self.pairs[True, False], self.shared), (lasting + self.pairs[False, True], self.shared)


@dataclass(slots=True)
class Matched:
    """Two runs, row by row. ``changed`` rows ask something else now, so they are in no pair.

    ``judged``: a judge had to decide a row of one of them.
    """

    dimensions: dict[str, Pairs] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    won: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    judged: bool = False

    def of(self, dimension: str) -> Pairs:
        """The pairs of a dimension."""
        found = self.dimensions.get(dimension)
        if found is None:
            found = self.dimensions[dimension] = Pairs()
        return found

    def add(self, line: RowLine, before: _Before | None) -> None:
        """Take a decided row of this run, and what it was in the baseline."""
        passed = line.outcome is Outcome.PASSED
        if before is None:
            self.added.append(line.key)
            self.of(line.dimension).added[passed] += 1
        elif (before.dimension, before.definition) != (line.dimension, line.definition):
            self.changed.append(line.key)
        else:
            self.of(line.dimension).pairs[before.passed, passed] += 1
            if before.passed is not passed:
                (self.won if passed else self.lost).append(line.key)


def match_rows(before: Iterable[RowLine], now: Iterable[RowLine]) -> Matched:
    """Match the decided rows of two runs; controls are no rows of the agent's, and are left out.

    A row without a result in one of the runs is in no pair.
    """
    earlier: dict[str, _Before] = {}
    found = Matched()
    for line in before:
        found.judged |= line.judged
        if _counts(line):
            earlier[line.key] = _Before(line.dimension, line.definition, line.outcome is Outcome.PASSED)
    for line in now:
        found.judged |= line.judged
        row = earlier.pop(line.key, None)
        if _counts(line):
            found.add(line, row)
    for key, row in earlier.items():
        found.gone.append(key)
        found.of(row.dimension).gone[row.passed] += 1
    return found


def _counts(line: RowLine) -> bool:
    return not line.control and line.outcome in _DECIDED
