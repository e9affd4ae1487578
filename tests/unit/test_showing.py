"""Pages of text and HTML: what is wrapped, what is shortened, and how wide letters are."""

import pytest

from iim._showing import Grid, as_html, as_text, listed

REASON = (
    "InvalidParameter: `n_neighbors` of KnnImputer: a whole number, 1 or more, is needed; received 0. "
    "This sentence, which comes after a hundred characters, says what to do."
)
FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
OVERRIDE = "\N{RIGHT-TO-LEFT OVERRIDE}"


def grid(*rows, **settings):
    header = tuple(f"h{at}" for at in range(len(rows[0])))
    return Grid("Title", header, rows, **settings)


class TestWrapping:
    def test_paragraphs_are_wrapped_in_text_and_whole_in_html(self):
        lines = as_text([REASON]).splitlines()
        assert len(lines) == 2
        assert " ".join(lines) == REASON
        assert max(map(len, lines)) <= 100
        assert REASON.replace("`", "&#x60;") in as_html([REASON]).replace("`", "&#x60;")

    def test_a_word_is_never_broken(self):
        assert as_text(["a " + "b" * 150 + " c"]).splitlines() == ["a", "b" * 150, "c"]

    def test_reasons_are_wrapped_in_their_column(self):
        text = as_text([grid(("knn", "x0", REASON), ("n" * 31, "x1", "short"), words=frozenset({0, 1, 2}))])
        lines = text.splitlines()
        assert max(map(len, lines)) <= 100
        at = lines[1].index("h2")
        assert " ".join(line[at:] for line in lines[2:-1]) == REASON
        assert all(line[:at].isspace() for line in lines[3:-1])
        assert lines[-1][at:] == "short"
        assert REASON in as_html([grid(("knn", REASON))])

    def test_two_long_columns_share_the_width(self):
        many = ", ".join(f"column{at}" for at in range(60))
        lines = as_text(
            [grid((many, "12", REASON), words=frozenset({0, 2}), names=frozenset())]
        ).splitlines()
        assert max(map(len, lines)) <= 100
        left, right = lines[1].index("h1"), lines[1].index("h2")
        assert " ".join(line[:left].strip() for line in lines[2:]).strip() == many
        assert " ".join(line[right:].strip() for line in lines[2:]).strip() == REASON

    def test_a_narrow_column_leaves_its_room_to_the_wide_one(self):
        lines = as_text([grid(("x", REASON), words=frozenset({0, 1}), names=frozenset())]).splitlines()
        assert len(lines) == 4

    def test_numbers_are_set_to_the_right(self):
        lines = as_text([grid(("a", "1"), ("b", "1000"))]).splitlines()
        assert lines == ["Title", "h0    h1", "a      1", "b   1000"]

    def test_an_empty_page_part(self):
        assert as_text([""]) == ""


class TestNames:
    def test_the_middle_of_a_long_name_is_left_out_in_text_only(self):
        name = "pressure_of_the_second_inlet_in_building_7"
        page = [grid((name, "1"))]
        assert "pressure_of_th...in_building_7 " in as_text(page)
        assert name in as_html(page)
        assert "n" * 30 in as_text([grid(("n" * 30, "1"))])

    def test_lists_of_names(self):
        assert listed(["a", 1, "b"], 3) == "a, 1, b"
        assert listed("abcde", 3) == "a, b, c and 2 more"
        assert listed(["n" * 31], 1) == "n" * 14 + "..." + "n" * 13
        assert listed([], 3) == ""

    def test_what_is_joined_is_not_torn_apart(self):
        name = FAMILY * 20
        short = listed([name], 1)
        assert short == FAMILY * 7 + "..." + FAMILY * 6
        marked = "e\N{COMBINING ACUTE ACCENT}" * 40
        assert listed([marked], 1) == marked[:28] + "..." + marked[:26]

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("no\N{NO-BREAK SPACE}break", "no break"),
            ("thin\N{THIN SPACE}ideographic\N{IDEOGRAPHIC SPACE}", "thin ideographic"),
            ("two\nlines\tand\N{LINE SEPARATOR}more\x85", "two lines and more"),
            (FAMILY, FAMILY),
            ("می\N{ZERO WIDTH NON-JOINER}خواهم", "می\N{ZERO WIDTH NON-JOINER}خواهم"),
            ("heart\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}", "heart\u2764\ufe0f"),
            ("\x1b[2Jwipe", "\ufffd[2Jwipe"),
            ("bell\x07\x7f\x9b", "bell\ufffd\ufffd\ufffd"),
            (f"{OVERRIDE}cod.exe", "\ufffdcod.exe"),
            ("\N{LEFT-TO-RIGHT ISOLATE}a\N{POP DIRECTIONAL ISOLATE}", "\ufffda\ufffd"),
            ("half\ud800", "half\ufffd"),
            ("hidden\N{ZERO WIDTH SPACE}", "hidden\ufffd"),
        ],
    )
    def test_letters_that_are_more_than_letters(self, name, shown):
        pages = (
            [grid((name, "1"))],
            [name],
            [grid(("a", name))],
            [grid(("a", name), words=frozenset({0, 1}))],
        )
        for page in pages:
            for written in (as_text(page), as_html(page)):
                assert shown in written
                written.encode("utf-8")
                assert name == shown or name not in written
        assert listed([name], 1).strip() == shown

    def test_html_is_escaped(self):
        page = [Grid("<b>", ("<i>",), (("<u>",),)), "<p>"]
        html = as_html(page)
        assert [f"&lt;{tag}&gt;" in html for tag in "biup"] == [True] * 4
        assert "<b>" not in html


class TestWidth:
    @pytest.mark.parametrize(
        ("name", "width"),
        [
            ("plain", 5),
            ("データ", 6),
            ("ﾃﾞｰﾀ", 4),
            ("e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}", 3),
            ("\N{GRINNING FACE}", 2),
            (FAMILY, 2),
            ("안녕", 4),
        ],
    )
    def test_columns_are_aligned_by_what_a_terminal_shows(self, name, width):
        lines = as_text([grid((name, "1"), ("twelve_chars", "1"))]).splitlines()
        # Blanks beyond the name fill up to twelve columns, then the gap and the number.
        assert lines[2] == name + " " * (12 - width) + "   1"

    def test_wide_letters_wrap_by_their_width(self):
        lines = as_text(["データ " * 40]).splitlines()
        # Six columns each, and a blank between: fourteen words in a hundred columns.
        assert [line.count("データ") for line in lines] == [14, 14, 12]
