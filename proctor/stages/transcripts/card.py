"""The configuration of a run over transcripts, as it was really resolved."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.brainbench.probes import Companions
from proctor.jsonvalue import digest
from proctor.stages.run import Run


def configuration_card(run: Run, companions: Companions) -> Iterator[tuple[str, str]]:
    """Names and values for a reader: whose rules, which files, which judge."""
    plan = run.plan
    settings = plan.brainbench
    yield "rules", settings.rules
    yield "dialect", settings.dialect
    yield "broken transcripts", "scored all the same" if settings.score_broken else "not scored"
    if not settings.held:
        yield "thresholds", "none: the metrics are a baseline"
    yield "probes", f"{len(companions.probes):,}"
    if companions.pages:
        yield "gold pages", f"{len(companions.pages):,}"
    if companions.planted:
        yield "planted items", f"{len(companions.planted.items):,}"
    if settings.files:
        yield "companion files", digest([[file.role, file.digest] for file in settings.files])[:12]
    if any(outline.judges for source in plan.sources for outline in source.cases):
        yield "judge", ", ".join(run.judges.jurors(""))
