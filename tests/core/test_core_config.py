"""A project's settings: where they are found, which one wins, and what is said about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.config import Project, find_root, load_project
from proctor.errors import SpecError, UsageError


def settings(tmp_path: Path, text: str, **environment: str) -> Project:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    return load_project(tmp_path, environment)


def told(tmp_path: Path, text: str, **environment: str) -> list[str]:
    with pytest.raises(SpecError) as found:
        settings(tmp_path, text, **environment)
    return [str(problem).removeprefix(f"{tmp_path / 'pyproject.toml'}:") for problem in found.value.problems]


class TestTheRoot:
    @pytest.mark.parametrize("mark", ["[tool.proctor]\n", "[tool.agent_eval]\n", "[tool.proctor.report]\ndir='x'\n"])
    def test_is_the_nearest_parent_with_settings(self, tmp_path: Path, mark: str) -> None:
        deep = tmp_path / "a" / "b"
        deep.mkdir(parents=True)
        (tmp_path / "pyproject.toml").write_text(mark)
        (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'a'\n")
        assert find_root(deep) == tmp_path
        assert find_root(deep / "case.yaml") == tmp_path

    def test_is_the_nearest_parent_with_prefect_yaml(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "prefect.yaml").touch()
        assert find_root(tmp_path / "a") == tmp_path

    @pytest.mark.parametrize("name", ["pyproject.toml", ".git"])
    def test_is_else_the_nearest_project_or_repository(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / name).touch()
        assert find_root(tmp_path / "a") == tmp_path


class TestTheSettings:
    def test_have_defaults(self, tmp_path: Path) -> None:
        project = settings(tmp_path, "[tool.proctor]\n")
        assert project.root == tmp_path
        assert project.settings.specs == ["evals", "specs"]
        assert project.agent_eval.runs is None
        assert project.settings.compat is None

    def test_of_the_environment_win_over_those_of_the_file(self, tmp_path: Path) -> None:
        text = "[tool.proctor]\nstore = 'sqlite:///a.db'\nengine = 'prefect'\nagent = 'a:b'\njudge = 'x:y'\n"
        found = settings(
            tmp_path,
            text,
            PROCTOR_STORE="sqlite:///b.db",
            PROCTOR_ENGINE="inline",
            PROCTOR_AGENT="c:d",
            PROCTOR_JUDGE="z:z",
        ).settings
        assert (found.store, found.engine) == ("sqlite:///b.db", "inline")
        assert found.agent is not None
        assert found.agent.python == "c:d"
        assert found.judge is not None
        assert found.judge.model == "z:z"

    def test_of_an_empty_variable_are_those_of_the_file(self, tmp_path: Path) -> None:
        assert settings(tmp_path, "[tool.proctor]\nengine = 'inline'\n", PROCTOR_ENGINE="").settings.engine == "inline"

    def test_of_pytest_agent_eval_are_read(self, tmp_path: Path) -> None:
        text = "[tool.agent_eval]\nruns = 3\nthreshold = 1\nlive = true\n[tool.agent_eval.groups.core]\ntags = ['x']\n"
        found = settings(tmp_path, text).agent_eval
        assert (found.runs, found.threshold, found.yaml_dirs) == (3, 1.0, ["tests/evals"])
        assert found.groups["core"].threshold == 1.0

    def test_are_none_without_a_file(self, tmp_path: Path) -> None:
        assert load_project(tmp_path, {}).settings.runs is None

    def test_may_begin_with_a_byte_order_mark(self, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").write_bytes(b"\xef\xbb\xbf[tool.proctor]\nruns = 4\n")
        assert load_project(tmp_path, {}).settings.runs == 4


class TestAWrongSetting:
    @pytest.mark.parametrize(
        ("text", "problems"),
        [
            (
                "[tool.proctor]\n\nenginee = 'inline'\n",
                [
                    (
                        "3:1: error [unknown_setting] tool.proctor.enginee: unknown setting 'enginee' (did "
                        "you mean 'engine'? "
                        "allowed: specs, store, engine, agent, judge, runs, threshold, concurrency, "
                        "timeouts, environment, "
                        "report, compat)"
                    )
                ],
            ),
            (
                "[tool.proctor]\nruns = '3'\nconcurrency = 0\n",
                [
                    "2:1: error [bad_setting] tool.proctor.runs: the value should be a valid integer, got '3'",
                    (
                        "3:1: error [bad_setting] tool.proctor.concurrency: the value should be greater than "
                        "or equal to 1, "
                        "got 0"
                    ),
                ],
            ),
            (
                "[tool.agent_eval]\nyaml_dirs = 'evals'\nlive = 'no'\n",
                [
                    "2:1: error [bad_setting] tool.agent_eval.yaml_dirs: the value should be a valid list, got 'evals'",
                    "3:1: error [bad_setting] tool.agent_eval.live: the value should be a valid boolean, got 'no'",
                ],
            ),
            (
                "[tool.agent_eval.groups.core]\ntreshold = 1\n",
                [
                    (
                        "2:1: error [unknown_setting] tool.agent_eval.groups.core.treshold: unknown setting "
                        "'treshold' (did "
                        "you mean 'threshold'? allowed: threshold, tags, pytest_markers, must_pass)"
                    )
                ],
            ),
            ("[tool]\nproctor = 1\n", [" error [wrong_type] tool.proctor: [tool.proctor] must be a table"]),
        ],
    )
    def test_is_told_at_its_line(self, tmp_path: Path, text: str, problems: list[str]) -> None:
        assert told(tmp_path, text) == problems

    def test_of_pytest_agent_eval_is_ignored_upstream(self, tmp_path: Path) -> None:
        text = "[tool.proctor]\ncompat = 'upstream'\n[tool.agent_eval]\nunknown = 1\nruns = 2\n"
        found = settings(tmp_path, text)
        assert found.settings.compat == "upstream"
        assert found.agent_eval.runs == 2

    def test_in_the_environment_is_told_with_its_variable(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as found:
            settings(tmp_path, "[tool.proctor]\n", PROCTOR_ENGINE="warp")
        assert str(found.value) == (
            "the environment variable PROCTOR_ENGINE cannot be used: the value should be 'prefect' or "
            "'inline', got 'warp'"
        )
