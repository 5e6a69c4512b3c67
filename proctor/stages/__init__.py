"""The six stages as plain functions, so that they can be tested and run without an engine.

1. `validate`: a path and overrides become a Plan, or one SpecError with every problem of every file.
2. `execute`: a chunk of trials becomes trajectories; each is stored the moment it ends.
3. `deterministic`: trajectories become check results and pending judge requests; no network, no clock.
4. `judge`: pending requests become verdicts; what fails is unscored, never a fail.
5. `aggregate`: results become cases, gates, and one decision by one rule.
6. report: see `proctor_reports`.

What is caught where: an agent's exception ends its trial (`execute`), a check's exception makes that check unscored
(`deterministic`), a judge's ends its request (`proctor.judges`). Everything else ends the run with exit code 3.
"""
