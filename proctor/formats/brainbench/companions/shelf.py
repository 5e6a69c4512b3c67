"""The records of all companion files, sorted by kind: what each says, and that nothing is said twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, TypeVar

from proctor.brainbench.planted.catalogue import PlantedItem
from proctor.brainbench.probes import Claim, Page, Probe
from proctor.errors import Problem, Severity
from proctor.excerpt import quote
from proctor.formats.brainbench.companions.claims import read_claim
from proctor.formats.brainbench.companions.pages import read_page
from proctor.formats.brainbench.companions.planted import read_planted
from proctor.formats.brainbench.companions.probes import probe_warnings, read_probe, with_rubric
from proctor.formats.brainbench.companions.records import Kind, Record
from proctor.formats.members import Fault

Item = TypeVar("Item")

_PROBES: Final = (Kind.PROBE, Kind.SCENARIO, Kind.RUBRIC)


class Row(Generic[Item]):
    """Things of one kind by their id, each with the record that it comes from.

    Each of the ``unique`` members is another in each record; the first of them is the id.
    """

    def __init__(self, read: Callable[[Record], Item], *unique: str) -> None:
        self.items: dict[str, Item] = {}
        self.records: dict[str, Record] = {}
        self._read = read
        self._unique = unique
        self._first: dict[tuple[str, str], Record] = {}

    def take(self, record: Record) -> None:
        """Read a record and keep it.

        Raises:
            Fault: it cannot be read, or another one has its id.
        """
        item = self._read(record)
        own = [(member, record.value[member]) for member in self._unique]
        for member, text in own:
            if (first := self._first.get((member, text))) is not None:
                message = f"{quote(text, 80)} stands twice; it stands first at {first.where((member,))}"
                raise Fault("duplicate_id", (member,), message)
        self._first |= dict.fromkeys(own, record)
        self.items[own[0][1]] = item
        self.records[own[0][1]] = record


class Shelf:
    """What companion files hold. ``slugs`` are those that manifests name; None without a manifest."""

    def __init__(self) -> None:
        self.probes: Row[Probe] = Row(read_probe, "id")
        self.rubrics: Row[Probe] = Row(read_probe, "id")
        self.pages: Row[Page] = Row(read_page, "slug")
        self.planted: Row[PlantedItem] = Row(read_planted, "fixture_id", "slug")
        self.claims: Row[Claim] = Row(read_claim, "id")
        self.slugs: set[str] | None = None
        self._rows: dict[Kind, Row[Any]] = {
            Kind.PROBE: self.probes,
            Kind.SCENARIO: self.probes,
            Kind.RUBRIC: self.rubrics,
            Kind.PAGE: self.pages,
            Kind.PLANTED: self.planted,
            Kind.CLAIM: self.claims,
        }

    def take(self, record: Record) -> Iterator[Problem]:
        """Keep a record, or say why it cannot be kept."""
        try:
            self._take(record)
        except Fault as fault:
            yield record.problem(fault)
            return
        if record.kind in _PROBES:
            yield from (record.problem(fault, Severity.WARNING) for fault in probe_warnings(record))

    def join_rubrics(self) -> Iterator[Problem]:
        """Give the rubrics to their probes. A rubric whose id no probe has is a probe by itself."""
        for key, rubric in self.rubrics.items.items():
            record = self.rubrics.records[key]
            try:
                self._join(key, rubric, record)
            except Fault as fault:
                yield record.problem(fault)

    def _take(self, record: Record) -> None:
        if record.kind is Kind.MANIFEST:
            self.slugs = (self.slugs or set()) | {item["slug"] for item in record.value["items"]}
            return
        self._rows[record.kind].take(record)

    def _join(self, key: str, rubric: Probe, record: Record) -> None:
        probe = self.probes.items.get(key)
        if probe is not None:
            self.probes.items[key] = with_rubric(probe, rubric)
        elif not rubric.text:
            message = "is missing, and no probe of this id is given"
            raise Fault("missing_field", ("query",), message, "name the file with the probes as well")
        else:
            self.probes.items[key] = rubric
            self.probes.records[key] = record
