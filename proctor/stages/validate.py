"""The first stage: a spec becomes a Plan, or one SpecError that lists every problem of every file.

1. The files of the spec are found (`proctor.stages.target`) and each is read; nothing stops at the first problem.
2. Ids must be unique, and so must the slugs of the suites below the spec folders.
3. Flags, suite and project settings are merged (`proctor.stages.merge`), and the selection is applied.

Nothing of the user's code is imported here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from proctor.config import AgentBlock, Project
from proctor.errors import Problem, Severity, SpecError, UsageError
from proctor.formats import Defaults, format_of
from proctor.formats.discovery import spec_files, suite_files
from proctor.overrides import Overrides
from proctor.plan import Case, Plan, Source
from proctor.real_path import real_path
from proctor.stages.merge import merge_defaults, merge_plan
from proctor.stages.selection import gates_of_selection, select
from proctor.stages.target import Target, find_target, shown, spec_slug
from proctor.stages.unmatched import unmatched_gates

MOST_TRIALS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Compiled:
    """A plan, and the cases that were read on the way to it, by key."""

    plan: Plan
    cases: dict[str, Case]


def compile_plan(
    path: Path | None,
    project: Project,
    overrides: Overrides | None = None,
    *,
    agent: AgentBlock | None = None,
    not_passed: Collection[str] | None = None,
) -> Compiled:
    """Compile a spec.

    ``path`` None means the folders of ``[tool.agent_eval] yaml_dirs``. ``agent`` replaces the declared agents.
    ``not_passed`` holds the case keys that ``overrides.failed`` selects.

    Raises:
        SpecError: with every problem of every file.
        UsageError: nothing is there, a flag names something that is not declared, or there are too many trials.
    """
    overrides = overrides or Overrides()
    target = find_target(path, project)
    everything, cases, problems = _read(target, project)
    if overrides.runs is not None:
        everything = tuple(_with_runs(source, overrides.runs) for source in everything)
    sources, selection = select(everything, overrides, not_passed)
    kept = {outline.key: outline for source in sources for outline in source.cases}
    plan = merge_plan(target, project, overrides, agent, sources, selection, tuple(problems))
    if selection is not None:
        plan = _of_selection(plan, everything)
    if plan.trials > MOST_TRIALS:
        raise UsageError(
            f"{plan.slug} has {plan.trials:,} trials; a run has at most {MOST_TRIALS:,}",
            hint="lower runs, or run a part with --select",
        )
    return Compiled(plan, {key: replace(cases[key], outline=outline) for key, outline in kept.items()})


def _of_selection(plan: Plan, everything: tuple[Source, ...]) -> Plan:
    """The plan with the gates that a partial run can be held to; the selection says which ones are left out."""
    gates, left_out = gates_of_selection(plan.gates, everything, plan.sources)
    without = f"; without gates that have no selected case: {', '.join(left_out)}" if left_out else ""
    return replace(plan, gates=gates, selection=f"{plan.selection}{without}")


def check_files(paths: Iterable[Path | None], project: Project) -> tuple[int, list[Problem]]:
    """Validate paths: the number of files looked at, and all their problems.

    A folder means its suites, and the spec files that none of them binds; None the project's own transcript folders.

    Raises:
        UsageError: a path does not exist or is no spec file.
    """
    files: set[Path] = set()
    problems: dict[Problem, None] = {}
    for target in _targets(paths, project, problems):
        files |= {real_path(file) for file in target.files} | ({real_path(target.path)} - {real_path(target.base)})
        try:
            problems |= dict.fromkeys(_read(target, project)[2])
        except SpecError as error:
            problems |= dict.fromkeys(error.problems)
    return len(files), list(problems)


def read_source(path: Path, root: Path, defaults: Defaults) -> tuple[Source, tuple[Case, ...], tuple[Problem, ...]]:
    """Read one file: the source (without outlines), its cases and its problems."""
    format_ = format_of(path)
    if format_ is None:
        raise UsageError(f"{path} is not a spec file")
    source = Source(format_.name, real_path(path), _name_below(path, root), "")
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise OSError("it is no regular file")
        data = path.read_bytes()
    except OSError as error:
        return source, (), (Problem(shown(path), "unreadable", f"cannot be read: {error.strerror or error}"),)
    loaded = format_.load(shown(path), data, defaults)
    return replace(source, digest=hashlib.sha256(data).hexdigest()), loaded.cases, loaded.problems


def _targets(paths: Iterable[Path | None], project: Project, problems: dict[Problem, None]) -> Iterable[Target]:
    """The targets to validate; a suite that cannot be read leaves its problems instead."""
    for path in paths:
        suites = suite_files(path) if path is not None and path.is_dir() else []
        bound: set[Path] = set()
        targets: list[Path | None] = [*suites] if suites else [path]
        for suite in targets:
            try:
                target = find_target(suite, project)
            except SpecError as error:
                problems |= dict.fromkeys(error.problems)
                continue
            bound |= {real_path(file) for file in target.files}
            yield target
        loose = [file for file in spec_files(path) if real_path(file) not in bound] if path and suites else []
        if path and loose:
            yield Target(path, loose)


def _read(target: Target, project: Project) -> tuple[tuple[Source, ...], dict[str, Case], list[Problem]]:
    """All sources and cases, and the warnings.

    Raises:
        SpecError: an error is among the problems; it carries the warnings too.
    """
    defaults = merge_defaults(target.suite, project)
    problems = [*target.problems, *_duplicate_slugs(target, project)]
    sources: list[Source] = []
    cases: dict[str, Case] = {}
    places: dict[str, Problem] = {}
    for path in target.files:
        source, found, more = read_source(path, project.root, defaults)
        problems += more
        keyed = [_unique(case, source, places, problems, defaults.upstream) for case in found]
        cases |= {case.key: case for case in keyed}
        sources.append(replace(source, cases=tuple(case.outline for case in keyed)))
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise SpecError(problems)
    if target.document is not None and not defaults.upstream:
        problems += unmatched_gates(target.document, target.suite, [case.outline for case in cases.values()])
    return tuple(sources), cases, problems


def _unique(case: Case, source: Source, places: dict[str, Problem], problems: list[Problem], upstream: bool) -> Case:
    """The case with a key of its own. A repeated id is a problem, unless the format's own tool is followed."""
    outline = case.outline
    here = Problem(shown(source.path), "duplicate_id", "", outline.line, 1, "id")
    first = places.setdefault(outline.id, here)
    if first is here:
        return case
    if upstream:
        return replace(case, outline=replace(outline, key=f"{source.name}::{outline.id}"))
    message = f"the id {outline.id!r} is already used in {first.place}"
    problems.append(replace(here, message=message, hint="give each case an id of its own: results are filed under it"))
    return case


def _duplicate_slugs(target: Target, project: Project) -> list[Problem]:
    """Suites below the spec folders with the slug of this one: their flows and histories would be mixed up."""
    if target.implicit:
        return []
    slug = spec_slug(target.path)
    others = {real_path(path): path for folder in project.spec_folders for path in suite_files(folder)}
    others.pop(real_path(target.path), None)
    return [
        Problem(
            shown(target.path),
            "duplicate_slug",
            f"{shown(other)} has the slug {slug!r} too",
            line=1,
            column=1,
            pointer="name",
            hint="give one of them another name",
        )
        for other in others.values()
        if spec_slug(other) == slug
    ]


def _with_runs(source: Source, runs: int) -> Source:
    return replace(source, cases=tuple(replace(outline, runs=runs) for outline in source.cases))


def _name_below(path: Path, root: Path) -> str:
    """The path below the root, read as UTF-8 whatever the machine's own encoding is: it is part of cache keys."""
    path = real_path(path)
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return os.fsencode(name.as_posix()).decode("utf-8", "replace")
