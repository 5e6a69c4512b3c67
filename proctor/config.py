"""The project's settings: defaults < ``[tool.proctor]`` in pyproject.toml < environment (``PROCTOR_*``) < flags.

The models here are also the blocks of a suite file (`proctor.formats.suite`), so that a key means the same in both.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from proctor.dataset import RECORDED
from proctor.errors import Problem, SpecError, UsageError
from proctor.excerpt import shorten
from proctor.known_keys import nearest_key
from proctor.plan import RECORDING
from proctor.real_path import real_path

_Model = TypeVar("_Model", bound=BaseModel)
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
_ADDRESS = re.compile(r"^https?://.")
_VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def _refuse_taken(name: str) -> str:
    if name in (RECORDED, RECORDING):
        raise PydanticCustomError("bad_value", "that name is taken: what is recorded is filed under it")
    return name


AgentName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64), AfterValidator(_refuse_taken)]


def refuse_null(value: Any) -> Any:
    """A key that is present must have a value: a forgotten one would be taken for the default without a word."""
    if value is None:
        raise PydanticCustomError("wrong_type", "must not be null: leave the key out instead")
    return value


def _refuse_nul(path: str) -> str:
    if "\0" in path:
        raise PydanticCustomError("bad_value", "must not hold a NUL character: no path can")
    return path


class Block(BaseModel):
    """A block of settings: unknown keys and nulls are refused, values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)
    _present = field_validator("*", mode="before")(refuse_null)


class AgentBlock(Block):
    """An agent under test: exactly one of ``python``, ``http`` and ``command``."""

    python: str | None = Field(default=None, description="An import string, pkg.module:object.")
    http: str | None = Field(default=None, description="The URL that takes a turn as JSON.")
    command: str | None = Field(default=None, description="A command that speaks JSON lines.")
    arguments: dict[str, Any] = Field(default={}, alias="with", description="Keyword arguments of a python factory.")
    args: list[str] = Field(default=[], description="More arguments of the command.")
    headers: dict[str, str] = Field(default={}, description="HTTP headers; ${NAME} is an environment variable.")
    version: str | None = Field(default=None, description="Replaces the fingerprint of the project's files.")
    inputs: list[str] = Field(default=[], description="Globs of the files that the agent depends on.")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(value is not None for value in (self.python, self.http, self.command)) != 1:
            raise PydanticCustomError("bad_value", "an agent needs exactly one of 'python', 'http' and 'command'")
        for key, value, kind in (
            ("with", self.arguments, "python"),
            ("headers", self.headers, "http"),
            ("args", self.args, "command"),
        ):
            if value and getattr(self, kind) is None:
                raise PydanticCustomError("bad_value", "'{key}' belongs to a {kind} agent", {"key": key, "kind": kind})
        return self


def agent_block(text: str) -> AgentBlock | None:
    """The agent that a URL or an import string declares; None for a name."""
    if text.startswith(("http://", "https://")):
        return AgentBlock(http=text)
    return AgentBlock(python=text) if ":" in text else None


class JudgeBlock(Block):
    """How judges are asked."""

    model: str | None = Field(default=None, description="A model string such as openai:gpt-4o, or self-test.")
    panel: list[Annotated[str, Field(min_length=1)]] | None = Field(
        default=None,
        description="2 to 9 model strings that are all asked, in place of one model.",
        json_schema_extra={"minItems": 2, "maxItems": 9},
    )
    base_url: str | None = Field(
        default=None,
        description="The address of a server with OpenAI's chat completions, for the openai-chat: models.",
        json_schema_extra={"pattern": _ADDRESS.pattern},
    )
    api_key_env: str | None = Field(
        default=None,
        description="The environment variable with the key for the openai-chat: models.",
        json_schema_extra={"pattern": _VARIABLE.pattern},
    )
    max_tokens: int | None = Field(default=None, ge=16, le=100_000, description="Tokens of one answer, at most.")
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = Field(
        default=None, description="The temperature of judge models that take one."
    )
    retries: int | None = Field(default=None, ge=0, le=20, description="More tries after the first.")
    timeout: Seconds | None = Field(default=None, description="Seconds for each try.")
    backoff: Annotated[float, Field(ge=0, le=600)] | None = Field(
        default=None, description="Seconds before the first retry."
    )
    ask: Literal["always", "undecided"] | None = Field(
        default=None, description="undecided: leave out trials that a rule has already failed."
    )

    @property
    def named(self) -> tuple[str, ...]:
        """The models that the block names."""
        return tuple(self.panel or ()) or ((self.model,) if self.model else ())

    @model_validator(mode="after")
    def _one_judge(self) -> Self:
        if self.model and self.panel is not None:
            raise PydanticCustomError("bad_value", "name a 'model' or a 'panel', not both")
        if self.panel is not None and not 2 <= len(self.panel) <= 9:
            raise PydanticCustomError("bad_value", "'panel' needs 2 to 9 models; a single judge is a 'model'")
        return self

    @model_validator(mode="after")
    def _own_server(self) -> Self:
        # Errors of the whole block do not repeat its values: a key may stand where its variable belongs.
        if self.base_url is not None and not _ADDRESS.match(self.base_url):
            raise PydanticCustomError("bad_value", "'base_url' must begin with http:// or https://")
        if self.api_key_env is not None and not _VARIABLE.match(self.api_key_env):
            raise PydanticCustomError("bad_value", "'api_key_env' is the name of an environment variable, not a key")
        if (self.base_url or self.api_key_env) and not any(name.startswith("openai-chat:") for name in self.named):
            raise PydanticCustomError(
                "bad_value", "'base_url' and 'api_key_env' need a model openai-chat:NAME beside them"
            )
        return self


class GateBlock(Block):
    """A quality gate over the cases with one of its tags or markers."""

    threshold: Share = Field(default=1.0, description="The share of member cases that must pass.")
    tags: list[str] = Field(default=[], description="Cases with one of these tags are members.")
    pytest_markers: list[str] = Field(default=[], description="Cases with one of these markers are members.")
    must_pass: list[str] = Field(default=[], description="Ids of cases that must pass, members or not.")


class TimeLimits(Block):
    """Seconds that a turn and a whole trial may take."""

    turn: Seconds | None = Field(default=None, description="Seconds for one answer of the agent.")
    trial: Seconds | None = Field(default=None, description="Seconds for one trial.")


class AllowBlock(Block):
    """Shares of trials that may have no result before the run could not be evaluated."""

    errored: Share = Field(default=0.0, description="The share that may be errored.")
    unscored: Share = Field(default=0.0, description="The share that may be unscored.")


class ReportBlock(Block):
    """Which reports are written, and where."""

    formats: list[Literal["html", "markdown", "junit", "json", "scorecard", "agent-card"]] | None = Field(
        default=None, min_length=1
    )
    dir: Annotated[str, AfterValidator(_refuse_nul)] | None = Field(
        default=None, description="A folder; each run gets its own below it."
    )


def text_as(key: str, block: type[Block]) -> BeforeValidator:
    """Let a text stand for a block with that one key, also in the JSON Schema, with what is asked of that key."""
    text = Annotated[(str, Field(), *block.model_fields[key].metadata)]
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, str) else value, json_schema_input_type=text | block
    )


Agent = Annotated[AgentBlock, text_as("python", AgentBlock)]
Agents = Annotated[dict[AgentName, Agent], Field(min_length=1)]
Judge = Annotated[JudgeBlock, text_as("model", JudgeBlock)]
Concurrency = Annotated[int, Field(ge=1, le=1000)]
Runs = Annotated[int, Field(ge=1, le=10_000)]


class ProjectSettings(Block):
    """``[tool.proctor]``."""

    specs: list[str] = Field(default=["evals", "specs"], description="Folders that hold specs.")
    store: str | None = Field(default=None, description="URL of the store; SQLite in .proctor/ by default.")
    engine: Literal["prefect", "inline"] | None = Field(default=None, description="inline runs without Prefect.")
    agent: Agent | None = Field(default=None, description="For specs that name none.")
    judge: Judge | None = Field(default=None, description="How judges are asked.")
    runs: Runs | None = Field(default=None, description="Trials of cases that are silent about it.")
    threshold: Share | None = Field(default=None, description="Threshold of cases that are silent about it.")
    concurrency: Concurrency | None = Field(default=None, description="Trials at once.")
    timeouts: TimeLimits = Field(default=TimeLimits())
    environment: list[str] = Field(default=[], description="Variables that agents depend on.")
    report: ReportBlock = Field(default=ReportBlock())
    compat: Literal["strict", "upstream"] | None = Field(
        default=None, description="upstream: as the format's own tool."
    )


class AgentEvalSettings(BaseModel):
    """``[tool.agent_eval]`` of pytest-agent-eval, checked, where the original takes any value.

    ``live`` and ``report_path`` are known and have no meaning here: a run is always live, reports have their own place.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    model: str | None = None
    judge_model: str | None = None
    threshold: Share | None = None
    runs: Annotated[int, Field(ge=1)] | None = None
    retries: Annotated[int, Field(ge=0)] | None = None
    timeout: Seconds | None = None
    yaml_dirs: list[str] = ["tests/evals"]
    live: bool = False
    report_path: str | None = None
    groups: dict[str, GateBlock] = {}


ENVIRONMENT: Final[Mapping[str, str]] = {
    "PROCTOR_STORE": "store",
    "PROCTOR_ENGINE": "engine",
    "PROCTOR_AGENT": "agent",
    "PROCTOR_JUDGE": "judge",
}
"""Environment variables, and the setting that each one replaces."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its root, its settings, and those it has for pytest-agent-eval."""

    root: Path
    settings: ProjectSettings
    agent_eval: AgentEvalSettings = field(default_factory=AgentEvalSettings)

    @property
    def spec_folders(self) -> list[Path]:
        """The folders that hold specs, those of them that are there."""
        return [folder for name in self.settings.specs if (folder := self.root / name).is_dir()]


def find_root(start: Path) -> Path:
    """The nearest parent (or ``start`` itself) with ``[tool.proctor]``, ``[tool.agent_eval]`` or a prefect.yaml.

    Without one: the nearest parent with a pyproject.toml or .git, else ``start``.

    Raises:
        UsageError: the system refuses to look at ``start``.
    """
    try:
        start = real_path(start if start.is_dir() else start.parent)
    except OSError as error:
        raise UsageError(f"{shorten(str(start))} cannot be looked at: {error.strerror or error}") from error
    folders = (start, *start.parents)
    for folder in folders:
        tools = _tools(folder / "pyproject.toml", quiet=True)
        if "proctor" in tools or "agent_eval" in tools or (folder / "prefect.yaml").is_file():
            return folder
    return next((f for f in folders if (f / "pyproject.toml").is_file() or (f / ".git").exists()), start)


def load_project(start: Path, environment: Mapping[str, str] | None = None) -> Project:
    """Read the project that ``start`` lies in.

    Raises:
        SpecError: pyproject.toml cannot be read, or a setting is unknown or wrong; all problems at once.
        UsageError: an environment variable has a value that its setting cannot have.
    """
    root = find_root(start)
    path = root / "pyproject.toml"
    tools = _tools(path)
    own = {**_table(path, tools, "proctor"), **_from_environment(os.environ if environment is None else environment)}
    problems: list[Problem] = []
    settings = _validated(path, "tool.proctor", ProjectSettings, own, problems)
    foreign = _table(path, tools, "agent_eval")
    if settings and settings.compat == "upstream":
        foreign = {key: value for key, value in foreign.items() if key in AgentEvalSettings.model_fields}
    agent_eval = _validated(path, "tool.agent_eval", AgentEvalSettings, foreign, problems)
    if settings is None or agent_eval is None:
        raise SpecError(problems)
    return Project(root, settings, agent_eval)


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found = {name: environment[name] for name in ENVIRONMENT if environment.get(name)}
    for name, value in found.items():
        try:
            ProjectSettings.model_validate({ENVIRONMENT[name]: value})
        except ValidationError as error:
            message = error.errors()[0]["msg"].replace("Input", "the value")
            raise UsageError(f"the environment variable {name} cannot be used: {message}, got {value!r}") from error
    return {ENVIRONMENT[name]: value for name, value in found.items()}


def _tools(path: Path, *, quiet: bool = False) -> Mapping[str, Any]:
    """The ``[tool]`` table; empty without a file, and with ``quiet`` also for a file that cannot be read."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise OSError("it is no regular file")
        found = tomllib.loads(path.read_text(encoding="utf-8-sig")).get("tool", {})
        return found if isinstance(found, dict) else {}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, RecursionError, OSError) as error:  # tomllib lets those of its numbers and depth through
        if quiet:
            return {}
        raise SpecError([Problem(path, "toml_syntax", f"cannot be read: {error}")]) from error


def _table(path: Path, tools: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = tools.get(name, {})
    if not isinstance(table, dict):
        raise SpecError([Problem(path, "wrong_type", f"[tool.{name}] must be a table", pointer=f"tool.{name}")])
    return table


def _validated(
    path: Path, prefix: str, model: type[_Model], data: dict[str, Any], problems: list[Problem]
) -> _Model | None:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems += [_problem(path, prefix, model, detail) for detail in error.errors(include_url=False)]
        return None


def _problem(path: Path, prefix: str, model: type[BaseModel], detail: ErrorDetails) -> Problem:
    keys = [str(step) for step in detail["loc"]]
    message, hint = detail["msg"], None
    code = "bad_setting"
    if detail["type"] == "extra_forbidden":
        code, message, hint = "unknown_setting", f"unknown setting {keys[-1]!r}", nearest_key(model, keys)
    elif not isinstance(detail["input"], dict):
        message = f"{message.replace('Input', 'the value')}, got {detail['input']!r}"
    return Problem(path, code, message, _line_of(path, keys[-1]), 1 if keys else 0, ".".join([prefix, *keys]), hint)


def _line_of(path: Path, key: str) -> int:
    """The first line that sets ``key`` or opens its table; TOML parsers give no places."""
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines() if path.is_file() else (), 1):
        text = line.strip()
        if text.startswith((f"{key} ", f"{key}=", f'"{key}"')) or text.rstrip("]").endswith(f".{key}"):
            return number
    return 0
