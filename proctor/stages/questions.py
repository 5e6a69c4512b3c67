"""Questions that wait for a judge, by the trial that waits."""

from __future__ import annotations

from typing import TypeAlias

from proctor.plan import JudgeRequest
from proctor.results import CheckResult
from proctor.store import PendingCheck, PendingTrial

Question: TypeAlias = tuple[PendingCheck, JudgeRequest | CheckResult]
"""A check that waits, and what it asks now; a result if a check of the user's has changed its mind."""

Questions: TypeAlias = dict[PendingTrial, list[Question]]
"""The open questions of some trials."""
