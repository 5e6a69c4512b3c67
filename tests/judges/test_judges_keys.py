"""The verdict key: everything that a verdict depends on, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.judges import JudgePool, subjects, verdict_key
from proctor.judges.keys import CALL_SETTINGS, code_identity, provider_endpoint
from proctor.judges.scripted import ScriptedJudge
from proctor.plan import Evidence, JudgeRequest, JudgeSettings

REQUEST = JudgeRequest("reply", "Is polite.", (Evidence("User message", "hi"), Evidence("Reply", "hello")))
BASE: dict[str, Any] = {"request": REQUEST, "model_id": "x:a", "vote": 0, "endpoint": "", "settings": CALL_SETTINGS}


class TestTheKey:
    @pytest.mark.parametrize(
        "change",
        [
            {"model_id": "x:b"},
            {"vote": 1},
            {"endpoint": "http://localhost:1/v1"},
            {"settings": {**CALL_SETTINGS, "temperature": 0.5}},
            {"request": replace(REQUEST, subject="tool_arguments")},
            {"request": replace(REQUEST, rubric="Is polite")},
            {"request": replace(REQUEST, evidence=(*REQUEST.evidence[:1], Evidence("Reply", "hello\n")))},
            {"request": replace(REQUEST, evidence=(*REQUEST.evidence[:1], Evidence("Answer", "hello")))},
            {"request": replace(REQUEST, evidence=REQUEST.evidence[::-1])},
            {"request": replace(REQUEST, evidence=REQUEST.evidence[:1])},
            {"request": replace(REQUEST, expects=False)},
            {"request": replace(REQUEST, passing_score=4)},
        ],
        ids=str,
    )
    def test_changes_with_each_part(self, change: dict[str, Any]) -> None:
        assert verdict_key(**BASE) != verdict_key(**{**BASE, **change})

    def test_changes_with_the_prompt_version(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = verdict_key(**BASE)
        monkeypatch.setitem(subjects.SUBJECTS, "reply", replace(subjects.SUBJECTS["reply"], version="reply/next"))
        assert verdict_key(**BASE) != before

    def test_does_not_change_with_the_wish_that_was_resolved(self) -> None:
        assert verdict_key(**{**BASE, "request": replace(REQUEST, model="x:a")}) == verdict_key(**BASE)

    def test_of_a_plain_rubric_is_what_it_always_was(self) -> None:
        assert verdict_key(**BASE) == "38ef6ef7f47009671e278c1497d730f76116b6ee78cb0b70f04a1eeb28e7f1ef"

    def test_does_not_depend_on_the_order_of_settings(self) -> None:
        turned = dict(reversed(list(CALL_SETTINGS.items())))
        assert verdict_key(**{**BASE, "settings": turned}) == verdict_key(**BASE)

    @given(st.text(), st.text(), st.text(), st.text())
    def test_never_confuses_where_one_text_ends_and_the_next_begins(self, a: str, b: str, c: str, d: str) -> None:
        one = JudgeRequest("reply", "r", (Evidence(a, b),))
        other = JudgeRequest("reply", "r", (Evidence(c, d),))
        assert (verdict_key(one, "m") == verdict_key(other, "m")) == ((a, b) == (c, d))


class TestTheEndpoint:
    @pytest.mark.parametrize(
        ("model_id", "variable"),
        [
            ("openai:gpt-4o", "OPENAI_BASE_URL"),
            ("openai-chat:gpt-4o", "OPENAI_BASE_URL"),
            ("anthropic:c", "ANTHROPIC_BASE_URL"),
            ("ollama:q", "OLLAMA_BASE_URL"),
            ("github-copilot:g", "GITHUB_COPILOT_BASE_URL"),
            ("azure:g", "AZURE_OPENAI_ENDPOINT"),
            ("gateway/openai:g", "PYDANTIC_AI_GATEWAY_BASE_URL"),
        ],
    )
    def test_is_what_the_environment_says_for_that_provider(self, model_id: str, variable: str) -> None:
        assert provider_endpoint(model_id, {variable: "http://here", "OTHER_BASE_URL": "http://there"}) == "http://here"
        assert provider_endpoint(model_id, {"OTHER_BASE_URL": "http://there"}) == ""

    def test_is_part_of_the_key_of_a_pool(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pool = JudgePool(JudgeSettings(model="openai:gpt-4o"), root=Path.cwd())
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        before = pool.key(REQUEST)
        assert before == verdict_key(REQUEST, "openai:gpt-4o")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
        assert pool.key(REQUEST) != before


class TestTheKeysOfAPool:
    def key(self, settings: JudgeSettings, **options: Any) -> str:
        return JudgePool(settings, root=Path.cwd(), **options).key(REQUEST)

    def test_do_not_depend_on_how_patiently_a_judge_is_asked(self) -> None:
        impatient = JudgeSettings(model="self-test", retries=9, timeout_s=1, backoff_s=9, ask="undecided")
        assert self.key(impatient) == self.key(JudgeSettings(model="self-test"))

    def test_differ_with_the_settings_of_the_calls(self) -> None:
        plain = JudgeSettings(model="openai-chat:q")
        own: list[dict[str, Any]] = [
            {"temperature": 0.5},
            {"max_tokens": 99},
            {"base_url": "http://one/v1"},
            {"base_url": "http://two/v1"},
        ]
        keys = {self.key(plain), *(self.key(replace(plain, **changes)) for changes in own)}
        assert len(keys) == 5
        assert self.key(replace(plain, temperature=0.0, max_tokens=1024)) == self.key(plain)

    def test_do_not_differ_with_the_name_of_the_variable_that_holds_a_key(self) -> None:
        plain = JudgeSettings(model="openai-chat:q", base_url="http://one/v1")
        assert self.key(plain) == self.key(replace(plain, api_key_env="LAB_KEY"))

    def test_of_a_panel_differ_with_each_juror_and_where_it_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        panels = [("openai:a", "x:b"), ("openai:a", "x:c"), ("openai:a", "x:b", "x:b"), ("x:b", "openai:a")]
        keys = {self.key(JudgeSettings(panel=panel)) for panel in panels}
        monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
        keys |= {self.key(JudgeSettings(panel=panels[0])), self.key(JudgeSettings(model="openai:a"))}
        assert len(keys) == 6

    def test_differ_between_a_model_and_a_provider_that_stands_in_for_it(self) -> None:
        settings = JudgeSettings(model="openai:gpt-4o")
        assert self.key(settings) != self.key(settings, provider=ScriptedJudge([True]))

    def test_are_equal_for_equal_scripts_only(self) -> None:
        settings = JudgeSettings(model="x:a")
        assert self.key(settings, provider=ScriptedJudge([True])) == self.key(settings, provider=ScriptedJudge([True]))
        assert self.key(settings, provider=ScriptedJudge([True])) != self.key(settings, provider=ScriptedJudge([False]))

    def test_are_of_one_pool_where_the_code_cannot_be_told(self) -> None:
        hidden = object()

        def closure(_: str) -> Any:
            return hidden

        pool = JudgePool(JudgeSettings(), provider=closure, root=Path.cwd())
        assert pool.key(REQUEST) == pool.key(REQUEST)
        assert pool.key(REQUEST) != self.key(JudgeSettings(), provider=closure)

    def test_follow_the_source_of_an_import_string(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(tmp_path)
        keys = set()
        for name, body in {"judge_key_one": "return 1", "judge_key_two": "return 2"}.items():
            (tmp_path / f"{name}.py").write_text(f"def make(model_id):\n    {body}\n")
            keys.add(self.key(JudgeSettings(model=f"python:{name}:make")))
        assert len(keys) == 2
        assert self.key(JudgeSettings(model="python:judge_key_one:make")) in keys

    def test_of_a_judge_that_cannot_be_imported_are_never_met_again(self) -> None:
        settings = JudgeSettings(model="python:no_such_module_here:x")
        assert self.key(settings) != self.key(settings)


def versioned(_: str) -> None:
    """A provider of the tests."""


class TestTheIdentityOfCode:
    def test_is_the_name_and_the_digest_of_the_file(self) -> None:
        identity = code_identity(versioned)
        assert identity is not None
        assert identity.startswith(f"{__name__}:versioned ")

    @pytest.mark.parametrize("thing", [object(), {}.get, ScriptedJudge([]).prompts], ids=["instance", "method", "list"])
    def test_is_unknown_for_objects_that_hold_values(self, thing: object) -> None:
        assert code_identity(thing) is None

    def test_is_a_declared_version_if_there_is_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(versioned, "version", "7", raising=False)
        assert code_identity(versioned) == f"{__name__}:versioned 7"
