"""The report as its readers have it: on a screen, in the dark, by keyboard, on a phone, on paper."""

import math
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import iim
from browsing import serving
from iim.present.names import short_name

TAB, ENTER, SPACE = "\ue004", "\ue007", " "

LONG = "long " + "x" * 290 + " name"

HOSTILE = (
    "<script>document.title='hacked'</script>",
    '"><img src=x onerror="document.title=\'hacked\'">',
    "'onmouseover=document.title='hacked",
    "</style></svg></title><h1>hacked</h1>",
    "{{7*7}}{% raise %}",
    "&lt;b&gt; &amp; &#x41;",
    "🌡️ temperature 🇺🇳 👩‍🔬",
    "טמפרטורה (מעלות)",
    "درجة الحرارة <b>",
    LONG,
    "TEMPERATURE_MAX_C",
    "WWWWMMMM@@@@WWWWMM",
)
"""Names of columns that would like to be more than text."""

READ = {
    "text": "main p, main li, main dd, main dt",
    "links": "a",
    "headings": "h1, h2, h3, h4",
    "cells": "td",
    "heads": "th, th *",
    "captions": "caption, figcaption",
    "unfolding": "summary",
    "code": "code, pre",
}
"""What is read, and how it is found."""

BOX_OF = """
function boxOf(mark) {
  if (!mark.matches("text")) return mark.getBoundingClientRect();
  const across = mark.getBBox();
  const baseline = Number(mark.getAttribute("y"));
  const em = parseFloat(getComputedStyle(mark).fontSize);
  const onPage = (x, y) => new DOMPoint(x, y).matrixTransform(mark.getScreenCTM());
  const one = onPage(across.x, baseline - 1.16 * em);
  const other = onPage(across.x + across.width, baseline + 0.29 * em);
  return {
    left: Math.min(one.x, other.x), right: Math.max(one.x, other.x),
    top: Math.min(one.y, other.y), bottom: Math.max(one.y, other.y),
  };
}
"""
"""Where a mark of a picture is. A line of text is taken for as tall as one of Noto Sans CJK, the tallest of
the usual fonts: how tall the one at hand is must not decide a test."""

CONTRAST = 4.5
"""The least contrast of text with what is behind it (WCAG 2, level AA)."""


@pytest.fixture(scope="session")
def report_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("reports") / "sensors.html"
    table = iim.samples.sensors().iloc[::4]
    # In tables, a column of text has no numbers: they are sorted last.
    table.insert(1, "station", "north")
    iim.report(table, path, imputer="iim", compare=["mean", "knn", "iim"])
    return path


@pytest.fixture(scope="session")
def hostile_file(tmp_path_factory):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(60, 1)) * np.linspace(1, 30, len(HOSTILE))
    values += rng.normal(size=values.shape)
    # Numbers that are as wide as names.
    values[:, 3] *= -1e9
    values[rng.random(values.shape) < 0.06] = np.nan
    table = pd.DataFrame(values.round(2), columns=list(HOSTILE))
    path = tmp_path_factory.mktemp("reports") / "hostile.html"
    iim.report(table, path, imputer="iim", compare=["mean", "iim"], title="A table of <b>names</b>")
    return path


@pytest.fixture(params=["report_file", "hostile_file"])
def any_file(request):
    return request.getfixturevalue(request.param)


def scrolls_sideways(page):
    return page.run("const root = document.documentElement; return root.scrollWidth > root.clientWidth")


def test_it_opens_in_silence_and_asks_for_nothing(page, any_file):
    page.open(any_file)
    assert page.console() == []
    assert page.requests() == [any_file.as_uri()]


def test_all_can_be_read_without_scripts(page, report_file):
    page.open(report_file)
    read = "return document.querySelector('main').textContent"
    with_scripts = page.run(read).split()
    page.open(report_file, scripts=False)
    assert page.run(read).split() == with_scripts
    headings = page.all("h2, h3", "element.checkVisibility() || Boolean(element.closest('details'))")
    assert len(headings) > 4
    assert all(headings)
    # What is folded can be unfolded without scripts, too.
    tables = page.all("table", "element.checkVisibility() || Boolean(element.closest('details'))")
    assert len(tables) > 4
    assert all(tables)
    assert page.console() == []


def test_a_button_that_needs_scripts_is_not_offered_without_them(page, report_file):
    page.open(report_file, scripts=False)
    assert not any(page.all("button", "element.checkVisibility()"))


def test_every_picture_is_drawn_and_titled(page, any_file):
    page.open(any_file)
    page.unfold()
    pictures = page.all(
        "svg[role=img]",
        """({
            title: element.querySelector(':scope > title').textContent.trim(),
            labelled: element.getAttribute('aria-labelledby').split(' ').every(
                (id) => document.getElementById(id).textContent.trim() !== ''),
            box: [element.getBoundingClientRect().width, element.getBoundingClientRect().height],
            drawn: [element.getBBox().width, element.getBBox().height],
            marks: element.querySelectorAll('rect, path, circle, line').length,
        })""",
    )
    # Holes, values of columns, R2_S against R2_H, the chosen l, errors of methods.
    assert len(pictures) >= 8
    for picture in pictures:
        assert picture["title"]
        assert picture["labelled"]
        assert min(picture["box"]) > 20
        assert min(picture["drawn"]) > 20
        assert picture["marks"] > 1
    assert page.all("svg:not([role=img])", "element.getAttribute('aria-hidden')") in ([], ["true"])


def test_no_word_of_a_picture_is_cut_off(page, any_file):
    page.open(any_file)
    page.unfold()
    cut = page.run(
        BOX_OF
        + """
        const cut = [];
        for (const svg of document.querySelectorAll("svg[role=img]")) {
          const frame = svg.getBoundingClientRect();
          for (const text of svg.querySelectorAll("text")) {
            const box = boxOf(text);
            const out = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top,
              box.bottom - frame.bottom);
            if (out > 2) cut.push([svg.querySelector("title").textContent, text.textContent, out]);
          }
        }
        return cut;
        """
    )
    assert cut == []


def test_no_word_of_a_picture_lies_on_another_or_on_a_line(page, any_file):
    page.open(any_file)
    page.unfold()
    covered = page.run(
        BOX_OF
        + """
        const covered = [];
        for (const svg of document.querySelectorAll("svg[role=img]")) {
          const words = [...svg.querySelectorAll("text")];
          const lines = svg.querySelectorAll(".spread");
          for (const [at, one] of words.entries()) {
            const box = boxOf(one);
            for (const other of [...words.slice(at + 1), ...lines]) {
              const under = boxOf(other);
              const wide = Math.min(box.right, under.right) - Math.max(box.left, under.left);
              const high = Math.min(box.bottom, under.bottom) - Math.max(box.top, under.top);
              if (wide > 2 && high > -1) covered.push([one.textContent, other.textContent || "a line"]);
            }
          }
        }
        return covered;
        """
    )
    assert covered == []


COLUMN = """
const table = document.querySelectorAll("table")[arguments[0]];
return [...table.tBodies[0].rows].map((row) => row.cells[arguments[1]].textContent.trim());
"""
"""The texts of a column of a table."""


def as_number(text):
    """The number that a cell shows; NaN if it shows none."""
    found = re.match(r"[-−]?[\d,]*\.?\d+", text)
    return float(found[0].replace(",", "").replace("−", "-")) if found else math.nan


def is_sorted(texts, *, falling):
    """Whether cells are in order: by number, and what is no number last, either way."""
    numbers = np.array([as_number(text) for text in texts])
    there = numbers[~np.isnan(numbers)]
    return (
        np.isnan(numbers[there.size :]).all()
        and 0 < there.size < len(texts)
        and bool(np.all(np.diff(there) <= 0 if falling else np.diff(there) >= 0))
    )


def test_a_table_is_sorted_by_keyboard(page, report_file):
    page.open(report_file)
    heads = "[...element.tHead.rows[0].cells].map((head) => head.innerText.trim())"
    tables = page.all("table", heads)
    at = next(place for place, heads in enumerate(tables) if "Missing" in heads)
    column = tables[at].index("Missing")
    before = page.run(COLUMN, at, column)
    for _ in range(100):
        page.press(TAB)
        focused = page.run(
            """
            const head = document.activeElement.closest("th");
            const tables = [...document.querySelectorAll("table")];
            return head && document.activeElement.matches("button")
              ? [tables.indexOf(head.closest("table")), head.cellIndex] : null;
            """
        )
        if focused == [at, column]:
            break
    else:
        pytest.fail("the button is not reached with the Tab key")
    assert page.run("return document.activeElement.matches(':focus-visible')")
    assert page.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
    told = "return document.activeElement.closest('th').getAttribute('aria-sort')"
    orders = {"ascending": False, "descending": True}
    page.press(ENTER)
    first = page.run(told)
    assert is_sorted(page.run(COLUMN, at, column), falling=orders[first])
    page.press(SPACE)
    second = page.run(told)
    assert {first, second} == set(orders)
    assert is_sorted(page.run(COLUMN, at, column), falling=orders[second])
    # No row is lost, and one column at most is said to be the sorted one.
    assert sorted(page.run(COLUMN, at, column)) == sorted(before)
    assert page.all("th[aria-sort]:not([aria-sort='none'])", "element.cellIndex") == [column]
    assert page.console() == []


def test_rows_stay_whole_when_they_are_sorted(page, report_file):
    page.open(report_file)
    rows = "[...element.tBodies[0].rows].map((row) => row.textContent)"
    before = page.all("table", rows)
    page.run("document.querySelectorAll('th button').forEach((button) => button.click())")
    after = page.all("table", rows)
    assert [sorted(table) for table in after] == [sorted(table) for table in before]
    assert after != before


def test_hostile_names_are_shown_as_text(page, hostile_file):
    page.open(hostile_file)
    assert page.run("return document.title") == "A table of <b>names</b>"
    assert page.all("h1", "element.textContent.includes('hacked')") == [False]
    # No element came of a name: one script and one style of ours, no picture but those we draw.
    assert len(page.all("script", "1")) == 1
    assert len(page.all("style", "1")) == 1
    assert page.all("img, iframe, object, embed, form, main b", "element.outerHTML") == []
    handlers = "[...element.attributes].some((one) => one.name.startsWith('on'))"
    assert not any(page.all("*", handlers))
    text = page.run("return document.querySelector('main').textContent")
    for name in HOSTILE:
        assert name in text or short_name(name, 44) in text, name
    assert "49" not in re.findall(r"\S*49\{%", text)
    # A name that is shortened is whole in a tooltip.
    assert LONG in page.all("[title]", "element.title")


def test_nothing_of_a_name_runs_into_what_is_beside_it(page, hostile_file):
    page.open(hostile_file)
    isolated = page.all("td bdi, th bdi, h3 bdi, h4 bdi", "getComputedStyle(element).unicodeBidi")
    assert len(isolated) >= len(HOSTILE)
    assert set(isolated) == {"isolate"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page, report_file, scheme):
    page.open(report_file, scheme=scheme)
    page.unfold()
    found = {what: page.contrasts(selector) for what, selector in READ.items()}
    assert {"text", "headings", "cells", "heads", "captions"} <= {what for what in found if found[what]}
    weak = {
        (what, text): round(contrast, 2)
        for what, contrasts in found.items()
        for text, contrast in contrasts.items()
        if contrast < CONTRAST
    }
    assert weak == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_of_pictures_can_be_read_in_light_and_dark(page, report_file, scheme):
    page.open(report_file, scheme=scheme)
    # Text of a picture is filled, not coloured.
    page.all("svg text", "element.style.color = getComputedStyle(element).fill")
    contrasts = page.contrasts("svg text")
    assert len(contrasts) > 10
    assert {text: value for text, value in contrasts.items() if value < CONTRAST} == {}


def test_the_dark_page_is_dark(page, report_file):
    page.open(report_file)
    light = page.run("return getComputedStyle(document.body).backgroundColor")
    page.show_as(scheme="dark")
    dark = page.run("return getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", light)[:3])) > 600
    assert sum(map(int, re.findall(r"\d+", dark)[:3])) < 200


@pytest.mark.parametrize("width", [360, 800])
def test_a_narrow_page_does_not_scroll_sideways(page, any_file, width):
    page.open(any_file, width=width)
    page.unfold()
    assert not scrolls_sideways(page)


@pytest.mark.parametrize(("media", "width"), [("", 360), ("print", 718)])
def test_no_word_is_broken_on_a_phone_or_on_paper(page, report_file, media, width):
    page.open(report_file, media=media, width=width)
    page.unfold()
    broken = page.run(
        """
        const broken = [];
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        while (texts.nextNode()) {
          const text = texts.currentNode;
          if (text.parentElement.closest("svg, script, style, pre")) continue;
          for (const word of text.data.matchAll(/[a-z]+/gi)) {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
            if (new Set(tops).size > 1) broken.push(word[0]);
          }
        }
        return broken;
        """
    )
    assert broken == []


def test_what_scrolls_by_itself_can_be_scrolled_by_keyboard(page, hostile_file):
    page.open(hostile_file, width=360)
    page.unfold()
    boxes = page.all(
        "main *",
        """({
            scrolls: element.scrollWidth > element.clientWidth + 1
                && ["auto", "scroll"].includes(getComputedStyle(element).overflowX),
            reached: element.tabIndex >= 0 || element.querySelector("button") !== null,
        })""",
    )
    scrolling = [box for box in boxes if box["scrolls"]]
    assert scrolling
    assert all(box["reached"] for box in scrolling)


def test_what_is_folded_is_printed(page, report_file):
    page.open(report_file)
    folded = "details:not([open]) > :not(summary)"
    seen = "element.checkVisibility() && element.getBoundingClientRect().height > 0"
    assert len(page.all(folded, seen)) > 0
    assert not any(page.all(folded, seen))
    page.show_as(media="print")
    assert all(page.all(folded, seen))


def test_it_is_printed_on_a_few_sheets(page, any_file):
    page.open(any_file, scheme="dark")
    assert 2 <= page.n_printed() <= 20


def test_paper_is_white_even_if_the_screen_is_dark(page, report_file):
    page.open(report_file, scheme="dark", media="print")
    color = page.run("return getComputedStyle(document.body).backgroundColor")
    assert re.findall(r"\d+", color)[:3] == ["255"] * 3 or color == "rgba(0, 0, 0, 0)"
    texts = page.contrasts(", ".join(READ.values()))
    assert {text: value for text, value in texts.items() if value < CONTRAST} == {}


def test_the_page_has_a_shape_that_can_be_listened_to(page, any_file):
    page.open(any_file)
    assert page.run("return document.documentElement.lang") == "en"
    assert page.run("return document.title") != ""
    assert len(page.all("main", "1")) == 1
    levels = page.all("h1, h2, h3, h4, h5, h6", "Number(element.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    captions = page.all("table", "element.caption === null ? '' : element.caption.textContent.trim()")
    assert all(captions)
    assert all(page.all("thead th", "element.scope === 'col' && element.textContent.trim() !== ''"))
    assert all(page.all("tbody th", "element.scope === 'row'"))
    names = page.all(
        "button, input, select, a, summary",
        "(element.ariaLabel || element.textContent || element.labels[0].textContent).trim()",
    )
    assert all(names)
    ids = page.all("[id]", "element.id")
    assert len(ids) == len(set(ids))
    links = page.all("a", "element.getAttribute('href')")
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)


def test_a_link_in_a_notebook_stays_in_the_report(page, tmp_path):
    # A notebook has an address of its own, which the links of a frame would lead to.
    table = np.where(np.arange(40).reshape(20, 2) % 7 == 3, np.nan, np.arange(40.0).reshape(20, 2))
    shown = iim.report(table, imputer="knn", measure=False)._repr_html_()
    text = f"<!doctype html><html lang=en><title>Notebook</title><link rel=icon href='data:,'>{shown}"
    (tmp_path / "notebook.html").write_text(text, encoding="utf-8")
    with serving(tmp_path) as address:
        page.visit(f"{address}/notebook.html")
        with page.inside("iframe"):
            assert page.run("return document.querySelector('h1').textContent") == "Missing values"
            page.click("a[href='#good']")
            assert page.run("return document.querySelector('h1').textContent") == "Missing values"
            assert page.run("return document.location.href") == "about:srcdoc#good"
            assert page.run("return document.querySelector('#good').getBoundingClientRect().top") < 400
            # What sorts tables runs there, too.
            assert len(page.all("th button", "1")) > 4
        assert page.run("return document.title") == "Notebook"
        assert page.console() == []
        assert page.requests() == [f"{address}/notebook.html"]


def test_paper_is_not_wider_than_it_is(page, any_file):
    # An A4 sheet between the margins of Chromium; it shrinks pages that are wider.
    page.open(any_file, media="print", width=718)
    page.unfold()
    assert not scrolls_sideways(page)
    cut = "element.scrollWidth > element.clientWidth + 1"
    assert not any(page.all("main .scroll, main table", cut))


def test_numbers_of_a_card_fit_into_it(page, any_file):
    page.open(any_file)
    page.unfold()
    assert not any(page.all(".values .scroll", "element.scrollWidth > element.clientWidth + 1"))
