"""The self-test judge: a rule without a model, for trying things out offline.

It answers at once and always the same, and it understands nothing. Its verdicts say so: `Verdict.self_test` is set,
and a run with such a verdict can never say that something may ship.
"""

from __future__ import annotations

import re

from proctor.excerpt import quote
from proctor.judges.causes import Cause, unscored
from proctor.judges.findings import Finding, finding_of
from proctor.judges.row_self_test import ROW_RULES
from proctor.judges.transcript_self_test import TRANSCRIPT_RULES
from proctor.plan import SELF_TEST, JudgeRequest
from proctor.results import Verdict

RULE_VERSION = "self-test/1"
"""The version of the rules, part of every verdict key of this judge."""

_PHRASE = re.compile(r'"([^"]+)"')
_WORD = re.compile(r"[^\W\d_]{4,}")


def ask_self_test(request: JudgeRequest) -> Verdict:
    """Answer by the rule of the subject, else by what the rubric names.

    The rules stand in `proctor.judges.row_self_test` and `proctor.judges.transcript_self_test`.
    """
    if rule := ROW_RULES.get(request.subject):
        said, reason = rule(request)
        return _verdict(finding_of(said, request), reason)
    if transcript_rule := TRANSCRIPT_RULES.get(request.subject):
        finding, reason = transcript_rule(request)
        return unscored(SELF_TEST, Cause.SETUP, reason) if finding is None else _verdict(finding, reason)
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
    return _verdict(Finding(passed), _found("phrases" if phrases else "words", len(wanted), missing))


def _verdict(finding: Finding, reason: str) -> Verdict:
    return Verdict(
        passed=finding.passed,
        reasoning=f"self-test judge, not a model: {reason}",
        model=SELF_TEST,
        self_test=True,
        prompt_version=RULE_VERSION,
        score=finding.score,
        criteria=finding.criteria,
        label=finding.label,
    )


def _found(kind: str, wanted: int, missing: list[str]) -> str:
    absent = ", ".join(quote(phrase, 60) for phrase in missing[:3])
    more = ", …" if len(missing) > 3 else ""
    found = f"found {wanted - len(missing)} of the {wanted} {kind} of the rubric"
    return found + (f"; missing {absent}{more}" if missing else "")
