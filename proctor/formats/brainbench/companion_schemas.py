"""The JSON Schemas of the files around transcripts: what agents and judges are shown, scorecards, tools, corpora.

They are package data, written for Proctor; what they accept is what the benchmark's own schemas accept, with formats
asserted. A schema that the audit changed has a second file.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.formats.brainbench.schema_errors import Schema, SchemaError

PUBLIC_PROBE: Final = "public-probe"
SCORECARD: Final = "scorecard"
EVIDENCE_CONTRACT: Final = "evidence-contract"
TOOL_SCHEMA: Final = "tool-schema"
CORPUS_MANIFEST: Final = "corpus-manifest"

COMPANION_SCHEMAS: Final = (PUBLIC_PROBE, SCORECARD, EVIDENCE_CONTRACT, TOOL_SCHEMA, CORPUS_MANIFEST)
"""The names of the schemas."""


def companion_errors(name: str, instance: Any, era: Era = Era.POST_AUDIT) -> list[SchemaError]:
    """The errors of an instance against one of `COMPANION_SCHEMAS`, sorted by pointer, keyword and property.

    Raises:
        KeyError: there is no such schema.
    """
    return _schema(name, era).errors(instance)


def companion_schema(name: str, era: Era = Era.POST_AUDIT) -> dict[str, Any]:
    """One of `COMPANION_SCHEMAS` as JSON.

    Raises:
        KeyError: there is no such schema.
    """
    if name not in COMPANION_SCHEMAS:
        raise KeyError(name)
    folder = files("proctor.formats.brainbench") / "schemas" / "companions"
    changed = folder / f"{name}.{era.value}.json"
    file = changed if changed.is_file() else folder / f"{name}.json"
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema


@cache
def _schema(name: str, era: Era) -> Schema:
    return Schema(companion_schema(name, era))
