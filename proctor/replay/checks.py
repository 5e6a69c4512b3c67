"""The checks of a replayed case: whether the agent still does what was recorded, and whether its prompt is the same.

What they find fails the trial only where the suite asks for that. Otherwise they are skipped, with a reason that begins
with ``warning only``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from proctor.excerpt import quote
from proctor.plan import CheckContext
from proctor.replay.drift import Drift, drift_of
from proctor.replay.shape import first_difference
from proctor.replay_plan import Compare, CurrentPrompt, Policy
from proctor.results import WARNING_ONLY, CheckResult, Outcome
from proctor.trajectory import ToolCall
from proctor.wording import count, listed

_COMPARED: Final[Mapping[Compare, str]] = {
    Compare.NAMES: "with the same names",
    Compare.SHAPE: "with the same names and types of arguments",
    Compare.VALUES: "with the same names and arguments",
}


@dataclass(frozen=True, slots=True)
class ReplayShape:
    """Check if the agent made the recorded calls, in their order, and ended where the recording ends."""

    recorded: tuple[ToolCall, ...]
    compare: Compare = Compare.SHAPE
    policy: Policy = Policy.WARN

    @property
    def name(self) -> str:
        """What reports call it."""
        return "replay shape"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Say where the trial left the recording first, and what else the replay came upon."""
        difference = first_difference(self.recorded, context.tool_calls, self.compare)
        notes = context.trajectory.notes
        if difference is None and not notes:
            reason = f"{count(len(self.recorded), 'call')} as recorded, {_COMPARED[self.compare]}"
            return CheckResult(self.name, Outcome.PASSED, reason)
        found = [*([] if difference is None else [str(difference)]), *([listed(notes, 3)] if notes else [])]
        return _by_policy(self.name, self.policy, "; ".join(found))


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """Check if the system prompt is the recorded one.

    ``recorded`` is its SHA-256 in lower-case hex, or None where what is recorded is none; ``prompt`` that of today.
    ``recorder`` names what made the recording, with its version.
    """

    recorded: str | None
    recorder: str
    prompt: CurrentPrompt | None = None
    policy: Policy = Policy.WARN

    @property
    def name(self) -> str:
        """What reports call it."""
        return "system prompt"

    def evaluate(self, context: CheckContext) -> CheckResult:  # noqa: ARG002 - it is about the recording
        """Say whether they match, and if that cannot be told, why."""
        drift = drift_of(self.recorded, self.prompt)
        reason = f"{drift}: {self._reason(drift)}; recorded by {quote(self.recorder, 80)}"
        if drift is Drift.MATCH:
            return CheckResult(self.name, Outcome.PASSED, reason)
        return _by_policy(self.name, self.policy, reason)

    def _reason(self, drift: Drift) -> str:
        if drift is Drift.UNVERIFIABLE:
            return "the recorded hash is no SHA-256, so nobody can tell whether the prompt has changed"
        if self.prompt is None:
            return "no system prompt of today is given; name it as system_prompt below replay: in the suite"
        replaced = f" after {count(self.prompt.replacements, 'replacement')}" if self.prompt.replacements else ""
        if drift is Drift.MATCH:
            return f"the system prompt is the recorded one{replaced}"
        hint = ""
        if self.prompt.trimmed == self.recorded:
            hint = "; without its last line break it would be the recorded one"
        now, then = self.prompt.sha256[:12], (self.recorded or "")[:12]
        return f"the system prompt has changed since: its SHA-256 is {now}…{replaced}, recorded is {then}…{hint}"


def _by_policy(name: str, policy: Policy, reason: str) -> CheckResult:
    if policy is Policy.FAIL:
        return CheckResult(name, Outcome.FAILED, reason)
    return CheckResult(name, Outcome.SKIPPED, f"{WARNING_ONLY}{reason}")
