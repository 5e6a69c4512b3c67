"""``review``: what people say of answers that a judge scored by a rubric, at a terminal or from a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from proctor.cli.options import Format
from proctor.cli.output import OutputFormat, say
from proctor.errors import UsageError
from proctor.wording import count

if TYPE_CHECKING:
    from proctor.cli.reviewing import Reviewing
    from proctor.results import TrialRef

EXAMPLE: Final = "Example: proctor review latest --export reviews.jsonl"

_MOST_NAME: Final = 200


def review(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The beginning of a run's id, or latest.")] = "latest",
    case: Annotated[
        str | None, typer.Option("--case", help="Review this case, reviewed or not. Default: all not reviewed yet.")
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", help="Only answers of this agent.")] = None,
    trial: Annotated[
        int | None, typer.Option("--trial", min=0, help="Only this trial; the first is 0, as in report.json.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", help="Your name. Default: user.name of git, or your login.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Take reviews from this file, a JSON object a line; ask nothing.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="The new file for reviews, and for templates of those to be given.")
    ] = None,
    show_judge: Annotated[
        bool, typer.Option("--show-judge", help="Show behind each review what the judge said. It may lead you.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="The order of the answers, which is random.")] = 0,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Review answers by their rubric. How far judge and reviewers agree stands in the report of the run.

    At a terminal, each answer is shown as its judge saw it, without what the judge said and without the agent's name.

    Exit codes: 0 done, 2 cannot start, or a review in the file cannot be used.
    """
    from proctor.cli.review_files import export_reviews, print_reviews, take_file
    from proctor.cli.reviewing import Reviewing
    from proctor.config import load_project
    from proctor.stages.reviews.desk import open_desk
    from proctor_flows.pipeline import open_project_store

    _refuse_mixed(source, export, [case, agent, trial])
    project = load_project(Path.cwd())
    name = _name(reviewer, project.root)
    with open_project_store(project) as store:
        desk = open_desk(store, store.find_run(run), project)
        work = Reviewing(desk, store, name, seed)
        if source is not None:
            take_file(source, work, output)
            return
        refs = desk.find(case, agent, trial)
        if export is not None:
            export_reviews(export, work, refs, output)
        elif output is OutputFormat.JSON:
            print_reviews(work, refs)
        else:
            _at_terminal(work, work.waiting(refs, again=case is not None), show_judge=show_judge)


def _refuse_mixed(source: Path | None, export: Path | None, chosen: Sequence[object]) -> None:
    if source is not None and (export is not None or any(each is not None for each in chosen)):
        raise UsageError("--from takes all reviews of a file", hint="leave --case, --agent, --trial and --export out")


def _name(given: str | None, root: Path) -> str:
    name = " ".join((given if given is not None else _own_name(root)).split())
    if not name:
        raise UsageError("the reviewer has no name", hint="say it with --reviewer")
    if len(name) > _MOST_NAME:
        raise UsageError(f"the reviewer's name is longer than {_MOST_NAME} characters", hint="shorten it")
    return name


def _own_name(root: Path) -> str:
    """The name that git knows, else that of the login; empty where there is neither."""
    import getpass
    import subprocess

    command = ["git", "config", "user.name"]
    try:
        found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, ValueError, subprocess.SubprocessError):
        found = ""
    if found:
        return found
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def _at_terminal(work: Reviewing, refs: Sequence[TrialRef], *, show_judge: bool) -> None:
    from proctor.cli.review_session import Session
    from proctor.cli.review_text import tell_agreement
    from proctor.stages.reviews.agreement import judge_verdicts

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "points are asked for at a terminal, and this is none",
            hint="--export writes a file to fill in, --from takes it back",
        )
    run_id = work.desk.run_id
    if refs:
        say(f"{work.reviewer}: {count(len(refs), 'answer')} of run {run_id} to review, in random order.")
        say("Neither the agent nor what the judge said is shown.\n")
    session = Session(work, judge_verdicts(work.store, run_id) if show_judge else {})
    session.review(refs)
    say(f"{count(session.stored, 'review')} stored, {count(len(refs) - session.stored, 'answer')} left")
    tell_agreement(run_id, work.store)
