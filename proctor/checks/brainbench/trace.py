"""A transcript with all that its checks hold it against."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Facts
from proctor.brainbench.findings.finding import Finding, Level
from proctor.brainbench.planted.exposure import Sighting, sightings
from proctor.brainbench.probes import Companions, Probe
from proctor.brainbench.transcript import Transcript
from proctor.plan import CheckContext
from proctor.results import CheckResult, Outcome
from proctor.wording import count


@dataclass(frozen=True, slots=True)
class BrainTrace:
    """A recorded transcript, the facts of it for ``era``, and its companions.

    ``probe`` is None where no companion file has the transcript's probe. ``findings`` are the invariants that it
    breaks; ``score_broken``: it is scored even if there are errors among them.
    """

    transcript: Transcript
    facts: Facts
    probe: Probe | None
    companions: Companions
    era: Era = Era.POST_AUDIT
    findings: tuple[Finding, ...] = ()
    score_broken: bool = False

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings for which a transcript should not be scored."""
        return tuple(finding for finding in self.findings if finding.level is Level.ERROR)

    @property
    def sightings(self) -> tuple[Sighting, ...]:
        """Where the agent met planted items; searched for with every call."""
        return sightings(self.transcript, self.companions.planted)


def trace_in(context: CheckContext) -> BrainTrace:
    """The transcript that a check looks at.

    Raises:
        TypeError: the trial was not recorded as a transcript of BrainBench.
    """
    recorded = context.case.recorded
    if recorded is None or not isinstance(recorded.trace, BrainTrace):
        raise TypeError("this check looks at a recorded transcript of BrainBench, and the trial is none")
    return recorded.trace


def not_scored(name: str, trace: BrainTrace) -> CheckResult | None:
    """The result of a check on a transcript that is too broken to be scored; None if it is scored."""
    if not trace.errors or trace.score_broken:
        return None
    reason = f"not scored: the transcript is broken ({first_and_more(trace.errors)})"
    return CheckResult(name, Outcome.SKIPPED, reason)


def first_and_more(findings: tuple[Finding, ...]) -> str:
    """The first finding in full, and how many more there are."""
    more = f", and {count(len(findings) - 1, 'more finding')}" if len(findings) > 1 else ""
    return f"{findings[0].code} at {findings[0].pointer or '/'}{more}"
