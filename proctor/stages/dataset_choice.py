"""Whether a spec needs settings for recorded rows, and what they came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from proctor.config import Project
from proctor.dataset import DatasetSettings
from proctor.formats import format_of, has_rows
from proctor.overrides import Overrides

if TYPE_CHECKING:
    from proctor.errors import Problem
    from proctor.plan import JudgeSettings
    from proctor.stages.target import Target


@dataclass(frozen=True, slots=True)
class DatasetChoice:
    """The settings for recorded rows, and what a configuration file says besides: ``purpose``, ``judge``, reports.

    ``is_judge_named``: a flag, the suite or the project names a judge, which stands above that of the file.
    """

    settings: DatasetSettings
    problems: tuple[Problem, ...] = ()
    purpose: str | None = None
    judge: JudgeSettings | None = None
    report_formats: tuple[str, ...] = ()
    is_judge_named: bool = False


def choose_dataset(
    target: Target, project: Project, overrides: Overrides, *, strict: bool | None = None, has_judge: bool = False
) -> DatasetChoice:
    """Find and merge the settings for the recorded rows of a spec.

    ``has_judge``: the caller brings one, whatever the settings name. ``strict`` says whether rows that cannot be scored
    are refused: by default for a release, or where the configuration file asks for it, which stands above False.
    Problems of that file are among those of the choice.

    Raises:
        UsageError: the file asks for a judge that cannot be had, or the suite for Presidio, which is not installed.
    """
    if not (target.suite.dataset.model_fields_set or any(has_rows(format_of(path)) for path in target.files)):
        return DatasetChoice(DatasetSettings(rules={}))
    from proctor.stages.dataset_settings import find_settings

    return find_settings(target, project, overrides, strict=strict, has_judge=has_judge)
