"""The path through a pi session: from format 2 on, entries form a tree, and a conversation is one way through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from proctor.errors import UsageError
from proctor.excerpt import quote
from proctor.traces.base import BadTrace, Record
from proctor.traces.pi_lines import PiReading
from proctor.traces.pi_messages import PiMessage, is_header, message_of
from proctor.wording import count, listed

NEWEST: Final = 3
"""The newest format of sessions that is known."""

_SILENT: Final = frozenset(("custom", "label", "model_change", "session_info", "thinking_level_change", "usage"))
"""Entries that the model does not see."""

_SKIPPED: Final = frozenset(("branch_summary", "context_edit", "custom_message"))


def session_version(header: Record) -> int:
    """The format of a session; the first one did not say it. Raises BadTrace for one that is not known."""
    if not is_header(header.value):
        raise BadTrace(
            "no_session", "expected the header of a session", "name a session file of pi, from its first line"
        )
    version = header.value.get("version", 1)
    if type(version) is not int or not 1 <= version <= NEWEST:
        shown = version if type(version) is int else quote(str(version), 40)
        raise BadTrace("unknown_version", f"session format {shown} is not known here; known are 1 to {NEWEST}")
    return version


def session_path(records: Sequence[Record], version: int, leaf: str | None, reading: PiReading) -> list[Record]:
    """The entries of the conversation in its order; which others there are is noted.

    ``leaf`` is the id of its last entry. By default it is the last entry of the file, as for pi. Raises UsageError for
    a leaf that is not there.
    """
    entries = list(_entries(records, reading))
    if version == 1:
        if leaf is not None:
            raise UsageError("a session of format 1 has no branches to choose from", hint="leave --leaf out")
        return entries
    by_id = _by_id(entries, reading)
    path = _way_to(_leaf(by_id, leaf), by_id, reading)
    if not reading.notes.has_errors:
        _note_others(by_id, path, reading)
    return path


def path_messages(path: Iterable[Record], reading: PiReading) -> Iterator[PiMessage]:
    """The messages of a conversation. Entries that the model saw and a fixture cannot hold are noted."""
    messages = []
    for entry in path:
        kind = entry.value["type"]
        if kind == "message":
            messages.append(entry)
        elif kind not in _SILENT:
            _note_skipped(kind, entry.line, reading)
    for entry in messages:
        with reading.line(entry.line):
            yield message_of(entry)


def session_name(records: Iterable[Record]) -> str | None:
    """What the user called the session last."""
    names = [record.value.get("name") for record in records if record.value.get("type") == "session_info"]
    return names[-1] if names and isinstance(names[-1], str) and names[-1] else None


def _entries(records: Sequence[Record], reading: PiReading) -> Iterator[Record]:
    for record in records[1:]:
        with reading.line(record.line):
            kind = record.value.get("type")
            if not isinstance(kind, str):
                raise BadTrace("no_type", 'this entry has no "type"')
            if kind == "session":
                raise BadTrace("second_header", "a second session begins here", "import one session at a time")
            yield record


def _by_id(entries: Iterable[Record], reading: PiReading) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for entry in entries:
        with reading.line(entry.line):
            name = entry.value.get("id")
            if not isinstance(name, str) or not name:
                raise BadTrace("no_id", "this entry has no id")
            if name in found:
                raise BadTrace("duplicate_id", f"the id {quote(name, 40)} stands at line {found[name].line} already")
            found[name] = entry
    return found


def _leaf(by_id: dict[str, Record], leaf: str | None) -> Record | None:
    if leaf is None:
        return next(reversed(by_id.values()), None)
    if leaf not in by_id:
        ends = listed([quote(end, 40) for end in _ends(by_id)], 5)
        raise UsageError(f"the session has no entry {quote(leaf, 40)}", hint=f"the ends of its branches: {ends}")
    return by_id[leaf]


def _way_to(leaf: Record | None, by_id: dict[str, Record], reading: PiReading) -> list[Record]:
    way: dict[int, Record] = {}
    entry = leaf
    while entry is not None:
        way[entry.line] = entry
        entry = _before(entry, way, by_id, reading)
    return list(reversed(way.values()))


def _before(entry: Record, way: dict[int, Record], by_id: dict[str, Record], reading: PiReading) -> Record | None:
    with reading.line(entry.line):
        parent = _parent(entry, by_id)
        if parent is not None and parent.line in way:
            raise BadTrace("circle", "the entries before this one lead back to it")
        return parent
    return None


def _parent(entry: Record, by_id: dict[str, Record]) -> Record | None:
    name = entry.value.get("parentId")
    if name is None:
        return None
    if not isinstance(name, str) or name not in by_id:
        shown = quote(name, 40) if isinstance(name, str) else "which is no text"
        raise BadTrace("no_parent", f"the entry before this one, {shown}, is not in the file")
    return by_id[name]


def _ends(by_id: dict[str, Record]) -> list[str]:
    parents = {entry.value.get("parentId") for entry in by_id.values() if isinstance(entry.value.get("parentId"), str)}
    return [name for name in by_id if name not in parents]


def _note_others(by_id: dict[str, Record], path: Sequence[Record], reading: PiReading) -> None:
    taken = {entry.line for entry in path}
    others = sum(entry.value["type"] == "message" and entry.line not in taken for entry in by_id.values())
    if others:
        ends = listed([end for end in _ends(by_id) if by_id[end].line not in taken], 5)
        where = "is on another branch" if others == 1 else "are on other branches"
        hint = f"--leaf takes another one, by its last entry: {ends}" if ends else None
        reading.notes.warn("other_branches", f"{count(others, 'message')} {where}", hint=hint)


def _note_skipped(kind: str, line: int, reading: PiReading) -> None:
    if kind == "compaction":
        hint = "what was said before is taken, and the summary is not"
        reading.notes.warn("compaction", "compaction", line, hint)
    elif kind in _SKIPPED:
        reading.notes.warn("skipped_entry", f"{kind} skipped", line, "the model saw it, and a fixture cannot hold it")
    else:
        reading.notes.warn("unknown_entry", f"{quote(kind, 40)} skipped: no such entry is known here", line)
