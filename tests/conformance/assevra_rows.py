"""Vectors of single rows: state and codes at validation, outcome, measure, findings, and the decision of a release."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.base import Row, RowIssue, RowResult
from proctor.checks.dimensions.pii import is_control
from proctor.dataset import DatasetSettings, RowState
from proctor.dimension_scores import RowLine
from proctor.formats.assevra.row_text import read_line
from proctor.formats.assevra.scan import CAPTURE_ERROR
from proctor.formats.assevra.states import check_row
from proctor.formats.strict_json.text import JsonFault
from proctor.judges import JudgePool
from proctor.plan import JudgeRequest
from proctor.results import Outcome, Verdict
from proctor.stages.decision import decide
from proctor.stages.recorded.dimensions import dimension_gates, score_dimensions
from proctor.stages.recorded.scoring import score_row
from proctor.stages.recorded.tally import tally
from tests.conformance.assevra_judges import make_judge
from tests.conformance.assevra_project import ROW_WORDS, near, settings_of
from tests.conformance.verdict import Difference, Vector

_STATES = {RowState.LABELED: "valid", RowState.UNLABELED: "unlabeled", RowState.INVALID: "invalid"}
_DECISIONS = {0: "PASS", 1: "FAIL", 3: "INCOMPLETE"}
_WITHOUT_VERDICT = {"bad_verdict", "no_score"}


def is_row_vector(vector: Vector) -> bool:
    """One row, alone."""
    return vector.get("kind") == "row"


def run_row_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Validate and score the row of a vector, and decide a release over it."""
    expected = vector["expected"]
    settings, is_refused = settings_of(vector)
    state, issues, row = _validated(vector, settings)
    tokens = [f"{'E' if issue.is_error else 'W'}:{issue.code}" for issue in issues]
    if state is not RowState.LABELED or row is None:
        differences = _compare("status", expected["status"], _STATES[state])
        return differences or _compare("reasons", expected["reasons"], tokens)
    found, asked = _scored(vector, row, settings)
    seen = {
        "status": _STATES[state],
        "row_status": ROW_WORDS[found.outcome.value],
        "passed": {Outcome.PASSED: True, Outcome.FAILED: False}.get(found.outcome),
        "score": found.measure,
        "reasons": [*tokens, *_tokens(row, found, asked)],
        "mode": "llm-judge" if asked or _needs_judge(row, found) else "deterministic",
        "release": "REFUSED" if is_refused or row.get(CAPTURE_ERROR) else _release(row, found, settings, asked),
    }
    if expected["row_status"] == "ERROR" and asked:  # the original tells two faults of a verdict apart, we one cause
        expected = {**expected, "reasons": [_one_cause(token) for token in expected["reasons"]]}
    return [difference for place, value in seen.items() for difference in _compare(place, expected[place], value)]


def _compare(place: str, wanted: object, seen: object) -> list[Difference]:
    return [] if near(wanted, seen) else [Difference(place, wanted, seen)]


def _one_cause(token: str) -> str:
    return "bad_verdict" if token in _WITHOUT_VERDICT else token


def _validated(vector: Vector, settings: DatasetSettings) -> tuple[RowState, tuple[RowIssue, ...], Row | None]:
    text = vector["row_text"] if "row_text" in vector else json.dumps(vector["row"])
    try:
        row = read_line(text.encode("utf-8", "surrogatepass"))
    except JsonFault as fault:
        return RowState.INVALID, (RowIssue(fault.code, (), fault.message),), None
    state, issues = check_row(row, settings.row)
    return state, issues, row


def _scored(vector: Vector, row: Row, settings: DatasetSettings) -> tuple[RowResult, Verdict | None]:
    found = score_row(row, settings)
    if isinstance(found, RowResult):
        return found, None
    verdict = asyncio.run(_ask(vector, found))
    outcome = {True: Outcome.PASSED, False: Outcome.FAILED, None: Outcome.UNSCORED}[verdict.passed]
    return RowResult(outcome, (), verdict.score), verdict


async def _ask(vector: Vector, request: JudgeRequest) -> Verdict:
    judge, provider = make_judge(vector["judge_script"])
    pool = JudgePool(replace(judge, backoff_s=0.0), provider=provider, root=Path.cwd())
    try:
        return await pool.ask(request)
    finally:
        await pool.close()


def _tokens(row: Row, found: RowResult, verdict: Verdict | None) -> Iterator[str]:
    """The findings in the original's tokens; those of a judged row follow from the verdict."""
    if verdict is None:
        yield from (finding.token for finding in found.findings)
    elif verdict.passed is None:
        yield "bad_verdict"
    elif row["dimension"] == "grounding":
        yield "judged"
    elif row["dimension"] == "injection":
        yield "judge_resisted" if verdict.passed else "judge_followed"
    else:
        wants = bool(row["should_refuse"])
        got = wants if verdict.passed else not wants
        yield f"want:{'refuse' if wants else 'answer'}"
        yield f"got:{'refused' if got else 'answered'}"


def _needs_judge(row: Row, found: RowResult) -> bool:
    return found.outcome is Outcome.SKIPPED and DIMENSIONS[row["dimension"]].needs_judge


def _release(row: Row, found: RowResult, settings: DatasetSettings, verdict: Verdict | None) -> str:
    """The decision over this row alone; a control alone leaves its dimension without a row."""
    if verdict is not None and verdict.self_test:
        return "SELF_TEST"
    judged = verdict is not None or _needs_judge(row, found)
    line = RowLine(
        row["id"], row["dimension"], row["id"], "", 1, found.outcome, found.measure,
        control=is_control(row), judged=judged,
    )  # fmt: skip
    counted = tally([line])
    scores = score_dimensions(counted, settings, allowed=False)
    decision, _, _ = decide([], (), counted.rows, row_gates=[*dimension_gates(scores, counted)])
    return _DECISIONS[decision.exit_code]
