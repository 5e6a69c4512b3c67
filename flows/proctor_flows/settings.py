"""The Prefect settings that Proctor prefers, applied only where the user chose nothing.

Prefect reads its settings from the environment, ``.env``, ``prefect.toml``, ``pyproject.toml`` and the active profile,
in this order. What we set goes into the environment and would beat all the others, so Prefect is asked first.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from proctor.errors import UsageError

if TYPE_CHECKING:
    from prefect.settings import Settings

QUIET_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_LOGGING_LEVEL": "WARNING",
    }
)
"""No telemetry, and no log line for each task run."""

SERVER_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        **QUIET_SETTINGS,
        # By default a server records task runs one transaction at a time, and falls behind at 50 a second.
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_TRIGGERS_READ_BATCH_SIZE": "200",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "60",
    }
)
"""What a server that Proctor starts gets in its environment, where the user's own settings say nothing."""


def quiet_client() -> None:
    """Import Prefect into this process with the quiet settings, where the user's own settings say nothing.

    Call it before anything else imports Prefect: the notice about telemetry is printed by the import itself.

    Raises:
        UsageError: A settings file of Prefect cannot be read, or a setting in it is not valid.
    """
    os.environ.setdefault("DO_NOT_TRACK", QUIET_SETTINGS["DO_NOT_TRACK"])
    chosen = _current_settings().to_environment_variables(exclude_unset=True)
    os.environ.update({name: value for name, value in QUIET_SETTINGS.items() if name not in os.environ | chosen})
    from prefect.context import refresh_global_settings_context

    refresh_global_settings_context()


def configured_api_url() -> str | None:
    """Return the ``PREFECT_API_URL`` that Prefect resolves from all its sources, or None where none sets it.

    Raises:
        UsageError: A settings file of Prefect cannot be read, or a setting in it is not valid.
    """
    return _current_settings().api.url or None


def server_environment(api_url: str) -> dict[str, str]:
    """Return the environment of a server at ``api_url``: ours, the user's Prefect settings, then SERVER_SETTINGS.

    The user's settings are spelled out, so that the server does not depend on the folder it is started in.

    Raises:
        UsageError: A settings file of Prefect cannot be read, or a setting in it is not valid.
    """
    chosen = _current_settings().to_environment_variables(exclude_unset=True)
    own = {"PREFECT_API_URL": api_url, "PREFECT_SERVER_API_BASE_PATH": "/api"}
    return {**SERVER_SETTINGS, **os.environ, **chosen, **own}


def _current_settings() -> Settings:
    try:
        with _collector_paused():
            from prefect.settings import get_current_settings
        return get_current_settings()
    except (ValueError, OSError) as error:  # pydantic's and tomllib's errors are ValueErrors
        raise UsageError(
            f"Prefect's settings cannot be read: {error}",
            hint="correct the setting in the environment, .env, prefect.toml, pyproject.toml or the Prefect profile"
            " (`prefect config view --show-sources`)",
        ) from error


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector: a quarter of the time to import Prefect goes into collections that free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
