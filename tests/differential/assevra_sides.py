"""One recorded row as the real Assevra sees it, and as we do: state, codes, outcome and measure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from proctor.checks.dimensions.base import RowResult
from proctor.dataset import DatasetSettings, RowState
from proctor.formats.assevra.row_text import read_line
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.formats.assevra.states import check_row, id_of
from proctor.stages.recorded.scoring import score_row
from tests.conformance.assevra_project import ROW_WORDS, settings_of

Row = Mapping[str, Any]

CRASH = "CRASH"
REFUSED = "refused"
"""The outcome of a row that validation lets no release score."""
ASKED = "ASKED"
"""The outcome of a row that is a question for a judge."""

_KIND = re.compile(r"\b([A-Z_]{4,}) (?:\[REDACTED\]|outside)")


class Seen(NamedTuple):
    """What one side says of a row.

    ``kinds`` are those of personal data. ``said`` is its sentence and ``fields`` are those of our errors; the two are
    shown or looked at where sides differ, and never compared.
    """

    state: str
    codes: tuple[str, ...]
    outcome: str = REFUSED
    measure: float | None = None
    kinds: frozenset[str] = frozenset()
    said: str = ""
    fields: tuple[str, ...] = ()

    @property
    def compared(self) -> tuple[object, ...]:
        """What both sides have to say alike."""
        return self[:5]


class Theirs:
    """The real package, row after row of one data set."""

    def __init__(self, assevra: Any, config: Mapping[str, Any], judge: Any = None) -> None:
        self._assevra, self._judge = assevra, judge
        self._options = assevra.Config(dict(config)).scorer_options()
        self._ids: set[str] = set()

    def see(self, row: Row, number: int) -> Seen:
        """Validate a row, and score it where it is labelled."""
        try:
            report = self._assevra.validate.validate_row(row, number, self._ids, self._options)
        except Exception as error:
            return Seen(CRASH, (), CRASH, said=repr(error))
        codes = tuple(f"{message.level[:1].upper()}:{message.code}" for message in report.messages)
        return self._score(row, codes) if report.state == RowState.LABELED.name else Seen(report.state, codes)

    def _score(self, row: Row, codes: tuple[str, ...]) -> Seen:
        state = RowState.LABELED.name
        try:
            found = self._assevra.registry.get_scorer(row["dimension"]).score([row], self._judge, self._options)
        except Exception as error:
            return Seen(state, codes, CRASH, said=repr(error))
        if found.skipped:
            return Seen(state, codes, "SKIPPED", said=found.skip_reason)
        scored = found.rows[0]
        return Seen(
            state, codes, scored.status, scored.raw_score, _kinds(row, _KIND.findall(scored.detail)), scored.detail
        )


class Ours:
    """The same, with our reader, validation and scoring."""

    def __init__(self, config: Mapping[str, Any], *, has_judge: bool = False) -> None:
        self.settings = settings_with(config, has_judge=has_judge)
        self._ids = SeenIds()
        self._ids.open("rows.jsonl")

    def see(self, row: Row, number: int) -> Seen:
        """Validate a row, and score it where it is labelled."""
        read = read_line(json.dumps(row).encode())
        row_id = id_of(read)
        first_use = None if row_id is None else self._ids.add(row_id, number)
        state, issues = check_row(read, self.settings.row, first_use)
        codes = tuple(f"{'E' if issue.is_error else 'W'}:{issue.code}" for issue in issues)
        fields = tuple(str(issue.pointer[0]) if issue.pointer else "" for issue in issues)
        if state is not RowState.LABELED:
            said = "; ".join(issue.message for issue in issues)
            return Seen(state.name, codes, said=said, fields=fields)
        found = score_row(read, self.settings)
        if not isinstance(found, RowResult):
            return Seen(state.name, codes, ASKED, fields=fields)
        kinds = _kinds(row, [finding.subject for finding in found.findings])
        outcome = ROW_WORDS[found.outcome.value]
        return Seen(state.name, codes, outcome, found.measure, kinds, found.reason, fields)


def settings_with(config: Mapping[str, Any], *, has_judge: bool = False) -> DatasetSettings:
    """Our settings for a configuration of theirs."""
    settings, is_refused = settings_of({"config": config, "judge_script": {} if has_judge else None})
    assert not is_refused, config
    return settings


def _kinds(row: Row, found: list[str]) -> frozenset[str]:
    return frozenset(filter(None, found)) if row["dimension"] == "pii" else frozenset()
