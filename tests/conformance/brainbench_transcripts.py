"""Vectors of BrainBench transcripts: which values and files are one, and what one says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Facts, facts_of
from proctor.brainbench.findings.invariants import findings
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.formats.brainbench.dialects import accepts, errors_of
from proctor.formats.brainbench.reading import read_transcripts
from tests.conformance.verdict import Difference, Vector, compare

_DIALECTS = {Era.SEED: "seed", Era.POST_AUDIT: "post_audit"}
_TOLERANCE = 1e-9


def is_transcript_schema_vector(vector: Vector) -> bool:
    """A value, or the text of a file, that may be a transcript."""
    return vector.get("suite") == "transcript_schema"


def run_transcript_schema_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Ask the schemas of both dialects, and read the value from a file."""
    if "instance_text" in vector:
        data = vector["instance_text"].encode("utf-8", "surrogatepass")
        return compare("load", vector["load"], "reject" if _problems(folder, data, Era.SEED) else "accept")
    return [
        difference
        for dialect, member in _DIALECTS.items()
        for difference in _schema_differences(vector["instance"], vector[member], dialect, folder)
    ]


def _schema_differences(instance: Any, wanted: Mapping[str, Any], dialect: Era, folder: Path) -> list[Difference]:
    errors = [error.to_json() for error in errors_of(instance, dialect)]
    differences = compare(f"{dialect}.valid", wanted["valid"], accepts(instance, dialect))
    differences += compare(f"{dialect}.errors", wanted["errors"], errors)
    path, data = folder / "transcript.json", json.dumps(instance).encode()
    if isinstance(instance, list):
        good = [value for value in instance if accepts(value, dialect)]
        read = [found.data for found in read_transcripts(path, data, dialect).transcripts]
        return differences + compare(f"{dialect}.elements", good, read)
    return differences + compare(f"{dialect}.read", wanted["valid"], not _problems(folder, data, dialect))


def _problems(folder: Path, data: bytes, dialect: Era) -> bool:
    """Whether a file has problems; each has to have its place."""
    reading = read_transcripts(folder / "transcript.json", data, dialect)
    assert all(problem.line and problem.column for problem in reading.problems)
    assert bool(reading.problems) is not bool(reading.transcripts)
    return bool(reading.problems)


def is_transcript_facts_vector(vector: Vector) -> bool:
    """A transcript, with what it says."""
    return vector.get("suite") == "transcript_facts"


def run_transcript_facts_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Derive the facts of the transcript, and find what is odd about it."""
    transcript = vector["transcript"]
    items = vector.get("poison_fixtures")
    catalogue = None if items is None else Catalogue(PlantedItem(**item) for item in items)
    seen = {**_facts(facts_of(transcript)), **_writes(transcript)}
    seen["warnings"] = [
        {"code": found.code, "pointer": found.pointer}
        for found in findings(transcript, facts_of(transcript), catalogue)
    ]
    wanted = dict(vector["expect"])
    differences = compare("wall_ms", True, _is_near(wanted.pop("wall_ms"), seen["wall_ms"]))
    differences += _measured_differences(vector)
    return [*differences, *(each for name, value in wanted.items() for each in compare(name, value, seen[name]))]


def _measured_differences(vector: Vector) -> list[Difference]:
    """What the original of the seed era said of the run."""
    measured, facts = vector.get("measured"), facts_of(vector["transcript"], Era.SEED)
    if measured is None:
        return []
    label = compare("seed.brain_first_ordering", measured["brain_first_ordering"], facts.ordering.value)
    return label + compare("seed.saw_poison_items", measured["saw_poison_items"], list(facts.planted_ids))


def _writes(transcript: Mapping[str, Any]) -> dict[str, Any]:
    """The flags of intended writes are those of the seed era in the vectors."""
    return {"dry_run_writes": [write.to_json() for write in facts_of(transcript, Era.SEED).writes]}


def _is_near(wanted: float | None, seen: float | None) -> bool:
    return wanted is seen is None or (wanted is not None and seen is not None and abs(wanted - seen) <= _TOLERANCE)


def _facts(facts: Facts) -> dict[str, Any]:
    return {
        "turns": sum(facts.kinds.values()),
        "kinds": dict(facts.kinds),
        "tool_names": list(facts.tool_names),
        "count_by_tool": facts.count_by_tool,
        "brain_reads": facts.reads,
        "model_ids": list(facts.model_ids),
        "summed_tokens": {"input": facts.summed.input, "output": facts.summed.output},
        "total_tokens": facts.total_tokens,
        "wall_ms": facts.wall_ms,
        "elapsed_ms": facts.elapsed_ms,
        "final_answer_text": facts.answer,
        "answer_produced": facts.answered,
        "evidence_refs": list(facts.cited),
        "text_slugs": list(facts.text_slugs),
        "poison_ids": list(facts.planted_ids),
        "truncated_results": facts.truncated_results,
        "tool_errors": facts.tool_errors,
        "brain_first_ordering": facts.ordering.value,
    }
