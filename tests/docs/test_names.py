"""The names and links in the documentation lead somewhere, and every public name is in it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from doc_pages import PAGES, ROOT, page_name

import proctor

DOTTED = re.compile(r"\b(?:proctor|proctor_flows|proctor_tasks|proctor_reports)(?:\.[A-Za-z_]\w*)+\b(?![\w/<-])")
FILES = (".py", ".db", ".md", ".html", ".json")
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


def names(page: Path) -> set[str]:
    return {name for name in DOTTED.findall(page.read_text(encoding="utf-8")) if not name.endswith(FILES)}


def find(name: str) -> object:
    """Import what a dotted name means; raises where there is nothing."""
    module, *attributes = name.split(".")
    found: object = importlib.import_module(module)
    for attribute in attributes:
        module = f"{module}.{attribute}"
        found = getattr(found, attribute) if hasattr(found, attribute) else importlib.import_module(module)
    return found


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def is_broken(link: str, page: Path) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


class TestNames:
    def test_the_page_of_the_python_api_has_every_public_name_and_no_other(self) -> None:
        page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
        assert set(re.findall(r"^\| `proctor\.(\w+)` \|", page, re.MULTILINE)) == set(proctor.__all__)

    def test_the_public_names_are_sorted_and_exist(self) -> None:
        assert proctor.__all__ == sorted(proctor.__all__)
        assert all(hasattr(proctor, name) for name in proctor.__all__)

    @pytest.mark.parametrize("page", PAGES, ids=page_name)
    def test_every_dotted_name_on_a_page_exists(self, page: Path) -> None:
        for name in names(page) - {"proctor_flows.evaluate.eval_"}:
            assert find(name) is not None


class TestLinks:
    @pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=page_name)
    def test_every_link_to_a_file_resolves(self, page: Path) -> None:
        links = LINK.findall(page.read_text(encoding="utf-8"))
        assert [link for link in links if "://" not in link and is_broken(link, page)] == []

    def test_every_page_can_be_reached_from_the_readme(self) -> None:
        found, waiting = set[Path](), [ROOT / "README.md"]
        while waiting:
            page = waiting.pop()
            found.add(page)
            links = (link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8")))
            linked = {(page.parent / link).resolve() for link in links if link.endswith(".md") and "://" not in link}
            waiting += [other for other in linked - found if other.is_file()]
        assert set(PAGES) <= found
