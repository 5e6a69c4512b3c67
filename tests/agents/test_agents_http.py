"""Agents behind a URL, against a small server on the loopback interface."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from proctor.agents import Agent, AgentOutage, AgentReply, Message, build_agent
from proctor.errors import AgentSetupError, AgentUnavailable, MalformedReply, TrialError
from proctor.plan import AgentSpec
from proctor.trajectory import JsonValue, Step, ToolCall

HELLO: list[Message] = [{"role": "user", "content": "hello"}]
Answer = tuple[int, dict[str, str], bytes]


class Request:
    """One request as the server saw it."""

    def __init__(self, head: bytes, body: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.line = lines[0]
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
        self.body = json.loads(body)


@asynccontextmanager
async def serving(answer: Callable[[Request], Answer | None]) -> AsyncIterator[str]:
    """Serve on a free port; None in place of an answer drops the connection."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(Request(head, b"0").headers["content-length"])
        given = answer(Request(head, await reader.readexactly(length)))
        if given is not None:
            status, headers, body = given
            lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "connection: close"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/agent"


def build(url: str, **headers: str) -> Agent:
    return build_agent(AgentSpec("bot", "http", url, options={"headers": dict(headers)} if headers else {}), Path())


def ask(answer: Callable[[Request], Answer | None], query: str = "", **headers: str) -> AgentReply:
    async def run() -> AgentReply:
        async with serving(answer) as url:
            agent = build(url + query, **headers)
            try:
                async with agent.session() as session:
                    return await session.reply(HELLO)
            finally:
                await agent.close()

    return asyncio.run(run())


def ok(answer: Any) -> Answer:
    return 200, {}, json.dumps(answer).encode()


class TestTurns:
    def test_a_turn_is_one_post_of_json(self) -> None:
        seen: list[Request] = []

        def answer(request: Request) -> Answer:
            seen.append(request)
            return ok({"reply": "hi", "tool_calls": [{"name": "look", "arguments": {"a": 1}}]})

        assert ask(answer, "?v=2") == AgentReply("hi", (ToolCall("look", {"a": 1}),))
        (request,) = seen
        assert request.line == "POST /agent?v=2 HTTP/1.1"
        assert request.headers["content-type"] == "application/json"
        assert request.body["messages"] == HELLO
        assert request.body["tools"] == "own"

    def test_turns_of_a_trial_share_a_session_id_and_trials_do_not(self) -> None:
        async def run() -> list[str | None]:
            async with serving(lambda request: ok({"reply": request.body["session"]})) as url:
                agent, replies = build(url), []
                for _ in range(2):
                    async with agent.session() as session:
                        replies += [(await session.reply(HELLO)).reply for _ in range(2)]
                await agent.close()
                return replies

        one, two, three, four = asyncio.run(run())
        assert one == two
        assert three == four
        assert one != three

    def test_tools_on_a_host_are_answered(self) -> None:
        class Host:
            def before_model_request(self) -> None:
                pass

            async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
                return 7, False

        def answer(request: Request) -> Answer:
            if request.body["type"] == "turn":
                return ok({"type": "tool_calls", "tool_calls": [{"id": "1", "name": "find"}]})
            return ok({"reply": str(request.body["tool_results"][0]["result"])})

        async def run() -> AgentReply:
            async with serving(answer) as url:
                agent = build(url)
                async with agent.session(Host()) as session:
                    reply = await session.reply(HELLO)
                await agent.close()
                return reply

        calls = (ToolCall("find", None, "1", 7),)
        assert asyncio.run(run()) == AgentReply("7", calls, steps=(Step(calls=1), Step("7")))

    def test_headers_take_their_values_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_TOKEN", "s3cret")
        reply = ask(
            lambda request: ok({"reply": request.headers["authorization"]}), Authorization="Bearer ${BOT_TOKEN}"
        )
        assert reply.reply == "Bearer s3cret"


class TestOutages:
    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
    def test_a_status_of_an_outage_is_never_a_failure(self, status: int) -> None:
        with pytest.raises(AgentOutage, match=f'answered status {status}: "busy"') as caught:
            ask(lambda request: (status, {"retry-after": "3"}, b"busy"))
        assert isinstance(caught.value, AgentUnavailable)
        assert caught.value.retry_after_s == 3.0

    def test_retry_after_may_be_a_date_and_nonsense_is_ignored(self) -> None:
        later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
        with pytest.raises(AgentOutage) as caught:
            ask(lambda request: (503, {"retry-after": later}, b""))
        assert caught.value.retry_after_s == pytest.approx(60, abs=5)
        with pytest.raises(AgentOutage) as caught:
            ask(lambda request: (503, {"retry-after": "soon"}, b""))
        assert caught.value.retry_after_s is None

    def test_a_dropped_connection_is_an_outage(self) -> None:
        with pytest.raises(AgentOutage, match=r"no answer from http://127\.0\.0\.1:\d+/agent: RemoteProtocolError"):
            ask(lambda request: None)

    def test_nobody_listening_is_an_outage(self) -> None:
        async def run() -> None:
            async with serving(lambda request: None) as url:
                pass
            async with build(url.replace("//", "//me:pw@")).session() as session:
                await session.reply(HELLO)

        with pytest.raises(AgentOutage, match=r"no answer from http://127\.0\.0\.1:\d+/agent: ConnectError") as caught:
            asyncio.run(run())
        assert "check that the agent is running" in str(caught.value)


class TestFaults:
    @pytest.mark.parametrize("status", [301, 400, 401, 404, 422])
    def test_any_other_status_is_an_error_with_an_excerpt(self, status: int) -> None:
        with pytest.raises(TrialError, match=f'answered status {status}: "no\\\\n<1B>') as caught:
            ask(lambda request: (status, {}, b"no\n\x1b" + b"x" * 5000))
        assert not isinstance(caught.value, AgentUnavailable)
        assert len(str(caught.value)) < 600

    def test_a_body_that_is_no_json_is_malformed(self) -> None:
        with pytest.raises(MalformedReply, match=r'the answer is no JSON .*"<html>"'):
            ask(lambda request: (200, {}, b"<html>"))

    def test_a_body_that_is_not_encoded_as_it_says_is_malformed(self) -> None:
        with pytest.raises(MalformedReply, match="is not encoded as its headers say"):
            ask(lambda request: (200, {"content-encoding": "gzip"}, b"plain"))

    def test_a_small_body_that_unpacks_to_a_large_one_is_not_read_to_its_end(self) -> None:
        bomb = gzip.compress(b" " * (64 * 2**20))
        with pytest.raises(MalformedReply, match="longer than 16 MiB"):
            ask(lambda request: (200, {"content-encoding": "gzip"}, bomb))

    def test_neither_secrets_nor_the_query_get_into_a_message(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_TOKEN", "s3cret")
        with pytest.raises(TrialError) as caught:
            ask(lambda request: (401, {}, b"bad token s3cret"), "?key=abc", Authorization="Bearer ${BOT_TOKEN}")
        assert "bad token ***" in str(caught.value)
        assert "s3cret" not in str(caught.value)
        assert "abc" not in str(caught.value)


class TestSetup:
    @pytest.mark.parametrize(
        "url",
        ["", "localhost:8000", "ftp://x/y", "http://", "http://h:99999/", "http://h/a b", "http://h/\n", "http://é/"],
    )
    def test_a_url_that_cannot_be_used_is_refused(self, url: str) -> None:
        with pytest.raises(AgentSetupError, match=r"no usable URL: .*\n  hint: write it in full"):
            build(url)

    def test_a_missing_variable_is_named_with_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("BOT_TOKEN", raising=False)
        with pytest.raises(AgentSetupError) as caught:
            build("http://h/", Authorization="Bearer ${BOT_TOKEN}")
        assert caught.value.message.startswith("the environment variable BOT_TOKEN is not set, which the header Auth")
        assert "export BOT_TOKEN=" in str(caught.value)

    def test_a_secret_with_a_line_break_is_refused_without_being_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_TOKEN", "s3cret\n")
        with pytest.raises(AgentSetupError, match="the header X of the agent bot holds a line break") as caught:
            build("http://h/", X="${BOT_TOKEN}")
        assert "s3cret" not in str(caught.value)

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"timeout": 3}, "has an unknown option 'timeout'"),
            ({"headers": ["a"]}, "are no mapping"),
            ({"headers": {"a b": "x"}}, 'the header "a b" of the agent bot is not of the form name: text'),
            ({"headers": {"a": 3}}, 'the header "a" of the agent bot is not of the form name: text'),
        ],
    )
    def test_other_options_are_refused(self, options: dict[str, JsonValue], sentence: str) -> None:
        with pytest.raises(AgentSetupError) as caught:
            build_agent(AgentSpec("bot", "http", "http://h/", options=options), Path())
        assert sentence in caught.value.message
        assert caught.value.hint
