"""The first stage: a spec becomes a Plan, or one SpecError that lists every problem of every file.

1. The files of the spec are found (`proctor.stages.target`) and each is read; nothing stops at the first problem.
2. Ids must be unique, and so must the slugs of the suites below the spec folders.
3. Flags, suite and project settings are merged (`proctor.stages.merge`), and the selection is applied.

Nothing of the user's code is imported here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from proctor.config import AgentBlock, Project
from proctor.errors import Problem, SpecError, UsageError
from proctor.formats.discovery import spec_files, suite_files
from proctor.overrides import Overrides
from proctor.plan import RECORDING, Case, Plan, Source
from proctor.real_path import real_path
from proctor.stages.cases import Reader
from proctor.stages.dataset_choice import DatasetChoice, choose_dataset
from proctor.stages.merge import merge_defaults, merge_plan
from proctor.stages.reading import Reading, read_files
from proctor.stages.replay_choice import ReplayChoice, choose_replay
from proctor.stages.selection import RowFilter, gates_of_selection, row_filter, select, without_gates
from proctor.stages.target import Target, find_target, shown, spec_slug
from proctor.stages.transcripts.choice import TranscriptChoice, choose_transcripts
from proctor.stages.unmatched import unmatched_gates

MOST_TRIALS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Compiled:
    """A plan, cases that were read on the way to it and kept, by key, and the selection of recorded rows.

    ``read_cases`` reads the cases of a source again where the file is not of a format that has cases.
    """

    plan: Plan
    cases: dict[str, Case]
    row_filter: RowFilter | None = None
    read_cases: Reader | None = None


def compile_plan(
    path: Path | None,
    project: Project,
    overrides: Overrides | None = None,
    *,
    agent: AgentBlock | None = None,
    not_passed: Collection[str] | None = None,
    has_judge: bool = False,
) -> Compiled:
    """Compile a spec.

    ``path`` None means the folders of ``[tool.agent_eval] yaml_dirs``. ``agent`` replaces the declared agents.
    ``not_passed`` holds the case keys that ``overrides.failed`` selects. ``has_judge``: the caller brings a judge.

    Raises:
        SpecError: with every problem of every file.
        UsageError: nothing is there, a flag names something that is not declared, or there are too many trials.
    """
    overrides = overrides or Overrides()
    target = find_target(path, project)
    choice = choose_dataset(target, project, overrides, has_judge=has_judge)
    replays = choose_replay(target, project, overrides, agent)
    transcripts = choose_transcripts(target)
    chosen_rows = row_filter(overrides, not_passed)
    found = _read(target, project, choice, replays, transcripts, chosen_rows)
    replay = replays.settings_for(overrides, has_traces=found.has_traces)
    everything, cases = tuple(found.sources), found.cases
    if overrides.runs is not None:
        _refuse_runs(everything)
        everything = tuple(_with_runs(source, overrides.runs) for source in everything)
    sources, selection = select(everything, overrides, not_passed)
    kept = {outline.key: outline for source in sources for outline in source.cases}
    plan = merge_plan(target, project, overrides, agent, sources, selection, tuple(found.problems), choice)
    plan = replace(plan, replay=replay, brainbench=transcripts.settings)
    if selection is not None:
        plan = _of_selection(plan, everything)
    if plan.trials > MOST_TRIALS:
        raise UsageError(
            f"{plan.slug} has {plan.trials:,} trials; a run has at most {MOST_TRIALS:,}",
            hint="lower runs, or run a part with --select",
        )
    by_key = {key: replace(cases[key], outline=outline) for key, outline in kept.items() if key in cases}
    return Compiled(plan, by_key, chosen_rows)


def _of_selection(plan: Plan, everything: tuple[Source, ...]) -> Plan:
    """The plan with the gates that a partial run can be held to; the selection says which ones are left out."""
    gates, left_out = gates_of_selection(plan.gates, everything, plan.sources)
    return replace(plan, gates=gates, selection=without_gates(plan.selection or "", left_out))


def check_files(paths: Iterable[Path | None], project: Project, *, strict: bool = False) -> tuple[int, list[Problem]]:
    """Validate paths: the number of files looked at, and all their problems.

    With ``strict``, recorded rows that cannot be scored are errors, as they are for a release. A folder means its
    suites, and the spec files that none of them binds; None the project's own transcript folders.

    Raises:
        UsageError: a path does not exist or is no spec file.
    """
    files: set[Path] = set()
    problems: dict[Problem, None] = {}
    for target in _targets(paths, project, problems):
        files |= {real_path(file) for file in target.files} | ({real_path(target.path)} - {real_path(target.base)})
        try:
            choice = choose_dataset(target, project, Overrides(), strict=strict)
            replays = choose_replay(target, project, Overrides())
            found = _read(target, project, choice, replays, choose_transcripts(target))
            problems |= dict.fromkeys(found.problems)
        except SpecError as error:
            problems |= dict.fromkeys(error.problems)
    return len(files), list(problems)


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


def _read(
    target: Target,
    project: Project,
    choice: DatasetChoice,
    replays: ReplayChoice,
    transcripts: TranscriptChoice,
    row_filter: RowFilter | None = None,
) -> Reading:
    """All sources and cases, and the warnings.

    Raises:
        SpecError: an error is among the problems; it carries the warnings too.
    """
    defaults = merge_defaults(target.suite, project)
    defaults = replace(defaults, replay=replays.settings, brainbench=transcripts.settings)
    found = read_files(target, project.root, defaults, choice.settings, row_filter)
    found.problems += [*choice.problems, *replays.problems, *transcripts.problems]
    found.problems += _duplicate_slugs(target, project)
    found.refuse_errors()
    if target.document is not None and not defaults.upstream:
        found.problems += unmatched_gates(target.document, target.suite, found.outlines, rows=bool(found.rows))
    return found


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


def _refuse_runs(sources: Iterable[Source]) -> None:
    """What is recorded is there as often as it was recorded."""
    outlines = [outline for source in sources for outline in source.cases]
    if not all(outline.recorded for outline in outlines):
        return
    what, hint = "traces", "name an agent to replay them with"
    if any(source.spans for source in sources):
        what, hint = "rows", "proctor capture records an agent's answers to the inputs of rows, any number of times"
    elif not any(outline.recorded and outline.recorded.agent == RECORDING for outline in outlines):
        what, hint = "transcripts", "record more runs: each of them is a transcript of its own"
    raise UsageError(f"this spec has recorded {what} only: they cannot be run again", hint=hint)


def _with_runs(source: Source, runs: int) -> Source:
    changed = (outline if outline.recorded else replace(outline, runs=runs) for outline in source.cases)
    return replace(source, cases=tuple(changed))
