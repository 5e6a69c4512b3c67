"""The published JSON Schema of transcripts, asked about a document."""

from __future__ import annotations

import functools
from typing import Any

from jsonschema import Draft202012Validator

from proctor.cli.schemas import read_schema


@functools.cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(read_schema("transcript"))


def schema_accepts(value: Any) -> bool:
    """Whether the schema accepts a document; what is no JSON value (a date, a set) is never accepted as text."""
    return bool(_validator().is_valid(value))
