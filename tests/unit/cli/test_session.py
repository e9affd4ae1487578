"""The bar: on a terminal only, after a second only, and never in the way of words."""

from argparse import Namespace
from typing import ClassVar

import pytest

from command_line import ended, iim, make_environment, small_file
from iim.cli import session as sessions
from iim.cli.session import SHOW_AFTER, Bar, Session

TERMINAL = {"stderr_is_terminal": True, "variables": {"TERM": "xterm", "COLUMNS": "80"}}


class Timer:
    """Time that passes when a test says so."""

    made: ClassVar[list["Timer"]] = []

    def __init__(self, seconds, call):
        self.seconds, self.call = seconds, call
        self.started = self.cancelled = False
        Timer.made.append(self)

    def start(self):
        self.started = True

    def cancel(self):
        self.cancelled = True

    def pass_by(self):
        if self.started and not self.cancelled:
            self.call()


@pytest.fixture(autouse=True)
def timers(monkeypatch):
    monkeypatch.setattr(Timer, "made", [])
    return Timer.made


def make_bar(*, wanted=True, **settings):
    environment = make_environment(**(settings or TERMINAL))
    return Bar(environment, wanted=wanted, timer=Timer), environment


def written(environment):
    return ended(0, environment).err


def test_nothing_is_drawn_within_a_second(timers):
    bar, environment = make_bar()
    bar.begin("reading")
    bar.tell(0.5)
    assert [timer.seconds for timer in timers] == [SHOW_AFTER]
    bar.close()
    timers[0].pass_by()
    assert written(environment) == ""


def test_after_a_second_the_phase_its_part_and_the_time_left_are_shown(timers):
    bar, environment = make_bar()
    bar.begin("learning")
    bar.tell(0.25)
    timers[0].pass_by()
    assert "Learning" in written(environment)
    assert " 25%" in written(environment)
    assert "left" in written(environment)
    bar.tell(0.75)
    bar.begin("filling")
    bar.tell(0.1)
    bar._live.refresh()
    assert "Filling" in written(environment)
    assert " 10%" in written(environment)
    bar.close()
    # Back to the beginning of the line, and the line wiped.
    assert written(environment).endswith("\x1b[2K") or "\x1b[2K" in written(environment)


def test_a_phase_that_tells_nothing_shows_no_part(timers):
    bar, environment = make_bar()
    bar.begin("reading")
    timers[0].pass_by()
    assert "Reading" in written(environment)
    assert "100%" not in written(environment)
    bar.close()


@pytest.mark.parametrize("stderr_is_terminal", [True, False])
@pytest.mark.parametrize("wanted", [True, False])
def test_only_who_looks_and_wants_it_gets_a_bar(timers, stderr_is_terminal, wanted):
    bar, _environment = make_bar(wanted=wanted, stderr_is_terminal=stderr_is_terminal)
    bar.begin("reading")
    assert bool(timers) == (stderr_is_terminal and wanted)
    assert not bar.say("words")
    bar.close()


def test_words_come_above_the_bar(timers):
    bar, environment = make_bar()
    bar.begin("learning")
    timers[0].pass_by()
    assert bar.say("A note with [brackets] and 1234 digits.")
    bar.close()
    line = next(line for line in written(environment).split("\n") if "A note" in line)
    # The bar was wiped from the line before the words were written, and drawn again after them.
    assert line.endswith(("A note with [brackets] and 1234 digits.\r", "digits."))
    assert "\x1b[2K" in line


def test_a_session_is_silent_about_progress_if_quiet(timers, monkeypatch):
    monkeypatch.setattr(sessions, "Bar", lambda *a, **k: Bar(*a, **k, timer=Timer))
    with Session(make_environment(**TERMINAL), Namespace(json=False, quiet=True)):
        assert timers == []
    environment = make_environment(**TERMINAL, stdout_is_terminal=True)
    with Session(environment, Namespace(json=False, quiet=False)) as session:
        session.make_room()
        assert timers[0].cancelled


def test_a_real_timer_draws_while_the_work_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "SHOW_AFTER", 0.0)
    environment = make_environment(**TERMINAL)
    bar = Bar(environment, wanted=True)
    bar._timer.join(timeout=300)
    bar.begin("comparing")
    bar._live.refresh()
    assert "Comparing" in written(environment)
    bar.close()


def test_a_pipe_gets_no_bar(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "SHOW_AFTER", 0.0)
    done = iim("impute", small_file(tmp_path), "-m", "mean")
    assert "\x1b" not in done.err
    assert "%" not in done.err


def test_data_on_the_terminal_have_it_for_themselves(tmp_path, monkeypatch):
    closed = []
    monkeypatch.setattr(
        Session, "make_room", lambda session: closed.append(session.environment.stdout_is_terminal)
    )
    path = small_file(tmp_path)
    iim("impute", path, "-m", "mean", stdout_is_terminal=True)
    assert closed == [True]
    iim("impute", path, "-m", "mean", "-o", tmp_path / "out.csv", stdout_is_terminal=True)
    iim("impute", path, "-m", "mean")
    assert closed == [True, False]
    iim("apply", path, "-m", "mean", "--sample", 9, stdout_is_terminal=True)
    assert closed == [True, False, True]
