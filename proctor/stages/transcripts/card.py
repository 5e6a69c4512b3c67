"""The configuration of a run over transcripts, as it was really resolved."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.brainbench.probes import Companions
from proctor.jsonvalue import digest
from proctor.stages.run import Run
from proctor.wording import count


def configuration_card(run: Run, companions: Companions) -> Iterator[tuple[str, str]]:
    """Names and values for a reader: whose rules, which files, which judge."""
    plan = run.plan
    settings = plan.brainbench
    yield "rules", settings.rules
    yield "dialect", settings.dialect
    yield "broken transcripts", "scored all the same" if settings.score_broken else "not scored"
    if not settings.held:
        yield "thresholds", "none: the metrics are a baseline"
    yield "probes", count(len(companions.probes), "probe")
    if companions.pages:
        yield "gold", count(len(companions.pages), "page")
    if companions.planted:
        yield "planted", count(len(companions.planted.items), "item")
    if settings.files:
        yield "companion files", digest([[file.role, file.digest] for file in settings.files])
    if any(outline.judges for source in plan.sources for outline in source.cases):
        yield "judge", ", ".join(run.judges.jurors(""))
