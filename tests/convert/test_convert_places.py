"""Nothing is replaced, and nothing is there by halves."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.convert import check_place, write_file
from proctor.convert.places import unwritable_told, whole_folder
from proctor.errors import UsageError


class TestAPlace:
    @pytest.mark.parametrize(
        ("name", "message", "hint"),
        [
            ("taken.jsonl", "taken.jsonl exists already", "name another place with --out, or move that one away"),
            ("link.jsonl", "link.jsonl exists already", "name another place with --out, or move that one away"),
            ("no/f.jsonl", "the folder of no/f.jsonl is not there", "make it: mkdir -p no"),
            ("f.json", "f.json does not end in .jsonl", "name it f.json.jsonl: it would not be found else"),
        ],
    )
    def test_that_cannot_be_written_to_is_refused(
        self, name: str, message: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("taken.jsonl").touch()
        Path("link.jsonl").symlink_to("nowhere")
        with pytest.raises(UsageError) as caught:
            check_place(Path(name))
        assert (caught.value.message, caught.value.hint) == (message, hint)

    def test_that_is_free_is_taken(self, tmp_path: Path) -> None:
        check_place(tmp_path / "f.jsonl")
        check_place(tmp_path / "folder", "")


class TestAFile:
    def test_that_somebody_else_wrote_meanwhile_is_kept(self, tmp_path: Path) -> None:
        out = tmp_path / "f.jsonl"
        out.write_text("theirs")
        with pytest.raises(UsageError, match="exists already"):
            write_file(out, b"ours\n")
        assert out.read_text() == "theirs"
        assert list(tmp_path.iterdir()) == [out]

    def test_that_cannot_be_written_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(UsageError, match=r"f\.jsonl cannot be written: Not a directory"):
            write_file(tmp_path / "file" / "f.jsonl", b"{}\n")


class TestAFolder:
    def test_is_there_as_a_whole(self, tmp_path: Path) -> None:
        with whole_folder(tmp_path / "out") as folder:
            (folder / "a").write_text("1")
            assert not (tmp_path / "out").exists()
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["a"]
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    def test_is_not_there_after_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError), whole_folder(tmp_path / "out") as folder:
            folder.joinpath("a").write_bytes(folder.joinpath("no").read_bytes())
        assert list(tmp_path.iterdir()) == []

    def test_does_not_replace_what_came_meanwhile(self, tmp_path: Path) -> None:
        out = tmp_path / "out"
        with pytest.raises(UsageError, match="exists already"), unwritable_told(out), whole_folder(out):
            out.mkdir()
        assert list(out.iterdir()) == []
