"""The page: valid, safe, accessible, and the same every time."""

import base64
import hashlib
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import iim
from iim.reporting import certainty, marks, page, pictures, square, tables, words
from iim.reporting.cells import MOST_ROWS
from iim.reporting.result import Report
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
    assert f"filled by {iim.METHODS[method].__name__}" in text
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


def test_a_square_without_a_dot_is_left_out():
    report = report_of([[1.0, np.nan], [2.0, np.nan], [3.0, np.nan]], "mean", measure=True)
    html = report.to_html()
    assert "measure-t" not in html
    assert words.NOT_MEASURED in html
    assert "could not be measured for any column" in report.to_markdown()


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


def test_what_was_not_done_is_said():
    text = Page(report_of(holed(), "knn").to_html()).shown()
    assert "Methods were not compared on this table" in text
    assert "R2_S and R2_H were not measured" in text


class TestHowSure:
    def said(self, summary):
        return words.sure(summary)

    def test_a_sample_is_said(self, monkeypatch):
        monkeypatch.setattr(certainty, "MOST_ASKED", 8)
        said = self.said(report_of(holed()).summary)
        assert re.search(r"Looked at were \d+ of 17 filled cells: those of one in \d of the rows", said)

    def test_many_donors_are_asked_of_fewer_cells(self, monkeypatch):
        monkeypatch.setattr(certainty, "MOST_CANDIDATES", 80)
        assert report_of(holed(), iim.IIMImputer(n_neighbors=10)).summary.certainty.n_asked <= 8
        assert report_of(holed(), iim.IIMImputer(n_neighbors=2)).summary.certainty.n_asked == 17

    def test_cells_without_a_vote_are_said(self):
        table = np.column_stack([holed(), np.full(80, np.nan)])
        said = self.said(report_of(table, iim.IIMImputer(keep_empty_features=True)).summary)
        assert "80 cells of columns in which nothing is known are 0, without a vote." in said


def test_fallbacks_and_notes_are_shown():
    table = [[1.0, 2.0, 3.0], [np.nan, np.nan, np.nan], [2.0, 3.0, 4.0]]
    frame = pd.DataFrame(table, columns=list("abc")).assign(empty=np.nan)
    text = Page(report_of(frame).to_html()).shown()
    assert "Cells filled with less than asked for" in text
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
    assert "Shown are the 60 columns with the most missing cells, of 300." in text
    assert f"And {300 - MOST_ROWS} more" in text
    assert "48 more columns" in text
    assert len([one for one in found.ids() if re.fullmatch(r"values-\d+-t", one)]) == 60


def test_a_long_table_is_bounded():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200_000, 3))
    table[rng.random(table.shape) < 0.05] = np.nan
    assert len(report_of(table, "mean").to_html()) < 150_000


class TestPictures:
    def test_strips_of_one_shade_are_one_box(self):
        assert pictures._runs((0, 2, 2, 1, 0, 2), (0, 2, 4, 6, 8, 10, 12)) == [
            (1, 3, 5),
            (3, 4, 3),
            (5, 6, 5),
        ]

    def test_coordinates_are_short(self):
        assert marks.at(12.3456) == "12.35"
        assert marks.at(10.0) == "10"
        assert marks.boxes([(0, 0, 1, 2)], "k") == '<path class="k" d="M0 0h1v2h-1z"/>'
        assert marks.boxes([], "k") == ""

    def test_values_below_zero_are_drawn_at_the_edge_and_said(self):
        rng = np.random.default_rng(1)
        summary = iim.summarize(rng.normal(size=(60, 3)), None, n_jobs=1)
        assert min(one.r2_regression for one in summary.columns) < 0
        drawn = square.measure_picture(summary)
        assert "below 0 stand at the edge" in drawn
        places = [float(one) for one in re.findall(r'c[xy]="([^"]+)"', drawn)]
        assert min(places) >= square.TOP
        assert max(places) <= square.LEFT + square.SIZE

    def test_names_beside_dots_do_not_cover_each_other(self):
        taken = []
        for _ in range(20):
            square._free_place(150.0, 150.0, "name", taken)
        assert 1 < len(taken) < 20
        assert not any(
            square._overlap(*pair)
            for at, one in enumerate(taken)
            for pair in [(one, other) for other in taken[:at]]
        )

    def test_wide_letters_take_more_room(self):
        assert marks.fitted("temperature_max_c", 17) == "temperature_max_c"
        for name in ("TEMPERATURE_MAX_C", "W" * 17, "m" * 40, "\u6e29" * 17):
            short = marks.fitted(name, 17)
            assert "..." in short
            assert marks.width_of(short) <= 17 * marks.LETTER
            assert (short[0], short[-1]) == (name[0], name[-1])

    @pytest.mark.parametrize(
        ("name", "least"),
        [
            # In parts of an em, the width of a letter in the font that draws it widest, or of a box for it.
            pytest.param("\N{THERMOMETER}\ufe0f", 1.37, id="emoji that Unicode calls narrow"),
            pytest.param("\N{GRINNING FACE}", 1.37, id="emoji"),
            pytest.param("\U0001f1fa\U0001f1f3", 2.0, id="flag without a font: two boxes"),
            pytest.param("\N{WOMAN}\u200d\N{MICROSCOPE}", 2.74, id="joined emoji, drawn apart"),
            pytest.param("\u05d8\u05de\u05e4", 3.0, id="letters without a font: boxes"),
            pytest.param("\u0915\u0941", 2.0, id="letter and mark without a font: boxes"),
            pytest.param("\uff21", 1.0, id="fullwidth"),
            pytest.param("illi", 4 * 0.6, id="narrow letters in a font of one width"),
            pytest.param("<=>", 3 * 0.78, id="signs"),
        ],
    )
    def test_there_is_room_for_letters_whichever_font_draws_them(self, name, least):
        em = 12.0  # of names, in the style of the page
        assert marks.width_of(name) >= least * em
        assert marks.width_of(marks.fitted(30 * name, 17)) <= 17 * marks.LETTER

    def test_marks_that_are_part_of_a_letter_take_no_room_of_their_own(self):
        assert marks.width_of("e\N{COMBINING ACUTE ACCENT}") == marks.width_of(
            "\N{LATIN SMALL LETTER E WITH ACUTE}"
        )

    def test_names_beside_dots_leave_room_for_lines_of_tall_fonts(self):
        _, top, _, bottom = square._box(0.0, 0.0, "start", 10.0)
        assert top <= -1.16 * 12.0
        assert bottom >= 0.29 * 12.0

    def test_each_half_of_a_histogram_has_its_own_scale(self):
        table = holed()
        table[np.isnan(table)] = 0.0
        table[5, 2] = np.nan
        summary = report_of(table).summary
        drawn = pictures.values_picture(summary.columns[2])
        heights = {
            kind: max(map(float, re.findall(r"v([\d.]+)", path)))
            for kind, path in re.findall(r'class="(observed|filled)" d="([^"]+)"', drawn)
        }
        assert heights == {"observed": 44.0, "filled": 44.0}

    def test_ticks_are_round_and_few(self):
        for end in (0.013, 0.9, 1.0, 1.4, 7.0, 250.0):
            ticks = pictures._ticks(end)
            assert 2 <= len(ticks) <= 8
            assert ticks[-1] <= end

    def test_a_method_far_off_is_drawn_at_the_edge(self, plain):
        contest = plain.summary.contest
        far = contest.leaders[-1]
        changed = {
            **vars(contest),
            "leaders": (*contest.leaders[:-1], type(far)(**{**vars(far), "error": 1e6})),
        }
        summary = type(plain.summary)(**{**vars(plain.summary), "contest": type(contest)(**changed)})
        drawn = pictures.leader_picture(summary)
        assert "1e+06 →" in drawn
        assert max(float(x) for x in re.findall(r'cx="([^"]+)"', drawn)) <= pictures.LEFT + pictures.PLOT


def test_tables_have_as_many_cells_as_heads(plain):
    made = [
        tables.__dict__[name]
        for name in tables.__dict__
        if name.endswith("_table") and name != "build_table"
    ]
    for make in made:
        if make is tables.histogram_table:
            continue
        table = make(plain.summary)
        assert {len(row) for row in table.rows} <= {len(table.heads)}


def test_the_template_is_strict():
    with pytest.raises(Exception, match="is undefined"):
        page._environment().from_string("{{ nobody }}").render()
