from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import UsageError
from proctor.evidence import ASSEVRA, PROCTOR, SCHEMES, Scheme, SigningKey, canonicalize, key_text, sign, verify
from proctor.evidence.ed25519 import is_signature

KEY = SigningKey.from_secret(bytes(range(32)))
OTHER = SigningKey.from_secret(bytes(32))
DOCUMENT = {"decision": "passed", "dimensions": [{"name": "pii", "rate": 0.95}], "rows": 20}
TIME = "2026-05-02T10:00:00+00:00"

both = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)


def signed(scheme: Scheme, document: Any = DOCUMENT) -> dict[str, Any]:
    return dict(sign(document, KEY, scheme=scheme, signed_at=TIME))


class TestSigning:
    def test_the_block_has_these_fields(self) -> None:
        block = signed(PROCTOR)
        assert {name: value for name, value in block.items() if name != "signature"} == {
            "algorithm": "ed25519",
            "canonicalization": "rfc8785",
            "proctor_signature_version": 1,
            "content_sha256": "c23cd1377d93b0a91ee90642582a49d684849b86092e210ab14733bab32a4d1d",
            "public_key": key_text(KEY.public),
            "signed_at": TIME,
        }

    def test_the_signature_is_over_all_of_the_block_but_itself(self) -> None:
        block = signed(PROCTOR)
        signature = base64.b64decode(block.pop("signature"))
        assert is_signature(signature, canonicalize(block), KEY.public)
        assert not is_signature(signature, canonicalize(block), OTHER.public)

    @both
    def test_the_same_input_gives_the_same_block(self, scheme: Scheme) -> None:
        assert signed(scheme) == signed(scheme)

    def test_what_is_one_number_is_signed_alike_but_by_the_original(self) -> None:
        assert signed(PROCTOR, {"x": 1}) == signed(PROCTOR, {"x": 1.0})
        assert signed(ASSEVRA, {"x": 1}) != signed(ASSEVRA, {"x": 1.0})


class TestVerifying:
    @both
    def test_without_a_key_only_integrity_is_shown(self, scheme: Scheme) -> None:
        found = verify(DOCUMENT, signed(scheme))
        assert (found.is_valid, found.is_authentic, found.scheme) == (True, False, scheme.name)
        assert "as it was signed; who signed it is not shown" in found.reason
        assert (found.public_key, found.signed_at) == (key_text(KEY.public), TIME)

    @both
    def test_with_the_key_the_signer_is_shown_too(self, scheme: Scheme) -> None:
        found = verify(DOCUMENT, signed(scheme), KEY.public)
        assert (found.is_valid, found.is_authentic) == (True, True)
        assert found.reason == "the document is as it was signed, and it was signed with the expected key"

    @both
    def test_another_key_than_the_expected_one_is_found(self, scheme: Scheme) -> None:
        found = verify(DOCUMENT, signed(scheme), OTHER.public)
        assert not found.is_valid
        assert found.reason.startswith("the document was signed with another key than the expected one: ")

    @both
    def test_a_changed_document_is_found(self, scheme: Scheme) -> None:
        found = verify({**DOCUMENT, "rows": 21}, signed(scheme), KEY.public)
        assert not found.is_valid
        assert found.reason == "the document is not the one that was signed: its content is another"
        assert (found.public_key, found.signed_at) == ("", None)


class TestTampering:
    @pytest.mark.parametrize(
        ("scheme", "field"),
        [
            pytest.param(scheme, field, id=f"{scheme.name}-{field}")
            for scheme in SCHEMES
            for field in sorted(scheme.fields)
        ],
    )
    @given(value=st.none() | st.booleans() | st.integers(-1, 3) | st.text() | st.lists(st.none(), max_size=1))
    def test_no_field_can_be_changed(self, scheme: Scheme, field: str, value: Any) -> None:
        block = signed(scheme)
        if type(value) is type(block[field]) and value == block[field]:
            return
        assert not verify(DOCUMENT, {**block, field: value}).is_valid or (field, value) == (scheme.version_field, 1)

    @both
    @pytest.mark.parametrize("field", ["public_key", "content_sha256", "signature", "signed_at"])
    def test_no_field_can_be_taken_from_another_signature(self, scheme: Scheme, field: str) -> None:
        other = sign({**DOCUMENT, "rows": 21}, OTHER, scheme=scheme)
        assert not verify(DOCUMENT, {**signed(scheme), field: other[field]}).is_valid

    @both
    def test_no_field_can_be_added(self, scheme: Scheme) -> None:
        found = verify(DOCUMENT, {**signed(scheme), "note": "approved", "\x1b": 1})
        assert not found.is_valid
        assert found.reason == 'the signature block has fields that its version does not know: "<1B>", "note"'

    @both
    def test_no_field_can_be_left_out(self, scheme: Scheme) -> None:
        for field in scheme.fields - {scheme.version_field}:
            block = signed(scheme)
            del block[field]
            assert verify(DOCUMENT, block).reason == f"the signature block lacks {field}"

    @both
    def test_another_version_or_algorithm_is_refused(self, scheme: Scheme) -> None:
        found = verify(DOCUMENT, {**signed(scheme), scheme.version_field: 99})
        assert found.reason.startswith(f'the signature block says {scheme.version_field} "99", and only ')
        assert not verify(DOCUMENT, {**signed(scheme), "algorithm": "none"}).is_valid

    @both
    def test_base64_has_one_spelling(self, scheme: Scheme) -> None:
        block = signed(scheme)
        text = block["signature"]
        last = text[-3]
        other = text[:-3] + chr(ord(last) + 1) + "=="
        assert base64.b64decode(other) == base64.b64decode(text)
        for spelling in (other, f"{text}\n", text.rstrip("="), text[:40]):
            found = verify(DOCUMENT, {**block, "signature": spelling})
            assert found.reason == "the public key or the signature in the block is not the base64 text of one"

    @both
    @given(st.data())
    def test_no_byte_of_the_signature_can_be_changed(self, scheme: Scheme, data: st.DataObject) -> None:
        block = signed(scheme)
        raw = bytearray(base64.b64decode(block["signature"]))
        raw[data.draw(st.integers(0, 63))] ^= data.draw(st.integers(1, 255))
        assert not verify(DOCUMENT, {**block, "signature": base64.b64encode(raw).decode()}).is_valid

    @pytest.mark.parametrize("block", [None, [], "x", {}, {"algorithm": "ed25519"}])
    def test_what_is_no_block_is_refused(self, block: Any) -> None:
        with pytest.raises(UsageError, match="there is no signature block") as caught:
            verify(DOCUMENT, block)
        assert "name the file that proctor sign wrote" in str(caught.value)
