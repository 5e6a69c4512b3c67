"""A file is there as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proctor.whole_file import whole_file


def test_is_there_when_the_block_has_ended_well(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with whole_file(path) as file:
        file.write('"ü \ud83d"\n')
        assert not path.exists()
    assert path.read_bytes() == '"ü \\ud83d"\n'.encode()
    assert list(tmp_path.iterdir()) == [path]


def test_leaves_nothing_when_the_block_fails(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(str(1 // 0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("links", [True, False])
def test_never_replaces_another_one_by_accident(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError("no links here")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "rows.jsonl"
    with pytest.raises(FileExistsError), whole_file(path):
        path.write_text("theirs")
    assert (path.read_text(), len(list(tmp_path.iterdir()))) == ("theirs", 1)
    path.unlink()
    with whole_file(path) as file:
        file.write("mine")
    assert path.read_text() == "mine"


def test_replaces_one_where_it_is_told_to(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("old")
    with whole_file(path, replace=True) as file:
        file.write("new")
    assert path.read_text() == "new"
