"""Task ``report``: files, and artifacts in Prefect: the gates, a summary, and a link to the report."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from prefect import task
from prefect.artifacts import acreate_link_artifact, acreate_markdown_artifact, acreate_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from proctor.excerpt import mark_controls
from proctor.results import Summary
from proctor.stages.progress import Stage
from proctor.stages.run import Run
from proctor_reports.run_report import report as write_run_reports
from proctor_reports.summary_text import gate_line, verdict_line
from proctor_tasks.retrying import RETRIES, RETRY_DELAY_S, is_outage


@task(
    name=Stage.REPORT.value,
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=RETRIES,
    retry_delay_seconds=RETRY_DELAY_S,
    retry_condition_fn=is_outage,
)
async def report(run: Run) -> State[Any]:
    """Write the reports and the artifacts ``gate-<slug>``, ``summary-<slug>`` and ``report-<slug>``."""
    paths = await asyncio.to_thread(write_run_reports, run)
    message = ", ".join(str(path) for path in paths.values())
    try:
        await _artifacts(run.store.summary(run.id), paths)
    except httpx.HTTPError as error:  # the files are there, and the verdict does not depend on the server
        return Completed(message=f"{message}; without artifacts: {type(error).__name__}")
    return Completed(message=message)


async def _artifacts(summary: Summary, paths: Mapping[str, Path]) -> None:
    await acreate_table_artifact(_gate_rows(summary), key=f"gate-{summary.slug}", description="Gates of this run")
    await acreate_markdown_artifact(mark_controls(_markdown(summary)), key=f"summary-{summary.slug}")
    if "html" in paths:
        await acreate_link_artifact(
            paths["html"].resolve().as_uri(), "HTML report", key=f"report-{summary.slug}", description="The full report"
        )


def _gate_rows(summary: Summary) -> list[dict[str, Any]]:
    head = {"gate": "(run)", "agent": "", "status": summary.decision.value, "reason": summary.reason}
    rows = [
        {"gate": gate.name, "agent": gate.agent, "status": gate.status.value, "reason": gate.reason}
        for gate in summary.gates
    ]
    return [{**head, "exit_code": summary.exit_code}, *rows]


def _markdown(summary: Summary) -> str:
    gates = "".join(f"\n- {gate.name}: {gate_line(gate)}" for gate in summary.gates)
    return f"**{verdict_line(summary)}**\n\n{summary.reason}\n{gates}\n"
