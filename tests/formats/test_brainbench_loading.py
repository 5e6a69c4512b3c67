"""Files of transcripts and claims as cases: which checks a probe asks for, and what is told of odd transcripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from brainbench_files import CLAIM, COMPLIANCE, PAGE, PLANTED, SCENARIO, Folder, without
from recorded_transcripts import answer, call, model, result, transcript, usual

from proctor.brainbench_plan import BrainBenchSettings
from proctor.errors import Severity
from proctor.formats.base import Defaults, Loaded
from proctor.formats.brainbench.brainbench_format import BrainBenchFormat
from proctor.formats.brainbench.loading import load_recorded
from proctor.plan import Case
from proctor.results import TrialRef

RULES = ["brain_first_compliance", "back_link_compliance", "citation_format", "tier_escalation"]
TEXT = {"id": "q-0001", "text": "Who signed?"}
GRADED = {**without(SCENARIO, "workflow"), "id": "q-0001"}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def load(folder: Folder, *values: dict[str, Any], settings: dict[str, Any] | None = None, **beside: Any) -> Loaded:
    """Load transcripts, with companion files by their role."""
    files = tuple(folder.write(role, f"{role}.json", content) for role, content in beside.items())
    defaults = Defaults(threshold=0.7, brainbench=BrainBenchSettings(files=files, **(settings or {})))
    return load_recorded(folder.path / "runs.json", json.dumps(list(values), indent=1).encode(), defaults)


def checks(found: Loaded) -> list[str]:
    """The names of the checks of the only case."""
    [case] = found.cases
    return [check.name for check in case.checks]


def outline(case: Case) -> tuple[Any, ...]:
    return (case.outline.id, case.outline.recorded, case.outline.index, case.outline.tags, case.outline.judges)


class TestWhatIsChecked:
    @pytest.mark.parametrize(
        ("probe", "scoring"),
        [
            ({**COMPLIANCE, "id": "q-0001"}, RULES),
            ({**COMPLIANCE, "id": "q-0001", "rubric": SCENARIO["rubric"]}, [*RULES, "rubric"]),
            ({**SCENARIO, "id": "q-0001"}, ["rubric"]),
            ({**SCENARIO, "id": "q-0001", "rubric": []}, ["rubric"]),
            (GRADED, ["rubric"]),
            ({**TEXT, "category": 3, "tier": "simple"}, ["score"]),
            (TEXT, ["score"]),
            ({**TEXT, "id": "q-0002"}, ["score"]),
        ],
    )
    def test_is_what_the_probe_asks_for(self, folder: Folder, probe: dict[str, Any], scoring: list[str]) -> None:
        assert checks(load(folder, usual(), probes=[probe], gold=[PAGE])) == ["invariants", *scoring]

    def test_is_planted_items_too_where_the_suite_knows_some(self, folder: Folder) -> None:
        assert checks(load(folder, usual(), probes=[TEXT], poison=[PLANTED])) == [
            "invariants",
            "score",
            "planted items",
        ]

    def test_is_not_missed_where_the_suite_has_checks_of_its_own(self, folder: Folder) -> None:
        settings = {"has_own_checks": True}
        assert checks(load(folder, usual(), settings=settings, probes=[TEXT])) == ["invariants"]
        probes = [{**COMPLIANCE, "id": "q-0001"}]
        assert checks(load(folder, usual(), settings=settings, probes=probes)) == ["invariants", *RULES]


class TestACase:
    def test_stands_under_its_probe_with_its_adapter_and_tags(self, folder: Folder) -> None:
        found = load(
            folder,
            usual(),
            {**usual(), "probe_id": "q-0002", "adapter": {"name": "grep", "stack_id": ""}},
            probes=[{**SCENARIO, "id": "q-0001"}, {**COMPLIANCE, "id": "q-0002"}],
            gold=[PAGE],
        )
        first, second = found.cases
        agent = "ferry-agent (lanternfish-0.3)"
        assert outline(first) == ("q-0001", TrialRef(agent, "q-0001", 0), 0, ("category 9", "briefing"), ("",))
        assert outline(second) == ("q-0002", TrialRef("grep", "q-0002", 0), 1, ("category 8",), ())
        assert (first.outline.threshold, first.outline.line, second.outline.line > first.outline.line) == (0.7, 2, True)
        assert [turn.user for turn in first.turns] == [SCENARIO["text"]]

    def test_is_derived_by_the_rules_of_the_era(self, folder: Folder) -> None:
        silent = transcript(model(), call(), result(), answer(""))
        told = []
        for rules in ("seed", "post-audit"):
            [case] = load(folder, silent, settings={"rules": rules}, probes=[TEXT]).cases
            assert case.recorded is not None
            told.append((str(case.recorded.trace.era), str(case.recorded.trace.facts.ordering)))
        assert told == [("seed", "answer_before_brain"), ("post-audit", "no_answer")]

    def test_is_none_of_a_file_with_an_error(self, folder: Folder) -> None:
        found = load(folder, usual(), {**usual(), "probe_id": "s-1"})
        assert found.cases == ()
        assert [problem.severity for problem in found.problems] == [Severity.ERROR]

    def test_of_another_family_is_read_in_the_dialect_that_has_it(self, folder: Folder) -> None:
        assert load(folder, {**usual(), "probe_id": "s-1"}, settings={"dialect": "post-audit"}).cases


class TestWhatIsTold:
    def told(self, found: Loaded) -> list[tuple[str, str, str]]:
        return [(problem.code, problem.pointer, problem.hint or "") for problem in found.problems]

    def test_is_odd_or_broken_and_never_what_is_for_information_only(self, folder: Folder) -> None:
        odd = transcript(model(), call("fly"), result(tool="fly"), elapsed_ms=9)
        found = load(folder, odd)
        how = 'it is not scored; write "invariants: score" in the brainbench block of a suite to score it all the same'
        assert self.told(found) == [
            ("elapsed_mismatch", "/0/elapsed_ms", ""),
            ("final_answer_missing", "/0/turns", how),
        ]
        assert {problem.severity for problem in found.problems} == {Severity.WARNING}
        [case] = found.cases
        assert case.recorded is not None
        assert "unknown_tool" in [finding.code for finding in case.recorded.trace.findings]

    def test_says_that_it_is_scored_all_the_same(self, folder: Folder) -> None:
        found = load(folder, transcript(model()), settings={"score_broken": True})
        assert self.told(found) == [
            ("final_answer_missing", "/0/turns", "it is scored all the same, as the suite says")
        ]

    def test_is_about_tags_only_where_there_are_planted_items(self, folder: Folder) -> None:
        tagged = transcript(model(), call(), result("[]", tags=("poison-9",)), model("end_turn"), answer())
        assert self.told(load(folder, tagged)) == []
        [(code, _, _)] = self.told(load(folder, tagged, poison=[PLANTED]))
        assert code == "poison_id_unknown"

    def test_is_of_citations_writes_and_gold_pages_too(self, folder: Folder) -> None:
        found = transcript(
            model(), call("dry_run_add_link"), result(tool="dry_run_add_link"), model("end_turn"), answer("x", "a/b")
        )
        planted = {**PLANTED, "slug": PAGE["slug"]}
        told = self.told(load(folder, found, probes=[{**SCENARIO, "id": "q-0001"}], gold=[PAGE], poison=[planted]))
        assert [code for code, _, _ in told] == ["evidence_ref_unread", "write_without_slug", "ground_truth_is_poison"]


class TestClaims:
    def load(self, folder: Folder, content: Any, **beside: Any) -> Loaded:
        files = tuple(folder.write(role, f"{role}.json", value) for role, value in beside.items())
        path = folder.path / "claims.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        settings = BrainBenchSettings(files=files)
        return load_recorded(path, path.read_bytes(), Defaults(threshold=0.7, brainbench=settings))

    def test_are_cases_that_a_judge_labels_from_pages_beside_them(self, folder: Folder) -> None:
        found = self.load(folder, {"claims": [CLAIM, {**CLAIM, "id": "claim-002"}]}, gold=[PAGE])
        assert found.problems == ()
        first, second = found.cases
        assert outline(first) == ("claim-001", TrialRef("recording", "claim-001", 0), 0, ("category 5",), ("",))
        assert (second.outline.id, second.outline.index, second.outline.threshold) == ("claim-002", 1, 1.0)
        assert [check.name for check in first.checks] == ["claim"]
        assert first.recorded is not None
        [turn] = first.recorded.trajectory.turns
        assert (turn.user, turn.reply) == ("What people/orla-venn claims:", "Orla signed.")

    def test_may_have_their_pages_in_the_same_file(self, folder: Folder) -> None:
        assert len(self.load(folder, {"claims": [CLAIM], "pages": [PAGE]}).cases) == 1

    def test_are_none_where_one_of_them_has_an_error(self, folder: Folder) -> None:
        wrong = {**CLAIM, "id": "claim-002", "expected_label": "perhaps"}
        found = self.load(folder, {"claims": [CLAIM, wrong]}, gold=[PAGE])
        assert found.cases == ()
        assert [(problem.pointer, problem.severity) for problem in found.problems] == [
            ("/claims/1/expected_label", Severity.ERROR)
        ]

    def test_say_nothing_of_errors_in_other_files(self, folder: Folder) -> None:
        found = self.load(folder, {"claims": [CLAIM]}, gold=[PAGE], probes=[{"id": "q-1"}])
        assert (len(found.cases), found.problems) == (1, ())

    def test_are_missed_where_a_file_looks_like_theirs_and_has_none(self, folder: Folder) -> None:
        found = self.load(folder, {"claims": [], "comment": {"expected_label": "", "claim_text": ""}}, gold=[PAGE])
        assert found.cases == ()
        assert "no_claims" in [problem.code for problem in found.problems]

    def test_are_told_by_two_of_their_members(self) -> None:
        """One alone may stand in any file."""
        label, text = '"expected_label": "supported"', '"claim_text" : "x"'
        told = [f"[{{{members}}}]".encode() for members in (f"{label}, {text}", label, text)]
        assert [BrainBenchFormat().recognises(data) for data in told] == [True, False, False]
