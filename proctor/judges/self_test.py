"""The self-test judge: a rule without a model, for trying things out offline.

It answers at once and always the same, and it understands nothing. Its verdicts say so: `Verdict.self_test` is set,
and a run with such a verdict can never say that something may ship.
"""

from __future__ import annotations

import re

from proctor.excerpt import quote
from proctor.judges.answer_kinds import passes
from proctor.judges.causes import Cause, unscored
from proctor.judges.row_self_test import ROW_RULES
from proctor.plan import SELF_TEST, JudgeRequest
from proctor.results import Verdict

RULE_VERSION = "self-test/1"
"""The version of the rules, part of every verdict key of this judge."""

_PHRASE = re.compile(r'"([^"]+)"')
_WORD = re.compile(r"[^\W\d_]{4,}")


def ask_self_test(request: JudgeRequest) -> Verdict:
    """Answer by the rule of the subject (`proctor.judges.row_self_test`), else by what the rubric names."""
    if rule := ROW_RULES.get(request.subject):
        said, reason = rule(request)
        score = None if isinstance(said, bool) else float(said)
        return _verdict(passes(said, request), reason, score)
    return _by_rubric(request)


def _by_rubric(request: JudgeRequest) -> Verdict:
    """Pass when the last evidence text has what the rubric names.

    That is every phrase in double quotes; without one, at least half of the words of four or more letters. Case does
    not matter. A rubric with neither gives no verdict: there is nothing to look for.
    """
    text = request.evidence[-1].text.casefold() if request.evidence else ""
    phrases = [phrase for phrase in _PHRASE.findall(request.rubric) if phrase.strip()]
    wanted = phrases or sorted({word.casefold() for word in _WORD.findall(request.rubric)})
    if not wanted:
        return unscored(SELF_TEST, Cause.SETUP, "the rubric has no phrase in double quotes and no word to look for")
    missing = [phrase for phrase in wanted if phrase.casefold() not in text]
    passed = not missing if phrases else 2 * len(missing) <= len(wanted)
    return _verdict(passed, _found("phrases" if phrases else "words", len(wanted), missing))


def _verdict(passed: bool, reason: str, score: float | None = None) -> Verdict:
    return Verdict(
        passed=passed,
        reasoning=f"self-test judge, not a model: {reason}",
        model=SELF_TEST,
        self_test=True,
        prompt_version=RULE_VERSION,
        score=score,
    )


def _found(kind: str, wanted: int, missing: list[str]) -> str:
    absent = ", ".join(quote(phrase, 60) for phrase in missing[:3])
    more = ", …" if len(missing) > 3 else ""
    found = f"found {wanted - len(missing)} of the {wanted} {kind} of the rubric"
    return found + (f"; missing {absent}{more}" if missing else "")
