"""One recorded row as the real Assevra sees it, and as we do: state, codes, outcome and measure."""

from __future__ import annotations

import json
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


class Seen(NamedTuple):
    """What one side says of a row. ``said`` is its sentence, which is shown where sides differ and never compared."""

    state: str
    codes: tuple[str, ...]
    outcome: str = REFUSED
    measure: float | None = None
    said: str = ""


class Theirs:
    """The real package, row after row of one data set."""

    def __init__(self, assevra: Any, config: Mapping[str, Any]) -> None:
        self._assevra = assevra
        self._config = assevra.Config(dict(config))
        self._ids: set[str] = set()

    def see(self, row: Row, number: int) -> Seen:
        """Validate a row, and score it where it is labelled."""
        try:
            report = self._assevra.validate.validate_row(row, number, self._ids, self._config.scorer_options())
        except Exception as error:
            return Seen(CRASH, (), CRASH, said=repr(error))
        codes = tuple(f"{message.level[:1].upper()}:{message.code}" for message in report.messages)
        if report.state != "LABELED":
            return Seen(report.state, codes)
        try:
            card = self._assevra.evaluate(
                records=[row], validate=False, purpose="scan", judge_provider="none", config=self._config
            )
        except Exception as error:
            return Seen(report.state, codes, CRASH, said=repr(error))
        if card.controls:
            control = card.controls[0]
            return Seen(report.state, codes, control["status"], None, control["detail"])
        dimension = card.dimensions[0]
        if dimension.skipped:
            return Seen(report.state, codes, "SKIPPED", None, dimension.skip_reason)
        found = dimension.rows[0]
        return Seen(report.state, codes, found.status, found.raw_score, found.detail)


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
        said = "; ".join(issue.message for issue in issues)
        if state is not RowState.LABELED:
            return Seen(state.name, codes, said=said)
        found = score_row(read, self.settings)
        if isinstance(found, RowResult):
            return Seen(state.name, codes, ROW_WORDS[found.outcome.value], found.measure, found.reason)
        return Seen(state.name, codes, ASKED)


def settings_with(config: Mapping[str, Any], *, has_judge: bool = False) -> DatasetSettings:
    """Our settings for a configuration of theirs."""
    settings, is_refused = settings_of({"config": config, "judge_script": {} if has_judge else None})
    assert not is_refused, config
    return settings
