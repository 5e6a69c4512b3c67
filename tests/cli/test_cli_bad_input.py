"""Whatever is wrong: one clear error, the right exit code, no traceback, and a store that stays whole."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from recorded_rows import answered, lines
from user_project import Ended, UserProject

from proctor.formats.yaml_reader import MAX_BYTES


def one_error(ended: Ended, code: int, message: str, hint: str = "") -> None:
    """The command ended with this code and said this one thing."""
    assert ended.code == code, ended.err
    assert ended.out == ""
    lines = ended.err.splitlines()
    assert lines[0] == f"error: {message}"
    assert lines[1:] == ([f"  hint: {hint}"] if hint else [])


def one_problem(ended: Ended, problem: str) -> None:
    """The command found this one problem in the specs."""
    assert ended.code == 2, ended.err
    assert ended.out == ""
    assert ended.err.splitlines() == [problem, "1 error in 1 file"]


class TestAPath:
    def test_that_is_not_there(self, project: UserProject) -> None:
        one_error(
            project.run("evals/nowhere.yaml"),
            2,
            "evals/nowhere.yaml does not exist",
            "name a suite file, a spec file, or a folder of them",
        )

    def test_of_a_folder_without_specs(self, project: UserProject) -> None:
        project.write("evals/notes.txt", "")
        project.write("evals/ONE.YAML", "id: one\nturns: [{user: hi}]\n")
        one_error(
            project.run("evals"),
            2,
            "no spec file found in evals",
            "spec files end in .yaml or .yml, data sets in .jsonl, transcripts in .json (lower case)",
        )

    def test_of_a_folder_with_suites(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        one_error(project.run("evals"), 2, "evals holds suite files", "name one of them: evals/shop.suite.yaml")

    def test_of_another_kind_of_file(self, project: UserProject) -> None:
        project.write("evals/notes.txt", "")
        one_error(
            project.run("evals/notes.txt"),
            2,
            "evals/notes.txt is not a spec file",
            "spec files end in .json, .jsonl, .yaml, .yml or .suite.yaml",
        )

    def test_of_a_folder_named_like_a_spec(self, project: UserProject) -> None:
        project.case("one")
        (project.root / "evals/two.yaml").mkdir()
        assert project.run("evals", "--agent", "shop:agent").code == 0

    def test_left_out_in_a_project_without_transcripts(self, project: UserProject) -> None:
        one_error(
            project.proctor("run"),
            2,
            f"no spec file found in {project.root / 'tests/evals'}",
            "name a path, or list folders in [tool.agent_eval] yaml_dirs",
        )

    def test_that_is_no_path(self, project: UserProject) -> None:
        ended = project.run("evals/\0.yaml")
        assert ended.code == 2
        assert ended.err.endswith("Error: Invalid value for 'path': Value error, embedded null byte\n")

    def test_that_is_too_long(self, project: UserProject) -> None:
        ended = project.run(f"evals/{'x' * 5000}.yaml")
        assert ended.code == 2
        assert ended.err.startswith("error: evals/xxx")
        assert ended.err.endswith("xxx.yaml cannot be looked at: File name too long\n")


class TestAFile:
    def test_that_is_binary(self, project: UserProject) -> None:
        project.write("evals/one.yaml", b"\x89PNG\r\n\x1a\n\x00\x00")
        one_problem(
            project.run("evals"),
            "evals/one.yaml:1:1: error [encoding] byte 0x89 is not UTF-8 text (save the file as UTF-8)",
        )

    def test_with_a_line_of_100_megabytes(self, project: UserProject) -> None:
        path = project.write("evals/one.yaml", "id: ")
        with path.open("r+b") as file:
            file.truncate(100_000_000)
        one_problem(
            project.run("evals"),
            f"evals/one.yaml: error [too_large] the file has 100,000,000 bytes; the limit is {MAX_BYTES:,}",
        )

    def test_that_is_a_suite_of_100_megabytes(self, project: UserProject) -> None:
        with project.suite().open("r+b") as file:
            file.truncate(100_000_000)
        one_problem(
            project.run(),
            f"evals/shop.suite.yaml: error [too_large] the file has 100,000,000 bytes; the limit is {MAX_BYTES:,}",
        )

    def test_that_contains_itself(self, project: UserProject) -> None:
        project.write("evals/one.yaml", "id: one\nturns: &all [{user: hi, expect: *all}]\n")
        one_problem(
            project.run("evals"),
            "evals/one.yaml:2:8: error [alias_cycle] an alias refers to a value that contains it",
        )

    def test_that_is_a_link_to_nowhere(self, project: UserProject) -> None:
        project.case("one").unlink()
        (project.root / "evals/one.yaml").symlink_to("gone.yaml")
        one_problem(
            project.run("evals"), "evals/one.yaml: error [unreadable] cannot be read: No such file or directory"
        )

    def test_that_is_a_link_to_itself(self, project: UserProject) -> None:
        (project.root / "evals").mkdir()
        (project.root / "evals/one.yaml").symlink_to("one.yaml")
        one_problem(
            project.run("evals"), "evals/one.yaml: error [unreadable] cannot be read: Too many levels of symbolic links"
        )

    @pytest.mark.parametrize("number", [f"0x{'f' * 6_000}", f"1{':59' * 6_000}"], ids=["hexadecimal", "base 60"])
    def test_with_a_number_that_has_no_end(self, project: UserProject, number: str) -> None:
        project.case("one", f"runs: {number}\n")
        one_problem(
            project.run("evals"),
            "evals/one.yaml:4:7: error [bad_scalar] a number of more than 4,000 digits (put it in quotes)",
        )

    def test_that_is_a_pipe(self, project: UserProject) -> None:
        project.case("one").unlink()
        os.mkfifo(project.root / "evals/one.yaml")
        one_problem(project.run("evals"), "evals/one.yaml: error [unreadable] cannot be read: it is no regular file")

    def test_that_is_empty(self, project: UserProject) -> None:
        project.write("evals/one.yaml", "")
        one_problem(project.run("evals"), "evals/one.yaml:1:1: error [wrong_type] must be a mapping, got null")

    def test_with_an_absurd_number_of_runs(self, project: UserProject) -> None:
        project.case("one", "runs: 1000000000000\n")
        one_error(
            project.run("evals", "--agent", "shop:agent"),
            2,
            "evals has 1,000,000,000,000 trials; a run has at most 1,000,000",
            "lower runs, or run a part with --select",
        )


class TestASuite:
    def test_with_unknown_keys(self, project: UserProject) -> None:
        project.suite("gate: {}\njudge: {modle: x}\n")
        ended = project.run()
        assert ended.code == 2
        assert ended.err.splitlines() == [
            (
                "evals/shop.suite.yaml:3:1: error [unknown_field] gate: unknown field 'gate' (did you mean 'gates'? "
                "allowed: suite, name, specs, purpose, agents, judge, runs, threshold, concurrency, timeouts, gates, "
                "allow, dataset, replay, brainbench, checks, environment, report, compat)"
            ),
            (
                "evals/shop.suite.yaml:4:9: error [unknown_field] judge.modle: unknown field 'modle' (did you mean "
                "'model'? allowed: model, panel, base_url, api_key_env, max_tokens, temperature, retries, timeout, "
                "backoff, ask)"
            ),
            "2 errors in 1 file",
        ]

    def test_whose_specs_match_nothing(self, project: UserProject) -> None:
        project.write("evals/shop.suite.yaml", "specs: [one.yaml, '[']\nagents: {shop: 'shop:agent'}\n")
        ended = project.run()
        assert ended.code == 2
        assert "shop.suite.yaml:1:9: error [no_specs] specs[0]: 'one.yaml' matches no spec file" in ended.err
        assert "shop.suite.yaml:1:19: error [no_specs] specs[1]: '[' matches no spec file" in ended.err

    @pytest.mark.parametrize("pattern", ["x" * 5_000, "x" * 5_000 + "*"], ids=["path", "glob"])
    def test_whose_specs_are_too_long_for_a_path(self, project: UserProject, pattern: str) -> None:
        project.write("evals/shop.suite.yaml", f"specs: [{pattern}]\n")
        ended = project.run()
        assert ended.code == 2
        assert " matches no spec file (paths and globs are relative to the suite file; " in ended.err
        assert len(ended.err) < 1_000

    def test_whose_folders_are_linked_in_circles(self, project: UserProject) -> None:
        """Each link doubles the number of paths at every level."""
        project.case("one")
        project.write("evals/more/two.yaml", "id: two\nturns: [{user: hi}]\n")
        for name in ("evals/here", "evals/more/up", "evals/more/again"):
            (project.root / name).symlink_to(project.root / "evals")
        project.write("evals/shop.suite.yaml", "specs: ['**/*.yaml']\nagents: {shop: 'shop:agent'}\n")
        ended = project.run()
        assert ended.code == 0, ended.err
        assert "All 2 cases passed." in ended.out

    def test_whose_specs_are_no_paths(self, project: UserProject) -> None:
        project.write("evals/shop.suite.yaml", 'specs: ["\\0", "~"]\nagents: {shop: "shop:agent"}\n')
        ended = project.run()
        assert ended.code == 2
        assert "specs[0]: '\\x00' matches no spec file" in ended.err

    def test_whose_release_is_judged_by_the_self_test_judge(self, project: UserProject) -> None:
        project.case("one")
        project.suite("purpose: release\njudge: self-test\n")
        one_problem(
            project.run(),
            "evals/shop.suite.yaml:3:10: error [self_test_release] purpose: a release cannot be judged by "
            "the self-test "
            "judge, which is a rule and no model (write purpose: self-test, or name a model)",
        )

    def test_with_the_slug_of_another_one(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        project.suite("name: SHOP\n", name="other")
        one_problem(
            project.run(),
            "evals/shop.suite.yaml:1:1: error [duplicate_slug] name: evals/other.suite.yaml has the slug 'shop' too "
            "(give one of them another name)",
        )

    def test_whose_own_check_cannot_be_used(self, project: UserProject) -> None:
        project.case("one")
        hint = "a check has a name and an evaluate(context) that returns a CheckResult; see docs/checks.md"
        for use, message in {
            "nowhere:Check": "the check nowhere:Check cannot be imported: there is no module nowhere",
            "shop:CALLS": "the check shop:CALLS is not a class",
            "shop:Path": "the check shop:Path has no name or no evaluate(context)",
            "{use: 'shop:called', with: {x: 1}}": "the check shop:called cannot be built: TypeError: ",
        }.items():
            project.suite(f"checks: [{use if use.startswith('{') else repr(use)}]\n")
            ended = project.run()
            assert ended.code == 2
            assert ended.err.startswith(f"error: {message}")
            assert hint in ended.err or "nowhere" in use
        assert project.calls == []

    @pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read by anybody")
    def test_that_cannot_be_read(self, project: UserProject) -> None:
        project.suite().unlink()
        (project.root / "evals/shop.suite.yaml").symlink_to("/proc/self/mem")
        one_problem(project.run(), "evals/shop.suite.yaml: error [unreadable] cannot be read: Input/output error")


class TestAnAgent:
    def ended(self, project: UserProject, agent: str) -> Ended:
        project.case("one")
        return project.run("evals", "--agent", agent)

    def test_that_nobody_names(self, project: UserProject) -> None:
        project.case("one")
        one_error(
            project.run("evals"),
            2,
            "evals names no agent to evaluate",
            "pass --agent pkg.module:object, or declare agents: in a suite or agent in [tool.proctor]",
        )

    def test_that_is_not_declared(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        one_error(
            project.run("evals/shop.suite.yaml", "--agent", "shoop"),
            2,
            "no agent 'shoop' is declared",
            "declared: shop",
        )

    def test_that_is_not_in_its_module(self, project: UserProject) -> None:
        one_error(
            self.ended(project, "shop:agnet"),
            3,
            "shop:agnet cannot be found: there is no 'agnet' in module shop",
            "did you mean agent?",
        )

    def test_whose_module_is_not_there(self, project: UserProject) -> None:
        one_error(
            self.ended(project, "shoop:agent"),
            3,
            "there is no module shoop",
            f"modules are looked up in {project.root} and among the installed packages",
        )

    def test_whose_module_imports_a_missing_one(self, project: UserProject) -> None:
        project.agent(before="import missing_here\n")
        one_error(
            self.ended(project, "shop:agent"),
            3,
            "importing shop failed with ModuleNotFoundError: No module named 'missing_here'",
            f"it was raised at {project.root / 'shop.py'}:1; try: python -c 'import shop'",
        )

    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            ("1 / 0", "ZeroDivisionError: division by zero"),
            ("raise SystemExit(5)", "SystemExit: 5"),
            ("def broken(:", "SyntaxError: invalid syntax (shop.py, line 1)"),
            ("raise BaseException('no\x1b[31m')", "BaseException: no<1B>[31m"),
        ],
    )
    def test_whose_module_raises(self, project: UserProject, statement: str, said: str) -> None:
        project.agent(before=f"{statement}\n")
        ended = self.ended(project, "shop:agent")
        assert ended.code == 3
        assert ended.err.startswith(f"error: importing shop failed with {said}\n  hint: it was raised at ")

    def test_that_cannot_be_called(self, project: UserProject) -> None:
        one_error(
            self.ended(project, "shop:CALLS"),
            3,
            "the agent shop:CALLS is of type PosixPath, not callable",
            "an agent is called with the messages and gives (reply, tool_calls); a factory is called with nothing",
        )

    def test_whose_inputs_match_nothing(self, project: UserProject) -> None:
        project.case("one")
        project.write(
            "evals/shop.suite.yaml",
            "specs: ['*.yaml']\nagents: {shop: {python: 'shop:agent', inputs: ['prompts/*']}}\n",
        )
        one_error(
            project.run(),
            3,
            "the inputs of the agent shop name 'prompts/*', which matches no file of the project",
            "globs are relative to the project root; files that git ignores are not seen",
        )


class TestAJudge:
    def ended(self, project: UserProject, judge: str) -> Ended:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\n")
        project.suite(f"judge: {judge}\n")
        return project.run()

    def test_of_an_unknown_model(self, project: UserProject) -> None:
        ended = self.ended(project, "'opnai:gpt-4o'")
        assert ended.code == 3
        assert ended.err.startswith('error: judge "opnai:gpt-4o" is an unknown model\n  hint: ')
        assert project.calls == []

    def test_without_its_key(self, project: UserProject) -> None:
        one_error(
            self.ended(project, "'openai:gpt-4o'"),
            3,
            'judge "openai:gpt-4o" needs the environment variable OPENAI_API_KEY, which is not set',
            'set OPENAI_API_KEY, or use "self-test" to try things out without a model',
        )
        assert project.calls == []

    def test_of_python_code_is_declared_and_never_a_flag(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        ended = project.run("evals/shop.suite.yaml", "--judge", "python:shop:agent")
        assert ended.code == 2
        assert ended.err.startswith("error: ")


class TestTheStore:
    def test_in_a_folder_that_cannot_be_made(self, project: UserProject) -> None:
        project.case("one")
        project.write(".proctor", "a file")
        ended = project.run("evals", "--agent", "shop:agent")
        assert ended.code == 3
        assert ended.err == (
            f"error: the folder {project.root / '.proctor'} cannot be made: File exists\n"
            "  hint: make it writable, or name another store with PROCTOR_STORE\n"
        )
        assert project.calls == []

    def test_that_is_no_database(self, project: UserProject) -> None:
        project.case("one")
        project.write(".proctor/proctor.db", "no database, but a text that is long enough to look at " * 40)
        one_error(
            project.run("evals", "--agent", "shop:agent"),
            3,
            f"the store sqlite:///{project.root / '.proctor/proctor.db'} cannot be used: file is not a database",
            "move that file away, or name another store with PROCTOR_STORE",
        )
        assert project.calls == []

    def test_named_by_no_url(self, project: UserProject, monkeypatch: pytest.MonkeyPatch) -> None:
        project.case("one")
        monkeypatch.setenv("PROCTOR_STORE", "somewhere")
        ended = project.run("evals", "--agent", "shop:agent")
        assert ended.code == 2
        assert ended.err.startswith("error: the store that was given cannot be used\n  hint: write sqlite:///")

    def test_is_kept_when_the_reports_cannot_be_written(self, project: UserProject) -> None:
        project.case("one")
        project.write(".proctor/reports", "a file")
        ended = project.run("evals", "--agent", "shop:agent")
        assert ended.code == 3
        assert ended.err.startswith("error: the reports cannot be written to ")
        (project.root / ".proctor/reports").unlink()
        again = project.run("evals", "--agent", "shop:agent")
        assert again.code == 0
        assert "went on with run" in again.err
        assert project.calls == ["hello"]

    def test_stays_whole_after_every_kind_of_end(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\n")
        for agent in ("shop:nothing", "nowhere:agent", "shop:agent"):
            project.run("evals", "--agent", agent)
        with sqlite3.connect(project.root / ".proctor/proctor.db") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
        listed = project.proctor("runs").out.splitlines()
        assert len(listed) == 3
        assert all("interrupted" in line for line in listed)


class TestTheSettings:
    def test_in_a_broken_file(self, project: UserProject) -> None:
        project.case("one")
        project.write("pyproject.toml", "[tool.proctor\n")
        ended = project.run("evals")
        assert ended.code == 2
        problem, total = ended.err.splitlines()
        assert problem.startswith(f"{project.root / 'pyproject.toml'}: error [toml_syntax] cannot be read: ")
        assert "line 1" in problem
        assert total == "1 error in 1 file"

    def test_in_another_encoding(self, project: UserProject) -> None:
        project.case("one")
        project.write("pyproject.toml", b"[tool.proctor]\n# caf\xe9\n")
        ended = project.run("evals")
        assert ended.code == 2
        assert "pyproject.toml: error [toml_syntax] cannot be read: " in ended.err

    @pytest.mark.parametrize("value", ["9" * 5_000, "[" * 5_000], ids=["long number", "deep"])
    def test_with_a_value_that_python_cannot_read(self, project: UserProject, value: str) -> None:
        project.case("one")
        project.write("pyproject.toml", f"[tool.proctor]\nruns = {value}\n")
        ended = project.run("evals")
        assert ended.code == 2
        assert "pyproject.toml: error [toml_syntax] cannot be read: " in ended.err

    def test_in_a_pipe(self, project: UserProject) -> None:
        project.case("one")
        (project.root / "pyproject.toml").unlink()
        (project.root / "prefect.yaml").touch()
        os.mkfifo(project.root / "pyproject.toml")
        one_problem(
            project.proctor("validate", "evals"),
            f"{project.root / 'pyproject.toml'}: error [toml_syntax] cannot be read: it is no regular file",
        )

    def test_that_are_unknown_or_wrong(self, project: UserProject) -> None:
        project.case("one")
        project.write("pyproject.toml", "[tool.proctor]\nrun = 1\nthreshold = 2.0\nspecs = 'evals'\n")
        ended = project.run("evals")
        path = project.root / "pyproject.toml"
        assert ended.code == 2
        assert ended.err.splitlines() == [
            (
                f"{path}:2:1: error [unknown_setting] tool.proctor.run: unknown setting 'run' (did you mean 'runs'? "
                "allowed: specs, store, engine, agent, judge, runs, threshold, concurrency, timeouts, "
                "environment, report, "
                "compat)"
            ),
            (
                f"{path}:3:1: error [bad_setting] tool.proctor.threshold: the value should be less than or "
                "equal to 1, got "
                "2.0"
            ),
            f"{path}:4:1: error [bad_setting] tool.proctor.specs: the value should be a valid list, got 'evals'",
            "3 errors in 1 file",
        ]

    def test_in_the_environment(self, project: UserProject, monkeypatch: pytest.MonkeyPatch) -> None:
        project.case("one")
        monkeypatch.setenv("PROCTOR_ENGINE", "warp")
        one_error(
            project.run("evals"),
            2,
            "the environment variable PROCTOR_ENGINE cannot be used: the value should be 'prefect' or "
            "'inline', got 'warp'",
        )


class TestAFlag:
    @pytest.mark.parametrize(
        ("flags", "message", "hint"),
        [
            (["--engine", "warp"], "there is no engine 'warp'", "known: prefect, inline"),
            (
                ["--tag", "smoke and"],
                "the tag expression 'smoke and' cannot be read: a tag is missing at its end",
                "write tags with and, or, not and brackets, such as 'smoke and not slow'",
            ),
            (
                ["--judge", "python:shop:judge"],
                "--judge takes a model string",
                "declare a judge made by Python code in the suite",
            ),
        ],
    )
    def test_that_cannot_be_read(self, project: UserProject, flags: list[str], message: str, hint: str) -> None:
        project.case("one")
        one_error(project.run("evals", "--agent", "shop:agent", *flags), 2, message, hint)

    @pytest.mark.parametrize("flags", [["--runs", "0"], ["--runs", "many"], ["--nothing"], ["--format", "xml"]])
    def test_that_the_command_line_refuses(self, project: UserProject, flags: list[str]) -> None:
        ended = project.run("evals", *flags)
        assert ended.code == 2
        assert "Error: " in ended.err


class TestASpecThatVanishesDuringTheRun:
    def test_could_not_be_evaluated_if_it_is_needed_again(self, project: UserProject, tmp_path: Path) -> None:
        """Cases beyond those that are kept in memory are read again."""
        from proctor.config import load_project
        from proctor.errors import SourceChanged
        from proctor.stages.cases import Cases
        from proctor.stages.validate import compile_plan

        path = project.case("one")
        plan = compile_plan(path, load_project(path)).plan
        path.write_text("id: one\nturns: [{user: other}]\n")
        with pytest.raises(SourceChanged, match=r"evals/one\.yaml changed while the run was under way"):
            Cases(plan)["one"]
        path.unlink()
        with pytest.raises(SourceChanged, match=r"evals/one\.yaml changed while the run was under way"):
            Cases(plan)["one"]

    def test_changes_nothing_if_it_was_read(self, project: UserProject) -> None:
        path = project.case("one")
        project.agent(f'Path({str(path)!r}).unlink(missing_ok=True)\n    return "ok", []')
        assert project.run("evals", "--agent", "shop:agent").code == 0


@pytest.fixture
def rows(project: UserProject) -> UserProject:
    project.write("evals/rows.jsonl", lines([answered("a")]))
    return project


class TestAConfigurationFile:
    @pytest.mark.parametrize(
        ("place", "why"),
        [
            ("evals/pipe", "it is no regular file"),
            ("/dev/zero", "it is no regular file"),
            ("evals", "it is a folder"),
            ("a\\0b", "a path holds no NUL character"),
            ("evals/nowhere", "No such file or directory"),
        ],
    )
    def test_that_cannot_be_read_is_not_waited_for(self, rows: UserProject, place: str, why: str) -> None:
        os.mkfifo(rows.root / "evals/pipe")
        config = place if place.startswith("/") else f"../{place}"
        rows.write("evals/rows.suite.yaml", f'specs: [rows.jsonl]\ndataset: {{config: "{config}"}}\n')
        ended = rows.run("evals/rows.suite.yaml")
        assert ended.code == 2
        assert f"error [unreadable] cannot be read: {why}\n" in ended.err

    def test_that_is_a_link_to_nowhere_is_not_passed_over(self, rows: UserProject) -> None:
        (rows.root / "evals/.assevra.yml").symlink_to("nowhere")
        one_problem(
            rows.run("evals/rows.jsonl"),
            "evals/.assevra.yml: error [unreadable] cannot be read: No such file or directory",
        )

    def test_cannot_forge_a_line_of_the_output(self, rows: UserProject) -> None:
        rows.write("evals/.assevra.yml", '"a\\nevals/b.yml: fine": 1\n')
        ended = rows.run("evals/rows.jsonl")
        assert ended.code == 2
        first, last = ended.err.splitlines()
        assert first.startswith("evals/.assevra.yml:1:1: error [unknown_field] a<0A>evals/b.yml: fine: unknown field")
        assert last == "1 error in 1 file"


class TestCodeThatExits:
    """An exit code that Proctor has not decided never becomes that of the run."""

    @pytest.mark.parametrize("status", ["", "0", "130"])
    def test_while_a_check_is_built(self, rows: UserProject, status: str) -> None:
        rows.write("own.py", f"import sys\n\n\nclass Own:\n    def __init__(self):\n        sys.exit({status})\n")
        rows.write("evals/rows.suite.yaml", "specs: [rows.jsonl]\nchecks: ['own:Own']\n")
        ended = rows.run("evals/rows.suite.yaml")
        assert ended.code == 2
        assert ended.err.startswith("error: the check own:Own cannot be built: SystemExit")

    def test_while_a_check_runs(self, rows: UserProject) -> None:
        check = (
            'import sys\n\n\nclass Own:\n    name = "own"\n\n    def evaluate(self, context):\n        sys.exit(0)\n'
        )
        rows.write("own.py", check)
        rows.write("evals/rows.suite.yaml", "specs: [rows.jsonl]\nchecks: ['own:Own']\n")
        ended = rows.run("evals/rows.suite.yaml")
        assert ended.code == 3
        assert "own: the check raised SystemExit: 0" in ended.out

    def test_anywhere_else(self, rows: UserProject) -> None:
        check = (
            "import sys\n\n\nclass Own:\n    @property\n    def name(self):\n        sys.exit(0)\n\n"
            "    def evaluate(self, context):\n        return None\n"
        )
        rows.write("own.py", check)
        rows.write("evals/rows.suite.yaml", "specs: [rows.jsonl]\nchecks: ['own:Own']\n")
        one_error(
            rows.run("evals/rows.suite.yaml"),
            3,
            "an agent, a check or a judge of this project called exit(0)",
            "let it raise an error instead; what is done is kept: start again to go on",
        )


class TestAnEmptyOption:
    @pytest.mark.parametrize("option", ["--baseline", "--judge"])
    def test_is_one_error(self, rows: UserProject, option: str) -> None:
        one_error(
            rows.run("evals/rows.jsonl", option, ""),
            2,
            f"{option} is empty",
            "leave it out, or see whether a variable in the command is unset",
        )
