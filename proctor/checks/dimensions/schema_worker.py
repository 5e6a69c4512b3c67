"""The process that checks arguments against a JSON Schema: ``[tool, schema, arguments]`` in, a list of findings out."""

from __future__ import annotations

from typing import Any

from proctor.checks.dimensions.argument_schema import check_arguments
from proctor.checks.dimensions.base import Finding
from proctor.checks.worker_process import serve


def _check(question: Any) -> list[Finding]:
    tool, schema_text, arguments = question
    return check_arguments(tool, schema_text, arguments)


if __name__ == "__main__":
    serve(_check)
