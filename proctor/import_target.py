"""Finds the object that ``pkg.module:object`` names, in the user's project first: an agent, a judge, a check."""

from __future__ import annotations

import difflib
import importlib
import sys
import traceback
from pathlib import Path
from types import ModuleType

from proctor.errors import TargetError
from proctor.excerpt import said


def import_target(target: str, root: Path) -> object:
    """Import ``pkg.module:object`` with the project root in front of ``sys.path``.

    Raises TargetError when the target is misspelt, its module fails, or comes from elsewhere than the project
    although the project has one of that name.
    """
    module_name, colon, attributes = target.partition(":")
    if not (colon and _is_dotted(module_name) and _is_dotted(attributes)):
        raise TargetError(
            f"{target!r} is not of the form pkg.module:object",
            hint="write the import path of a module, a colon, and a name in it, such as shop.agent:answer",
        )
    _put_in_front(str(root.resolve()))
    found: object = _import(module_name, root)
    for name in attributes.split("."):
        if not hasattr(found, name):
            raise _missing(target, name, found)
        found = getattr(found, name)
    return found


def module_file(target: str, root: Path) -> Path | None:
    """Find the file below the root that holds the target's module, without importing it."""
    base = root.joinpath(*target.partition(":")[0].split("."))
    return next((path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()), None)


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _put_in_front(root: str) -> None:
    if sys.path[:1] != [root]:
        sys.path[:] = [root, *(entry for entry in sys.path if entry != root)]


def _import(name: str, root: Path) -> ModuleType:
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _import_error(name, root, error) from error
    # Another project's module of this name may be loaded: answers must come from the code that is fingerprinted.
    expected = module_file(name, root)
    if expected is not None and module.__file__ is not None and not expected.samefile(module.__file__):
        raise TargetError(
            f"module {name} was imported from {module.__file__}, but this project has its own {expected}",
            hint="rename the module, so that the two cannot be mixed up, or run each project in a process of its own",
        )
    return module


def _import_error(name: str, root: Path, error: BaseException) -> TargetError:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
        return TargetError(
            f"there is no module {error.name}",
            hint=f"modules are looked up in {root} and among the installed packages",
        )
    frames = traceback.extract_tb(error.__traceback__)
    return TargetError(
        f"importing {name} failed with {said(error)}",
        hint=f"it was raised at {frames[-1].filename}:{frames[-1].lineno}; try: python -c 'import {name}'",
    )


def _place(parent: object) -> str:
    return f"module {parent.__name__}" if isinstance(parent, ModuleType) else type(parent).__name__


def _missing(target: str, name: str, parent: object) -> TargetError:
    close = difflib.get_close_matches(name, [each for each in dir(parent) if not each.startswith("__")], n=3)
    hint = f"did you mean {', '.join(close)}?" if close else "check the name after the colon"
    return TargetError(f"{target} cannot be found: there is no {name!r} in {_place(parent)}", hint=hint)
