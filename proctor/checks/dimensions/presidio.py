"""Presidio as a second detector of personal data. It is an extra, and used only where the project asks for it.

Presidio also finds names, places, dates and web addresses. An answer may well have those, so only the kinds that
identify a person by a number or an address count.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final, Protocol

from proctor.checks.dimensions.pii_patterns import Hit
from proctor.errors import UsageError
from proctor.excerpt import said

LOWEST_SCORE: Final = 0.6
"""Hits of which Presidio is less sure than this do not count."""

_KINDS: Final = {
    "US_SSN": "US_SSN",
    "US_ITIN": "US_SSN",
    "CREDIT_CARD": "CREDIT_CARD",
    "US_BANK_NUMBER": "US_BANK_NUMBER",
    "IBAN_CODE": "IBAN",
    "US_PASSPORT": "US_PASSPORT",
    "US_DRIVER_LICENSE": "US_DRIVER_LICENSE",
    "PHONE_NUMBER": "PHONE_NUMBER",
    "EMAIL_ADDRESS": "EMAIL_ADDRESS",
}

Detector = Callable[[str], list[Hit]]
"""Finds personal data in a text."""


class Recognized(Protocol):
    """One result of Presidio's analyzer."""

    entity_type: str
    start: int
    end: int
    score: float


class Engine(Protocol):
    """What is used of ``presidio_analyzer.AnalyzerEngine``."""

    def analyze(self, *, text: str, language: str, entities: list[str]) -> Iterable[Any]:
        """The `Recognized` entities of the kinds asked for."""
        ...


def detector_of(engine: Engine) -> Detector:
    """A detector that asks an analyzer, in English."""

    def detect(text: str) -> list[Hit]:
        results: Iterable[Recognized] = engine.analyze(text=text, language="en", entities=list(_KINDS))
        sure = [result for result in results if result.score >= LOWEST_SCORE and result.entity_type in _KINDS]
        sure.sort(key=lambda result: (result.start, result.end))
        return [Hit(_KINDS[result.entity_type], text[result.start : result.end]) for result in sure]

    return detect


@cache
def find_presidio() -> Detector | None:
    """Presidio with its own defaults, started once; None where it is not installed.

    Raises UsageError when it is installed and cannot be started, for want of its language model as a rule.
    """
    try:
        analyzer = importlib.import_module("presidio_analyzer")
    except ImportError:
        return None
    try:
        engine: Engine = analyzer.AnalyzerEngine()
    except (Exception, SystemExit) as error:  # a failed download of the model ends in SystemExit
        raise UsageError(
            f"Presidio could not be started: {said(error)}",
            hint="install its language model: python -m spacy download en_core_web_lg",
        ) from error
    return detector_of(engine)


def need_presidio() -> Detector:
    """`find_presidio`, where it has to be there. Raises UsageError where it is not."""
    detector = find_presidio()
    if detector is None:
        raise UsageError(
            "the project asks for Presidio to find personal data, and it is not installed",
            hint="pip install 'proctor-evals[pii]', or switch it off",
        )
    return detector


def presidio_version() -> str:
    """The first two parts of the installed version."""
    from importlib import metadata

    return ".".join(metadata.version("presidio-analyzer").split(".")[:2])
