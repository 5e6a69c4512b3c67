"""The Assevra data set as a format: which files are one, their schema, and the pass over their rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel
from pydantic_core import from_json

from proctor.dataset import Row, RowSettings
from proctor.formats.assevra.lines import BYTE_ORDER_MARK

if TYPE_CHECKING:
    from proctor.formats.assevra.scan import Scan
    from proctor.formats.assevra.seen_ids import SeenIds
    from proctor.formats.assevra.states import RowCheck

_HEAD: Final = 2**16
_ROW_KEY: Final = re.compile(rb'(?<!\\)"(?:dimension|agent_output)"\s*:')


class AssevraFormat:
    """Data sets of Assevra: recorded rows, one JSON object a line."""

    name = "assevra"
    title = "Assevra data set"
    rules_version = 1
    suffixes = (".jsonl",)

    @property
    def model(self) -> type[BaseModel]:
        """The model whose JSON Schema is published. Rows are not read with it, so it is built when it is asked for."""
        from proctor.formats.assevra.dataset_model import DatasetRow

        return DatasetRow

    def claims(self, path: Path) -> bool:
        """Every .jsonl file that is no trace, also an empty one and one that cannot be looked at."""
        if path.suffix not in self.suffixes or not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                return not _is_trace(file.read(_HEAD))
        except OSError:
            return True

    def recognises(self, data: bytes) -> bool:
        """Whether a row's keys are at the beginning, also in lines that are broken."""
        head = data[:_HEAD]
        return not _is_trace(head) and _ROW_KEY.search(head) is not None

    def scan(
        self,
        path: Path,
        shown: Path,
        settings: RowSettings,
        *,
        strict: bool,
        ids: SeenIds,
        wanted: Callable[[Row], bool] | None = None,
        check: RowCheck | None = None,
    ) -> Scan:
        """Check every row of a file; see `proctor.formats.assevra.scan.scan`.

        Raises:
            OSError: the file cannot be read.
        """
        from proctor.formats.assevra.scan import scan

        return scan(path, shown, settings, strict=strict, ids=ids, wanted=wanted, check=check)


def _is_trace(head: bytes) -> bool:
    """Whether the first line is that of a trace: those begin with a ``type``."""
    first = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0]
    try:
        row = from_json(first)
    except ValueError:
        return False
    return isinstance(row, dict) and "type" in row and "dimension" not in row
