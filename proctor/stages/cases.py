"""The cases of a plan, read again from their sources when they are not at hand.

Those that validation had room for stay in memory. Each stage that needs others parses their files anew, and keeps a few
of them, so that memory stays flat.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Final, TypeAlias

from proctor.errors import SourceChanged
from proctor.formats import Defaults
from proctor.plan import Case, Outline, Plan, Source
from proctor.results import TrialRef
from proctor.stages.reading import read_source

RECENT: Final = 64
"""Files whose cases are kept for a while after they were read again."""
KEPT: Final = 5_000
"""Cases of such files: with more of them, there are fewer files."""

Reader: TypeAlias = Callable[[Source], tuple[str, Sequence[Case]]]
"""Reads a source again: the SHA-256 of its file, and its cases by `Outline.index`."""


class Cases:
    """Cases by key, for any number of threads.

    ``known`` are those that validation has kept; ``read`` reads others where the format of their file does not.
    """

    def __init__(self, plan: Plan, known: Mapping[str, Case] | None = None, read: Reader | None = None) -> None:
        self._plan = plan
        self._reader = read or self._read_spec
        self._lock = Lock()
        self._places = {outline.key: (source, outline) for source in plan.sources for outline in source.cases}
        self._recorded = {
            outline.recorded: outline.key for source in plan.sources for outline in source.cases if outline.recorded
        }
        self._known = known or {}
        self._recent: OrderedDict[str, dict[str, Case]] = OrderedDict()

    def __getitem__(self, key: str) -> Case:
        """The case with this key.

        Raises:
            SourceChanged: its file is not what it was at validation.
        """
        known = self._known.get(key)
        if known is not None:
            return known
        source = self._places[key][0]
        with self._lock:
            if source.name not in self._recent:
                self._read(source)
            self._recent.move_to_end(source.name)
            return self._recent[source.name][key]

    def of(self, ref: TrialRef) -> Case:
        """The case that a trial is one of.

        Raises:
            SourceChanged: its file is not what it was at validation.
        """
        return self[self._recorded.get(ref, ref.case)]

    def is_recorded(self, ref: TrialRef) -> bool:
        """Whether a trial is recorded with its case."""
        return ref in self._recorded

    def source(self, key: str) -> Source:
        """The file that a case comes from."""
        return self._places[key][0]

    def outline_of(self, ref: TrialRef) -> Outline:
        """The outline of the case that a trial is one of, without reading it."""
        return self._places[self._recorded.get(ref, ref.case)][1]

    def refs(self) -> Iterator[TrialRef]:
        """Every trial of the plan: by agent, then case, then trial; last those that are recorded with their cases."""
        for agent in self._plan.agents:
            for key, (_, outline) in self._places.items():
                if not outline.recorded:
                    yield from (TrialRef(agent.name, key, number) for number in range(outline.runs))
        yield from self._recorded

    def judged_refs(self) -> list[TrialRef]:
        """The trials that may ask a judge; a check of the user's may, so with one it is every trial."""
        return [ref for ref in self.refs() if self.outline_of(ref).judges or self._plan.checks]

    def _read_spec(self, source: Source) -> tuple[str, Sequence[Case]]:
        plan = self._plan
        defaults = Defaults(upstream=plan.upstream, replay=plan.replay, brainbench=plan.brainbench)
        found = read_source(source.path, self._plan.root, defaults)
        return found.source.digest, found.cases

    def _read(self, source: Source) -> None:
        """Keep the cases of a source, and those of sources that were needed before, as many as there is room for."""
        digest, cases = self._reader(source)
        if digest != source.digest:
            raise SourceChanged(
                f"{source.name} changed while the run was under way", hint="start the run again; what is done is kept"
            )
        self._recent[source.name] = {
            outline.key: replace(cases[outline.index], outline=outline) for outline in source.cases
        }
        while len(self._recent) > RECENT or (len(self._recent) > 1 and self._count() > KEPT):
            self._recent.popitem(last=False)

    def _count(self) -> int:
        return sum(map(len, self._recent.values()))
