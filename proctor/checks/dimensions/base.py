"""What a dimension is: it lints a row, says whether the row can be scored, and scores it.

Rows stay plain dicts, as JSON gives them: a data set may have 100,000. A dimension is handed rows that the row schema
accepts (`proctor.formats.assevra`), so it does not check types again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from proctor.dataset import Row, RowSettings
from proctor.plan import JudgeRequest
from proctor.results import Outcome

__all__ = ["Dimension", "Finding", "Row", "RowIssue", "RowResult"]


class Finding(NamedTuple):
    """One thing that a dimension found in a row.

    ``code`` is stable; ``subject`` says what it is about (a tool, an item, a kind of personal data) and may be text of
    the agent's; ``text`` is the sentence for a reader, safe to show.
    """

    code: str
    subject: str
    text: str

    @property
    def token(self) -> str:
        """``code:subject``, or the code alone."""
        return f"{self.code}:{self.subject}" if self.subject else self.code


class RowResult(NamedTuple):
    """What the rules say of a row: passed, failed, unscored (nothing could be verified) or skipped (no judge).

    ``measure`` is the cost in dollars or the latency in milliseconds.
    """

    outcome: Outcome
    findings: tuple[Finding, ...]
    measure: float | None = None

    @property
    def reason(self) -> str:
        """All findings in a sentence."""
        return "; ".join(finding.text for finding in self.findings)


class RowIssue(NamedTuple):
    """One thing that is wrong, or odd, with a row. ``pointer`` is the place inside the row."""

    code: str
    pointer: tuple[str | int, ...]
    message: str
    hint: str | None = None
    is_error: bool = True


class Dimension(Protocol):
    """One of the nine dimensions. To add one, write its module and name it in `DIMENSIONS`."""

    @property
    def name(self) -> str:
        """The name that rows carry."""
        ...

    @property
    def threshold(self) -> float:
        """The share of rows that must pass where nothing else is said."""
        ...

    @property
    def required(self) -> tuple[str, ...]:
        """The fields that a row must have, not null and not empty."""
        ...

    @property
    def answer_key(self) -> tuple[str, ...]:
        """The fields that hold the answer key, which only a person can confirm; none if nothing has to be known."""
        ...

    @property
    def is_judged(self) -> bool:
        """Whether a judge decides its rows, if there is one."""
        ...

    @property
    def needs_judge(self) -> bool:
        """Whether none of its rows can be decided without a judge."""
        ...

    def issues(self, row: Row, settings: RowSettings) -> Iterable[RowIssue]:
        """What is wrong or odd beyond the row schema and the required fields."""
        ...

    def is_labeled(self, row: Row, settings: RowSettings) -> bool:
        """Whether there is anything to verify the row against."""
        ...

    def score(self, row: Row, settings: RowSettings) -> RowResult | JudgeRequest:
        """Score a labelled row, or say what a judge has to be asked. Pure, and never raises for a valid row."""
        ...
