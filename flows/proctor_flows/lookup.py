"""From a slug to its spec, and the specs that a project has."""

from __future__ import annotations

from pathlib import Path

from proctor.config import Project
from proctor.errors import UsageError
from proctor.formats.discovery import spec_files, suite_files
from proctor.stages.target import spec_slug


def project_specs(project: Project) -> dict[str, list[Path]]:
    """The specs below the project's spec folders, by slug: suites, and bare spec files that no suite is named like."""
    found: dict[str, list[Path]] = {}
    for path in (path for folder in project.spec_folders for path in suite_files(folder)):
        found.setdefault(spec_slug(path), []).append(path)
    bare: dict[str, list[Path]] = {}
    for path in (path for folder in project.spec_folders for path in spec_files(folder)):
        bare.setdefault(spec_slug(path), []).append(path)
    return bare | found


def spec_named(slug: str, project: Project) -> Path:
    """The spec with this slug.

    Raises:
        UsageError: there is none, or there are two.
    """
    specs = project_specs(project)
    paths = specs.get(slug, [])
    if len(paths) == 1:
        return paths[0]
    if paths:
        raise UsageError(
            f"two specs have the slug {slug!r}: {paths[0]} and {paths[1]}", hint="give one of them another name"
        )
    folders = ", ".join(str(project.root / name) for name in project.settings.specs)
    known = ", ".join(sorted(specs)[:20]) or "none"
    raise UsageError(f"no spec with the slug {slug!r} below {folders}", hint=f"known: {known}")
