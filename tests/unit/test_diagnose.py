"""diagnose, as a user meets it."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import iim
from cases import COMPILED
from iim import diagnosing
from iim.diagnosing import measuring, patterns
from iim.diagnosing.measuring import advise
from strategies import holed, untied


def diagnose(table, **settings):
    return iim.diagnose(table, **{"progress": False, **settings})


def law(n_rows=400, seed=0):
    """One linear law, and so many columns that nobody is near."""
    table = np.random.default_rng(seed).normal(size=(n_rows, 30))
    table[:, -1] = table[:, :-1].sum(axis=1)
    return table


def wave(n_rows=400, seed=0):
    """Neighbours share values, and no line fits."""
    place = np.random.default_rng(seed).uniform(0, 6, n_rows)
    return np.column_stack([place, np.sin(2 * math.pi * place)])


class TestCounts:
    TABLE = np.array(
        [
            [1.0, 2.0, 3.0],
            [1.0, np.nan, 3.0],
            [1.0, np.nan, 3.0],
            [np.nan, np.nan, 3.0],
            [1.0, 2.0, np.nan],
            [2.0, 2.0, 4.0],
        ]
    )

    def test_by_hand(self):
        found = diagnose(pd.DataFrame(self.TABLE, columns=list("abc")))
        assert (found.n_rows, found.n_columns, found.n_missing, found.n_complete) == (6, 3, 5, 2)
        assert [(one.column, one.n_missing, one.n_known) for one in found.columns] == [
            ("a", 1, 5),
            ("b", 3, 3),
            ("c", 1, 5),
        ]
        assert [(one.columns, one.n_rows) for one in found.patterns] == [
            (("b",), 2),
            (("a", "b"), 1),
            (("c",), 1),
        ]
        # To fill b from a and c, or c from a and b: rows 0 and 5. To fill a from c: rows 0, 1, 2 and 5.
        assert [one.donors for one in found.patterns] == [{"b": 2}, {"a": 4, "b": 2}, {"c": 2}]

    def test_donors_as_counted_row_by_row(self):
        table = holed(120, 5, share=0.3)
        missing = np.isnan(table)
        for pattern in diagnose(table, repeats=1).patterns:
            holes = [int(name[1]) for name in pattern.columns]
            known = [column for column in range(5) if column not in holes]
            for name, n_donors in pattern.donors.items():
                rows = ~missing[:, [*known, int(name[1])]].any(axis=1)
                assert n_donors == rows.sum()

    def test_rare_patterns_are_not_counted(self, monkeypatch):
        monkeypatch.setattr(patterns, "MOST_COUNTED", 2)
        found = diagnose(holed(120, 5, share=0.3), repeats=1)
        assert [one.donors is None for one in found.patterns[:4]] == [False, False, True, True]
        assert sum(one.n_rows for one in found.patterns) == 120 - found.n_complete

    def test_what_was_not_counted_is_shown_as_such(self, monkeypatch):
        monkeypatch.setattr(patterns, "MOST_COUNTED", 1)
        assert "not counted" in str(diagnose(holed(120, 3, share=0.3), repeats=1))

    def test_the_most_frequent_patterns_are_listed(self):
        found = diagnose(holed(200, 6, share=0.3), repeats=1)
        assert f"... and {len(found.patterns) - 12} more" in str(found)


class TestMeasures:
    def test_one_law(self):
        column = diagnose(law(), columns=[29]).columns[0]
        assert column.r2_neighbors < 0.7
        assert column.r2_regression > 0.999
        assert column.advice.startswith("Sparse")

    def test_neighbours(self):
        column = diagnose(wave(), columns="x1").columns[0]
        assert column.r2_neighbors > 0.9
        assert column.r2_regression < 0.3
        assert column.advice.startswith("Heterogeneous")

    def test_noise(self):
        column = diagnose(np.random.default_rng(0).normal(size=(300, 3))).columns[0]
        assert max(column.r2_neighbors, column.r2_regression) < 0.2
        assert column.advice.startswith("Hard to predict")

    @pytest.mark.data
    @pytest.mark.parametrize(
        ("file", "column", "sparsity", "heterogeneity"),
        [("asf", "A2", 0.85, 0.73), pytest.param("ca", "longitude", 0.03, 0.90, marks=COMPILED)],
    )
    def test_as_the_paper_measured(self, data_folder, file, column, sparsity, heterogeneity):
        # Other cells are hidden than in the paper: a few hundredths are the luck of the draw.
        table = pd.read_csv(data_folder / f"{file}.csv")
        (found,) = diagnose(table, columns=column, scale="none").columns
        assert found.r2_neighbors == pytest.approx(sparsity, abs=0.06)
        assert found.r2_regression == pytest.approx(heterogeneity, abs=0.06)

    def test_by_the_definition(self):
        table = untied(60, 3)
        (found,) = diagnose(table, columns=1, hide=10, repeats=3, n_neighbors=4).columns
        errors = {"knn": 0.0, "glr": 0.0, "mean": 0.0}
        for repeat in range(3):
            hidden = np.random.default_rng([0, repeat, 1]).permutation(60)[:10]
            holes = table.copy()
            holes[hidden, 1] = np.nan
            for key, settings in (("knn", {"n_neighbors": 4}), ("glr", {}), ("mean", {})):
                filled = iim.METHODS[key](**settings).fit_transform(holes)
                errors[key] += np.sum((filled[hidden, 1] - table[hidden, 1]) ** 2)
        assert found.n_cells == 30
        assert found.r2_neighbors == pytest.approx(1 - errors["knn"] / errors["mean"])
        assert found.r2_regression == pytest.approx(1 - errors["glr"] / errors["mean"])

    @pytest.mark.parametrize(
        ("settings", "n_cells", "bounded"),
        [
            ({}, 60, False),  # 0.05 of 400, three times
            ({"hide": 0.001}, 30, False),  # no fewer than 30
            ({"hide": 0.001, "repeats": 4}, 32, False),
            ({"hide": 100}, 300, False),
            ({"hide": 350}, 600, True),  # no more than half of the rows
        ],
    )
    def test_how_many_cells(self, settings, n_cells, bounded):
        column = diagnose(wave(), **settings).columns[0]
        assert (column.n_cells, column.n_rows, column.bounded) == (n_cells, 400, bounded)

    def test_the_work_is_bounded_and_says_so(self, monkeypatch):
        monkeypatch.setattr(measuring, "MOST_VALUES", 600)
        monkeypatch.setattr(measuring, "MOST_CELLS", 12)
        found = diagnose(wave())
        assert [(one.n_rows, one.n_cells, one.bounded) for one in found.columns] == [(300, 36, True)] * 2
        assert "36*" in str(found)
        assert "* Fewer than requested" in str(found)
        assert "Measured on at most 300 rows." in str(found)
        assert "*" not in str(diagnose(wave(200)))

    def test_columns_that_hardly_anyone_knows_are_left_out(self):
        table = np.column_stack([wave(), np.full(400, np.nan)])
        table[:15, 2] = np.arange(15.0)
        found = diagnose(table)
        assert found.columns[1].left_out == ("x2",)
        assert found.columns[1].n_rows == 400
        assert found.columns[1].r2_neighbors > 0.9

    def test_what_was_left_out_is_shown(self):
        table = np.column_stack([wave(), np.full(400, np.nan), np.full(400, np.nan)])
        table[:15, 2] = table[:15, 3] = np.arange(15.0)
        found = diagnose(table)
        lines = [line.split() for line in str(found).splitlines()]
        assert lines[lines.index(["columns", "measured", "without"]) + 1] == ["x0,", "x1", "x2,", "x3"]
        assert "measured without" in found._repr_html_()
        assert found.to_frame()["left_out"].tolist() == ["x2, x3", "x2, x3", "", ""]
        assert "measured without" not in str(diagnose(wave()))
        assert diagnose(wave()).to_frame("polars")["left_out"].to_list() == ["", ""]

    def test_a_small_table_is_not_sparse_for_being_small(self):
        place = np.linspace(0, 1, 24)
        table = np.column_stack([place, place**2, np.sin(3 * place)])
        for settings in ({}, {"n_neighbors": 1000}):
            found = diagnose(table, **settings)
            assert not [one for one in found.columns if one.advice.startswith("Sparse")]
            # Six rows are hidden, so 18 know the value: a fifth of them.
            assert [one.n_neighbors for one in found.columns] == [3, 3, 3]
            assert "3**" in str(found)
            assert f"** Fewer neighbours than the {settings.get('n_neighbors', 10)} requested" in str(found)
        assert found.to_frame()["n_neighbors"].tolist() == [3, 3, 3]

    def test_as_many_neighbours_as_asked_for_where_there_are_enough(self):
        for n_neighbors in (1, 10):
            found = diagnose(wave(), n_neighbors=n_neighbors)
            assert {one.n_neighbors for one in found.columns} == {n_neighbors}
            assert "**" not in str(found)

    def test_never_fewer_than_one_neighbour(self):
        found = diagnose(wave(10), hide=0.9)
        assert [(one.n_cells, one.n_neighbors) for one in found.columns] == [(15, 1)] * 2

    def test_thirty_cells_are_not_worth_half_of_a_small_table(self):
        assert [one.n_cells for one in diagnose(wave(24)).columns] == [18, 18]
        assert [one.bounded for one in diagnose(wave(24)).columns] == [False, False]
        assert [one.n_cells for one in diagnose(wave(40)).columns] == [30, 30]

    def test_the_seed_decides(self):
        first, same, other = (diagnose(wave(), random_state=seed).columns for seed in (0, 0, 1))
        assert first == same
        assert first != other

    def test_arrays_pandas_and_polars_agree(self):
        table = holed(200, 3)
        names = ["x0", "x1", "x2"]
        array = diagnose(table)
        for frame in (pd.DataFrame(table, columns=names), pl.DataFrame(table, schema=names).fill_nan(None)):
            found = diagnose(frame)
            assert found.columns == array.columns
            assert found.patterns == array.patterns

    @pytest.mark.parametrize("unit", [1e300, 1e-300])
    def test_huge_and_tiny_columns(self, unit):
        plain, scaled = diagnose(wave()), diagnose(wave() * [1.0, unit])
        for one, other in zip(plain.columns, scaled.columns, strict=True):
            assert one.r2_neighbors == pytest.approx(other.r2_neighbors)
            assert one.r2_regression == pytest.approx(other.r2_regression)


class TestEdges:
    def test_nothing_missing(self):
        found = diagnose(wave())
        assert (found.n_missing, found.n_complete, found.patterns) == (0, 400, ())
        assert str(found).startswith("400 rows and 2 columns, nothing missing.")
        assert "Patterns" not in str(found)

    def test_everything_missing(self):
        found = diagnose(np.full((5, 2), np.nan))
        assert (found.n_missing, found.n_complete) == (10, 0)
        assert found.patterns[0].donors == {"x0": 0, "x1": 0}
        assert {one.advice for one in found.columns} == {"No value is known: nothing can be learned."}
        assert "10 cells missing (100.0%) in 1 pattern; 0 rows complete" in str(found)

    @pytest.mark.parametrize(
        ("table", "reason"),
        [
            (wave()[:, :1], "No other column has values"),
            (np.column_stack([wave()[:, 0], np.full(400, np.nan)]), "No other column has values"),
            ([[1.0, 2.0]], r"Only 1 value known: too few to measure \(10 are needed\)"),
            (wave()[:9], "Only 9 values known"),
            (np.column_stack([np.full(40, 0.1), wave(40)]), "All known values are equal: R2 is undefined"),
        ],
        ids=["one column", "one column known", "one row", "nine rows", "constant"],
    )
    def test_what_cannot_be_measured_says_why(self, table, reason):
        column = diagnose(table).columns[0]
        assert math.isnan(column.r2_neighbors)
        assert math.isnan(column.r2_regression)
        assert (column.n_cells, column.bounded, column.left_out) == (0, False, ())
        with pytest.raises(ValueError, match=reason):
            raise ValueError(column.advice)

    def test_columns_that_are_never_known_together(self):
        table = np.full((40, 2), np.nan)
        table[:20, 0] = table[20:, 1] = np.arange(20.0)
        found = diagnose(table)
        assert {one.advice for one in found.columns} == {
            "Not measured: too few rows have it together with other columns."
        }

    def test_a_column_that_varies_only_where_the_others_are_missing(self):
        table = np.column_stack([np.arange(400.0), np.zeros(400)])
        table[:20, 0] = np.nan
        table[:20, 1] = np.arange(20.0)
        column = diagnose(table, columns=1).columns[0]
        assert column.n_cells == 57  # 0.05 of 380, three times
        assert math.isnan(column.r2_neighbors)
        assert column.advice.startswith("Not measured: the hidden values hardly vary")

    @pytest.mark.parametrize("table", [np.empty((0, 3)), np.empty((3, 0))])
    def test_an_empty_table_is_refused(self, table):
        with pytest.raises(iim.UnusableTable, match="there is nothing to measure"):
            diagnose(table)

    def test_text_among_numbers_is_refused(self):
        with pytest.raises(iim.UnusableTable, match="Column 'b' holds text in 1 of 3 rows"):
            diagnose(pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", None, 3.0]}))

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"hide": 1.5}, "`hide` of diagnose"),
            ({"repeats": 0}, "`repeats` of diagnose"),
            ({"n_neighbors": 0}, "`n_neighbors` of diagnose"),
            ({"scale": "no"}, "`scale` of diagnose"),
            ({"random_state": "x"}, "`random_state` of diagnose"),
            ({"missing_values": [[]]}, "`missing_values` of diagnose"),
            ({"progress": 1}, "`progress` of diagnose"),
            ({"columns": "X1"}, r"received 'X1'. Did you mean 'x1'\?"),
        ],
    )
    def test_impossible_values_are_refused(self, parameters, message):
        with pytest.raises(iim.InvalidParameter, match=message):
            diagnose(wave(), **parameters)


class TestAdvice:
    @pytest.mark.parametrize(
        ("sparsity", "heterogeneity", "beginning"),
        [
            (0.95, 0.93, "Easy to predict"),
            (0.99, 0.80, "Both predict it, neighbours clearly better"),
            (0.80, 0.99, "Both predict it, regression clearly better"),
            (1.0, 1.0, "Easy to predict"),
            (0.10, 0.90, "Sparse"),
            (0.90, -3.0, "Heterogeneous"),
            (0.30, 0.60, "Hard to predict"),
            (math.nan, 0.5, "Not measured: the hidden values hardly vary"),
        ],
    )
    def test_by_hand(self, sparsity, heterogeneity, beginning):
        assert advise(sparsity, heterogeneity).startswith(beginning)


class TestShowing:
    def test_frames_are_of_the_table_s_kind(self):
        assert isinstance(diagnose(pd.DataFrame(wave())).to_frame(), pd.DataFrame)
        frame = diagnose(pl.DataFrame(wave(), schema=["a", "b"])).to_frame()
        assert frame["column"].to_list() == ["a", "b"]
        assert frame["n_known"].to_list() == [400, 400]
        assert frame.schema["bounded"] == pl.Boolean
        assert isinstance(diagnose(wave()).to_frame("polars"), pl.DataFrame)

    def test_it_fits_a_terminal_and_nothing_of_the_advice_is_lost(self):
        names = ["a name that is very long, and says much too much about it", "b", "データ", "d" * 80]
        for share in (0.0, 0.3):
            found = diagnose(pd.DataFrame(holed(120, 4, share=share), columns=names))
            assert max(map(len, str(found).splitlines())) <= 100
            words = " ".join(str(found).split())
            for one in found.columns:
                assert one.advice in found._repr_html_()
                # In the text, names may stand between two lines of it.
                assert set(one.advice.split()) <= set(words.split())
        assert names[0] in found._repr_html_()

    def test_the_same_advice_stands_there_once(self):
        found = diagnose(wave())
        assert len({one.advice for one in found.columns}) == 2
        twins = diagnose(np.column_stack([wave(), wave()[:, 1]]))
        assert len({one.advice for one in twins.columns}) == 2
        assert str(twins).count(twins.columns[1].advice[:20]) == 1
        assert "x1, x2" in str(twins)

    def test_long_patterns_are_cut_short(self):
        table = holed(60, 20, share=0.0)
        table[:5, :12] = np.nan
        table[:1, :3] = 0.0
        shown = str(diagnose(table, repeats=1))
        assert "x0, x1, x2, x3, x4, x5 and 6 more" in shown
        assert "x3, x4, x5, x6, x7, x8 and 3 more" in shown

    def test_donors_of_many_columns_are_a_range(self):
        table = holed(60, 20, share=0.0)
        table[:5, :12] = np.nan
        table[5:9, 0] = np.nan
        found = diagnose(table, repeats=1)
        assert set(found.patterns[0].donors.values()) == {51, 55}
        assert "51 to 55, depending on the column" in str(found)

    def test_whole_numbers_as_names_become_text_in_the_frame(self):
        found = diagnose(pd.DataFrame(wave()))
        assert [one.column for one in found.columns] == [0, 1]
        assert found.to_frame()["column"].tolist() == ["0", "1"]

    def test_hostile_names_are_escaped(self):
        frame = pd.DataFrame(holed(60, 3), columns=["<script>", "b", "\x1b[2J"])
        page = diagnose(frame)._repr_html_()
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        assert "\x1b" not in str(diagnose(frame))
        assert "\x1b" not in page

    def test_a_callable_hears_of_every_column(self):
        told = []
        diagnose(holed(60, 4), progress=told.append)
        assert told == [0.25, 0.5, 0.75, 1.0]

    def test_the_table_is_not_changed(self):
        frame = pd.DataFrame(holed(60, 3))
        before = frame.copy(deep=True)
        diagnose(frame)
        pd.testing.assert_frame_equal(frame, before)

    def test_the_name_is_the_function_whatever_is_imported(self):
        assert iim.diagnose is diagnosing.diagnose
