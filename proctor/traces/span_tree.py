"""The spans of one trace as a tree, and which of them say the same thing twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from proctor.traces.span_content import tool_of
from proctor.traces.spans import Kind, Span

MAX_DEPTH: Final = 1_000
"""How far parents are followed, also where they go in a circle."""


class SpanTree:
    """The spans of a trace in the order in which they are written. A span whose parent is not there is a root."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = spans
        self._by_id: dict[str | None, Span] = {span.id: span for span in spans if span.id is not None}

    def ancestors(self, span: Span) -> Iterator[Span]:
        """The parent, its parent, and so on."""
        parent = self._by_id.get(span.parent)
        for _ in range(MAX_DEPTH):
            if parent is None:
                return
            yield parent
            parent = self._by_id.get(parent.parent)

    def depth(self, span: Span) -> int:
        """How many ancestors a span has."""
        return sum(1 for _ in self.ancestors(span))

    def roots(self) -> list[Span]:
        """The spans without a parent in the trace."""
        return [span for span in self.spans if self._by_id.get(span.parent) is None]

    def of_kind(self, *kinds: Kind) -> list[Span]:
        """The spans of these kinds by the time of their start; in the order of the file where that is equal."""
        return sorted((span for span in self.spans if span.kind in kinds), key=lambda span: span.start or 0)

    def is_below(self, span: Span, kind: Kind) -> bool:
        """Whether an ancestor is of this kind."""
        return any(ancestor.kind is kind for ancestor in self.ancestors(span))

    def innermost(self, spans: Iterable[Span]) -> list[Span]:
        """Those of the spans that do not only repeat what is below them.

        Agents repeat the totals of their models. A model's span repeats that of a model directly below it: a framework
        and a client library have both seen the same call. It does not repeat what an agent or tool below it asked.
        """
        candidates = list(spans)
        repeating = {id(outer) for span in candidates for outer in self._repeating(span)}
        return [span for span in candidates if id(span) not in repeating]

    def once(self, tools: Iterable[Span]) -> list[Span]:
        """The spans of tools and retrievers without those inside of the same call, as a client's below an agent's."""
        return [span for span in tools if not self._is_inside_of_same(span)]

    def _repeating(self, span: Span) -> Iterator[Span]:
        is_other_call = False
        for outer in self.ancestors(span):
            if outer.kind is not Kind.MODEL or not is_other_call:
                yield outer
            is_other_call = is_other_call or outer.kind in (Kind.TOOL, Kind.AGENT)

    def _is_inside_of_same(self, span: Span) -> bool:
        for outer in self.ancestors(span):
            if outer.kind is Kind.TOOL and (span.kind is not Kind.TOOL or tool_of(outer) == tool_of(span)):
                return True
            if outer.kind in (Kind.MODEL, Kind.AGENT):
                return False
        return False


def busy_time(spans: Iterable[Span]) -> float | None:
    """Milliseconds in which at least one of the spans was open; None where no span says when."""
    times = sorted((span.start, span.end) for span in spans if span.start is not None and span.end is not None)
    times = [(start, end) for start, end in times if start <= end]
    total, until = 0, 0
    for start, end in times:
        total += max(0, end - max(start, until))
        until = max(until, end)
    return round(total / 10**6, 3) if times else None
