"""Marks of pictures: short coordinates, and room for names in whichever font."""

import pytest

from iim.reporting import marks


def test_coordinates_are_short():
    assert marks.at(12.3456) == "12.35"
    assert marks.at(10.0) == "10"
    assert marks.boxes([(0, 0, 1, 2)], "k") == '<path class="k" d="M0 0h1v2h-1z"/>'
    assert marks.boxes([], "k") == ""


def test_wide_letters_take_more_room():
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
def test_there_is_room_for_letters_whichever_font_draws_them(name, least):
    em = 12.0  # of names, in the style of the page
    assert marks.width_of(name) >= least * em
    assert marks.width_of(marks.fitted(30 * name, 17)) <= 17 * marks.LETTER


def test_marks_that_are_part_of_a_letter_take_no_room_of_their_own():
    assert marks.width_of("e\N{COMBINING ACUTE ACCENT}") == marks.width_of(
        "\N{LATIN SMALL LETTER E WITH ACUTE}"
    )
