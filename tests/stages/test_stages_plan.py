"""How a spec becomes a plan: tags, selection, settings that win, the meaning of a path, and the keys of trials."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_project import UserProject

from proctor.agents import Fingerprint
from proctor.config import AgentBlock, load_project
from proctor.errors import SpecError, UsageError
from proctor.formats.transcript import TranscriptFormat
from proctor.overrides import Overrides
from proctor.plan import Case, Limits, Outline, Plan, Source, Turn
from proctor.results import TrialRef
from proctor.stages import keys
from proctor.stages.chunks import live_chunks, scoring_chunks
from proctor.stages.fingerprint_scope import outside_agents
from proctor.stages.keys import trial_key, trial_parts
from proctor.stages.selection import select
from proctor.stages.tags import tag_matcher
from proctor.stages.target import find_target, slug_of, spec_slug
from proctor.stages.validate import check_files, compile_plan

expressions = st.recursive(
    st.sampled_from(["a", "b", "c"]).map(lambda tag: (tag, tag)),
    lambda inner: st.one_of(
        inner.map(lambda x: (f"not {x[0]}" if " " not in x[0] else f"not ({x[0]})", f"(not {x[1]})")),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda x: (f"({x[0][0]}) {x[1]} ({x[2][0]})", f"({x[0][1]} {x[1]} {x[2][1]})")
        ),
    ),
    max_leaves=6,
)


class TestATagExpression:
    @given(expressions, st.sets(st.sampled_from(["a", "b", "c"])))
    def test_means_what_python_means_by_it(self, expression: tuple[str, str], tags: set[str]) -> None:
        wanted = eval(expression[1], {name: name in tags for name in "abc"})
        assert tag_matcher(expression[0])(tags) is wanted

    @pytest.mark.parametrize(
        ("expression", "tags", "matches"),
        [
            ("a or b and c", {"a"}, True),
            ("a or b and c", {"b"}, False),
            ("not a and b", {"b"}, True),
            ("not not a", {"a"}, True),
            ("(a or b) and not(c)", {"a"}, True),
            ("team/x:y-1", {"team/x:y-1"}, True),
            ("A", {"a"}, False),
        ],
    )
    def test_binds_not_before_and_before_or(self, expression: str, tags: set[str], matches: bool) -> None:
        assert tag_matcher(expression)(tags) is matches

    @pytest.mark.parametrize(
        ("expression", "what"),
        [
            ("", "a tag is missing at its end"),
            ("  ", "a tag is missing at its end"),
            ("a and", "a tag is missing at its end"),
            ("and a", "a tag is missing before 'and'"),
            ("a or or b", "a tag is missing before 'or'"),
            ("()", "a tag is missing before ')'"),
            ("(a", "a bracket is not closed"),
            ("a b", "unexpected 'b'"),
            ("a)", "unexpected ')'"),
            ("a not b", "unexpected 'not'"),
        ],
    )
    def test_that_cannot_be_read_says_where(self, expression: str, what: str) -> None:
        with pytest.raises(UsageError) as found:
            tag_matcher(expression)
        assert found.value.message == f"the tag expression {expression!r} cannot be read: {what}"

    @given(st.text("ab()notrd ", max_size=30))
    def test_is_read_or_refused(self, expression: str) -> None:
        with contextlib.suppress(UsageError):
            tag_matcher(expression)({"a"})

    @pytest.mark.parametrize("expression", ["(" * 500 + "a" + ")" * 500, "not " * 500 + "a", " and ".join("a" * 500)])
    def test_that_is_too_long_is_refused(self, expression: str) -> None:
        with pytest.raises(UsageError, match="it has more than 300 words and brackets"):
            tag_matcher(expression)

    @pytest.mark.parametrize("expression", ["(" * 149 + "a" + ")" * 149, "not " * 298 + "a", " and ".join("a" * 150)])
    def test_may_be_long(self, expression: str) -> None:
        assert tag_matcher(expression)({"a"})


SOURCES = (
    Source("transcript", Path("/p/evals/a.yaml"), "evals/a.yaml", "", (Outline("one", "one", 1, 1.0, tags=("x",)),)),
    Source(
        "transcript", Path("/p/evals/b.yaml"), "evals/b.yaml", "", (Outline("two[1]", "two[1]", 1, 1.0, tags=("y",)),)
    ),
)


def selected(not_passed: set[str] | None = None, **overrides: Any) -> tuple[list[str], str | None]:
    sources, words = select(SOURCES, Overrides(**overrides), not_passed)
    return [outline.key for source in sources for outline in source.cases], words


class TestASelection:
    @pytest.mark.parametrize(
        ("overrides", "keys", "words"),
        [
            ({}, ["one", "two[1]"], None),
            ({"select": ["o"]}, ["one", "two[1]"], "--select o"),
            ({"select": ["one"]}, ["one"], "--select one"),
            ({"select": ["two[1]"]}, ["two[1]"], "--select two[1]"),
            ({"select": ["t*[1]"]}, ["two[1]"], "--select t*[1]"),
            ({"select": ["b.yaml", "o?e"]}, ["one", "two[1]"], "--select b.yaml o?e"),
            ({"select": ["evals/a.yaml::one"]}, ["one"], "--select evals/a.yaml::one"),
            ({"select": ["ONE"]}, [], "--select ONE"),
            ({"tag": "x or y"}, ["one", "two[1]"], "--tag 'x or y'"),
            ({"tag": "not x", "select": ["*"]}, ["two[1]"], "--select * --tag 'not x'"),
        ],
    )
    def test_is_by_id_file_and_tag(self, overrides: dict[str, Any], keys: list[str], words: str | None) -> None:
        assert selected(**overrides) == (keys, words)

    def test_is_by_what_did_not_pass(self) -> None:
        assert selected({"one", "gone"}, failed=True) == (["one"], "--failed")
        assert selected(set(), failed=True) == ([], "--failed")
        assert selected(None, failed=True) == ([], "--failed")


def compiled(project: UserProject, path: str = "evals/shop.suite.yaml", **overrides: Any) -> Plan:
    loaded = load_project(project.root)
    return compile_plan(project.root / path, loaded, Overrides(**overrides)).plan


class TestWhichSettingWins:
    FILES = (
        "[tool.proctor]\nruns = 3\nthreshold = 0.3\njudge = 'p:own'\nconcurrency = 3\nenvironment = ['P']\n"
        "agent = 'own:agent'\n[tool.proctor.report]\nformats = ['json']\ndir = 'own'\n"
        "[tool.agent_eval]\nruns = 4\nthreshold = 0.4\njudge_model = 'p:foreign'\nmodel = 'p:general'\nretries = 7\n"
        "timeout = 44\n[tool.agent_eval.groups.foreign]\ntags = ['x']\n"
    )

    def test_is_the_suites(self, project: UserProject) -> None:
        project.write("pyproject.toml", self.FILES)
        project.case("one")
        project.suite(
            "name: My Shop\nruns: 2\nthreshold: 0.2\nconcurrency: 2\nenvironment: [S]\n"
            "judge: {model: 'p:suite', retries: 1, timeout: 2.5}\nreport: {formats: [html], dir: out}\n"
            "timeouts: {turn: 1, trial: 2}\ngates: {core: {tags: [x], threshold: 0.5}}\npurpose: triage\n"
        )
        plan = compiled(project)
        [outline] = plan.sources[0].cases
        assert (plan.slug, plan.name, plan.purpose) == ("my-shop", "My Shop", "triage")
        assert (outline.runs, outline.threshold) == (2, 0.2)
        assert (plan.judge.model, plan.judge.retries, plan.judge.timeout_s) == ("p:suite", 1, 2.5)
        assert plan.limits == Limits(2, 1, 2)
        assert plan.environment == ("P", "S")
        assert plan.report_formats == ("html",)
        assert plan.report_dir == project.root / "evals/out"
        assert [gate.name for gate in plan.gates] == ["core"]
        assert [agent.target for agent in plan.agents] == ["shop:agent"]

    def test_is_else_the_projects(self, project: UserProject) -> None:
        project.write("pyproject.toml", self.FILES)
        project.case("one")
        plan = compiled(project, "evals/one.yaml")
        [outline] = plan.sources[0].cases
        assert (outline.runs, outline.threshold) == (3, 0.3)
        assert (plan.judge.model, plan.judge.retries, plan.judge.timeout_s) == ("p:own", 7, 44)
        assert plan.limits.concurrency == 3
        assert (plan.report_formats, plan.report_dir) == (("json",), project.root / "own")
        assert [agent.target for agent in plan.agents] == ["own:agent"]

    def test_is_else_that_of_pytest_agent_eval_with_its_groups(self, project: UserProject) -> None:
        project.write("pyproject.toml", "[tool.agent_eval]" + self.FILES.partition("[tool.agent_eval]")[2])
        project.case("one")
        plan = compiled(project, "evals/one.yaml")
        [outline] = plan.sources[0].cases
        assert (outline.runs, outline.threshold, plan.judge.model) == (4, 0.4, "p:foreign")
        assert [gate.name for gate in plan.gates] == ["foreign"]

    def test_is_that_of_the_case_itself_before_all(self, project: UserProject) -> None:
        project.case("one", "runs: 9\nthreshold: 0.9\n")
        project.suite("runs: 2\nthreshold: 0.2\n")
        [outline] = compiled(project).sources[0].cases
        assert (outline.runs, outline.threshold) == (9, 0.9)

    def test_is_a_flag_before_that(self, project: UserProject) -> None:
        project.case("one", "runs: 9\n")
        project.suite("judge: 'p:suite'\n")
        plan = compiled(project, runs=5, judge="p:flag")
        assert plan.sources[0].cases[0].runs == 5
        assert plan.judge.model == "p:flag"

    def test_of_an_agent_that_is_given_is_that_one(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        given = AgentBlock(http="http://127.0.0.1:1")
        plan = compile_plan(project.root / "evals/shop.suite.yaml", load_project(project.root), agent=given).plan
        assert [(agent.name, agent.kind) for agent in plan.agents] == [("agent", "http")]


class TestAPath:
    @pytest.mark.parametrize(
        ("name", "slug"),
        [
            ("Booking Desk", "booking-desk"),
            ("a__b--c.", "a-b-c"),
            ("Überprüfung", "berpr-fung"),
            ("東京", "spec"),
            ("", "spec"),
        ],
    )
    def test_has_a_slug(self, name: str, slug: str) -> None:
        assert slug_of(name) == slug

    def test_of_a_suite_has_the_slug_of_its_name(self, project: UserProject) -> None:
        assert spec_slug(project.suite()) == "shop"
        assert spec_slug(project.suite("name: My Shop\n")) == "my-shop"
        assert spec_slug(project.write("evals/x y.suite.yml", "broken: [")) == "x-y"
        assert spec_slug(project.root / "evals") == "evals"

    def test_may_be_a_link(self, project: UserProject) -> None:
        project.case("one")
        (project.root / "link").symlink_to("evals")
        assert len(find_target(project.root / "link", load_project(project.root)).files) == 1

    def test_of_files_that_are_named_twice_is_read_once(self, project: UserProject) -> None:
        project.case("one")
        project.write("evals/shop.suite.yaml", "specs: [one.yaml, '*.yaml', '.']\nagents: {shop: 'shop:agent'}\n")
        assert len(compiled(project).sources) == 1

    def test_outside_of_the_project_keeps_its_whole_name(self, project: UserProject, tmp_path: Path) -> None:
        path = tmp_path / "far.yaml"
        path.write_text("id: far\nturns: [{user: hi}]\n")
        [source] = compile_plan(path, load_project(project.root)).plan.sources
        assert source.name == str(path)


class TestRepeatedIds:
    def test_are_kept_apart_upstream(self, project: UserProject) -> None:
        project.write("evals/one.yaml", "id: dup\nturns: [{user: hi}]\n")
        project.write("evals/two.yaml", "id: dup\nturns: [{user: ho}]\n")
        project.suite()
        with pytest.raises(SpecError, match="the id 'dup' is already used in"):
            compiled(project)
        project.suite("compat: upstream\n")
        assert [outline.key for source in compiled(project).sources for outline in source.cases] == [
            "dup",
            "evals/two.yaml::dup",
        ]


class TestValidation:
    def test_looks_at_suites_and_at_what_none_of_them_binds(self, project: UserProject) -> None:
        project.case("one")
        project.write("evals/loose.yaml", "id: 1\nturns: [{user: hi}]\n")
        project.write("evals/a.suite.yaml", "specs: [one.yaml]\n")
        project.write("evals/b.suite.yaml", "spec: [one.yaml]\n")
        files, problems = check_files([project.root / "evals"], load_project(project.root))
        assert files == 3  # the suite that cannot be read is no file that was looked into
        assert {problem.path.name for problem in problems} == {"loose.yaml", "b.suite.yaml"}


case_ = Case(Outline("one", "one", 1, 1.0), (Turn("hi"), Turn("ho", "a.wav")))
source = Source("transcript", Path("/p/a.yaml"), "a.yaml", "digest", (case_.outline,))
PRINT = Fingerprint("f", {}, reusable=True)


class TestTheKeyOfATrial:
    @pytest.mark.parametrize(
        "changed",
        [
            lambda: trial_parts(case_, source, 1, PRINT),
            lambda: trial_parts(replace(case_, turns=(Turn("hi!"), Turn("ho", "a.wav"))), source, 0, PRINT),
            lambda: trial_parts(replace(case_, turns=(Turn("hi"), Turn("ho"))), source, 0, PRINT),
            lambda: trial_parts(replace(case_, turns=(Turn("ho", "a.wav"), Turn("hi"))), source, 0, PRINT),
            lambda: trial_parts(replace(case_, outline=replace(case_.outline, id="two")), source, 0, PRINT),
            lambda: trial_parts(case_, replace(source, name="b.yaml"), 0, PRINT),
            lambda: trial_parts(case_, source, 0, replace(PRINT, digest="g")),
        ],
    )
    def test_changes_with_all_that_an_agent_can_see_or_be(self, changed: Any) -> None:
        assert trial_key(changed()) != trial_key(trial_parts(case_, source, 0, PRINT))

    @pytest.mark.parametrize("version", ["CONTRACT_VERSION", "RECORD_VERSION"])
    def test_changes_with_what_an_agent_is_sent_and_what_is_kept_of_it(
        self, monkeypatch: pytest.MonkeyPatch, version: str
    ) -> None:
        before = trial_key(trial_parts(case_, source, 0, PRINT))
        monkeypatch.setattr(keys, version, "another")
        assert trial_key(trial_parts(case_, source, 0, PRINT)) != before

    def test_changes_with_the_rules_of_the_format(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = trial_key(trial_parts(case_, source, 0, PRINT))
        monkeypatch.setattr(TranscriptFormat, "rules_version", 99)
        assert trial_key(trial_parts(case_, source, 0, PRINT)) != before

    def test_does_not_change_with_anything_else(self) -> None:
        same = trial_key(trial_parts(case_, source, 0, PRINT))
        outline = replace(case_.outline, runs=9, threshold=0.1, tags=("x",), line=7, judges=("m",))
        assert trial_key(trial_parts(replace(case_, outline=outline), source, 0, PRINT)) == same
        assert trial_key(trial_parts(case_, replace(source, digest="other", path=Path("/q/a.yaml")), 0, PRINT)) == same


class TestTheFilesThatAreNoAgent:
    def test_are_specs_by_content_and_nothing_else(self, project: UserProject) -> None:
        project.case("one")
        project.write("prompts/system.yaml", "prompt: Be brief.\nid: x\n")
        project.write("other/two.yaml", "id: two\nturns: [{user: hi}]\n")
        project.suite()
        found = {path.relative_to(project.root).as_posix() for path in outside_agents(compiled(project))}
        assert found == {"evals/one.yaml", "evals/shop.suite.yaml", "other/two.yaml"}


class TestChunks:
    @given(st.integers(0, 5_000))
    def test_hold_every_trial_once_in_order(self, number: int) -> None:
        refs = [TrialRef("a", "c", each) for each in range(number)]
        for chunks, least in ((live_chunks(refs), 25), (scoring_chunks(refs), 1_000)):
            assert [ref for chunk in chunks for ref in chunk] == refs
            assert len(chunks) <= 40
            assert all(len(chunk) >= least for chunk in chunks[:-1])
