"""Key files: a private key that only its owner can read, and the public key that is given to others."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from proctor.errors import UsageError
from proctor.evidence.ed25519 import KEY_BYTES, SigningKey, decode_base64, public_from_pem

_LARGEST_KEY_FILE: Final = 65_536
_MAKE_ONE: Final = "proctor keygen makes a key that can be used; name its file"
_GIVE_PUBLIC: Final = "give the base64 text that proctor keygen printed, or the file with .pub at its end"


def public_path(path: Path) -> Path:
    """Where the public key of a private key lies: beside it, with ``.pub`` at the end."""
    return path.parent / f"{path.name}.pub"


def write_key_pair(path: Path) -> SigningKey:
    """Make a key and write it to ``path`` (PEM, PKCS #8, mode 0600), and its public key to ``path.pub`` (PEM).

    Raises:
        UsageError: one of the files is there already, or cannot be written.
    """
    key = SigningKey.generate()
    public = public_path(path)
    try:
        _write_new(path, key.private_pem(), 0o600)
        try:
            _write_new(public, key.public_pem(), 0o644)
        except OSError:
            path.unlink()
            raise
    except FileExistsError as error:
        raise UsageError(
            f"{error.filename} is there already, and a key is never overwritten",
            hint="name another file, or move that one away first",
        ) from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error
    return key


def load_signing_key(path: Path) -> SigningKey:
    """Read a private key file.

    Raises:
        UsageError: it cannot be read, or is no unprotected private Ed25519 key in PEM form.
    """
    try:
        return SigningKey.from_pem(_read(path, _MAKE_ONE))
    except ValueError as error:
        raise UsageError(f"{path} cannot be used to sign: {error}", hint=_MAKE_ONE) from error


def load_public_key(given: str) -> bytes:
    """Read a public key: base64 text itself, or the path of a file with that text or with PEM.

    Raises:
        UsageError: it is neither, or the file cannot be read.
    """
    found = decode_base64(given, KEY_BYTES)
    if found is not None:
        return found
    content = _read(Path(given), _GIVE_PUBLIC)
    found = decode_base64(content.decode("ascii", "replace").strip(), KEY_BYTES) or public_from_pem(content)
    if found is None:
        raise UsageError(f"{given} holds no public Ed25519 key", hint=_GIVE_PUBLIC)
    return found


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is not there yet; what was begun and cannot be finished is taken away."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise


def _read(path: Path, hint: str) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no regular file")
        with path.open("rb") as file:
            return file.read(_LARGEST_KEY_FILE)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the key {path} cannot be read: {reason}", hint=hint) from error
