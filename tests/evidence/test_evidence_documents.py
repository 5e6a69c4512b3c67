from __future__ import annotations

import os
from pathlib import Path

import pytest

from proctor.errors import UsageError
from proctor.evidence import parse_document, read_document


class TestParsing:
    def test_integers_and_other_numbers_stay_apart(self) -> None:
        found = parse_document('{"a": [1, 1.0, -0.0], "b": {"a": null}}')
        assert found == {"a": [1, 1.0, -0.0], "b": {"a": None}}
        assert [type(number) for number in found["a"]] == [int, float, float]

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "report is no JSON: line 1, column 1: Expecting value"),
            ('{"a": 1,\n "b"}', "report is no JSON: line 2, column 5: Expecting ':' delimiter"),
            ('{"a": NaN}', "report holds NaN, which is no JSON number"),
            ("[-Infinity]", "report holds -Infinity, which is no JSON number"),
            ('{"x": {"a": 1, "b": 2, "\\u0061": 3}}', 'report has "a" twice in one object'),
            ("[" * 200_000, "report is nested too deeply to be read"),
            ("9" * 5000, "report holds an integer with too many digits to be read"),
        ],
    )
    def test_what_readers_could_understand_differently_is_refused(self, text: str, told: str) -> None:
        with pytest.raises(UsageError) as caught:
            parse_document(text, "report")
        assert caught.value.message == told

    def test_a_name_from_outside_is_safe_to_show(self) -> None:
        with pytest.raises(UsageError) as caught:
            parse_document('{"\\u001b[31m": 1, "\\u001b[31m": 2}')
        assert '"<1B>[31m" twice' in caught.value.message


class TestReading:
    def test_a_file_is_named_in_what_is_wrong_with_it(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        with pytest.raises(UsageError, match=r"a\.json cannot be read: No such file or directory"):
            read_document(path)
        path.write_bytes(b'"\xff"')
        with pytest.raises(UsageError, match=r"a\.json cannot be read: it is not UTF-8 text"):
            read_document(path)
        path.write_text("[1,]")
        with pytest.raises(UsageError, match=r"a\.json is no JSON: line 1"):
            read_document(path)
        path.write_text(' {"x": 1}\n')
        assert read_document(path) == {"x": 1}

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(UsageError, match="it is no regular file"):
            read_document(tmp_path / "pipe")

    def test_a_path_that_no_system_has_is_refused(self) -> None:
        with pytest.raises(UsageError, match="cannot be read: "):
            read_document(Path("a\0b"))
