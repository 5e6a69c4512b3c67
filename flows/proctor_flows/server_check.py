"""Whether a Prefect API can be used: said before anything runs, and when it is lost later."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

from proctor.errors import EngineError
from proctor.excerpt import mark_controls, shorten
from proctor_flows.server_local import ServerInfo

REQUEST_SECONDS = 10.0
START_PATIENCE_SECONDS = 15.0
"""How long a run waits for a local server that another command is just starting."""


def require_health(server: ServerInfo) -> None:
    """Return once the project's own server answers. One that is just starting gets a moment.

    Raises:
        EngineError: Its process runs but does not answer.
    """
    deadline = time.monotonic() + START_PATIENCE_SECONDS
    while not server.is_healthy:
        if time.monotonic() > deadline:
            raise EngineError(
                f"the project's Prefect server (pid {server.pid}, {server.api_url}) runs but does not answer",
                hint="`proctor server stop` and `proctor server start`, or run with `--engine inline`",
            )
        time.sleep(0.2)


def require_answer(api_url: str) -> None:
    """Ask the API something that needs the right URL, the right key, and a database behind it.

    Raises:
        EngineError: It cannot be reached, refuses us, or is no Prefect API.
    """
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    try:
        with (
            temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 1}),
            get_client(httpx_settings={"timeout": REQUEST_SECONDS}, sync_client=True) as client,
        ):
            client.read_flows(limit=1)
    except (httpx.HTTPError, httpx.InvalidURL, RuntimeError, ValueError, TypeError, OSError) as error:
        raise EngineError(
            f"the configured Prefect API {_without_password(api_url)} (PREFECT_API_URL) cannot be used:"
            f" {_cause(error)}",
            hint=_next_step(error),
        ) from error


@contextmanager
def lost_server(api_url: str) -> Iterator[None]:
    """Say what happened when Prefect cannot reach its API any more.

    Raises:
        EngineError: A request of Prefect's failed for good.
    """
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        raise EngineError(
            f"the Prefect server {_without_password(api_url)} was lost during the run: {_cause(error)}",
            hint="look whether it still runs; then start the same run again: it goes on with what is stored",
        ) from error


def _cause(error: BaseException) -> str:
    """Return the reason in one line, without the URL, which httpx repeats with the password."""
    if (status := _status(error)) is not None:
        return f"it answers with HTTP status {status}"
    first_line = next(iter(str(error).splitlines()), "").strip()
    return mark_controls(shorten(first_line or type(error).__name__)).rstrip(".")


def _status(error: BaseException) -> int | None:
    import httpx

    return error.response.status_code if isinstance(error, httpx.HTTPStatusError) else None


def _next_step(error: BaseException) -> str:
    if _status(error) in {401, 403}:
        return "check PREFECT_API_KEY or PREFECT_API_AUTH_STRING"
    return (
        "start that server, correct PREFECT_API_URL (it ends with /api; `prefect config view --show-sources` says where"
        " it is set), unset it to let Proctor run a server, or run with `--engine inline`"
    )


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
