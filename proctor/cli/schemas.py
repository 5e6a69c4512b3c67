"""The JSON Schemas that Proctor publishes, as package data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

SCHEMAS: Final[Mapping[str, tuple[str, str]]] = {
    "transcript": ("proctor.formats", "schemas/transcript.schema.json"),
    "assevra": ("proctor.formats", "schemas/assevra.schema.json"),
    "pi": ("proctor.formats", "schemas/pi.schema.json"),
    "brainbench": ("proctor.formats.brainbench", "schemas/transcript.json"),
    "brainbench-post-audit": ("proctor.formats.brainbench", "schemas/transcript.post-audit.json"),
    "suite": ("proctor.formats", "schemas/suite.schema.json"),
    "agent": ("proctor.agents", "contract.schema.json"),
    "report": ("proctor_reports", "schemas/report.schema.json"),
    "scorecard": ("proctor_reports", "schemas/scorecard.schema.json"),
}
"""Package and file of each schema, by the name that ``proctor schema`` takes."""


def read_schema(name: str) -> dict[str, Any]:
    """The schema with this name; KeyError for an unknown one."""
    package, path = SCHEMAS[name]
    schema: dict[str, Any] = json.loads((files(package) / path).read_text(encoding="utf-8"))
    return schema
