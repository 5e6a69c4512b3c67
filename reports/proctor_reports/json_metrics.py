"""Recorded transcripts in the JSON report: all that a run says of them, as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from proctor.category_scores import MetricScore, TranscriptFindings


def transcripts_json(found: TranscriptFindings) -> dict[str, Any]:
    """Give the ``transcripts`` member of a summary."""
    return {
        "rules": found.rules,
        "card": [{"name": name, "value": value} for name, value in found.card],
        "metrics": [_metric(score) for score in found.metrics],
        "adapters": [asdict(card) for card in found.adapters],
        "differences": [asdict(difference) for difference in found.differences],
        "planted": [asdict(planted) for planted in found.planted],
        "reviews": [asdict(review) for review in found.reviews],
    }


def _metric(score: MetricScore) -> dict[str, Any]:
    """Give the figures of a metric. Without a decided trial there is no rate, and no interval around it."""
    is_known = score.trials.decided > 0
    return {
        **asdict(score),
        "trials": score.trials.to_json(),
        "rate": score.rate if is_known else None,
        "low": score.low if is_known else None,
        "high": score.high if is_known else None,
    }
