"""Runs vectors and says which differ. The kind of a vector is told from its keys, never from its file or id."""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.conformance.assevra_calibration import is_calibration_vector, run_calibration_vector
from tests.conformance.assevra_functions import is_function_vector, run_function_vector
from tests.conformance.assevra_history import is_history_vector, run_history_vector
from tests.conformance.assevra_rows import is_row_vector, run_row_vector
from tests.conformance.assevra_sets import is_out_of_reach, is_set_vector, run_set_vector
from tests.conformance.assevra_signing import is_sign_vector, run_sign_vector
from tests.conformance.brainbench_bridge import (
    is_bridge_vector,
    is_bundle_vector,
    run_bridge_vector,
    run_bundle_vector,
)
from tests.conformance.brainbench_categories import is_category_vector, run_category_vector
from tests.conformance.brainbench_companions import is_companion_vector, run_companion_vector
from tests.conformance.brainbench_evidence import is_evidence_vector, run_evidence_vector
from tests.conformance.brainbench_judges import is_judge_vector, run_judge_vector
from tests.conformance.brainbench_transcripts import (
    is_transcript_facts_vector,
    is_transcript_schema_vector,
    run_transcript_facts_vector,
    run_transcript_schema_vector,
)
from tests.conformance.gate_vectors import is_gate_vector, run_gate_vector
from tests.conformance.listed import RULES
from tests.conformance.pi_vectors import is_pi_vector, run_pi_vector
from tests.conformance.project_vectors import is_project_vector, run_project_vector
from tests.conformance.transcript_vectors import is_transcript_vector, run_transcript_vector
from tests.conformance.verdict import Difference, Vector

_BATCH = 40

KINDS: tuple[tuple[Callable[[Vector], bool], Callable[[Vector, Path], list[Difference]]], ...] = (
    (is_project_vector, run_project_vector),
    (is_gate_vector, run_gate_vector),
    (is_transcript_vector, run_transcript_vector),
    (is_row_vector, run_row_vector),
    (is_set_vector, run_set_vector),
    (is_history_vector, run_history_vector),
    (is_calibration_vector, run_calibration_vector),
    (is_function_vector, run_function_vector),
    (is_sign_vector, run_sign_vector),
    (is_pi_vector, run_pi_vector),
    (is_transcript_schema_vector, run_transcript_schema_vector),
    (is_transcript_facts_vector, run_transcript_facts_vector),
    (is_evidence_vector, run_evidence_vector),
    (is_judge_vector, run_judge_vector),
    (is_bridge_vector, run_bridge_vector),
    (is_bundle_vector, run_bundle_vector),
    (is_category_vector, run_category_vector),
    (is_companion_vector, run_companion_vector),
)
"""How each kind of vector is recognised and run."""


@dataclass(slots=True)
class Tally:
    """Counts, and a line for each vector that differs."""

    passed: int = 0
    failed: int = 0
    listed: int = 0
    skipped: int = 0
    lines: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """1 if a vector failed, or none passed."""
        return int(self.failed > 0 or self.passed == 0)

    def __iadd__(self, other: Tally) -> Tally:
        for name in ("passed", "failed", "listed", "skipped"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.lines += other.lines
        return self

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.listed} listed, {self.skipped} skipped"


def vector_files(folders: Iterable[Path]) -> list[Path]:
    """Every .jsonl file in or below the folders."""
    return sorted({path for folder in folders for path in ([folder] if folder.is_file() else folder.rglob("*.jsonl"))})


def read_vectors(paths: Iterable[Path]) -> Iterator[Vector]:
    """The vectors of files: JSON objects with an id and what is expected, or a suite that says it in its own way."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").split("\n"):
            vector = json.loads(line) if line.strip() else None
            if isinstance(vector, dict) and "id" in vector and ("expected" in vector or "suite" in vector):
                yield vector


def run_vectors(vectors: Iterable[Vector]) -> Tally:
    """Run vectors in temporary projects that share one store."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="conformance-") as name:
        os.environ["PROCTOR_STORE"] = f"sqlite:///{name}/store.db"
        try:
            for number, vector in enumerate(vectors):
                folder = Path(name, str(number))
                folder.mkdir()
                run_vector(vector, folder, tally)
        finally:
            del os.environ["PROCTOR_STORE"]
    return tally


def run_on_all_cores(vectors: Iterable[Vector]) -> Tally:
    """Run vectors in one process for each core; the lines come in the order of the vectors."""
    found = list(vectors)
    batches = [found[start : start + _BATCH] for start in range(0, len(found), _BATCH)]
    processes = min(os.cpu_count() or 1, len(batches))
    if processes <= 1:
        return run_vectors(found)
    tally = Tally()
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for part in pool.imap(run_vectors, batches):
            tally += part
    return tally


def run_vector(vector: Vector, folder: Path, tally: Tally) -> None:
    """Run one vector and count what came of it."""
    run = next((run for recognises, run in KINDS if recognises(vector)), None)
    if run is None or vector.get("about") == "pytest" or is_out_of_reach(vector):
        tally.skipped += 1
        return
    try:
        differences = run(vector, folder)
    except Exception as error:
        differences = [Difference("run", "no exception", f"{type(error).__name__}: {error}")]
    if not differences:
        tally.passed += 1
        return
    rule = next((rule for rule in RULES if rule.explains(vector, differences)), None)
    tally.listed += rule is not None
    tally.failed += rule is None
    text = "; ".join(map(str, differences))
    tally.lines.append(f"{vector['id']}: {f'listed ({rule.name})' if rule else 'FAILED'}: {text}")
