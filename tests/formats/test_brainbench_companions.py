"""Companion files: their shapes, how they refer to each other, and those of the original."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from brainbench_files import (
    CATALOGUE,
    COMPLIANCE,
    MANIFEST,
    PAGE,
    RUBRIC,
    SCENARIO,
    Folder,
    clean,
    companion_file,
    errors,
    told,
    without,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.brainbench.eras import Era
from proctor.brainbench_plan import BrainBenchSettings, CompanionFile
from proctor.errors import SourceChanged
from proctor.formats.brainbench.companions import reading as module
from proctor.formats.brainbench.companions.reading import (
    companions_digest,
    companions_of,
    load_companions,
    read_companions,
)

PEER = Path(__file__).parents[3] / "shared" / "peer_files" / "brainbench"

MEMBERS = (
    *("id", "slug", "fixture_id", "text", "content", "title", "claim_text", "category", "tier", "workflow", "rubric"),
    *("criterion", "weight", "ground_truth_slugs", "expected_label", "expected_evidence", "source_page", "canaries"),
    *("probes", "scenarios", "claims", "pages", "items", "queries", "poison_fixtures", "catalog_status", "entities"),
    *("enable_thresholds", "corpus_id", "generated_at", "expected_output_type", "gold", "as_of_date", "_example"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


class TestGoldPages:
    def test_that_are_asked_for_have_to_be_given(self, folder: Folder) -> None:
        other = {**PAGE, "slug": "people/ada-quay"}
        reading = folder.load(probes=[SCENARIO], gold=[other])
        assert told(reading) == [
            (
                "probes.json:7:4: error [unknown_slug] /0/ground_truth_slugs/0: no gold page has the slug"
                ' "people/orla-venn" (name the files with the pages under "gold")'
            )
        ]

    def test_that_no_file_gives_are_one_problem(self, folder: Folder) -> None:
        reading = folder.load(probes=[SCENARIO, {**SCENARIO, "id": "s-2"}])
        assert told(reading) == [
            (
                "probes.json:7:4: error [no_gold] /0/ground_truth_slugs/0: gold pages are asked for here, and no file "
                'gives any (name the files with the pages under "gold")'
            )
        ]

    def test_that_are_missing_were_dropped_in_the_seed_era(self, folder: Folder) -> None:
        reading = folder.load(Era.SEED, probes=[SCENARIO], gold=[{**PAGE, "slug": "people/ada-quay"}])
        assert [(problem.code, problem.severity) for problem in reading.problems] == [("unknown_slug", "warning")]
        assert reading.companions.probes["s-briefing-1"].gold_slugs == ("people/orla-venn",)

    def test_of_rubrics_are_looked_for_too(self, folder: Folder) -> None:
        rubric = {"id": "sig-0001", "ground_truth_keys": ["a/b"], "rubric": RUBRIC}
        (line,) = told(folder.load(probes=[COMPLIANCE], gold=[PAGE], rubric=[rubric]))
        assert 'rubric.json:5:4: error [unknown_slug] /0/ground_truth_keys/0: no gold page has the slug "a/b"' in line


class TestACatalogue:
    @pytest.mark.parametrize("role", ["probes", "gold", "rubric", "poison", "claims"])
    def test_gives_everything_under_any_role(self, folder: Folder, role: str) -> None:
        found = clean(folder.load(**{role: CATALOGUE}))
        assert (len(found.probes), len(found.pages), len(found.planted.items)) == (1, 2, 1)
        assert found.probes["s-briefing-1"].rubric

    def test_gives_its_category_to_its_probes(self, folder: Folder) -> None:
        catalogue = {**without(CATALOGUE, "scenarios"), "category": "cat8", "probes": [COMPLIANCE]}
        assert clean(folder.load(probes=catalogue)).probes["sig-0001"].category == 8

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"schema_version": 2}, "[bad_choice] /schema_version: must be 1"),
            ({"category": "cat7"}, '[bad_choice] /category: unknown category "cat7"; expected cat5, cat8 or cat9'),
            ({"catalog_status": "draft"}, '/catalog_status: unknown status "draft"; expected reviewed or test-only'),
            ({"provenance": ""}, "[empty] /provenance: must not be empty"),
            ({"enable_thresholds": "no"}, "/enable_thresholds: must be true or false, got string"),
            ({"enable_thresholds": True}, "[missing_field] /calibration_reference: is missing"),
            ({"enable_thresholds": True, "calibration_reference": ""}, "[empty] /calibration_reference: must not be"),
            (
                {"catalog_status": "test-only"},
                "warning [test_only] /catalog_status: this catalogue is for tests: what it measures says nothing of an",
            ),
            ({"scenarios": {}}, "[wrong_type] /scenarios: must be an array, got object"),
            (
                {"scenarios": []},
                "[empty] /scenarios: must not be empty: a catalogue of nothing would pass on nothing",
            ),
            (
                {"scenarios": [without(SCENARIO, "rubric")]},
                "error [no_rubric] /scenarios/0: the scenario has no rubric, so that no judge can score it",
            ),
            ({"_example": True}, "[template_row] a row of the template, marked as an example"),
        ],
    )
    def test_that_is_none_is_told(self, folder: Folder, change: dict[str, Any], problem: str) -> None:
        (line,) = told(folder.load(probes={**CATALOGUE, **change}))
        assert problem in line

    @pytest.mark.parametrize(
        "name", ["schema_version", "category", "catalog_status", "provenance", "corpus_id", "pages", "scenarios"]
    )
    def test_says_all_of_itself(self, folder: Folder, name: str) -> None:
        found = errors(folder.load(probes={**without(CATALOGUE, name), "enable_thresholds": False}))
        assert f"/{name}" in [problem.pointer for problem in found]

    def test_that_may_be_held_to_thresholds_names_its_calibration(self, folder: Folder) -> None:
        clean(folder.load(probes={**CATALOGUE, "enable_thresholds": True, "calibration_reference": "docs/kappa.md"}))


class TestAFile:
    def test_without_a_list_is_told(self, folder: Folder) -> None:
        assert told(folder.load(probes={"version": 1})) == [
            (
                "probes.json:1:1: error [no_records] holds no list of probes (give an object with a list under "
                '"probes" or "scenarios", an array, or one object a line)'
            )
        ]
        (line,) = told(folder.load(poison="7"))
        assert "[wrong_type] must be an object or an array, got number (give an object with a list under" in line

    @pytest.mark.parametrize("name", ["entities", "backlinks", "pairs"])
    def test_of_another_kind_is_a_warning(self, folder: Folder, name: str) -> None:
        (line,) = told(folder.load(gold={"version": 1, name: [{"slug": "a/b"}]}))
        assert line == f"gold.json:3:{len(name) + 6}: warning [not_used] /{name}: nothing looks at {name} here"

    def test_that_is_no_json_is_one_problem_and_the_others_are_read(self, folder: Folder) -> None:
        reading = folder.load(probes="{", gold=[PAGE], poison='{"items": [NaN]}')
        assert [(problem.code, problem.place.rpartition("/")[2]) for problem in reading.problems] == [
            ("invalid_json", "probes.json:1:2"),
            ("invalid_json", "poison.json:1:12"),
        ]
        assert [*reading.companions.pages] == ["people/orla-venn"]

    def test_that_is_a_broken_manifest_is_told(self, folder: Folder) -> None:
        (line,) = told(folder.load(gold={**MANIFEST, "corpus_id": "Ferry"}))
        assert '[bad_manifest] /corpus_id: must match ^[a-z][a-z0-9-]*$, got "Ferry"' in line

    def test_in_two_roles_counts_once(self, folder: Folder) -> None:
        file = folder.write("probes", "all.json", CATALOGUE)
        assert len(clean(load_companions([file, file._replace(role="poison")])).planted.items) == 1

    def test_lists_no_more_problems_than_anybody_reads(self, folder: Folder) -> None:
        reading = folder.load(gold="[" + "1," * 1500 + "1]")
        assert len(reading.problems) == 1001
        assert reading.problems[-1].message == "501 more errors of this file are not listed"

    def test_that_is_too_large_is_one_problem(self, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MAX_BYTES", 10)
        (line,) = told(folder.load(gold=[PAGE]))
        assert "gold.json: error [too_large] the file has " in line

    def test_that_changed_since_validation_stops_the_run(self, folder: Folder) -> None:
        file = folder.write("gold", "gold.json", [PAGE])
        file.path.write_text("[]", encoding="utf-8")
        with pytest.raises(SourceChanged, match=r"gold\.json changed while the run was under way"):
            load_companions([file])
        file.path.unlink()
        with pytest.raises(SourceChanged, match=r"gold\.json can no longer be read"):
            load_companions([file])

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.text(max_size=4)
            | st.sampled_from(["a/b", "cat9", "simple"]),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(MEMBERS),
                    inner,
                    max_size=6,
                )
            ),
            max_leaves=25,
        ),
        st.sampled_from(["probes", "gold", "rubric", "poison", "claims"]),
        st.sampled_from(Era),
    )
    def test_of_any_content_is_told_without_an_exception(self, folder: Folder, value: Any, role: str, era: Era) -> None:
        reading = folder.load(era, **{role: json.dumps(value)})
        assert all(problem.line for problem in reading.problems)


class TestTheFilesOfARun:
    def test_are_read_once(self, folder: Folder) -> None:
        files = (folder.write("probes", "probes.json", [COMPLIANCE]),)
        chosen = BrainBenchSettings(files=files)
        assert companions_of(chosen) is companions_of(replace(chosen, held=False))
        assert companions_of(chosen) == read_companions(chosen).companions

    def test_are_scored_by_the_rules_of_the_run(self, folder: Folder) -> None:
        chosen = BrainBenchSettings(files=(folder.write("probes", "probes.json", [SCENARIO]),))
        assert [problem.severity for problem in read_companions(chosen).problems] == ["error"]
        assert [problem.severity for problem in read_companions(replace(chosen, rules="seed")).problems] == ["warning"]

    def test_have_a_digest_over_roles_names_and_contents(self, folder: Folder) -> None:
        file = folder.write("probes", "probes.json", [COMPLIANCE])
        others = (
            file._replace(role="rubric"),
            folder.write("probes", "others.json", [COMPLIANCE]),
            folder.write("probes", "probes.json", []),
        )
        assert load_companions(()).digest == companions_digest(())
        assert len({companions_digest([each]) for each in (file, *others)} | {companions_digest(())}) == 5

    def test_may_be_none(self) -> None:
        assert companions_of(BrainBenchSettings()).probes == {}


@pytest.mark.skipif(not PEER.exists(), reason="the files of the original are not here")
class TestTheFilesOfTheOriginal:
    @pytest.fixture
    def take(self, tmp_path: Path) -> Callable[[str, str], CompanionFile]:
        def copied(role: str, name: str) -> CompanionFile:
            return companion_file(role, Path(shutil.copy(PEER / name, tmp_path)))

        return copied

    @pytest.mark.parametrize(
        ("role", "name"),
        [
            ("poison", "poison.json"),
            ("rubric", "personalization-rubric.json"),
            ("probes", "citations.json"),
            ("gold", "contradictions.json"),
            ("gold", "qrels.json"),
        ],
    )
    def test_that_are_templates_are_refused(self, take: Callable[..., CompanionFile], role: str, name: str) -> None:
        reading = load_companions([take(role, f"gold/{name}")])
        assert [problem.code for problem in errors(reading)] == ["template_row"]
        assert reading.companions.probes == {}

    def test_that_were_filled_in_name_five_planted_items(self, take: Callable[..., CompanionFile]) -> None:
        found = clean(load_companions([take("poison", "gold/poison.filled.json")]))
        assert [(item.fixture_id, item.slug) for item in found.planted.items] == [
            ("poison-001", "emails/em-0029"),
            ("poison-002", "emails/em-0033"),
            ("poison-003", "emails/em-0044"),
            ("poison-004", "slack/sl-0178"),
            ("poison-005", "slack/sl-0245"),
        ]

    def test_of_the_corpus_give_the_planted_items_their_texts(self, take: Callable[..., CompanionFile]) -> None:
        files = [
            take("poison", "gold/poison.filled.json"),
            take("gold", "corpus/amara-emails.jsonl"),
            take("gold", "corpus/amara-slack-planted.jsonl"),
        ]
        found = clean(load_companions(files))
        assert len(found.pages) == 52
        assert found.pages["emails/em-0000"].title == "Thread thr-0000 re Ravi"
        assert all(item.text == found.pages[item.slug].content for item in found.planted.items)
        some = load_companions(files[:2])
        assert [problem.pointer for problem in some.problems] == ["/items/3/slug", "/items/4/slug"]
        assert errors(some) == []

    def test_of_retrieval_are_probes_without_a_category(self, take: Callable[..., CompanionFile]) -> None:
        found = clean(load_companions([take("probes", "probes/brainbench-cat13-embedder-subset.json")]))
        assert len(found.probes) == 50
        assert {probe.category for probe in found.probes.values()} == {None}

    def test_of_other_categories_are_told_as_what_they_are(self, take: Callable[..., CompanionFile]) -> None:
        calibration = load_companions([take("probes", "probes/cat14-probes.jsonl")])
        assert len(calibration.companions.probes) == 8
        assert {problem.code for problem in calibration.problems} == {"unknown_category"}
        takes = load_companions([take("probes", "probes/cat15-probes.jsonl")])
        assert {(problem.code, problem.pointer) for problem in takes.problems} == {("missing_field", "/text")}
