"""Checks on the text of a reply: substrings and patterns.

The rules are those of pytest-agent-eval 0.3.0: needle and reply are lower-cased (``str.lower``, no folding, no
normalising) and searched as they are; patterns are Python's, ignore case, and are searched anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from proctor.checks.patterns import PatternProblem, search
from proctor.excerpt import quote
from proctor.plan import CheckContext
from proctor.results import CheckResult, Outcome
from proctor.wording import listed

_SEEN = 400


@dataclass(frozen=True, slots=True)
class ReplyContains:
    """Check if the reply contains one (``any``) or all of some texts, in any case.

    A text that occurs verbatim counts too: lower-casing a final sigma can hide it. With ``upstream`` it does not.
    """

    texts: tuple[str, ...]
    any: bool
    upstream: bool = False

    @property
    def name(self) -> str:
        """The key in the transcript."""
        return "reply_contains_any" if self.any else "reply_contains_all"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail a missing reply, whatever is looked for."""
        return _decide(self.name, context, self.texts, self.any, "contain", self._occurs)

    def _occurs(self, text: str, reply: str) -> bool:
        return text.lower() in reply.lower() or (not self.upstream and text in reply)


@dataclass(frozen=True, slots=True)
class ReplyMatches:
    """Check if one (``any``) or all of some Python patterns are found in the reply, ignoring case.

    A pattern that cannot be decided in time fails with its own reason.
    """

    patterns: tuple[str, ...]
    any: bool

    @property
    def name(self) -> str:
        """The key in the transcript."""
        return "reply_matches_any" if self.any else "reply_matches_all"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail a missing reply, whatever is looked for."""
        try:
            return _decide(self.name, context, self.patterns, self.any, "match", search)
        except PatternProblem as problem:
            return CheckResult(self.name, Outcome.FAILED, str(problem), context.turn)


def _decide(
    name: str,
    context: CheckContext,
    wanted: Sequence[str],
    any_is_enough: bool,
    verb: str,
    holds: Callable[[str, str], bool],
) -> CheckResult:
    reply = context.reply
    if reply is None:
        return CheckResult(
            name, Outcome.FAILED, f"the agent gave no reply; {_wish(wanted, any_is_enough, verb)}", context.turn
        )
    if any_is_enough:
        found = next((text for text in wanted if holds(text, reply)), None)
        passed, reason = found is not None, f"found {quote(found)}"
    else:
        missing = next((text for text in wanted if not holds(text, reply)), None)
        passed, reason = missing is None, f"found all {len(wanted)}" if len(wanted) > 1 else f"found {quote(wanted[0])}"
        wanted = wanted if missing is None else [missing]
    if not passed:
        reason = f"{_wish(wanted, any_is_enough, verb)}; the reply was {quote(reply, _SEEN)}"
    return CheckResult(name, Outcome.PASSED if passed else Outcome.FAILED, reason, context.turn)


def _wish(wanted: Iterable[str], any_is_enough: bool, verb: str) -> str:
    texts = [quote(text, 80) for text in wanted]
    if len(texts) == 1:
        return f"the reply should {verb} {texts[0]}"
    return f"the reply should {verb} {'one' if any_is_enough else 'each'} of {listed(texts, 5)}"
