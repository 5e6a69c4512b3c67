"""The judge that ``.assevra.yml`` asks for, as model strings.

===========  =====================================================================
provider     model string
===========  =====================================================================
anthropic    ``anthropic:NAME``
openai       ``openai:NAME``; with an address or a key variable ``openai-chat:NAME``
gemini       ``google:NAME``
azure        ``azure:NAME``
bedrock      ``bedrock:NAME``
local        ``openai-chat:NAME`` at ``base_url``, by default that of Ollama
mock         ``self-test``
===========  =====================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from proctor.errors import UsageError
from proctor.excerpt import quote
from proctor.formats.assevra.config import AssevraConfig
from proctor.formats.assevra.config_model import JUDGE_OFF, VENDORS, JudgePart
from proctor.plan import SELF_TEST, JudgeSettings

LOCAL_URL: Final = "http://localhost:11434/v1"
"""Where Ollama listens."""
_PREFIXES: Final[Mapping[str, str]] = {"gemini": "google", "local": "openai-chat"}
_DEFAULT_MODELS: Final[Mapping[str, str]] = {
    "anthropic": "claude-sonnet-4-6",
    "openai": "gpt-4o",
    "gemini": "gemini-3.8-flash",
}
_CREDENTIALS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "anthropic": (("ANTHROPIC_API_KEY",),),
    "openai": (("OPENAI_API_KEY",),),
    "gemini": (("GEMINI_API_KEY",), ("GOOGLE_API_KEY",)),
    "azure": (("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),),
    "bedrock": (("AWS_BEARER_TOKEN_BEDROCK",), ("AWS_PROFILE",), ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")),
}
"""The variables that hold a vendor's credentials: all of one group have to be set."""


def judge_settings(config: AssevraConfig | None, environment: Mapping[str, str] | None = None) -> JudgeSettings | None:
    """How the file wants judges to be asked; None for no judge. Without a file, that is ``auto``.

    Raises:
        UsageError: the file leaves out something that its provider needs.
    """
    part = JudgePart() if config is None else config.file.judge
    provider = _provider(part, os.environ if environment is None else environment)
    if provider is None:
        if part.panel and part.provider not in JUDGE_OFF:
            raise UsageError(
                f"judge.panel names {quote(part.panel[0], 60)}, but no vendor has credentials in the environment",
                hint="set the key of a vendor, or name one in judge.provider",
            )
        return None
    return JudgeSettings(
        model=None if part.panel else _model_string(part, provider, part.model),
        panel=tuple(_juror(part, provider, written) for written in part.panel),
        base_url=part.base_url or (LOCAL_URL if _asks_local(part, provider) else None),
        api_key_env=part.api_key_env,
        max_tokens=part.max_tokens,
        temperature=part.temperature,
    )


def _provider(part: JudgePart, environment: Mapping[str, str]) -> str | None:
    """The provider that is asked; None for none."""
    if part.provider in JUDGE_OFF:
        return None
    if part.provider != "auto":
        return part.provider
    return next((vendor for vendor in VENDORS if _has_credentials(vendor, environment)), None)


def _has_credentials(vendor: str, environment: Mapping[str, str]) -> bool:
    return any(all(environment.get(name) for name in group) for group in _CREDENTIALS[vendor])


def _juror(part: JudgePart, provider: str, written: str) -> str:
    """A member of a panel: a model, or a provider and its model. Names of models may have a colon themselves."""
    vendor, colon, name = written.partition(":")
    if colon and vendor in (*VENDORS, "local", "mock"):
        return _model_string(part, vendor, name or None)
    return SELF_TEST if written == "mock" else _model_string(part, provider, written)


def _model_string(part: JudgePart, provider: str, model: str | None) -> str:
    if provider == "mock":
        return SELF_TEST
    name = model or _DEFAULT_MODELS.get(provider)
    if name is None:
        raise UsageError(f"the judge provider {provider} needs a model", hint="name it in judge.model of .assevra.yml")
    has_own_server = part.provider in ("openai", "auto") and (part.base_url or part.api_key_env)
    kind = "openai-chat" if provider == "openai" and has_own_server else _PREFIXES.get(provider, provider)
    return f"{kind}:{name}"


def _asks_local(part: JudgePart, provider: str) -> bool:
    return provider == "local" or any(written.startswith("local:") for written in part.panel)
