"""The Markdown page: read by MyST as it is meant, whatever names hold."""

import math
import re

import pytest

from iim.paper.layout.markdown import _legend, page_markdown
from iim.paper.results import Number, Page, Section, Table
from reproductions import HOSTILE, demo_page, hostile_page


def page_of(*sections, **settings) -> str:
    return page_markdown(Page("Title", (), sections, **settings))


def parsed(text):
    """Tokens as MyST reads them: CommonMark, tables, formulas between dollars."""
    markdown_it = pytest.importorskip("markdown_it")
    dollars = pytest.importorskip("mdit_py_plugins.dollarmath")
    reader = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).use(dollars.dollarmath_plugin)
    reader.disable("linkify")
    return reader.parse(text)


def test_a_table_is_written_cell_by_cell():
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
    text = page_markdown(demo_page())
    assert text.startswith("# The paper, reproduced\n\n")
    levels = [len(marks) for marks in re.findall("^(#+) ", text, re.MULTILINE)]
    assert levels[0] == 1
    assert set(levels[1:]) == {2, 3}
    assert text.endswith("|\n")


def test_contents_lead_to_sections():
    text = page_of(Section("k", "Today's view: all", "", ("See `k`, [file](x.md).",), ()), facts={"k": "v"})
    assert "- [Today's view: all](#todays-view-all)\n- [To repeat it](#to-repeat-it)" in text
    assert "See `k`, [file](x.md)." in text


def test_nothing_hostile_is_markup():
    tokens = parsed(page_markdown(hostile_page()))
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
    assert shown == HOSTILE.replace("\u202e", "\\u202e")


def test_missing_parts_leave_no_trace():
    text = page_of(Section("s", "S", "", (), ()))
    assert text == "# Title\n\n- [S](#s)\n\n## S\n\nTo run it alone: `--only s`.\n"


def test_the_legend_explains_what_is_there():
    def said(*cells, **settings):
        names = tuple(map(str, range(len(cells))))
        of = {(name, "c"): cell for name, cell in zip(names, cells, strict=True)}
        return _legend(Table("t", "T", "row", names, ("c",), of, **settings))

    assert said("words") == ""
    assert said(Number(1.0)) == ""
    assert said(Number(1.0, 2.0)) == "Each cell: our median over seeds and the worst seed in brackets."
    whole = said(Number(1.0, 2.0, 3.0), Number(2.0, 3.0, 4.0), better="low")
    assert "after the slash and how far ours is from it." in whole
    assert whole.endswith("Our best of a column is bold and the paper's best is in italics.")


def marked(*values, better=None):
    names = tuple(map(str, range(len(values))))
    cells = {(name, "c"): Number(value) for name, value in zip(names, values, strict=True)}
    text = page_of(
        Section("s", "S", "", (), (Table("t", "T", "row", names, ("c",), cells, better=better),))
    )
    return ["**" in line for line in re.findall(r"^\| \d.*", text, re.MULTILINE)]


def test_all_that_read_like_the_best_are_marked():
    assert marked(1.001, 1.002, 1.2, math.nan, better="low") == [True, True, False, False]
    assert marked(1.0, 3.0, better="high") == [False, True]
    assert marked(1.0, 3.0) == [False, False]


def test_without_a_choice_there_is_no_best():
    assert marked(1.0, better="low") == [False]


def test_a_cell_without_a_number_gives_the_reason():
    cells = {
        ("a", "c"): Number(None, None, 2.0),
        ("b", "c"): Number(None, why="too slow"),
        ("d", "c"): Number(1.0, why="odd"),
    }
    text = page_of(Section("s", "S", "", (), (Table("t", "T", "row", ("a", "b", "d"), ("c",), cells),)))
    assert "| a | \N{EN DASH} / 2.00 |\n| b | too slow |\n| d | 1.00 odd |" in text
