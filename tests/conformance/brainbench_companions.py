"""Vectors of the files beside BrainBench transcripts: instances of companion schemas, and sets of queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proctor.brainbench.eras import Era
from proctor.brainbench.retrieval.query_set import query_set_issues, shown_to_adapter
from proctor.formats.brainbench.companion_schemas import companion_errors
from tests.conformance.verdict import Difference, Vector, compare

_MEMBERS = {Era.SEED: "seed", Era.POST_AUDIT: "post_audit"}


def is_companion_vector(vector: Vector) -> bool:
    """An instance of a companion schema, or a query set."""
    return vector.get("suite") in {"companion_schema", "probe_set"}


def run_companion_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Apply the schema, or the rules of query sets, in each era that the vector speaks of."""
    return [
        difference
        for era, member in _MEMBERS.items()
        if member in vector
        for difference in _differences(vector, vector[member], era)
    ]


def _differences(vector: Vector, wanted: Mapping[str, Any], era: Era) -> Iterator[Difference]:
    if vector["suite"] == "companion_schema":
        errors = [error.to_json() for error in companion_errors(vector["schema"], vector["instance"], era)]
        yield from compare(f"{era}.valid", wanted["valid"], not errors)
        yield from compare(f"{era}.errors", wanted["errors"], errors)
    elif "query" in vector:
        yield from compare(f"{era}.shown", wanted["shown"], shown_to_adapter(vector["query"], era))
    else:
        issues = [
            {"query_id": issue.query_id, "field": issue.field} for issue in query_set_issues(vector["queries"], era)
        ]
        yield from compare(f"{era}.ok", wanted["ok"], not issues)
        yield from compare(f"{era}.issues", wanted["issues"], issues)
