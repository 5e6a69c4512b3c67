"""Recorded rows in the store: light lines by column, trials beside them, chunks that are replaced, calibrations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from store_samples import any_text, check, completed, finish, ref, summary
from store_samples import run as new_run

from proctor.dataset import RECORDED
from proctor.dimension_scores import CalibrationScore, RowLine
from proctor.results import CheckKind, CheckResult, GateScore, GateStatus, Outcome, TrialRef, Verdict
from proctor.store import NewTrial, Pending, RowPlace, Store, open_store
from proctor.store.connection import Database, connect
from proctor.store.schema import upgrade
from proctor.store.scores import ScoredTrial

PLACE = RowPlace("evals/rows.jsonl", 1)
PLAIN = RowLine("a", "pii", "a", PLACE.source, 1, Outcome.PASSED)
FULL = RowLine(
    "b", "grounding", "case 7", PLACE.source, 2, Outcome.FAILED, 0.25, ("x", "y"), (("language", "en"), ("size", "1")),
    2**32 - 1, True, True, False,
)  # fmt: skip

OLD_STORE = [
    "DROP TABLE row_chunk",
    "DROP TABLE calibration",
    "DROP TABLE graded_text",
    "DROP TABLE review",
    "ALTER TABLE gate DROP COLUMN needed",
    *(
        f"ALTER TABLE {table} DROP COLUMN {name}"
        for table in ("trial", "answer")
        for name in ("cache_read_tokens", "cache_write_tokens")
    ),
    "UPDATE proctor_version SET version_num = '0001'",
    """
    INSERT INTO gate (run_id, position, name, agent, status, reason, threshold, members, ran, passed, skipped, failing,
      pinned_failed, pinned_missing)
    VALUES ('r1', 0, 'core', 'shop', 'not met', '1 of 2', 0.9, 2, 2, 1, 0, '["b"]', '[]', '["c"]')
    """,
]

row_lines = st.builds(
    RowLine,
    any_text,
    st.sampled_from(["pii", "cost"]),
    any_text,
    st.just(PLACE.source),
    st.integers(1, 2**40),
    st.sampled_from(Outcome),
    st.none() | st.floats(allow_nan=False),
    st.lists(any_text, max_size=2).map(tuple),
    st.lists(st.tuples(any_text, any_text), max_size=2).map(tuple),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.booleans(),
    st.none() | st.booleans(),
)


def trial(key: str, outcome: Outcome | None = Outcome.FAILED, *checks: CheckResult | Pending) -> ScoredTrial:
    wanted = checks or (check("pii", outcome or Outcome.FAILED),)
    return NewTrial(TrialRef(RECORDED, key, 0), completed(key)), outcome, list(wanted)


def read(store: Store, run_id: str = "r1") -> list[RowLine]:
    return list(store.row_lines(run_id))


class TestLines:
    def test_come_back_with_every_field(self, any_store: Store) -> None:
        any_store.save_rows("r1", PLACE, [PLAIN, FULL])
        assert read(any_store) == [PLAIN, FULL]
        assert [type(line.outcome) for line in any_store.row_lines("r1")] == [Outcome, Outcome]

    def test_may_be_none(self, any_store: Store) -> None:
        any_store.save_rows("r1", PLACE, [])
        assert read(any_store) == []
        assert any_store.row_chunks("r1") == {PLACE: 0}

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
    @given(st.lists(row_lines, max_size=6, unique_by=lambda line: line.key))
    def test_come_back_whatever_is_in_them(self, store: Store, lines: list[RowLine]) -> None:
        store.save_rows("r1", PLACE, lines)
        assert read(store) == lines

    def test_come_in_the_order_of_files_and_places(self, any_store: Store) -> None:
        places = [RowPlace("b.jsonl", 1), RowPlace("a.jsonl", 10_001), RowPlace("a.jsonl", 2), RowPlace("é\ud800", 1)]
        for place in places:
            any_store.save_rows("r1", place, [PLAIN._replace(key=f"{place.source} {place.line}", group="g")])
        found = [(line.source, line.key) for line in any_store.row_lines("r1")]
        assert found == [(place.source, f"{place.source} {place.line}") for place in sorted(places)]

    def test_of_another_run_do_not_shine_through(self, store: Store) -> None:
        store.save_rows("r1", PLACE, [PLAIN], [trial("a")])
        store.save_rows("r2", PLACE, [PLAIN])
        assert [line.outcome for line in store.row_lines("r2")] == [Outcome.PASSED]


class TestTrials:
    """Rows that no rule passed are trials too; the trial has the outcome."""

    def test_give_their_rows_the_outcome_that_they_have_now(self, any_store: Store) -> None:
        lines = [PLAIN, PLAIN._replace(key="j", outcome=Outcome.UNSCORED, judged=True), PLAIN._replace(key="f")]
        any_store.save_rows("r1", PLACE, lines, [trial("j", None, Pending("grounding")), trial("f")])
        assert any_store.row_chunks("r1") == {PLACE: 1}
        assert [line.outcome for line in read(any_store)] == [Outcome.PASSED, Outcome.UNSCORED, Outcome.FAILED]
        [waiting] = any_store.pending("r1", [TrialRef(RECORDED, key, 0) for key in "ajf"])
        verdict = check("grounding", kind=CheckKind.JUDGED, verdict=Verdict(True, "fine", "m"))
        any_store.save_verdicts("r1", [(waiting.ref, Outcome.PASSED, [(0, verdict)])])
        assert [line.outcome for line in read(any_store)] == [Outcome.PASSED, Outcome.PASSED, Outcome.FAILED]
        assert any_store.row_chunks("r1") == {PLACE: 1}, "a chunk that began with a question is looked at again"

    def test_are_told_apart_from_rows_that_a_rule_passed(self, any_store: Store) -> None:
        any_store.create_run(new_run("r1"))
        any_store.save_rows("r1", PLACE, [PLAIN, PLAIN._replace(key="f")], [trial("f")])
        finish(any_store, summary("r1"))
        assert [line.key for line in any_store.passed_rows("r1")] == ["a"]
        assert [line.key for line in any_store.results("r1").rows()] == ["a"]

    def test_of_an_agent_are_no_rows(self, any_store: Store) -> None:
        any_store.save_trials("r1", [NewTrial(TrialRef("bot", "a", 0), completed())])
        any_store.save_rows("r1", PLACE, [PLAIN])
        assert [line.key for line in any_store.passed_rows("r1")] == ["a"]
        assert read(any_store) == [PLAIN]

    def test_say_what_their_dimension_says_whatever_other_checks_say(self, any_store: Store) -> None:
        checks = [check("pii"), check("own", Outcome.FAILED)]
        waiting = trial("w", None, Pending("safety"), check("own"))
        any_store.save_rows("r1", PLACE, [], [trial("a", Outcome.FAILED, *checks), waiting])
        assert any_store.dimension_outcomes("r1") == {"a": Outcome.PASSED, "w": Outcome.UNSCORED}
        assert any_store.dimension_outcomes("r2") == {}

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
    @given(st.lists(any_text, max_size=4, unique=True))
    def test_have_any_key(self, store: Store, keys: list[str]) -> None:
        store.save_rows("r1", PLACE, [PLAIN._replace(key=key, group=key) for key in keys], [trial(key) for key in keys])
        assert [(line.key, line.outcome) for line in store.row_lines("r1")] == [(key, Outcome.FAILED) for key in keys]

    def test_have_any_key_on_postgresql_too(self, any_store: Store) -> None:
        keys = ["\x00", "\x10", "\ud83d", "é", "%_'\"\\", "a\x00b\x1b[31m"]
        lines = [
            PLAIN._replace(key=key, group=key[::-1], tags=(key,), slices=((key, key),), dimension="pii") for key in keys
        ]
        any_store.save_rows("r1", RowPlace("\x00\ud800.jsonl", 3), lines, [trial(key) for key in keys])
        expected = [line._replace(source="\x00\ud800.jsonl", outcome=Outcome.FAILED) for line in lines]
        assert read(any_store) == expected
        assert any_store.row_chunks("r1") == {RowPlace("\x00\ud800.jsonl", 3): 0}


class TestAChunkThatIsStoredAgain:
    def test_replaces_lines_and_trials(self, any_store: Store) -> None:
        lines = [PLAIN, PLAIN._replace(key="b", group="b")]
        any_store.save_rows("r1", PLACE, lines, [trial("a"), trial("b", None, Pending("grounding"))])
        any_store.save_rows("r1", PLACE, lines, [trial("b")])
        assert [line.outcome for line in read(any_store)] == [Outcome.PASSED, Outcome.FAILED]
        assert any_store.row_chunks("r1") == {PLACE: 0}
        assert any_store.pending("r1", [TrialRef(RECORDED, "b", 0)]) == []
        assert any_store.dimension_outcomes("r1") == {"b": Outcome.FAILED}

    def test_leaves_other_chunks_runs_and_agents_alone(self, any_store: Store) -> None:
        other = RowPlace(PLACE.source, 5_001)
        any_store.save_rows("r1", other, [PLAIN._replace(key="z", line=5_001)], [trial("z")])
        any_store.save_rows("r2", PLACE, [PLAIN], [trial("a")])
        any_store.save_trials("r1", [NewTrial(TrialRef("bot", "a", 0), completed())])
        for scored in ([trial("a")], []):
            any_store.save_rows("r1", PLACE, [PLAIN], scored)
        assert [(line.key, line.outcome) for line in read(any_store)] == [("a", Outcome.PASSED), ("z", Outcome.FAILED)]
        assert [line.outcome for line in read(any_store, "r2")] == [Outcome.FAILED]
        assert set(any_store.trial_refs("r1")) == {TrialRef("bot", "a", 0), TrialRef(RECORDED, "z", 0)}

    def test_is_stored_whole_or_not_at_all(self, store: Store) -> None:
        store.save_rows("r1", PLACE, [PLAIN], [trial("a")])

        def broken() -> Iterator[ScoredTrial]:
            yield trial("b")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            store.save_rows("r1", PLACE, [PLAIN._replace(key="b")], broken())
        assert [(line.key, line.outcome) for line in read(store)] == [("a", Outcome.FAILED)]


class TestCalibrations:
    @staticmethod
    def score(dimension: str, judge: str = "j", at: str = "2031-01-01T00:00:00.000Z", **more: Any) -> CalibrationScore:
        members = {"kappa": None, "low": None, "high": None, "bar": 0.85, "min_rows": 4, "trusted": False} | more
        return CalibrationScore(dimension, 4, 1, 1, 1, 1, status="so so", judge=judge, measured_at=at, **members)

    def test_come_back_by_dimension_the_newest_first(self, any_store: Store) -> None:
        old, new = (
            self.score("safety", "j1"),
            self.score("safety", "j2", "2031-02-01T00:00:00.000Z", kappa=0.5, low=-1.0),
        )
        any_store.save_calibrations("r2", [new, self.score("grounding")])
        any_store.save_calibrations("r1", [old])
        assert any_store.calibrations() == {"safety": [new, old], "grounding": [self.score("grounding")]}

    def test_of_a_run_are_replaced(self, any_store: Store) -> None:
        any_store.save_calibrations("r1", [self.score("safety"), self.score("grounding")])
        any_store.save_calibrations("r1", [self.score("safety", "other")])
        assert any_store.calibrations() == {"safety": [self.score("safety", "other")]}
        any_store.save_calibrations("r1", [])
        assert any_store.calibrations() == {}


class TestAStoreOfTheFirstVersion:
    @pytest.fixture(params=["sqlite", "postgresql"])
    def url(self, request: pytest.FixtureRequest) -> str:
        return request.getfixturevalue("postgresql_url") if request.param == "postgresql" else "sqlite:///old.db"

    def test_keeps_its_gates_and_gets_the_new_tables(self, url: str, tmp_path: Path) -> None:
        database = connect(url, tmp_path)
        self.make_old(database)
        database.close()
        with open_store(url, tmp_path) as store:
            assert store.gates("r1") == [
                GateScore("core", "shop", GateStatus.NOT_MET, "1 of 2", 0.9, 2, 2, 1, 0, ("b",), (), ("c",), needed=0)
            ]
            store.save_rows("r1", PLACE, [PLAIN, FULL])
            assert read(store) == [PLAIN, FULL]
            store.save_gates("r2", [GateScore("g", "a", GateStatus.MET, "", 1.0, 1, 1, 1, 0, needed=1)])
            assert store.gates("r2")[0].needed == 1
            store.save_trials("r2", [NewTrial(ref(), completed())])
            assert [line.usage for line in store.lines("r2")] == [completed().usage]

    @staticmethod
    def make_old(database: Database) -> None:
        """The tables of version 0001 with a gate in them: those of today, without what came later."""
        with database.writing() as connection:
            upgrade(connection)
            for statement in OLD_STORE:
                connection.execute(text(statement))
