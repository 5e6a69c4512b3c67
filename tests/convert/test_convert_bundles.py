"""Bundles are written as a whole beside those of the same name, and read back with everything that is wrong told."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from run_samples import done

from proctor.brainbench.bundles.bundle import Bundle
from proctor.brainbench.eras import Era
from proctor.brainbench.recording.recorder import Adapter
from proctor.brainbench.recording.trials import transcript_of
from proctor.convert.brainbench.bundle_files import write_bundle
from proctor.convert.brainbench.bundle_reading import read_bundle
from proctor.errors import UsageError

TRANSCRIPT = transcript_of(done(), "q-0001", Adapter("shop", "v1"), datetime(2031, 5, 6, tzinfo=UTC))
CARD: dict[str, Any] = {
    "schema_version": 1,
    "config_card": {
        "brainbench_version": "x",
        "adapter": {"name": "shop", "stack_id": "v1"},
        "corpus_sha": "",
        "seed": 0,
    },
    "cat": 8,
    "N": 1,
    "metrics": {},
}
BUNDLE = Bundle([TRANSCRIPT], CARD)


class TestWriting:
    def test_takes_the_next_name_that_is_free(self, tmp_path: Path) -> None:
        (tmp_path / "b-2").touch()
        assert [write_bundle(tmp_path, "b", BUNDLE).name for _ in range(3)] == ["b", "b-3", "b-4"]

    def test_stops_at_999(self, tmp_path: Path) -> None:
        for number in range(1, 1000):
            (tmp_path / ("b" if number == 1 else f"b-{number}")).touch()
        with pytest.raises(UsageError) as caught:
            write_bundle(tmp_path, "b", BUNDLE)
        assert caught.value.message == f"{tmp_path} has 999 bundles called b"

    @pytest.mark.parametrize(
        ("bundle", "message"),
        [
            (
                Bundle([TRANSCRIPT, {**TRANSCRIPT, "elapsed_ms": -1}], CARD),
                "transcript 2 of the bundle does not fit its schema: /elapsed_ms: must be 0 or more, got -1",
            ),
            (
                Bundle([TRANSCRIPT], {}),
                'the scorecard of the bundle does not fit its schema: the member "N" is missing',
            ),
            (
                Bundle([TRANSCRIPT], {**CARD, "metrics": {"a": {"mean": float("nan")}}}),
                "the bundle b does not fit its schema: Out of range float values are not JSON compliant",
            ),
        ],
    )
    def test_makes_nothing_of_what_does_not_fit(self, bundle: Bundle, message: str, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as caught:
            write_bundle(tmp_path / "out", "b", bundle)
        assert caught.value.message.startswith(message)
        assert not (tmp_path / "out").exists()

    def test_lets_the_seed_era_write_what_it_did(self, tmp_path: Path) -> None:
        folder = write_bundle(tmp_path, "b", Bundle([TRANSCRIPT], {}), Era.SEED)
        assert sorted(path.name for path in folder.iterdir()) == ["scorecard.json", "transcript.md"]

    def test_leaves_nothing_where_it_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from proctor.convert.brainbench import bundle_files

        written = bundle_files.whole_file

        def full_disk(path: Path, **more: Any) -> Any:
            if path.name == "transcript.json":
                raise OSError(28, "No space left on device")
            return written(path, **more)

        monkeypatch.setattr(bundle_files, "whole_file", full_disk)
        with pytest.raises(UsageError, match="b cannot be written: No space left on device"):
            write_bundle(tmp_path, "b", BUNDLE)
        assert list(tmp_path.iterdir()) == []


class TestReading:
    def test_gives_back_what_was_written(self, tmp_path: Path) -> None:
        note = {"probe_id": "q-0001", "verdict": "pass"}
        found = read_bundle(write_bundle(tmp_path, "b", Bundle([TRANSCRIPT], CARD, [note])))
        assert [read.data for read in found.transcripts] == [TRANSCRIPT]
        assert (found.scorecard, found.judge_notes, found.problems) == (CARD, (note,), ())

    def test_tells_what_is_not_there(self, tmp_path: Path) -> None:
        found = read_bundle(tmp_path)
        assert [problem.code for problem in found.problems] == ["no_transcripts", "no_scorecard"]
        assert found.problems[0].hint == (
            "bundles of the seed era keep transcripts as Markdown only, which cannot be evaluated"
        )
        assert (found.transcripts, found.scorecard, found.judge_notes) == ((), None, ())

    def test_tells_what_does_not_fit_and_where(self, tmp_path: Path) -> None:
        folder = write_bundle(tmp_path, "b", BUNDLE)
        (folder / "transcript.json").write_text(json.dumps([TRANSCRIPT, {}]))
        (folder / "scorecard.json").write_text(json.dumps({**CARD, "N": 3}))
        (folder / "judge-notes.md").write_text("# Judge notes\n\nAll was well.\n")
        found = read_bundle(folder)
        assert len(found.transcripts) == 1
        assert found.scorecard is None
        told = [(problem.path.name, problem.code, problem.severity) for problem in found.problems]
        assert told[-2:] == [("scorecard.json", "bad_value", "error"), ("judge-notes.md", "no_notes", "warning")]
        assert {name for name, _, _ in told[:-2]} == {"transcript.json"}

    def test_tells_what_is_no_json(self, tmp_path: Path) -> None:
        folder = write_bundle(tmp_path, "b", BUNDLE)
        (folder / "scorecard.json").write_text('{"N": ')
        assert [problem.code for problem in read_bundle(folder).problems] == ["invalid_json"]

    def test_needs_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "f").touch()
        with pytest.raises(UsageError, match="f is no folder"):
            read_bundle(tmp_path / "f")

    def test_of_what_is_no_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "transcript.json").mkdir()
        with pytest.raises(UsageError, match=r"transcript\.json cannot be read: it is a folder"):
            read_bundle(tmp_path)
