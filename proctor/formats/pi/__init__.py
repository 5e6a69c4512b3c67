"""Trace fixtures of pi (JSON lines: meta, turns, assertions). What is read where is said in each module.

The rules are those of the fixture's type file (``FixtureMeta``, ``TraceTurn``, ``Assertion``) and of the content blocks
of pi-ai 0.6.2 to 1.6.0; where both are silent, docs/formats/pi.md says what is decided.
"""

from __future__ import annotations

from typing import Final

META: Final = "meta"
TURN: Final = "turn"
ASSERTIONS: Final = "assertions"
TYPES: Final = (META, TURN, ASSERTIONS)
"""The types of records, in their order."""
