"""What Proctor says of a trial, a case, a gate and a run.

Six outcomes stay apart everywhere: in the store, the reports, JUnit and the exit code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from proctor.trajectory import CacheOrigin, JsonValue, Trajectory, Usage

if TYPE_CHECKING:
    from proctor.category_scores import TranscriptFindings
    from proctor.dimension_scores import CalibrationScore, DimensionScore, Regression, RowLine


class Outcome(StrEnum):
    """The outcome of a check, a trial or a case.

    ``ERRORED``: the agent could not be run. ``REFUSED``: a content filter stopped it; a result, and not a pass.
    ``UNSCORED``: a judge gave no verdict. ``SKIPPED``: left out on purpose. None of these four is ever a pass.
    """

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    REFUSED = "refused"
    UNSCORED = "unscored"
    SKIPPED = "skipped"


class Decision(StrEnum):
    """The verdict of a run, and with it the exit code: one rule for every output."""

    PASSED = "passed"
    FAILED = "failed"
    COULD_NOT_EVALUATE = "could not evaluate"

    @property
    def exit_code(self) -> int:
        """0 gates met, 1 a gate failed, 3 could not evaluate."""
        return {Decision.PASSED: 0, Decision.FAILED: 1, Decision.COULD_NOT_EVALUATE: 3}[self]


class TrialRef(NamedTuple):
    """The place of one trial inside a run: agent name, case key, and trial index from 0."""

    agent: str
    case: str
    trial: int


WARNING_ONLY: Final = "warning only: "
"""How the reason of a skipped check begins that found something and was told not to let it count."""


class CheckKind(StrEnum):
    """Whether a check was decided by a rule or by a judge."""

    DETERMINISTIC = "deterministic"
    JUDGED = "judged"


@dataclass(frozen=True, slots=True)
class CriterionScore:
    """What a judge gave one criterion of a rubric, on a scale of 0 to 5, and why."""

    id: str
    score: float
    rationale: str

    def to_json(self) -> dict[str, JsonValue]:
        """A JSON object."""
        return {"id": self.id, "score": self.score, "rationale": self.rationale}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one piece of evidence.

    ``passed`` is None when there is no verdict; ``cause`` then says why. ``model`` is the resolved model id,
    ``attempts`` the number of tries, ``usage`` covers all of them. ``score`` is what a judge on a scale gave, or the
    weighted mean of the ``criteria`` that it scored; ``label`` is the one that it chose. A panel's verdict carries the
    ``votes`` of its jurors.
    """

    passed: bool | None
    reasoning: str
    model: str
    attempts: int = 1
    cause: str | None = None
    self_test: bool = False
    usage: Usage = field(default_factory=Usage)
    prompt_version: str = ""
    score: float | None = None
    votes: tuple[Verdict, ...] = ()
    cached: CacheOrigin | None = None
    criteria: tuple[CriterionScore, ...] = ()
    label: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """A JSON object; the cache origin is kept beside it by the store, not in it."""
        return {
            "passed": self.passed,
            "reasoning": self.reasoning,
            "model": self.model,
            "attempts": self.attempts,
            "cause": self.cause,
            "self_test": self.self_test,
            "usage": self.usage.to_json(),
            "prompt_version": self.prompt_version,
            **({} if self.score is None else {"score": self.score}),
            **({} if self.label is None else {"label": self.label}),
            **({"criteria": [criterion.to_json() for criterion in self.criteria]} if self.criteria else {}),
            **({"votes": [vote.to_json() for vote in self.votes]} if self.votes else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], cached: CacheOrigin | None = None) -> Self:
        """The inverse of `to_json`."""
        parts = {
            "usage": Usage.from_json(data["usage"]),
            "criteria": tuple(CriterionScore(**criterion) for criterion in data.get("criteria", ())),
            "votes": tuple(cls.from_json(vote) for vote in data.get("votes", ())),
        }
        return cls(**{**data, **parts}, cached=cached)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check, with a reason that shows what was wanted and what was seen.

    ``turn`` counts from 0 and is None for a check on the whole trial. A passed check has a reason too.
    """

    name: str
    outcome: Outcome
    reason: str
    turn: int | None = None
    kind: CheckKind = CheckKind.DETERMINISTIC
    verdict: Verdict | None = None

    @property
    def passed(self) -> bool:
        """True for a pass only: an unscored check has not passed."""
        return self.outcome is Outcome.PASSED


@dataclass(frozen=True, slots=True)
class TrialScore:
    """One trial with its trajectory and its checks."""

    ref: TrialRef
    outcome: Outcome
    trajectory: Trajectory
    checks: tuple[CheckResult, ...] = ()


class TrialLine(NamedTuple):
    """The part of a trial that aggregation needs, without its trajectory."""

    ref: TrialRef
    outcome: Outcome
    latency_ms: float
    usage: Usage
    cached: CacheOrigin | None = None


class CheckLine(NamedTuple):
    """One check of one trial, without its reason."""

    ref: TrialRef
    name: str
    outcome: Outcome
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class JudgeTotals:
    """What the judges of a run cost: ``cached`` verdicts cost nothing now, ``self_test`` ones come from a rule."""

    verdicts: int = 0
    cached: int = 0
    self_test: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many trials, or cases, ended in each outcome."""

    passed: int = 0
    failed: int = 0
    errored: int = 0
    refused: int = 0
    unscored: int = 0
    skipped: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Self:
        """Count outcomes."""
        return cls.tallied(Counter(outcomes))

    @classmethod
    def tallied(cls, tally: Mapping[Outcome, int]) -> Self:
        """Take outcomes that are counted already."""
        return cls(**{outcome.value: number for outcome, number in tally.items()})

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def total(self) -> int:
        """All of them."""
        return self.decided + self.undecided + self.skipped

    @property
    def decided(self) -> int:
        """Those that have a result: passed, failed, refused. The denominator of every rate."""
        return self.passed + self.failed + self.refused

    @property
    def undecided(self) -> int:
        """Those that should have a result and have none: errored, unscored."""
        return self.errored + self.unscored

    def to_json(self) -> dict[str, JsonValue]:
        """All six counts."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class CaseScore:
    """All trials of one case with one agent.

    ``needed`` is the smallest number of passing trials that reaches ``threshold``; the comparison is made on
    counts. ``reason`` is the sentence that a reader sees.
    """

    agent: str
    case: str
    outcome: Outcome
    counts: Counts
    runs: int
    threshold: float
    needed: int
    reason: str
    tags: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    source: str = ""
    line: int = 0
    latency_ms: float = 0.0
    usage: Usage = field(default_factory=Usage)
    cached: int = 0

    @property
    def flaky(self) -> bool:
        """Some trials passed and some did not."""
        return bool(self.counts.passed and (self.counts.failed or self.counts.refused))


class GateStatus(StrEnum):
    """Whether a gate is met. ``UNDECIDED``: a member could not be evaluated."""

    MET = "met"
    NOT_MET = "not met"
    UNDECIDED = "could not evaluate"


@dataclass(frozen=True, slots=True)
class GateScore:
    """A gate over the cases of one agent.

    ``ran`` counts members with a result, ``passed`` those that passed, ``needed`` those that have to; ``failing`` names
    the members that did not pass.
    ``pinned_failed`` and ``pinned_missing`` are the must-pass entries that failed, and that did not run.
    """

    name: str
    agent: str
    status: GateStatus
    reason: str
    threshold: float
    members: int
    ran: int
    passed: int
    skipped: int
    failing: tuple[str, ...] = ()
    pinned_failed: tuple[str, ...] = ()
    pinned_missing: tuple[str, ...] = ()
    needed: int = 0


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the cases of one agent (one tag, or all): how many passed, with a Wilson 95 % interval."""

    name: str
    agent: str
    cases: Counts
    trials: Counts
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Changes:
    """What is different from the baseline run, as ``agent/case`` names."""

    baseline: str
    newly_failing: tuple[str, ...] = ()
    newly_passing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a report says above its case list.

    ``reason`` is the sentence behind ``decision``. ``partial`` names the selection when only a part of the spec
    ran; such a run is never a baseline. ``self_test`` is set when a self-test judge gave a verdict: such a run can
    never say "may ship". ``provenance`` holds plain data: spec digest, agent fingerprints, packages, commit.
    """

    run_id: str
    slug: str
    name: str
    spec: str
    purpose: str
    decision: Decision
    reason: str
    cases: Counts
    trials: Counts
    gates: tuple[GateScore, ...] = ()
    slices: tuple[Slice, ...] = ()
    agents: tuple[str, ...] = ()
    partial: str | None = None
    self_test: bool = False
    started_at: str = ""
    duration_s: float = 0.0
    usage: Usage = field(default_factory=Usage)
    judge_usage: Usage = field(default_factory=Usage)
    latency_p50_ms: float | None = None
    latency_p95_ms: float | None = None
    cached_trials: int = 0
    cached_verdicts: int = 0
    cached_since: str | None = None
    warnings: tuple[str, ...] = ()
    changes: Changes | None = None
    dimensions: tuple[DimensionScore, ...] = ()
    regression: Regression | None = None
    calibration: tuple[CalibrationScore, ...] = ()
    transcripts: TranscriptFindings | None = None
    provenance: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def may_ship(self) -> bool:
        """True only for a passed, complete run with the purpose ``release`` and no self-test judge."""
        complete = self.partial is None and not self.self_test
        return self.decision is Decision.PASSED and self.purpose == "release" and complete

    @property
    def exit_code(self) -> int:
        """The exit code of the decision."""
        return self.decision.exit_code


@dataclass(frozen=True, slots=True)
class CaseDetail:
    """One case with all its trials, as a report shows it."""

    score: CaseScore
    trials: tuple[TrialScore, ...]


@dataclass(frozen=True, slots=True)
class RunResults:
    """A finished run for reports and for the Python API.

    ``cases`` may be called as often as needed; each call streams the cases anew from the store, worst first
    (failed, errored, unscored, refused, flaky, then the rest; by agent and case inside each). ``rows`` streams the
    recorded rows that a rule passed, in the order of their files: of those nothing but a line is kept.
    """

    summary: Summary
    cases: Callable[[], Iterator[CaseDetail]]
    rows: Callable[[], Iterator[RowLine]] = tuple  # type: ignore[assignment]
