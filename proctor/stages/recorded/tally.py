"""Recorded rows counted: by dimension, by repeated case, by slice. One pass over light lines; no row is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from proctor.dimension_scores import RowLine
from proctor.results import Counts, Outcome

Label = tuple[bool, bool]
"""Whether the judge passed a row, and whether people did."""

_NO_TRIALS = (0, 0)
_DECIDED = (Outcome.PASSED, Outcome.FAILED)


@dataclass(slots=True)
class DimensionTally:
    """The rows of one dimension. ``cases`` holds (passed, decided) of each case; controls are counted apart.

    ``judged`` counts the rows that a judge had to decide, ``unanswered`` the labelled ones on which it gave no verdict.
    """

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    controls: Counter[Outcome] = field(default_factory=Counter)
    judged: int = 0
    cases: dict[str, tuple[int, int]] = field(default_factory=dict)
    measures: list[float] = field(default_factory=list)
    labels: Counter[Label] = field(default_factory=Counter)
    unanswered: int = 0
    not_passed: list[str] = field(default_factory=list)

    @property
    def rows(self) -> Counts:
        """Rows by outcome, without controls."""
        return Counts.tallied(self.outcomes)

    def add(self, line: RowLine, verdict: Outcome) -> None:
        """Count a row. ``verdict`` is what its dimension alone says: checks of the user's are not in it."""
        outcome = line.outcome
        passed = outcome is Outcome.PASSED
        if not passed:
            self.not_passed.append(line.key)
        if line.control:
            self.controls[outcome] += 1
            return
        self.outcomes[outcome] += 1
        if line.measure is not None:
            self.measures.append(line.measure)
        if passed or outcome is Outcome.FAILED:
            case = self.cases.get(line.group, _NO_TRIALS)
            self.cases[line.group] = (case[0] + passed, case[1] + 1)
        if line.judged:
            self.judged += 1
            if line.label is not None:
                self._compare(verdict, line.label)

    def _compare(self, verdict: Outcome, label: bool) -> None:
        """Count a verdict of a judge on a labelled row. A judge that was not asked has given none."""
        if verdict in _DECIDED:
            self.labels[verdict is Outcome.PASSED, label] += 1
        elif verdict is Outcome.UNSCORED:
            self.unanswered += 1


@dataclass(slots=True)
class RowTally:
    """All recorded rows of a run. ``slices`` counts outcomes by tag and ``field: value``; controls are in no slice."""

    dimensions: dict[str, DimensionTally] = field(default_factory=dict)
    slices: dict[str, Counter[Outcome]] = field(default_factory=dict)

    @property
    def rows(self) -> Counts:
        """All rows by outcome, controls too."""
        counted: Counter[Outcome] = Counter()
        for dimension in self.dimensions.values():
            counted.update(dimension.outcomes)
            counted.update(dimension.controls)
        return Counts.tallied(counted)

    def add(self, line: RowLine, verdict: Outcome | None = None) -> None:
        """Count a row. ``verdict`` is what its dimension alone says, where checks of the user's ran too."""
        outcome = line.outcome
        dimension = self.dimensions.get(line.dimension)
        if dimension is None:
            dimension = self.dimensions[line.dimension] = DimensionTally()
        dimension.add(line, verdict or outcome)
        if (line.tags or line.slices) and not line.control:
            names = (*line.tags, *(f"{field}: {value}" for field, value in line.slices))
            for name in dict.fromkeys(names):
                self.slices.setdefault(name, Counter())[outcome] += 1


def tally(lines: Iterable[RowLine]) -> RowTally:
    """Count rows."""
    found = RowTally()
    for line in lines:
        found.add(line)
    return found
