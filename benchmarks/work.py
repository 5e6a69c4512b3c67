"""The work that is measured: transcripts, an agent, and a project around them."""

from __future__ import annotations

import json
from pathlib import Path

AGENT = '''"""Answers by the prompt alone; every tenth case lacks a word, every tenth has a wrong argument."""

import asyncio
import os
import re

DELAY_S = float(os.environ.get("AGENT_DELAY_MS", "0")) / 1000
PROMPT = re.compile(r"\\[(\\d+)\\] A table for (\\d+) at (\\d+):00")
FILLER = "The table is kept for fifteen minutes. " * 8


def answer(prompt):
    number, guests, hour = map(int, PROMPT.search(prompt).groups())
    verb = "No table" if number % 10 == 3 else "Booked: table"
    reply = f"{verb} T-{number:05d} for {guests} at {hour}:00. {FILLER}"
    return reply, [{"name": "book", "args": {"table": f"T-{number:05d}", "hour": hour + (number % 10 == 7)}}]


async def agent(messages):
    if DELAY_S:
        await asyncio.sleep(DELAY_S)
    return answer(messages[-1]["content"])
'''


SETTINGS = """[tool.proctor]
concurrency = 50
agent = "bench_agent:agent"

[tool.agent_eval]
yaml_dirs = ["evals"]
"""


def make_work(root: Path, cases: int = 1_000, runs: int = 3) -> None:
    """Write the project into ``root``: ``evals/`` with one transcript a case, the agent, and pyproject.toml."""
    folder = root / "evals"
    folder.mkdir(parents=True)
    (root / "bench_agent.py").write_text(AGENT)
    (root / "pyproject.toml").write_text(SETTINGS)
    for number in range(cases):
        (folder / f"case-{number:05d}.yaml").write_text(transcript(number, runs))


def transcript(number: int, runs: int) -> str:
    """One case."""
    hour, guests = 8 + number % 12, 1 + number % 8
    prompt = f"[{number:05d}] A table for {guests} at {hour}:00, please."
    return (
        f"id: case-{number:05d}\nthreshold: 1.0\nruns: {runs}\nturns:\n  - user: {json.dumps(prompt)}\n    expect:\n"
        f'      reply_contains_all: ["booked: table T-{number:05d}"]\n      tool_calls_include: [book]\n'
        f'      tool_calls_args:\n        - {{tool: book, args: {{table: "T-{number:05d}", hour: {hour}}}}}\n'
    )
