"""Conversions that make no sense, with the reason and what helps instead."""

from __future__ import annotations

from typing import Final, NamedTuple

from proctor.errors import UsageError

PI: Final = "pi"
ASSEVRA: Final = "assevra"
TRANSCRIPT: Final = "transcript"
SUITE: Final = "suite"

ROW_TO_PI: Final = "a row records one answer, not the order of messages and calls"
"""Why a recorded row is never a pi fixture."""


class Refusal(NamedTuple):
    """Why a conversion is refused, and what to do. In the hint, ``{path}`` is the file."""

    why: str
    hint: str

    def error(self, path: object, target: str) -> UsageError:
        """The error for a file."""
        return UsageError(f"{path} cannot be converted to {target}: {self.why}", hint=self.hint.format(path=path))


_NO_TRIAL: Final = "it says what is asked and checked, and holds no recorded trial"
_OF_SUITE: Final = Refusal(_NO_TRIAL, "proctor run {path}, and convert that run")
_OF_TRANSCRIPT: Final = Refusal(
    _NO_TRIAL, "proctor run {path}, and convert that run; or record one with proctor record --turns {path}"
)
REFUSED: Final = {
    (PI, PI): Refusal("it is a pi fixture already", "proctor validate {path} checks it"),
    (ASSEVRA, PI): Refusal(ROW_TO_PI, "record a conversation with proctor record, or convert a run of an agent"),
    (ASSEVRA, ASSEVRA): Refusal("it is a data set already", "proctor validate {path} checks it"),
    (SUITE, PI): _OF_SUITE,
    (SUITE, ASSEVRA): _OF_SUITE,
    (TRANSCRIPT, PI): _OF_TRANSCRIPT,
    (TRANSCRIPT, ASSEVRA): _OF_TRANSCRIPT,
}
"""By the format of a file and what it would become."""
