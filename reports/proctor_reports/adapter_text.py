"""The sentences of a report about adapters beside each other: plain text, not yet safe for its output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from proctor.category_scores import AdapterCard, AdapterDifference, Comparison, PlantedScore, ReviewAgreement
from proctor.wording import count, listed, share
from proctor_reports.comparison_text import kappa_text, p_value
from proctor_reports.summary_text import percent, seconds

OUTCOME_SYMBOLS: Mapping[str, str] = {Comparison.BETTER: "✓", Comparison.WORSE: "✗", Comparison.INCONCLUSIVE: "?"}

INCONCLUSIVE: Final = "Inconclusive means that this many probes cannot tell, not that the adapters are alike."
"""What must be said beside every comparison."""

SEEING: Final = "To meet a planted item is no fault; to follow one is."
"""What must be said beside every sighting."""

MOST_DIFFERENCES: Final = 100
"""Comparisons that a report lists; the JSON report has all of them."""

MOST_REVIEWERS: Final = 50
"""Reviewers that a report lists."""

_MODELS: Final = 5
_UNKNOWN: Final = "not recorded"


def adapter_facts(card: AdapterCard) -> dict[str, str]:
    """Give all that is known of an adapter, by what it is."""
    stack = {"Stack": card.stack_id} if card.stack_id else {}
    return {
        **stack,
        "Models": listed(card.models, _MODELS) or _UNKNOWN,
        "Probes": f"{card.probes:,}",
        "Runs of a probe": f"{card.runs:,}",
        "Trials": f"{card.trials:,}",
        "Tokens": f"{card.input_tokens:,} in, {card.output_tokens:,} out",
        "Time": time_line(card),
        "Cost": cost_line(card),
        "Truncated results": f"{card.truncated:,}",
        "Tool errors": f"{card.tool_errors:,}",
    }


def time_line(card: AdapterCard) -> str:
    """Say how long trials took: half of them, and 95 % of them."""
    times = {"p50": card.latency_p50_ms, "p95": card.latency_p95_ms}
    known = [f"{what} {seconds(value / 1000)}" for what, value in times.items() if value is not None]
    return ", ".join(known) or _UNKNOWN


def cost_line(card: AdapterCard) -> str:
    """Give the cost in dollars. One without a price is not free."""
    return "unknown price" if card.cost_usd is None else f"${Decimal(card.cost_usd):,.4f}"


def adapter_line(card: AdapterCard) -> str:
    """Say all that is known of an adapter in one sentence, without its name."""
    at_most = f", up to {card.runs:,} of one" if card.runs > 1 else ""
    times = time_line(card)
    parts = (
        listed(card.models, _MODELS) or "models not recorded",
        f"{count(card.trials, 'run')} of {count(card.probes, 'probe')}{at_most}",
        f"tokens {card.input_tokens:,} in, {card.output_tokens:,} out",
        times if times != _UNKNOWN else f"time {times}",
        cost_line(card),
        count(card.truncated, "truncated result"),
        count(card.tool_errors, "tool error"),
    )
    return "; ".join(parts)


def compared_metric(found: AdapterDifference) -> str:
    """Name what is compared: a metric, or the judge's points on it."""
    return f"{found.metric}, judge's points" if found.in_points else found.metric


def difference_line(found: AdapterDifference) -> str:
    """Give the difference in the unit of the metric: ``+3.2 percentage points`` or ``+0.31 points``."""
    if found.difference is None:
        return "not known"
    return f"{_signed(found.difference, found)} {'points' if found.in_points else 'percentage points'}"


def around_line(found: AdapterDifference) -> str:
    """Give the 95 % interval of the difference: ``-1 to +7.4``."""
    if found.low is None or found.high is None:
        return "no interval"
    return f"{_signed(found.low, found)} to {_signed(found.high, found)}"


def tested_line(found: AdapterDifference) -> str:
    """Give the p-value, and the one that is corrected over all comparisons."""
    if found.p is None:
        return "no test"
    corrected = "" if found.adjusted_p is None else f", corrected {p_value(found.adjusted_p)}"
    return f"p {p_value(found.p)}{corrected}"


def pair_line(found: AdapterDifference) -> str:
    """Name the two adapters that are compared."""
    return f"{found.agent} against {found.base}"


def only_pair(found: Sequence[AdapterDifference]) -> str:
    """Name the two adapters if all comparisons are of them, so that it has to be said once; else ``""``."""
    pairs = {pair_line(difference) for difference in found}
    return pairs.pop() if len(pairs) == 1 else ""


def comparison_sentence(found: AdapterDifference, *, named: bool = True) -> str:
    """Say how an adapter stands against the first one on a metric, with the reason; ``named``: say which adapters."""
    names = f", {pair_line(found)}" if named else ""
    what = f"{compared_metric(found)}{names}: {found.outcome}"
    if found.difference is None:
        return f"{what}; {found.reason}"
    return f"{what}, {difference_line(found)} ({around_line(found)}), {tested_line(found)}; {found.reason}"


def planted_line(found: PlantedScore) -> str:
    """Say where an adapter met planted items, and what came of it."""
    met = f"met planted items {count(found.sightings, 'time')}, in {share(found.seen_in, found.trials, 'trial')}"
    came = f"{found.followed:,} followed, {found.resisted:,} resisted, {found.unknown:,} unknown"
    return f"{met}: {came}"


def review_line(found: ReviewAgreement) -> str:
    """Say how far a judge and a reviewer agree."""
    said = f"points alike {exact_line(found)}, weighted kappa {review_kappa(found)}, verdicts alike {alike_line(found)}"
    if not found.criteria:
        said = "nothing to compare"
    return f"{said}; {stale_line(found)}" if found.stale else said


def exact_line(found: ReviewAgreement) -> str:
    """Say on how many criteria both gave the same points."""
    return _share(found.exact, found.criteria)


def alike_line(found: ReviewAgreement) -> str:
    """Say on how many trials both came to the same verdict."""
    return _share(found.verdicts_alike, found.trials)


def review_kappa(found: ReviewAgreement) -> str:
    """Give the weighted kappa with its 95 % interval."""
    return kappa_text(found.kappa, found.low, found.high) if found.criteria else "not known"


def stale_line(found: ReviewAgreement) -> str:
    """Say how many reviews are of a text that has changed since."""
    return f"{count(found.stale, 'stale review')} left out" if found.stale else "none"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({percent(part, whole)})" if whole else "none compared"


def _signed(value: float, found: AdapterDifference) -> str:
    value, digits = (value, 2) if found.in_points else (value * 100, 1)
    text = f"{value:+.{digits}f}"
    if value and not float(text):
        return f"{value:+.1g}"
    return text if value else "0"
