"""Secrets that are known by their shape: keys with a prefix of their provider, tokens, key blocks, URLs with passwords.

Every pattern takes linear time: it begins at a fixed text, and what is repeated gives nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

_LONG_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}+")
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_BEGIN: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"  # a line end may be spelled out before it, as in JSON
_LINE_END: Final = r"(?:\s|\\+[nrt])"


class Shape(NamedTuple):
    """One kind of secret.

    The group ``secret`` of the pattern is what is replaced. One of ``marks``, in lower case, is in every text that has
    such a secret: others need no search. ``is_secret`` judges what the pattern found.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool] = lambda _: True


def has_letter_and_digit(text: str) -> bool:
    """Whether a text holds both, as hardly any word or number does."""
    return _DIGIT.search(text) is not None and _LETTER.search(text) is not None


def _has_random_run(text: str) -> bool:
    """Whether a part without separators is as long and as mixed as a key: names with hyphens have none."""
    return any(has_letter_and_digit(run) for run in _LONG_RUN.findall(text))


def _token(kind: str, prefix: str, rest: str, *marks: str, check: Callable[[str], bool] = lambda _: True) -> Shape:
    """A token that stands for itself: no letter or digit before it or behind it."""
    pattern = re.compile(rf"{_BEGIN}(?P<secret>(?:{prefix}){rest})(?![A-Za-z0-9])")
    return Shape(kind, marks, pattern, check)


_KEY_BLOCK: Final = re.compile(
    r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_LINE_END}++(?:[A-Za-z-]{{1,20}}+: [\w,.+-]{{1,80}}+|[A-Za-z0-9+/=]{{16,}}+))++"
    rf"(?:{_LINE_END}++[A-Za-z0-9+/=]{{1,15}}+(?![A-Za-z0-9]))?+"
    rf"(?:{_LINE_END}*+-----END [A-Z0-9 ]{{0,30}}PRIVATE KEY(?: BLOCK)?-----)?+)"
)
_AUTHORIZATION: Final = re.compile(
    r"""(?i)(?<![a-z])authorization\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?(?:bearer|basic|token)\s{1,3}"""
    r"""(?P<secret>[\w.~+/=-]{6,}+)"""
)

SHAPES: Final = (
    Shape("private-key", ("private key",), _KEY_BLOCK),
    Shape(
        "jwt",
        ("eyj",),
        re.compile(r"(?:(?<![\w.-])|(?<=\\[nrt]))(?P<secret>eyJ[\w-]{8,}+(?:\.[\w-]{8,}+){2,4}+)"),
    ),
    _token("anthropic-key", "sk-ant-", r"[\w-]{20,}+", "sk-ant-"),
    _token("openai-key", "sk-", r"[\w-]{20,}+", "sk-", check=_has_random_run),
    _token("github-token", "gh[pousr]_", r"[A-Za-z0-9]{30,}+", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _token("github-token", "github_pat_", r"\w{22,}+", "github_pat_"),
    _token("gitlab-token", "glpat-", r"[\w-]{20,}+", "glpat-"),
    _token("slack-token", "xox[abeoprs]-|xapp-", r"[A-Za-z0-9-]{10,}+", "xox", "xapp-"),
    _token("aws-key", "AKIA|ASIA", r"[A-Z0-9]{16}", "akia", "asia", check=has_letter_and_digit),
    _token("google-key", "AIza", r"[\w-]{35,}+", "aiza"),
    _token("google-token", r"ya29\.", r"[\w-]{20,}+(?:\.[\w-]++)*+", "ya29."),
    _token("stripe-key", "[srp]k_(?:live|test)_|whsec_", r"[A-Za-z0-9]{16,}+", "k_live_", "k_test_", "whsec_"),
    _token("huggingface-token", "hf_", r"[A-Za-z0-9]{30,}+", "hf_"),
    _token("groq-key", "gsk_", r"[A-Za-z0-9]{40,}+", "gsk_"),
    _token("xai-key", "xai-", r"[A-Za-z0-9]{40,}+", "xai-"),
    _token("npm-token", "npm_", r"[A-Za-z0-9]{36,}+", "npm_"),
    _token("pypi-token", "pypi-", r"[\w-]{50,}+", "pypi-"),
    _token("sendgrid-key", r"SG\.", r"[\w-]{16,}+\.[\w-]{16,}+", "sg."),
    Shape("bearer-token", ("authorization",), _AUTHORIZATION),
    Shape(
        "bearer-token",
        ("bearer",),
        re.compile(r"(?i)(?<![a-z])bearer\s{1,3}(?P<secret>[\w.~+/=-]{16,}+)"),
        has_letter_and_digit,
    ),
    Shape(
        "url-password",
        ("://",),
        re.compile(r"""://[^\s/:@"'<>\\]{0,100}+:(?P<secret>[^\s/@"'<>\\$*{}]{1,200}+)@"""),
    ),
)
"""In the order in which they are looked for: the more specific ones first."""
