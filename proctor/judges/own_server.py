"""A server that speaks OpenAI's chat completions at an address of one's own, or OpenAI's with a key of one's own.

This module imports pydantic-ai only inside functions.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from proctor.errors import JudgeSetupError
from proctor.plan import JudgeSettings

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_KIND = "openai-chat:"


def is_own_server(model_id: str, settings: JudgeSettings) -> bool:
    """Tell whether the address or the key that the settings name is for this model: ``openai-chat:NAME``."""
    return model_id.startswith(_KIND) and bool(settings.base_url or settings.api_key_env)


def own_server_model(model_id: str, settings: JudgeSettings) -> Model:
    """Build the model of a server of one's own. Keys of the environment that nobody named are never sent there.

    Raises:
        JudgeSetupError: the variable that is to hold the key is not set.
        ImportError: the OpenAI package is not installed.
    """
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    name, key = model_id.removeprefix(_KIND), _key(model_id, settings.api_key_env)
    if settings.base_url is None:
        return OpenAIChatModel(name, provider=OpenAIProvider(api_key=key))
    return OpenAIChatModel(name, provider=OpenAICompatibleProvider("own", base_url=settings.base_url, api_key=key))


def _key(model_id: str, variable: str | None) -> str | None:
    if variable is None:
        return None
    if not (key := os.environ.get(variable)):
        raise JudgeSetupError(
            f'judge "{model_id}" needs the environment variable {variable}, which is not set',
            hint=f"set {variable}, or take api_key_env out if the server needs no key",
        )
    return key
