"""The files that a suite names beside transcripts: each role reaches the run, and what is wrong stops it."""

from __future__ import annotations

from typing import Any

import pytest
from reviewed_transcripts import answer, scenario
from transcript_project import PAGE, TranscriptProject, run_of, simple
from user_project import UserProject, project

__all__ = ["project"]

GOLD = {**PAGE, "slug": "logs/storm"}
CLAIM = {
    "id": "c-1",
    "source_page": "people/ada-fenn",
    "claim_text": "The lamp is kept.",
    "expected_label": "supported",
    "expected_evidence": ["logs/storm"],
}


@pytest.fixture
def archive(project: UserProject) -> TranscriptProject:
    return TranscriptProject(project)


class TestARubricOfItsOwn:
    @pytest.mark.parametrize(("lamp", "code"), [(5, 0), (1, 1)])
    def test_is_what_the_answer_is_graded_by(self, archive: TranscriptProject, lamp: int, code: int) -> None:
        told: dict[str, Any] = scenario("q-0001")
        rubric = {name: told[name] for name in ("id", "ground_truth_slugs", "rubric")}
        archive.runs(run_of("q-0001", answer(lamp, 3)))
        archive.suite(probes=[{"id": "q-0001", "text": told["text"]}], gold=[GOLD], rubric=[rubric])
        assert archive.run("--judge", "self-test").code == code
        assert list(archive.metrics()) == ["rubric/ferry (stack-1)"]


class TestAFileThatIsMissing:
    @pytest.mark.parametrize("role", ["probes", "gold", "rubric", "poison"])
    def test_is_an_error_at_its_place_and_nothing_runs(
        self, archive: TranscriptProject, project: UserProject, role: str
    ) -> None:
        """It is one too where no file of the suite is a transcript."""
        project.case("plain")
        project.suite(f"brainbench:\n  {role}: [beside/lost-*.json]\n")
        ended = project.run()
        assert ended.code == 2
        assert "evals/shop.suite.yaml:4:" in ended.err
        assert f"error [no_companion] brainbench.{role}[0]: " in ended.err
        assert '"beside/lost-*.json" matches no file' in ended.err
        assert not project.calls

    def test_or_has_a_fault_is_told_with_the_place_in_it(self, archive: TranscriptProject) -> None:
        archive.runs(run_of("q-0001"))
        archive.suite(probes=[simple(1), {**simple(2), "tier": "clever"}])
        ended = archive.run()
        assert ended.code == 2
        assert "evals/beside/probes.json:1:" in ended.err
        assert "/1/tier" in ended.err


class TestClaimsBesideTranscripts:
    def suite(self, archive: TranscriptProject, specs: str) -> None:
        archive.file("claims.json", {"claims": [CLAIM]})
        archive.runs(run_of("q-0001"))
        archive.suite(probes=[simple(1)], gold=[PAGE, GOLD])
        archive.project.write(
            "evals/shop.suite.yaml",
            f"specs: {specs}\nbrainbench:\n  probes: [beside/probes.json, claims.json]\n  gold: beside/gold.json\n",
        )

    def test_are_not_scored_and_said_to_be_so(self, archive: TranscriptProject) -> None:
        self.suite(archive, "[runs]")
        ended = archive.run()
        assert ended.code == 0
        assert "evals/shop.suite.yaml:1:" in ended.err
        assert "warning [unscored_claims] specs: 1 claim beside the transcripts will not be scored" in ended.err
        assert "name the file of the claims under specs too" in ended.err

    def test_are_scored_where_the_suite_names_their_file_as_a_spec_too(self, archive: TranscriptProject) -> None:
        self.suite(archive, "[runs, claims.json]")
        ended = archive.run("--judge", "self-test")
        assert ended.code == 0
        assert "unscored_claims" not in ended.err
        assert archive.summary["cases"]["passed"] == 2
