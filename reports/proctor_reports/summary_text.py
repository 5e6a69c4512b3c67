"""The sentences of a report, so that HTML, Markdown, JUnit and the terminal say the same words.

Everything here gives plain text, not yet safe for its output: each renderer escapes it in its own way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from proctor.dataset import RECORDED
from proctor.results import (
    Changes,
    Counts,
    Decision,
    GateScore,
    GateStatus,
    Outcome,
    Summary,
)
from proctor.trajectory import Usage
from proctor.wording import count, share
from proctor_reports.agent_words import agent_word
from proctor_reports.row_counts import controls, has_played, played, recorded

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
    """Say how far a gate was met, on counts: ``17 of 20 cases passed, needs 18``.

    A gate over recorded rows whose reason is about something else than such counts gives its reason.
    """
    if gate.agent != RECORDED:
        return _counted(gate, "case")
    line = _counted(gate, "row")
    return line if _says_counts(gate) else gate.reason


def gate_why(gate: GateScore) -> str:
    """Give the reason of a gate, and the must-pass cases that it does not name; ``""`` if the line says it all."""
    parts = [] if _says_counts(gate) or gate.reason in gate_line(gate) else [gate.reason]
    pins = {"must pass and did not": gate.pinned_failed, "must pass and did not run": gate.pinned_missing}
    parts += [f"{what}: {', '.join(names)}" for what, names in pins.items() if ", ".join(names) not in gate.reason]
    return "; ".join(parts)


def _counted(gate: GateScore, noun: str) -> str:
    total = gate.members - gate.skipped
    parts = [f"{share(gate.passed, total, noun)} passed, needs {gate.needed}"]
    if not total:
        parts = [f"no {noun} was counted"]
    if gate.ran < total:
        parts.append(f"{total - gate.ran:,} could not be evaluated")
    if gate.skipped:
        parts.append(f"{gate.skipped:,} skipped")
    return "; ".join(parts)


def _says_counts(gate: GateScore) -> bool:
    """Whether the reason of a gate is its counts, of cases or rows."""
    return any(gate.reason in _counted(gate, noun) for noun in ("case", "row"))


def counts_line(counts: Counts) -> str:
    """Name every outcome that occurred: ``17 passed, 2 failed, 1 errored``; ``none`` for no case at all."""
    parts = [f"{number:,} {outcome}" for outcome in Outcome if (number := getattr(counts, outcome))]
    return ", ".join(parts) or "none"


def tallies(summary: Summary) -> dict[str, str]:
    """Count what there was: cases and their trials, recorded rows, or both, with every outcome named."""
    rows = recorded(summary)
    found = {}
    if has_played(summary):
        cases, trials = played(summary.cases, rows), played(summary.trials, rows)
        found = {"Cases": _tally(cases), "Trials": _tally(trials)}
    if rows.total:
        known = controls(summary)
        found["Rows"] = _tally(rows) + (f", {known:,} of them controls" if known else "")
    return found


def _tally(counts: Counts) -> str:
    return f"{counts.total:,} ({counts_line(counts)})"


def result_heading(summary: Summary) -> str:
    """Name the column of `result_line`."""
    if not has_played(summary):
        return "Dimension"
    return "Trials or dimension" if summary.dimensions else "Trials"


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
    return _tenths(part * 1000 // whole, part > 0) if whole else "no result"


def rate(value: float | None) -> str:
    """Give a share that is no plain count in the same way; None is not known."""
    if value is None:
        return "not known"
    # 0.29 is a little less than 290 thousandths in binary.
    tenths = math.floor(round(value * 1000, 6))
    return _tenths(min(tenths, 999) if value < 1 else tenths, value > 0)


def _tenths(tenths: int, is_some: bool) -> str:
    if is_some and not tenths:
        return "under 0.1 %"
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10} %"


def interval(low: float, high: float) -> str:
    """Give a 95 % interval in whole percent, rounded outwards."""
    return f"{math.floor(low * 100)}–{math.ceil(high * 100)} %"


def cache_line(summary: Summary) -> str:
    """Say how many answers and verdicts were not made in this run, and how old the oldest is."""
    if not summary.cached_trials and not summary.cached_verdicts:
        return "Nothing came from the cache."
    trials = share(summary.cached_trials, played(summary.trials, recorded(summary)).total, "trial")
    parts = [trials] if has_played(summary) else []
    if summary.cached_verdicts:
        parts.append(count(summary.cached_verdicts, "verdict"))
    since = f", the oldest from {summary.cached_since}" if summary.cached_since else ""
    return f"{' and '.join(parts)} came from the cache{since}."


def usage_line(usage: Usage) -> str:
    """Give the tokens and the cost."""
    return f"{cost(usage)}; tokens: {tokens(usage)}"


def tokens(usage: Usage) -> str:
    """Give the tokens as the four numbers that are priced apart."""
    return (
        f"{usage.input_tokens:,} in, {usage.cache_read_tokens:,} read from the provider's cache, "
        f"{usage.cache_write_tokens:,} written to it, {usage.output_tokens:,} out"
    )


def has_tokens(usage: Usage) -> bool:
    """Whether any tokens are known."""
    return any((usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens))


def cost(usage: Usage) -> str:
    """Give the cost in dollars. A cost that is not known is not zero."""
    return "cost not known" if usage.cost_usd is None else f"${usage.cost_usd:,.4f}"


def cost_line(summary: Summary) -> str:
    """Say what agents and judges cost, and what recorded rows say that they did.

    A self-test judge and no judge at all cost nothing.
    """
    parts = [_agents_cost(summary)]
    spent = next((score.measures for score in summary.dimensions if score.name == "cost"), None)
    if spent is not None:
        parts.append(f"{count(spent.rows, 'recorded row')} cost {dollars(spent.total)}")
    parts.append(f"judges {cost(summary.judge_usage)}" if summary.judge_usage.requests else "no judge was paid")
    return ", ".join(parts)


def _agents_cost(summary: Summary) -> str:
    if not has_played(summary):
        return "no agent was called"
    if agent_word(summary) == "agent":
        return f"agent {cost(summary.usage)}"
    if summary.usage.cost_usd is None:
        return "no agent was called, what the recorded runs cost is not known"
    return f"no agent was called, the recorded runs cost {cost(summary.usage)}"


def dollars(value: float) -> str:
    """Give an amount with four digits, or with seven if it is so small that four would hide it."""
    return f"${value:,.{4 if value >= 0.001 or not value else 7}f}"


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
