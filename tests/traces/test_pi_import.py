"""From a run of pi to a fixture: who recorded it, what is proposed, what is masked, and the file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine import find_peer_files
from pi_runs import assistant, call, entries, events, result, save, text, user

from proctor.errors import SpecError, UsageError
from proctor.formats.pi.reading import read_fixture
from proctor.traces.pi_fixture import PiImported, PiOptions, import_run
from proctor.traces.pi_prompt import prompt_hash

PROMPT_OPTION = "--system-prompt FILE or --system-prompt-hash HASH"
SAMPLE = Path(__file__).parents[2] / "specs" / "pi" / "session-v3.jsonl"
DIGEST = "0123456789abcdef" * 4
SAID = PiOptions("f-1", "0.73.1", "what it is about", system_prompt_hash=DIGEST, mask=False)
NAMED = {"type": "session_info", "name": "from the session"}


def imported(folder: Path, lines: list[Any], options: PiOptions = SAID) -> tuple[PiImported, list[Any]]:
    """What came of an import, and the records of the new file, which the loader of fixtures takes."""
    out = folder / "fixture.jsonl"
    done = import_run(save(folder, lines), out, options)
    return done, records(out)


def records(out: Path) -> list[Any]:
    data = out.read_bytes()
    fixture, problems = read_fixture(out, data)
    assert fixture is not None, problems
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


def refused(folder: Path, lines: list[Any], options: PiOptions) -> str:
    with pytest.raises(UsageError) as told:
        import_run(save(folder, lines), folder / "fixture.jsonl", options)
    assert not list(folder.glob("*fixture*"))
    return str(told.value).replace(f"{folder}/", "")


class TestMeta:
    def test_it_says_what_the_user_said(self, tmp_path: Path) -> None:
        _, (meta, *_) = imported(tmp_path, entries(user(), NAMED))
        assert list(meta.items()) == [
            ("type", "meta"),
            ("fixtureId", "f-1"),
            ("piAgentCoreVersion", "0.73.1"),
            ("recordedAt", "2026-01-01T00:00:00.000Z"),
            ("scenario", "what it is about"),
            ("systemPromptHash", DIGEST),
        ]

    def test_what_the_session_says_needs_no_option(self, tmp_path: Path) -> None:
        system = {"role": "system", "content": "Be kind."}
        _, (meta, *_) = imported(tmp_path, entries(system, user(), NAMED), PiOptions(pi_version="1.6.0"))
        assert (meta["fixtureId"], meta["scenario"]) == ("s-1", "from the session")
        assert meta["systemPromptHash"] == prompt_hash("Be kind.")

    def test_nothing_is_made_up(self, tmp_path: Path) -> None:
        assert refused(tmp_path, events(user()), PiOptions()) == (
            "session.jsonl does not say the id of the fixture, the version of pi, what the scenario is about, the "
            f"system prompt\n  hint: add --fixture-id, --pi-version, --scenario, {PROMPT_OPTION}"
        )
        assert refused(tmp_path, entries(user(), NAMED), PiOptions(system_prompt_hash=DIGEST)) == (
            "session.jsonl does not say the version of pi\n  hint: add --pi-version"
        )

    def test_an_empty_scenario_is_one_and_an_empty_id_is_none(self, tmp_path: Path) -> None:
        said = "the id of the fixture is empty\n  hint: give one with --fixture-id"
        assert refused(tmp_path, entries(user()), replace(SAID, fixture_id="")) == said
        said = "the version of pi is empty\n  hint: give one with --pi-version"
        assert refused(tmp_path, entries(user()), replace(SAID, pi_version="")) == said
        assert imported(tmp_path, entries(user()), replace(SAID, scenario=""))[1][0]["scenario"] == ""

    def test_the_prompt_is_hashed_as_it_stands_in_its_file(self, tmp_path: Path) -> None:
        prompt = tmp_path / "prompt.txt"
        prompt.write_bytes(b"\xef\xbb\xbfBe kind.\r\n")
        _, (meta, *_) = imported(
            tmp_path, entries(user()), replace(SAID, system_prompt_hash=None, system_prompt=prompt)
        )
        assert meta["systemPromptHash"] == prompt_hash("\ufeffBe kind.\r\n")

    def test_a_prompt_that_is_none_is_refused(self, tmp_path: Path) -> None:
        prompt = save(tmp_path, b"\xff", "prompt.txt")
        both = replace(SAID, system_prompt=prompt)
        one = replace(both, system_prompt_hash=None)
        assert refused(tmp_path, entries(user()), both) == (
            f"the system prompt was given twice\n  hint: give {PROMPT_OPTION}, not both"
        )
        assert refused(tmp_path, entries(user()), one) == (
            "prompt.txt is no UTF-8 text\n  hint: save the prompt as UTF-8, as it was sent"
        )
        prompt.unlink()
        assert refused(tmp_path, entries(user()), one) == "prompt.txt cannot be read: No such file or directory"

    @pytest.mark.parametrize("digest", ["", "abc", DIGEST[:-1] + "g", f"md5:{DIGEST}", f"{DIGEST}\n"])
    def test_a_hash_that_is_none_is_refused(self, tmp_path: Path, digest: str) -> None:
        told = refused(tmp_path, entries(user()), replace(SAID, system_prompt_hash=digest))
        assert told.endswith(
            " is no SHA-256\n  hint: give the SHA-256 of the prompt in hex, "
            "or the prompt itself with --system-prompt FILE"
        )

    @pytest.mark.parametrize("digest", [f"sha256:{DIGEST}", DIGEST.upper()])
    def test_other_spellings_of_a_hash_stay(self, tmp_path: Path, digest: str) -> None:
        _, (meta, *_) = imported(tmp_path, entries(user()), replace(SAID, system_prompt_hash=digest))
        assert meta["systemPromptHash"] == digest

    @pytest.mark.parametrize(("content", "is_other"), [("Be kind.", True), ("Be brief.", False)])
    def test_another_prompt_than_the_recorded_one_is_told(self, tmp_path: Path, content: str, is_other: bool) -> None:
        options = replace(SAID, system_prompt_hash=f"sha256:{prompt_hash('Be brief.').upper()}")
        done, _ = imported(tmp_path, entries({"role": "system", "content": content}, user()), options)
        said = "holds another system prompt than the one that was given, which is taken"
        assert [told.message for told in done.warnings] == [said] * is_other


class TestRecords:
    def test_every_call_is_proposed_at_its_place(self, tmp_path: Path) -> None:
        said = [user(), assistant(call("a"), call("b", "c2")), result(), assistant(call("a", "c3"))]
        done, lines = imported(tmp_path, entries(*said))
        assert lines[-1] == {
            "type": "assertions",
            "assertions": [
                {"kind": "tool_called", "name": "a", "order": 0},
                {"kind": "tool_called", "name": "b", "order": 1},
                {"kind": "tool_called", "name": "a", "order": 2},
                {"kind": "trace_max_turns", "max": 4},
            ],
        }
        assert (done.kind, done.fixture_id, done.calls) == ("session-v3", "f-1", 3)
        assert done.turns == {"user": 1, "assistant": 2, "toolResult": 1}

    def test_text_is_written_as_it_is_and_lone_surrogates_as_escapes(self, tmp_path: Path) -> None:
        odd = "é\u2028\ud83d\x7f\\ud83d"
        _, lines = imported(tmp_path, entries(user(odd), assistant(text("🍅"))))
        written = (tmp_path / "fixture.jsonl").read_bytes()
        assert lines[1]["content"] == odd
        assert 'é\u2028\\ud83d\x7f\\\\ud83d"}\n'.encode() in written
        assert "🍅".encode() in written
        assert written.endswith(b"}\n")
        assert b"\r" not in written

    TEXT = st.text(st.characters(exclude_categories=()), max_size=6)
    ARGUMENTS = st.dictionaries(
        TEXT,
        st.recursive(TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.lists, max_leaves=3),
    )

    @given(said=TEXT, arguments=ARGUMENTS, name=TEXT.filter(bool), mask=st.booleans())
    def test_what_is_written_can_be_loaded_and_is_what_was_said(
        self, tmp_path_factory: pytest.TempPathFactory, said: str, arguments: dict[str, Any], name: str, mask: bool
    ) -> None:
        lines = entries(user(said), assistant({**call(name), "arguments": arguments}))
        _, (_, first, second, _) = imported(tmp_path_factory.mktemp("any"), lines, replace(SAID, mask=mask))
        assert (first["content"], second["content"][0]["name"]) == (said, name)
        assert second["content"][0]["arguments"] == json.loads(json.dumps(arguments))

    def test_our_sample_is_a_fixture_without_a_remark(self, tmp_path: Path) -> None:
        out = tmp_path / "fixture.jsonl"
        import_run(SAMPLE, out, PiOptions(pi_version="0.73.1", system_prompt_hash=DIGEST))
        assert read_fixture(out, out.read_bytes())[1] == ()

    @pytest.mark.requires("peer-files")
    @pytest.mark.parametrize(
        "path", sorted(((find_peer_files() or Path()) / "pi").glob("*.jsonl")), ids=lambda path: path.stem
    )
    @pytest.mark.parametrize("keep_failed", [False, True])
    def test_sessions_that_pi_wrote_become_fixtures(self, tmp_path: Path, path: Path, keep_failed: bool) -> None:
        out = tmp_path / "fixture.jsonl"
        import_run(path, out, replace(SAID, mask=True, keep_failed=keep_failed))
        assert records(out)[-1]["type"] == "assertions"


class TestMasking:
    def test_texts_are_masked_and_what_holds_turns_together_is_not(self, tmp_path: Path) -> None:
        secret, path = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5", "/home/bob"
        image = {"type": "image", "data": "AKIAABCDEFGHIJKLMN0P", "mimeType": path}
        thought = {"type": "thinking", "thinking": path, "thinkingSignature": path}
        asked = {**call(path, path, **{path: [path, 5]}), "thoughtSignature": secret}
        name = {"type": "session_info", "name": f"in {path}"}
        said = [user([text(secret), image]), assistant(thought, asked), result(path, content=[text(path)]), name]
        done, (meta, first, second, third, last) = imported(
            tmp_path, entries(*said), replace(SAID, mask=True, scenario=None)
        )
        assert first["content"] == [text("<secret:github-token>"), image]
        assert second["content"] == [
            {"type": "thinking", "thinking": "~", "thinkingSignature": path},
            {**call(path, path, **{"~": ["~", 5]}), "thoughtSignature": secret},
        ]
        assert (third["toolUseId"], third["content"]) == (path, [text("~")])
        assert (meta["scenario"], last["assertions"][0]["name"]) == ("in ~", path)
        assert done.masked == "masked 1 secret (1 github-token) and 5 home paths"

    def test_values_of_the_environment_are_masked_and_nothing_on_request(self, tmp_path: Path) -> None:
        options = replace(SAID, mask=True, environment={"SHOP_TOKEN": "open-sesame-1"})
        done, (_, first, *_) = imported(tmp_path, entries(user("say open-sesame-1")), options)
        assert (first["content"], done.masked) == (
            "say <secret:environment-value>", "masked 1 secret (1 environment-value)",
        )  # fmt: skip
        (tmp_path / "fixture.jsonl").unlink()
        done, (_, first, *_) = imported(tmp_path, entries(user("say open-sesame-1")), replace(options, mask=False))
        assert (first["content"], done.masked) == ("say open-sesame-1", "")


class TestFiles:
    def test_an_existing_file_stays(self, tmp_path: Path) -> None:
        out = save(tmp_path, b"mine", "out.jsonl")
        with pytest.raises(UsageError, match=r"out.jsonl exists already\n  hint: name another file with --out"):
            import_run(save(tmp_path, entries(user())), out, SAID)
        assert out.read_bytes() == b"mine"

    def test_nothing_is_written_where_there_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(SpecError):
            import_run(save(tmp_path, [*entries(user()), 5]), tmp_path / "fixture.jsonl", SAID)
        assert [path.name for path in tmp_path.iterdir()] == ["session.jsonl"]

    def test_files_that_are_not_there_are_named(self, tmp_path: Path) -> None:
        out = tmp_path / "fixture.jsonl"
        with pytest.raises(UsageError, match=r"no.jsonl does not exist\n  hint: name a session file of pi"):
            import_run(tmp_path / "no.jsonl", out, SAID)
        with pytest.raises(UsageError, match="is no regular file"):
            import_run(tmp_path, out, SAID)
        with pytest.raises(UsageError, match="cannot be written: No such file or directory"):
            import_run(save(tmp_path, entries(user())), tmp_path / "no" / "f.jsonl", SAID)
