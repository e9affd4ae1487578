"""Progress of long calls."""

import numpy as np

import iim
from iim.imputers._progress import Reporter
from strategies import holed, untied

EXAMPLE = iim.samples.example("numpy")

QUICK = {"n_neighbors": 2, "learning_grid": [2, 5]}
"""Many blocks of rows, and little work in each: the compiler may be off."""


def test_a_callable_hears_rising_fractions_up_to_one():
    told = []
    imputer = iim.IIMImputer(**QUICK, progress=told.append, n_jobs=2)
    imputer.fit(holed(900))
    assert told[-1] == 1.0
    assert told == sorted(set(told))
    assert len(told) > 3


def test_learning_ahead_is_heard_of():
    told = []
    iim.IIMImputer(**QUICK, prepare="single", progress=told.append).fit(untied(900, 4))
    assert len(told) > 4
    assert told == sorted(set(told))
    assert told[0] > 0.5  # the first half was for the holes of the table, which has none
    told.clear()
    table = untied(300, 4)
    table[:20, 1] = np.nan
    iim.IIMImputer(**QUICK, prepare="single", progress=told.append, strategy="iterative").fit(table)
    assert told == sorted(set(told))
    # The last third is for the three columns without holes.
    assert sum(fraction > 0.7 for fraction in told) > 3


def test_short_calls_stay_silent(capsys, monkeypatch):
    monkeypatch.setattr("iim.imputers._progress.SHOW_AFTER", 1e9)  # however slow the machine
    iim.IIMImputer(progress=True).fit_transform(EXAMPLE)
    assert capsys.readouterr() == ("", "")


def test_long_calls_show_a_line(capsys, monkeypatch):
    monkeypatch.setattr("iim.imputers._progress.SHOW_AFTER", -1.0)
    imputer = iim.IIMImputer(progress=True)
    imputer.fit_transform(EXAMPLE)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("iim: learning 100%\n")
    assert "filling" not in err  # which is done by the way
    imputer.transform(EXAMPLE)
    assert capsys.readouterr().err.endswith("iim: filling 100%\n")


def test_the_line_names_what_runs_and_wipes_longer_names(capsys, monkeypatch):
    monkeypatch.setattr("iim.imputers._progress.SHOW_AFTER", -1.0)
    reporter = Reporter.of(progress=True, task="working")
    reporter.doing("a long name")
    reporter.doing("short")
    reporter(1, 2)
    reporter.finish()
    screen = []
    for line in capsys.readouterr().err.removesuffix("\n").split("\r"):
        screen[: len(line)] = line
        if line.strip():
            assert "".join(screen).rstrip() == line
    assert line == "iim: working 100%"


def test_a_callable_hears_fractions_only():
    told = []
    reporter = Reporter.of(progress=told.append, task="working")
    reporter.doing("something")
    reporter(1, 2)
    assert told == [0.5]


def test_progress_does_not_change_a_bit():
    table = holed(300)
    loud = iim.IIMImputer(**QUICK, progress=lambda _: None).fit_transform(table)
    assert loud.tobytes() == iim.IIMImputer(**QUICK).fit_transform(table).tobytes()
