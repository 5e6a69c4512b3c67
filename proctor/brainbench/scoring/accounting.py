"""Who is to blame for a probe without a score, and what that does to a run.

A failure of the system under test is a miss: leaving it out would reward an agent that crashes on hard probes. A
failure of the harness, of something it depends on, or of the judge says nothing of the agent: such a probe stays out
of every mean, and out of sight it must not stay, so their share is capped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Final

from proctor.brainbench.eras import Era
from proctor.excerpt import quote
from proctor.trajectory import JsonValue
from proctor.wording import listed

LONGEST_MESSAGE: Final = 500
"""Characters (code points) of an error's message at most."""

CAPPED_FROM: Final = 10
"""The number of planned probes from which the share of lost ones is capped; with fewer, none may be lost."""

MOST_LOST: Final = 10
"""The largest share of lost probes, in percent, that leaves a run valid."""

_UNACCOUNTED: Final = "planned, and there is neither a score nor an error"


class Origin(StrEnum):
    """Who broke: the system under test, the harness, something that it depends on, or the judge."""

    SUT = "sut"
    HARNESS = "harness"
    DEPENDENCY = "dependency"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class ProbeError:
    """Why a probe has no score. A longer message is cut to `LONGEST_MESSAGE`, its last character is then a mark."""

    probe_id: str
    origin: Origin
    message: str = ""

    def __post_init__(self) -> None:
        if len(self.message) > LONGEST_MESSAGE:
            object.__setattr__(self, "message", f"{self.message[: LONGEST_MESSAGE - 1]}…")

    def to_json(self) -> dict[str, JsonValue]:
        """An entry of a receipt's errors."""
        return {"probe_id": self.probe_id, "origin": self.origin.value, "message": self.message}


@dataclass(frozen=True, slots=True)
class Accounting:
    """The planned probes of a run, each with a score or lost.

    ``scores`` holds misses as 0. Every planned probe that is not in it is lost, and has an error that says why.
    """

    planned: tuple[str, ...]
    scores: Mapping[str, float]
    errors: tuple[ProbeError, ...]

    @property
    def n_total(self) -> int:
        """The planned probes."""
        return len(self.planned)

    @property
    def n_scored(self) -> int:
        """The probes that count in means, misses among them."""
        return len(self.scores)

    @property
    def n_lost(self) -> int:
        """The probes that count in no mean."""
        return self.n_total - self.n_scored

    @property
    def completion_rate(self) -> float:
        """The share of planned probes with a score; 0 if none were planned."""
        return self.n_scored / self.n_total if self.planned else 0.0

    @property
    def infra_error_rate(self) -> float:
        """The share of planned probes that were lost; 0 if none were planned."""
        return self.n_lost / self.n_total if self.planned else 0.0

    @property
    def run_invalid(self) -> bool:
        """Whether too large a share was lost. A run below `CAPPED_FROM` probes is never invalid for that."""
        return self.n_total >= CAPPED_FROM and self.n_lost * 100 > MOST_LOST * self.n_total

    @property
    def publishable(self) -> bool:
        """Whether the numbers may be shown outside: something was scored, and no more was lost than is allowed."""
        too_few = self.n_total < CAPPED_FROM and self.n_lost > 0
        return self.n_scored > 0 and not self.run_invalid and not too_few

    @property
    def mean(self) -> float | None:
        """The mean score; the mean of nothing is absent, never 0."""
        return fsum(self.scores.values()) / self.n_scored if self.scores else None


def account(
    planned: Sequence[str],
    scored: Mapping[str, float],
    errors: Iterable[ProbeError] = (),
    era: Era = Era.POST_AUDIT,
) -> Accounting:
    """Book every planned probe.

    A probe with several errors is a miss if the system under test is behind one of them. One without a score and
    without an error is lost to the harness. The seed era knows no origins: to it, every error is a miss.

    Raises:
        ValueError: a probe is planned twice, or has a score or an error and was not planned, or has both.
    """
    booked = tuple(errors)
    named = {error.probe_id for error in booked}
    _refuse("planned twice", (probe for probe, times in Counter(planned).items() if times > 1))
    _refuse("not planned", {*scored, *named} - {*planned})
    _refuse("with a score and an error", scored.keys() & named)
    unaccounted = (probe for probe in planned if probe not in scored and probe not in named)
    booked += tuple(ProbeError(probe, Origin.HARNESS, _UNACCOUNTED) for probe in unaccounted)
    missed = {error.probe_id for error in booked if era is Era.SEED or error.origin is Origin.SUT}
    scores = {probe: scored.get(probe, 0.0) for probe in planned if probe in scored or probe in missed}
    return Accounting(tuple(planned), scores, booked)


def rate(part: int, whole: int, era: Era) -> float | None:
    """A share; that of nothing is absent, and 0 in the seed era."""
    if whole:
        return part / whole
    return 0.0 if era is Era.SEED else None


def _refuse(what: str, probes: Iterable[str]) -> None:
    wrong = sorted(probes)
    if wrong:
        raise ValueError(f"{what}: {listed([quote(probe, 80) for probe in wrong], 5)}")
