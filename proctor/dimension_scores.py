"""What a run says of its recorded rows: light lines, dimensions, repeated cases, calibration, and the comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from proctor.dataset import RECORDED
from proctor.results import CaseScore, Counts, GateStatus, Outcome
from proctor.trajectory import Usage


class RowLine(NamedTuple):
    """One recorded row without its texts.

    ``line`` is its place in the file ``source``, ``group`` the case that repeated rows share (its own id without one).
    ``measure`` is dollars, milliseconds or a judge's score. ``definition`` tells whether two runs asked the same of
    the row: a checksum over all but what was observed. ``slices`` holds (field, value) pairs. ``label`` is the human
    verdict, ``judged`` whether a judge decided.
    """

    key: str
    dimension: str
    group: str
    source: str
    line: int
    outcome: Outcome
    measure: float | None = None
    tags: tuple[str, ...] = ()
    slices: tuple[tuple[str, str], ...] = ()
    definition: int = 0
    control: bool = False
    judged: bool = False
    label: bool | None = None

    @property
    def case(self) -> str:
        """The key, as gates know cases."""
        return self.key

    @property
    def markers(self) -> tuple[str, ...]:
        """Rows carry none."""
        return ()


def row_case(line: RowLine, latency_ms: float = 0.0, usage: Usage | None = None) -> CaseScore:
    """A recorded row as a case with one trial, for outputs that list cases."""
    return CaseScore(
        agent=RECORDED,
        case=line.key,
        outcome=line.outcome,
        counts=Counts.of([line.outcome]),
        runs=1,
        threshold=1.0,
        needed=1,
        reason=f"{line.dimension}: {int(line.outcome is Outcome.PASSED)}/1 passed",
        tags=line.tags,
        source=line.source,
        line=line.line,
        latency_ms=latency_ms,
        usage=usage or Usage(),
    )


@dataclass(frozen=True, slots=True)
class Reliability:
    """How alike the trials of repeated cases are. ``None`` where no case has enough trials.

    ``pass_hat_k`` is the mean chance that k trials of a case all pass, ``pass_at_k`` that one of k does; both are
    unbiased estimates over the ``covered`` cases with at least k trials.
    """

    cases: int
    repeated: int
    trials: int
    consistency: float
    k: int
    pass_hat_k: float | None
    pass_at_k: float | None
    covered: int
    flaky: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measures:
    """The measured rows of cost (dollars) or latency (milliseconds)."""

    rows: int
    total: float
    mean: float
    p50: float
    p95: float
    largest: float


@dataclass(frozen=True, slots=True)
class DimensionScore:
    """One dimension: rows by outcome, the share that passed with its Wilson interval, and whether that is enough.

    ``rows`` leaves controls out. ``mode`` is ``deterministic`` or ``llm-judge``; ``engine`` names what detected.
    ``cluster`` is the interval that counts repeated trials of a case as alike; None where no case is repeated.
    """

    name: str
    rows: Counts
    threshold: float
    bound: str
    min_rows: int
    low: float
    high: float
    status: GateStatus
    reason: str
    mode: str
    engine: str = ""
    cluster: tuple[float, float] | None = None
    reliability: Reliability | None = None
    measures: Measures | None = None
    controls: Counts = field(default_factory=Counts)

    @property
    def rate(self) -> float:
        """The share of decided rows that passed; 0 for none."""
        return self.rows.passed / self.rows.decided if self.rows.decided else 0.0


@dataclass(frozen=True, slots=True)
class CalibrationScore:
    """How far a judge and people agree on one dimension.

    ``kappa`` is None where it is undefined: all labels and all verdicts are of the same class. ``sensitivity`` is the
    agreement on what people passed, ``specificity`` on what they failed. ``status`` is one sentence for a reader.
    ``judge`` is the digest of judge, rubric and settings; ``measured_at`` is empty for the run itself.
    """

    dimension: str
    rows: int
    true_pass: int
    false_pass: int
    true_fail: int
    false_fail: int
    kappa: float | None
    low: float | None
    high: float | None
    bar: float
    min_rows: int
    trusted: bool
    status: str
    judge: str = ""
    measured_at: str = ""

    @property
    def accuracy(self) -> float | None:
        """The share of rows on which judge and people agree."""
        return (self.true_pass + self.true_fail) / self.rows if self.rows else None

    @property
    def sensitivity(self) -> float | None:
        """The share of rows passed by people that the judge passed too."""
        passed = self.true_pass + self.false_fail
        return self.true_pass / passed if passed else None

    @property
    def specificity(self) -> float | None:
        """The share of rows failed by people that the judge failed too."""
        failed = self.true_fail + self.false_pass
        return self.true_fail / failed if failed else None


class Change(StrEnum):
    """How a dimension stands against the baseline. ``UNCLEAR``: the test cannot tell with this many rows."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    STABLE = "stable"
    UNCLEAR = "cannot tell"
    ADDED = "added"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class DimensionChange:
    """One dimension against the baseline.

    ``lost`` rows passed before and fail now, ``won`` ones the reverse, of ``shared`` rows. ``p`` is the two-sided
    p-value of ``test`` (``mcnemar`` on shared rows, ``fisher`` on unshared ones), ``adjusted_p`` the one after the
    correction over all dimensions. ``detectable`` is the drop in the rate that this many rows show with the stated
    power. ``before_met`` and ``now_met`` say whether the dimension's gate was met, and is.
    """

    dimension: str
    change: Change
    before: float | None
    now: float | None
    before_rows: int
    now_rows: int
    shared: int
    lost: int
    won: int
    test: str
    p: float | None
    adjusted_p: float | None
    detectable: float | None
    reason: str
    before_met: bool | None = None
    now_met: bool | None = None


@dataclass(frozen=True, slots=True)
class Regression:
    """A run against its baseline. ``comparable`` is False with a reason when the two cannot be compared."""

    baseline: str
    comparable: bool
    reason: str
    level: float
    blocks: bool
    regressed: bool
    dimensions: tuple[DimensionChange, ...] = ()
