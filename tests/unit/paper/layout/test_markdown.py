"""The Markdown page: read by MyST as it is meant, whatever names hold."""

import re

import pytest

from iim.paper.layout.markdown import as_markdown, markdown_page
from iim.paper.results import Number, Page, Section, Table
from reproductions import HOSTILE, demo_page, hostile_page


def page_of(*sections, **settings) -> str:
    return markdown_page(Page("Title", (), sections, **settings))


def parsed(text):
    """Tokens as MyST reads them: CommonMark, tables, formulas between dollars."""
    markdown_it = pytest.importorskip("markdown_it")
    dollars = pytest.importorskip("mdit_py_plugins.dollarmath")
    reader = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).use(dollars.dollarmath_plugin)
    reader.disable("linkify")
    return reader.parse(text)


def test_a_table_reads_as_told():
    cells = {("a", "x"): Number(8.405, 13.46, 8.08), ("b", "x"): Number(9.0, 9.5, 8.0), ("b", "y"): "w|w"}
    table = Table("t", "T", "method", ("a", "b"), ("x", "y"), cells, better="low", digits=4)
    text = page_of(Section("s", "S", "", (), (table,)))
    assert (
        "| method | x | y |\n"
        "| --- | ---: | --- |\n"
        "| a | **8.405** (13.46) / 8.080, +4 % |  |\n"
        "| b | 9.000 (9.500) / *8.000*, +12 % | w\\|w |\n"
    ) in text


def test_headings_are_in_order():
    text = markdown_page(demo_page())
    assert text.startswith("# The paper, reproduced\n\n")
    levels = [len(marks) for marks in re.findall("^(#+) ", text, re.MULTILINE)]
    assert levels[0] == 1
    assert set(levels[1:]) == {2, 3}
    assert text.endswith("|\n")


def test_links_lead_to_sections_even_if_titles_are_alike():
    twins = [Section(key, "Same: title", "", ("See [other](#b), [file](x.md).",), ()) for key in "ab"]
    text = page_of(*twins, facts={"k": "v"})
    assert (
        "- [Same: title](#same-title)\n- [Same: title](#same-title-1)\n- [To repeat it](#to-repeat-it)"
        in text
    )
    assert "See [other](#same-title-1), [file](x.md)." in text


def test_nothing_hostile_is_markup():
    tokens = parsed(markdown_page(hostile_page()))
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children} | {token.type for token in tokens}
    assert not {kind for kind in kinds if "html" in kind or "math" in kind or kind in {"em_open", "s_open"}}
    assert not {"ordered_list_open", "blockquote_open", "code_block", "fence"} & kinds
    links = {
        child.attrs["href"] for token in inline for child in token.children if child.type == "link_open"
    }
    assert all(link.startswith(("#", "numbers/")) for link in links)
    (table, *_) = [at for at, token in enumerate(tokens) if token.type == "table_open"]
    row = [token for token in tokens[table:] if token.type == "inline"][:4]
    shown = "".join(child.content for child in row[0].children)
    assert shown == HOSTILE.replace("\u202e", "\N{REPLACEMENT CHARACTER}")


@pytest.mark.parametrize(
    "text", ["- a", "+ a", "1. a", "12) a", "# a", "> a", "% a", "(a)=", "---", "=", "::: a"]
)
def test_a_line_of_text_begins_nothing_else(text):
    opened, words, _ = parsed(as_markdown(text))
    assert opened.type == "paragraph_open"
    assert "".join(child.content for child in words.children) == text


def test_words_stay_readable():
    assert as_markdown("n_neighbors = 5, R2_S & more") == "n_neighbors = 5, R2_S & more"


def test_missing_parts_leave_no_trace():
    text = page_of(Section("s", "S", "", (), ()))
    assert text == "# Title\n\n- [S](#s)\n\n## S\n\nTo run it alone: `--only s`.\n"
