"""The sixth stage: the reports of an aggregated run, written and noted in the store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from proctor.stages.places import report_dir
from proctor.stages.progress import Stage
from proctor.stages.run import Run
from proctor_reports.writing import write_reports


def report(run: Run) -> Mapping[str, Path]:
    """Write the reports of a run in the formats of its plan, and give their paths by format.

    Raises:
        CouldNotEvaluate: a report cannot be written.
    """
    plan = run.plan
    folder = report_dir(plan.root, plan.report_dir, plan.slug, run.id)
    paths = write_reports(run.store.results(run.id), folder, plan.report_formats)
    for kind, path in paths.items():
        with path.open("rb") as file:
            run.store.save_report(run.id, kind, str(path), hashlib.file_digest(file, "sha256").hexdigest())
    run.progress.advance(Stage.REPORT, len(paths))
    return paths
