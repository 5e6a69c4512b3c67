"""The given vectors, and the runner itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.assevra_listed import RULES as ROW_RULES
from tests.conformance.assevra_sets import PEER_FILES
from tests.conformance.listed import RULES, TRANSCRIPT_RULES
from tests.conformance.mapping import ERROR_CODES, EXIT_CODES, attempt_fails
from tests.conformance.runner import KINDS, Tally, read_vectors, run_vector, run_vectors
from tests.conformance.verdict import Difference

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = sorted(HERE.rglob("*.jsonl"))


class TestTheGivenVectors:
    @pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
    def test_every_vector_of_a_file_gives_the_expected_outcome(self, path: Path) -> None:
        tally = run_vectors(read_vectors([path]))
        assert [line for line in tally.lines if ": FAILED: " in line] == []
        assert tally.passed > 0 or (path.stem == "peer_files" and PEER_FILES is None)

    @pytest.mark.parametrize("path", sorted(HERE.glob("brainbench/*.jsonl")), ids=lambda path: path.stem)
    def test_no_vector_of_brainbench_is_skipped(self, path: Path) -> None:
        recognised = [
            (vector["id"], sum(recognises(vector) for recognises, _ in KINDS)) for vector in read_vectors([path])
        ]
        assert [name for name, kinds in recognised if kinds != 1] == []
        assert len(recognised) == sum(1 for line in path.read_text(encoding="utf-8").split("\n") if line.strip())

    def test_there_are_vectors_of_every_kind(self) -> None:
        assert {path.stem for path in FILES} >= {
            "documents",
            "gates",
            "judge",
            "projects",
            "reply",
            "runs",
            "tools",
            "yaml_text",
        }


class TestListedDifferences:
    def test_each_rule_has_a_row_in_the_format_page(self) -> None:
        for rules, name in ((TRANSCRIPT_RULES, "transcript.md"), (ROW_RULES, "assevra.md")):
            page = (ROOT / "docs" / "formats" / name).read_text(encoding="utf-8")
            assert [rule.name for rule in rules if f"| `{rule.name}` |" not in page] == []

    def test_a_rule_never_explains_a_vector_that_is_not_marked(self) -> None:
        vector = {
            "id": "x",
            "transcript": {"turns": []},
            "agent_script": [[{"reply": None}]],
            "expected": {"crash_stage": "check"},
        }
        difference = [Difference("case outcome", "errored", "failed")]
        assert not any(rule.explains(vector, difference) for rule in RULES)
        assert any(rule.explains({**vector, "upstream_defect": "crash"}, difference) for rule in RULES)


class TestTheRunner:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path

    def _run(self, folder: Path, **vector: object) -> Tally:
        tally = Tally()
        run_vector({"id": "v", **vector}, folder, tally)
        return tally

    def test_a_wrong_expectation_is_told_with_wanted_and_seen(self, folder: Path) -> None:
        tally = self._run(
            folder,
            transcript={"id": "a", "turns": [{"user": "hi"}]},
            expected={"valid": False, "error_kind": "wrong_type"},
        )
        assert tally.failed == 1
        assert tally.lines == ["v: FAILED: valid: wanted False, seen True"]

    def test_a_wrong_verdict_is_found_in_the_exact_place(self, folder: Path) -> None:
        runs = [
            {
                "passed": True,
                "turns": [
                    {
                        "passed": True,
                        "checks": [{"check": "reply", "passed": True}],
                        "fields": {"reply_contains_any": True},
                    }
                ],
            }
        ]
        tally = self._run(
            folder,
            transcript={"id": "a", "turns": [{"user": "hi", "expect": {"reply_contains_any": ["x"]}}]},
            agent_script=[[{"reply": "y"}]],
            expected={
                "valid": True,
                "crashed": False,
                "passed": True,
                "pass_fraction": 1.0,
                "threshold": 0.8,
                "runs": runs,
            },
        )
        assert tally.failed == 1
        assert "runs[0].outcome: wanted 'passed', seen 'failed'" in tally.lines[0]

    def test_a_vector_of_an_unknown_kind_is_skipped_and_nothing_passed_is_exit_code_1(self, folder: Path) -> None:
        tally = self._run(folder, riddle=1, expected={})
        assert str(tally) == "0 passed, 0 failed, 0 listed, 1 skipped"
        assert tally.exit_code == 1

    def test_the_command_prints_the_tally_and_ends_with_its_exit_code(self, folder: Path) -> None:
        vector = {
            "id": "ok",
            "transcript": {"id": "a", "turns": [{"user": "hi"}]},
            "expected": {"valid": True, "schema_valid": True},
        }
        (folder / "any-name.jsonl").write_text(json.dumps(vector) + "\n\n", encoding="utf-8")
        command = [sys.executable, "-m", "tests.conformance", str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.stdout, done.returncode) == ("1 passed, 0 failed, 0 listed, 0 skipped\n", 0)


class TestTheMapping:
    def test_every_exit_code_of_pytest_has_one_of_ours(self) -> None:
        assert EXIT_CODES == {0: 0, 1: 1, 2: 2, 3: 3, 4: 2, 5: 2}

    def test_every_kind_of_error_in_the_vectors_has_codes(self) -> None:
        vectors = read_vectors(FILES)
        expected = [vector.get("expected", {}) for vector in vectors]
        kinds = {each["error_kind"] for each in expected if "error_kind" in each}
        assert kinds <= ERROR_CODES.keys()

    @pytest.mark.parametrize(
        ("answer", "fails"),
        [
            ({"passed": False}, False),
            ({"output": {"passed": "yes", "reasoning": "r"}}, False),
            ({"output": {"passed": 0.7, "reasoning": "r"}}, True),
            ({"output": {"passed": True}}, True),
            ({"text": "looks fine"}, True),
            ({"raise": "overloaded"}, True),
            ({"hang": True}, True),
        ],
    )
    def test_a_judge_attempt_fails_unless_it_is_a_verdict(self, answer: dict[str, object], fails: bool) -> None:
        assert attempt_fails(answer) is fails
