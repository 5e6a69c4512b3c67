"""A run becomes transcripts that load, or bundles; what cannot be one is named with the reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from run_samples import case, done, run

from proctor.brainbench.eras import Era
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.brainbench.recording.recorder import Unrecordable
from proctor.category_scores import AdapterCard, MetricScore, Spread, TranscriptFindings
from proctor.convert.brainbench.bundle_reading import read_bundle
from proctor.convert.brainbench.export_files import write_bundles, write_transcripts
from proctor.convert.brainbench.exporting import Export, ExportOptions
from proctor.convert.brainbench.planted_items import read_planted_items
from proctor.dataset import RECORDED
from proctor.errors import SpecError, UsageError
from proctor.formats.brainbench.companion_schemas import SCORECARD, companion_errors
from proctor.formats.brainbench.dialects import errors_of
from proctor.plan import RECORDING
from proctor.results import (
    CheckKind,
    CheckResult,
    Counts,
    CriterionScore,
    Decision,
    GateStatus,
    Outcome,
    RunResults,
    Verdict,
)
from proctor.trajectory import CacheOrigin, Ending, ToolCall, Trajectory, TurnRecord

KEY = "sk-ant-abcdefghijklmnopqrstuvwxyz"
TALK = Trajectory(Ending.COMPLETED, (TurnRecord("a", "b"), TurnRecord("c", "d")))
ERRORED = Trajectory(Ending.ERRORED)


def export(results: RunResults, **options: Any) -> Export:
    return Export(results, ExportOptions(**options))


def transcripts(made: Export) -> dict[str, dict[str, Any]]:
    return {f"{trial.agent}/{trial.case}#{trial.number}": trial.transcript for trial in made.read()}


class TestARun:
    def test_is_one_transcript_a_trial(self) -> None:
        found = transcripts(export(run(case("tea", done(), done("4.")), case("cake", done()))))
        assert list(found) == ["shop/tea#1", "shop/tea#2", "shop/cake#1"]
        assert found["shop/tea#2"]["adapter"] == {
            "name": "shop",
            "stack_id": "0123456789abcdef",
            "proctor": {
                "recorder": found["shop/tea#2"]["adapter"]["proctor"]["recorder"],
                "run": "r1",
                "case": "tea",
                "trial": 2,
            },
        }
        assert found["shop/tea#2"]["turns"][-1]["final_answer"]["text"] == "4."
        assert all(errors_of(each, Era.POST_AUDIT) == [] for each in found.values())

    def test_says_when_an_answer_from_the_cache_was_made(self) -> None:
        cached = replace(done(), cached=CacheOrigin("r0", "2030-01-01T00:00:00Z"))
        found = transcripts(export(run(case("a", done()), case("b", cached))))
        assert [each["started_at"] for each in found.values()] == [
            "2031-05-06T19:00:00.250Z",
            "2030-01-01T00:00:00.000Z",
        ]
        assert found["shop/a#1"]["ended_at"] == "2031-05-06T19:00:01.450Z"

    def test_names_what_it_leaves_out_and_why(self) -> None:
        made = export(run(case("a", TALK, TALK), case("b", ERRORED), case("x", done(), agent=RECORDED), rows=2))
        assert transcripts(made) == {}
        assert list(made.left_out()) == [
            "shop/a#1, shop/a#2 (it is a conversation, and a transcript has one question and one answer)",
            "shop/b#1 (it could not be run)",
            "3 recorded rows (a row records one answer, not the order of messages and calls)",
        ]

    def test_leaves_out_what_would_not_load(self) -> None:
        deep: Any = 1
        for _ in range(250):
            deep = [deep]
        made = export(run(case("a", done("a", ToolCall("look", {"x": deep})))))
        assert transcripts(made) == {}
        assert list(made.left_out()) == ["shop/a#1 (it would not load: nested deeper than 200 levels)"]

    def test_leaves_out_what_has_no_time(self) -> None:
        made = export(run(case("a", done()), started_at=""))
        assert transcripts(made) == {}
        assert list(made.left_out()) == ['shop/a#1 (it has no time at which it began: "")']

    def test_counts_what_transcripts_do_not_tell(self) -> None:
        made = export(run(case("a", done("x", ToolCall("look", {}))), case("b", done("x", ToolCall("look", {})))))
        list(made.read())
        assert made.warnings == {"the result of some call is not known: its content is empty": 2}

    def test_masks_secrets(self) -> None:
        call = ToolCall("look", {"key": KEY}, "c1", {"found": KEY})
        results = run(case("a", done(f"It is {KEY}.", call, user=KEY)))
        made = export(results, environment={})
        assert KEY not in json.dumps(transcripts(made))
        assert made.masker is not None
        assert made.masker.told() == "masked 4 secrets (4 anthropic-key)"
        assert KEY in json.dumps(transcripts(export(results)))

    def test_tags_planted_items(self) -> None:
        planted = Catalogue([PlantedItem("poison-1", "emails/em-1")])
        results = run(case("a", done("x", ToolCall("look", {}, "c", "see emails/em-1"))))
        [found] = transcripts(export(results, planted=planted)).values()
        assert found["turns"][2]["tool_result"]["matched_poison_fixture_ids"] == ["poison-1"]

    def test_says_what_the_user_says_of_models_and_stacks(self) -> None:
        [found] = transcripts(export(run(case("a", done())), stack_id="v2", model_id="pilot-1")).values()
        assert (found["adapter"]["stack_id"], found["turns"][0]["model_call"]["model_id"]) == ("v2", "pilot-1")

    def test_of_a_fixture_says_that_its_time_is_that_of_the_run(self) -> None:
        made = export(run(case("a", done(), agent=RECORDING)))
        list(made.read())
        assert made.warnings == {
            "when it was recorded is not known: started_at is when the run began that judged it": 1
        }


class TestARunOfTranscripts:
    ADAPTERS = TranscriptFindings(
        "seed", adapters=(AdapterCard("ferry (v0.3)", "v0.3", (), 1, 1, 1, 0, 0, None, None, None, 0, 0),)
    )

    def read(self, original: Any, **options: Any) -> tuple[Export, dict[str, dict[str, Any]]]:
        cases = case("s-1", done(), agent="ferry (v0.3)"), case("b", done())
        made = Export(run(*cases, transcripts=self.ADAPTERS), ExportOptions(**options), original)
        return made, transcripts(made)

    def test_gives_the_originals(self) -> None:
        [theirs] = transcripts(export(run(case("s-1", done("original"))))).values()
        asked: list[str] = []
        made, found = self.read(lambda score: asked.append(score.ref.case) or theirs)
        assert found["ferry (v0.3)/s-1#1"] == theirs
        assert asked == ["s-1"]
        assert list(made.left_out()) == []

    def test_gives_them_without_secrets_and_with_ids_of_the_dialect(self) -> None:
        [theirs] = transcripts(export(run(case("s-1", done(f"It is {KEY}."))))).values()
        made, found = self.read(lambda _: theirs, environment={}, dialect=Era.SEED)
        ours = found["ferry (v0.3)/s-1#1"]
        assert ours["turns"][-1]["final_answer"]["text"] == "It is <secret:anthropic-key>."
        assert ours["probe_id"] == made.rewritten["s-1"]
        assert (ours["adapter"], ours["started_at"]) == (theirs["adapter"], theirs["started_at"])

    def test_leaves_out_those_that_are_no_longer_there(self) -> None:
        def gone(_: Any) -> Any:
            raise Unrecordable("was recorded in a file that has changed since")

        made, found = self.read(gone)
        assert list(found) == ["shop/b#1"]
        assert list(made.left_out()) == ["ferry (v0.3)/s-1#1 (it was recorded in a file that has changed since)"]

    def test_leaves_out_those_that_do_not_fit_the_dialect(self) -> None:
        [theirs] = transcripts(export(run(case("s-1", done())))).values()
        del theirs["elapsed_ms"]
        made, _ = self.read(lambda _: theirs)
        assert list(made.left_out()) == [
            'ferry (v0.3)/s-1#1 (it would not load: /elapsed_ms: the member "elapsed_ms" is missing)'
        ]


class TestIds:
    def test_are_made_where_they_do_not_fit_and_told(self) -> None:
        made = export(run(case("../A b", done()), case("a", done()), case("talk it over", TALK)))
        assert [each["probe_id"] for each in transcripts(made).values()] == ["A-b-e3f8e011", "a"]
        assert made.rewritten == {"../A b": "A-b-e3f8e011"}

    def test_are_kept_on_request(self) -> None:
        made = export(run(case("../A b", done()), case("a", done())), keep_ids=True)
        assert list(transcripts(made)) == ["shop/a#1"]
        assert list(made.left_out()) == ["shop/../A b#1 (it has an id that no probe of this dialect can have)"]

    def test_of_the_seed_era_have_four_digits(self) -> None:
        made = export(run(case("s-briefing-1", done()), case("q-1669", done())), dialect=Era.SEED)
        found = [each["probe_id"] for each in transcripts(made).values()]
        assert found == ["q-1670", "q-1669"]  # the digest of the first is 1669, which the second has
        assert export(run(case("a", done())), dialect=Era.SEED, keep_ids=True).rewritten == {}

    def test_are_the_same_for_all_trials_of_a_case(self) -> None:
        made = export(run(case("a b", done(), done()), case("a b", done(), agent="new")), dialect=Era.SEED)
        assert len({each["probe_id"] for each in transcripts(made).values()}) == 1


class TestFiles:
    def test_are_called_like_their_cases_whatever_these_are_called(self, tmp_path: Path) -> None:
        results = run(case("../../etc/passwd", done(), done()), case("日本", done(), agent="new"))
        written = write_transcripts(export(results), tmp_path / "out")
        assert (written.transcripts, written.folders) == (3, (tmp_path / "out",))
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
            *("new-1.json", "shop-etc-passwd-1.json", "shop-etc-passwd-2.json")
        ]

    def test_are_utf_8_whatever_an_agent_says(self, tmp_path: Path) -> None:
        write_transcripts(export(run(case("a", done("é\ud83d\x00")))), tmp_path / "out")
        data = (tmp_path / "out" / "a-1.json").read_bytes()
        assert json.loads(data.decode())["turns"][-1]["final_answer"]["text"] == "é\ud83d\x00"

    @pytest.mark.parametrize("write", [write_transcripts, lambda made, out: write_bundles(made, out, 8)])
    def test_are_none_where_there_is_nothing_to_write(self, write: Any, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as caught:
            write(export(run(case("a", ERRORED))), tmp_path / "out")
        assert caught.value.message == "run r1 has no trial to export; left out: shop/a#1 (it could not be run)"
        assert list(tmp_path.iterdir()) == []

    def test_are_never_written_over_others(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        with pytest.raises(UsageError, match="out exists already"):
            write_transcripts(export(run(case("a", done()))), tmp_path / "out")


class TestBundles:
    def test_are_one_for_each_agent_and_can_be_read_again(self, tmp_path: Path) -> None:
        results = run(case("a", done()), case("b", done()), case("a", done(), agent="new"))
        written = write_bundles(export(results), tmp_path / "out", 8)
        assert [folder.name for folder in written.folders] == ["2031-05-06-cat8-shop-r1", "2031-05-06-cat8-new-r1"]
        found = read_bundle(written.folders[0])
        assert found.problems == ()
        assert [read.data["probe_id"] for read in found.transcripts] == ["a", "b"]
        assert found.scorecard == {
            "schema_version": 1,
            "config_card": {
                "brainbench_version": found.scorecard["config_card"]["brainbench_version"],
                "adapter": {"name": "shop", "stack_id": "0123456789abcdef"},
                "driver_model": {},
                "judge_model": {"model_id": "openai:gpt-4o"},
                "corpus_sha": "ab" * 32,
                "seed": 0,
            },
            "cat": 8,
            "N": 1,
            "metrics": {"pass_rate": {"mean": 1.0, "stddev": 0.0, "per_run": [1.0]}},
            "probes_total": 2,
            "probes_passed": 2,
            "probes_failed": 0,
            "verdict": "pass",
            "wall_clock_seconds": 90,
        }

    @pytest.mark.parametrize("era", list(Era))
    def test_have_a_scorecard_of_their_era(self, era: Era, tmp_path: Path) -> None:
        [folder] = write_bundles(export(run(case("q-0001", done())), dialect=era), tmp_path, 12).folders
        card = json.loads((folder / "scorecard.json").read_text(encoding="utf-8"))
        assert companion_errors(SCORECARD, card, era) == []
        assert (folder / "transcript.json").exists() is (era is Era.POST_AUDIT)

    def test_have_a_scorecard_of_all_trials_also_of_those_left_out(self, tmp_path: Path) -> None:
        outcomes = (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED)
        cases = [case(each.value, *[done()] * 5, outcome=each) for each in outcomes]
        talk = case("talk", *[TALK] * 5, outcome=Outcome.FAILED)
        [folder] = write_bundles(export(run(*cases, talk, decision=Decision.COULD_NOT_EVALUATE)), tmp_path, 8).folders
        card = json.loads((folder / "scorecard.json").read_text(encoding="utf-8"))
        assert (card["N"], card["probes_total"], card["probes_passed"], card["probes_failed"]) == (5, 4, 1, 2)
        assert card["metrics"]["pass_rate"]["per_run"] == [1 / 3] * 5
        assert "verdict" not in card

    def test_have_the_metrics_of_the_benchmark_where_a_run_has_them(self, tmp_path: Path) -> None:
        def metric(name: str, agent: str, category: int, spread: Spread | None) -> MetricScore:
            counts = Counts(passed=3, failed=1)
            return MetricScore(category, name, agent, counts, 0, 0.9, 0, 1, GateStatus.MET, "", True, False, spread)

        metrics = (
            metric("back_link_compliance", "shop", 8, None),
            metric("citation_format", "shop", 8, Spread(0.5, 0.25, (0.25, 0.75))),
            metric("workflow", "shop", 9, None),
            metric("tier_escalation", "other", 8, None),
        )
        results = run(case("a", done()), transcripts=TranscriptFindings("post-audit", metrics=metrics))
        [folder] = write_bundles(export(results), tmp_path, 8).folders
        found = json.loads((folder / "scorecard.json").read_text(encoding="utf-8"))["metrics"]
        assert found == {
            "pass_rate": {"mean": 1.0, "stddev": 0.0, "per_run": [1.0]},
            "back_link_compliance": {"mean": 0.75},
            "citation_format": {"mean": 0.5, "stddev": 0.25, "per_run": [0.25, 0.75]},
        }

    def test_have_what_judges_said(self, tmp_path: Path) -> None:
        def judged(name: str, outcome: Outcome, verdict: Verdict | None) -> CheckResult:
            return CheckResult(name, outcome, "said", kind=CheckKind.JUDGED, verdict=verdict)

        scored = Verdict(True, f"good, {KEY}", "m", score=3.0, criteria=(CriterionScore("c1", 3.0, "so so"),))
        checks = (
            judged("rubric", Outcome.PASSED, scored),
            judged("polite", Outcome.FAILED, Verdict(False, "rude", "m")),
            judged("silent", Outcome.UNSCORED, Verdict(None, "", "m", cause="timeout")),
            judged("not asked", Outcome.UNSCORED, None),
            CheckResult("rule", Outcome.PASSED, "fine"),
        )
        [folder] = write_bundles(export(run(case("a", done(), checks=checks)), environment={}), tmp_path, 9).folders
        first, *others = read_bundle(folder).judge_notes
        assert first == {
            "probe_id": "a",
            "run": 1,
            "check": "rubric",
            "verdict": "partial",
            "scores": [{"criterion_id": "c1", "score": 3.0, "rationale": "so so"}],
            "overall_score": 3.0,
            "overall_rationale": "good, <secret:anthropic-key>",
            "judge_model": "m",
        }
        assert [(note["check"], note["verdict"]) for note in others] == [("polite", "fail"), ("silent", "judge_failed")]

    @pytest.mark.parametrize(
        ("category", "era", "hint"),
        [
            (0, Era.POST_AUDIT, "they are numbered from 1 to 34"),
            (35, Era.POST_AUDIT, "they are numbered from 1 to 34"),
            (13, Era.SEED, "they are numbered from 1 to 12"),
        ],
    )
    def test_have_a_category_that_there_is(self, category: int, era: Era, hint: str, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as caught:
            write_bundles(export(run(case("a", done())), dialect=era), tmp_path, category)
        assert (caught.value.message, caught.value.hint) == (f"there is no category {category}", hint)

    @pytest.mark.parametrize(("runs", "seen"), [((3,), "3"), ((1, 5), "1 or 5")])
    def test_are_about_as_many_runs_as_a_scorecard_can_say(
        self, runs: tuple[int, ...], seen: str, tmp_path: Path
    ) -> None:
        results = run(*(case(f"c{number}", *[done()] * number) for number in runs))
        with pytest.raises(UsageError) as caught:
            write_bundles(export(results), tmp_path / "out", 8)
        assert caught.value.message == f"a scorecard is about 1, 5 or 10 runs of each case, and here are {seen}"
        assert not (tmp_path / "out").exists()


class TestPlantedItems:
    def test_come_from_files(self, tmp_path: Path) -> None:
        path = tmp_path / "poison.json"
        item = {"fixture_id": "poison-1", "slug": "emails/em-1", "kind": "k", "why_flag": "w", "expected_behavior": "e"}
        path.write_text(json.dumps({"version": 1, "items": [item]}))
        assert [found.slug for found in read_planted_items([path]).items] == ["emails/em-1"]
        assert read_planted_items([]).items == ()

    def test_that_cannot_be_read_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"none\.json cannot be read"):
            read_planted_items([tmp_path / "none.json"])
        (tmp_path / "bad.json").write_text("{")
        with pytest.raises(SpecError):
            read_planted_items([tmp_path / "bad.json"])
