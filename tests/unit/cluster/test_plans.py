"""Plans: one type for all partitions, found out from the description of a table alone."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import iim
from iim.cluster._places import Place
from iim.cluster._plans import plan_filling
from iim.imputers._telling import warn_user

VISITS = pd.DataFrame(
    {
        "patient": ["ann", "bob", "cem", "dia"],
        "day": pd.date_range("2020-01-01", periods=4),
        "weight": [61.5, 80.0, None, 72.5],
        "height": np.array([1.65, 1.82, 1.75, 1.6], dtype=np.float32),
        "children": pd.array([2, 0, 1, None], dtype="Int64"),
        "smokes": pd.array([True, False, None, False], dtype="boolean"),
        "visits": [1, 2, 3, 4],
    }
)
NUMBERS = ["weight", "height", "children", "smokes", "visits"]


def in_partitions(imputer, table, n_partitions, *, never_null=()):
    plan = plan_filling(imputer, table.iloc[:0], never_null=never_null)
    borders = np.linspace(0, len(table), n_partitions + 1).astype(int)
    parts = [
        plan.fill(imputer, table.iloc[low:high], Place(number))
        for number, (low, high) in enumerate(pairwise(borders))
    ]
    for part in parts:
        assert part.dtypes.to_dict() == plan.result.dtypes.to_dict()
        assert part.columns.equals(plan.result.columns)
    return pd.concat(parts)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"round_integers": True},
        {"add_indicator": True},
        {"add_indicator": True, "round_integers": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("n_partitions", [1, 2, 4, 7])  # with 7 of them, some have no row
def test_partitions_are_what_the_whole_table_is(n_partitions, settings):
    imputer = iim.KnnImputer(columns=NUMBERS, n_neighbors=2, **settings).fit(VISITS)
    filled = in_partitions(imputer, VISITS, n_partitions)
    pd.testing.assert_frame_equal(filled, imputer.transform(VISITS), check_exact=True)


def test_types_do_not_depend_on_holes():
    imputer = iim.MeanImputer(columns=NUMBERS).fit(VISITS)
    # Locally, of rows without a hole all columns keep their types.
    assert imputer.transform(VISITS[:2])["children"].dtype == "Int64"
    filled = in_partitions(imputer, VISITS[:2], 2)
    assert filled[["children", "smokes"]].dtypes.tolist() == [np.float64, np.float64]
    assert filled[["height", "visits"]].dtypes.tolist() == [np.float32, np.int64]


def test_a_marker_makes_holes_in_a_type_without_nulls():
    table = pd.DataFrame(
        {"a": [1, 2, -200, 4], "b": [1, 2, 3, 4], "c": np.array([1, 2, 3, 4], dtype=np.uint8)}
    )
    imputer = iim.MeanImputer(missing_values=-200).fit(table)
    filled = in_partitions(imputer, table, 2)
    # No number of type uint8 is -200.
    assert filled.dtypes.tolist() == [np.float64, np.float64, np.uint8]
    assert filled["a"].tolist() == [1.0, 2.0, 7 / 3, 4.0]


def test_a_column_that_is_never_null_keeps_its_type():
    table = VISITS[["weight", "children"]].astype({"children": "int64[pyarrow]"})[:3]
    imputer = iim.MeanImputer().fit(table)
    assert in_partitions(imputer, table, 3, never_null={"children"})["children"].dtype == "int64[pyarrow]"
    assert in_partitions(imputer, table, 3)["children"].dtype == np.float64


@pytest.mark.parametrize("keep", [True, False])
def test_empty_columns_are_kept_or_left_out(keep):
    table = pd.DataFrame({"a": [1.0, 2.0, None], "b": [np.nan] * 3, "c": [1, 2, 3]})
    imputer = iim.MeanImputer(keep_empty_features=keep)
    with pytest.warns(iim.ImputationWarning):
        imputer.fit(table)
    pd.testing.assert_frame_equal(in_partitions(imputer, table, 2), imputer.transform(table))


def test_names_that_are_no_text_and_notes_are_kept():
    table = pd.DataFrame({0: [1.0, None], 1: [3.0, 4.0]}, index=[7, 9]).rename_axis(
        columns="of the columns"
    )
    table.attrs["note"] = "mine"
    for settings in ({}, {"add_indicator": True}):
        imputer = iim.MeanImputer(**settings).fit(table)
        plan = plan_filling(imputer, table.iloc[:0])
        filled = plan.fill(imputer, table, Place(0))
        pd.testing.assert_frame_equal(filled, imputer.transform(table))
        assert filled.attrs == {"note": "mine"}
        pd.testing.assert_frame_equal(plan.result, filled.iloc[:0])


def test_nothing_is_learned_for_a_plan(monkeypatch):
    imputer = iim.IIMImputer(columns=NUMBERS).fit(VISITS)
    monkeypatch.setattr(iim.IIMImputer, "_fill", lambda *_: pytest.fail("a row was filled"))
    assert len(plan_filling(imputer, VISITS.iloc[:0]).columns) == 7


def test_set_output_plays_no_part():
    imputer = iim.MeanImputer(columns=NUMBERS).fit(VISITS)
    expected = in_partitions(imputer, VISITS, 2)
    pd.testing.assert_frame_equal(
        in_partitions(imputer.set_output(transform="polars"), VISITS, 2), expected
    )


def test_an_imputer_without_names_is_told_once_that_there_are_some():
    numbers = VISITS[["weight", "height"]]
    imputer = iim.MeanImputer().fit(numbers.to_numpy(float))
    with pytest.warns(UserWarning, match="X has feature names, but MeanImputer was fitted without") as told:
        filled = in_partitions(imputer, numbers, 3)
    assert len(told) == 1
    assert filled.columns.tolist() == ["weight", "height"]


def test_other_columns_than_at_fit_are_refused_at_once():
    imputer = iim.MeanImputer().fit(VISITS[["weight", "height"]])
    with pytest.raises(
        ValueError, match="The feature names should match those that were passed during fit"
    ):
        plan_filling(imputer, VISITS[["height", "weight"]].iloc[:0])
    with pytest.raises(iim.UnusableTable, match="Column 'weight' appears more than once"):
        plan_filling(imputer, VISITS[["weight", "weight"]].iloc[:0])
    with pytest.raises(iim.UnusableTable, match="2 levels"):
        plan_filling(imputer, pd.DataFrame(columns=pd.MultiIndex.from_tuples([("a", "b")])))


def test_a_partition_with_other_columns_is_refused():
    imputer = iim.MeanImputer(columns=["weight"]).fit(VISITS)
    plan = plan_filling(imputer, VISITS.iloc[:0])
    with pytest.raises(
        iim.UnusableTable, match=r"^Partition 5: The columns \['patient', .* received \['weight'\]"
    ):
        plan.fill(imputer, VISITS[["weight"]], Place(5))


def test_a_poisoned_partition_is_named_and_its_row():
    imputer = iim.MeanImputer(columns=["weight"]).fit(VISITS)
    plan = plan_filling(imputer, VISITS.iloc[:0])
    poisoned = VISITS.assign(weight=[1.0, 2.0, "n/a", 3.0])
    with pytest.raises(
        iim.UnusableTable,
        match=r"^Partition 5 \(from index 20\): .* 'weight' holds text in 1 of 4 rows \(first: row 2, ",
    ):
        plan.fill(imputer, poisoned, Place(5, begins_at=20))


@pytest.mark.parametrize("holes", [[], [0]], ids=["no hole", "a hole"])
def test_a_known_number_that_would_change_is_refused_with_holes_and_without(holes):
    table = pd.DataFrame({"id": pd.array([1, 2, 2**53 + 1], dtype="Int64"), "x": [1.0, 2.0, 3.0]})
    table.loc[holes, "id"] = pd.NA
    imputer = iim.MeanImputer().fit(table[:2])
    with pytest.raises(
        iim.UnusableTable, match=r"^Partition 0: Column 'id' holds .* \(first: row 2, 9007199254740993\)"
    ):
        in_partitions(imputer, table, 1)
    whole = iim.MeanImputer(round_integers=True).fit(table[:2])
    assert in_partitions(whole, table, 1)["id"].iloc[2] == 2**53 + 1
    assert in_partitions(iim.MeanImputer(columns=["x"]).fit(table), table, 1)["id"].dtype == "Int64"


def test_a_partition_of_another_type_is_brought_to_the_one_described():
    described = pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]})
    imputer = iim.MeanImputer().fit(described)
    plan = plan_filling(imputer, described.iloc[:0])
    filled = plan.fill(imputer, pd.DataFrame({"a": [1, 2], "b": [1.0, 2.0]}), Place(0))
    assert filled.dtypes.tolist() == [np.float64, np.int64]
    # A hole in a column that has none by its description: what is filled does not fit.
    with pytest.raises(
        iim.UnusableTable, match=r"^Partition 0: Column 'b', of type float64 here, has to be int64"
    ):
        plan.fill(imputer, pd.DataFrame({"a": [1, 2], "b": [1.0, None]}), Place(0))


def test_workers_warn_nobody(monkeypatch):
    imputer = iim.MeanImputer(columns=["weight"]).fit(VISITS)
    plan = plan_filling(imputer, VISITS.iloc[:0])
    fill = iim.MeanImputer._fill

    def fill_and_warn(self, matrix):
        warn_user("cells are filled by a fallback", iim.FallbackWarning)
        return fill(self, matrix)

    monkeypatch.setattr(iim.MeanImputer, "_fill", fill_and_warn)
    with pytest.warns(iim.FallbackWarning):
        imputer.transform(VISITS)
    # Warnings are errors here.
    plan.fill(imputer, VISITS, Place(0))
