"""The block that says who judges: a model or a panel, and where they are."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from proctor.config import JudgeBlock

LOCAL = {"model": "openai-chat:qwen3", "base_url": "http://localhost:11434/v1"}


class TestABlock:
    @pytest.mark.parametrize(
        "data",
        [
            {"panel": ["a:b", "a:b"]},
            {"panel": [f"a:{number}" for number in range(9)]},
            {"model": "", "panel": ["a:b", "c:d"]},
            LOCAL,
            {**LOCAL, "api_key_env": "LAB_KEY", "max_tokens": 300, "temperature": 0.5},
            {"panel": ["anthropic:x", "openai-chat:qwen3"], "base_url": "https://lab.example/v1"},
            {"model": "openai-chat:gpt-4o", "api_key_env": "_KEY2"},
            {"temperature": 0.0},
        ],
        ids=str,
    )
    def test_names_a_model_or_a_panel_and_perhaps_where_it_is(self, data: dict[str, Any]) -> None:
        assert JudgeBlock.model_validate(data).model_dump(exclude_unset=True) == data

    @pytest.mark.parametrize(
        ("data", "complaint"),
        [
            ({"model": "a:b", "panel": ["a:b", "c:d"]}, "name a 'model' or a 'panel', not both"),
            ({"panel": ["a:b"]}, "'panel' needs 2 to 9 models; a single judge is a 'model'"),
            ({"panel": []}, "'panel' needs 2 to 9 models; a single judge is a 'model'"),
            ({"panel": ["a:b"] * 10}, "'panel' needs 2 to 9 models; a single judge is a 'model'"),
            ({**LOCAL, "base_url": "localhost:11434"}, "'base_url' must begin with http:// or https://"),
            ({**LOCAL, "api_key_env": "sk-x"}, "'api_key_env' is the name of an environment variable, not a key"),
            ({"base_url": LOCAL["base_url"]}, "need a model openai-chat:NAME beside them"),
            ({"model": "anthropic:x", "api_key_env": "LAB_KEY"}, "need a model openai-chat:NAME beside them"),
            ({"panel": ["a:b", ""]}, "at least 1 character"),
            ({"max_tokens": 1}, "greater than or equal to 16"),
            ({"temperature": 2.5}, "less than or equal to 2"),
        ],
        ids=str,
    )
    def test_says_what_does_not_fit_together(self, data: dict[str, Any], complaint: str) -> None:
        with pytest.raises(ValidationError, match=complaint.replace("(", r"\(")):
            JudgeBlock.model_validate(data)

    def test_does_not_repeat_a_key_that_stands_where_its_variable_belongs(self) -> None:
        with pytest.raises(ValidationError) as failed:
            JudgeBlock.model_validate({**LOCAL, "api_key_env": "sk-secret"})
        [problem] = failed.value.errors()
        assert (problem["loc"], "sk-secret" in problem["msg"]) == ((), False)
