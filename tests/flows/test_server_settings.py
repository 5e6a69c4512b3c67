"""What Proctor sets for Prefect, and above all what it leaves as the user set it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.errors import UsageError
from proctor_flows.settings import QUIET_SETTINGS, SERVER_SETTINGS, configured_api_url, quiet_client, server_environment

URL = "http://127.0.0.1:1/api"
TOUCHED = {*SERVER_SETTINGS, "PREFECT_API_URL", "PREFECT_PROFILE", "PREFECT_PROFILES_PATH", "PREFECT_TEST_MODE"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder and an empty PREFECT_HOME, with nothing set anywhere."""
    before = dict(os.environ)
    for name in TOUCHED:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    refresh()
    yield tmp_path
    os.environ.clear()
    os.environ.update(before)
    monkeypatch.undo()
    refresh()


def refresh() -> None:
    """Let Prefect read its sources again, as a new process would."""
    from prefect.context import refresh_global_settings_context

    refresh_global_settings_context()


def test_importing_the_package_imports_no_prefect() -> None:
    code = "import sys, proctor_flows, proctor_flows.settings, proctor_flows.server; print('prefect' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


class TestConfiguredApiUrl:
    """The API URL is the one that Prefect itself resolves."""

    def test_nothing_configured_is_none(self, folder: Path) -> None:
        assert configured_api_url() is None

    def test_the_environment_sets_it(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PREFECT_API_URL", URL)
        refresh()
        assert configured_api_url() == URL

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            (".env", f"PREFECT_API_URL={URL}\n"),
            ("prefect.toml", f'[api]\nurl = "{URL}"\n'),
            ("pyproject.toml", f'[tool.prefect.api]\nurl = "{URL}"\n'),
            ("home/profiles.toml", f'active = "mine"\n[profiles.mine]\nPREFECT_API_URL = "{URL}"\n'),
        ],
    )
    def test_a_file_sets_it(self, folder: Path, name: str, content: str) -> None:
        (folder / name).write_text(content)
        refresh()
        assert configured_api_url() == URL

    def test_an_ephemeral_profile_configures_no_api(self, folder: Path) -> None:
        profile = 'active = "ephemeral"\n[profiles.ephemeral]\nPREFECT_SERVER_EPHEMERAL_ENABLED = "true"\n'
        (folder / "home" / "profiles.toml").write_text(profile)
        refresh()
        assert configured_api_url() is None

    @pytest.mark.parametrize(
        ("content", "reason"), [("[api\n", "invalid TOML"), ("[api]\nrequest_timeout = 'soon'\n", "request_timeout")]
    )
    def test_unreadable_settings_are_a_usage_error_that_says_which(
        self, folder: Path, content: str, reason: str
    ) -> None:
        (folder / "prefect.toml").write_text(content)
        code = (
            "from proctor.errors import UsageError\nfrom proctor_flows.settings import configured_api_url\n"
            "try: configured_api_url()\nexcept UsageError as error: print(error)"
        )
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert result.stdout.startswith("Prefect's settings cannot be read: ")
        assert reason in result.stdout
        assert "hint: correct the setting in the environment, .env, prefect.toml" in result.stdout


class TestQuietClient:
    """Our own process is quiet, unless the user wants it otherwise."""

    def test_it_sets_what_nobody_set(self, folder: Path) -> None:
        quiet_client()
        assert {name: os.environ[name] for name in QUIET_SETTINGS} == QUIET_SETTINGS

    def test_prefect_uses_it_at_once(self, folder: Path) -> None:
        from prefect.settings import get_current_settings

        quiet_client()
        assert get_current_settings().logging.level == "WARNING"
        assert get_current_settings().server.analytics_enabled is False

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("prefect.toml", '[logging]\nlevel = "DEBUG"\n'),
            ("pyproject.toml", '[tool.prefect.logging]\nlevel = "DEBUG"\n'),
            (".env", "PREFECT_LOGGING_LEVEL=DEBUG\n"),
            ("home/profiles.toml", 'active = "mine"\n[profiles.mine]\nPREFECT_LOGGING_LEVEL = "DEBUG"\n'),
        ],
    )
    def test_a_value_in_a_file_is_not_overruled(self, folder: Path, name: str, content: str) -> None:
        from prefect.settings import get_current_settings

        (folder / name).write_text(content)
        refresh()
        quiet_client()
        assert "PREFECT_LOGGING_LEVEL" not in os.environ
        assert get_current_settings().logging.level == "DEBUG"
        assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"

    def test_a_value_in_the_environment_stays(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DO_NOT_TRACK", "0")
        monkeypatch.setenv("PREFECT_LOGGING_LEVEL", "ERROR")
        refresh()
        quiet_client()
        assert os.environ["DO_NOT_TRACK"] == "0"
        assert os.environ["PREFECT_LOGGING_LEVEL"] == "ERROR"


class TestServerEnvironment:
    """A server gets our settings, the user's over them, and its own address."""

    def test_it_holds_every_setting_of_ours(self, folder: Path) -> None:
        assert server_environment(URL).items() >= SERVER_SETTINGS.items()

    def test_every_setting_of_ours_is_one_that_prefect_knows(self, folder: Path) -> None:
        from prefect.settings import Settings

        known = Settings().to_environment_variables(include_aliases=True)
        assert set(SERVER_SETTINGS) - set(known) == {"DO_NOT_TRACK"}

    def test_a_value_of_the_user_wins(self, folder: Path) -> None:
        (folder / "prefect.toml").write_text("[server.services.task_run_recorder]\nbatch_size = 7\n")
        refresh()
        assert server_environment(URL)["PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE"] == "7"

    def test_it_carries_the_home_and_its_own_url(self, folder: Path) -> None:
        (folder / "prefect.toml").write_text('[api]\nurl = "http://elsewhere/api"\n')
        refresh()
        environment = server_environment(URL)
        assert environment["PREFECT_API_URL"] == URL
        assert environment["PREFECT_HOME"] == str(folder / "home")

    def test_a_setting_that_prefect_refuses_is_a_usage_error(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from prefect.context import SettingsContext

        monkeypatch.setattr(SettingsContext, "get", lambda: None)
        monkeypatch.setenv("PREFECT_API_REQUEST_TIMEOUT", "soon")
        with pytest.raises(UsageError, match="Prefect's settings cannot be read"):
            server_environment(URL)
