"""The other commands, as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from user_project import UserProject

from proctor.cli.app import app

COMMANDS = [
    *("init", "validate", "plan", "run", "runs", "report", "accept", "calibrate", "schema", "capture", "import"),
    *("record", "convert", "export", "review", "keygen", "sign", "verify"),
]
GROUPS = {"agents": ["check"], "server": ["start", "stop", "status"]}


class TestHelp:
    def test_is_looked_at_for_every_command_there_is(self) -> None:
        command = get_command(app)
        assert isinstance(command, TyperGroup)
        assert set(command.commands) == {*COMMANDS, *GROUPS}

    def test_lists_every_command_and_the_exit_codes(self, project: UserProject) -> None:
        shown = project.proctor("--help").out
        for name in (*COMMANDS, *GROUPS):
            assert f"\n  {name} " in shown
        assert (
            "0 gates met, 1 a gate failed, 2 invalid spec or usage, 3 could not evaluate, 130 interrupted"
            in " ".join(shown.split())
        )

    @pytest.mark.parametrize(
        "command", [[name] for name in COMMANDS] + [[group, name] for group, names in GROUPS.items() for name in names]
    )
    def test_of_every_command_has_an_example_of_it(self, project: UserProject, command: list[str]) -> None:
        ended = project.proctor(*command, "--help")
        assert ended.code == 0
        assert f"Example: proctor {' '.join(command)}" in " ".join(ended.out.split())

    def test_tells_the_version(self, project: UserProject) -> None:
        assert project.proctor("--version").out.startswith("proctor 0.")

    @pytest.mark.parametrize("arguments", [["--help"], ["validate", "evals"], ["run", "--help"], ["schema", "suite"]])
    def test_and_validate_load_no_engine_and_no_model_library(self, project: UserProject, arguments: list[str]) -> None:
        project.case("one")
        code = (
            "import sys\nfrom proctor.cli import main\n"
            f"sys.argv = ['proctor', *{arguments!r}]\n"
            "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
            "heavy = {'prefect', 'pydantic_ai', 'sqlalchemy', 'sqlmodel', 'jinja2', 'openai'} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
        )
        subprocess.run([sys.executable, "-c", code], cwd=project.root, check=True, capture_output=True)

    def test_a_run_of_transcripts_loads_nothing_that_only_recorded_rows_need(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        code = (
            "import sys\nfrom proctor.cli import main\n"
            "sys.argv = ['proctor', 'run', 'evals/shop.suite.yaml', '--engine', 'inline']\n"
            "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
            "rows = {'proctor.checks.dimensions', 'proctor.stages.recorded.regression'} & set(sys.modules)\n"
            "assert not rows, rows\n"
        )
        subprocess.run([sys.executable, "-c", code], cwd=project.root, check=True, capture_output=True)


class TestInit:
    def test_sets_up_a_project_that_runs(self, project: UserProject, tmp_path: Path) -> None:
        project.root = tmp_path / "new project"
        ended = project.proctor_in(tmp_path, "init", "new project")
        assert ended.code == 0
        assert ended.out.endswith("next: proctor run evals/hello.suite.yaml\n")
        ran = project.run("evals/hello.suite.yaml", "--engine", "inline")
        assert ran.code == 0, ran.err
        assert "Gate greets is met: 1 of 1 case passed, needs 1" in ran.out

    def test_overwrites_nothing(self, project: UserProject) -> None:
        project.write("evals/hello_agent.py", "mine")
        project.write("pyproject.toml", '[project]\nname = "shop"\n')
        project.proctor("init")
        before = {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()}
        ended = project.proctor("init")
        assert {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()} == before
        assert (project.root / "evals/hello_agent.py").read_text() == "mine"
        assert (project.root / "pyproject.toml").read_text() == (
            '[project]\nname = "shop"\n\n[tool.proctor]\nspecs = ["evals"]\n'
        )
        assert ended.out.count("kept ") == 6

    def test_where_nothing_can_be_written_says_so(self, project: UserProject) -> None:
        ended = project.proctor("init", "shop.py/below")
        assert ended.code == 2
        assert ended.err == "error: shop.py/below cannot be set up: Not a directory\n"


class TestValidate:
    def test_shows_all_problems_of_all_files(self, project: UserProject) -> None:
        project.write("evals/one.yaml", "id: 1\nturns: []\nthreshold: 2\n")
        project.write("evals/two.yaml", "id: two\nid: too\nturn: [{user: hi}]\n")
        project.write("evals/three.yaml", "id: [\n")
        ended = project.proctor("validate", "evals")
        assert ended.code == 2
        assert [line.partition(": error [")[0] + " " + line.partition("[")[2].partition("]")[0]
                for line in ended.err.splitlines()[:-1]] == [
            "evals/one.yaml:1:5 wrong_type",
            "evals/one.yaml:2:8 empty",
            "evals/one.yaml:3:12 out_of_range",
            "evals/three.yaml:2:1 yaml_syntax",
            "evals/two.yaml:1:1 missing_field",
            "evals/two.yaml:2:1 duplicate_key",
            "evals/two.yaml:3:1 unknown_field",
        ]  # fmt: skip
        assert ended.err.endswith("7 errors in 3 files\n")

    def test_counts_the_files_of_suites_and_the_loose_ones(self, project: UserProject) -> None:
        project.case("one")
        project.case("two")
        project.write("evals/some.suite.yaml", "specs: [one.yaml]\nagents: {shop: 'shop:agent'}\n")
        ended = project.proctor("validate", "evals")
        assert (ended.code, ended.out, ended.err) == (0, "3 files valid\n", "")

    def test_takes_several_paths(self, project: UserProject) -> None:
        ended = project.proctor("validate", project.case("one"), project.case("two"))
        assert (ended.code, ended.out) == (0, "2 files valid\n")

    def test_gives_json(self, project: UserProject) -> None:
        project.write("evals/one.yaml", "id: one\nturns: [{user: hi, expct: {}}]\n")
        ended = project.proctor("validate", "evals", "--format", "json")
        assert ended.code == 2
        assert ended.json() == {
            "valid": False,
            "files": 1,
            "problems": [
                {
                    "path": "evals/one.yaml",
                    "line": 2,
                    "column": 20,
                    "pointer": "turns[0].expct",
                    "code": "unknown_field",
                    "severity": "error",
                    "message": "unknown field 'expct'",
                    "hint": "did you mean 'expect'? allowed: user, audio, expect",
                }
            ],
        }

    def test_marks_what_a_terminal_must_not_see(self, project: UserProject) -> None:
        project.write("evals/one.yaml", 'id: one\nturns: [{user: hi, "\\e[31mred": 1}]\n')
        ended = project.proctor("validate", "evals")
        assert "\x1b" not in ended.err
        assert "<1B>[31mred" in ended.err


class TestPlan:
    def test_shows_tasks_and_counts_and_runs_nothing(self, project: UserProject) -> None:
        for number in range(30):
            project.case(f"case-{number}", "runs: 2\n")
        project.case("judged", "  expect: {judge: {rubric: Greets., model: 'x:y'}}\nruns: 3\n")
        project.suite("gates: {all: {pytest_markers: [agent_eval]}}\n")
        ended = project.proctor("plan", "evals/shop.suite.yaml")
        assert ended.code == 0
        assert ended.out.splitlines() == [
            "flow eval-shop",
            "  validate             1 task run",
            "  execute-runs         3 task runs",
            "  deterministic-score  1 task run",
            "  judge-score          1 task run",
            "  aggregate            1 task run",
            "  report               1 task run",
            "agents: shop (python: shop:agent)",
            "31 cases in 31 files",
            "63 trials, 0 of them in the cache",
            "judge calls, at most: 3 of x:y",
            "gates: all",
        ]
        assert project.calls == []
        assert project.proctor("runs").out == "no runs yet: start one with proctor run\n"

    def test_gives_json(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        project.run()
        found = project.proctor("plan", "evals/shop.suite.yaml", "--select", "one", "--format", "json").json()
        assert found["flow"] == "eval-shop"
        assert found["selection"] == "--select one"
        assert (found["cases"], found["trials"], found["cached_trials"]) == (1, 1, 1)
        refreshed = project.proctor("plan", "evals/shop.suite.yaml", "--refresh", "--format", "json").json()
        assert refreshed["cached_trials"] == 0


class TestRuns:
    @pytest.fixture
    def ids(self, project: UserProject) -> list[str]:
        """Two runs of one suite, the newest first."""
        project.case("one")
        project.suite()
        for _ in range(2):
            project.run()
        return [run["id"] for run in project.proctor("runs", "--format", "json").json()]

    def test_are_listed_newest_first(self, project: UserProject, ids: list[str]) -> None:
        listed = project.proctor("runs").out.splitlines()
        assert [line.split()[0] for line in listed] == ids == sorted(ids, reverse=True)
        assert all("passed" in line and line.endswith("shop") for line in listed)

    def test_are_limited_and_chosen_by_slug(self, project: UserProject, ids: list[str]) -> None:
        assert project.proctor("runs", "--limit", "1").out.splitlines()[0].startswith(ids[0])
        assert len(project.proctor("runs", "shop").out.splitlines()) == 2
        assert project.proctor("runs", "other").out == "no runs yet: start one with proctor run\n"

    def test_have_reports_that_can_be_written_again(self, project: UserProject, ids: list[str]) -> None:
        page = project.root / ".proctor/reports/shop" / ids[1] / "report.html"
        page.unlink()
        ended = project.proctor("report", ids[1])
        assert ended.code == 0
        assert f"html      {page}\n" in ended.out
        assert page.is_file()

    def test_are_named_by_the_beginning_of_an_id(self, project: UserProject, ids: list[str]) -> None:
        assert project.proctor("report", ids[0][:-1]).code == 0
        ended = project.proctor("report", ids[0][:6])
        assert ended.code == 2
        assert f"several runs have an id that begins with '{ids[0][:6]}'" in ended.err
        ended = project.proctor("report", "nothing")
        assert ended.code == 2
        assert "no run has an id that begins with 'nothing'" in ended.err

    def test_that_are_accepted_are_marked(self, project: UserProject, ids: list[str]) -> None:
        assert project.proctor("accept", ids[1]).out == f"accepted {ids[1]} as the baseline of shop\n"
        assert project.proctor("runs").out.splitlines()[1].endswith("shop  accepted")

    def test_of_an_empty_project_cannot_be_reported(self, project: UserProject) -> None:
        for command in ("report", "accept"):
            ended = project.proctor(command)
            assert ended.code == 2
            assert ended.err == "error: the store holds no run yet\n  hint: proctor run SPEC makes one\n"


class TestAgentsCheck:
    def test_says_what_it_saw(self, project: UserProject) -> None:
        ended = project.proctor("agents", "check", "shop:agent")
        assert ended.code == 0
        assert ended.out.startswith("agent (python: shop:agent)\n  ok       the first turn took ")
        assert 'and gave "You said hello" without tool calls' in ended.out

    def test_checks_every_agent_of_a_suite(self, project: UserProject) -> None:
        project.write("evals/two.suite.yaml", "specs: ['.']\nagents: {one: 'shop:agent', two: 'nowhere:agent'}\n")
        project.case("one")
        ended = project.proctor("agents", "check", "--suite", "evals/two.suite.yaml")
        assert ended.code == 3
        assert ended.out.startswith("one (python: shop:agent)\n  ok ")
        assert ended.err.startswith("error: there is no module nowhere\n")

    def test_ends_with_3_when_the_contract_is_broken(self, project: UserProject) -> None:
        project.agent('return "no", "tool"')
        ended = project.proctor("agents", "check", "shop:agent")
        assert ended.code == 3
        assert '  error    the tool calls are the text "tool", not a list' in ended.out

    def test_needs_an_agent(self, project: UserProject) -> None:
        ended = project.proctor("agents", "check")
        assert ended.code == 2
        assert ended.err.startswith("error: there is no agent to check\n")


class TestSchema:
    @pytest.mark.parametrize("name", ["transcript", "suite", "agent", "report"])
    def test_is_a_json_schema(self, project: UserProject, name: str) -> None:
        import jsonschema

        schema = json.loads(project.proctor("schema", name).out)
        jsonschema.Draft202012Validator.check_schema(schema)

    def test_of_an_unknown_name_lists_the_known_ones(self, project: UserProject) -> None:
        ended = project.proctor("schema", "transcrypt")
        assert ended.code == 2
        assert ended.err == (
            "error: there is no schema 'transcrypt'\n"
            "  hint: known: agent, assevra, brainbench, brainbench-post-audit, pi, report, scorecard, suite, "
            "transcript\n"
        )
