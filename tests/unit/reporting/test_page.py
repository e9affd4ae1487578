"""The page: valid, safe, accessible, and the same every time."""

import base64
import hashlib
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import iim
from iim.present.tables import MOST_ROWS
from iim.reporting import Report
from pages import Page
from strategies import holed, untied

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=1>',
    "'; alert(1) //",
    "x" * 300,
    "emoji \N{THERMOMETER}\N{VARIATION SELECTOR-16}",
    "\u062f\u0631\u062c\u0629",
    "flip \u202e txet",
    "{{7*7}}",
    "{% for %}",
    "line\nbreak",
    "",
    " ",
    "a\x01",
    "a\x02",
    "&lt;b&gt;",
    "</title></svg>",
]


def hostile_table(n_rows=60):
    table = untied(n_rows, len(HOSTILE), seed=3)
    table[:, 1] = np.round(table[:, 1] % 3)
    table[np.random.default_rng(0).random(table.shape) < 0.1] = np.nan
    return pd.DataFrame(table, columns=HOSTILE)


def report_of(table, imputer="iim", **settings):
    return iim.report(table, imputer=imputer, **{"measure": False, "n_jobs": 1, **settings})


@pytest.fixture(scope="module")
def hostile():
    frame = hostile_table().assign(**{"<i>aside</i>": "text", "<b>empty</b>": np.nan})
    return report_of(
        frame,
        measure=True,
        compare={"<u>knn</u>": "knn", "mean": "mean"}.items(),
        title="<h1>\a</h1>",
    )


@pytest.fixture(scope="module")
def plain():
    return report_of(holed(), measure=True, compare=["mean", "knn", "iim"])


def test_it_is_well_formed_and_names_its_parts(plain):
    html = plain.to_html()
    found = Page(html)
    assert html.startswith("<!DOCTYPE html>\n")
    assert found.all("html") == [{"lang": "en"}]
    assert len(found.all("main")) == len(found.all("h1")) == len(found.all("title")) - n_titles(found) == 1
    assert {"header", "nav", "main", "footer"} <= {tag for tag, _ in found.tags}
    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def n_titles(found):
    """Titles within pictures."""
    return len(found.all("title")) - 1


def test_ids_are_unique_and_all_references_to_them_lead_somewhere(plain, hostile):
    for report in (plain, hostile):
        found = Page(report.to_html())
        ids = found.ids()
        assert len(ids) == len(set(ids))
        assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", one) for one in ids)
        for _, attributes in found.tags:
            for name in ("aria-labelledby", "aria-describedby"):
                assert set((attributes.get(name) or "").split()) <= set(ids)
        links = [one["href"] for one in found.all("a")]
        assert all(link.startswith("#") and link[1:] in ids for link in links)


def test_nothing_is_fetched(plain, hostile):
    for report in (plain, hostile):
        html = report.to_html()
        found = Page(html)
        assert {one for one in found.references() if not one.startswith("#")} == {"data:,"}
        assert "://" not in html
        assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)
        assert not any("style" in attributes for _, attributes in found.tags)
        assert "url(" not in html
        assert "@import" not in html


def test_only_our_own_script_and_style_may_run(plain):
    found = Page(plain.to_html())
    (policy,) = [one["content"] for one in found.all("meta") if "http-equiv" in one]
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (content,) = found.text(tag)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_hostile_names_are_text(hostile):
    html = hostile.to_html()
    found = Page(html)
    assert len(found.all("script")) == 1
    assert found.all("img") == found.all("i") == found.all("u") == []
    assert "49" not in [text.strip() for text in found.text("bdi", "tspan")]
    shown = found.shown()
    for name in (
        "<script>alert(1)</script>",
        '"><img src=x onerror=1>',
        "{{7*7}}",
        "{% for %}",
        "&lt;b&gt;",
    ):
        assert name in shown
    for name in ("(empty name)", "(1 blank)", "line\\nbreak", "a\\x01", "a\\x02", "flip \\u202e txet"):
        assert name in found.text("bdi")
        assert name in found.text("tspan")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", html)
    assert "<h1>&lt;h1&gt;\\x07&lt;/h1&gt;</h1>" in html


def test_long_names_are_shortened_and_whole_in_their_tooltip(hostile):
    found = Page(hostile.to_html())
    long = "x" * 300
    assert max(map(len, found.text("bdi", "tspan"))) < 60
    assert any(one.get("title") == long for one in found.all("bdi"))
    assert long in found.text("title")


def test_names_have_a_direction_of_their_own(hostile):
    found = Page(hostile.to_html())
    arabic = HOSTILE[5]
    assert {tag for tag, text in found.text_in if text == arabic} >= {"bdi", "tspan"}
    (style,) = found.text("style")
    assert "svg tspan, bdi { unicode-bidi: isolate; }" in style


def test_every_picture_has_a_title_and_a_description(plain, hostile):
    for report in (plain, hostile):
        html = report.to_html()
        pictures_there = re.findall(r"<svg .*?</svg>", html, re.DOTALL)
        assert len(pictures_there) >= 6
        for one in pictures_there:
            (key,) = re.findall(r'<svg [^>]*role="img" aria-labelledby="(\S+)-t \1-d"', one)
            assert re.search(rf'<title id="{key}-t">[^<]+</title><desc id="{key}-d">[^<]+</desc>', one)
            assert "nan" not in re.sub(r"<(title|desc|tspan).*?</\1>", "", one)


def test_every_table_has_a_caption_heads_and_a_region_to_scroll(plain):
    found = Page(plain.to_html())
    n_tables = len(found.all("table"))
    assert n_tables > 10
    assert len(found.all("caption")) == n_tables
    assert {one.get("scope") for one in found.all("th")} == {"col", "row"}
    regions = [one for one in found.all("div") if one.get("role") == "region"]
    assert all(one["tabindex"] == "0" and one["aria-label"] for one in regions)
    assert len(regions) >= n_tables


def test_the_caption_of_a_figure_comes_first_or_last(plain):
    for figure in re.findall(r"<figure.*?</figure>", plain.to_html(), re.DOTALL):
        inside = re.sub(r"^<figure[^>]*>\s*|\s*</figure>$", "", figure)
        assert inside.startswith("<figcaption") or inside.endswith("</figcaption>")


def test_cells_to_sort_by_are_numbers(plain):
    values = [one["data-value"] for _, one in Page(plain.to_html()).tags if "data-value" in one]
    assert len(values) > 100
    assert all(value == "" or np.isfinite(float(value)) for value in values)


def test_without_a_script_there_are_no_buttons(plain):
    assert Page(plain.to_html()).all("button") == []


@pytest.mark.parametrize("method", iim.METHODS)
def test_every_method_has_a_page(method):
    found = Page(report_of(holed(), method).to_html())
    text = found.shown()
    assert f"{iim.METHODS[method].__name__} " in text
    assert ("The least certain cells" in text) == (method == "iim")
    assert (f"{method} gives one value for each cell and no candidates" in text) == (method != "iim")


@pytest.mark.parametrize(
    ("table", "imputer", "said"),
    [
        (untied(20, 2), "iim", "Nothing is missing from 20 rows and 2 columns of numbers."),
        (holed(), None, "nothing was filled."),
        ([[1.0], [np.nan], [2.0]], "iim", "1 of 3 cells (33.3 %) is missing; iim fills it."),
        ([[1.0, 2.0]], "mean", "Nothing is missing from 1 row and 2 columns of numbers."),
        ([[1.0, np.nan], [2.0, np.nan]], "mean", "mean fills 0, 2 stay as they are."),
    ],
)
def test_tables_at_the_edge_have_a_page(table, imputer, said):
    report = report_of(table, imputer, measure=True)
    assert said in Page(report.to_html()).shown()
    assert said in repr(report)
    assert said in report.to_markdown()


def test_the_colour_of_a_method_is_explained(plain):
    said = "In colour: the method that filled this table"
    assert said in Page(plain.to_html()).shown()
    other = report_of(holed(), iim.KnnImputer(n_neighbors=2), compare=["mean", "knn"])
    assert said not in Page(other.to_html()).shown()
    assert 'class="dot own"' not in other.to_html()


def test_huge_values_are_no_reason_to_warn():
    table = holed() * 1e305
    report = report_of(table, measure=True, compare=["mean", "knn", "iim"])
    assert "How good" in report.to_html()


def test_fallbacks_and_notes_are_shown():
    table = [[1.0, 2.0, 3.0], [np.nan, np.nan, np.nan], [2.0, 3.0, 4.0]]
    frame = pd.DataFrame(table, columns=list("abc")).assign(empty=np.nan)
    text = Page(report_of(frame).to_html()).shown()
    assert "Filled by a fallback: " in text
    assert "column mean" in text
    assert "No value is known in 1 of 4 columns" in text


def test_failures_of_a_comparison_are_shown():
    class Broken(iim.MeanImputer):
        def _fit(self, _):
            raise ValueError("<b>no</b>")

    report = report_of(holed(), "mean", compare=[("broken", Broken()), ("mean", "mean")])
    text = Page(report.to_html()).shown()
    assert "What failed" in text
    assert "ValueError: <b>no</b>" in text


def test_the_same_summary_gives_the_same_bytes(plain):
    assert plain.to_html() == plain.to_html() == Report(plain.summary).to_html()


def test_a_wide_table_is_bounded():
    rng = np.random.default_rng(0)
    table = np.where(rng.random((150, 300)) < 0.1, np.nan, rng.normal(size=(150, 300)))
    report = report_of(table, "mean")
    html = report.to_html()
    assert len(html) < 3_000_000
    found = Page(html)
    text = found.shown()
    assert "Shown: the 60 columns with the most missing cells, of 300." in text
    assert f"... and {300 - MOST_ROWS} more; the JSON of this report has all" in text
    assert "48 more columns" in text
    assert len([one for one in found.ids() if re.fullmatch(r"values-\d+-t", one)]) == 60


def test_a_long_table_is_bounded():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200_000, 3))
    table[rng.random(table.shape) < 0.05] = np.nan
    assert len(report_of(table, "mean").to_html()) < 150_000
