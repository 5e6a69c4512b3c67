"""The dimension ``task_completion``: the answer of an agent contains every text that it must."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from typing_extensions import override

from proctor.checks.dimensions.base import Dimension, Finding, Row, RowIssue, RowResult
from proctor.checks.dimensions.row_fields import wrong_choice, wrong_kind
from proctor.dataset import RowSettings
from proctor.excerpt import quote
from proctor.results import Outcome

MATCHES: Final = ("substring", "word")
"""``substring``: anywhere, also inside a word. ``word``: as a whole word or number; 21 is not in 1215 or 21.5."""

_COMPLETE: Final = RowResult(Outcome.PASSED, (Finding("complete", "", "the answer contains everything that it must"),))


class TaskCompletion(Dimension):
    """Whether every item of ``must_include`` occurs in ``agent_output``, both in lower case and otherwise verbatim.

    The optional field ``match`` says how an item is looked for (see `MATCHES`; ``substring`` where it is absent).
    An empty answer contains nothing.
    """

    name: Final = "task_completion"
    threshold: Final = 0.90
    required: Final = ("agent_output",)
    answer_key: Final = ("must_include",)
    is_judged: Final = False
    needs_judge: Final = False

    @override
    def issues(self, row: Row, settings: RowSettings) -> Iterable[RowIssue]:
        """Fields that cannot be read."""
        return (*_item_issues(row), *_match_issues(row))

    @override
    def is_labeled(self, row: Row, settings: RowSettings) -> bool:
        """Whether the answer must contain anything."""
        return bool(row.get("must_include"))

    @override
    def score(self, row: Row, settings: RowSettings) -> RowResult:
        """Passed when no item is missing."""
        output, items = row["agent_output"].lower(), row["must_include"]
        if row.get("match") == "word":
            missing = [item for item in items if not _whole(item.lower()).search(output)]
        else:
            missing = [item for item in items if item.lower() not in output]
        if not missing:
            return _COMPLETE
        seen = "the answer does not contain" if output else "the agent answered nothing; the answer should contain"
        kind = " as a whole word or number" if row.get("match") == "word" else ""
        return RowResult(
            Outcome.FAILED, tuple(Finding("missing", item, f"{seen} {quote(item, 120)}{kind}") for item in missing)
        )


TASK_COMPLETION: Final = TaskCompletion()


def _item_issues(row: Row) -> tuple[RowIssue, ...]:
    """``must_include`` must be a list of texts that are not blank. Null is a mistake here, not an absent field."""
    if "must_include" not in row:
        return ()
    items = row["must_include"]
    if not isinstance(items, list):
        return (wrong_kind(("must_include",), items, "a list of texts", 'write ["..."] under must_include'),)
    for index, item in enumerate(items):
        if not isinstance(item, str):
            return (wrong_kind(("must_include", index), item, "a text", "put it in quotes"),)
        if not item.strip():
            return (RowIssue("bad_type", ("must_include", index), "must not be blank", "write a text or remove it"),)
    return ()


def _match_issues(row: Row) -> tuple[RowIssue, ...]:
    match = row.get("match")
    if match is None or match in MATCHES:
        return ()
    return (wrong_choice("match", match, MATCHES),)


@lru_cache(maxsize=1024)
def _whole(item: str) -> re.Pattern[str]:
    """Find an item that is not a part of a longer word, nor of a number with a decimal or thousands part."""
    before = r"(?<!\w)" if _is_word(item[0]) else ""
    after = r"(?!\w)" if _is_word(item[-1]) else ""
    if item[0].isdigit():
        before += r"(?<!\d[.,])"
    if item[-1].isdigit():
        after += r"(?![.,]\d)"
    return re.compile(before + re.escape(item) + after)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
