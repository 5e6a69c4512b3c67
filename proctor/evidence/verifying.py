"""Whether a signature block fits a document, and whose key made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from proctor.errors import UsageError
from proctor.evidence.ed25519 import KEY_BYTES, SIGNATURE_BYTES, decode_base64, is_signature
from proctor.evidence.original import ASSEVRA
from proctor.evidence.signing import PROCTOR, Scheme
from proctor.excerpt import quote
from proctor.jsonvalue import json_equal
from proctor.wording import listed

SCHEMES: Final = (PROCTOR, ASSEVRA)
"""The signature blocks that can be verified."""

INTACT: Final = (
    "the document is as it was signed; who signed it is not shown, since anybody can make a key:"
    " name the public key that you expect"
)
AUTHENTIC: Final = "the document is as it was signed, and it was signed with the expected key"


@dataclass(frozen=True, slots=True)
class Verification:
    """What a signature block shows.

    ``is_valid``: the document is as it was signed. ``is_authentic``: with the expected key besides. ``reason`` is the
    sentence behind that. ``public_key`` and ``signed_at`` are what the block says; believe them only if it is valid.
    """

    is_valid: bool
    is_authentic: bool
    reason: str
    scheme: str
    public_key: str = ""
    signed_at: str | None = None


def scheme_of(block: Any) -> Scheme | None:
    """The scheme that a signature block names; None for what is no such block."""
    return next((each for each in SCHEMES if isinstance(block, Mapping) and each.version_field in block), None)


def verify(document: Any, block: Any, expected_key: bytes | None = None) -> Verification:
    """Say whether ``block`` is a signature of ``document``, made with the key whose 32 public bytes are expected.

    Raises:
        UsageError: the block is none of a known kind, or document or block have no canonical form.
    """
    scheme = scheme_of(block)
    if scheme is None:
        raise UsageError(
            "there is no signature block: an object with "
            + " or ".join(repr(each.version_field) for each in SCHEMES)
            + " was expected",
            hint="name the file that proctor sign wrote",
        )
    problem = _form_problem(block, scheme) or _problem(document, block, scheme, expected_key)
    if problem:
        return Verification(False, False, problem, scheme.name)
    authentic = expected_key is not None
    reason = AUTHENTIC if authentic else INTACT
    return Verification(True, authentic, reason, scheme.name, block["public_key"], block["signed_at"])


def _form_problem(block: Mapping[str, Any], scheme: Scheme) -> str | None:
    """What is wrong with the fields of a block before anything is computed."""
    if unknown := sorted(block.keys() - scheme.fields):
        return f"the signature block has fields that its version does not know: {listed([*map(quote, unknown)], 5)}"
    if missing := sorted(scheme.fields - block.keys()):
        return f"the signature block lacks {listed(missing, 5)}"
    for name, wanted in scheme.constants.items():
        if not json_equal(block[name], wanted):
            return f"the signature block says {name} {quote(str(block[name]))}, and only {wanted!r} is known"
    if not isinstance(block["signed_at"], str | None):
        return "the signature block has a signed_at that is neither a text nor null"
    return None


def _problem(document: Any, block: Mapping[str, Any], scheme: Scheme, expected_key: bytes | None) -> str | None:
    """What the signature does not fit: its own block, the document, or the expected key."""
    public = decode_base64(block["public_key"], KEY_BYTES)
    signature = decode_base64(block["signature"], SIGNATURE_BYTES)
    if public is None or signature is None:
        return "the public key or the signature in the block is not the base64 text of one"
    if not is_signature(signature, scheme.signed_bytes(block), public):
        return "the signature does not fit its block: the block was changed, or never signed with its key"
    if block["content_sha256"] != scheme.digest(document):
        return "the document is not the one that was signed: its content is another"
    if expected_key is not None and expected_key != public:
        return f"the document was signed with another key than the expected one: {block['public_key']}"
    return None
