"""Vectors of kind ``sign``: the canonical bytes of a value, its signature block, and what verifying says of it."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from proctor.errors import UsageError
from proctor.evidence import ASSEVRA, SigningKey, parse_document, sign, verify
from tests.conformance.verdict import Difference, Vector, compare


def is_sign_vector(vector: Vector) -> bool:
    """Whether a vector is about signing."""
    return vector.get("kind") == "sign"


def run_sign_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Sign the value of a vector and verify the block, after tampering if the vector says so."""
    expected = vector["expected"]
    try:
        document = parse_document(vector["value_text"] if "value_text" in vector else json.dumps(vector["value"]))
        block = sign(document, _key(vector["key_label"]), scheme=ASSEVRA, signed_at=vector.get("signed_at"))
    except UsageError as error:
        return [Difference("refused", expected.get("error", "a signature"), error.message)]
    if "error" in expected:
        return [Difference("refused", expected["error"], "a signature")]
    canonical = base64.b64encode(ASSEVRA.canonicalize(document)).decode("ascii")
    return [
        *compare("canonical_base64", expected["canonical_base64"], canonical),
        *compare("block", expected["block"], block),
        *_verified(vector, document, block),
    ]


def _key(label: str) -> SigningKey:
    return SigningKey.from_secret(hashlib.sha256(label.encode()).digest())


def _verified(vector: Vector, document: Any, block: dict[str, Any]) -> list[Difference]:
    expected = vector["expected"]
    pin = base64.b64decode(vector["pin"]) if "pin" in vector else None
    if "verify" in expected:
        return compare("verify", expected["verify"], verify(document, block, pin).is_valid)
    tamper = vector["tamper"]
    changed = {"value": document, "block": block}
    changed[tamper["where"]] = {**changed[tamper["where"]], tamper["key"]: tamper["to"]}
    seen = verify(changed["value"], changed["block"], pin).is_valid
    return compare("verify_after_tamper", expected["verify_after_tamper"], seen)
