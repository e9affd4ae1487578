"""The square of R2_S and R2_H: names beside dots."""

from iim.reporting import square


def test_names_beside_dots_do_not_cover_each_other():
    taken = []
    for _ in range(20):
        square.free_place(150.0, 150.0, "name", taken)
    assert 1 < len(taken) < 20
    assert not any(
        square.overlap(*pair)
        for at, one in enumerate(taken)
        for pair in [(one, other) for other in taken[:at]]
    )


def test_names_beside_dots_leave_room_for_lines_of_tall_fonts():
    _, top, _, bottom = square._box(0.0, 0.0, "start", "name")
    assert top <= -1.16 * 12.0
    assert bottom >= 0.29 * 12.0
