"""The files of ``review``: reviews that were given elsewhere, and templates of those to be given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proctor.cli.output import OutputFormat, print_json, say
from proctor.cli.review_text import agreement_json, tell_agreement
from proctor.cli.reviewing import Reviewing
from proctor.errors import UsageError
from proctor.regular_file import read_named
from proctor.results import TrialRef
from proctor.stages.reviews.desk import first_of_each_text
from proctor.stages.reviews.file import read_reviews
from proctor.stages.reviews.lines import review_line, template_line
from proctor.whole_file import whole_file
from proctor.wording import count


def take_file(path: Path, work: Reviewing, output: OutputFormat) -> None:
    """Store the reviews of a file, all of them or, if one cannot be used, none.

    Raises:
        UsageError: the file cannot be read.
        SpecError: something in it cannot be used.
    """
    run_id = work.desk.run_id
    found = read_reviews(path, read_named(path), work.desk, work.reviewer, work.newest())
    work.store.save_reviews(found.reviews)
    if output is OutputFormat.JSON:
        numbers = {"stored": len(found.reviews), "known": found.known, "without_points": found.without_points}
        print_json({"run_id": run_id, **numbers, "agreement": agreement_json(run_id, work.store)})
        return
    known = f", {found.known:,} known already" if found.known else ""
    empty = f", {count(found.without_points, 'line')} without points" if found.without_points else ""
    say(f"{count(len(found.reviews), 'review')} stored{known}{empty}")
    tell_agreement(run_id, work.store)


def export_reviews(path: Path, work: Reviewing, refs: Sequence[TrialRef], output: OutputFormat) -> None:
    """Write the reviews of these answers, and templates of those to be given, into a new file: all of it or nothing.

    Raises:
        UsageError: the file is there already, or cannot be written.
    """
    lines, templates = _reviews(work, refs), 0
    try:
        with whole_file(path) as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
            for line in _templates(work, refs):
                file.write(json.dumps(line) + "\n")
                templates += 1
    except FileExistsError as error:
        raise UsageError(f"{path} is there already", hint="name a new file: nothing is overwritten") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
    run_id = work.desk.run_id
    if output is OutputFormat.JSON:
        print_json({"run_id": run_id, "out": str(path), "reviews": len(lines), "open": templates})
        return
    say(f"wrote {count(len(lines), 'review')} and {count(templates, 'template')} to {path}")
    if templates:
        say(f"next: fill in the points, then proctor review {run_id} --from {path}")


def print_reviews(work: Reviewing, refs: Sequence[TrialRef]) -> None:
    """Print the reviews of these answers, and templates of those to be given, as one JSON document."""
    print_json(
        {
            "run_id": work.desk.run_id,
            "reviews": _reviews(work, refs),
            "open": list(_templates(work, refs)),
            "agreement": agreement_json(work.desk.run_id, work.store),
        }
    )


def _reviews(work: Reviewing, refs: Sequence[TrialRef]) -> list[dict[str, Any]]:
    """All reviews that count of these answers, whoever gave them."""
    places = first_of_each_text(refs, work.desk.texts)
    return [review_line(each, places[each.content]) for each in work.newest().values() if each.content in places]


def _templates(work: Reviewing, refs: Sequence[TrialRef]) -> Iterator[dict[str, Any]]:
    """A template for each of these answers that the reviewer has not reviewed."""
    for ref in work.waiting(refs):
        try:
            yield template_line(work.desk.take(ref), work.reviewer)
        except UsageError as error:
            say(f"left out: {error.message}", err=True)
