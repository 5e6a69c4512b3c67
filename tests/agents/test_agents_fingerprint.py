"""When an old answer of an agent is as good as a new one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.agents import fingerprint
from proctor.agents.fingerprint import Fingerprint, file_digests
from proctor.agents.project_files import glob_pattern
from proctor.errors import AgentSetupError
from proctor.plan import AgentSpec

FILES = {
    "shop/agent.py": "def answer(messages): ...",
    "shop/prompts/system.md": "Be brief.",
    "shop/docs/menu.txt": "soup",
    "evals/agent.py": "agent = 1",
    "evals/booking.suite.yaml": "name: booking",
    "evals/one.yaml": "id: one",
    "tests/test_shop.py": "pass",
    "docs/index.md": "# Shop",
    "README.md": "# Shop",
    "LICENSE": "MIT",
    "pyproject.toml": "[project]",
    "uv.lock": "httpx 1",
    ".gitignore": "ignored.txt\nvenv/\n",
    "ignored.txt": "x",
}
COUNTED = {
    ".gitignore",
    "evals/agent.py",
    "evals/one.yaml",
    "pyproject.toml",
    "shop/agent.py",
    "shop/docs/menu.txt",
    "shop/prompts/system.md",
    "uv.lock",
}
SPEC = AgentSpec("a", "python", "shop.agent:answer")


def write(root: Path, name: str, text: str = "changed") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def git(root: Path, *args: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *args], cwd=root, check=True, capture_output=True)


@pytest.fixture(params=["git", "no git"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in FILES.items():
        write(root, name, text)
    if request.param == "git":
        git(root, "init")
        git(root, "add", "shop", "tests")
    else:
        (root / "ignored.txt").unlink()
    return root


def take(root: Path, spec: AgentSpec = SPEC, **options: Any) -> Fingerprint:
    return fingerprint(spec, root=root, environment=options.get("environment", ()), exclude=options.get("exclude", ()))


def changed(one: Fingerprint, two: Fingerprint) -> set[str]:
    assert (one.digest == two.digest) == (one.parts == two.parts)
    names = one.parts.keys() | two.parts.keys()
    return {name for name in names if one.parts.get(name) != two.parts.get(name)}


class TestFiles:
    def test_code_prompts_and_data_count_and_suites_tests_docs_and_prose_do_not(self, project: Path) -> None:
        assert set(file_digests(SPEC, root=project)) == COUNTED

    @pytest.mark.parametrize("name", sorted(COUNTED - {"uv.lock"}))
    def test_a_change_in_a_file_that_counts_is_a_miss(self, project: Path, name: str) -> None:
        before = take(project)
        write(project, name)
        assert changed(before, take(project)) == {"files"}

    @pytest.mark.parametrize(
        "name",
        [
            "tests/new.py",
            "docs/new.md",
            "README.rst",
            "CHANGELOG.md",
            ".proctor/proctor.db",
            "evals/b.suite.yaml",
            "shop/__pycache__/agent.cpython-311.pyc",
        ],
    )
    def test_what_cannot_matter_is_a_hit(self, project: Path, name: str) -> None:
        before = take(project)
        write(project, name)
        assert changed(before, take(project)) == set()

    @pytest.mark.parametrize("name", ["shop/new.j2", "new.txt", "shop/README.md", "shop/tests/data.json"])
    def test_a_new_file_elsewhere_is_a_miss(self, project: Path, name: str) -> None:
        before = take(project)
        write(project, name)
        assert changed(before, take(project)) == {"files"}

    def test_a_removed_and_a_renamed_file_are_misses(self, project: Path) -> None:
        before = take(project)
        (project / "shop/prompts/system.md").rename(project / "shop/prompts/other.md")
        renamed = take(project)
        (project / "shop/prompts/other.md").unlink()
        assert changed(before, renamed) == {"files"}
        assert changed(renamed, take(project)) == {"files"}

    def test_spec_files_and_folders_that_the_caller_excludes_do_not_count(self, project: Path) -> None:
        exclude = [project / "evals" / "one.yaml", Path("reports")]
        before = take(project, exclude=exclude)
        write(project, "evals/one.yaml")
        write(project, "reports/index.html")
        assert changed(before, take(project, exclude=exclude)) == set()
        write(project, "evals/agent.py")
        assert changed(before, take(project, exclude=exclude)) == {"files"}

    def test_neither_times_nor_the_place_of_the_project_count(self, project: Path, tmp_path: Path) -> None:
        before = take(project)
        os.utime(project / "shop/agent.py", (1, 1))
        moved = tmp_path / "moved"
        shutil.move(project, moved)
        assert changed(before, take(moved)) == set()

    def test_a_virtual_environment_in_the_project_does_not_count(self, project: Path) -> None:
        before = take(project)
        write(project, "env/pyvenv.cfg")
        write(project, "env/lib/x.py")
        assert changed(before, take(project)) == set()

    def test_the_agents_own_module_counts_wherever_it_is(self, project: Path) -> None:
        for target, name in (("tests.bot:agent", "tests/bot.py"), ("venv.bot:agent", "venv/bot.py")):
            write(project, name)
            spec = AgentSpec("a", "python", target)
            before = take(project, spec)
            write(project, name, "changed again")
            assert changed(before, take(project, spec)) == {"files"}

    def test_a_file_that_cannot_be_read_or_is_no_file_is_handled(self, project: Path) -> None:
        (project / "shop/gone.py").symlink_to("nowhere.py")
        os.mkfifo(project / "shop/pipe")
        digests = file_digests(SPEC, root=project)
        assert digests["shop/gone.py"].startswith("link to nowhere.py")

    def test_links_are_not_followed_out_of_the_project(self, project: Path, tmp_path: Path) -> None:
        write(tmp_path, "outside/secret.txt", "one")
        (project / "shop/data").symlink_to(tmp_path / "outside")
        (project / "shop/secret.txt").symlink_to(tmp_path / "outside" / "secret.txt")
        (project / "shop/menu.txt").symlink_to("docs/menu.txt")
        digests = file_digests(SPEC, root=project)
        assert {"shop/data", "shop/secret.txt", "shop/menu.txt"} <= digests.keys()
        write(tmp_path, "outside/secret.txt", "two")
        assert file_digests(SPEC, root=project) == digests
        write(project, "shop/docs/menu.txt", "salad")
        differing = {name for name, value in file_digests(SPEC, root=project).items() if digests[name] != value}
        assert differing == {"shop/docs/menu.txt", "shop/menu.txt"}


class TestGit:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        write(tmp_path, "agent.py")
        git(tmp_path, "init")
        return tmp_path

    def test_files_that_git_ignores_do_not_count(self, root: Path) -> None:
        write(root, ".gitignore", "*.log\n")
        before = take(root)
        write(root, "run.log")
        assert changed(before, take(root)) == set()

    def test_committing_changes_nothing(self, root: Path) -> None:
        before = take(root)
        git(root, "add", ".")
        git(root, "commit", "-m", "first")
        assert changed(before, take(root)) == set()

    def test_a_tracked_file_that_was_deleted_is_left_out(self, root: Path) -> None:
        write(root, "other.py")
        git(root, "add", ".")
        (root / "other.py").unlink()
        assert set(file_digests(SPEC, root=root)) == {"agent.py"}

    def test_a_repository_inside_of_the_repository_counts(self, root: Path) -> None:
        write(root, "vendor/lib/code.py", "one")
        git(root / "vendor/lib", "init")
        before = take(root)
        write(root, "vendor/lib/code.py", "two")
        assert changed(before, take(root)) == {"files"}

    def test_a_project_that_git_ignores_as_a_whole_is_not_empty(self, root: Path) -> None:
        write(root, ".gitignore", "inner/\n")
        write(root, "inner/bot.py", "one")
        before = take(root / "inner")
        write(root, "inner/bot.py", "two")
        assert changed(before, take(root / "inner")) == {"files"}

    def test_the_variables_of_a_git_hook_do_not_lead_astray(
        self, root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = tmp_path_factory.mktemp("other")
        git(other, "init")
        write(root, ".gitignore", "*.log\n")
        write(root, "run.log")
        before = take(root)
        monkeypatch.setenv("GIT_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(other))
        assert changed(before, take(root)) == set()

    def test_names_with_line_breaks_and_other_letters_are_read(self, root: Path) -> None:
        write(root, "menü\n1.md")
        assert "menü\n1.md" in file_digests(SPEC, root=root)


class TestInputs:
    def test_globs_narrow_the_files_but_never_leave_the_agents_module_out(self, project: Path) -> None:
        spec = AgentSpec("a", "python", "evals.agent:agent", inputs=("shop/**/*.md", "docs"))
        assert set(file_digests(spec, root=project)) == {"shop/prompts/system.md", "docs/index.md", "evals/agent.py"}

    def test_a_glob_that_matches_nothing_is_an_error(self, project: Path) -> None:
        with pytest.raises(AgentSetupError, match=r"name 'promts/\*', which matches no file") as caught:
            take(project, AgentSpec("a", "python", "shop.agent:answer", inputs=("promts/*",)))
        assert "relative to the project root" in str(caught.value)

    @pytest.mark.parametrize(
        ("glob", "path", "matches"),
        [
            ("*.py", "a.py", True),
            ("*.py", "src/a.py", False),
            ("**/*.py", "a.py", True),
            ("**/*.py", "src/x/a.py", True),
            ("src", "src/x/a.py", True),
            ("./src/", "src/a.py", True),
            ("src", "srcs/a.py", False),
            ("src/**", "src/x/a.py", True),
            ("a?.md", "a/.md", False),
            ("a+(b).md", "a+(b).md", True),
        ],
    )
    def test_stars_cross_folders_only_in_pairs(self, glob: str, path: str, matches: bool) -> None:
        assert bool(glob_pattern(glob).fullmatch(path)) == matches

    @given(st.from_regex(r"[a-z.+()\[\]]{1,8}(/[a-z.]{1,4})?", fullmatch=True).filter(lambda path: path[:2] != "./"))
    def test_a_path_without_stars_matches_itself_and_what_is_in_it(self, path: str) -> None:
        pattern = glob_pattern(path)
        assert pattern.fullmatch(path)
        assert pattern.fullmatch(f"{path}/inner")
        assert not pattern.fullmatch(f"{path}x")


class TestOtherParts:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        write(tmp_path, "shop/agent.py")
        return tmp_path

    def test_kind_target_and_options_count_and_the_name_does_not(self, root: Path) -> None:
        before = take(root)
        assert changed(before, take(root, AgentSpec("b", "python", SPEC.target))) == set()
        assert changed(before, take(root, AgentSpec("a", "python", "shop.agent:other"))) == {"agent"}
        http, command = (take(root, AgentSpec("a", kind, "shop")) for kind in ("http", "command"))
        assert changed(http, command) == {"agent"}
        with_option = AgentSpec("a", "python", SPEC.target, options={"t": 1})
        assert changed(before, take(root, with_option)) == {"agent"}
        assert changed(
            take(root, with_option), take(root, AgentSpec("a", "python", SPEC.target, options={"t": True}))
        ) == {"agent"}

    def test_a_version_replaces_the_files_and_nothing_else(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MODEL", "small")
        spec = AgentSpec("a", "python", SPEC.target, version="1")
        before = take(root, spec, environment=("MODEL",))
        assert set(before.parts) == {"agent", "version", "packages", "python", "environment MODEL"}
        write(root, "shop/agent.py", "another")
        assert changed(before, take(root, spec, environment=("MODEL",))) == set()
        monkeypatch.setenv("MODEL", "large")
        assert changed(before, take(root, spec, environment=("MODEL",))) == {"environment MODEL"}
        newer = AgentSpec("a", "python", SPEC.target, version="2")
        assert changed(take(root, spec), take(root, newer)) == {"version"}

    def test_a_variable_that_is_not_set_is_not_the_empty_one_and_no_value_is_kept(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("MODEL", raising=False)
        unset = take(root, environment=("MODEL",))
        monkeypatch.setenv("MODEL", "")
        assert changed(unset, take(root, environment=("MODEL",))) == {"environment MODEL"}
        monkeypatch.setenv("MODEL", "s3cret-model")
        assert "s3cret" not in str(take(root, environment=("MODEL",)))

    def test_a_lock_file_stands_for_the_installed_packages(
        self, root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site = tmp_path_factory.mktemp("site")
        monkeypatch.syspath_prepend(str(site))
        installed = take(root)
        (site / "newlib-1.0.dist-info").mkdir()
        assert changed(installed, take(root)) == {"packages"}
        write(root, "uv.lock", "one")
        locked = take(root)
        (site / "newlib-1.0.dist-info").rename(site / "newlib-2.0.dist-info")
        assert changed(locked, take(root)) == set()
        write(root, "uv.lock", "two")
        assert changed(locked, take(root)) == {"packages", "files"}

    @pytest.mark.parametrize("kind", ["http", "command"])
    def test_answers_of_remote_agents_are_reused_only_with_a_version(self, root: Path, kind: str) -> None:
        assert not take(root, AgentSpec("a", kind, "http://h/")).reusable
        assert take(root, AgentSpec("a", kind, "http://h/", version="7")).reusable

    def test_answers_of_python_agents_are_reused(self, root: Path) -> None:
        assert take(root).reusable
