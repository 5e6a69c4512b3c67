"""``proctor import`` on a run of pi, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from user_project import UserProject

SPECS = Path(__file__).parents[2] / "specs"
SAMPLE = SPECS / "pi" / "session-v3.jsonl"
DIGEST = "0123456789abcdef" * 4
SAID = ("--pi-version", "0.73.1", "--system-prompt-hash", DIGEST)


def records(project: UserProject) -> list[Any]:
    return [json.loads(line) for line in (project.root / "f.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]


class TestImport:
    @pytest.mark.parametrize("kind", [(), ("--format", "pi")])
    def test_says_what_it_read_wrote_left_out_masked_and_proposed(
        self, project: UserProject, kind: tuple[str, ...]
    ) -> None:
        sample = project.write("session.jsonl", SAMPLE.read_bytes()).name
        ended = project.proctor("import", sample, "--out", "f.jsonl", *SAID, *kind)
        assert ended.code == 0, ended.err
        assert ended.out.splitlines() == [
            'read 9 turns (pi session, format 3), wrote fixture "5c0c2f0e-6d0b-4f7e-9d0e-2f6d1a7b8c90" to f.jsonl',
            "  turns: 1 user, 4 assistant, 4 toolResult",
            "  proposed: tool_called for 4 calls and trace_max_turns; keep the assertions that matter",
            "  masked 2 secrets (1 url-password, 1 named-value) and 1 home path; --no-mask keeps them",
            "next: proctor validate f.jsonl",
        ]
        assert ended.err.splitlines() == [
            (
                "session.jsonl: warning [other_branches] 2 messages are on other branches (--leaf takes another one, "
                "by its last entry: a1000009)"
            ),
            (
                "session.jsonl:11:1: warning [failed_turn] assistant turn with stopReason aborted dropped (what its "
                "calls returned is left out too; --keep-failed takes both)"
            ),
            "2 warnings in 1 file",
        ]
        assert [record["type"] for record in records(project)] == ["meta", *["turn"] * 9, "assertions"]

    def test_takes_what_the_user_says(self, project: UserProject) -> None:
        prompt = project.write("prompt.txt", "Be kind.")
        options = ("--fixture-id", "cake", "--scenario", "A cake", "--leaf", "a1000009", "--pi-version", "0.73.1")
        ended = project.proctor(
            "import", SAMPLE, "--out", "f.jsonl", *options, "--system-prompt", prompt, "--keep-failed", "--no-mask"
        )
        assert ended.code == 0, ended.err
        assert 'wrote fixture "cake" to f.jsonl\n' in ended.out
        assert "masked" not in ended.out
        meta, *turns, _ = records(project)
        assert (meta["fixtureId"], meta["scenario"], turns[-1]["content"]) == (
            "cake", "A cake", "And a cake?",
        )  # fmt: skip
        assert "olive-oil-88@db.example" in json.dumps(turns)

    def test_an_event_stream_without_calls(self, project: UserProject) -> None:
        said = {"role": "user", "content": "hi", "timestamp": 0}
        project.write("events.jsonl", json.dumps({"type": "message_end", "message": said}) + "\n\n{]\n")
        options = (*SAID, "--fixture-id", "\x1b[31m", "--scenario", "", "--lenient")
        ended = project.proctor("import", "events.jsonl", "--out", "f.jsonl", *options)
        assert ended.code == 0
        assert ended.out.splitlines() == [
            'read 1 turn (pi event stream), wrote fixture "<1B>[31m" to f.jsonl',
            "  turns: 1 user",
            "  proposed: trace_max_turns; keep the assertions that matter",
            "next: proctor validate f.jsonl",
        ]
        assert ended.err.splitlines() == [
            (
                "events.jsonl:3:1: warning [invalid_json] is no JSON: Expecting property name enclosed in double "
                "quotes at column 2; ignored"
            ),
            "1 warning in 1 file",
        ]

    def test_secrets_of_the_environment_are_masked(self, project: UserProject, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LEDGER_TOKEN", "T-2071;Robin;4")
        ended = project.proctor("import", SAMPLE, "--out", "f.jsonl", *SAID)
        assert "3 secrets" in ended.out
        assert "<secret:environment-value>" in (project.root / "f.jsonl").read_text(encoding="utf-8")


class TestRefusals:
    def test_bad_lines_are_told_and_nothing_is_written(self, project: UserProject) -> None:
        project.write("s.jsonl", SAMPLE.read_bytes() + b'{"type":"message"\n')
        ended = project.proctor("import", "s.jsonl", "--out", "f.jsonl", *SAID)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines()[-2:] == [
            (
                "s.jsonl:16:1: error [invalid_json] is no JSON: Expecting ',' delimiter at column 18 (the line ends "
                "too early: was the file cut off?)"
            ),
            "1 error and 1 warning in 1 file",
        ]
        assert [path.name for path in project.root.glob("*.jsonl")] == ["s.jsonl"]

    def test_an_existing_file_stays(self, project: UserProject) -> None:
        project.write("f.jsonl", "mine")
        ended = project.proctor("import", SAMPLE, "--out", "f.jsonl", *SAID)
        assert (ended.code, ended.err) == (
            2,
            "error: f.jsonl exists already\n  hint: name another file with --out, or move that one away\n",
        )
        assert (project.root / "f.jsonl").read_text(encoding="utf-8") == "mine"

    @pytest.mark.parametrize(
        ("source", "options", "said"),
        [
            (SAMPLE, ("--limit", "3"), f"--limit is for rows, and {SAMPLE} becomes a fixture"),
            (SAMPLE, ("--input-field", "x"), f"--input-field is for rows, and {SAMPLE} becomes a fixture"),
            (SAMPLE, ("--dimension", "pii"), f"--dimension is for rows, and {SAMPLE} becomes a fixture"),
            ("log.jsonl", ("--leaf", "x"), "--leaf is for sessions of pi, and log.jsonl is read as something else"),
            ("log.jsonl", ("--no-mask",), "--no-mask is for sessions of pi, and log.jsonl is read as something else"),
            (SAMPLE, ("--format", "csv", "--lenient"), f"--lenient is for sessions of pi, and {SAMPLE} is read as"),
        ],
    )
    def test_an_option_that_would_do_nothing_is_refused(
        self, project: UserProject, source: Path | str, options: tuple[str, ...], said: str
    ) -> None:
        project.write("log.jsonl", '{"output": "a"}\n')
        ended = project.proctor("import", source, "--out", "f.jsonl", *options)
        assert ended.code == 2
        assert ended.err.startswith(f"error: {said}")
        assert ended.err.endswith("  hint: leave it out, or say what the file is with --format\n")

    def test_what_is_no_run_of_pi_is_said(self, project: UserProject) -> None:
        project.write("log.jsonl", '{"output": "a"}\n')
        ended = project.proctor("import", "log.jsonl", "--out", "f.jsonl", "--format", "pi")
        assert (ended.code, ended.err.splitlines()[0]) == (
            2,
            (
                "log.jsonl:1:1: error [no_session] expected the header of a session (name a session file of pi, from "
                "its first line)"
            ),
        )
        ended = project.proctor("import", "no.jsonl", "--out", "f.jsonl")
        assert ended.err.startswith("error: no.jsonl does not exist\n")
