"""Markdown: tables are well formed whatever names hold, and read as the text that they are made of."""

import pytest
from markdown_it import MarkdownIt

from iim.present.markdown import as_markdown, table_markdown
from iim.present.tables import Head, build_table, name, number, words

HOSTILE = [
    "a|b", "back\\slash|", "`code`", "<script>", "*bold*", "_it_", "[l](x)", "![i](x)", "$x$", "~~s~~",
    "&amp;", "#1", "- a", "trailing\\", "<!--", "{role}`x`", "**|**", "two\nlines", "\ttab",
]  # fmt: skip


def cells_of(text):
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    kinds = {token.type for token in tokens}
    inline = [child for token in tokens for child in (token.children or [])]
    assert {child.type for child in inline} <= {
        "text",
        "text_special",
        "softbreak",
        "strong_open",
        "strong_close",
    }
    found = [
        "".join(child.content for child in tokens[at + 1].children)
        for at, token in enumerate(tokens)
        if token.type == "td_open"
    ]
    return kinds, found


def test_hostile_names_and_words_stay_in_their_cells():
    heads = [Head("*h*|", "name"), Head("x"), Head("w", "words")]
    rows = [[name(each), number(at), words(each)] for at, each in enumerate(HOSTILE)]
    kinds, found = cells_of(table_markdown(build_table("Of *all*", heads, rows)))
    assert kinds <= {
        *(f"{tag}_{side}" for tag in ("paragraph", "table", "thead", "tbody", "tr", "th", "td")
          for side in ("open", "close")),
        "inline",
    }  # fmt: skip
    assert len(found) == 3 * len(HOSTILE)
    assert found[::3] == [each.replace("\n", r"\n").replace("\t", r"\t") for each in HOSTILE]
    assert found[2::3] == [" ".join(each.split()) for each in HOSTILE]


def test_numbers_are_set_to_the_right_and_rows_left_out_counted():
    table = build_table("", [Head("n", "name"), Head("x")], [[name("a"), number(0.5)]] * 3, most=1)
    assert table_markdown(table) == "| n | x |\n| --- | ---: |\n| a | 0.5 |\n\n... and 2 more"


@pytest.mark.parametrize(
    "text", ["- a", "+ a", "1. a", "12) a", "# a", "> a", "% a", "(a)=", "---", "=", "::: a"]
)
def test_a_line_of_text_begins_nothing_else(text):
    opened, inline, _ = MarkdownIt("commonmark").parse(as_markdown(text))
    assert opened.type == "paragraph_open"
    assert "".join(child.content for child in inline.children) == text


def test_words_stay_readable():
    assert as_markdown("n_neighbors = 5, R2_S & more") == "n_neighbors = 5, R2_S & more"


def test_a_table_without_rows_is_nothing():
    assert table_markdown(build_table("T", [Head("n")], [])) == ""
