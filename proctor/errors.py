"""Every exception that Proctor raises on purpose, and the problems that a spec file can have.

ProctorError
├── UsageError              a flag, name or setting that cannot be used          exit 2
│   └── TargetError         what an import string names cannot be imported
├── SpecError               one or more problems in spec files                   exit 2
├── CouldNotEvaluate        the run cannot reach a verdict                       exit 3
│   ├── AgentSetupError     the agent under test cannot be built or reached
│   ├── JudgeSetupError     a judge cannot be built: unknown model, missing key
│   ├── SourceChanged       a spec file changed between validation and scoring
│   ├── StoreError          the store cannot be opened, read or written
│   └── EngineError         the Prefect server cannot be started or reached
└── TrialError              one trial could not be run; the others go on
    ├── TrialTimeout        a turn or a trial took longer than its limit
    ├── MalformedReply      the agent answered something outside its contract
    ├── AgentUnavailable    the agent could not be reached (an outage, not a failure)
    ├── AgentRefused        a content filter stopped the agent: a result, not an error
    └── TrialStopped        a replay has left its recording for good: it is judged by what was done

The module has no imports of its own package, so everything else may import it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class ProctorError(Exception):
    """The base of all errors here: a sentence for the user, and the next step."""

    exit_code = 3

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class UsageError(ProctorError):
    """A flag, a name or a setting that cannot be used."""

    exit_code = 2


class TargetError(UsageError):
    """What an import string names cannot be imported. Who wanted it says what it was for."""


class CouldNotEvaluate(ProctorError):
    """The run cannot reach a verdict: neither passed nor failed."""


class AgentSetupError(CouldNotEvaluate):
    """The agent under test cannot be imported, built or reached before the first trial."""


class JudgeSetupError(CouldNotEvaluate):
    """A judge cannot be built: an unknown model, a missing key, a missing extra."""


class SourceChanged(CouldNotEvaluate):
    """A spec file changed between validation and the stage that reads it."""


class StoreError(CouldNotEvaluate):
    """The store cannot be opened, read or written."""


class EngineError(CouldNotEvaluate):
    """The Prefect server cannot be started or reached."""


class TrialError(ProctorError):
    """One trial could not be run. The other trials go on."""

    kind = "exception"


class TrialTimeout(TrialError):
    """A turn or a whole trial took longer than its limit."""

    kind = "timeout"


class MalformedReply(TrialError):
    """The agent answered something outside its contract."""

    kind = "malformed_reply"


class AgentUnavailable(TrialError):
    """The agent could not be reached: an outage, not a failure of the agent."""

    kind = "unavailable"


class AgentRefused(TrialError):
    """A content filter stopped the agent. This is a result (refused), not an error."""

    kind = "refused"


class TrialStopped(TrialError):
    """A replay cannot go on: its recording has no answer left, or it runs away. What was done so far is judged."""


class Severity(StrEnum):
    """How much a problem weighs: an error stops the run, a warning is shown."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One located problem of one spec file.

    ``line`` and ``column`` count from 1 as editors do; 0 means that the file as a whole is meant.
    ``pointer`` is the place inside the document (``turns[1].expect.judge``), ``""`` for its root.
    ``code`` is stable: tools may match on it.
    """

    path: Path
    code: str
    message: str
    line: int = 0
    column: int = 0
    pointer: str = ""
    hint: str | None = None
    severity: Severity = Severity.ERROR

    @property
    def place(self) -> str:
        """``file:line:column``, as terminals and editors make it clickable."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else str(self.path)

    def __str__(self) -> str:
        where = f"{self.pointer}: " if self.pointer else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.place}: {self.severity} [{self.code}] {where}{self.message}{hint}"


class SpecError(ProctorError):
    """One or more problems in spec files. All of them are carried, sorted by place."""

    exit_code = 2

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda p: (str(p.path), p.line, p.column)))
        super().__init__("\n".join(str(problem) for problem in self.problems))
