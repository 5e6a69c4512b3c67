"""Peers on the same work, in the same session, where they are installed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from measure import measure

_CONFTEST = """
import pytest
from bench_agent import answer
from pytest_agent_eval.models import ToolCall


@pytest.fixture
def llm_eval_agent():
    async def agent(history):
        reply, calls = answer(history[-1]["content"])
        return reply, [ToolCall(call["name"], call["args"]) for call in calls]

    return agent
"""

_PYDANTIC_EVALS = """
from pathlib import Path

import yaml
from bench_agent import agent
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator


class Checks(Evaluator):
    def evaluate(self, ctx):
        reply, calls = ctx.output
        expect = ctx.metadata
        wanted = expect["tool_calls_args"][0]["args"]
        return {
            "contains": all(text.lower() in reply.lower() for text in expect["reply_contains_all"]),
            "called": calls[0]["name"] in expect["tool_calls_include"],
            "arguments": all(calls[0]["args"].get(key) == value for key, value in wanted.items()),
        }


async def task(prompt):
    return await agent([{"content": prompt}])


files = [yaml.load(path.read_text(), yaml.CSafeLoader) for path in sorted(Path("evals").glob("*.yaml"))]
cases = [Case(name=f["id"], inputs=f["turns"][0]["user"], metadata=f["turns"][0]["expect"]) for f in files]
report = Dataset(name="bench", cases=cases, evaluators=[Checks()]).evaluate_sync(
    task, max_concurrency=50, progress=False, repeat=3
)
assert len(report.cases) == 3_000
"""


@dataclass(frozen=True)
class Peer:
    """A peer: its module, the file it needs, and its command."""

    name: str
    module: str
    file: str
    content: str
    command: tuple[str, ...]

    def measure(self, root: Path, times: int) -> str:
        """Write the file, run the command, and give the row."""
        path = root / self.file
        path.write_text(self.content)
        row = measure(self.command, root, times).row(f"{self.name}, the same 3,000 trials, instant")
        path.unlink()
        return row


_PYTEST = "-m pytest -q -p no:cacheprovider --agent-eval-live --agent-eval-report=r.md evals"

PEERS = (
    Peer("pytest-agent-eval", "pytest_agent_eval", "conftest.py", _CONFTEST, (sys.executable, *_PYTEST.split())),
    Peer("pydantic-evals", "pydantic_evals", "peer_evals.py", _PYDANTIC_EVALS, (sys.executable, "peer_evals.py")),
)
