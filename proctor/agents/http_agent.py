"""Agents behind a URL: one POST a turn, in the contract of `proctor.agents.wire`.

The server is stateless or keeps its state by the session id, as it likes: every request carries all messages.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from proctor.agents.base import Agent, AgentOutage, AgentReply, Message, ModelHost, Session, ToolHost
from proctor.agents.model_reach import refuse_model
from proctor.agents.wire import MAX_ANSWER_BYTES, converse, decode, encode, too_long
from proctor.errors import AgentSetupError, MalformedReply, TrialError
from proctor.excerpt import mark_controls, quote, shorten
from proctor.plan import AgentSpec
from proctor.trajectory import JsonValue

if TYPE_CHECKING:
    import httpx

CONNECT_TIMEOUT_S = 10.0
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")


def build_http_agent(spec: AgentSpec, root: Path) -> Agent:  # noqa: ARG001
    """Build an agent for an http or https URL. The option ``headers`` may refer to ``${VARIABLES}``.

    Raises AgentSetupError for a URL, header or variable that cannot be used. Nothing is sent yet.
    """
    _check_url(spec.target)
    unknown = sorted(spec.options.keys() - {"headers"})
    if unknown:
        raise AgentSetupError(
            f"the http agent {spec.name} has an unknown option {unknown[0]!r}", hint="it takes headers only"
        )
    given = spec.options.get("headers", {})
    if not isinstance(given, dict):
        raise AgentSetupError(f"the headers of the agent {spec.name} are no mapping", hint="write them as name: value")
    headers = {name: _header(spec.name, name, value) for name, value in given.items()}
    return HttpAgent(spec.target, headers, secrets=_secrets(given.values(), headers.values()))


class HttpAgent:
    """An agent under test behind a URL. It keeps one pool of connections, in the event loop of its first turn."""

    def __init__(self, url: str, headers: dict[str, str], secrets: Iterable[str] = ()) -> None:
        self._url = url
        self._headers = headers
        self._secrets = sorted(secrets, key=len, reverse=True)
        self._client: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def session(self, tools: ToolHost | None = None, model: ModelHost | None = None) -> AsyncIterator[Session]:
        """Open a conversation: a fresh session id, and nothing else."""
        refuse_model(model, f"the agent at {self._place}")
        yield HttpSession(self, tools)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def post(self, request: dict[str, Any]) -> object:
        """Send one request and parse its answer.

        Raises AgentOutage when there is none (no connection, 408, 429, 5xx), TrialError for any other status,
        MalformedReply for an answer that cannot be read.
        """
        import httpx

        try:
            async with self._connection().stream("POST", self._url, content=encode(request)) as response:
                body = await _read(response)
                if not response.is_success:
                    raise self._status_error(response, body)
                return decode(body)
        except httpx.TransportError as error:
            raise AgentOutage(
                f"no answer from {self._place}: {type(error).__name__} {self._masked(str(error))}".rstrip(),
                hint="check that the agent is running and reachable, then run again",
            ) from error
        except httpx.DecodingError as error:
            raise MalformedReply(
                f"the answer of {self._place} is not encoded as its headers say", hint="check Content-Encoding"
            ) from error

    def _connection(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx

            # The caller limits time and the number of turns at once; only a host that does not answer is ours.
            self._client = httpx.AsyncClient(
                headers={"content-type": "application/json", "accept": "application/json", **self._headers},
                timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
            )
        return self._client

    def _status_error(self, response: httpx.Response, body: bytearray) -> TrialError:
        said = self._masked(body[:1000].decode(errors="replace"))
        message = f"{self._place} answered status {response.status_code}: {quote(said, 300)}"
        if response.status_code in (408, 429) or response.status_code >= 500:
            wait = _retry_after(response.headers.get("retry-after"))
            hint = "look into the agent's own log, then run again"
            return AgentOutage(message, hint=hint, retry_after_s=wait)
        return TrialError(message, hint="check the URL, its headers and the agent's own log")

    @property
    def _place(self) -> str:
        # User, password and query may be secrets.
        parts = urlsplit(self._url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}"

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return shorten(mark_controls(text), 300)


class HttpSession:
    """A conversation with an agent behind a URL."""

    def __init__(self, agent: HttpAgent, tools: ToolHost | None) -> None:
        self._agent = agent
        self._tools = tools
        self._id = uuid.uuid4().hex

    async def reply(self, messages: list[Message]) -> AgentReply:
        """Post the conversation so far, and answer tool calls until the reply comes."""
        return await converse(self._agent.post, self._id, messages, self._tools)


async def _read(response: httpx.Response) -> bytearray:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise too_long()
    return body


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isascii() or any(character <= " " for character in url):
        raise AgentSetupError(
            f"the http agent has no usable URL: {quote(url)}",
            hint="write it in full, such as http://127.0.0.1:8000/agent",
        )


def _header(agent: str, name: str, value: JsonValue) -> str:
    if not isinstance(value, str) or not _HEADER_NAME.fullmatch(name):
        raise AgentSetupError(
            f"the header {quote(name)} of the agent {agent} is not of the form name: text",
            hint="header names have no spaces, and values are texts: put numbers in quotes",
        )

    def variable(match: re.Match[str]) -> str:
        if not (found := os.environ.get(match[1])):
            raise AgentSetupError(
                f"the environment variable {match[1]} is not set, which the header {name} of the agent {agent} needs",
                hint=f"export {match[1]}=… before the run, or set it in the deployment's environment",
            )
        return found

    filled = _REFERENCE.sub(variable, value)
    if not _HEADER_VALUE.fullmatch(filled):
        raise AgentSetupError(
            f"the header {name} of the agent {agent} holds a line break or a character that no header may have",
            hint="look for a line break at the end of the environment variable",
        )
    return filled


def _secrets(written: Iterable[JsonValue], filled: Iterable[str]) -> set[str]:
    """Collect what no message may show: the header values, and the variables in them, which a server may echo alone."""
    names = {name for value in written for name in _REFERENCE.findall(str(value))}
    return {text for text in (*filled, *(os.environ.get(name, "") for name in names)) if text}


def _retry_after(value: str | None) -> float | None:
    """Read a Retry-After header, in seconds or as a date (RFC 9110, section 10.2.3)."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
