"""The key under which a verdict is kept: everything that can change what a judge says, and nothing else."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from proctor.jsonvalue import digest
from proctor.judges.subjects import SUBJECTS
from proctor.plan import JudgeRequest, JudgeSettings
from proctor.trajectory import JsonValue

CALL_SETTINGS: Mapping[str, JsonValue] = {"temperature": 0.0, "max_tokens": 1024}
"""The settings that judge calls are made with where nothing else is set."""

PYTHON_PREFIX = "python:"
"""What the import string of a judge of one's own begins with: ``python:package.module:object``."""


def verdict_key(
    request: JudgeRequest,
    model_id: str,
    vote: int = 0,
    endpoint: str = "",
    settings: Mapping[str, JsonValue] = CALL_SETTINGS,
) -> str:
    """Spell the identity of a verdict as a SHA-256 in hex.

    It is the juror (model, endpoint, settings), the number of the vote, the prompt version, the rubric with its
    criteria, the evidence, and which answer passes. ``request.model`` is not in it: ``model_id`` is what it was
    resolved to. Time-outs and retries are not either, since they do not change what a judge says.
    """
    subject = SUBJECTS.get(request.subject)
    return digest(
        {
            "model": model_id,
            "endpoint": endpoint,
            "settings": dict(settings),
            "vote": vote,
            "prompt": request.subject if subject is None else subject.version,
            "rubric": request.rubric,
            "evidence": [[item.title, item.text] for item in request.evidence],
            **_what_passes(request),
            **_criteria(request),
        }
    )


def call_settings(settings: JudgeSettings) -> dict[str, JsonValue]:
    """The settings that judge calls are made with: those of the run over `CALL_SETTINGS`."""
    own: dict[str, JsonValue] = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
    return {**CALL_SETTINGS, **{name: value for name, value in own.items() if value is not None}}


def provider_endpoint(model_id: str, environment: Mapping[str, str] = os.environ) -> str:
    """Find the base URL that the environment sets for a model's provider, ``""`` for the provider's own.

    One model name behind two base URLs can be two models.
    """
    provider = model_id.partition(":")[0].partition("/")[0]
    if provider == "gateway":
        names = ["PYDANTIC_AI_GATEWAY_BASE_URL"]
    elif provider == "azure":
        names = ["AZURE_OPENAI_ENDPOINT"]
    else:
        words = provider.upper().split("-")
        names = [f"{'_'.join(words)}_BASE_URL", f"{words[0]}_BASE_URL"]
    return next((environment[name] for name in names if environment.get(name)), "")


def code_identity(thing: object) -> str | None:
    """Say which code a judge given as a Python object is: its name, and a digest of its module's source file.

    A ``version`` attribute, text or number, replaces the digest. None means that it cannot be said, because the
    object holds values that its source does not show (an instance, a closure); its verdicts then must not be reused.
    """
    is_code = inspect.isfunction(thing) or inspect.isclass(thing)
    code = thing if is_code else type(thing)
    name = f"{code.__module__}:{getattr(code, '__qualname__', '')}"
    version = getattr(thing, "version", None)
    if isinstance(version, str | int):
        return f"{name} {version}"
    source = getattr(sys.modules.get(code.__module__), "__file__", None)
    if not is_code or getattr(thing, "__closure__", None) or source is None:
        return None
    return f"{name} {_file_digest(Path(source))}"


def _what_passes(request: JudgeRequest) -> dict[str, JsonValue]:
    """Nothing where yes passes, so that the keys of plain rubrics stay as they always were."""
    expects: dict[str, JsonValue] = {} if request.expects is True else {"expects": request.expects}
    return expects if request.passing_score is None else {**expects, "passing_score": request.passing_score}


def _criteria(request: JudgeRequest) -> dict[str, JsonValue]:
    """Nothing where there are none, for the same reason."""
    if not request.criteria:
        return {}
    criteria: list[JsonValue] = [[item.id, item.text, item.weight] for item in request.criteria]
    return {"criteria": criteria, "full_coverage": request.full_coverage}


@cache
def _file_digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
