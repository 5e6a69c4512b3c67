"""``server start|stop|status``: the project's own Prefect server, for quick starts of ``proctor run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proctor.cli.output import say

app = typer.Typer(help="The project's own Prefect server.", no_args_is_help=True, rich_markup_mode=None)


@app.command("start", epilog="Example: proctor server start")
def start(
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="4200, or a free one.")] = None,
) -> None:
    """Start the server in the background; later runs of this project use it."""
    from proctor_flows.server import start_server
    from proctor_flows.settings import configured_api_url, quiet_client

    quiet_client()

    server = start_server(_root(), port)
    already = " already" if server.already_running else ""
    if (configured := configured_api_url()) is not None:
        say(f"note: runs use the configured PREFECT_API_URL {configured}, not this server", err=True)
    say(f"the server{already} runs at {server.ui_url} (pid {server.pid})")


@app.command("stop", epilog="Example: proctor server stop")
def stop() -> None:
    """Stop the server."""
    from proctor_flows.server import stop_server

    server = stop_server(_root())
    say(f"stopped the server at {server.ui_url}" if server else "no server of this project runs")


@app.command("status", epilog="Example: proctor server status")
def status() -> None:
    """Say whether the server runs. Ends with 0 if it does, else 3."""
    from proctor_flows.server import server_status

    server = server_status(_root())
    if server is None:
        say("no server of this project runs: start one with proctor server start")
        raise typer.Exit(3)
    health = "" if server.is_healthy else ", but it does not answer"
    say(f"the server runs at {server.ui_url} (pid {server.pid}) since {server.started:%Y-%m-%d %H:%M}{health}")


def _root() -> Path:
    from proctor.config import find_root

    return find_root(Path.cwd())
