"""The sentences of a report about one case, or one recorded row: plain text, not yet safe for its output."""

from __future__ import annotations

import json

from proctor.dataset import RECORDED
from proctor.excerpt import shorten
from proctor.results import CaseDetail, CaseScore, CheckResult, Outcome
from proctor.trajectory import JsonValue, ToolCall


def case_line(score: CaseScore) -> str:
    """Say how a case came out, on counts: ``2/3 passed, needs 3/3``. Trials without a pass or a fail are named."""
    names = ("errored", "unscored", "refused", "skipped")
    others = [f"{number} {name}" for name in names if (number := getattr(score.counts, name))]
    return ", ".join([f"{score.counts.passed}/{score.runs} passed, needs {score.needed}/{score.runs}", *others])


def needs_a_look(score: CaseScore) -> bool:
    """Whether a reader has to see the trials: all that did not plainly pass, but for skipped cases."""
    plain = score.outcome in {Outcome.PASSED, Outcome.SKIPPED}
    return not plain or score.flaky or score.counts.undecided > 0


def first_problem(detail: CaseDetail) -> str:
    """Say what went wrong first, in the first trial that ended like its case; ``""`` if every trial passed."""
    wrong = [trial for trial in detail.trials if trial.outcome not in {Outcome.PASSED, Outcome.SKIPPED}]
    for trial in sorted(wrong, key=lambda trial: trial.outcome is not detail.score.outcome):
        failure = trial.trajectory.failure
        if failure is not None:
            return f"{failure.type}: {failure.message}"
        checks = [check for check in trial.checks if check.outcome not in {Outcome.PASSED, Outcome.SKIPPED}]
        for check in sorted(checks, key=lambda check: check.outcome is not trial.outcome):
            return check_line(check)
    return ""


def case_why(detail: CaseDetail) -> str:
    """Say why a reader has to look at a case: what went wrong first, else the reason of the case."""
    return first_problem(detail) or detail.score.reason


def result_line(detail: CaseDetail) -> str:
    """Say what a result is made of: the trials of a case on counts, the dimension of a recorded row."""
    if detail.score.agent != RECORDED:
        return case_line(detail.score)
    return next((check.name for trial in detail.trials for check in trial.checks), "")


def place_line(score: CaseScore) -> str:
    """Give the file and the line of a case, as editors take it; ``""`` if it has none."""
    return f"{score.source}:{score.line}" if score.source and score.line else score.source


def check_line(check: CheckResult) -> str:
    """Say what a check found, with its turn counted from 1."""
    place = "" if check.turn is None else f" (turn {check.turn + 1})"
    return f"{check.name}{place}: {check.reason}"


def call_line(call: ToolCall, limit: int) -> str:
    """Say what was called and what came back: ``find({"people": 4}) → Table 7``. Each text has at most ``limit``."""
    arguments = "arguments not captured" if call.arguments is None else shorten(value_text(call.arguments), limit)
    line = f"{shorten(call.name, limit)}({arguments}){' error' if call.is_error else ''}"
    return line if call.result is None else f"{line} → {shorten(value_text(call.result), limit)}"


def value_text(value: JsonValue) -> str:
    """Spell a JSON value; text stands as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
