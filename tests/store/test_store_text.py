"""Any text, as hostile as it may be, survives the store: ids, names, reasons, replies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_samples import any_text, case, checks, finish, gates, run, summary, trajectories

from proctor.results import CheckResult, GateScore, Outcome, TrialRef
from proctor.store import NewTrial, Store, new_run_id, open_store
from proctor.trajectory import Trajectory

few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["sqlite", "postgresql"])
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else None
    with open_store(url, tmp_path) as opened:
        yield opened


@few
@given(any_text, any_text, any_text, trajectories, st.lists(checks, max_size=3), st.lists(gates, max_size=1))
def test_everything_of_a_run_comes_back_as_it_was(
    hostile: Store,
    agent: str,
    key: str,
    text: str,
    trajectory: Trajectory,
    results: list[CheckResult],
    gate: list[GateScore],
) -> None:
    run_id = new_run_id()
    made = run(run_id, text, name=text, spec=text, selection=text, host=text, provenance={text: text})
    score = case(key, Outcome.FAILED, agent, reason=text, tags=(text,), markers=(text,), source=text)
    place = TrialRef(agent, key, 0)
    hostile.create_run(made)
    hostile.save_trials(run_id, [NewTrial(place, trajectory, text, {text: text}, cacheable=True)])
    hostile.save_scores(run_id, [(place, Outcome.FAILED, results)])
    hostile.save_cases(run_id, [score])
    hostile.save_gates(run_id, gate)
    hostile.save_report(run_id, text, text, text)
    assert hostile.find_run(run_id) == made
    finish(hostile, summary(run_id, reason=text))

    [detail] = hostile.results(run_id).cases()
    assert (detail.score, detail.trials[0].ref) == (score, place)
    assert (detail.trials[0].trajectory, detail.trials[0].checks) == (trajectory, tuple(results))
    assert hostile.trajectories(run_id, [place]) == {place: trajectory}
    assert hostile.gates(run_id) == gate
    assert hostile.reports(run_id)[0].path == text
    assert run_id in [found.id for found in hostile.runs(text)]


@few
@given(st.lists(any_text, unique=True, max_size=8))
def test_keys_of_any_text_stay_apart_and_are_found_again(hostile: Store, keys: list[str]) -> None:
    run_id = new_run_id()
    places = [TrialRef(key, key, 0) for key in keys]
    hostile.save_trials(run_id, [NewTrial(place, Trajectory.from_json(COMPLETED)) for place in places])
    assert hostile.trial_refs(run_id).keys() == set(places)
    assert hostile.trajectories(run_id, places).keys() == set(places)


COMPLETED = {"ending": "completed", "turns": [], "usage": {}, "latency_ms": 0.0, "attempts": 1}
