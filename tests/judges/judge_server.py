"""A server on the loopback that speaks just enough of OpenAI's chat completions to be a judge."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ENVELOPE = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-4o"}


@dataclass
class Answer:
    """One HTTP answer; ``body`` is sent as JSON unless it is a text."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def completion(message: Mapping[str, Any], finish_reason: str = "stop") -> Answer:
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **message}}
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 30},
    }
    return Answer({**ENVELOPE, "choices": [choice], "usage": usage})


def grade(arguments: str, finish_reason: str = "tool_calls") -> Answer:
    call = {"id": "t", "type": "function", "function": {"name": "grade", "arguments": arguments}}
    return completion({"content": None, "tool_calls": [call]}, finish_reason)


def error(status: int, message: str, code: str | None = None, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer({"error": {"message": message, "type": "x", "code": code}}, status, headers or {})


GOOD = grade(json.dumps({"reasoning": "names locker 9", "passed": True}))


@dataclass
class JudgeServer:
    """The answers in order, the last one repeating, and the requests that came in, with their headers."""

    url: str
    answers: list[Answer]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def next_answer(self, request: dict[str, Any]) -> Answer:
        self.requests.append(request)
        self.times.append(time.monotonic())
        return self.answers[min(len(self.requests), len(self.answers)) - 1]


@contextmanager
def judge_server(*answers: Answer) -> Iterator[JudgeServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = server.next_answer(request)
            body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            self.send_response(answer.status)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(body.encode())), **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = JudgeServer(f"http://127.0.0.1:{http.server_port}/v1", list(answers))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
