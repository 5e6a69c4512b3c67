"""The fifteen tools that an agent under BrainBench is given."""

from __future__ import annotations

from typing import Final

READ_TOOLS: Final = (
    "search",
    "query",
    "get_page",
    "list_pages",
    "get_backlinks",
    "get_links",
    "get_timeline",
    "get_tags",
    "traverse_graph",
    "resolve_slugs",
    "get_chunks",
    "get_stats",
)
"""The tools that read the knowledge base."""

PUT_PAGE: Final = "dry_run_put_page"
ADD_LINK: Final = "dry_run_add_link"
ADD_TIMELINE_ENTRY: Final = "dry_run_add_timeline_entry"

WRITE_TOOLS: Final = (PUT_PAGE, ADD_LINK, ADD_TIMELINE_ENTRY)
"""The tools by which an agent says what it would write. Nothing is written."""

TOOLS: Final = frozenset((*READ_TOOLS, *WRITE_TOOLS))
