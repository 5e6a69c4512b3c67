"""Query sets of the retrieval categories: what is wrong with one, and what of a query an adapter is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from proctor.brainbench.eras import Era
from proctor.brainbench.slugs import is_slug

TIERS: Final = ("easy", "medium", "hard", "adversarial", "fuzzy", "externally-authored")
OUTPUT_TYPES: Final = (
    "answer-string",
    "canonical-entity-id",
    "cited-source-pages",
    "time-qualified-answer",
    "abstention",
    "contradiction-explanation",
    "poison-flag",
    "confidence-score",
)

MISSING_ID: Final = "(missing id)"

_SHOWN: Final = ("id", "text", "as_of_date")
_SENTINELS: Final = ("corpus-end", "per-source")
_TEMPORAL: Final = re.compile(
    r"\b(?:is|was|were|current|now|at the time|during|as of|when did)\b", re.IGNORECASE | re.ASCII
)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[^\n\r\u2028\u2029]*)?")
_PLACEHOLDER: Final = re.compile(r"replace-me/|\bREPLACE\b|@replace-with-", re.ASCII)

Query: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QueryIssue:
    """What is wrong with one query. ``field`` is the member at fault, with dots: ``gold.relevant``."""

    query_id: str
    field: str
    message: str


def query_set_issues(queries: Iterable[Query], era: Era = Era.POST_AUDIT) -> list[QueryIssue]:
    """Everything that is wrong with a set of queries, in its order."""
    issues: list[QueryIssue] = []
    seen: set[str] = set()
    for query in queries:
        issues += query_issues(query, era)
        query_id = query.get("id")
        if isinstance(query_id, str) and query_id:
            if query_id in seen:
                issues.append(QueryIssue(query_id, "id", "stands twice in the set"))
            seen.add(query_id)
    return issues


def query_issues(query: Query, era: Era = Era.POST_AUDIT) -> list[QueryIssue]:
    """What is wrong with one query by itself.

    The seed era looks at the gold of two output types only. Since the audit all eight need gold that can be scored, and
    the placeholders of a template are refused.
    """
    query_id = query.get("id")
    name = query_id if isinstance(query_id, str) and query_id else MISSING_ID
    found = (*_member_issues(query), *_date_issues(query, era), *_gold_issues(query, era), *_author_issues(query))
    if era is Era.POST_AUDIT and any(_PLACEHOLDER.search(text) for text in _texts(query)):
        found += (("text", "holds a placeholder of a template that was not filled in"),)
    return [QueryIssue(name, field, message) for field, message in found]


def shown_to_adapter(query: Query, era: Era = Era.POST_AUDIT) -> dict[str, Any]:
    """What an adapter is shown of a query: its id, its text and its date.

    The seed era hides the gold alone, and so gives away accepted answers, tier and output type.
    """
    if era is Era.SEED:
        return {name: value for name, value in query.items() if name != "gold"}
    return {name: query[name] for name in _SHOWN if name in query}


_Issue: TypeAlias = tuple[str, str]


def _member_issues(query: Query) -> Iterator[_Issue]:
    for name in ("id", "text"):
        if not _has_text(query, name):
            yield name, "must be a text that is not empty"
    if query.get("tier") not in TIERS:
        yield "tier", f"must be one of {', '.join(TIERS)}"
    if query.get("expected_output_type") not in OUTPUT_TYPES:
        yield "expected_output_type", f"must be one of {', '.join(OUTPUT_TYPES)}"
    if not isinstance(query.get("gold"), dict | list):
        yield "gold", "must be an object"


def _date_issues(query: Query, era: Era) -> Iterator[_Issue]:
    text, date = query.get("text"), query.get("as_of_date")
    is_temporal = isinstance(text, str) and _TEMPORAL.search(text) is not None
    is_dated = era is Era.POST_AUDIT and query.get("expected_output_type") == "time-qualified-answer"
    if not (is_temporal or is_dated):
        return
    if date is None or date == "":
        yield "as_of_date", 'a question about time needs it: "corpus-end", "per-source" or a date (YYYY-MM-DD)'
    elif date not in _SENTINELS and not (isinstance(date, str) and _DATE.fullmatch(date)):
        yield "as_of_date", 'must be "corpus-end", "per-source" or a date (YYYY-MM-DD)'


def _author_issues(query: Query) -> Iterator[_Issue]:
    if query.get("tier") == "externally-authored" and not _has_text(query, "author"):
        yield "author", "queries of outsiders name their author"


def _gold_issues(query: Query, era: Era) -> Iterator[_Issue]:
    wanted, found = query.get("expected_output_type"), query.get("gold")
    rule = _GOLD_RULES.get(wanted) if isinstance(wanted, str) else None
    if rule is not None and (era is Era.POST_AUDIT or wanted in _CHECKED_IN_SEED):
        yield from rule(found if isinstance(found, dict) else {}, query)


def _cited_pages(gold: Query, _query: Query) -> Iterator[_Issue]:
    yield from _slug_issues("gold.relevant", gold.get("relevant"), 1)


def _abstention(gold: Query, _query: Query) -> Iterator[_Issue]:
    if gold.get("expected_abstention") is not True:
        yield "gold.expected_abstention", "must be true for an abstention"


def _answer(gold: Query, query: Query) -> Iterator[_Issue]:
    variants = query.get("acceptable_variants")
    if not _has_text(gold, "expected_answer") and not (isinstance(variants, list) and variants):
        yield "gold.expected_answer", "must be there, or acceptable_variants: nothing else could be scored"


def _dated_answer(gold: Query, _query: Query) -> Iterator[_Issue]:
    if not _has_text(gold, "expected_answer"):
        yield "gold.expected_answer", "must be a text that is not empty"


def _entity(gold: Query, _query: Query) -> Iterator[_Issue]:
    if not _is_slug(gold.get("expected_entity_id")):
        yield "gold.expected_entity_id", "must be a slug such as people/orla-venn"


def _contradiction(gold: Query, _query: Query) -> Iterator[_Issue]:
    yield from _slug_issues("gold.expected_citations", gold.get("expected_citations"), 2)


def _confidence(gold: Query, _query: Query) -> Iterator[_Issue]:
    value = gold.get("expected_confidence")
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        yield "gold.expected_confidence", "must be a number from 0 to 1"


_CHECKED_IN_SEED: Final = ("cited-source-pages", "abstention")
_GOLD_RULES: Final[Mapping[str, Callable[[Query, Query], Iterator[_Issue]]]] = {
    "answer-string": _answer,
    "canonical-entity-id": _entity,
    "cited-source-pages": _cited_pages,
    "time-qualified-answer": _dated_answer,
    "abstention": _abstention,
    "contradiction-explanation": _contradiction,
    "poison-flag": _cited_pages,
    "confidence-score": _confidence,
}


def _slug_issues(field: str, value: object, least: int) -> Iterator[_Issue]:
    if not isinstance(value, list) or len(value) < least:
        yield field, "must name at least one page" if least == 1 else f"must name at least {least} pages"
    elif not all(map(_is_slug, value)):
        yield field, "must hold slugs such as people/orla-venn"


def _texts(value: object) -> Iterator[str]:
    """Every text in a JSON value, names of members too."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, Mapping):
            waiting += [*inner.keys(), *inner.values()]
        elif isinstance(inner, list):
            waiting += inner


def _has_text(record: Mapping[str, Any], name: str) -> bool:
    value = record.get(name)
    return isinstance(value, str) and bool(value.strip())


def _is_slug(value: object) -> bool:
    return isinstance(value, str) and is_slug(value)
