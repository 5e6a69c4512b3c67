"""The lines of a data set: spans that can be read again, and every kind of line end."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.dataset import Span
from proctor.errors import SourceChanged
from proctor.formats.assevra import lines as module
from proctor.formats.assevra.lines import Stretch, file_digest, read_span, scan_lines, span_lines


def stretches(path: Path, chunk_rows: int = 5000) -> tuple[list[Stretch], str]:
    whole = hashlib.sha256()
    return list(scan_lines(path, whole, chunk_rows)), whole.hexdigest()


def span_of(stretch: Stretch) -> Span:
    return Span(stretch.offset, stretch.size, stretch.line, len(stretch.lines), stretch.digest)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


class TestLines:
    @pytest.mark.parametrize(
        ("data", "lines"),
        [
            (b"", []),
            (b"a\nb\n", [b"a", b"b"]),
            (b"a\nb", [b"a", b"b"]),
            (b"a\r\nb\r\n", [b"a\r", b"b\r"]),
            (b"a\rb\n", [b"a\rb"]),
            (b"\n\n a\n", [b"", b"", b" a"]),
            (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", [b"a", b"\xef\xbb\xbfb"]),
            (b"\xef\xbb\xbf", [b""]),
            ("a\u2028b\x85\n".encode(), ["a\u2028b\x85".encode()]),
        ],
    )
    def test_end_with_a_line_feed_only(self, file: Path, data: bytes, lines: list[bytes]) -> None:
        file.write_bytes(data)
        found, digest = stretches(file)
        assert [line for stretch in found for line in stretch.lines] == lines
        assert digest == hashlib.sha256(data).hexdigest() == file_digest(file)

    def test_come_in_stretches_of_the_wanted_size_or_more(self, file: Path) -> None:
        file.write_bytes(b"".join(b"%06d %s\n" % (number, b"x" * 90) for number in range(20_000)))
        found, _ = stretches(file)
        assert all(len(stretch.lines) >= 5000 for stretch in found[:-1])
        assert max(len(stretch.lines) for stretch in found) < 10_000
        assert [stretch.line for stretch in found] == [int((stretch.lines[0] or b"")[:6]) + 1 for stretch in found]

    def test_that_are_too_long_are_left_out(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MAX_LINE", 400_000)
        limit, first = b"y" * 400_000, b"z" * 400_001
        data = b"\n".join([b"a", first, b"b", limit, b"x" * 3_000_000, b"c", first])
        file.write_bytes(data)
        found, digest = stretches(file)
        assert [line for stretch in found for line in stretch.lines] == [b"a", None, b"b", limit, None, b"c", None]
        assert digest == hashlib.sha256(data).hexdigest()
        assert sum(stretch.size for stretch in found) == len(data)

    def test_that_are_long_end_a_stretch(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MAX_STRETCH", 1_000_000)
        file.write_bytes(b"\n".join([b"x" * 600_000] * 5))
        assert [len(stretch.lines) for stretch in stretches(file)[0]] == [2, 2, 1]


@given(
    st.lists(st.binary(max_size=40).map(lambda text: text.replace(b"\n", b"\r")), max_size=30),
    st.booleans(),
    st.booleans(),
    st.integers(1, 5),
)
def test_spans_cover_the_file_and_give_the_same_lines_again(
    tmp_path_factory: pytest.TempPathFactory, texts: list[bytes], has_mark: bool, is_ended: bool, chunk_rows: int
) -> None:
    path = tmp_path_factory.mktemp("spans") / "rows.jsonl"
    data = (b"\xef\xbb\xbf" if has_mark else b"") + b"\n".join(texts) + (b"\n" if is_ended else b"")
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 7)
        found, _ = stretches(path, chunk_rows)
    read = [read_span(path, span_of(stretch)) for stretch in found]
    assert b"".join(read) == data
    for stretch, part in zip(found, read, strict=True):
        assert span_lines(part, span_of(stretch)) == stretch.lines


class TestReadSpan:
    def test_tells_that_the_file_changed(self, file: Path) -> None:
        file.write_bytes(b"one\ntwo\n")
        span = span_of(stretches(file)[0][0])
        file.write_bytes(b"one\nTwo\n")
        with pytest.raises(SourceChanged, match=r"rows\.jsonl changed after it was validated, at line 1 or below"):
            read_span(file, span)

    def test_tells_that_the_file_is_gone(self, file: Path) -> None:
        with pytest.raises(SourceChanged, match=r"can no longer be read: No such file or directory"):
            read_span(file, Span(0, 1, 1, 1, ""))
        with pytest.raises(SourceChanged, match=r"can no longer be read"):
            file_digest(file)
