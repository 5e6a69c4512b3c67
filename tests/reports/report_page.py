"""Writes an HTML report and parses it, which fails if the page is not well formed."""

from __future__ import annotations

import io
from html.parser import HTMLParser

from proctor.results import RunResults
from proctor_reports import html

INLINE = {"a", "code", "span", "strong"}
VOID = {"meta", "br", "link", "img"}
ALL = {"html": "report.html", "json": "report.json"}


class Page(HTMLParser):
    """A parsed page: its text, its tags with attributes, and whether each tag was closed in its turn."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.text = ""
        self._spaced = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._spaced += "" if tag in INLINE else " "
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        self._spaced += data

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.tags if attributes.get("id")]

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def words(self) -> str:
        """The text as it is read: blocks and cells apart, blanks run together."""
        return " ".join(self._spaced.split())


def page(run: RunResults, files: dict[str, str] = ALL) -> Page:
    """Write and parse the HTML report of a run."""
    out = io.StringIO()
    report = html.open_report(out, run.summary, files)
    for detail in run.cases():
        report.add(detail)
    for line in run.rows():
        report.add_row(line)
    report.finish()
    return Page(out.getvalue())
