"""From what an agent did to rows of a data set: what the question defines, and what was observed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from proctor.checks.dimensions.base import Row
from proctor.errors import SourceChanged, UsageError
from proctor.formats.assevra.scan import CAPTURE_ERROR
from proctor.plan import Outline, Source
from proctor.results import TrialRef
from proctor.stages.recorded.row_cases import definition_fields, file_rows
from proctor.stages.run import Run
from proctor.trajectory import Ending, Failure, ToolCall, Trajectory, Usage
from proctor.whole_file import whole_file

CAPTURE_REFUSED: Final = "_capture_refused"
"""The field with what a content filter said that stopped the agent; its answer is empty then."""

_MOST_TRIALS: Final = 1_000
"""Trials that are held at once, but for those of one row."""
_SPELL: Final = json.JSONEncoder(ensure_ascii=False).encode


def write_rows(run: Run, out: Path, *, replace: bool = False) -> Counter[Ending]:
    """Write a row for every trial of a run into a new file, all of them or none; the number of trials by ending.

    Raises:
        UsageError: the file is there already and not to be replaced, or cannot be written.
        SourceChanged: a data set is not what it was.
    """
    endings: Counter[Ending] = Counter()
    try:
        with whole_file(out, replace=replace) as file:
            for source in run.plan.sources:
                for row, ending in _captured(run, source):
                    file.write(_SPELL(row) + "\n")
                    endings[ending] += 1
    except FileExistsError as error:
        raise taken(out) from error
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from error
    return endings


def taken(out: Path) -> UsageError:
    """The error that a file is there already."""
    return UsageError(f"{out} exists already", hint="name another file with --out, or replace it with --force")


def captured_row(row: Row, trajectory: Trajectory, ref: TrialRef, *, runs: int, run_id: str) -> dict[str, Any]:
    """One trial of a question as a row.

    With several trials each has an id of its own, ``ID#1`` and on, and they share a ``case_id``: that of the question,
    or its id. A trial that could not be run says so in ``_capture_error`` and has no measures.
    """
    name = f"{ref.case}#{ref.trial + 1}"
    captured = definition_fields(row)
    if runs > 1:
        captured = {**captured, "id": name, "case_id": row.get("case_id") or ref.case}
    turn = trajectory.turns[-1] if trajectory.turns else None
    captured |= {
        "agent_output": (turn.reply if turn else None) or "",
        "tool_calls": [_call(call) for call in turn.tool_calls] if turn else [],
        "trial_id": f"{run_id}/{name}",
    }
    if trajectory.ending is Ending.ERRORED:
        return {**captured, CAPTURE_ERROR: _said(trajectory.failure)}
    if trajectory.ending is Ending.REFUSED:
        captured[CAPTURE_REFUSED] = _said(trajectory.failure)
    return {**captured, **_measures(trajectory)}


def _captured(run: Run, source: Source) -> Iterator[tuple[dict[str, Any], Ending]]:
    """The rows of a source in the order of its file, with the ending of each trial."""
    [agent] = run.plan.agents
    for batch in _batches(source):
        trials = ((key, number) for key, (outline, _) in batch.items() for number in range(outline.runs))
        refs = [TrialRef(agent.name, *trial) for trial in trials]
        found = run.store.trajectories(run.id, refs)
        for ref in refs:
            outline, row = batch[ref.case]
            made = captured_row(row, found[ref], ref, runs=outline.runs, run_id=run.id)
            yield made, found[ref].ending


def _batches(source: Source) -> Iterator[dict[str, tuple[Outline, Row]]]:
    asked = _asked(source)
    size = max(1, _MOST_TRIALS // max((outline.runs for outline in source.cases), default=1))
    while batch := {outline.key: (outline, row) for outline, row in islice(asked, size)}:
        yield batch


def _asked(source: Source) -> Iterator[tuple[Outline, Row]]:
    """The rows that were asked, in the order of the file."""
    outlines, whole = {outline.key: outline for outline in source.cases}, hashlib.sha256()
    for _, _, row in file_rows(source.path, whole):
        if row["id"] in outlines:
            yield outlines[row["id"]], row
    if whole.hexdigest() != source.digest:
        raise SourceChanged(f"{source.name} changed while the run was under way", hint="start again: answers are kept")


def _call(call: ToolCall) -> dict[str, Any]:
    """A call as the row format has it: arguments are an object or a text."""
    members, arguments = call.to_json(), call.arguments
    if not isinstance(arguments, dict | str | None):
        members["arguments"] = _SPELL(arguments)
    return members


def _measures(trajectory: Trajectory) -> dict[str, Any]:
    """Tokens, cost and time, as far as they are known. Cached tokens stand beside the input under Anthropic's names."""
    measures: dict[str, Any] = {"latency_ms": round(trajectory.latency_ms, 3)}
    usage = trajectory.usage
    if usage != Usage() or any(turn.usage for turn in trajectory.turns):
        cached = {
            "cache_read_input_tokens": usage.cache_read_tokens,
            "cache_creation_input_tokens": usage.cache_write_tokens,
        }
        counted = {name: number for name, number in cached.items() if number}
        measures["usage"] = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, **counted}
    if usage.cost_usd is not None:
        measures["cost_usd"] = float(usage.cost_usd)
    return measures


def _said(failure: Failure | None) -> str:
    return "no reason is known" if failure is None else f"{failure.type}: {failure.message}"
