"""HTML: everything is escaped, names keep their place, tables can be sorted."""

from html.parser import HTMLParser

from iim.present.html import as_html, name_html, table_html
from iim.present.tables import NO_NUMBER, Head, build_table, fills, name, names, number, words

OVERRIDE = "\N{RIGHT-TO-LEFT OVERRIDE}"


class Marks(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


def test_html_is_escaped():
    table = build_table("<b>", [Head("<i>", "name"), Head("h", "words")], [[name("<u>"), words("<s>")]])
    html = as_html([table, "<q> \x1b & `code`"])
    assert [f"&lt;{tag}&gt;" in html for tag in "biusq"] == [True] * 5
    assert {tag for tag, _ in Marks(html).tags} == {
        *("style", "div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi")
    }
    assert r"\x1b &amp; `code`" in html


def test_names_have_a_direction_of_their_own_and_hide_nothing():
    assert name_html(f"{OVERRIDE}a\tb") == r"<bdi>\u202ea\tb</bdi>"
    assert name_html("") == "<bdi>(empty name)</bdi>"
    whole = "x" * 50 + '"'
    assert name_html(whole).startswith(f'<bdi title="{"x" * 50}&quot;">xxx')
    table = build_table("", [Head("h", "name")], [[names(["a", "b", "c"], 2)]])
    assert "<bdi>a</bdi>, <bdi>b</bdi> and 1 more" in table_html(table)


def test_cells_say_what_to_sort_them_by():
    rows = [
        [name("a"), fills(number(1234567.8))],
        [name("b"), NO_NUMBER],
        [name("c"), number(float("inf"))],
    ]
    html = table_html(build_table("T", [Head("n", "name"), Head("x")], rows))
    assert '<th scope="col" class="number" data-kind="number">x</th>' in html
    assert '<th scope="row" class="name"><bdi>a</bdi></th>' in html
    assert '<td class="number fills" data-value="1234567.8">1,234,568</td>' in html
    assert '<td class="number" data-value="">–</td>' in html
    assert '<td class="number" data-value="">inf</td>' in html


def test_rows_left_out_are_counted_below_the_table():
    rows = [[number(at)] for at in range(1002)]
    html = table_html(build_table("T", [Head("n")], rows, most=2, rest="the JSON has all"))
    assert html.count("<tr>") == 3
    assert html.endswith('<p class="quiet">... and 1,000 more; the JSON has all</p>')


def test_a_table_without_rows_is_nothing():
    assert table_html(build_table("T", [Head("n")], [])) == ""
