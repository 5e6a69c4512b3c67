"""Nothing in the repository tells whose machine it was written on, and every module is short and says what it is."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_MODULE = 500

FORBIDDEN = {
    "the place of this checkout": re.escape(str(ROOT)) + r"\b",
    "a home folder": r"(?<![\w.~-])/(?:root|(?:home|Users)/(?!user\b|you\b|me\b)\w+)/",
    "a registry host": r"\b(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|(?:deb|security)\.debian\.org)\b",
    "a key": r"\b(?:sk-(?:proj-|ant-)?[A-Za-z0-9]{24,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16})\b",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
}

ABOUT_SECRETS = {
    "tests/cli/test_cli_convert.py",
    "tests/cli/test_cli_evidence.py",
    "tests/cli/test_cli_export.py",
    "tests/cli/test_cli_record.py",
    "tests/convert/test_convert_export.py",
    "tests/convert/test_convert_rows.py",
    "tests/convert/trial_samples.py",
    "tests/core/test_core_masking.py",
    "tests/traces/test_pi_import.py",
}
"""Tests of what hides secrets: they hold made-up ones."""


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def violations(text: str) -> Iterator[str]:
    for what, pattern in FORBIDDEN.items():
        for found in re.finditer(pattern, text):
            yield f"line {text.count(chr(10), 0, found.start()) + 1} has {what}: {found.group()}"


MODULES = [
    path for folder in ("proctor", "flows", "tasks", "reports") for path in sorted((ROOT / folder).rglob("*.py"))
]


class TestText:
    @pytest.mark.requires("git")
    def test_no_file_names_a_machine_a_registry_or_a_key(self) -> None:
        found = [
            f"{path.relative_to(ROOT)}: {violation}"
            for path in tracked_files()
            if str(path.relative_to(ROOT)) not in ABOUT_SECRETS
            for violation in violations(path.read_text(encoding="utf-8", errors="replace"))
        ]
        assert found == []

    @pytest.mark.parametrize(
        ("split_text", "what"),
        [
            (f"see {ROOT}|/notes", "the place of this checkout"),
            ("cwd = '/ho|me/jo/project/'", "a home folder"),
            ("https://pypi|.org/simple", "a registry host"),
            ("key = sk|-a1b2c3d4e5f6a1b2c3d4e5f6", "a key"),
            ("-----BEGIN RSA |PRIVATE KEY-----", "a private key"),
        ],
    )
    def test_the_patterns_find_what_they_are_for(self, split_text: str, what: str) -> None:
        """The texts are split, so that this file does not have what it forbids."""
        found = list(violations("first line\n" + split_text.replace("|", "")))
        assert any(violation.startswith(f"line 2 has {what}: ") for violation in found)


class TestModules:
    @pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
    def test_a_module_says_what_it_is_and_is_short(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), "no module docstring"
        assert len(text.splitlines()) <= LONGEST_MODULE
