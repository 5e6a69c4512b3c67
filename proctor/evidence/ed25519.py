"""Ed25519 keys and signatures (RFC 8032), by the package cryptography, which is imported when it is needed."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final, Self

from proctor.errors import UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


def needs_cryptography() -> None:
    """Check that the package cryptography is there.

    Raises:
        UsageError: it is not.
    """
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "signatures need the package cryptography", hint="pip install 'proctor-evals[evidence]'"
        ) from error


class SigningKey:
    """A private key. What it signs can be verified with `public`, its 32 bytes."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private

    @classmethod
    def generate(cls) -> Self:
        """Make a new key from the randomness of the system."""
        needs_cryptography()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_secret(cls, secret: bytes) -> Self:
        """The key with these 32 secret bytes."""
        needs_cryptography()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.from_private_bytes(secret))

    @classmethod
    def from_pem(cls, pem: bytes) -> Self:
        """Read an unencrypted PEM file.

        Raises:
            ValueError: it holds no private Ed25519 key, or one behind a passphrase.
        """
        needs_cryptography()
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            private = load_pem_private_key(pem, password=None)
        except TypeError as error:
            raise ValueError("it is protected by a passphrase, and nobody is there to be asked") from error
        except (ValueError, UnsupportedAlgorithm) as error:
            raise ValueError("it holds no private key in PEM form") from error
        if not isinstance(private, Ed25519PrivateKey):
            raise ValueError("it holds a key of another kind than Ed25519")
        return cls(private)

    @property
    def public(self) -> bytes:
        """The 32 bytes of the public key."""
        return self._private.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """The signature of a message: 64 bytes, always the same for the same message."""
        return self._private.sign(message)

    def private_pem(self) -> bytes:
        """The private key as PEM (PKCS #8), without a passphrase."""
        from cryptography.hazmat.primitives import serialization as s

        return self._private.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())

    def public_pem(self) -> bytes:
        """The public key as PEM (SubjectPublicKeyInfo)."""
        from cryptography.hazmat.primitives import serialization as s

        return self._private.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)


def public_from_pem(pem: bytes) -> bytes | None:
    """The 32 bytes of a public Ed25519 key in PEM form; None for anything else."""
    needs_cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        public = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        return None
    return public.public_bytes_raw() if isinstance(public, Ed25519PublicKey) else None


def is_signature(signature: bytes, message: bytes, public: bytes) -> bool:
    """Whether a signature of a message was made by the private key that belongs to ``public``."""
    needs_cryptography()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def key_text(public: bytes) -> str:
    """A public key as base64 text, 44 characters."""
    return base64.b64encode(public).decode("ascii")


def decode_base64(text: Any, size: int) -> bytes | None:
    """The bytes of a base64 text, if it is the one spelling of so many bytes; else None.

    Base64 readers take several spellings for the same bytes; a text that is signed, or is a signature, may have one.
    """
    try:
        raw = base64.b64decode(text, validate=True)
    except (TypeError, ValueError, binascii.Error):
        return None
    return raw if len(raw) == size and base64.b64encode(raw).decode("ascii") == text else None
