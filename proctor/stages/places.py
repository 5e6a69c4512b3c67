"""Where the reports of a run lie."""

from __future__ import annotations

from pathlib import Path


def report_dir(root: Path, configured: Path | None, slug: str, run_id: str) -> Path:
    """The folder of one run's reports: below the configured folder, else below the project's ``.proctor/reports``."""
    return (configured or root / ".proctor" / "reports") / slug / run_id
