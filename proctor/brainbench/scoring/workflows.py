"""Category 9 as a whole: how many scenarios of each workflow pass, and whether that is enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.scoring.accounting import Accounting, ProbeError, account, rate
from proctor.brainbench.scoring.verdicts import CategoryVerdict, category_verdict

WORKFLOWS: Final = ("meeting_ingestion", "email_to_brain", "daily_task_prep", "briefing", "sync")
"""The workflows of the benchmark, in the order of its reports."""

WORKFLOW_THRESHOLD: Final = 0.80
"""The share of scenarios that has to pass in each workflow, at least."""


@dataclass(frozen=True, slots=True)
class WorkflowRate:
    """The scored scenarios of a workflow. A rate over nothing is absent; the seed era says 0."""

    workflow: str
    total: int
    passed: int
    pass_rate: float | None


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """One run of one agent: the workflows of the benchmark in their order, then others by first appearance."""

    accounting: Accounting
    pass_rate: float | None
    per_workflow: tuple[WorkflowRate, ...]
    verdict: CategoryVerdict


def workflow_run(
    planned: Mapping[str, str],
    passed: Mapping[str, bool],
    errors: Iterable[ProbeError] = (),
    threshold: float | None = None,
    era: Era = Era.POST_AUDIT,
) -> WorkflowRun:
    """Sum up the scenarios of a run.

    ``planned`` gives the workflow of each, ``passed`` whether the judge's verdict was pass: partial is not enough. A
    judge without a verdict is an error; the seed era counts its scenario as failed, since the audit it is lost.
    Without a ``threshold`` there is a baseline and no verdict; with one, every workflow with scored scenarios must
    reach it.

    Raises:
        ValueError: see `account`.
    """
    accounting = account(tuple(planned), {scenario: float(passes) for scenario, passes in passed.items()}, errors, era)
    rates = tuple(
        _rate_of(
            workflow, [score for scenario, score in accounting.scores.items() if planned[scenario] == workflow], era
        )
        for workflow in dict.fromkeys((*WORKFLOWS, *planned.values()))
    )
    overall = rate(sum(found.passed for found in rates), accounting.n_scored, era)
    reached = None if threshold is None else all(_reaches(found, threshold) for found in rates)
    return WorkflowRun(accounting, overall, rates, category_verdict(accounting, reached=reached, era=era))


def _rate_of(workflow: str, scores: list[float], era: Era) -> WorkflowRate:
    passed = sum(score == 1 for score in scores)
    return WorkflowRate(workflow, len(scores), passed, rate(passed, len(scores), era))


def _reaches(found: WorkflowRate, threshold: float) -> bool:
    return not found.total or found.passed / found.total >= threshold
