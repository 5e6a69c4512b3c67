"""From a model string to a pydantic-ai model, or one sentence that says what is missing and what to do.

This module imports pydantic-ai; `proctor.judges` imports it only inside functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model

from proctor.errors import JudgeSetupError, TargetError
from proctor.import_target import import_target
from proctor.judges.causes import one_line
from proctor.judges.keys import PYTHON_PREFIX
from proctor.judges.own_server import is_own_server, own_server_model
from proctor.plan import JudgeSettings

_OFFLINE = 'or use "self-test" to try things out without a model'
_KEY = re.compile(r"Set the `(\w+)` environment variable")
_SUGGESTION = re.compile(r"Did you mean '([^']+)'")
_INSTALL = re.compile(r'pip install ("[^"]+"|[^\s`]+)')


def build_model(
    model_id: str, root: Path, settings: JudgeSettings, provider: Callable[[str], Model] | None = None
) -> Model:
    """Build the model for a model string; a ``provider`` is asked instead of reading the string.

    Raises JudgeSetupError with the cause and the next step. Nothing is sent to any server.
    """
    if provider is not None:
        return _call(provider, model_id, "the judge provider")
    if model_id.startswith(PYTHON_PREFIX):
        thing = import_object(model_id, root)
        return thing if isinstance(thing, Model) else _call(thing, model_id, f'"{model_id}"')
    try:
        return own_server_model(model_id, settings) if is_own_server(model_id, settings) else infer_model(model_id)
    except JudgeSetupError:
        raise
    except UserError as error:
        raise _explained(model_id, error) from error
    except ImportError as error:
        install = _INSTALL.search(str(error))
        hint = install.group() if install else "install the package of that provider"
        raise JudgeSetupError(f'judge "{model_id}" needs a package that is not installed', hint=hint) from error
    except Exception as error:
        message = f'judge "{model_id}" cannot be built: {_described(error)}'
        raise JudgeSetupError(message, hint="check the settings of that provider in the environment") from error


def import_object(model_id: str, root: Path) -> object:
    """Import what ``python:package.module:object`` names, with the project root in front of the import path.

    Raises JudgeSetupError when there is no such module or object, or when the module raises.
    """
    try:
        return import_target(model_id.removeprefix(PYTHON_PREFIX), root)
    except TargetError as error:
        message = f'judge "{model_id}" cannot be imported: {error.message}'
        raise JudgeSetupError(message, hint=error.hint) from error


def _call(factory: object, model_id: str, what: str) -> Model:
    """Call a user's factory; whatever it does, the user gets a sentence."""
    hint = "give a pydantic-ai Model, or a callable that takes the model string and returns one"
    if not callable(factory):
        raise JudgeSetupError(f"{what} is a {type(factory).__name__}, which cannot judge", hint=hint)
    try:
        model = factory(model_id)
    except (Exception, SystemExit) as error:
        message = f'{what} could not build the judge "{model_id}": {_described(error)}'
        raise JudgeSetupError(message, hint="correct that callable; it is given the model string") from error
    if not isinstance(model, Model):
        message = f'{what} returned a {type(model).__name__} for the judge "{model_id}"'
        raise JudgeSetupError(message, hint=hint)
    return model


def _explained(model_id: str, error: UserError) -> JudgeSetupError:
    if key := _KEY.search(error.message):
        message = f'judge "{model_id}" needs the environment variable {key.group(1)}, which is not set'
        return JudgeSetupError(message, hint=f"set {key.group(1)}, {_OFFLINE}")
    if error.message.startswith("Unknown model"):
        nearest = _SUGGESTION.search(error.message)
        example = f'did you mean "{nearest.group(1)}"?' if nearest else "write provider:model, such as openai:gpt-4o"
        return JudgeSetupError(f'judge "{model_id}" is an unknown model', hint=f"{example}, {_OFFLINE}")
    return JudgeSetupError(
        f'judge "{model_id}" cannot be built: {one_line(error.message)}', hint=f"correct it, {_OFFLINE}"
    )


def _described(error: BaseException) -> str:
    return one_line(f"{type(error).__name__}: {error}")
