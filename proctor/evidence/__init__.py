"""Signed evidence: a JSON document, a detached Ed25519 signature beside it, and what the two show together.

- `sign` makes the signature block of a document, `verify` says whether a block fits one, and by whose key.
- `PROCTOR` signs the canonical form of RFC 8785. `ASSEVRA` is the form of the tool of that name.
- `read_document` reads JSON so strictly that what is signed has one meaning only.
- `write_key_pair`, `load_signing_key` and `load_public_key` are the keys. They need the extra ``evidence``.
"""

from __future__ import annotations

from proctor.evidence.canonical import canonicalize
from proctor.evidence.documents import parse_document, read_document
from proctor.evidence.ed25519 import SigningKey, key_text
from proctor.evidence.keys import load_public_key, load_signing_key, write_key_pair
from proctor.evidence.original import ASSEVRA, canonicalize_original
from proctor.evidence.signing import PROCTOR, Scheme, sign
from proctor.evidence.verifying import SCHEMES, Verification, scheme_of, verify

__all__ = [
    "ASSEVRA",
    "PROCTOR",
    "SCHEMES",
    "Scheme",
    "SigningKey",
    "Verification",
    "canonicalize",
    "canonicalize_original",
    "key_text",
    "load_public_key",
    "load_signing_key",
    "parse_document",
    "read_document",
    "scheme_of",
    "sign",
    "verify",
    "write_key_pair",
]
