"""Renders the results of a run.

- `write_reports` writes HTML, Markdown, JUnit and JSON files in one pass over the cases.
- `FORMATS` names the formats that there are.
- `proctor_reports.terminal.render_terminal` gives the short summary for a terminal.
"""

from __future__ import annotations

from proctor_reports.contract import Format, Report
from proctor_reports.writing import FORMATS, write_reports

__all__ = ["FORMATS", "Format", "Report", "write_reports"]
