"""The order of records: meta, turns, assertions."""

from __future__ import annotations

from typing import Final

from proctor.formats.members import Fault
from proctor.formats.pi import ASSERTIONS, META, TURN

_HINT: Final = "a fixture has the records meta, turn (any number of them) and assertions, in this order"


class RecordOrder:
    """Knows where the first record of each type stands."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}

    @property
    def is_complete(self) -> bool:
        """Whether there was an assertions record."""
        return ASSERTIONS in self._lines

    def take(self, kind: str, line: int, *, is_first: bool) -> None:
        """Take the next record. A record that cannot stand there counts all the same.

        Raises:
            Fault: it cannot stand there.
        """
        end = self._lines.get(ASSERTIONS)
        first = self._lines.setdefault(kind, line)
        if is_first and kind != META:
            raise Fault("misplaced_record", ("type",), f'the first record must be "meta", got "{kind}"', _HINT)
        if first != line and kind != TURN:
            raise Fault("duplicate_record", ("type",), f"duplicate {kind} record (first at line {first:,})")
        if end is not None:
            message = f"{kind} record after the assertions record (assertions at line {end:,}; it must be the last one)"
            raise Fault("misplaced_record", ("type",), message)
