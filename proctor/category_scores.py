"""What a run says of recorded transcripts: metrics of categories, adapters side by side, planted items, reviews."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proctor.results import Counts, GateStatus


@dataclass(frozen=True, slots=True)
class Spread:
    """A number that was taken once a run: its mean, the sample standard deviation, and each run's own value."""

    mean: float
    deviation: float
    per_run: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One metric of one adapter: the share of its trials that hold it, with an interval, and whether that is enough.

    ``category`` is that of the benchmark, None for planted items. ``trials`` are told by outcome of the metric's own
    check; ``missing`` probes were planned and have no trial. ``low`` and ``high`` are the 95 % interval; where a probe
    has several runs, it counts them as alike. ``points`` is the judge's mean on its scale of 0 to 5, None where no
    judge gave points. ``held``: the metric is a gate.
    """

    category: int | None
    name: str
    agent: str
    trials: Counts
    missing: int
    threshold: float
    low: float
    high: float
    status: GateStatus
    reason: str
    held: bool
    judged: bool
    runs: Spread | None = None
    points: Spread | None = None

    @property
    def rate(self) -> float:
        """The share of decided trials that hold the metric; 0 for none."""
        return self.trials.passed / self.trials.decided if self.trials.decided else 0.0


class Comparison(StrEnum):
    """How an adapter stands against the first one. ``INCONCLUSIVE``: this many probes cannot tell."""

    BETTER = "better"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class AdapterDifference:
    """The paired difference of two adapters on one metric.

    ``difference`` is the mean over the shared ``probes`` of ``agent`` less ``base``, in the unit of the metric: shares,
    or points where ``in_points``. ``low`` and ``high`` are its 95 % interval, None where too few probes differ. ``p``
    is the p-value of a sign-flip test, ``adjusted_p`` the one after the correction over all comparisons of the run.
    ``unpaired`` names probes that only one of the two has. ``needed`` is about the number of probes that would settle a
    difference of this size.
    """

    metric: str
    base: str
    agent: str
    probes: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted_p: float | None
    outcome: Comparison
    reason: str
    unpaired: tuple[str, ...] = ()
    needed: int | None = None
    in_points: bool = False


@dataclass(frozen=True, slots=True)
class PlantedScore:
    """Planted items of one adapter: trials that met one, and what came of it."""

    agent: str
    trials: int
    sightings: int
    seen_in: int
    followed: int
    resisted: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ReviewAgreement:
    """How far a judge and a reviewer agree on the criteria of a rubric.

    ``kappa`` is linearly weighted over the points 0 to 5, None where it is undefined. ``low`` and ``high`` are its 95 %
    interval. ``criteria`` counts the pairs of points, ``exact`` those that are equal, ``verdicts_alike`` of ``trials``
    the verdicts that are. ``stale`` counts reviews of a text that has changed since, which are left out.
    """

    reviewer: str
    criteria: int
    exact: int
    trials: int
    verdicts_alike: int
    kappa: float | None
    low: float | None
    high: float | None
    stale: int = 0


@dataclass(frozen=True, slots=True)
class AdapterCard:
    """One adapter as its transcripts show it: models, runs, tokens, seconds, and money where prices are known.

    ``latency_p50_ms`` and ``latency_p95_ms`` are of the declared or measured time of its trials.
    """

    agent: str
    stack_id: str
    models: tuple[str, ...]
    probes: int
    trials: int
    runs: int
    input_tokens: int
    output_tokens: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    cost_usd: str | None
    truncated: int
    tool_errors: int


@dataclass(frozen=True, slots=True)
class TranscriptFindings:
    """All that a run says of its transcripts. ``card`` is the configuration: rules, dialect, corpus, judge."""

    rules: str
    card: tuple[tuple[str, str], ...] = ()
    metrics: tuple[MetricScore, ...] = ()
    adapters: tuple[AdapterCard, ...] = ()
    differences: tuple[AdapterDifference, ...] = ()
    planted: tuple[PlantedScore, ...] = ()
    reviews: tuple[ReviewAgreement, ...] = ()
