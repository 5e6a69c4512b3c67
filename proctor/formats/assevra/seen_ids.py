"""Which ids were used already, over all files of a spec, and where."""

from __future__ import annotations

from bisect import bisect_right


class SeenIds:
    """Remembers the first place of every id in some 140 bytes each: its text, and one number for file and line."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._files: list[str] = []
        self._starts: list[int] = []
        self._end = 0

    def __len__(self) -> int:
        return len(self._places)

    def open(self, file: str) -> None:
        """Say which file the ids that follow are in."""
        self._files.append(file)
        self._starts.append(self._end)

    def add(self, row_id: str, line: int) -> str | None:
        """Note an id at a line (from 1, rising) of the open file; the place of its first use if it is not new."""
        place = self._starts[-1] + line
        self._end = place
        first = self._places.setdefault(row_id, place)
        return None if first == place else self._spell(first)

    def _spell(self, place: int) -> str:
        number = bisect_right(self._starts, place - 1) - 1
        return f"{self._files[number]}:{place - self._starts[number]}"
