"""Pages of text: what is wrapped, what is shortened, and how wide letters are."""

import io
import subprocess
import sys

import pytest
from rich.console import Console

from iim.present.names import listed
from iim.present.tables import Head, build_table, name, names, number, words
from iim.present.terminal import as_text

REASON = (
    "InvalidParameter: `n_neighbors` of KnnImputer: a whole number, 1 or more, is needed; received 0. "
    "This sentence, which comes after a hundred characters, says what to do."
)
FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
OVERRIDE = "\N{RIGHT-TO-LEFT OVERRIDE}"


def table(*rows, **settings):
    """Cells of text below h0, h1 ...: str is a name, number or words by the first row's type."""
    kinds = ["name" if cell.names else "number" if cell.value is not None else "words" for cell in rows[0]]
    return build_table("Title", [Head(f"h{at}", kind) for at, kind in enumerate(kinds)], rows, **settings)


class TestWrapping:
    def test_paragraphs_are_wrapped(self):
        lines = as_text([REASON]).splitlines()
        assert len(lines) == 2
        assert " ".join(lines) == REASON
        assert max(map(len, lines)) <= 100

    def test_a_word_is_never_broken(self):
        assert as_text(["a " + "b" * 150 + " c"]).splitlines() == ["a", "b" * 150, "c"]
        lines = as_text([table((name("x"), words("a " + "b" * 150 + " c"), words(REASON)))]).splitlines()
        assert any("b" * 150 in line for line in lines)
        assert " ".join(line[155:].strip() for line in lines[2:]).strip() == REASON

    def test_reasons_are_wrapped_in_their_column(self):
        text = as_text(
            [table((name("knn"), name("x0"), words(REASON)), (name("n" * 31), name("x1"), words("short")))]
        )
        lines = text.splitlines()
        assert max(map(len, lines)) <= 100
        at = lines[1].index("h2")
        assert " ".join(line[at:] for line in lines[2:-1]) == REASON
        assert all(line[:at].isspace() for line in lines[3:-1])
        assert lines[-1][at:] == "short"

    def test_two_long_columns_share_the_width(self):
        many = [f"column{at}" for at in range(60)]
        lines = as_text([table((names(many, 60), number(12), words(REASON)))]).splitlines()
        assert max(map(len, lines)) <= 100
        left, right = lines[1].index("h1"), lines[1].index("h2")
        assert " ".join(line[:left].strip() for line in lines[2:]).strip() == ", ".join(many)
        assert " ".join(line[right:].strip() for line in lines[2:]).strip() == REASON

    def test_a_narrow_column_leaves_its_room_to_the_wide_one(self):
        assert len(as_text([table((words("x"), words(REASON)))]).splitlines()) == 4

    def test_what_does_not_wrap_is_never_cut_off(self):
        row = [*(name(f"{'n' * 25}{at}") for at in range(6)), words(REASON)]
        text = as_text([table(row)])
        assert all(f"{'n' * 25}{at}" in text for at in range(6))

    def test_no_column_is_lost_where_names_alone_are_wider_than_the_terminal(self):
        narrow = Console(file=io.StringIO(), width=20)
        row = (name("n" * 30), number(1), words(REASON), name("x"), number(2))
        lines = as_text([table(row)], narrow).splitlines()
        assert lines[1].split() == ["h0", "h1", "h2", "h3", "h4"]
        assert [line[-1] for line in lines if line.startswith("nnn")] == ["2"]

    def test_numbers_are_set_to_the_right(self):
        lines = as_text([table((name("a"), number(1)), (name("b"), number(1000)))]).splitlines()
        assert lines == ["Title", "h0    h1", "a      1", "b   1000"]

    def test_a_missing_number_is_a_hyphen(self):
        lines = as_text([table((name("a"), number(1)), (name("b"), number(None)))]).splitlines()
        assert lines[-1] == "b    -"

    def test_an_empty_page_part(self):
        assert as_text([""]) == ""

    def test_markup_is_text(self):
        page = ["[bold]a[/bold]", table((name("[red]n"), words("[link=x]w")))]
        assert all(said in as_text(page) for said in ("[bold]a[/bold]", "[red]n", "[link=x]w"))

    def test_how_many_rows_are_left_out_is_said(self):
        rows = [(name(at), number(at)) for at in range(5)]
        assert as_text([table(*rows, most=3)]).splitlines()[-1] == "... and 2 more"
        assert as_text([table(*rows, most=3, rest="see `rows`")]).endswith("\n... and 2 more; see `rows`")
        assert "more" not in as_text([table(*rows, most=5)])


class TestConsoles:
    def test_surroundings_do_not_change_plain_text(self, monkeypatch):
        page = [REASON, table((name("a"), number(1)))]
        before = as_text(page)
        for variable in ("COLUMNS", "FORCE_COLOR", "JUPYTER_COLUMNS", "TTY_COMPATIBLE"):
            monkeypatch.setenv(variable, "30")
        assert as_text(page) == before
        assert "\x1b" not in before

    def test_a_terminal_has_its_width_and_its_colours(self):
        page = [table((name("a"), words(REASON)))]
        colours = Console(file=io.StringIO(), width=40, force_terminal=True, color_system="standard")
        assert "\x1b[1mTitle" in as_text(page, colours)
        plain = Console(file=io.StringIO(), width=40, force_terminal=True, color_system=None)
        assert max(map(len, as_text(page, plain).splitlines())) <= 40


class TestNames:
    def test_the_middle_of_a_long_name_is_left_out(self):
        page = [table((name("pressure_of_the_second_inlet_in_building_7"), number(1)))]
        assert "pressure_of_th...in_building_7 " in as_text(page)
        assert "n" * 30 in as_text([table((name("n" * 30), number(1)))])

    def test_lists_of_names(self):
        assert listed(["a", 1, "b"], 3) == "a, 1, b"
        assert listed("abcde", 3) == "a, b, c and 2 more"
        assert listed(["n" * 31], 1) == "n" * 14 + "..." + "n" * 13
        assert listed([], 3) == ""
        assert "a, b and 3 more" in as_text([table((names("abcde", 2),))])

    def test_what_is_joined_is_not_torn_apart(self):
        assert listed([FAMILY * 20], 1) == FAMILY * 7 + "..." + FAMILY * 6
        marked = "e\N{COMBINING ACUTE ACCENT}" * 40
        assert listed([marked], 1) == marked[:28] + "..." + marked[-26:]

    @pytest.mark.parametrize(
        ("given", "shown"),
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
    def test_letters_that_are_more_than_letters(self, given, shown):
        pages = (
            [table((name(given), number(1)))],
            [given],
            [table((name("a"), words(given)))],
            [build_table(given, [Head(given)], [[words(given)]])],
        )
        for page in pages:
            written = as_text(page)
            assert shown in written
            written.encode("utf-8")
            assert given == shown or given not in written
        assert listed([given], 1).strip() == shown


class TestWidth:
    @pytest.mark.parametrize(
        ("given", "width"),
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
    def test_columns_are_aligned_by_what_a_terminal_shows(self, given, width):
        lines = as_text([table((name(given), number(1)), (name("twelve_chars"), number(1)))]).splitlines()
        # Blanks beyond the name fill up to twelve columns, then the gap and the number.
        assert lines[2] == given + " " * (12 - width) + "   1"

    def test_wide_letters_wrap_by_their_width(self):
        lines = as_text(["データ " * 40]).splitlines()
        # Six columns each, and a blank between: fourteen words in a hundred columns.
        assert [line.count("データ") for line in lines] == [14, 14, 12]


def test_rich_is_imported_when_a_page_is_written_and_not_before():
    code = (
        "import sys, iim.comparing, iim.diagnosing\n"
        "from iim.present.names import listed; listed(['a' * 99], 1)\n"
        "from iim.present.html import as_html; as_html(['a'])\n"
        "assert 'rich' not in sys.modules\n"
        "from iim.present.terminal import as_text; as_text(['a'])\n"
        "assert 'rich' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
