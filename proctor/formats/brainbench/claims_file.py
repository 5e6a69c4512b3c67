"""A file of claims (category 5) as cases: no agent plays them, a judge labels each from the pages of its sources."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from proctor.brainbench.probes import PROVENANCE, Claim, Companions
from proctor.brainbench_plan import CompanionFile
from proctor.checks.brainbench import ClaimCheck
from proctor.errors import Problem, Severity
from proctor.formats.base import Defaults, Loaded
from proctor.formats.brainbench.companions.reading import load_companions
from proctor.formats.brainbench.companions.records import Kind, Record, records_of
from proctor.formats.strict_json.document import read_json_file
from proctor.plan import RECORDING, Case, Outline, Recorded, Turn
from proctor.results import TrialRef
from proctor.trajectory import Ending, Trajectory, TurnRecord

_ROLE: Final = "claims"
_HEAD: Final = 2**16
_LABELLED: Final = re.compile(rb'"expected_label"[ \t\r\n]*:')
_CLAIMED: Final = re.compile(rb'"claim_text"[ \t\r\n]*:')


def is_claims_file(data: bytes) -> bool:
    """Whether a file begins with claims: texts with the label that is expected of a judge."""
    head = data[:_HEAD]
    return _LABELLED.search(head) is not None and _CLAIMED.search(head) is not None


def load_claims(path: Path, data: bytes, defaults: Defaults) -> Loaded:
    """Read a file of claims, or an input catalogue of them. The pages may stand in it, or in the suite's gold files.

    A file with errors gives no case.
    """
    file = CompanionFile(_ROLE, path, hashlib.sha256(data).hexdigest())
    reading = load_companions((file, *defaults.brainbench.files))
    problems = tuple(problem for problem in reading.problems if problem.path == path)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return Loaded((), problems)
    claims = reading.companions.claims
    places = [(record, claims[record.value["id"]]) for record in _records(path, data)]
    if not places:
        empty = Problem(
            path, "no_claims", "holds no claim", hint="a claim has id, source_page, claim_text, expected_label"
        )
        return Loaded((), (*problems, empty))
    cases = (_case(record, claim, index, reading.companions) for index, (record, claim) in enumerate(places))
    return Loaded(tuple(cases), problems)


def _records(path: Path, data: bytes) -> list[Record]:
    documents, _ = read_json_file(path, data)
    found = (record for document in documents for record in records_of(document, _ROLE))
    return [record for record in found if isinstance(record, Record) and record.kind is Kind.CLAIM]


def _case(record: Record, claim: Claim, index: int, companions: Companions) -> Case:
    line, _ = record.document.place(record.pointer)
    outline = Outline(
        key=claim.id,
        id=claim.id,
        runs=1,
        threshold=1.0,
        index=index,
        line=line,
        tags=(f"category {PROVENANCE}",),
        judges=("",),
        recorded=TrialRef(RECORDING, claim.id, 0),
    )
    trajectory = Trajectory(Ending.COMPLETED, (TurnRecord(f"What {claim.source_page} claims:", claim.text),))
    return Case(outline, (Turn(""),), (ClaimCheck(claim, companions),), Recorded(trajectory, claim))
