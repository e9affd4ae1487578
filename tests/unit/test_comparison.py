"""What a comparison holds, and how it shows itself."""

import math
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure

import iim
from iim.comparing import Comparison, Record
from made_up_imputers import Raises, Warns
from strategies import holed, untied

HOSTILE = "<script>alert('x')</script>"


def compare(table, methods=("mean", "knn"), **settings):
    return iim.compare(table, methods, **{"progress": False, **settings})


def made_up(errors, columns=("a",)):
    """A comparison of given RMS errors: method -> one list of repeats for each column."""
    records = [
        Record(method, column, repeat, 5, error, 2 * error, 1.0, 2.0, "no" if math.isnan(error) else None)
        for method, by_column in errors.items()
        for column, repeats in zip(columns, by_column, strict=True)
        for repeat, error in enumerate(repeats)
    ]
    settings = {
        "hide": 0.05,
        "repeats": 1,
        "random_state": 0,
        "pattern": "cells",
        "cluster_size": 3,
        "n_rows": 9,
        "n_columns": len(columns),
        "versions": {"iim": "0"},
    }
    return Comparison(tuple(errors), columns, tuple(records), {}, (), settings, None)


class TestStatistics:
    def test_mean_and_spread_by_hand(self):
        result = made_up({"one": [[1.0, 2.0, 6.0], [1.0, 1.0, 1.0]]}, ("a", "b"))
        score = result.by_column[0]
        assert (score.rms_error, score.normalised_error) == (3.0, 6.0)
        assert score.rms_spread == pytest.approx(math.sqrt((4 + 1 + 9) / 2))
        assert score.normalised_spread == pytest.approx(2 * score.rms_spread)
        (overall,) = result.overall
        assert overall.normalised_error == pytest.approx(2 * 12 / 6)
        assert overall.spread == pytest.approx(np.std([2, 3, 7], ddof=1))  # means over columns, doubled
        assert (overall.fit_seconds, overall.transform_seconds, overall.n_failed) == (1.0, 2.0, 0)

    def test_failures_are_left_out_of_means_and_counted(self):
        result = made_up({"one": [[1.0, math.nan, 3.0]], "two": [[5.0, 5.0, 5.0]]})
        assert (result.by_column[0].rms_error, result.by_column[0].n_failed) == (2.0, 1)
        assert [score.method for score in result.overall] == ["two", "one"]
        assert {score.method: score.mean_rank for score in result.overall} == {
            "one": pytest.approx(4 / 3),
            "two": pytest.approx(5 / 3),
        }
        assert result.recommended[0].method == "two"

    def test_ties_share_ranks(self):
        result = made_up({"one": [[1.0]], "two": [[1.0]], "three": [[2.0]]})
        assert [score.mean_rank for score in result.overall] == [1.5, 1.5, 3.0]

    def test_who_cannot_be_told_apart(self):
        result = made_up(
            {
                "best": [[1.0, 2.0, 3.0]],
                "noisy": [[0.0, 4.0, 3.0]],  # differences -1, 2, 0: mean 1/3, standard error 0.88
                "doubtful": [[1.2, 2.2, 4.2]],  # differences 0.2, 0.2, 1.2: mean 0.53, standard error 0.33
                "steady": [[1.1, 2.1, 3.1]],  # a little worse, but always
                "equal": [[1.0, 2.0, 3.0]],
                "failed": [[1.0, 2.0, math.nan]],
            }
        )
        (best,) = result.recommended
        assert (best.method, best.rms_error, best.normalised_error) == ("best", 2.0, 4.0)
        assert best.alike == ("noisy", "equal")

    def test_with_one_repeat_only_ties_are_alike(self):
        result = made_up({"best": [[1.0]], "close": [[1.0 + 1e-12]], "equal": [[1.0]]})
        assert result.recommended[0].alike == ("equal",)
        assert math.isnan(result.by_column[0].rms_spread)

    def test_infinite_errors_are_alike(self):
        result = made_up({"one": [[math.inf] * 2], "two": [[math.inf] * 2], "three": [[1.0] * 2]})
        assert result.recommended[0].method == "three"
        assert result.recommended[0].alike == ()
        assert made_up({"one": [[math.inf] * 2], "two": [[math.inf] * 2]}).recommended[0].alike == ("two",)


class TestShowing:
    def test_the_leaderboard_is_readable(self):
        result = compare(pd.DataFrame(holed(), columns=list("abcd")), ["mean", "iim"])
        lines = str(result).splitlines()
        assert lines[0].startswith("2 methods on 80 rows and 4 columns: 0.05 of the known cells of each")
        at = lines.index("Overall, best first")
        assert lines[at + 1].split()[:2] == ["method", "error"]
        assert [lines[at + 2].split()[0], lines[at + 3].split()[0]] == ["iim", "mean"]
        assert "To repeat: hide=0.05, repeats=3, random_state=0, pattern='cells'" in lines[-1]
        assert repr(result) == str(result)

    def test_many_columns_are_cut_short(self):
        text = str(compare(untied(30, 40), "mean", repeats=1))
        assert "... and 10 more" in text

    def test_hostile_names_are_escaped_in_html(self):
        frame = pd.DataFrame(untied(40, 2), columns=[HOSTILE, "b"]).assign(**{"<b>empty": np.nan})
        page = compare(frame, {HOSTILE: "mean", "<i>": Raises(), "<u>": Warns()})._repr_html_()
        for tag in ("<script", "<b>", "<i>", "<u>"):
            assert tag not in page
        assert page.count("&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;") >= 2
        assert "&lt;b&gt;empty" in page
        assert "http" not in page

    def test_hostile_names_cannot_steer_a_terminal(self):
        frame = pd.DataFrame(untied(40, 2), columns=["\x1b[31mred", "two\nlines"])
        text = str(compare(frame, {"\x1b[2J": "mean"}))
        assert "\x1b" not in text
        assert "two lines" in text

    @pytest.mark.parametrize(
        ("table", "kind"),
        [
            (pd.DataFrame(holed()), pd.DataFrame),
            (pl.DataFrame(holed()), pl.DataFrame),
            (holed(), pd.DataFrame),
        ],
    )
    def test_frames_are_of_the_table_s_kind(self, table, kind):
        result = compare(table)
        assert isinstance(result.to_frame(), kind)
        assert isinstance(result.leaderboard(), kind)
        assert result.to_frame().shape == (2 * 4 * 3, 9)
        assert isinstance(result.to_frame("polars"), pl.DataFrame)
        assert isinstance(result.to_frame(backend="pandas"), pd.DataFrame)

    def test_what_is_in_a_frame(self):
        result = compare(untied(40, 2), {"mean": "mean", "raises": Raises()})
        frame = result.to_frame("polars")
        assert frame["failure"].to_list() == [None] * 6 + ["ZeroDivisionError: cannot do that"] * 6
        assert frame.schema["repeat"] == pl.Int64
        assert frame["rms_error"].to_list()[:6] == [record.rms_error for record in result.records[:6]]
        assert result.leaderboard("polars")["method"].to_list() == ["mean", "raises"]

    def test_an_unknown_kind_of_frame(self):
        with pytest.raises(
            iim.InvalidParameter, match="'polars' or 'pyarrow', is needed; received 'spark'"
        ):
            compare(holed()).to_frame("spark")

    def test_without_pandas_arrays_give_polars(self, monkeypatch):
        result = compare(holed())
        monkeypatch.setitem(sys.modules, "pandas", None)
        assert isinstance(result.to_frame(), pl.DataFrame)
        with pytest.raises(
            iim.MissingDependency, match=r'pandas.*not installed.*pip install "iim\[pandas\]"'
        ):
            result.to_frame("pandas")


class TestPlot:
    def test_every_method_and_column_is_drawn(self, tmp_path):
        frame = pd.DataFrame(untied(40, 3), columns=["$a_1", "_b", HOSTILE])
        axes = compare(frame, {"mean": "mean", "$x$": Raises(), "iim": "iim"}).plot()
        labels = [label.get_text() for label in axes.get_yticklabels()]
        assert labels == ["iim", "mean", r"\$x\$ (failed in 3 of 3)"]
        points = [line for line in axes.lines if line.get_marker() == "o"]
        assert [len(line.get_xdata()) for line in points] == [2, 2, 2]
        axes.figure.savefig(tmp_path / "picture.png")
        axes.figure.savefig(tmp_path / "picture.svg")
        assert (tmp_path / "picture.png").stat().st_size > 1000
        assert "<script>" not in (tmp_path / "picture.svg").read_text("utf-8")

    def test_pyplot_hears_nothing_of_it(self):
        before = plt.get_fignums()
        compare(holed()).plot()
        assert plt.get_fignums() == before

    def test_axes_can_be_given(self):
        axes = Figure().add_subplot()
        assert compare(holed()).plot(axes) is axes
        assert axes.lines

    def test_far_apart_errors_need_a_logarithmic_axis(self):
        assert made_up({"one": [[1.0]], "two": [[1000.0]]}).plot().get_xscale() == "log"
        assert (
            made_up({"one": [[1.0]], "two": [[2.0]], "three": [[math.inf]]}).plot().get_xscale() == "linear"
        )

    def test_without_matplotlib(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(iim.MissingDependency, match=r'pip install "iim\[report\]"'):
            compare(holed()).plot()
