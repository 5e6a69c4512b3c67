"""The files beside transcripts: probes, gold pages, rubrics, planted items and claims, read into `Companions`.

Nothing is raised for bad content. Every fault of every file is a problem with its place, and what is at fault is left
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.brainbench.probes import Companions
from proctor.brainbench_plan import BrainBenchSettings, CompanionFile
from proctor.errors import Problem, SourceChanged
from proctor.formats.brainbench.companions.links import link_problems
from proctor.formats.brainbench.companions.records import records_of
from proctor.formats.brainbench.companions.shelf import Shelf
from proctor.formats.problem_list import ProblemList
from proctor.formats.strict_json.document import JsonDocument, read_json_file
from proctor.jsonvalue import digest
from proctor.real_path import real_path
from proctor.regular_file import read_regular

MAX_BYTES: Final = 256 * 2**20
"""Of one companion file."""


@dataclass(frozen=True, slots=True)
class CompanionReading:
    """What companion files say, and what is wrong with them.

    ``digest`` is over the roles, names and contents of the files: it changes when any of them does.
    """

    companions: Companions
    problems: tuple[Problem, ...]
    digest: str


def companions_of(settings: BrainBenchSettings) -> Companions:
    """What the companion files of a run say.

    Raises:
        SourceChanged: see `load_companions`.
    """
    return read_companions(settings).companions


def read_companions(settings: BrainBenchSettings) -> CompanionReading:
    """Read the companion files of a run. The same files are read once.

    Raises:
        SourceChanged: see `load_companions`.
    """
    return _load_once(settings.files, Era(settings.rules))


@lru_cache(maxsize=4)
def _load_once(files: tuple[CompanionFile, ...], era: Era) -> CompanionReading:
    return load_companions(files, era)


def load_companions(files: Iterable[CompanionFile], era: Era = Era.POST_AUDIT) -> CompanionReading:
    """Read companion files. A file that is named in two roles counts in the first.

    Raises:
        SourceChanged: a file is not what its digest says, or cannot be read.
    """
    files = tuple(files)
    shelf, listed = Shelf(), _Listed()
    once: dict[Path, CompanionFile] = {}
    for file in files:
        once.setdefault(real_path(file.path), file)
    for file in once.values():
        listed.add(_take_file(file, shelf))
    listed.add(shelf.join_rubrics())
    listed.add(link_problems(shelf, era))
    return CompanionReading(_companions(shelf), listed.problems, companions_digest(files))


def companions_digest(files: Iterable[CompanionFile]) -> str:
    """One SHA-256 over the roles, names and contents of companion files, in hex."""
    return digest([[file.role, file.path.name, file.digest] for file in files])


class _Listed:
    """Problems by file, as many of each as anybody reads."""

    def __init__(self) -> None:
        self._lists: dict[Path, ProblemList] = {}

    def add(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            listed = self._lists.setdefault(problem.path, ProblemList(problem.path))
            if listed.has_room(problem.severity):
                listed.add(problem)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(problem for listed in self._lists.values() for problem in listed.all())


def _take_file(file: CompanionFile, shelf: Shelf) -> Iterator[Problem]:
    data = _read(file)
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data):,} bytes; the limit is {MAX_BYTES:,}"
        yield Problem(file.path, "too_large", message, hint="split it into several files")
        return
    documents, problems = read_json_file(file.path, data)
    yield from problems
    for document in documents:
        yield from _take_document(document, file.role, shelf)


def _take_document(document: JsonDocument, role: str, shelf: Shelf) -> Iterator[Problem]:
    for found in records_of(document, role):
        if isinstance(found, Problem):
            yield found
        else:
            yield from shelf.take(found)


def _read(file: CompanionFile) -> bytes:
    hint = "start the run again; what is done is kept"
    try:
        data = read_regular(file.path)
    except OSError as error:
        raise SourceChanged(f"{file.path.name} can no longer be read: {error.strerror or error}", hint=hint) from None
    if sha256(data).hexdigest() != file.digest:
        raise SourceChanged(f"{file.path.name} changed while the run was under way", hint=hint)
    return data


def _companions(shelf: Shelf) -> Companions:
    pages = shelf.pages.items
    return Companions(
        probes=shelf.probes.items,
        claims=shelf.claims.items,
        pages=pages,
        planted=Catalogue(_with_text(item, shelf) for item in shelf.planted.items.values()),
    )


def _with_text(item: PlantedItem, shelf: Shelf) -> PlantedItem:
    page = shelf.pages.items.get(item.slug)
    return replace(item, text=page.content) if page is not None and item.text is None else item
