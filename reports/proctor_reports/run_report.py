"""The sixth stage: the reports of an aggregated run, written and noted in the store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from proctor.stages.places import report_dir
from proctor.stages.progress import STAGES
from proctor.stages.run import Run
from proctor_reports.writing import write_reports


def report(run: Run) -> Mapping[str, Path]:
    """Write the reports of a run in the formats of its plan, and give their paths by format.

    Raises:
        CouldNotEvaluate: a report cannot be written.
    """
    paths = write_reports(run.store.results(run.id), report_dir(run.plan, run.id), run.plan.report_formats)
    for kind, path in paths.items():
        with path.open("rb") as file:
            run.store.save_report(run.id, kind, str(path), hashlib.file_digest(file, "sha256").hexdigest())
    run.progress.advance(STAGES[5], len(paths))
    return paths
