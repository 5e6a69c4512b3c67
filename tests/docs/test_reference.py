"""The reference pages have every key, option and environment variable that there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from doc_pages import ROOT, files
from pydantic import BaseModel
from typer.main import get_command

from proctor.cli.app import app
from proctor.config import AgentBlock, AllowBlock, GateBlock, JudgeBlock, ProjectSettings, ReportBlock, TimeLimits
from proctor.formats.dataset_block import (
    BudgetBlock,
    CalibrationBlock,
    DatasetBlock,
    DimensionBlock,
    PriceBlock,
    RegressionBlock,
)
from proctor.formats.replay_block import PromptBlock, ReplaceBlock, ReplayBlock
from proctor.formats.suite import OwnCheckBlock, Suite, load_suite
from proctor.statistics.threshold import needed_passes
from proctor.statistics.wilson import wilson
from proctor_reports.summary_text import interval

DOCS = ROOT / "docs"
SOURCES = ("proctor", "flows", "tasks", "reports")
BLOCKS = (
    *(Suite, AgentBlock, JudgeBlock, GateBlock, TimeLimits, AllowBlock, ReportBlock, OwnCheckBlock, ProjectSettings),
    *(DatasetBlock, DimensionBlock, BudgetBlock, PriceBlock, RegressionBlock, CalibrationBlock),
    *(ReplayBlock, PromptBlock, ReplaceBlock),
)


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def rows(page: str, pattern: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = re.findall(pattern, text_of(page), re.MULTILINE)
    return found


class TestSuitePage:
    @pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.__name__)
    def test_every_key_is_on_the_page(self, block: type[BaseModel]) -> None:
        keys = {field.alias or name for name, field in block.model_fields.items()}
        assert {key for key in keys if not re.search(rf"`[^`\n]*\b{key}\b[^`\n]*`", text_of("suite.md"))} == set()

    @pytest.mark.parametrize(
        "page", ["suite.md", "checks.md", "agents.md", "judges.md", "replay.md", "formats/assevra.md"]
    )
    def test_every_suite_that_is_shown_is_valid(self, page: str) -> None:
        for name, text in files(DOCS / page):
            if name.endswith(".suite.yaml"):
                assert load_suite(Path(name), text.encode())[2] == []


class TestCommandPage:
    @pytest.mark.parametrize("name", ["run", "plan", "validate"])
    def test_every_option_of_a_command_over_specs_is_on_the_page(self, name: str) -> None:
        command: Any = get_command(app)
        options = {option for each in command.commands[name].params for option in each.opts if option.startswith("--")}
        assert {option for option in options - {"--help"} if option not in text_of("cli.md")} == set()

    def test_every_environment_variable_of_proctor_is_on_the_page(self) -> None:
        sources = (path for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))
        text = "".join(path.read_text(encoding="utf-8") for path in sources)
        names = set(re.findall(r"\"(PROCTOR_[A-Z]+)\"", text))
        assert names == set(re.findall(r"^\| `(PROCTOR_[A-Z]+)`", text_of("cli.md"), re.MULTILINE))

    def test_every_exit_code_stands_in_the_readme_as_on_the_page(self) -> None:
        in_readme = re.findall(r"^\| (\d+) \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert in_readme == re.findall(r"^\| (\d+) \|", text_of("cli.md"), re.MULTILINE) == ["0", "1", "2", "3", "130"]


class TestStatisticsPage:
    def test_the_counts_that_are_shown_are_those_that_decide(self) -> None:
        shown = rows("statistics.md", r"^\| (0\.\d+) \| (\d+) \| (\d+) \|$")
        assert len(shown) == 5
        assert all(needed_passes(int(trials), float(threshold)) == int(needed) for threshold, trials, needed in shown)

    def test_the_intervals_that_are_shown_are_those_of_the_reports(self) -> None:
        shown = rows("statistics.md", r"^\| (\d+) of (\d+) \| (.*) \|$")
        assert len(shown) == 5
        assert all(interval(*wilson(int(passed), int(total))) == printed for passed, total, printed in shown)
