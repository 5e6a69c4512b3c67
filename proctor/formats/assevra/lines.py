"""The lines of a data set, a stretch at a time: files of many gigabytes are never held whole.

A line ends with LF or CR LF; a lone CR ends none. The bytes stay as they are: `proctor.formats.assevra.row_text` reads
them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from proctor.dataset import Span
from proctor.errors import SourceChanged
from proctor.excerpt import shorten

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Is left out where it begins the file."""
MAX_LINE: Final = 64 * 2**20
"""Bytes of the longest line that is read."""
MAX_STRETCH: Final = 32 * 2**20
"""Bytes after which a stretch ends, however few lines it has."""
_BLOCK: Final = 2**18


class Digest(Protocol):
    """What takes the bytes of the whole file, such as ``hashlib.sha256()``."""

    def update(self, data: bytes, /) -> None:
        """Take more bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive lines: where they are (bytes), the first line (from 1), and their SHA-256.

    A line longer than `MAX_LINE` is None.
    """

    offset: int
    size: int
    line: int
    digest: str
    lines: list[bytes | None]


def scan_lines(path: Path, whole: Digest, chunk_rows: int = 5000) -> Iterator[Stretch]:
    """The lines of a file in stretches of at least ``chunk_rows`` lines, but for big ones and the last.

    ``whole`` takes the bytes of the file on the way.

    Raises:
        OSError: the file cannot be read.
    """
    offset, line = 0, 1
    with path.open("rb") as file:
        while True:
            lines: list[bytes | None] = []
            size, own = 0, hashlib.sha256()
            while len(lines) < chunk_rows and size < MAX_STRETCH:
                read = _read_block(file, lines, (whole, own))
                if not read:
                    break
                size += read
            if not size:
                return
            if offset == 0 and lines[0]:
                lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
            yield Stretch(offset, size, line, own.hexdigest(), lines)
            offset, line = offset + size, line + len(lines)


def read_span(path: Path, span: Span) -> bytes:
    """The bytes of a span.

    Raises:
        SourceChanged: they are not what they were when the span was made.
    """
    try:
        with path.open("rb") as file:
            file.seek(span.offset)
            data = file.read(span.size)
    except OSError as error:
        raise _changed(path, f"can no longer be read: {error.strerror or error}") from error
    if hashlib.sha256(data).hexdigest() != span.digest:
        raise _changed(path, f"changed after it was validated, at line {span.line:,} or below")
    return data


def file_digest(path: Path) -> str:
    """The SHA-256 of a file, in hex.

    Raises:
        SourceChanged: it cannot be read any more.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _changed(path, f"can no longer be read: {error.strerror or error}") from error


def span_lines(data: bytes, span: Span) -> list[bytes]:
    """The lines in the bytes of a span."""
    lines = _split(data)
    if span.offset == 0:
        lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
    return lines


def _split(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    if not lines[-1]:
        del lines[-1]
    return lines


def _read_block(file: BinaryIO, lines: list[bytes | None], digests: tuple[Digest, ...]) -> int:
    """Add the lines of the next block, up to the end of its last line; the number of bytes that were read."""
    block = file.read(_BLOCK)
    if block and not block.endswith(b"\n"):
        block += file.readline(MAX_LINE)
    for digest in digests:
        digest.update(block)
    size = len(block)
    lines += _split(block)
    if size > MAX_LINE:  # only the last line of a block can be that long
        size += _skip_rest(file, block.endswith(b"\n"), digests)
        if len(lines[-1] or b"") > MAX_LINE:
            lines[-1] = None
    return size


def _skip_rest(file: BinaryIO, is_ended: bool, digests: tuple[Digest, ...]) -> int:
    """Pass over the rest of a line that is too long; the number of its bytes."""
    size = 0
    while not is_ended and (piece := file.readline(_BLOCK)):
        is_ended = piece.endswith(b"\n")
        size += len(piece)
        for digest in digests:
            digest.update(piece)
    return size


def _changed(path: Path, what: str) -> SourceChanged:
    return SourceChanged(f"{shorten(str(path))} {what}", hint="start the run again; what is done is kept")
