"""What an agent is made of, as a digest: equal fingerprints mean that an old answer is as good as a new one.

When in doubt, the fingerprint changes and the agent is asked again. Times never count, and neither does where the
project lies.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from proctor.agents.project_files import digest_files, glob_pattern, list_files, without_outputs, without_prose
from proctor.errors import AgentSetupError
from proctor.import_target import module_file
from proctor.jsonvalue import digest
from proctor.plan import AgentSpec

LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "requirements.lock")
_LOCAL_KINDS = ("python",)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The fingerprint of one agent.

    ``parts`` are digests by name: ``agent``; ``version`` or ``files``; ``packages``; ``python``; and one
    ``environment NAME`` for each declared variable. Values are never in it. ``reusable`` is False when nothing tells
    whether the agent has changed: its answers serve the run that made them, and no other.
    """

    digest: str
    parts: dict[str, str]
    reusable: bool


def fingerprint(
    spec: AgentSpec, *, root: Path, environment: tuple[str, ...] = (), exclude: Iterable[Path] = ()
) -> Fingerprint:
    """Take the fingerprint of a declared agent.

    ``environment`` names the variables whose values count. ``exclude`` are files and folders that do not: the spec
    files, reports. Raises AgentSetupError when a glob of ``inputs`` matches no file.
    """
    parts = {"agent": digest({"kind": spec.kind, "target": spec.target, "options": dict(spec.options)})}
    if spec.version is None:
        parts["files"] = digest(file_digests(spec, root=root, exclude=exclude))
    else:
        parts["version"] = digest(spec.version)
    parts["packages"] = digest(_lock_files(root) or _distributions(root))
    parts["python"] = digest(f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}")
    parts.update({f"environment {name}": digest(os.environ.get(name)) for name in environment})
    return Fingerprint(digest(parts), parts, reusable=spec.version is not None or spec.kind in _LOCAL_KINDS)


def file_digests(spec: AgentSpec, *, root: Path, exclude: Iterable[Path] = ()) -> dict[str, str]:
    """Digest each project file that counts for an agent, by its path below the root.

    Comparing two of these names the files that changed. Raises AgentSetupError when a glob of ``inputs`` matches none.
    """
    home = root.resolve()
    files = without_outputs(list_files(home), _below(home, exclude))
    target = _target_file(spec, home)
    chosen = _chosen(spec, files) if spec.inputs else without_prose(files, target)
    return digest_files(home, sorted({*chosen, *([target] if target else [])}))


def _chosen(spec: AgentSpec, files: list[str]) -> list[str]:
    chosen: list[str] = []
    for glob in spec.inputs:
        pattern = glob_pattern(glob)
        matching = [path for path in files if pattern.fullmatch(path)]
        if not matching:
            raise AgentSetupError(
                f"the inputs of the agent {spec.name} name {glob!r}, which matches no file of the project",
                hint="globs are relative to the project root; files that git ignores are not seen",
            )
        chosen += matching
    return chosen


def _target_file(spec: AgentSpec, root: Path) -> str:
    # It counts even where git ignores it, or the globs leave it out.
    found = module_file(spec.target, root) if spec.kind == "python" else None
    return found.relative_to(root).as_posix() if found else ""


def _below(root: Path, paths: Iterable[Path]) -> list[str]:
    resolved = [(root / path).resolve() for path in paths]
    return [path.relative_to(root).as_posix() for path in resolved if path.is_relative_to(root) and path != root]


def _lock_files(root: Path) -> dict[str, str]:
    return digest_files(root, LOCK_FILES)


def _distributions(root: Path) -> list[str]:
    """List the installed distributions by the names of their metadata folders, such as ``httpx-0.28.1.dist-info``.

    Reading 120 metadata files instead takes a fifth of a second.
    """
    names: set[str] = set()
    for entry in {Path(each or ".").resolve() for each in sys.path} - {root.resolve()}:
        try:
            names.update(path.name for path in entry.iterdir() if path.suffix in (".dist-info", ".egg-info"))
        except OSError:
            continue
    return sorted(names)
