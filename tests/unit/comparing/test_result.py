"""What a comparison holds, and how it shows itself."""

import math
import sys
from dataclasses import fields, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure

import iim
from comparisons import compare
from iim.comparing import Comparison, MethodScore, Record
from made_up_imputers import Raises, Warns
from strategies import holed, untied

HOSTILE = "<script>alert('x')</script>"


def made_up(errors, columns=("a",)):
    """A comparison of given RMS errors: method -> one list of repeats for each column."""
    records = [
        Record(method, column, repeat, 5, error, 2 * error, 1.0, 2.0, "no" if math.isnan(error) else None)
        for method, by_column in errors.items()
        for column, repeats in zip(columns, by_column, strict=True)
        for repeat, error in enumerate(repeats)
    ]
    settings = {
        "methods": list(errors),
        "columns": None,
        "hide": 0.05,
        "repeats": len(records) // (len(errors) * len(columns)),
        "random_state": 0,
        "pattern": "cells",
        "cluster_size": 3,
        "missing_values": math.nan,
    }
    facts = {
        "n_rows": 99,
        "n_columns": len(columns),
        "n_missing": 0,
        "n_known": dict.fromkeys(columns, 99),
        "versions": {"iim": "0"},
    }
    return Comparison(tuple(errors), columns, tuple(records), {}, (), settings, facts, None)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


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
                "far": [[3.0, 3.9, 5.0]],  # differences 2, 1.9, 2: 1.97 is 59 standard errors
                "noisy": [[0.0, 4.0, 3.0]],  # differences -1, 2, 0: mean 1/3, standard error 0.88
                # Differences 0.2, 0.2, 1.2: 0.53 is 1.6 standard errors, 4.3 are needed.
                "doubtful": [[1.2, 2.2, 4.2]],
                "steady": [[1.1, 2.1, 3.1]],  # a little worse, but always
                "equal": [[1.0, 2.0, 3.0 + 1e-12]],  # but for rounding
                "failed": [[1.0, 2.0, math.nan]],
            }
        )
        (best,) = result.recommended
        assert (best.method, best.rms_error, best.normalised_error, best.n_cells) == ("best", 2.0, 4.0, 5)
        assert best.alike == ("equal", "noisy", "doubtful")  # best first

    def test_the_limit_is_student_s_quantile(self):
        # Differences d - 1, d, d + 1: their standard error is 1 / sqrt(3), the 97.5 % quantile is 4.3027.
        limit = 4.3027 / math.sqrt(3)
        for shift, alike in ((limit - 0.001, ("other",)), (limit + 0.001, ())):
            other = [5.0 + shift - 1, 5.0 + shift, 5.0 + shift + 1]
            assert made_up({"best": [[5.0] * 3], "other": [other]}).recommended[0].alike == alike

    def test_with_one_repeat_it_is_unknown(self):
        result = made_up({"best": [[1.0]], "close": [[1.0 + 1e-12]], "far": [[100.0]]})
        assert result.recommended[0].alike is None
        assert "unknown: one repeat" in str(result)
        assert math.isnan(result.by_column[0].rms_spread)

    def test_where_there_is_no_other_nothing_is_unknown(self):
        result = made_up({"only": [[1.0]], "failed": [[math.nan]]})
        assert result.recommended[0].alike == ()
        assert "unknown" not in str(result)

    def test_times_are_medians(self):
        records = made_up({"one": [[1.0, 1.0, 1.0]]}).records
        times = [
            replace(record, fit_seconds=fit) for record, fit in zip(records, (9.0, 1.0, 2.0), strict=True)
        ]
        result = replace(made_up({"one": [[1.0, 1.0, 1.0]]}), records=tuple(times))
        assert result.overall[0].fit_seconds == 2.0
        assert [record.fit_seconds for record in result.records] == [9.0, 1.0, 2.0]

    def test_infinite_errors_are_alike(self):
        result = made_up({"one": [[math.inf] * 2], "two": [[math.inf] * 2], "three": [[1.0] * 2]})
        assert result.recommended[0].method == "three"
        assert result.recommended[0].alike == ()
        assert made_up({"one": [[math.inf] * 2], "two": [[math.inf] * 2]}).recommended[0].alike == ("two",)


class TestShowing:
    def test_the_leaderboard_is_readable(self):
        result = compare(pd.DataFrame(holed(), columns=list("abcd")), ["mean", "iim"])
        lines = str(result).splitlines()
        assert lines[0].startswith(
            "2 methods on 80 rows and 4 columns: 4 known cells of each scored column"
        )
        at = lines.index("Overall, best first")
        assert lines[at + 1].split()[:2] == ["method", "error"]
        assert [lines[at + 2].split()[0], lines[at + 3].split()[0]] == ["iim", "mean"]
        assert " ".join(str(result).split()).endswith(
            "To repeat: iim.compare(table, methods=['mean', 'iim'], hide=0.05, repeats=3, random_state=0, "
            f"pattern='cells') with iim {iim.__version__}."
        )
        assert repr(result) == str(result)

    def test_many_columns_are_cut_short(self):
        text = str(compare(untied(30, 40), "mean", repeats=1))
        assert "... and 10 more" in text

    def test_failures_are_shown_whole(self):
        class Wordy(Raises):
            def fit(self, _):
                raise ValueError("because of this, " * 40 + "and that")

        result = compare(untied(40, 3), {"mean": "mean", "wordy": Wordy()})
        for page in (str(result), result._repr_html_()):
            shown = " ".join(page.split())
            assert f"wordy failed in all 3 columns: ValueError: {'because of this, ' * 40}and that" in shown

    def test_failures_that_differ_in_numbers_are_one_line(self):
        records = [
            Record("one", column, repeat, 5, math.nan, math.nan, 1.0, 1.0, f"{repeat + 1} of 5 came back")
            for column in "ab"
            for repeat in range(3)
        ]
        records[4] = replace(records[4], failure=None, rms_error=1.0, normalised_error=1.0)
        result = replace(made_up({"one": [[1.0] * 3] * 2}, ("a", "b")), records=tuple(records))
        assert (
            "one failed in all 2 columns, not in every repeat: 1 of 5 came back "
            "(and 2 more that differ in numbers only)"
        ) in " ".join(str(result).split())

    def test_many_failures_are_cut_short(self):
        columns = tuple(f"c{at}" for at in range(40))
        base = made_up({"one": [[math.nan]] * 40}, columns)
        letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
        records = [
            replace(record, failure=letter) for record, letter in zip(base.records, letters, strict=True)
        ]
        text = str(replace(base, records=tuple(records)))
        assert "one failed in c29: D" in text
        assert "one failed in c30" not in text
        assert "... and 10 more, see `failures`." in text

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
        assert labels == ["iim", "mean", "\\$x\\$\nfailed in 3 of 3 columns"]
        points = [line for line in axes.lines if line.get_marker() == "o"]
        assert [len(line.get_xdata()) for line in points] == [2, 2, 2]
        axes.figure.savefig(tmp_path / "picture.png")
        axes.figure.savefig(tmp_path / "picture.svg")
        assert (tmp_path / "picture.png").stat().st_size > 1000
        assert "<script>" not in (tmp_path / "picture.svg").read_text("utf-8")

    def test_pyplot_shows_it(self):
        axes = compare(holed()).plot()
        assert plt.gcf() is axes.figure

    def test_axes_can_be_given(self):
        before = plt.get_fignums()
        axes = Figure().add_subplot()
        assert compare(holed()).plot(axes) is axes
        assert axes.lines
        assert plt.get_fignums() == before

    @pytest.mark.parametrize(("n_methods", "n_columns"), [(1, 1), (14, 9), (2, 40)])
    def test_nothing_is_cut_and_the_legend_is_beside(self, n_methods, n_columns):
        columns = tuple(f"column_{'of_a_long_name' * 4}_{at}" for at in range(n_columns))
        methods = {f"method {'with words ' * 5}{at}": [[1.0 + at]] * n_columns for at in range(n_methods)}
        methods["failing"] = [[math.nan]] * n_columns
        axes = made_up(methods, columns).plot()
        figure = axes.figure
        figure.canvas.draw()
        assert figure.get_figheight() >= 2.6
        legend = axes.get_legend()
        labels = [*axes.get_yticklabels(), *legend.get_texts(), axes.xaxis.label]
        for box in [label.get_window_extent() for label in labels]:
            assert box.x0 >= 0
            assert box.y0 >= 0
            assert box.x1 <= figure.bbox.x1
            assert box.y1 <= figure.bbox.y1
        assert legend.get_window_extent().x0 > axes.get_window_extent().x1
        assert axes.get_window_extent().width > 0.35 * figure.bbox.width
        assert all(len(line) <= 30 for label in labels[:-1] for line in label.get_text().split("\n"))

    def test_without_a_layout_the_legend_stays_inside(self):
        figure, axes = plt.subplots(1, 2)
        compare(holed()).plot(axes[0])
        figure.canvas.draw()
        assert axes[0].get_legend().get_window_extent().x1 <= axes[0].get_window_extent().x1

    def test_infinite_errors_are_marked_at_the_edge(self):
        result = made_up({"one": [[1.0], [2.0]], "two": [[math.inf], [3.0]]}, ("a", "b"))
        (edge,) = [line for line in result.plot().lines if line.get_marker() == ">"]
        assert (list(edge.get_xdata()), list(edge.get_ydata())) == ([1.0], [1])
        assert edge.get_label() == "infinite"
        assert not [line for line in made_up({"one": [[1.0]]}).plot().lines if line.get_marker() == ">"]

    def test_far_apart_errors_need_a_logarithmic_axis(self):
        assert made_up({"one": [[1.0]], "two": [[1000.0]]}).plot().get_xscale() == "log"
        assert (
            made_up({"one": [[1.0]], "two": [[2.0]], "three": [[math.inf]]}).plot().get_xscale() == "linear"
        )

    def test_without_matplotlib(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        with pytest.raises(iim.MissingDependency, match=r'pip install "iim\[report\]"'):
            compare(holed()).plot()


def test_a_column_of_the_leaderboard_is_one_field():
    result = made_up({"one": [[1.0, 2.0]], "two": [[3.0, 4.0]]})
    page, frame = result._repr_html_(), result.leaderboard("pandas")
    header = next(line for line in str(result).splitlines() if line.startswith("method"))
    assert list(frame.columns) == [one.name for one in fields(MethodScore)]
    for one in fields(MethodScore):
        assert one.metadata["head"].text in header
        assert f">{one.metadata['head'].text}</th>" in page
