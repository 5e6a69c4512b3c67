"""The two dialects of transcripts, one for each era: the schema of each, and what it says of a value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from proctor.brainbench.eras import Era
from proctor.formats.brainbench.acceptance import acceptance

if TYPE_CHECKING:
    from proctor.formats.brainbench.schema_errors import Schema, SchemaError

_FILES: Final = {Era.SEED: "transcript.json", Era.POST_AUDIT: "transcript.post-audit.json"}


@lru_cache(maxsize=len(_FILES))
def transcript_schema(dialect: Era) -> Mapping[str, Any]:
    """The JSON Schema (draft 2020-12) of a dialect."""
    text = (files("proctor.formats.brainbench") / "schemas" / _FILES[dialect]).read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def accepts(value: Any, dialect: Era) -> bool:
    """Whether a JSON value is a transcript of a dialect."""
    return _acceptance(dialect)(value)


def errors_of(value: Any, dialect: Era) -> list[SchemaError]:
    """Why a JSON value is no transcript of a dialect: none if it is one; see `Schema.errors` for their order."""
    return [] if accepts(value, dialect) else _schema(dialect).errors(value)


@lru_cache(maxsize=len(_FILES))
def _acceptance(dialect: Era) -> Callable[[Any], bool]:
    return acceptance(transcript_schema(dialect))


@lru_cache(maxsize=len(_FILES))
def _schema(dialect: Era) -> Schema:
    from proctor.formats.brainbench.schema_errors import Schema

    return Schema(transcript_schema(dialect))
