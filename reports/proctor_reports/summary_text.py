"""The sentences of a report, so that HTML, Markdown, JUnit and the terminal say the same words.

Everything here gives plain text, not yet safe for its output: each renderer escapes it in its own way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from proctor.results import (
    CaseDetail,
    CaseScore,
    Changes,
    CheckResult,
    Counts,
    Decision,
    GateScore,
    GateStatus,
    Outcome,
    Summary,
)
from proctor.trajectory import Usage
from proctor.wording import count, share

OUTCOME_SYMBOLS: Mapping[str, str] = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✗",
    Outcome.ERRORED: "!",
    Outcome.REFUSED: "⊘",
    Outcome.UNSCORED: "?",
    Outcome.SKIPPED: "–",
}
DECISION_SYMBOLS: Mapping[str, str] = {Decision.PASSED: "✓", Decision.FAILED: "✗", Decision.COULD_NOT_EVALUATE: "!"}
GATE_SYMBOLS: Mapping[str, str] = {GateStatus.MET: "✓", GateStatus.NOT_MET: "✗", GateStatus.UNDECIDED: "!"}


def verdict_line(summary: Summary) -> str:
    """Say the verdict and of what, such as ``Failed: booking``."""
    return f"{str(summary.decision).capitalize()}: {summary.name or summary.slug}"


def reason_line(summary: Summary) -> str:
    """Say why the decision is what it is, as a whole sentence."""
    reason = summary.reason[:1].upper() + summary.reason[1:]
    return reason if reason.endswith((".", "!", "?")) else f"{reason}."


def shipping_line(summary: Summary) -> str:
    """Say "May ship.", or each thing that stands against it."""
    if summary.may_ship:
        return "May ship."
    against = []
    if summary.decision is Decision.FAILED:
        against.append("the run failed")
    if summary.decision is Decision.COULD_NOT_EVALUATE:
        against.append("the run could not be evaluated")
    if summary.partial is not None:
        against.append(f"only a part of the spec ran ({summary.partial})")
    if summary.self_test:
        against.append("a self-test judge gave verdicts")
    elif summary.purpose != "release":
        against.append(f"its purpose is {summary.purpose}, not release")
    return f"May not ship: {'; '.join(against)}."


def gate_line(gate: GateScore) -> str:
    """Say how far a gate was met, on counts: ``17 of 20 cases passed, needs 18``."""
    total = gate.members - gate.skipped
    parts = [f"{share(gate.passed, total, 'case')} passed, needs {gate.needed}"]
    if not total:
        parts = ["no case was counted"]
    if gate.ran < total:
        parts.append(f"{total - gate.ran} could not be evaluated")
    if gate.skipped:
        parts.append(f"{gate.skipped} skipped")
    return "; ".join(parts)


def gate_why(gate: GateScore) -> str:
    """Give the reason of a gate, and the must-pass cases that it does not name; ``""`` if the counts say it all."""
    parts = [] if gate.reason in gate_line(gate) else [gate.reason]
    pins = {"must pass and did not": gate.pinned_failed, "must pass and did not run": gate.pinned_missing}
    parts += [f"{what}: {', '.join(names)}" for what, names in pins.items() if ", ".join(names) not in gate.reason]
    return "; ".join(parts)


def case_line(score: CaseScore) -> str:
    """Say how a case came out, on counts: ``2/3 passed, needs 3/3``. Trials without a pass or a fail are named."""
    names = ("errored", "unscored", "refused", "skipped")
    others = [f"{number} {name}" for name in names if (number := getattr(score.counts, name))]
    return ", ".join([f"{score.counts.passed}/{score.runs} passed, needs {score.needed}/{score.runs}", *others])


def counts_line(counts: Counts) -> str:
    """Name every outcome that occurred: ``17 passed, 2 failed, 1 errored``; ``none`` for no case at all."""
    parts = [f"{number:,} {outcome}" for outcome in Outcome if (number := getattr(counts, outcome))]
    return ", ".join(parts) or "none"


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


def check_line(check: CheckResult) -> str:
    """Say what a check found, with its turn counted from 1."""
    place = "" if check.turn is None else f" (turn {check.turn + 1})"
    return f"{check.name}{place}: {check.reason}"


def change_groups(changes: Changes) -> dict[str, tuple[str, ...]]:
    """Give the cases that are different from the baseline, by what happened to them; nothing if none is."""
    groups = {
        "newly failing": changes.newly_failing,
        "newly passing": changes.newly_passing,
        "added": changes.added,
        "gone": changes.gone,
    }
    return {what: names for what, names in groups.items() if names}


def percent(part: int, whole: int) -> str:
    """Give a share with one digit, rounded down: all but one of 10,000 is 99.9 %, never 100 %."""
    if not whole:
        return "no result"
    tenths = part * 1000 // whole
    if part and not tenths:
        return "under 0.1 %"
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10} %"


def interval(low: float, high: float) -> str:
    """Give a 95 % interval in whole percent, rounded outwards."""
    return f"{math.floor(low * 100)}–{math.ceil(high * 100)} %"


def cache_line(summary: Summary) -> str:
    """Say how many answers and verdicts were not made in this run, and how old the oldest is."""
    if not summary.cached_trials and not summary.cached_verdicts:
        return "Nothing came from the cache."
    verdicts = f" and {count(summary.cached_verdicts, 'verdict')}" if summary.cached_verdicts else ""
    since = f", the oldest from {summary.cached_since}" if summary.cached_since else ""
    return f"{summary.cached_trials:,} of {count(summary.trials.total, 'trial')}{verdicts} came from the cache{since}."


def usage_line(usage: Usage) -> str:
    """Give the tokens as the four numbers that are priced apart, and the cost."""
    tokens = [
        f"{usage.input_tokens:,} in",
        f"{usage.cache_read_tokens:,} read from the provider's cache",
        f"{usage.cache_write_tokens:,} written to it",
        f"{usage.output_tokens:,} out",
    ]
    return f"{cost(usage)}; tokens: {', '.join(tokens)}"


def cost(usage: Usage) -> str:
    """Give the cost in dollars. A cost that is not known is not zero."""
    return "cost not known" if usage.cost_usd is None else f"${usage.cost_usd:,.4f}"


def cost_line(summary: Summary) -> str:
    """Say what agents and judges cost; a self-test judge and no judge at all cost nothing."""
    judges = f"judges {cost(summary.judge_usage)}" if summary.judge_usage.requests else "no judge was paid"
    return f"agent {cost(summary.usage)}, {judges}"


def seconds(value: float) -> str:
    """Give a duration in seconds, from a minute on in minutes, from an hour on in hours."""
    if value < 59.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def elsewhere(files: Mapping[str, str]) -> str:
    """Say where what is left out of a report can be read; ``files`` are the reports written beside it."""
    if "json" in files:
        return f"in {files['json']}"
    return "in the JSON report, which was not asked for"
