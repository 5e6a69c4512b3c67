"""Where the reports of a run lie."""

from __future__ import annotations

from pathlib import Path

from proctor.plan import Plan


def report_dir(plan: Plan, run_id: str) -> Path:
    """The folder of one run's reports: below the configured folder, else below ``.proctor/reports``."""
    base = plan.report_dir if plan.report_dir is not None else plan.root / ".proctor" / "reports"
    return base / plan.slug / run_id
