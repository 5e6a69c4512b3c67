"""The settings for recorded rows: the suite's ``dataset:`` over ``.assevra.yml`` over defaults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.pii import engine_name
from proctor.config import JudgeBlock, Project
from proctor.dataset import Bound, CalibrationRule, DatasetSettings, DimensionRule, Price, RegressionRule, RowSettings
from proctor.errors import Problem, UsageError
from proctor.formats import format_of, has_rows
from proctor.formats.assevra.config import AssevraConfig, dataset_settings, find_config, read_config
from proctor.formats.assevra.judge_choice import judge_settings
from proctor.formats.assevra.known_names import nearest_name
from proctor.formats.dataset_block import BudgetBlock, DatasetBlock, DimensionBlock
from proctor.overrides import Overrides
from proctor.regular_file import read_regular
from proctor.stages.dataset_choice import DatasetChoice
from proctor.stages.target import Target, shown

NO_CONFIG = "none"
"""What a suite writes to have no configuration file read."""


def find_settings(
    target: Target, project: Project, overrides: Overrides, *, strict: bool | None = None, has_judge: bool = False
) -> DatasetChoice:
    """Find and merge the settings of a spec that has recorded rows, or settings for them; see `choose_dataset`.

    ``has_judge``: the caller brings one, whatever the settings name. ``strict`` says whether rows that cannot be scored
    are refused: by default for a release, or where the configuration file asks for it, which stands above False.
    Problems of that file are among those of the choice.

    Raises:
        UsageError: the file asks for a judge that cannot be had, or the suite for Presidio, which is not installed.
    """
    block, suite = target.suite.dataset, target.suite
    purpose = suite.purpose if not target.implicit else None
    config, problems = _config(target, project, purpose)
    judge = judge_settings(config) if config is not None else None
    named = [has_judge, overrides.judge, _named(suite.judge), _named(project.settings.judge)]
    base = dataset_settings(config, has_judge=any(named) or judge is not None, purpose=purpose)
    unknown = tuple(_unknown_dimensions(target, block))
    merged = _merged(base, block, upstream=(suite.compat or project.settings.compat) == "upstream")
    engine_name(merged.row)
    return DatasetChoice(
        settings=replace(merged, strict=_strict(base, config, strict)),
        problems=(*problems, *unknown),
        purpose=config.purpose if config else None,
        judge=judge,
        report_formats=config.report_formats if config else (),
        is_judge_named=any(named),
    )


def _strict(base: DatasetSettings, config: AssevraConfig | None, wish: bool | None) -> bool:
    if wish is None:
        return base.strict
    return wish or (config is not None and config.file.validation.strict)


def _named(block: JudgeBlock | None) -> bool:
    return block is not None and bool(block.model or block.panel)


def _config(target: Target, project: Project, purpose: str | None) -> tuple[AssevraConfig | None, tuple[Problem, ...]]:
    wish = target.suite.dataset.config
    if wish == NO_CONFIG:
        return None, ()
    rows = [path for path in target.files if has_rows(format_of(path))]
    if wish is not None:
        found = {target.base / wish}
    else:
        found = {path for file in rows if (path := find_config(file.resolve().parent, project.root)) is not None}
    if len(found) > 1:
        names = ", ".join(str(shown(path)) for path in sorted(found))
        raise UsageError(
            f"the data sets of this spec have different configuration files: {names}",
            hint="name one of them in the suite: dataset: {config: PATH}, or write none there",
        )
    return _read(found.pop(), purpose) if found else (None, ())


def _read(path: Path, purpose: str | None) -> tuple[AssevraConfig | None, tuple[Problem, ...]]:
    try:
        data = read_regular(path)
    except OSError as error:
        return None, (Problem(shown(path), "unreadable", f"cannot be read: {error.strerror or error}"),)
    return read_config(path, data, shown=shown(path), purpose=purpose)


def _unknown_dimensions(target: Target, block: DatasetBlock) -> list[Problem]:
    """Names in the suite's block that are no dimension."""
    if target.document is None:
        return []
    places: list[tuple[tuple[str | int, ...], str]] = [
        (("dataset", "dimensions", name), name) for name in block.dimensions
    ]
    places += [(("dataset", "required", number), name) for number, name in enumerate(block.required or ())]
    bars = block.calibration.bars if block.calibration else {}
    places += [(("dataset", "calibration", "bars", name), name) for name in bars]
    problems = []
    for pointer, name in places:
        if name not in DIMENSIONS:
            line, column = target.document.place(pointer, key=isinstance(pointer[-1], str))
            message = f"there is no dimension {name!r}; {nearest_name(name, DIMENSIONS)}"
            problems.append(Problem(shown(target.path), "unknown_dimension", message, line, column, "dataset"))
    return problems


def _merged(base: DatasetSettings, block: DatasetBlock, *, upstream: bool) -> DatasetSettings:
    rules = {
        name: _rule(rule, block.dimensions[name]) if name in block.dimensions else rule
        for name, rule in base.rules.items()
    }
    return replace(
        base,
        rules=rules,
        required=base.required if block.required is None else tuple(dict.fromkeys(block.required)),
        row=_row(base.row, block.budgets, presidio=block.pii == "presidio"),
        pass_k=block.pass_k or base.pass_k,
        slices=tuple(dict.fromkeys(block.slices)),
        regression=_regression(base.regression, block),
        calibration=replace(_calibration(base.calibration, block), upstream=upstream),
    )


def _rule(base: DimensionRule, block: DimensionBlock) -> DimensionRule:
    return DimensionRule(
        threshold=base.threshold if block.threshold is None else block.threshold,
        bound=base.bound if block.bound is None else Bound(block.bound),
        min_rows=block.min_rows or base.min_rows,
    )


def _row(base: RowSettings, budgets: BudgetBlock, *, presidio: bool) -> RowSettings:
    price = budgets.price
    return replace(
        base,
        cost_budget_usd=base.cost_budget_usd if budgets.cost_usd is None else budgets.cost_usd,
        latency_budget_ms=base.latency_budget_ms if budgets.latency_ms is None else budgets.latency_ms,
        price=base.price if price is None else Price(price.input_per_mtok, price.output_per_mtok),
        presidio=presidio,
    )


def _regression(base: RegressionRule, block: DatasetBlock) -> RegressionRule:
    own = block.regression
    if own is None:
        return base
    return RegressionRule(own.level, own.power, by_interval=own.rule != "test", blocks=own.block)


def _calibration(base: CalibrationRule, block: DatasetBlock) -> CalibrationRule:
    own = block.calibration
    if own is None:
        return base
    return CalibrationRule(
        label_field=own.label_field or base.label_field,
        bar=base.bar if own.bar is None else own.bar,
        bars=own.bars,
        min_rows=own.min_rows or base.min_rows,
        blocks=own.block,
    )
