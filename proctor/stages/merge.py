"""Settings merged: flags over the suite, the suite over ``[tool.proctor]``, that over ``[tool.agent_eval]``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from proctor.config import AgentBlock, GateBlock, JudgeBlock, Project
from proctor.errors import Problem, UsageError
from proctor.formats import Defaults, format_named, has_rows
from proctor.formats.suite import Suite
from proctor.overrides import Overrides
from proctor.plan import REPORT_FORMATS, AgentSpec, Allowance, Gate, JudgeSettings, Limits, OwnCheck, Plan, Source
from proctor.real_path import real_path
from proctor.stages.dataset_choice import DatasetChoice
from proctor.stages.target import Target, spec_slug
from proctor.trajectory import JsonValue

_Value = TypeVar("_Value")


def merge_defaults(suite: Suite, project: Project) -> Defaults:
    """What files get that are silent about runs and threshold."""
    fallback, settings, foreign = Defaults(), project.settings, project.agent_eval
    return Defaults(
        runs=_first(suite.runs, settings.runs, foreign.runs, default=fallback.runs),
        threshold=_first(suite.threshold, settings.threshold, foreign.threshold, default=fallback.threshold),
        upstream=_first(suite.compat, settings.compat, default="strict") == "upstream",
    )


def merge_plan(
    target: Target,
    project: Project,
    overrides: Overrides,
    agent: AgentBlock | None,
    sources: tuple[Source, ...],
    selection: str | None,
    warnings: tuple[Problem, ...],
    choice: DatasetChoice,
) -> Plan:
    """The plan of a spec whose files are read. ``choice`` is for its recorded rows, if it has files of them.

    Raises:
        UsageError: an override names an agent that is not declared.
    """
    suite, settings = target.suite, project.settings
    slug = spec_slug(target.path)
    has_data = any(has_rows(format_named(source.format)) for source in sources)
    return Plan(
        slug=slug,
        name=suite.name or slug,
        path=real_path(target.path),
        root=project.root,
        sources=sources,
        agents=declared_agents(suite, project, overrides, agent),
        judge=_with_choice(_judge(suite.judge, project, overrides), choice),
        gates=_gates(target, project),
        limits=merge_limits(suite, project),
        allowance=Allowance(suite.allow.errored, suite.allow.unscored),
        checks=tuple(OwnCheck(check.use, check.arguments) for check in suite.checks),
        purpose=choice.purpose if target.implicit and choice.purpose else suite.purpose,
        upstream=merge_defaults(suite, project).upstream,
        selection=selection,
        environment=tuple(sorted({*settings.environment, *suite.environment})),
        report_formats=tuple(
            _first(suite.report.formats, settings.report.formats, default=choice.report_formats or REPORT_FORMATS)
        ),
        report_dir=_report_dir(target, project),
        refresh=overrides.refresh,
        warnings=warnings,
        dataset=choice.settings if has_data else None,
        baseline=overrides.baseline,
    )


def _agent_spec(name: str, block: AgentBlock) -> AgentSpec:
    """An agent as the plan holds it."""
    targets = {"python": block.python, "http": block.http, "command": block.command}
    kind, target = next((kind, value) for kind, value in targets.items() if value is not None)
    options: dict[str, JsonValue] = {**block.arguments}
    if block.args:
        options["args"] = [*block.args]
    if block.headers:
        options["headers"] = {**block.headers}
    return AgentSpec(name, kind, target, options, block.version, tuple(block.inputs))


def gate_of(name: str, block: GateBlock) -> Gate:
    """A gate as the plan holds it."""
    return Gate(name, block.threshold, tuple(block.tags), tuple(block.pytest_markers), tuple(block.must_pass))


def _first(*values: _Value | None, default: _Value) -> _Value:
    return next((value for value in values if value is not None), default)


def declared_agents(
    suite: Suite | None, project: Project, overrides: Overrides, given: AgentBlock | None
) -> tuple[AgentSpec, ...]:
    """The agents to evaluate: the given one, those of the suite, or that of the project; the overridden one of them.

    Raises:
        UsageError: an override names an agent that is not declared.
    """
    if given is not None:
        return (_agent_spec("agent", given),)
    declared = dict((suite.agents if suite else None) or {})
    if not declared and project.settings.agent:
        declared = {"agent": project.settings.agent}
    if overrides.agent is not None:
        if overrides.agent not in declared:
            known = ", ".join(declared) or "none; name a suite that declares it, or write pkg.module:object or a URL"
            raise UsageError(f"no agent {overrides.agent!r} is declared", hint=f"declared: {known}")
        declared = {overrides.agent: declared[overrides.agent]}
    return tuple(_agent_spec(name, block) for name, block in declared.items())


def _judge(block: JudgeBlock | None, project: Project, overrides: Overrides) -> JudgeSettings:
    suite, own, foreign = block or JudgeBlock(), project.settings.judge or JudgeBlock(), project.agent_eval
    fallback = JudgeSettings()
    # The block that names the judge says where it is: no text goes to a server that was meant for another judge.
    named = next((found for found in (suite, own) if found.named), JudgeBlock())
    foreign_model = None if named.named else foreign.judge_model or foreign.model
    return JudgeSettings(
        model=overrides.judge or named.model or foreign_model or None,
        panel=() if overrides.judge else tuple(named.panel or ()),
        retries=_first(suite.retries, own.retries, foreign.retries, default=fallback.retries),
        timeout_s=_first(suite.timeout, own.timeout, foreign.timeout, default=fallback.timeout_s),
        backoff_s=_first(suite.backoff, own.backoff, default=fallback.backoff_s),
        ask=_first(suite.ask, own.ask, default=fallback.ask),
        base_url=named.base_url,
        api_key_env=named.api_key_env,
        max_tokens=_first(suite.max_tokens, own.max_tokens, default=fallback.max_tokens),
        temperature=_first(suite.temperature, own.temperature, default=fallback.temperature),
    )


def _with_choice(judge: JudgeSettings, choice: DatasetChoice) -> JudgeSettings:
    """The judge of the data set's own configuration, where neither flag nor suite nor project names one.

    It stands above ``[tool.agent_eval]``: rows must not go to a vendor that was named for something else.
    """
    own = choice.judge
    if own is None or choice.is_judge_named:
        return judge
    return replace(own, retries=judge.retries, timeout_s=judge.timeout_s, backoff_s=judge.backoff_s, ask=judge.ask)


def _gates(target: Target, project: Project) -> tuple[Gate, ...]:
    blocks = project.agent_eval.groups if target.implicit else target.suite.gates
    return tuple(gate_of(name, block) for name, block in blocks.items())


def merge_limits(suite: Suite, project: Project) -> Limits:
    """How many trials are played at once, and how long they may take."""
    fallback, settings = Limits(), project.settings
    return Limits(
        _first(suite.concurrency, settings.concurrency, default=fallback.concurrency),
        _first(suite.timeouts.turn, settings.timeouts.turn, default=fallback.turn_timeout_s),
        _first(suite.timeouts.trial, settings.timeouts.trial, default=fallback.trial_timeout_s),
    )


def _report_dir(target: Target, project: Project) -> Path | None:
    if target.suite.report.dir is not None:
        return target.base / target.suite.report.dir
    return project.root / project.settings.report.dir if project.settings.report.dir is not None else None
