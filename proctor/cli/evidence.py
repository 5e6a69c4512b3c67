"""``keygen``, ``sign`` and ``verify``: a signature that shows that a report is as it was written, and by whom."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proctor.cli.options import Format
from proctor.cli.output import OutputFormat, print_json, say
from proctor.errors import UsageError
from proctor.excerpt import quote

if TYPE_CHECKING:
    from proctor.evidence import Verification

KEYGEN_EXAMPLE = "Example: proctor keygen evidence.pem"
SIGN_EXAMPLE = "Example: proctor sign .proctor/reports/*/*/report.json --key evidence.pem"
VERIFY_EXAMPLE = "Example: proctor verify .proctor/reports/*/*/report.json"

Documents = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="JSON files, such as the scorecard.json of a run.")
]


class SchemeName(StrEnum):
    """Whose signature block is written."""

    PROCTOR = "proctor"
    ASSEVRA = "assevra"


def keygen(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Where the private key goes; the public one: PATH.pub.")],
    output: Format = OutputFormat.TEXT,
) -> None:
    """Make an Ed25519 key to sign with. Overwrites nothing."""
    from proctor.evidence import key_text, write_key_pair
    from proctor.evidence.keys import public_path

    public_key = key_text(write_key_pair(path).public)
    if output is OutputFormat.JSON:
        print_json({"private": str(path), "public": str(public_path(path)), "public_key": public_key})
        return
    say(f"wrote the private key to {path}: keep it secret, and out of git")
    say(f"wrote the public key to {public_path(path)}: give it to whoever verifies")
    say(f"public key: {public_key}")


def sign(
    files: Documents,
    key: Annotated[Path, typer.Option("--key", metavar="KEY", help="The private key that proctor keygen made.")],
    out: Annotated[Path | None, typer.Option("--out", help="Where the signature goes; FILE with .sig.json.")] = None,
    scheme: Annotated[
        SchemeName, typer.Option("--scheme", help="proctor, or assevra for a signature that its own tool verifies.")
    ] = SchemeName.PROCTOR,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Sign JSON files: what they say, not how they are laid out. The signature is a file of its own."""
    from proctor.evidence import SCHEMES, key_text, load_signing_key, read_document
    from proctor.evidence import sign as sign_document

    targets = _signature_paths(files, out, "--out")
    _check_targets(targets, [*files, key])
    signing_key = load_signing_key(key)
    chosen = next(each for each in SCHEMES if each.name == scheme)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made: list[dict[str, Any]] = []
    for file, target in zip(files, targets, strict=True):
        document = read_document(file)
        try:
            block = sign_document(document, signing_key, scheme=chosen, signed_at=now)
        except UsageError as error:
            raise UsageError(f"{file}: {error.message}", hint=error.hint) from error
        _write(target, json.dumps(block, indent=2) + "\n")
        made.append({"file": str(file), "signature": str(target), "block": block})
        if output is OutputFormat.TEXT:
            say(f"signed {file}: {target}")
    if output is OutputFormat.JSON:
        print_json(made)
    else:
        say(f"public key: {key_text(signing_key.public)}")


def verify(
    files: Documents,
    signature: Annotated[
        Path | None, typer.Option("--signature", metavar="S", help="The signature; by default FILE with .sig.json.")
    ] = None,
    public_key: Annotated[
        str | None, typer.Option("--public-key", metavar="K", help="The expected key: its base64 text, or its file.")
    ] = None,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Say whether JSON files are as they were signed; with --public-key also whether by the expected key.

    Takes signatures of proctor sign and of Assevra. Exit codes: 0 verified, 1 not verified, 2 not readable.
    """
    from proctor.evidence import load_public_key, read_document
    from proctor.evidence import verify as verify_document

    expected = None if public_key is None else load_public_key(public_key)
    found: list[tuple[Path, Verification]] = []
    for file, path in zip(files, _signature_paths(files, signature, "--signature"), strict=True):
        document = read_document(file)
        found.append((file, verify_document(document, read_document(path), expected)))
        if output is OutputFormat.TEXT:
            _tell(*found[-1])
    if output is OutputFormat.JSON:
        print_json([_as_json(file, each) for file, each in found])
    raise typer.Exit(0 if all(each.is_valid for _, each in found) else 1)


def _signature_paths(files: list[Path], given: Path | None, option: str) -> list[Path]:
    """Where the signature of each file is: beside it, or at the one place that was given for one file."""
    if given is None:
        return [file.parent / f"{file.name.removesuffix('.json')}.sig.json" for file in files]
    if len(files) > 1:
        raise UsageError(f"{option} names one file, and {len(files)} documents are named", hint="leave it out")
    return [given]


def _check_targets(targets: list[Path], sources: list[Path]) -> None:
    """Refuse to write a signature over something that is read, or over any file that is no signature."""
    from proctor.evidence import read_document, scheme_of

    for target in targets:
        if any(_is_same(target, source) for source in sources):
            raise UsageError(f"the signature would overwrite {target}", hint="name another file with --out")
        if not target.is_file() or not target.stat().st_size:
            continue
        with suppress(UsageError):  # what cannot be read is no signature
            if scheme_of(read_document(target)) is not None:
                continue
        raise UsageError(f"{target} is there already, and is no signature", hint="name another file with --out")


def _is_same(one: Path, other: Path) -> bool:
    """Whether two paths name one file, by a link of either kind too."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return one.resolve() == other.resolve()


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _tell(file: Path, found: Verification) -> None:
    say(f"{file}: {'verified' if found.is_valid else 'NOT verified'}: {found.reason}")
    if found.is_valid:
        when = f" at {quote(found.signed_at, 60)}" if found.signed_at else ", no time stated,"
        say(f"signed{when} with the public key {found.public_key}")


def _as_json(file: Path, found: Verification) -> dict[str, Any]:
    return {
        "file": str(file),
        "valid": found.is_valid,
        "authentic": found.is_authentic,
        "reason": found.reason,
        "scheme": found.scheme,
        "public_key": found.public_key or None,
        "signed_at": found.signed_at,
    }
