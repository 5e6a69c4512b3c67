"""The suite file, and which files a path means."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.formats.discovery import expand, spec_files, suite_files
from proctor.formats.suite import is_suite, load_suite

PATH = Path("a.suite.yaml")


def told(text: str) -> list[str]:
    return [str(problem).removeprefix(f"{PATH}:") for problem in load_suite(PATH, text.encode())[2]]


class TestASuite:
    def test_takes_short_forms(self) -> None:
        text = "specs: [a]\nagents: {x: 'shop:agent'}\njudge: 'openai:gpt-4o'\nchecks: ['shop:Check']\n"
        suite, _, problems = load_suite(PATH, text.encode())
        assert problems == []
        assert suite is not None
        assert suite.agents is not None
        assert suite.agents["x"].python == "shop:agent"
        assert suite.judge is not None
        assert suite.judge.model == "openai:gpt-4o"
        assert suite.checks[0].use == "shop:Check"

    def test_is_read_as_yaml_1_2(self) -> None:
        suite, _, problems = load_suite(PATH, b"specs: [no, 2031-05-06, 10:30]\nruns: 010\n")
        assert problems == []
        assert suite is not None
        assert suite.specs == ["no", "2031-05-06", "10:30"]
        assert suite.runs == 10

    def test_takes_whole_numbers_for_seconds_and_shares(self) -> None:
        assert told("specs: [a]\nthreshold: 1\ntimeouts: {turn: 5}\nallow: {errored: 0}\n") == []

    @pytest.mark.parametrize(
        ("text", "problems"),
        [
            ("", ["1:1: error [wrong_type] must be a mapping, got null"]),
            ("name: x\n", ["1:1: error [missing_field] specs: the field 'specs' is required"]),
            (
                "specs: [a]\nsuite: 2\n",
                ["2:8: error [bad_choice] suite: the value should be 1, got 2"],
            ),
            ("specs: [a]\nsuite: true\n", ["2:8: error [wrong_type] suite: must be the number 1"]),
            ("specs: [a]\njudge:\n", ["2:7: error [wrong_type] judge: must not be null: leave the key out instead"]),
            (
                "specs: [a]\nagents: {x: {python: 'a:b', http: 'http://h'}}\n",
                ["2:13: error [bad_value] agents.x: an agent needs exactly one of 'python', 'http' and 'command'"],
            ),
            (
                "specs: [a]\nagents: {x: {pythn: 'a:b'}}\n",
                [("2:14: error [unknown_field] agents.x.pythn: unknown field 'pythn' (did you mean 'python'? allowed: "
                 "python, http, command, with, args, headers, version, inputs)")],
            ),
            (
                "specs: [a]\ngates: {core: {treshold: 0.9}}\n",
                [("2:16: error [unknown_field] gates.core.treshold: unknown field 'treshold' (did you mean "
                 "'threshold'? "
                 "allowed: threshold, tags, pytest_markers, must_pass)")],
            ),
            (
                "specs: [a]\nagents: {-x: 'a:b'}\ngates: {' x': {}}\n",
                [("2:10: error [bad_value] agents: the name '-x' cannot be used: it should match pattern "
                 "'^[A-Za-z0-9][A-Za-z0-9._-]*$'"),
                 r"3:9: error [bad_value] gates: the name ' x' cannot be used: it should match pattern '^\S(.*\S)?$'"],
            ),
            (
                "specs: []\nreport: {formats: [pdf]}\n",
                ["1:8: error [empty] specs: needs at least one entry",
                 ("2:20: error [bad_choice] report.formats[0]: the value should be 'html', 'markdown', "
                 "'junit', 'json', 'scorecard' or 'agent-card', "
                 "got 'pdf'")],
            ),
        ],
    )  # fmt: skip
    def test_tells_what_is_wrong_at_its_place(self, text: str, problems: list[str]) -> None:
        assert told(text) == problems

    @pytest.mark.parametrize(("name", "suite"), [("a.suite.yaml", True), ("a.suite.yml", True), ("suite.yaml", False)])
    def test_is_told_by_its_name(self, name: str, suite: bool) -> None:
        assert is_suite(Path(name)) is suite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "b.yaml", "a.yml", "c.YAML", "notes.txt", ".hidden.yaml", "x.suite.yaml", "deep/er/d.yaml", "deep/y.suite.yml",
        ".git/e.yaml", "node_modules/f.yaml", "build/g.yaml", "dist/h.yaml", "venv/i.yaml", "__pycache__/j.yaml",
        "shop.egg/k.yaml", "a b#c/l.yaml", "[x]/m.yaml",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def names(paths: list[Path], folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in paths]


class TestAFolder:
    def test_means_the_files_of_a_format_below_it(self, folder: Path) -> None:
        found = names(spec_files(folder), folder)
        assert found == [".hidden.yaml", "a.yml", "b.yaml", "[x]/m.yaml", "a b#c/l.yaml", "deep/er/d.yaml"]

    def test_has_suites_of_its_own(self, folder: Path) -> None:
        assert names(suite_files(folder), folder) == ["x.suite.yaml", "deep/y.suite.yml"]


class TestAnEntryOfSpecs:
    @pytest.mark.parametrize(
        ("pattern", "found"),
        [
            ("a.yml", ["a.yml"]),
            ("c.YAML", ["c.YAML"]),
            ("deep", ["deep/er/d.yaml"]),
            ("*.yaml", ["b.yaml"]),
            ("*.suite.yaml", []),
            ("**/*.yaml", ["[x]/m.yaml", "a b#c/l.yaml", "b.yaml", "build/g.yaml", "deep/er/d.yaml", "dist/h.yaml",
                           "node_modules/f.yaml", "shop.egg/k.yaml", "venv/i.yaml"]),
            ("d*p", ["deep/er/d.yaml"]),
            ("a b#c/*", ["a b#c/l.yaml"]),
            ("[x]", ["[x]/m.yaml"]),
            ("nothing*", []),
            ("notes.*", []),
        ],
    )  # fmt: skip
    def test_means_a_file_a_folder_or_what_matches(self, folder: Path, pattern: str, found: list[str]) -> None:
        seen = [name for name in names(expand(pattern, folder), folder) if "__pycache__" not in name]
        assert sorted(seen) == sorted(found)
