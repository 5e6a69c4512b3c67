"""The real Assevra, on random recorded rows: states, codes, verdicts, figures and decisions are the same.

What differs differs by a rule that the format's page names (`assevra_rules`). ``PROCTOR_DIFFERENTIAL_ROWS`` sets the
number of rows; more of them find rarer differences.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from assevra_replies import judged_row, make_reply
from assevra_rows import RowSource
from assevra_rules import Rules, Unexplained
from assevra_scorecard import expected_of
from assevra_sides import Ours, Row, Theirs, settings_with

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.pii import is_control
from proctor.dataset import DatasetSettings, RowState
from proctor.judges import JudgePool
from proctor.judges.row_verdict import read_row_verdict
from proctor.judges.self_test import ask_self_test
from proctor.plan import JudgeRequest
from proctor.stages.recorded.scoring import score_row
from tests.conformance.assevra_judges import make_judge
from tests.conformance.assevra_listed import RULES
from tests.conformance.assevra_project import config_of, evaluate_rows, write_project, write_rows
from tests.conformance.assevra_sets import score_differences

pytestmark = pytest.mark.requires("assevra")

ROWS: Final = int(os.environ.get("PROCTOR_DIFFERENTIAL_ROWS", "9000"))
SHOWN: Final = 5

PRICES: Final = {"input_per_mtok": 3, "output_per_mtok": 15}
CONFIGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "defaults": {},
    "budgets and prices": {"budgets": {"cost_usd": 0.3, "latency_ms": 900, "price": PRICES}},
    "prices": {"budgets": {"price": {"input_per_mtok": 0.25, "output_per_mtok": 1.25}}},
}
OUTCOMES: Final = {True: "PASS", False: "FAIL", None: "ERROR"}


@pytest.fixture(scope="module")
def peer(require: Callable[[str], Path]) -> Iterator[Any]:
    """The package, from the folder that peers are in."""
    folder = str(require("assevra"))
    sys.path.append(folder)
    try:
        import assevra

        yield assevra
    finally:
        sys.path.remove(folder)


class TestARow:
    @pytest.mark.parametrize("name", CONFIGS)
    def test_is_seen_as_the_original_sees_it_but_for_the_listed_rules(self, peer: Any, name: str) -> None:
        config, source = CONFIGS[name], RowSource(f"rows, {name}")
        theirs, ours, rules = Theirs(peer, config), Ours(config), Rules(peer.schemas.load("dataset"), config)
        used, unexplained = set[str](), list[str]()
        for number, row in enumerate(source.rows(ROWS // len(CONFIGS)), 1):
            first, second = theirs.see(row, number), ours.see(row, number)
            try:
                used |= rules.explain(row, first, second)
            except Unexplained as why:
                unexplained.append(f"{why}\n  {row}\n  the original: {first}\n  we: {second}")
        assert not unexplained, "\n".join([f"{len(unexplained)} rows", *unexplained[:SHOWN]])
        assert used <= {rule.name for rule in RULES}


class TestADataSet:
    @pytest.mark.parametrize("seed", range(max(12, ROWS // 1000)))
    def test_has_the_same_figures_and_the_same_decision(self, peer: Any, tmp_path: Path, seed: int) -> None:
        dice, source = random.Random(f"sets, {seed}"), RowSource(f"sets, {seed}")
        names = dice.sample(tuple(DIMENSIONS)[dice.random() < 0.8 :], dice.randint(1, 5))
        rows = source.sane_rows(dice.choice((5, 40, 150)), names, dice.randint(1, 5))
        args = _arguments(dice, names)
        path = tmp_path / "rows.jsonl"
        write_project(tmp_path, config_of({}, args), None)
        write_rows(path, {"rows": _agreed(peer, rows, is_strict=seed % 10 == 9)})
        expected, found = _evaluated(peer, path, args), asyncio.run(evaluate_rows(path, None))
        assert score_differences(expected, found) == [], f"seed {seed}: {args}"


class TestAJudgedRow:
    """Replies of one judge, in the form that they should have and in any other."""

    @pytest.mark.parametrize("dimension", ["grounding", "safety", "injection"])
    def test_gets_the_same_verdict_for_the_same_reply(self, peer: Any, dimension: str) -> None:
        dice = random.Random(f"replies, {dimension}")
        replies = [make_reply(dice) for _ in range(min(ROWS // 75, 1000))]
        rows = [judged_row(dimension, number) for number in range(len(replies))]
        wanted = [_their_verdict(peer, row, reply) for row, reply in zip(rows, replies, strict=True)]
        seen = asyncio.run(_our_verdicts(rows, replies))
        for row, reply, first, second in zip(rows, replies, wanted, seen, strict=True):
            assert first == second, (row, reply)

    def test_gets_a_verdict_where_the_original_reads_one(self, peer: Any) -> None:
        dice = random.Random("texts")
        for _ in range(ROWS // 4):
            reply = make_reply(dice)
            found = peer.judge.Judge("scripted", lambda _: reply).score_json("?")  # noqa: B023
            assert (read_row_verdict(reply) is None) is ("_parse_error" in found), reply


class TestTheSelfTest:
    @pytest.mark.parametrize("dimension", ["grounding", "safety", "injection"])
    def test_says_what_the_mock_judge_says(self, peer: Any, dimension: str) -> None:
        source, settings = RowSource(f"mock, {dimension}"), settings_with({}, has_judge=True)
        judge = peer.judge.build_judge(provider="mock")
        for row in source.sane_rows(ROWS // 12, [dimension]):
            question = score_row(row, settings)
            if not isinstance(question, JudgeRequest):
                continue
            (theirs,) = peer.registry.get_scorer(dimension).score([row], judge, {}).rows
            ours = ask_self_test(question)
            assert (theirs.status, theirs.raw_score) == (OUTCOMES[ours.passed], ours.score), (row, theirs.detail)


def _agreed(peer: Any, rows: Iterator[Row], *, is_strict: bool) -> list[Row]:
    """The rows on which both sides agree, so that only what is made of them is compared.

    Rows that have the data set refused are among them only if ``is_strict``. Left out is what only the decision treats
    otherwise: an injection that neither a marker nor a judge decides, a control that is missed, and controls alone.
    """
    theirs, ours = Theirs(peer, {}), Ours({})
    kept = []
    for number, row in enumerate(rows, 1):
        first, second = theirs.see(row, number), ours.see(row, number)
        is_open = row["dimension"] == "injection" and second.outcome == "SKIPPED"
        is_missed = "control" in second.said and second.outcome == "FAIL"
        is_scored = second.state == RowState.LABELED.name or is_strict
        is_whole = "\\ud" not in json.dumps(row)  # of half a character the original can make no checksum
        if first.compared == second.compared and is_scored and is_whole and not is_open and not is_missed:
            kept.append(row)
    answers = any(row["dimension"] == "pii" and not is_control(row) for row in kept)
    return [row for row in kept if answers or not is_control(row)]


def _arguments(dice: random.Random, names: Sequence[str]) -> dict[str, Any]:
    """Arguments of a run. Where dimensions are required, one that nothing decides is among them.

    For the original it would be missing only then; we always say so.
    """
    required = dice.sample(names, dice.randint(0, len(names)))
    return {
        "pass_k": dice.randint(1, 4),
        "thresholds": {name: round(dice.random() ** 2, 2) for name in names if dice.random() < 0.8},
        "required_dimensions": list(dict.fromkeys([*required, *({"grounding"} & set(names))])) if required else [],
    }


def _evaluated(peer: Any, path: Path, args: Mapping[str, Any]) -> dict[str, Any]:
    """What the original makes of a data set. A row that cannot be scored has it refused."""
    try:
        return expected_of(peer.evaluate(dataset=str(path), judge_provider="none", config={}, **args))
    except peer.DatasetError:
        return {"outcome": "refused"}


def _their_verdict(peer: Any, row: Row, reply: str) -> tuple[str, float | None]:
    judge = peer.judge.Judge("scripted", lambda _: reply)
    (found,) = peer.registry.get_scorer(row["dimension"]).score([row], judge, {}).rows
    return found.status, found.raw_score


async def _our_verdicts(rows: Sequence[Row], replies: Sequence[str]) -> list[tuple[str, float | None]]:
    settings = settings_with({}, has_judge=True)
    judge, provider = make_judge({"kind": "scripted", "replies": replies})
    pool = JudgePool(replace(judge, backoff_s=0.0), provider=provider, root=Path.cwd())
    try:
        verdicts = [await pool.ask(_question(row, settings)) for row in rows]
    finally:
        await pool.close()
    return [(OUTCOMES[verdict.passed], verdict.score) for verdict in verdicts]


def _question(row: Row, settings: DatasetSettings) -> JudgeRequest:
    found = score_row(row, settings)
    assert isinstance(found, JudgeRequest), row
    return found
