"""What a spec compiles to: Plan, Source, Case, Turn, Check, Gate.

A plan is plain data. It holds sources and light outlines; the cases themselves, with their checks, are read from
the sources when a stage needs them (`proctor.formats`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from proctor.brainbench_plan import BrainBenchSettings
from proctor.dataset import DatasetSettings, Span
from proctor.errors import Problem
from proctor.replay_plan import Replay, ReplaySettings
from proctor.results import CheckResult, TrialRef
from proctor.trajectory import JsonValue, ToolCall, Trajectory

SELF_TEST: Final = "self-test"
"""The model string of the judge that is a rule and no model (`proctor.judges.self_test`)."""


CAPTURE: Final = "capture"
"""The purpose of a run that records an agent's answers and evaluates nothing."""

REPORT_FORMATS: Final = ("html", "markdown", "junit", "json")
"""The reports that a run writes where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One titled text that a judge is shown. The text is data: the prompt fences it."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class CriterionSpec:
    """One criterion of a rubric that a judge scores by itself. ``weight`` is its part in the overall score."""

    id: str
    text: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """A question for a judge: a rubric, and the evidence to grade.

    ``subject`` names the prompt and with it the kind of answer (`proctor.judges.prompts`); ``model`` is the check's own
    wish and may be empty. An answer of yes or no, or a label, passes when it is ``expects``; a score when it is at
    least ``passing_score``, which such a subject needs.

    Where a judge scores ``criteria``, the score is their weighted mean. ``full_coverage``: each criterion has to have
    exactly one score; without it, the mean is over the scores that come back.
    """

    subject: str
    rubric: str
    evidence: tuple[Evidence, ...]
    model: str | None = None
    expects: bool | str = True
    passing_score: float | None = None
    criteria: tuple[CriterionSpec, ...] = ()
    full_coverage: bool = True


@dataclass(frozen=True, slots=True)
class CheckContext:
    """All that a check may look at. ``turn`` is None for a check on the whole trial."""

    case: Case
    trajectory: Trajectory
    turn: int | None = None

    @property
    def reply(self) -> str | None:
        """The reply of the turn; of the last turn for a check on the whole trial."""
        return self.trajectory.turns[-1 if self.turn is None else self.turn].reply

    @property
    def user(self) -> str:
        """The user's message of the turn; of the last turn for a check on the whole trial."""
        return self.trajectory.turns[-1 if self.turn is None else self.turn].user

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls made for this turn; all calls in order for a check on the whole trial."""
        if self.turn is not None:
            return self.trajectory.turns[self.turn].tool_calls
        return tuple(call for turn in self.trajectory.turns for call in turn.tool_calls)

    @property
    def history(self) -> tuple[tuple[str, str | None], ...]:
        """(role, text) pairs up to and including the turn's user message."""
        last = len(self.trajectory.turns) - 1 if self.turn is None else self.turn
        pairs: list[tuple[str, str | None]] = []
        for turn in self.trajectory.turns[:last]:
            pairs += [("user", turn.user), ("assistant", turn.reply)]
        return (*pairs, ("user", self.trajectory.turns[last].user))


@runtime_checkable
class Check(Protocol):
    """A check: a small value with a name and one method.

    ``evaluate`` gives a result, or a question for a judge. It is pure: no network, no clock, no files.
    """

    @property
    def name(self) -> str:
        """The name that reports show, unique inside its turn."""
        ...

    def evaluate(self, context: CheckContext) -> CheckResult | JudgeRequest:
        """Check the trial, or say what a judge has to be asked."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message, byte for byte as the author wrote it, and what is checked of the answer.

    ``audio`` is a path next to the spec file, neither resolved nor looked for.
    """

    user: str
    audio: str | None = None
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The part of a case that planning, selection and gates need, without its turns and checks.

    ``key`` is unique inside the plan and is the id that its author gave, unless a suite allows repeated ids.
    ``runs`` is the number of trials, ``threshold`` the share of them that must pass. ``index`` is the position inside
    the source, ``line`` where the case starts (from 1). ``judges`` has an entry for each check that may ask a judge:
    the model that the check names, or an empty text. ``recorded``: the file holds a trial of the case, see
    `Case.recorded`, and this is its place. Several files may hold trials of one case, by several agents: their outlines
    have keys of their own, and share the case that their places name.
    """

    key: str
    id: str
    runs: int
    threshold: float
    index: int = 0
    line: int = 1
    tags: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    turns: int = 1
    judges: tuple[str, ...] = ()
    recorded: TrialRef | None = None


RECORDING: Final = "recording"
"""The agent name of trials that are recorded with their cases: nobody is called."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A trial that a file holds along with its case.

    ``trajectory`` is what every stage and report takes. ``trace`` is the same trial in the terms of the file's format,
    for that format's own checks: it may say more than a trajectory can, such as which message made which call.
    """

    trajectory: Trajectory
    trace: object


@dataclass(frozen=True, slots=True)
class Case:
    """One case: its outline, its turns, the checks on the whole trial, and a trial that is recorded with it.

    ``replay``: an agent plays the case again from its recording.
    """

    outline: Outline
    turns: tuple[Turn, ...]
    checks: tuple[Check, ...] = ()
    recorded: Recorded | None = None
    replay: Replay | None = None

    @property
    def key(self) -> str:
        """The key of the outline: unique inside the plan."""
        return self.outline.key


@dataclass(frozen=True, slots=True)
class Source:
    """One spec file: what it is, where it is, and its SHA-256. ``name`` is its path below the project root.

    A file has cases for an agent to play, or rows that are recorded already: those stay in the file, in ``spans``.
    ``asking`` counts the rows about which a judge may be asked.
    """

    format: str
    path: Path
    name: str
    digest: str
    cases: tuple[Outline, ...] = ()
    spans: tuple[Span, ...] = ()
    asking: int = 0

    @property
    def rows(self) -> int:
        """The number of recorded rows."""
        return sum(span.rows for span in self.spans)


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """A declared agent under test.

    ``kind`` is one of `proctor.agents.KINDS`; ``target`` its import string, URL or command; ``options`` what that
    kind takes besides. ``version`` replaces the fingerprint of the project's files; ``inputs`` narrows them.
    """

    name: str
    kind: str
    target: str
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    version: str | None = None
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How judges are asked. ``model`` is used where a check names none; a ``panel`` of models in place of it.

    Each try is limited to ``timeout_s``; ``retries`` more are made, after ``backoff_s`` doubling seconds.
    ``ask`` is ``always``, or ``undecided`` to leave out trials that a rule has already failed. Models of the kind
    ``openai-chat:NAME`` are asked at ``base_url``, with the key in the environment variable ``api_key_env``.
    ``max_tokens`` and ``temperature`` of each answer have defaults of their own.
    """

    model: str | None = None
    panel: tuple[str, ...] = ()
    retries: int = 2
    timeout_s: float = 30.0
    backoff_s: float = 1.0
    ask: str = "always"
    base_url: str | None = None
    api_key_env: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """A quality gate: the share of its member cases that must pass, and cases that must pass in any event.

    Members are the cases with one of ``tags`` or one of ``markers``. ``must_pass`` looks at every case, by id.
    """

    name: str
    threshold: float = 1.0
    tags: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    must_pass: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Trials at once, and seconds that a turn and a whole trial may take."""

    concurrency: int = 10
    turn_timeout_s: float = 120.0
    trial_timeout_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Allowance:
    """The shares of trials that may be errored and unscored before the run could not be evaluated."""

    errored: float = 0.0
    unscored: float = 0.0


@dataclass(frozen=True, slots=True)
class OwnCheck:
    """A check class of the user's, ``pkg.mod:Class``, with the arguments to build it."""

    target: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a run needs to know.

    ``selection`` says in words which part of the spec is run; None means all of it. ``upstream`` reproduces the
    format's own tool where Proctor is stricter on purpose. ``environment`` names the variables that are part of the
    agents' fingerprints. ``dataset`` holds the settings for recorded rows, where there are files of them. ``baseline``
    names the run to compare with; the last accepted one by default. ``replay`` says what is done with traces that
    are recorded, where there are some, ``brainbench`` how transcripts of that benchmark are scored.
    """

    slug: str
    name: str
    path: Path
    root: Path
    sources: tuple[Source, ...]
    agents: tuple[AgentSpec, ...]
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    gates: tuple[Gate, ...] = ()
    limits: Limits = field(default_factory=Limits)
    allowance: Allowance = field(default_factory=Allowance)
    checks: tuple[OwnCheck, ...] = ()
    purpose: str = "release"
    upstream: bool = False
    selection: str | None = None
    environment: tuple[str, ...] = ()
    report_formats: tuple[str, ...] = REPORT_FORMATS
    report_dir: Path | None = None
    refresh: bool = False
    warnings: tuple[Problem, ...] = ()
    dataset: DatasetSettings | None = None
    baseline: str | None = None
    replay: ReplaySettings = field(default_factory=ReplaySettings)
    brainbench: BrainBenchSettings = field(default_factory=BrainBenchSettings)

    @property
    def cases(self) -> int:
        """The number of cases; a recorded row is one, and so are all recorded trials of one case."""
        cases = {outline.recorded.case if outline.recorded else outline.key for outline in self._outlines}
        return len(cases) + self.rows

    @property
    def live_trials(self) -> int:
        """The number of trials that agents play, over all agents."""
        return len(self.agents) * sum(outline.runs for outline in self._outlines if not outline.recorded)

    @property
    def recorded_trials(self) -> int:
        """The number of trials that are recorded with their cases."""
        return sum(outline.recorded is not None for outline in self._outlines)

    @property
    def has_live_cases(self) -> bool:
        """Whether there is a case for an agent to play."""
        return any(not outline.recorded for outline in self._outlines)

    @property
    def rows(self) -> int:
        """The number of recorded rows."""
        return sum(source.rows for source in self.sources)

    @property
    def asks_about_rows(self) -> bool:
        """Whether a judge may be asked about recorded rows."""
        return bool(self.rows) and self.dataset is not None and self.dataset.row.has_judge

    @property
    def trials(self) -> int:
        """The number of trials, played and recorded."""
        return self.live_trials + self.recorded_trials + self.rows

    @property
    def _outlines(self) -> Iterator[Outline]:
        return (outline for source in self.sources for outline in source.cases)
