"""The judge that ``.assevra.yml`` asks for, as model strings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import UsageError
from proctor.formats.assevra.config import read_config
from proctor.formats.assevra.judge_choice import LOCAL_URL, judge_settings
from proctor.plan import JudgeSettings

KEYS = {"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k"}


def choose(judge: dict[str, Any], environment: dict[str, str] | None = None) -> JudgeSettings | None:
    config, problems = read_config(Path(".assevra.yml"), json.dumps({"judge": judge}).encode())
    assert config is not None, problems
    return judge_settings(config, environment or {})


class TestTheProvider:
    @pytest.mark.parametrize(
        ("judge", "model"),
        [
            ({"provider": "anthropic", "model": "m"}, "anthropic:m"),
            ({"provider": " OpenAI ", "model": "m"}, "openai:m"),
            ({"provider": "gemini", "model": "m"}, "google:m"),
            ({"provider": "azure", "model": "m"}, "azure:m"),
            ({"provider": "bedrock", "model": "anthropic.m-v1:0"}, "bedrock:anthropic.m-v1:0"),
            ({"provider": "mock", "model": "m"}, "self-test"),
            ({"provider": "openai"}, "openai:gpt-4o"),
        ],
    )
    def test_becomes_the_prefix_of_a_model_string(self, judge: dict[str, Any], model: str) -> None:
        assert choose(judge) == JudgeSettings(model=model)

    @pytest.mark.parametrize("provider", ["none", "OFF", "disabled"])
    def test_may_be_none(self, provider: str) -> None:
        assert choose({"provider": provider, "panel": ["a"]}, KEYS) is None

    def test_may_be_a_server_of_one_s_own(self) -> None:
        local = choose({"provider": "local", "model": "llama3:8b", "max_tokens": 64, "temperature": 0})
        assert local == JudgeSettings(model="openai-chat:llama3:8b", base_url=LOCAL_URL, max_tokens=64, temperature=0)
        named = choose({"provider": "local", "model": "m", "base_url": "http://gpu/v1", "api_key_env": "GPU_KEY"})
        assert named == JudgeSettings(model="openai-chat:m", base_url="http://gpu/v1", api_key_env="GPU_KEY")
        proxy = choose({"provider": "openai", "model": "m", "base_url": "http://proxy/v1"})
        assert proxy == JudgeSettings(model="openai-chat:m", base_url="http://proxy/v1")

    @pytest.mark.parametrize("provider", ["local", "azure", "bedrock"])
    def test_may_need_a_model(self, provider: str) -> None:
        with pytest.raises(UsageError, match=f"the judge provider {provider} needs a model") as caught:
            choose({"provider": provider})
        assert caught.value.hint == "name it in judge.model of .assevra.yml"


class TestAuto:
    @pytest.mark.parametrize(
        ("environment", "model"),
        [
            (KEYS, "openai:m"),
            ({**KEYS, "ANTHROPIC_API_KEY": "k"}, "anthropic:m"),
            ({"OPENAI_API_KEY": "", "GOOGLE_API_KEY": "k"}, "google:m"),
            ({"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://x"}, "azure:m"),
            ({"AWS_PROFILE": "p"}, "bedrock:m"),
        ],
    )
    def test_takes_the_first_vendor_with_credentials(self, environment: dict[str, str], model: str) -> None:
        assert choose({"model": "m"}, environment) == JudgeSettings(model=model)

    @pytest.mark.parametrize("environment", [{}, {"AZURE_OPENAI_API_KEY": "k"}, {"AWS_ACCESS_KEY_ID": "k"}])
    def test_finds_no_judge_without_credentials(self, environment: dict[str, str]) -> None:
        assert choose({"model": "m"}, environment) is None

    def test_is_what_no_file_means(self) -> None:
        assert judge_settings(None, {}) is None
        assert judge_settings(None, KEYS) == JudgeSettings(model="openai:gpt-4o")

    def test_looks_into_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        found = judge_settings(None)
        assert found is not None
        assert (found.model or "").startswith("anthropic:")


class TestAPanel:
    def test_has_models_of_several_providers(self) -> None:
        found = choose({"provider": "openai", "panel": ["a", "anthropic:b", "llama3:8b", "mock", "local:z", "gemini:"]})
        assert found == JudgeSettings(
            panel=(
                "openai:a", "anthropic:b", "openai:llama3:8b", "self-test", "openai-chat:z", "google:gemini-3.8-flash"
            ),
            base_url=LOCAL_URL,
        )  # fmt: skip

    def test_sends_no_vendor_s_model_to_one_s_own_server(self) -> None:
        found = choose({"provider": "local", "base_url": "http://gpu/v1", "panel": ["a", "openai:b"]})
        assert found == JudgeSettings(panel=("openai-chat:a", "openai:b"), base_url="http://gpu/v1")

    def test_is_not_dropped_without_credentials(self) -> None:
        with pytest.raises(UsageError, match='panel names "a", but no vendor has credentials in the environment'):
            choose({"panel": ["a"]})


@pytest.mark.parametrize("vendor", ["anthropic", "gemini"])
def test_default_models_are_known_to_the_library(vendor: str) -> None:
    from typing import get_args

    from pydantic_ai.models import KnownModelName

    found = choose({"provider": vendor})
    assert found is not None
    assert found.model in get_args(KnownModelName.__value__)
