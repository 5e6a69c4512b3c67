"""What was said, and how many messages it took."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.checks.pi.results import check_name, check_result
from proctor.checks.pi.trace import trace_in
from proctor.excerpt import quote
from proctor.plan import CheckContext
from proctor.results import CheckResult
from proctor.wording import count, listed


@dataclass(frozen=True, slots=True)
class MessageContains:
    """Check if one message of the user, or of the assistant, contains a text: case-sensitive and to the letter.

    Each message is looked at alone. Thinking, calls and the results of tools are in no message.
    """

    position: int
    role: str
    text: str

    @property
    def name(self) -> str:
        """The assertion in the fixture."""
        return check_name(self.position, "message_contains_substring")

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with the messages that were looked at, the last ones."""
        texts = [turn.text for turn in trace_in(context).turns if turn.role == self.role]
        if any(self.text in text for text in texts):
            reason = f"a message of the {self.role} contains {quote(self.text, 80)}"
            return check_result(self.name, context, True, reason)
        reason = f"a message of the {self.role} should contain {quote(self.text, 80)}; {self._seen(texts)}"
        return check_result(self.name, context, False, reason)

    def _seen(self, texts: list[str]) -> str:
        said = [quote(text) for text in reversed(texts) if text]
        if not said:
            return f"no message of the {self.role} has text"
        return f"the messages from the last: {listed(said, 3)}"


@dataclass(frozen=True, slots=True)
class TraceMaxTurns:
    """Check if the trace has at most ``max_turns`` messages: of the user, the assistant and the tools."""

    position: int
    max_turns: int

    @property
    def name(self) -> str:
        """The assertion in the fixture."""
        return check_name(self.position, "trace_max_turns")

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with the number of messages of each role."""
        roles = [turn.role for turn in trace_in(context).turns]
        if len(roles) <= self.max_turns:
            return check_result(self.name, context, True, f"{count(len(roles), 'turn')}, at most {self.max_turns:,}")
        seen = ", ".join(f"{roles.count(role):,} {role}" for role in dict.fromkeys(roles))
        reason = f"the trace should have at most {count(self.max_turns, 'turn')}, and has {len(roles):,}: {seen}"
        return check_result(self.name, context, False, reason)
