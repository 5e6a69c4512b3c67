"""Secrets and home folders in recorded text, replaced by placeholders before anything is kept.

`Masker` masks any JSON value and counts what it masked. Nothing can find every secret: it knows the shapes of keys that
providers issue, values beside a name that says what they are, and the values of secrets in the environment.
"""

from __future__ import annotations

from proctor.masking.masker import HOME, Masker

__all__ = ["HOME", "Masker"]
