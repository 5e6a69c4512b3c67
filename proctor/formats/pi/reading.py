"""From the bytes of a file to a fixture, or to everything that is wrong with it.

Each record is told with its first fault, and each assertion; the first problem is the first one of the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proctor.errors import Problem, Severity
from proctor.formats.assevra.lines import BYTE_ORDER_MARK
from proctor.formats.members import Fault, type_name, unknown_choice
from proctor.formats.pi import ASSERTIONS, META, TURN, TYPES
from proctor.formats.pi.assertions import entries_of, read_assertion
from proctor.formats.pi.fixture import Fixture, FixtureTurn, Meta, Record
from proctor.formats.pi.json_text import read_json
from proctor.formats.pi.meta import read_meta
from proctor.formats.pi.places import Lines
from proctor.formats.pi.record_order import RecordOrder
from proctor.formats.pi.turns import read_turn
from proctor.formats.problem_list import ProblemList
from proctor.formats.strict_json.text import JsonFault
from proctor.plan import Check


def read_fixture(path: Path, data: bytes) -> tuple[Fixture | None, tuple[Problem, ...]]:
    """The fixture in a file, or none and its problems. ``path`` is what problems show."""
    reader = _Reader(path, data)
    reader.read()
    problems = reader.problems.all()
    return (None if problems else reader.fixture()), problems


class _Reader:
    """What has been read so far. A line that cannot be read takes the place of the record that it might have been."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.problems = ProblemList(path)
        self._path = path
        self._has_mark = data.startswith(BYTE_ORDER_MARK)
        self._lines = Lines(path, data.removeprefix(BYTE_ORDER_MARK))
        self._order = RecordOrder()
        self._meta: Meta | None = None
        self._turns: list[FixtureTurn] = []
        self._checks: list[Check] = []
        self._assertions: tuple[int, Record] | None = None

    def read(self) -> None:
        """Read all records."""
        if self._has_mark:
            message = "the file begins with a byte order mark"
            self._refuse(1, Fault("byte_order_mark", (), message, "save the file as UTF-8 without one"))
        last, is_broken = 0, False
        for number, line in self._lines.filled():
            is_first, last, is_broken = not last, number, True
            try:
                record, kind = _record(line)
                is_broken = False
                self._order.take(kind, number, is_first=is_first)
                self._take(record, kind, number)
            except JsonFault as fault:
                if self.problems.has_room(Severity.ERROR):
                    self.problems.add(
                        Problem(self._path, fault.code, fault.message, number, fault.column, hint=fault.hint)
                    )
            except Fault as fault:
                self._refuse(number, fault)
        if not is_broken:
            self._check_end(last)

    def fixture(self) -> Fixture | None:
        """The fixture, if all of its records were right."""
        if self._meta is None or self._assertions is None:
            return None
        return Fixture(self._meta, tuple(self._turns), tuple(self._checks), *self._assertions)

    def _take(self, record: dict[str, Any], kind: str, line: int) -> None:
        if kind == META:
            self._meta = read_meta(record, line)
        elif kind == TURN:
            self._turns.append(read_turn(record, line, self._turns[-1].index if self._turns else 0))
        else:
            self._assertions = line, record
            for position, entry in enumerate(entries_of(record)):
                self._take_assertion(entry, position, line)

    def _take_assertion(self, entry: object, position: int, line: int) -> None:
        try:
            self._checks.append(read_assertion(entry, position))
        except Fault as fault:
            self._refuse(line, fault)

    def _check_end(self, last: int) -> None:
        if not last:
            self._refuse(1, Fault("no_records", (), 'empty fixture: the first record must be "meta"'))
        elif not self._order.is_complete and self.problems.has_room(Severity.ERROR):
            self.problems.add(
                self._lines.problem_behind(last, "missing_record", 'the last record must be "assertions"')
            )

    def _refuse(self, line: int, fault: Fault) -> None:
        if self.problems.has_room(Severity.ERROR):
            self.problems.add(self._lines.problem(line, fault.code, fault.pointer, fault.message, fault.hint))


def _record(line: bytes) -> tuple[dict[str, Any], str]:
    """The object of a line, and its type."""
    record = read_json(line)
    if not isinstance(record, dict):
        raise Fault("wrong_type", (), f"expected a JSON object, got {type_name(record)}")
    if "type" not in record:
        raise Fault("missing_field", (), f'missing "type"; expected {META}, {TURN} or {ASSERTIONS}')
    kind = record["type"]
    if kind not in TYPES:
        raise unknown_choice(("type",), "record type", kind, TYPES)
    return record, kind
