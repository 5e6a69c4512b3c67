"""A NUL character, which no path can hold, and a file in another encoding: one clear error, or none."""

from __future__ import annotations

import pytest
from user_project import UserProject


class TestANulCharacter:
    def test_in_the_path_of_audio_is_the_agents_affair(self, project: UserProject) -> None:
        project.case("one", '  audio: "a\\0b.wav"\n')
        project.suite()
        assert project.run().code == 0

    def test_in_the_folder_of_reports_is_one_error(self, project: UserProject) -> None:
        project.case("one")
        project.suite('report: {dir: "x\\0y"}\n')
        ended = project.run()
        assert ended.code == 2
        assert ended.err == (
            "evals/shop.suite.yaml:3:15: error [bad_value] report.dir: must not hold a NUL character: no path can\n"
            "1 error in 1 file\n"
        )

    def test_in_the_path_of_the_store_is_one_error(self, project: UserProject, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PROCTOR_STORE", "sqlite:///a%00b.db")
        ended = project.proctor("runs")
        assert ended.code == 2
        assert ended.err.startswith("error: the store sqlite:///a%00b.db cannot be used\n  hint: write sqlite:///")


class TestAnotherEncoding:
    def test_of_the_settings_stops_init(self, project: UserProject) -> None:
        path = project.write("pyproject.toml", b"# caf\xe9\n[project]\n")
        ended = project.proctor("init")
        assert ended.code == 2
        assert ended.err == f"error: {path} is not UTF-8 text\n  hint: save it as UTF-8\n"
        assert path.read_bytes() == b"# caf\xe9\n[project]\n"
