"""Which engine a run gets, and what is said when that engine is not there. No server is started here."""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from proctor.errors import EngineError, UsageError
from proctor_flows.server import Engine, choose_engine, server_status, start_server, stop_server


@contextmanager
def configured(url: str | None) -> Iterator[None]:
    """Let Prefect resolve this API URL."""
    with temporary_settings({PREFECT_API_URL: url}):
        yield


@contextmanager
def stranger(status: int, body: str = "{}") -> Iterator[int]:
    """Run an HTTP server that is no Prefect server, and yield its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version: ClassVar[str] = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def write_record(root: Path, **fields: object) -> Path:
    """Write a record as a server would, with some fields of ours."""
    record = root / ".proctor" / "server.json"
    record.parent.mkdir()
    content = {"pid": os.getpid(), "port": 4200, "started": "2026-01-02T03:04:05+00:00", "token": "t0ken"}
    record.write_text(json.dumps(content | fields))
    return record


class TestChoice:
    """Configured before local before temporary."""

    def test_nothing_configured_and_nothing_running_is_a_temporary_server(self, tmp_path: Path) -> None:
        with configured(None):
            assert choose_engine(tmp_path) == Engine("temporary", tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_only_a_temporary_server_has_something_to_say(self, tmp_path: Path) -> None:
        message = Engine("temporary", tmp_path).message
        assert message is not None
        assert "`proctor server start`" in message
        assert "`--engine inline`" in message
        assert Engine("local", tmp_path, "http://127.0.0.1:4200/api").message is None

    def test_an_active_local_engine_is_what_prefect_uses_meanwhile(self, tmp_path: Path) -> None:
        from prefect.settings import get_current_settings

        with configured(None):
            with Engine("local", tmp_path, "http://127.0.0.1:4200/api").activate() as url:
                assert get_current_settings().api.url == url == "http://127.0.0.1:4200/api"
            assert get_current_settings().api.url is None

    def test_requests_to_our_own_server_go_past_a_proxy(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.setenv("NO_PROXY", "example.org")
        with Engine("local", tmp_path, "http://127.0.0.1:4200/api").activate():
            assert os.environ["NO_PROXY"] == os.environ["no_proxy"] == "example.org,127.0.0.1"
        assert os.environ["NO_PROXY"] == "example.org"
        assert "no_proxy" not in os.environ


class TestConfiguredButUnusable:
    """A configured API that does not answer ends the run. It is never replaced by another one."""

    def test_nobody_listens(self, tmp_path: Path) -> None:
        with configured("http://127.0.0.1:1/api"), pytest.raises(EngineError) as caught:
            choose_engine(tmp_path)
        assert caught.value.exit_code == 3
        assert caught.value.message.startswith(
            "the configured Prefect API http://127.0.0.1:1/api (PREFECT_API_URL) cannot be used:"
        )
        assert caught.value.message.endswith("Connection refused")
        assert caught.value.hint is not None
        assert "unset it to let Proctor run a server" in caught.value.hint
        assert "`--engine inline`" in caught.value.hint

    def test_something_else_answers(self, tmp_path: Path) -> None:
        with (
            stranger(404) as port,
            configured(f"http://user:secret@127.0.0.1:{port}/api"),
            pytest.raises(EngineError, match="it answers with HTTP status 404") as caught,
        ):
            choose_engine(tmp_path)
        assert "secret" not in str(caught.value)

    def test_something_else_says_yes_to_everything(self, tmp_path: Path) -> None:
        with (
            stranger(200, "<html>") as port,
            configured(f"http://127.0.0.1:{port}/api"),
            pytest.raises(EngineError, match="cannot be used"),
        ):
            choose_engine(tmp_path)

    def test_a_refused_key_names_the_key_settings(self, tmp_path: Path) -> None:
        with (
            stranger(401) as port,
            configured(f"http://127.0.0.1:{port}/api"),
            pytest.raises(EngineError, match="HTTP status 401") as caught,
        ):
            choose_engine(tmp_path)
        assert caught.value.hint == "check PREFECT_API_KEY or PREFECT_API_AUTH_STRING"

    def test_a_url_that_is_none(self, tmp_path: Path) -> None:
        with configured("nonsense"), pytest.raises(EngineError, match="nonsense"):
            choose_engine(tmp_path)


class TestStaleRecords:
    """A record is believed only while its own process stands behind it."""

    def test_no_record_is_no_server(self, tmp_path: Path) -> None:
        assert server_status(tmp_path) is None
        assert stop_server(tmp_path) is None

    def test_a_dead_process_is_no_server_and_stop_clears_the_record(self, tmp_path: Path) -> None:
        dead = subprocess.Popen([sys.executable, "-c", ""])
        dead.wait()
        record = write_record(tmp_path, pid=dead.pid)
        assert server_status(tmp_path) is None
        assert stop_server(tmp_path) is None
        assert not record.exists()

    def test_a_pid_that_another_process_got_is_no_server_and_that_process_lives_on(self, tmp_path: Path) -> None:
        other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            write_record(tmp_path, pid=other.pid)
            assert stop_server(tmp_path) is None
            assert other.poll() is None
        finally:
            other.communicate(b"\n")
        assert other.returncode == 0

    def test_a_stranger_on_the_recorded_port_is_not_used(self, tmp_path: Path) -> None:
        with stranger(200, "true") as port, configured(None):
            write_record(tmp_path, port=port)
            assert choose_engine(tmp_path).kind == "temporary"

    @pytest.mark.parametrize("content", ["", "{}", "[]", '{"pid": "x"}', '{"pid": 1, "port": null}'])
    def test_a_damaged_record_is_no_server(self, tmp_path: Path, content: str) -> None:
        write_record(tmp_path).write_text(content)
        assert server_status(tmp_path) is None


class TestStartRefusals:
    """What cannot be started says why, and leaves nothing behind."""

    def test_a_port_in_use(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(UsageError, match=f"port {port} of 127.0.0.1 cannot be used"):
                start_server(tmp_path, port)
        assert server_status(tmp_path) is None

    def test_a_port_that_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"port 99999 of 127.0.0.1 cannot be used.*port must be 0-65535"):
            start_server(tmp_path, 99999)

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / ".proctor").write_text("a file where the folder should be")
        with pytest.raises(EngineError, match="the folder for the server's record cannot be written"):
            start_server(tmp_path)
