"""File names of cases are safe and told apart, whatever the cases are called."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.convert.file_names import FileNames

names = st.text(max_size=6) | st.text("aA-~. /", max_size=4) | st.sampled_from(["con", "..", "a" * 300])


class TestFileNames:
    @given(st.lists(st.tuples(names, st.integers(1, 3)), max_size=12))
    def test_are_safe_on_every_system_and_never_alike(self, cases: list[tuple[str, int]]) -> None:
        taking = FileNames()
        taken = [taking.take(number, "agent", case) for case, number in cases]
        assert len({name.lower() for name in taken}) == len(cases)
        assert all(re.fullmatch(r"[A-Za-z0-9_~-]{1,120}", name) for name in taken)
        assert not any(name.startswith(("-", "~")) for name in taken)

    @pytest.mark.parametrize(
        ("case", "name"),
        [
            ("book-a-table", "book-a-table-1"),
            ("../../etc/passwd", "etc-passwd-1"),
            ("tests/evals/a.yaml::a", "tests-evals-a-yaml-a-1"),
            ("日本", "case-1"),
            ("con", "con-1"),
        ],
    )
    def test_are_made_of_the_case(self, case: str, name: str) -> None:
        assert FileNames().take(1, "", case) == name

    def test_tell_the_agents_apart(self) -> None:
        assert FileNames().take(2, "new", "a") == "new-a-2"

    def test_differ_where_the_letter_case_alone_does(self) -> None:
        taking = FileNames()
        assert [taking.take(1, "", case) for case in ("a", "A", "a", "a~2")] == ["a-1", "A-1~2", "a-1~3", "a-2-1"]

    def test_are_quick_where_all_are_alike(self) -> None:
        taking = FileNames()
        taken = {taking.take(1, "", "日" * number) for number in range(20_000)}
        assert len(taken) == 20_000
