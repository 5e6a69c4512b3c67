"""The signatures of Assevra: its canonical form of JSON, and the fields of its signature block.

The form is Python's: members sorted by code point, no blanks, text as UTF-8, and numbers as Python spells them, so that
1 and 1.0 differ. See docs/formats/assevra.md.
"""

from __future__ import annotations

import json
from typing import Any, Final

from proctor.errors import UsageError
from proctor.evidence.canonical import encode
from proctor.evidence.signing import Scheme


def canonicalize_original(value: Any) -> bytes:
    """Spell a JSON value in the canonical form of Assevra. A lone surrogate, on which it gives up, is escaped.

    Raises:
        UsageError: it holds NaN or an infinity, or is nested too deeply.
    """
    return encode(lambda: _spell(value), surrogates="backslashreplace")


def _spell(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise UsageError(
            "the document holds NaN or an infinity, which are no JSON numbers", hint="write them as texts, or null"
        ) from error


ASSEVRA: Final = Scheme(
    name="assevra",
    version_field="assevra_signature_version",
    constants={"algorithm": "ed25519", "assevra_signature_version": "1"},
    canonicalize=canonicalize_original,
)
"""Signature blocks as Assevra writes them; its own tool verifies them."""
