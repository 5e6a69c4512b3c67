"""What a report format is: a file name, and a module that opens a report and is handed one case after the other."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from proctor.dimension_scores import RowLine
from proctor.results import CaseDetail


class Format(NamedTuple):
    """A report format.

    ``module`` offers ``open_report(out, summary, files) -> Report``. It is imported when its format is written.
    """

    file: str
    module: str


class Report(Protocol):
    """A report that is being written. It keeps no more of a case than it has to: there may be 100,000."""

    def add(self, detail: CaseDetail) -> None:
        """Take the next case; cases come worst first."""
        ...

    def add_row(self, line: RowLine) -> None:
        """Take the next recorded row that a rule passed; rows come after all cases."""
        ...

    def finish(self) -> None:
        """Write what can only be written when all cases are known."""
        ...
