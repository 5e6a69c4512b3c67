"""The trace fixture of pi as a format: which files are one, their schema, and the case that each of them is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from pydantic_core import from_json

from proctor.formats.assevra.lines import BYTE_ORDER_MARK
from proctor.formats.base import Defaults, Loaded
from proctor.formats.pi import TYPES

_HEAD: Final = 2**16
_BEGINNING: Final = re.compile(rb'\{\s*"type"\s*:\s*"(?:meta|turn|assertions)"')


class PiFormat:
    """Trace fixtures of pi: a recorded trial and the assertions on it, one JSON record a line."""

    name = "pi"
    title = "pi trace fixture"
    rules_version = 1
    suffixes = (".jsonl",)

    @property
    def model(self) -> type[BaseModel]:
        """The model whose JSON Schema is published. Files are not read with it, so it is built when it is asked for."""
        from proctor.formats.pi.model import FixtureLine

        return FixtureLine

    def claims(self, path: Path) -> bool:
        """Every .jsonl file that begins with a record of a fixture, also with one that is misplaced or broken."""
        if path.suffix not in self.suffixes or not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                return self.recognises(file.read(_HEAD))
        except OSError:
            return False

    def recognises(self, data: bytes) -> bool:
        """Whether the first line is a record of a fixture, and no row of a data set."""
        first = data[:_HEAD].removeprefix(BYTE_ORDER_MARK).lstrip(b" \t\r\n").partition(b"\n")[0]
        try:
            record = from_json(first)
        except ValueError:
            return _BEGINNING.match(first) is not None
        return isinstance(record, dict) and record.get("type") in TYPES and "dimension" not in record

    def load(self, path: Path, data: bytes, defaults: Defaults) -> Loaded:
        """Read one file. A file with errors gives no case."""
        from proctor.formats.pi.loading import load_fixture

        return load_fixture(path, data, defaults)
