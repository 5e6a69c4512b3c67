"""``.assevra.yml``: found beside a data set or above it, read with all its problems, and turned into settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from proctor.checks.dimensions import DIMENSIONS
from proctor.dataset import CalibrationRule, DatasetSettings, DimensionRule, Price, RegressionRule, RowSettings
from proctor.errors import Problem, Severity
from proctor.formats.assevra import CONFIG_NAMES
from proctor.formats.assevra.config_model import BudgetPart, ConfigFile
from proctor.formats.assevra.config_text import read_config_text
from proctor.formats.pointers import Pointer
from proctor.formats.problems import model_problems
from proctor.formats.yaml_reader import Document
from proctor.plan import REPORT_FORMATS

_PURPOSES: Final[Mapping[str, str]] = {"release": "release", "scan": "triage", "self_test": "self-test"}
_REPORTS: Final[Mapping[str, str]] = {"md": "markdown", "markdown": "markdown", "json": "json", "html": "html"}


@dataclass(frozen=True, slots=True)
class AssevraConfig:
    """A configuration file that was read."""

    path: Path
    file: ConfigFile

    @property
    def purpose(self) -> str:
        """The purpose of runs, as a suite spells it."""
        return _PURPOSES[self.file.gate.purpose]

    @property
    def report_formats(self) -> tuple[str, ...]:
        """The reports that are asked for, as a suite spells them; empty for the usual ones."""
        named = [_REPORTS[name] for name in self.file.reports.formats]
        if self.file.attest.enabled:
            named = [*(named or REPORT_FORMATS), "scorecard", "agent-card"]
        return tuple(dict.fromkeys(named))


def find_config(folder: Path, root: Path) -> Path | None:
    """The nearest configuration file, from ``folder`` up to the project root; in ``folder`` alone outside of it.

    A pipe and a link that leads nowhere are found too, and told when they are read.
    """
    is_inside = folder.is_relative_to(root)
    places = [place for place in (folder, *folder.parents) if place.is_relative_to(root)] if is_inside else [folder]
    candidates = (place / name for place in places for name in CONFIG_NAMES)
    return next((path for path in candidates if os.path.lexists(path) and not path.is_dir()), None)


def read_config(
    path: Path, data: bytes, *, shown: Path | None = None, purpose: str | None = None
) -> tuple[AssevraConfig | None, tuple[Problem, ...]]:
    """Read a configuration file. With an error among the problems there is no configuration.

    ``shown`` is the path in problems; ``purpose`` stands above the purpose in the file. An unknown key is an error for
    a release, and a warning otherwise.
    """
    document = read_config_text(shown or path, data)
    if document.value is None and any(problem.severity is Severity.ERROR for problem in document.problems):
        return None, document.problems
    known, unknown = _without_unknown(document)
    try:
        file = ConfigFile.model_validate(known)
    except ValidationError as error:
        return None, (*document.problems, *unknown, *model_problems(document, ConfigFile, error))
    config = AssevraConfig(path, file)
    if (purpose or config.purpose) == "release":
        return (None if unknown else config), (*document.problems, *unknown)
    return config, (*document.problems, *map(_ignored, unknown))


def dataset_settings(config: AssevraConfig | None, *, has_judge: bool, purpose: str | None = None) -> DatasetSettings:
    """The settings that a configuration file asks for, or those without one. ``purpose`` stands above the file's."""
    file = ConfigFile() if config is None else config.file
    is_release = (purpose or (config.purpose if config else "release")) == "release"
    return DatasetSettings(
        rules={
            name: DimensionRule(file.thresholds.get(name, dimension.threshold))
            for name, dimension in DIMENSIONS.items()
        },
        required=tuple(dict.fromkeys(file.gate.required_dimensions)),
        row=RowSettings(
            has_judge=has_judge,
            cost_budget_usd=file.budgets.cost_usd,
            latency_budget_ms=file.budgets.latency_ms,
            price=_price(file.budgets),
        ),
        pass_k=file.reliability.pass_k,
        strict=is_release or file.validation.strict,
        regression=RegressionRule(blocks=file.gate.fail_on_regression),
        calibration=CalibrationRule(label_field=file.calibration.label_field, bar=file.calibration.kappa_bar),
    )


def _price(budgets: BudgetPart) -> Price | None:
    """Half a price table prices nothing."""
    price = budgets.price
    if price.input_per_mtok is None or price.output_per_mtok is None:
        return None
    return Price(price.input_per_mtok, price.output_per_mtok)


def _without_unknown(document: Document) -> tuple[Any, list[Problem]]:
    """The value of a document without the keys that the model does not know, and a problem for each of those."""
    try:
        ConfigFile.model_validate(document.value)
    except ValidationError as error:
        unknown = [detail["loc"] for detail in error.errors(include_url=False) if detail["type"] == "extra_forbidden"]
        problems = [
            problem for problem in model_problems(document, ConfigFile, error) if problem.code == "unknown_field"
        ]
        return _pruned(document.value, (), set(unknown)), problems
    return document.value, []


def _pruned(value: Any, pointer: Pointer, unknown: set[Pointer]) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: _pruned(item, (*pointer, key), unknown) for key, item in value.items() if (*pointer, key) not in unknown
    }


def _ignored(problem: Problem) -> Problem:
    return replace(problem, message=f"{problem.message} is ignored", severity=Severity.WARNING)
