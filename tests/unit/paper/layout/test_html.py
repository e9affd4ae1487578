"""The HTML page: one file, nothing fetched, nothing hostile, readable by all."""

import base64
import hashlib
import math
import re
from itertools import pairwise

import pytest

import pages
from iim.paper.layout import write_pages
from iim.paper.layout.html import behind, prose
from iim.paper.results import Figure, Line, Number, Page, Panel, Section, Table
from reproductions import HOSTILE, demo_page, hostile_page


@pytest.fixture(scope="module", params=[demo_page, hostile_page])
def html(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("html")
    write_pages(request.param(), folder)
    return (folder / "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def page(html):
    return pages.Page(html)


def test_ids_are_unique_and_links_lead_somewhere(page):
    ids = page.ids()
    assert len(ids) == len(set(ids))
    inside = [link.removeprefix("#") for link in page.references() if link.startswith("#")]
    assert inside
    assert set(inside) <= set(ids)
    for _, attributes in page.tags:
        for name in ("aria-labelledby", "clip-path"):
            named = re.findall(r"[^\s()#]+\.[^\s()]+", attributes.get(name) or "")
            assert set(named) <= set(ids)


def test_nothing_is_fetched(html, page):
    assert all(link.startswith(("#", "numbers/")) or link == "data:," for link in page.references())
    assert not {"script", "img", "iframe", "object", "image"} & {tag for tag, _ in page.tags}
    assert "://" not in html
    assert [attributes for _, attributes in page.tags if "style" in attributes] == []


def test_its_policy_knows_its_style(html, page):
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [meta["content"] for meta in page.all("meta") if "http-equiv" in meta]
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_tables_have_captions_and_scopes(page):
    tags = [tag for tag, _ in page.tags]
    tables = tags.count("table")
    assert tables
    assert tags.count("caption") == tables
    assert all(head["scope"] in {"col", "row"} for head in page.all("th"))


def test_boxes_that_scroll_are_reached_by_keyboard(page):
    boxes = [box for box in page.all("div") if "scroll" in (box.get("class") or "")]
    assert boxes
    for box in boxes:
        assert (box["role"], box["tabindex"]) == ("region", "0")
        assert "aria-label" in box


def test_headings_do_not_skip(page):
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_pictures_are_named(page):
    pictures = page.all("svg")
    assert pictures
    assert all(one["role"] == "img" and one["aria-labelledby"] for one in pictures)
    assert len(page.text("desc")) == len(pictures)


def test_a_hostile_name_is_shown_whole(tmp_path):
    write_pages(hostile_page(), tmp_path)
    shown = pages.Page((tmp_path / "index.html").read_text("utf-8")).text("h1", "th")
    assert HOSTILE.replace("\u202e", "\N{REPLACEMENT CHARACTER}") in shown


def test_cells_say_in_words_what_colours_say(tmp_path):
    cells = {("a", "x"): Number(1.0, 1.5, 2.0), ("b", "x"): Number(4.0, 4.5, 2.0), ("c", "x"): "words"}
    table = Table("t", "T", "row", ("a", "b", "c"), ("x",), cells, better="low")
    write_pages(Page("P", (), (Section("s", "S", "", (), (table,)),)), tmp_path)
    page = pages.Page((tmp_path / "index.html").read_text("utf-8"))
    told = page.text("span")
    assert "\N{MINUS SIGN}50 % better" in told
    assert "+100 % worse" in told
    titles = {attributes["title"] for attributes in page.all("span") if "title" in attributes}
    assert titles == {"better than the paper by more than 15 %", "worse than the paper by more than 15 %"}
    classes = [(attributes.get("class") or "").split() for attributes in page.all("span")]
    assert sum("best" in one for one in classes) == 1
    assert sum("paper-best" in one for one in classes) == 2


def test_the_numbers_behind_a_plot_have_their_ranges():
    panel = Panel(
        "P",
        "x",
        "y",
        (Line("a", (1.0, 2.0), (1 / 3, math.nan), (0.1, 0.2), (0.5, 0.6)), Line("b", (3.0,), (7.0,))),
    )
    (found,) = behind(Figure("f", "F", (panel,)))
    assert (found.title, found.header) == ("P: y by x", ("x", "1", "2", "3"))
    assert found.rows == (
        ("a", (("0.3333", "0.1000 to 0.5000"), ("\N{EN DASH}", ""), ("", ""))),
        ("b", (("", ""), ("", ""), ("7.000", ""))),
    )


def test_prose_has_code_and_links_and_nothing_else():
    assert prose("a `b<` [c `d`](e.md#f) <i> [x](javascript:y) **z**") == (
        'a <code>b&lt;</code> <a href="e.md#f">c <code>d</code></a> &lt;i&gt; [x](javascript:y) **z**'
    )
