"""Files that say what is checked, not what an agent is: they are left out of an agent's fingerprint."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from proctor.formats import format_of, has_rows
from proctor.formats.discovery import spec_files
from proctor.plan import Plan
from proctor.real_path import real_path


def outside_agents(plan: Plan) -> list[Path]:
    """The files of this plan, its reports, and every file below the project that a format recognises by its content.

    A file that is not recognised counts as part of the agent: a cached answer is rather missed than stale.
    """
    found = {source.path for source in plan.sources}
    if plan.path.is_file():  # a folder of specs may hold the agent too
        found.add(plan.path)
    if plan.report_dir is not None:
        found.add(real_path(plan.report_dir))
    return sorted(found.union(_recognised(plan.root, found)))


def _recognised(root: Path, known: Collection[Path]) -> Iterator[Path]:
    for path in spec_files(root):
        format_ = format_of(path)
        try:
            if path in known or format_ is None:
                continue
            # Walking has looked at the beginning of a data set already: there is no need to read gigabytes.
            if has_rows(format_) or format_.recognises(path.read_bytes()):
                yield real_path(path)
        except OSError:
            continue
