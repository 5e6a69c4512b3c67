"""What a run says of its transcripts, as JSON and back. Loaded only for runs that have some."""

from __future__ import annotations

from typing import Any, Final

from pydantic import TypeAdapter

from proctor.category_scores import TranscriptFindings

_FINDINGS: Final = TypeAdapter(TranscriptFindings)


def findings_to_json(findings: TranscriptFindings) -> dict[str, Any]:
    """Spell findings as a JSON object with one member for each of their fields."""
    spelled: dict[str, Any] = _FINDINGS.dump_python(findings, mode="json")
    return spelled


def findings_from_json(data: Any) -> TranscriptFindings:
    """The inverse of `findings_to_json`. Raises ValueError for what another version of Proctor wrote differently."""
    return _FINDINGS.validate_python(data)
