"""Cases that are not all in memory, read by many threads."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from user_project import UserProject

from proctor.config import load_project
from proctor.errors import SourceChanged
from proctor.stages import cases, reading
from proctor.stages.validate import compile_plan


class TestCases:
    @pytest.mark.parametrize("kept", [0, 4 * 4_096, 2**30])
    def test_are_read_again_by_any_number_of_threads(
        self, project: UserProject, monkeypatch: pytest.MonkeyPatch, kept: int
    ) -> None:
        names = [f"case-{number}" for number in range(8)]
        for name in names:
            project.case(name, user=name)
        monkeypatch.setattr(reading, "KEPT_BYTES", kept)
        monkeypatch.setattr(cases, "RECENT", 1)
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
        assert list(compiled.cases) == names[: kept // 4_096]

    def test_that_are_not_kept_are_what_they_were_at_validation(
        self, project: UserProject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project.case("one")
        monkeypatch.setattr(reading, "KEPT_BYTES", 0)
        compiled = compile_plan(project.root / "evals", load_project(project.root))
        project.case("one", user="something else")
        with pytest.raises(SourceChanged) as raised:
            cases.Cases(compiled.plan, compiled.cases)["one"]
        assert raised.value.message == "evals/one.yaml changed while the run was under way"
        assert raised.value.hint == "start the run again; what is done is kept"
