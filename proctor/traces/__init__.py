"""From traces of an agent at work to drafts of rows that its answers can be evaluated with.

- `import_traces` reads a file and writes a new one with rows.
- `FORMATS` names the kinds of files: OpenTelemetry spans, OpenAI and Anthropic logs, CSV, JSON of any other shape.
- `to_rows` drafts the rows of one trace; `DRAFTS` says how for each dimension.

To add a kind of file, write a module that meets `proctor.traces.base.TraceFormat` and name it in
`proctor.traces.detection`.
"""

from __future__ import annotations

from proctor.traces.base import TraceRow
from proctor.traces.detection import FORMATS
from proctor.traces.field_names import FieldNames
from proctor.traces.importing import Imported, import_traces
from proctor.traces.rows import DRAFTS, Draft, to_rows

__all__ = ["DRAFTS", "FORMATS", "Draft", "FieldNames", "Imported", "TraceRow", "import_traces", "to_rows"]
