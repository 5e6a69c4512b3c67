"""OpenTelemetry traces: the spans of a trace, wherever they stand in the file, become one row.

| of the row | from |
|---|---|
| input, output | the outermost agent or root that has them; else the first request and the last answer of the models |
| tool calls | the models' messages and the tools' spans, see `proctor.traces.span_calls` |
| context | what retrievers and tools gave back |
| usage, cost | the sum over the innermost spans that count them: agents repeat the totals of their models |
| latency | the time in which the root was open |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

from proctor.excerpt import quote
from proctor.traces.base import BadTrace, Notes, Record, TraceRow
from proctor.traces.measures import quantity
from proctor.traces.messages import Talk, last_exchange
from proctor.traces.span_calls import calls_of
from proctor.traces.span_content import cost_of_span, input_of, output_of, passages_of, tokens_of_span
from proctor.traces.span_tree import SpanTree, busy_time
from proctor.traces.spans import Kind, Span, has_other_signal, is_otel, spans_in

_COUNTING: Final = (Kind.MODEL, Kind.AGENT, Kind.TOOL, Kind.RETRIEVER)


class OpenTelemetry:
    """Spans with GenAI attributes, by trace."""

    name = "otel"
    title = "OpenTelemetry spans"
    marks = "resourceSpans, or spans with a traceId and a spanId"

    def recognises(self, value: Any) -> bool:
        """Whether a value holds spans."""
        return is_otel(value)

    def traces(self, records: Iterable[Record], notes: Notes) -> Iterator[TraceRow]:
        """Read the traces in the order of their first spans. All spans are held in memory: a trace has no end mark."""
        for trace_id, spans in _grouped(records, notes).items():
            if all(span.kind is Kind.OTHER for span in spans):
                notes.leave_out("trace", "without an agent, a model or a tool")
                continue
            try:
                yield read_trace(trace_id, spans)
            except BadTrace as bad:
                notes.error(
                    bad.code, f"trace {quote(trace_id, 60)}: {bad.message}", Record(None, spans[0].line), bad.hint
                )
            except RecursionError:
                notes.error(
                    "too_deep",
                    f"trace {quote(trace_id, 60)} is nested too deeply to be read",
                    Record(None, spans[0].line),
                )


def read_trace(trace_id: str, spans: list[Span]) -> TraceRow:
    """Make a row of the spans of one trace."""
    tree = SpanTree(spans)
    return TraceRow(
        line=spans[0].line,
        trace_id=trace_id,
        input=_request(tree),
        agent_output=_answer(tree),
        context=_context(tree),
        tool_calls=calls_of(tree),
        usage=_usage(tree),
        cost_usd=_cost(tree),
        latency_ms=busy_time(tree.roots()),
    )


def _grouped(records: Iterable[Record], notes: Notes) -> dict[str, list[Span]]:
    """Spans by trace. An exporter that tries again writes a span twice: it counts once."""
    traces: dict[str, list[Span]] = {}
    seen: set[tuple[str, str]] = set()
    for record in records:
        try:
            for span in spans_in(record.value, record.line):
                if span.id is None or (span.trace_id, span.id) not in seen:
                    traces.setdefault(span.trace_id, []).append(span)
                if span.id is not None:
                    seen.add((span.trace_id, span.id))
        except BadTrace as bad:
            notes.error(bad.code, bad.message, record, bad.hint)
        except RecursionError:
            notes.error("too_deep", "is nested too deeply to be read", record)
        if has_other_signal(record.value):
            notes.leave_out("record", "with logs or metrics")
    return traces


def _outer(tree: SpanTree) -> list[Span]:
    """Agents, and roots of other kinds such as a web server's, the outermost first; not what a tool does inside."""
    roots = [span for span in tree.roots() if span.kind is Kind.OTHER]
    agents = [span for span in tree.of_kind(Kind.AGENT) if not tree.is_below(span, Kind.TOOL)]
    return sorted((*roots, *agents), key=tree.depth)


def _own_models(tree: SpanTree) -> list[Span]:
    """The models that speak for the trace's own agent: those below tools speak for the tool."""
    return [span for span in tree.of_kind(Kind.MODEL) if not tree.is_below(span, Kind.TOOL)]


def _request(tree: SpanTree) -> str | None:
    for span in (*_outer(tree), *_own_models(tree)):
        request = last_exchange(input_of(span)).request
        if request is not None:
            return request
    return None


def _answer(tree: SpanTree) -> str | None:
    """What the outermost that says something ended with; of several on one level, the last."""
    answers = [(tree.depth(span), span.end or 0, answer) for span in _outer(tree) if (answer := _said(span).answer)]
    if answers:
        return min(answers, key=lambda each: (each[0], -each[1]))[2]
    speaking = [span for span in _own_models(tree) if output_of(span)]
    return _said(max(speaking, key=lambda span: span.end or 0)).answer if speaking else None


def _said(span: Span) -> Talk:
    return last_exchange(output_of(span))


def _context(tree: SpanTree) -> str | None:
    spans = tree.once(tree.of_kind(Kind.RETRIEVER, Kind.TOOL))
    passages = [passage for span in spans for passage in passages_of(span)]
    if not passages:
        models = _own_models(tree)
        passages = list(last_exchange(input_of(models[-1])).results) if models else []
    return "\n\n".join(dict.fromkeys(passages)) or None


def _usage(tree: SpanTree) -> dict[str, int] | None:
    total: dict[str, int] = {}
    for span in tree.innermost(span for span in tree.of_kind(*_COUNTING) if tokens_of_span(span)):
        for name, number in tokens_of_span(span).items():
            total[name] = total.get(name, 0) + number
    return total or None


def _cost(tree: SpanTree) -> float | None:
    costs = {id(span): quantity("cost", cost_of_span(span)) for span in tree.of_kind(*_COUNTING)}
    spans = tree.innermost(span for span in tree.of_kind(*_COUNTING) if costs[id(span)] is not None)
    return float(sum(Decimal(repr(costs[id(span)])) for span in spans)) if spans else None
