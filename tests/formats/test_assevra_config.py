"""``.assevra.yml``: its text, its keys, where it is found, and the settings that it becomes."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions import DIMENSIONS
from proctor.dataset import CalibrationRule, DimensionRule, Price, RegressionRule, RowSettings
from proctor.formats.assevra import CONFIG_NAMES
from proctor.formats.assevra.config import (
    AssevraConfig,
    dataset_settings,
    find_config,
    read_config,
)
from proctor.formats.assevra.config_text import read_config_text
from proctor.plan import REPORT_FORMATS

PATH = Path("shop/.assevra.yml")


def read(text: str | dict[str, Any], purpose: str | None = None) -> tuple[AssevraConfig | None, list[str]]:
    data = text if isinstance(text, str) else json.dumps(text)
    config, problems = read_config(PATH, data.encode(), shown=Path("c.yml"), purpose=purpose)
    return config, [str(problem) for problem in problems]


def good(text: str | dict[str, Any], purpose: str | None = None) -> AssevraConfig:
    config, problems = read(text, purpose)
    assert config is not None, problems
    assert problems == []
    return config


class TestTheText:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("", {}),
            ("# nothing\n", {}),
            ("~\n", {}),
            (
                "a: [Yes, off, NONE, ~, 'yes', \"none\", nope, 'on']",
                {"a": [True, False, None, None, "yes", "none", "nope", "on"]},
            ),
            ("a: {b: {c: no}}\nd:\n- x: on", {"a": {"b": {"c": False}}, "d": [{"x": True}]}),
            ("a: [2_000, 1_000.5, 2_0e1, _1, 1_, 007, '2_000']", {"a": [2000, 1000.5, 200.0, "_1", "1_", 7, "2_000"]}),
            ("judge: {provider: none, model: none}", {"judge": {"provider": "none", "model": None}}),
            ("judge:\n  provider: off", {"judge": {"provider": "off"}}),
            ("a: |\n  none\n", {"a": "none\n"}),
            ("a: &x none\nb: *x", {"a": None, "b": None}),
            ('{"a": "\\ud83d\\ude00", "b": [1, null]}', {"a": "\U0001f600", "b": [1, None]}),
            ('{\n\t"a": "none"\n}', {"a": "none"}),
            ('\ufeff{"a": 1}', {"a": 1}),
        ],
    )
    def test_is_yaml_or_json_with_the_words_of_the_original(self, text: str, value: Any) -> None:
        document = read_config_text(PATH, text.encode())
        assert document.value == value
        assert document.problems == ()

    @pytest.mark.parametrize("text", ["a: 1\na: 2\n", '{"a": 1, "a": 2}'])
    def test_may_repeat_a_key_with_a_warning(self, text: str) -> None:
        document = read_config_text(Path("c.yml"), text.encode())
        assert document.value == {"a": 2}
        assert [(problem.code, problem.severity) for problem in document.problems] == [("duplicate_key", "warning")]

    @pytest.mark.parametrize(
        ("data", "problem"),
        [
            (b"judge:\n\tprovider: x", "c.yml:2:1: error [yaml_syntax]"),
            (b'{"a":\n }', "c.yml:2:2: error [json_syntax] no JSON: Expecting value"),
            (b'{"a": \xff}', "c.yml:1:7: error [encoding] byte 0xFF is not UTF-8 text"),
            (b"a: \xff", "c.yml:1:4: error [encoding] byte 0xFF is not UTF-8 text"),
            (b'{"a":' * 100_000, "c.yml: error [too_deep] nested too deep to be read"),
            (b"- a", "c.yml:1:1: error [wrong_type] must be a mapping, got a list (['a'])"),
            (b"dataset", "c.yml:1:1: error [wrong_type] must be a mapping, got a text ('dataset')"),
        ],
    )
    def test_that_cannot_be_read_is_told_with_its_place(self, data: bytes, problem: str) -> None:
        config, problems = read_config(PATH, data, shown=Path("c.yml"))
        assert config is None
        assert str(problems[0]).startswith(problem)

    @given(st.binary(max_size=60) | st.text("{}[]:,-#&*|>'\"? nofyes12_\n\t", max_size=60).map(str.encode))
    def test_never_raises(self, data: bytes) -> None:
        config, problems = read_config(PATH, data)
        assert (config is None) == any(problem.severity == "error" for problem in problems)


class TestTheKeys:
    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (
                "version: 2",
                "c.yml:1:10: error [bad_version] version: this file is of another version; version 1 is read",
            ),
            ("version: true", "c.yml:1:10: error [bad_version] version: this file is of another version"),
            (
                "budgets: {cost_usd: .inf}",
                "c.yml:1:21: error [out_of_range] budgets.cost_usd: the value should be a finite number, got Infinity",
            ),
            (
                "reliability: {pass_k: " + "9" * 5_000 + "}",
                "c.yml:1:23: error [bad_scalar] a number of more than 4,000 digits (put it in quotes)",
            ),
            (
                "thresholds: {pii: 1.5}",
                "c.yml:1:19: error [out_of_range] thresholds.pii: the value should be less than",
            ),
            ("thresholds: {pii: true}", "c.yml:1:19: error [wrong_type] thresholds.pii: must be a number from 0 to 1"),
            ("thresholds: {pii: 'x'}", "c.yml:1:19: error [wrong_type] thresholds.pii: must be a number from 0 to 1"),
            ("thresholds: {pii: .nan}", "c.yml:1:19: error [out_of_range] thresholds.pii"),
            ("thresholds: {pii: ~}", "c.yml:1:19: error [wrong_type] thresholds.pii: must be a number from 0 to 1"),
            (
                "thresholds: {pi: 1}",
                "c.yml:1:14: error [bad_value] thresholds: the name 'pi' cannot be used: there is no such dimension; d",
            ),
            (
                "gate: {required_dimensions: [pii, zz]}",
                "c.yml:1:35: error [unknown_dimension] gate.required_dimensions[1]: there is no such dimension; know",
            ),
            (
                "gate: {purpose: RELEASE}",
                "c.yml:1:17: error [bad_choice] gate.purpose: the value should be 'release', 'sc",
            ),
            (
                "judge: {provider: antropic}",
                "c.yml:1:19: error [bad_choice] judge.provider: there is no such provider; did",
            ),
            (
                "judge: {provider: false}",
                "c.yml:1:19: error [wrong_type] judge.provider: must be a text; 'false' is read",
            ),
            (
                "judge: {panel: [a, 3]}",
                "c.yml:1:20: error [wrong_type] judge.panel[1]: must be a text; '3' is read as 3",
            ),
            (
                "budgets: {cost_usd: -1}",
                "c.yml:1:21: error [out_of_range] budgets.cost_usd: the value should be greater",
            ),
            (
                "budgets: {latency_ms: yes}",
                "c.yml:1:23: error [wrong_type] budgets.latency_ms: must be a number of at l",
            ),
            ("reliability: {pass_k: 0}", "c.yml:1:23: error [out_of_range] reliability.pass_k: the value should be gr"),
            (
                "reports: {formats: [pdf]}",
                "c.yml:1:21: error [bad_choice] reports.formats[0]: the value should be 'md'",
            ),
            ("dataset: ''", "c.yml:1:10: error [empty] dataset"),
        ],
    )
    def test_that_are_wrong_are_told_with_their_place(self, text: str, problem: str) -> None:
        config, problems = read(text)
        assert config is None
        assert len(problems) == 1
        assert problems[0].startswith(problem)

    def test_that_are_unknown_refuse_a_release_alone(self) -> None:
        text = "gait: 1\ngate: {enable: yes}\n"
        errors = [
            "c.yml:1:1: error [unknown_field] gait: unknown field 'gait' (did you mean 'gate'? allowed: version,",
            "c.yml:2:8: error [unknown_field] gate.enable: unknown field 'enable' (did you mean 'enabled'?",
        ]
        config, problems = read(text)
        assert config is None
        assert [text[: len(wanted)] for text, wanted in zip(sorted(problems), errors, strict=True)] == errors
        config, problems = read(text, purpose="triage")
        assert config is not None
        assert min(problems).startswith("c.yml:1:1: warning [unknown_field] gait: unknown field 'gait' is ignored")
        assert read("gait: 1\ngate: {purpose: scan}")[0] is not None
        assert read("gait: 1\ngate: {purpose: scan}", purpose="release")[0] is None

    def test_that_are_null_are_absent(self) -> None:
        nulls = good("judge:\ngate: {enabled: ~, required_dimensions: null}\nbudgets: {cost_usd: None, price: ~}\n")
        assert nulls.file == good("").file

    def test_of_prices_may_have_any_name(self) -> None:
        price = good("budgets: {price: {input_per_mtok: 3, cached_per_mtok: 1}}").file.budgets.price
        assert price.input_per_mtok == 3

    def test_an_attested_run_has_a_scorecard_and_an_agent_card(self) -> None:
        assert good("attest: {enabled: true}").report_formats == (*REPORT_FORMATS, "scorecard", "agent-card")
        assert good("attest: {enabled: true}\nreports: {formats: [md]}").report_formats == (
            "markdown",
            "scorecard",
            "agent-card",
        )

    def test_of_runs_are_spelt_as_in_a_suite(self) -> None:
        config = good("gate: {purpose: self_test}\nreports: {formats: [md, html, markdown]}")
        assert (config.purpose, config.report_formats) == ("self-test", ("markdown", "html"))

    @pytest.mark.requires("peer-files")
    def test_of_the_peer_s_own_files_are_all_known(self, require: Any) -> None:
        found = list(require("peer-files").rglob("*assevra.yml"))
        for path in found:
            config, problems = read_config(path, path.read_bytes())
            assert (config is None, problems) == (False, ()), path


class TestFindConfig:
    def test_looks_upwards_as_far_as_the_root(self, tmp_path: Path) -> None:
        root, folder = tmp_path / "project", tmp_path / "project/a/b"
        folder.mkdir(parents=True)
        (tmp_path / ".assevra.yml").touch()
        assert find_config(folder, root) is None
        for name, place in (
            ("assevra.yaml", root),
            (".assevra.yml", root),
            ("assevra.yml", folder),
            (".assevra.yaml", folder),
        ):
            (place / name).touch()
            assert find_config(folder, root) == place / name
        assert find_config(root / "a", root) == root / ".assevra.yml"

    def test_looks_nowhere_else_outside_of_the_project(self, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / ".assevra.yml").touch()
        assert find_config(tmp_path / "elsewhere", tmp_path / "project") is None
        assert find_config(tmp_path, tmp_path / "project") == tmp_path / ".assevra.yml"

    def test_takes_files_only(self, tmp_path: Path) -> None:
        for name in CONFIG_NAMES:
            (tmp_path / name).mkdir()
        assert find_config(tmp_path, tmp_path) is None

    def test_passes_over_nothing_that_bears_the_name(self, tmp_path: Path) -> None:
        (tmp_path / ".assevra.yml").symlink_to("nowhere")
        assert find_config(tmp_path, tmp_path) == tmp_path / ".assevra.yml"


class TestDatasetSettings:
    def test_without_a_file_are_the_defaults(self) -> None:
        found = dataset_settings(None, has_judge=False)
        assert found.rules == {name: DimensionRule(dimension.threshold) for name, dimension in DIMENSIONS.items()}
        assert found.row == RowSettings()
        assert (found.required, found.pass_k, found.strict) == ((), 2, True)
        assert found.regression == RegressionRule()
        assert found.calibration == CalibrationRule()

    def test_follow_the_file(self) -> None:
        config = good(
            """
            thresholds: {pii: '0.5', cost: 1}
            gate: {required_dimensions: [pii, cost, pii], fail_on_regression: yes}
            budgets: {cost_usd: 0.1, latency_ms: 2_000, price: {input_per_mtok: 3.0, output_per_mtok: 15}}
            reliability: {pass_k: 3}
            calibration: {label_field: verdict, kappa_bar: 0.7}
            """
        )
        found = dataset_settings(config, has_judge=True)
        assert (found.rules["pii"].threshold, found.rules["cost"].threshold) == (0.5, 1.0)
        assert found.rules["safety"].threshold == DIMENSIONS["safety"].threshold
        assert found.required == ("pii", "cost")
        assert found.row == RowSettings(True, Decimal("0.1"), Decimal(2000), Price(Decimal("3.0"), Decimal(15)))
        assert found.pass_k == 3
        assert found.regression.blocks
        assert (found.calibration.label_field, found.calibration.bar) == ("verdict", 0.7)

    def test_have_no_price_with_half_a_table(self) -> None:
        config = good("budgets: {price: {input_per_mtok: 3.0}}")
        assert dataset_settings(config, has_judge=False).row.price is None

    @pytest.mark.parametrize(
        ("text", "purpose", "strict"),
        [
            ("", None, True),
            ("validate: {strict: no}", "release", True),
            ("gate: {purpose: scan}", None, False),
            ("gate: {purpose: scan}\nvalidate: {strict: yes}", None, True),
            ("", "triage", False),
        ],
    )
    def test_are_strict_for_a_release(self, text: str, purpose: str | None, strict: bool) -> None:
        assert dataset_settings(good(text), has_judge=False, purpose=purpose).strict is strict
