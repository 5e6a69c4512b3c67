"""Text from outside in Markdown is shown, whatever it is, and is nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from proctor.excerpt import mark_controls
from proctor.markdown_text import cell, code, fenced, prose, table_row

PARSER = MarkdownIt("commonmark").enable("table")
TEXT = st.text(st.characters() | st.sampled_from("`|\\@#<>&*_[]()!\n\r\t~:$-."), max_size=60)


def inline(source: str) -> list[Token]:
    """All tokens inside paragraphs, cells and headings."""
    return [child for token in PARSER.parse(source) for child in token.children or ()]


def one_line(text: str) -> str:
    return " ".join(mark_controls(text).split())


class TestText:
    @given(TEXT)
    def test_code_shows_the_text_and_nothing_else(self, text: str) -> None:
        expected = one_line(text)
        tokens = inline(f"x {code(text)} y")
        shown = [token.content for token in tokens if token.type == "code_inline"]
        assert shown == ([expected] if expected else [])
        assert [token.type for token in tokens] == (["text", "code_inline", "text"] if expected else ["text"])

    @given(TEXT, TEXT)
    def test_a_cell_is_one_cell_with_the_text(self, first: str, second: str) -> None:
        table = "\n".join([table_row("A", "B"), table_row("---", "---"), table_row(cell(first), cell(second))])
        tokens = PARSER.parse(table)
        cells = [tokens[i + 1].children for i, token in enumerate(tokens) if token.type == "td_open"]
        assert len(cells) == 2
        for children, text in zip(cells, (first, second), strict=True):
            assert "".join(child.content for child in children or ()) == (one_line(text) or "(empty)")

    @given(TEXT)
    def test_prose_is_plain_text_that_mentions_nobody(self, text: str) -> None:
        tokens = inline(f"x {prose(text)}")
        assert {token.type for token in tokens} <= {"text", "text_special"}
        shown = "".join(token.content for token in tokens)
        assert shown.replace("@\u200b", "@").replace("#\u200b", "#") == f"x {one_line(text)}".strip()

    def test_mentions_and_issue_numbers_are_broken_up(self) -> None:
        assert prose("@team closes #12 at http://x.y and www.z.com") == (
            "@\u200bteam closes #\u200b12 at http\\://x.y and www\\.z.com"
        )

    @given(TEXT, st.sampled_from(["", "json"]))
    def test_a_fence_holds_all_of_the_text(self, text: str, language: str) -> None:
        tokens = PARSER.parse(f"{fenced(text, language)}behind")
        assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
        assert (tokens[0].info, tokens[0].content) == (language, f"{mark_controls(text)}\n")
