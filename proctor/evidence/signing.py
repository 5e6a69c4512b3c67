"""The signature block of a JSON document. It is detached: it lies beside the document, which stays as it is.

The block holds the SHA-256 of the document's canonical form. What is signed is the canonical form of the block itself
without its ``signature``, so that no field of it can be changed, added or left out.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from proctor.evidence.canonical import canonicalize
from proctor.evidence.ed25519 import SigningKey, key_text
from proctor.trajectory import JsonValue

Block = dict[str, JsonValue]


class Scheme(NamedTuple):
    """How a document is spelt and what its block holds.

    ``constants`` are the fields that have one value only; ``version_field`` is the one that names the scheme.
    """

    name: str
    version_field: str
    constants: Mapping[str, JsonValue]
    canonicalize: Callable[[Any], bytes]

    @property
    def fields(self) -> frozenset[str]:
        """All fields of a block; no other may be there."""
        return frozenset({*self.constants, "content_sha256", "public_key", "signed_at", "signature"})

    def digest(self, document: Any) -> str:
        """The SHA-256 of the document's canonical form, in hex."""
        return hashlib.sha256(self.canonicalize(document)).hexdigest()

    def signed_bytes(self, block: Mapping[str, Any]) -> bytes:
        """What the signature of a block is made over."""
        return self.canonicalize({name: value for name, value in block.items() if name != "signature"})


PROCTOR: Final = Scheme(
    name="proctor",
    version_field="proctor_signature_version",
    constants={"algorithm": "ed25519", "canonicalization": "rfc8785", "proctor_signature_version": 1},
    canonicalize=canonicalize,
)
"""Proctor's own signature blocks."""


def sign(document: Any, key: SigningKey, *, scheme: Scheme = PROCTOR, signed_at: str | None = None) -> Block:
    """Make the signature block of a document. ``signed_at`` is the time to state; the same input gives the same block.

    Raises:
        UsageError: the document has no canonical form.
    """
    block: Block = {
        **scheme.constants,
        "content_sha256": scheme.digest(document),
        "public_key": key_text(key.public),
        "signed_at": signed_at,
    }
    signature = key.sign(scheme.signed_bytes(block))
    return {**block, "signature": base64.b64encode(signature).decode("ascii")}
