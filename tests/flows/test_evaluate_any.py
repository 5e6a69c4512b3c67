"""The flow ``evaluate`` takes the path of a spec as a parameter, and a suite names code: so it stays in the project."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest


class TestPath:
    @pytest.mark.parametrize("spec", ["../other/evil.suite.yaml", "/evil.suite.yaml", "evals/../../evil.suite.yaml"])
    def test_a_spec_outside_of_the_project_is_not_run(
        self, spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from proctor_flows.evaluate import evaluate

        (tmp_path / "prefect.yaml").touch()
        monkeypatch.chdir(tmp_path)
        state = asyncio.run(evaluate.fn(spec))
        assert (state.type, state.name) == ("FAILED", "Invalid spec")
        assert state.message == f"{spec} is not below the project's root {tmp_path}"
