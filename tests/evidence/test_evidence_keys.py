from __future__ import annotations

import base64
import os
import stat
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from proctor.errors import UsageError
from proctor.evidence import SigningKey, key_text, load_public_key, load_signing_key, write_key_pair


def pem(private: object, passphrase: bytes | None = None) -> bytes:
    protection = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    made: bytes = private.private_bytes(  # type: ignore[attr-defined]
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection
    )
    return made


class TestWriting:
    def test_the_private_key_is_for_its_owner_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "evidence.pem"
        before = os.umask(0)
        try:
            key = write_key_pair(path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert load_signing_key(path).public == key.public

    def test_two_keys_are_never_the_same(self, tmp_path: Path) -> None:
        assert write_key_pair(tmp_path / "a").public != write_key_pair(tmp_path / "b").public

    @pytest.mark.parametrize("taken", ["evidence.pem", "evidence.pem.pub"])
    def test_nothing_is_overwritten_and_nothing_is_left_half_done(self, tmp_path: Path, taken: str) -> None:
        (tmp_path / taken).write_text("mine")
        with pytest.raises(UsageError, match=f"{taken} is there already, and a key is never overwritten"):
            write_key_pair(tmp_path / "evidence.pem")
        assert [path.name for path in tmp_path.iterdir()] == [taken]
        assert (tmp_path / taken).read_text() == "mine"

    def test_a_link_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "evidence.pem").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(UsageError, match="is there already"):
            write_key_pair(tmp_path / "evidence.pem")
        assert not (tmp_path / "elsewhere").exists()

    def test_a_folder_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"gone/evidence\.pem cannot be written: No such file or directory"):
            write_key_pair(tmp_path / "gone" / "evidence.pem")


class TestSigningKeys:
    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b"nonsense", "it holds no private key in PEM form"),
            (b"", "it holds no private key in PEM form"),
            (pem(generate_private_key(SECP256R1())), "it holds a key of another kind than Ed25519"),
            (pem(Ed25519PrivateKey.generate(), b"secret"), "it is protected by a passphrase"),
        ],
    )
    def test_another_file_is_refused_with_what_it_is(self, tmp_path: Path, content: bytes, told: str) -> None:
        (tmp_path / "key").write_bytes(content)
        with pytest.raises(UsageError, match=f"key cannot be used to sign: {told}") as caught:
            load_signing_key(tmp_path / "key")
        assert "proctor keygen makes a key" in str(caught.value)

    def test_a_file_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"the key .*/key cannot be read: No such file"):
            load_signing_key(tmp_path / "key")

    def test_the_public_key_cannot_sign(self, tmp_path: Path) -> None:
        write_key_pair(tmp_path / "key")
        with pytest.raises(UsageError, match="it holds no private key"):
            load_signing_key(tmp_path / "key.pub")


class TestPublicKeys:
    def test_are_taken_as_text_as_a_file_of_it_and_as_pem(self, tmp_path: Path) -> None:
        public = write_key_pair(tmp_path / "key").public
        (tmp_path / "text").write_text(f"{key_text(public)}\n")
        for given in (key_text(public), str(tmp_path / "key.pub"), str(tmp_path / "text")):
            assert load_public_key(given) == public

    @pytest.mark.parametrize(
        "given",
        [
            "",
            "nonsense",
            "a\0b",
            base64.b64encode(bytes(31)).decode(),
            base64.b64encode(bytes(32)).decode().rstrip("="),
        ],
    )
    def test_anything_else_is_refused_with_what_to_give(self, given: str) -> None:
        with pytest.raises(UsageError, match="hint: give the base64 text that proctor keygen printed"):
            load_public_key(given)

    def test_a_file_with_another_key_is_refused(self, tmp_path: Path) -> None:
        write_key_pair(tmp_path / "key")
        (tmp_path / "other").write_bytes(
            generate_private_key(SECP256R1())
            .public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        )
        for name in ("key", "other"):
            with pytest.raises(UsageError, match=f"{name} holds no public Ed25519 key"):
                load_public_key(str(tmp_path / name))


class TestWithoutCryptography:
    def test_it_is_said_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
        for use in (SigningKey.generate, lambda: SigningKey.from_secret(bytes(32)), lambda: SigningKey.from_pem(b"")):
            with pytest.raises(UsageError) as caught:
                use()
            assert str(caught.value) == (
                "signatures need the package cryptography\n  hint: pip install 'proctor-evals[evidence]'"
            )
