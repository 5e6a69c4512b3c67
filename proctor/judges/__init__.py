"""LLM judges.

* `JudgePool` asks: it turns a `JudgeRequest` into a `Verdict`, and a judge's fault into no verdict, never into a fail.
* `verdict_key` names everything that a verdict depends on; verdicts are kept under it.
* `proctor.judges.scripted` has a scripted judge for tests without a network.
"""

from __future__ import annotations

from proctor.judges.keys import verdict_key
from proctor.judges.pool import DEFAULT_MODEL, JudgePool
from proctor.plan import SELF_TEST

__all__ = ["DEFAULT_MODEL", "SELF_TEST", "JudgePool", "verdict_key"]
