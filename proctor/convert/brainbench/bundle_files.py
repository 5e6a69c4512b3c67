"""Bundles as folders: a new one beside those of the same name, every file of it or none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from proctor.brainbench.bundles.bundle import MOST_ALIKE, Bundle, bundle_files
from proctor.brainbench.eras import Era
from proctor.convert.places import unwritable_told
from proctor.errors import UsageError
from proctor.formats.brainbench.companion_schemas import SCORECARD, companion_errors
from proctor.formats.brainbench.dialects import errors_of
from proctor.formats.brainbench.schema_errors import SchemaError
from proctor.whole_file import whole_file


def write_bundle(parent: Path, name: str, bundle: Bundle, era: Era = Era.POST_AUDIT) -> Path:
    """Write a bundle as a new folder ``name`` in ``parent``; where that is taken, ``name-2`` to ``name-999``.

    After the audit, nothing is made of a bundle whose transcripts or scorecard their schemas refuse.

    Raises:
        UsageError: they do, all names are taken, or it cannot be written.
    """
    if era is not Era.SEED:
        _refuse_invalid(bundle)
    try:
        files = bundle_files(bundle, era)
    except ValueError as error:
        raise _unfit(f"the bundle {name}", str(error)) from None
    with unwritable_told(parent / name):
        parent.mkdir(parents=True, exist_ok=True)
        folder = _free_folder(parent, name)
        try:
            for file_name, text in files.items():
                with whole_file(folder / file_name) as file:
                    file.write(text)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return folder


def _free_folder(parent: Path, name: str) -> Path:
    """Make the first folder of this name that is not there: two who write at once get two."""
    for number in range(1, MOST_ALIKE + 1):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise UsageError(f"{parent} has {MOST_ALIKE} bundles called {name}", hint="move some of them away")


def _refuse_invalid(bundle: Bundle) -> None:
    for what, errors in _checked(bundle):
        if errors:
            raise _unfit(what, f"{errors[0].pointer}: {errors[0].message}".removeprefix(": "))


def _checked(bundle: Bundle) -> Iterator[tuple[str, list[SchemaError]]]:
    for number, transcript in enumerate(bundle.transcripts, 1):
        yield f"transcript {number} of the bundle", errors_of(transcript, Era.POST_AUDIT)
    yield "the scorecard of the bundle", companion_errors(SCORECARD, bundle.scorecard)


def _unfit(what: str, why: str) -> UsageError:
    return UsageError(f"{what} does not fit its schema: {why}", hint="nothing was written")
