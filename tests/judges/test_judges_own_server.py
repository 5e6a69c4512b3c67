"""Where a judge is: a server of one's own, and whose key it gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_ai.models.openai import OpenAIChatModel

from proctor.errors import JudgeSetupError
from proctor.judges.models import build_model
from proctor.judges.own_server import is_own_server
from proctor.plan import JudgeSettings

URL = "http://localhost:11434/v1"
LOCAL = JudgeSettings(model="openai-chat:qwen3", base_url=URL)
KEYED = JudgeSettings(model="openai-chat:gpt-4o", api_key_env="LAB_KEY")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "LAB_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")


def built(model_id: str, settings: JudgeSettings) -> OpenAIChatModel:
    model = build_model(model_id, Path.cwd(), settings)
    assert isinstance(model, OpenAIChatModel)
    return model


class TestAnAddress:
    def test_is_where_chat_models_are_asked_without_any_key(self) -> None:
        model = built("openai-chat:qwen3", LOCAL)
        assert (model.model_name, (model.base_url or "").rstrip("/")) == ("qwen3", URL)
        assert "sk-of-openai" not in model.client.api_key

    @pytest.mark.parametrize("model_id", ["openai:gpt-4o", "anthropic:x", "self-test", "python:a:b"])
    def test_is_for_chat_models_alone(self, model_id: str) -> None:
        assert not is_own_server(model_id, LOCAL)

    def test_that_is_not_given_is_that_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert not is_own_server("openai-chat:qwen3", JudgeSettings())
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/")
        assert built("openai-chat:qwen3", JudgeSettings()).base_url == "http://127.0.0.1:1/v1/"


class TestAKey:
    def test_is_read_from_the_named_variable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LAB_KEY", "lab-secret")
        model = built("openai-chat:gpt-4o", KEYED)
        assert (model.client.api_key, model.base_url) == ("lab-secret", "https://api.openai.com/v1/")

    @pytest.mark.parametrize("value", [None, ""])
    def test_that_is_not_there_is_an_error_with_the_next_step(
        self, value: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if value is not None:
            monkeypatch.setenv("LAB_KEY", value)
        with pytest.raises(JudgeSetupError) as failed:
            built("openai-chat:gpt-4o", KEYED)
        assert failed.value.message == (
            'judge "openai-chat:gpt-4o" needs the environment variable LAB_KEY, which is not set'
        )
        assert failed.value.hint == "set LAB_KEY, or take api_key_env out if the server needs no key"
