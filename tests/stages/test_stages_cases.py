"""Cases that are not all in memory, read by many threads."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from user_project import UserProject

from proctor.config import load_project
from proctor.stages import cases
from proctor.stages.validate import compile_plan


class TestCases:
    def test_are_read_again_by_any_number_of_threads(
        self, project: UserProject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        names = [f"case-{number}" for number in range(8)]
        for name in names:
            project.case(name, user=name)
        monkeypatch.setattr(cases, "KEPT", 1)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            compiled = compile_plan(project.root / "evals", load_project(project.root))
            found = cases.Cases(compiled.plan, compiled.cases)
            wanted = random.Random(1).choices(names, k=1_500)
            with ThreadPoolExecutor(8) as pool:
                users = list(pool.map(lambda name: found[name].turns[0].user, wanted))
        finally:
            sys.setswitchinterval(interval)
        assert users == wanted
