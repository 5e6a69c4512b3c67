"""One line of a file with reviews: read, or refused with its first fault."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from proctor.brainbench.judging.rubric import HIGHEST_POINTS, LOWEST_POINTS, RubricVerdict, shown_id
from proctor.checks.brainbench import RUBRIC
from proctor.errors import UsageError
from proctor.excerpt import quote
from proctor.formats.brainbench.companions.members import optional_text
from proctor.formats.brainbench.rfc3339 import is_date_time
from proctor.formats.members import (
    Fault,
    required_integer,
    required_text,
    type_name,
    unknown_choice,
    wrong_type,
)
from proctor.formats.pointers import Pointer
from proctor.plan import CriterionSpec
from proctor.stages.reviews.desk import Reviewable, ReviewDesk
from proctor.stages.reviews.lines import MEMBERS
from proctor.store import CriterionReview, Review, timestamp
from proctor.wording import count, listed

VERDICTS: Final = (RubricVerdict.PASS, RubricVerdict.PARTIAL, RubricVerdict.FAIL)
"""What a reviewer may conclude."""

_NAMED: Final = 20
_CRITERION: Final = ("points", "note")
_FORM: Final = f'write a number from {LOWEST_POINTS} to {HIGHEST_POINTS}, or {{"points": 4, "note": "why"}}'


def read_line(value: object, desk: ReviewDesk, reviewer: str, now: datetime) -> Review | None:
    """The review of a line, by ``reviewer`` and of ``now`` where it says nothing else; None without any points.

    Raises:
        Fault: something in it cannot be used.
    """
    if not isinstance(value, Mapping):
        raise wrong_type((), "an object", value)
    _refuse_unknown(value, MEMBERS, ())
    answer = _answer(value, desk)
    verdict = _verdict(value)
    criteria = _criteria(value, answer.question.criteria)
    if not criteria and verdict is not None:
        raise Fault("missing_criterion", ("verdict",), "is given without any points", "give points too, or null")
    if not criteria:
        return None
    return Review(
        reviewer=" ".join(optional_text(value, "reviewer").split()) or reviewer,
        content=answer.content,
        run_id=desk.run_id,
        ref=answer.ref,
        check=RUBRIC,
        criteria=criteria,
        verdict=verdict,
        reviewed_at=timestamp(_moment(value, now)),
    )


def _answer(value: Mapping[str, Any], desk: ReviewDesk) -> Reviewable:
    """The answer that a line is about. Agent and trial may be left out where one answer only can be meant."""
    case, content = required_text(value, "case"), optional_text(value, "content")
    agent = optional_text(value, "agent") or None
    trial = required_integer(value, "trial", least=0) if value.get("trial") is not None else None
    try:
        refs = desk.find(case, agent, trial)
        if content:
            refs = [ref for ref in refs if desk.texts[ref] == content][:1]
        if not refs:
            message = "is the digest of another text: question, rubric, answer or gold pages have changed"
            raise Fault("stale_review", ("content",), message, "review the text that is there now")
        if len(refs) > 1:
            missing = [name for name, said in (("agent", agent), ("trial", trial)) if said is None]
            message = f"{count(len(refs), 'answer')} of the case {quote(case, 80)} may be meant"
            raise Fault("ambiguous", ("case",), message, f"name the {' and the '.join(missing)} too")
        return desk.take(refs[0])
    except UsageError as error:
        raise Fault("unknown_answer", ("case",), error.message, error.hint) from error


def _criteria(value: Mapping[str, Any], rubric: Sequence[CriterionSpec]) -> tuple[CriterionReview, ...]:
    given = value.get("criteria")
    if not isinstance(given, Mapping):
        raise wrong_type(("criteria",), "an object with points for each criterion", given)
    ids = [criterion.id for criterion in rubric]
    for name in given:
        if name not in ids:
            raise _unknown("unknown_criterion", ("criteria", name), "criterion", name, ids)
    found = [_criterion(given.get(criterion.id), criterion) for criterion in rubric]
    missing = [shown_id(name) for name, review in zip(ids, found, strict=True) if review is None]
    if missing and len(missing) < len(ids):
        message = f"{listed(missing, _NAMED)} {'has' if len(missing) == 1 else 'have'} no points"
        raise Fault("missing_criterion", ("criteria",), message, "give points for each criterion, or for none yet")
    return tuple(review for review in found if review is not None)


def _criterion(given: object, criterion: CriterionSpec) -> CriterionReview | None:
    where: Pointer = ("criteria", criterion.id)
    note = ""
    if isinstance(given, Mapping):
        _refuse_unknown(given, _CRITERION, where)
        note = optional_text(given, "note", where)
        where, given = (*where, "points"), given.get("points")
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise Fault("wrong_type", where, f"points must be a number, got {type_name(given)}", _FORM)
    if not LOWEST_POINTS <= given <= HIGHEST_POINTS:
        raise Fault("out_of_range", where, f"points go from {LOWEST_POINTS} to {HIGHEST_POINTS}, got {given:g}", _FORM)
    return CriterionReview(criterion.id, float(given), criterion.weight, note)


def _verdict(value: Mapping[str, Any]) -> RubricVerdict | None:
    given = value.get("verdict")
    if given is not None and given not in VERDICTS:
        raise unknown_choice(("verdict",), "verdict", given, VERDICTS)
    return None if given is None else RubricVerdict(given)


def _moment(value: Mapping[str, Any], now: datetime) -> datetime:
    given = value.get("reviewed_at")
    if given is None:
        return now
    if not isinstance(given, str) or not is_date_time(given):
        raise Fault("bad_value", ("reviewed_at",), "is no date and time", "write it like 2026-02-11T09:00:00.250Z")
    try:
        moment = datetime.fromisoformat(given.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Fault("bad_value", ("reviewed_at",), "is a time that cannot be used") from None
    if moment > now:
        raise Fault("out_of_range", ("reviewed_at",), "is in the future", "leave it out for a review of now")
    return moment


def _refuse_unknown(value: Mapping[str, Any], known: Sequence[str], parent: Pointer) -> None:
    for name in value:
        if name not in known:
            raise _unknown("unknown_field", (*parent, name), "member", name, known)


def _unknown(code: str, where: Pointer, what: str, name: str, known: Sequence[str]) -> Fault:
    close = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean {quote(close[0], 80)}? " if close else ""
    return Fault(code, where, f"unknown {what} {quote(name, 80)}", f"{meant}known: {_names(known)}")


def _names(known: Iterable[str]) -> str:
    return listed([shown_id(name) for name in known], _NAMED)
