from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from report_samples import realistic, results

import proctor_reports
from proctor.errors import CouldNotEvaluate, StoreError, UsageError
from proctor.results import CaseDetail, RunResults
from proctor_reports import FORMATS, write_reports


class TestWriteReports:
    def test_each_format_has_its_file(self, tmp_path: Path) -> None:
        paths = write_reports(realistic(), tmp_path / "new" / "folder", list(FORMATS))
        assert {name: path.name for name, path in paths.items()} == {
            "html": "report.html",
            "markdown": "report.md",
            "junit": "junit.xml",
            "json": "report.json",
            "scorecard": "scorecard.json",
            "agent-card": "agent-card.md",
        }
        assert all(path.stat().st_size > 400 for path in paths.values())

    def test_nothing_but_the_reports_is_left_in_the_folder(self, tmp_path: Path) -> None:
        write_reports(realistic(), tmp_path, ["junit", "json", "junit"])
        assert sorted(path.name for path in tmp_path.iterdir()) == ["junit.xml", "report.json"]

    def test_no_format_writes_nothing(self, tmp_path: Path) -> None:
        assert write_reports(realistic(), tmp_path, []) == {}
        assert list(tmp_path.iterdir()) == []

    def test_the_cases_are_read_once_for_all_formats(self, tmp_path: Path) -> None:
        plain = realistic()
        calls = []

        def cases() -> Iterator[CaseDetail]:
            calls.append(1)
            return plain.cases()

        write_reports(RunResults(plain.summary, cases), tmp_path, list(FORMATS))
        assert len(calls) == 1

    def test_others_may_read_a_report_as_the_umask_says(self, tmp_path: Path) -> None:
        umask = os.umask(0o022)
        try:
            path = write_reports(realistic(), tmp_path, ["html"])["html"]
        finally:
            os.umask(umask)
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


class TestWhatCannotBeWritten:
    def test_an_unknown_format_names_those_that_there_are(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as caught:
            write_reports(realistic(), tmp_path / "reports", ["html", "pdf"])
        assert caught.value.message == "there is no report format 'pdf'"
        assert caught.value.hint == "the formats are html, markdown, junit, json, scorecard, agent-card"
        assert not (tmp_path / "reports").exists()

    def test_a_file_in_place_of_the_folder_is_one_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / "reports").write_text("mine")
        with pytest.raises(CouldNotEvaluate, match=r"cannot be written to .*reports: File exists") as caught:
            write_reports(realistic(), tmp_path / "reports", ["html"])
        assert caught.value.exit_code == 3
        assert "name another one" in str(caught.value.hint)

    def test_a_folder_in_place_of_a_report_is_one_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / "report.html").mkdir()
        with pytest.raises(CouldNotEvaluate, match="Is a directory"):
            write_reports(realistic(), tmp_path, ["html"])
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_a_store_that_fails_half_way_leaves_the_older_reports_as_they_were(self, tmp_path: Path) -> None:
        paths = write_reports(realistic(), tmp_path, list(FORMATS))
        before = {name: path.read_bytes() for name, path in paths.items()}

        def cases() -> Iterator[CaseDetail]:
            yield from list(realistic().cases())[:3]
            raise StoreError("The store went away.")

        with pytest.raises(StoreError, match="went away"):
            write_reports(RunResults(results([]).summary, cases), tmp_path, list(FORMATS))
        assert {name: path.read_bytes() for name, path in paths.items()} == before
        assert len(list(tmp_path.iterdir())) == len(FORMATS)


class TestThePackage:
    def test_its_public_names_exist(self) -> None:
        assert proctor_reports.__all__ == sorted(proctor_reports.__all__)
        assert all(hasattr(proctor_reports, name) for name in proctor_reports.__all__)

    def test_importing_it_loads_no_renderer(self) -> None:
        code = "import sys, proctor_reports, proctor_reports.terminal; print([m for m in sys.modules if 'jinja' in m])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "[]\n"
