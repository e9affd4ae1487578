"""Which columns to fill, and between which numbers."""

import re

import numpy as np
import pandas as pd
import pytest

import iim
from iim import MeanImputer

# Means: a 2, b 20, n 4.67 (whole numbers).
TABLE = pd.DataFrame(
    {"a": [1.0, 2.0, 3.0, None], "b": [10.0, 10.0, 40.0, None], "n": [1.0, 4.0, 9.0, None]},
    index=list("wxyz"),
)


def last(**parameters):
    """What the mean fills into the last row."""
    return MeanImputer(**parameters).fit_transform(TABLE).iloc[-1].round(3).tolist()


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [2.0, 20.0, 4.667]),
        ({"min_value": 5}, [5.0, 20.0, 5.0]),
        ({"max_value": 5}, [2.0, 5.0, 4.667]),
        ({"max_value": np.float32(4.5)}, [2.0, 4.5, 4.5]),
        ({"min_value": {"a": 2.5}}, [2.5, 20.0, 4.667]),
        ({"min_value": {0: 2.5, "n": 7}}, [2.5, 20.0, 7.0]),
        ({"min_value": {"a": None, "n": "observed"}}, [2.0, 20.0, 4.667]),
        ({"min_value": [2.5, None, "observed"]}, [2.5, 20.0, 4.667]),
        ({"min_value": np.array([2.5, -np.inf, 7])}, [2.5, 20.0, 7.0]),
        ({"max_value": {}}, [2.0, 20.0, 4.667]),
        ({"round_integers": True}, [2.0, 20.0, 5.0]),
        ({"round_integers": True, "max_value": 4.9}, [2.0, 4.0, 4.0]),
        ({"round_integers": True, "min_value": {"n": 5.1}}, [2.0, 20.0, 6.0]),
    ],
)
def test_bounds_and_rounding(parameters, expected):
    assert last(**parameters) == expected


def test_observed_is_the_range_of_the_known_values():
    x = np.arange(40.0)
    table = np.column_stack([x, 3 * x])
    rows = np.array([[100.0, np.nan], [-100.0, np.nan]])
    free = iim.METHODS["glr"]().fit(table).transform(rows)[:, 1]
    assert free[0] > 290
    imputer = iim.METHODS["glr"](min_value="observed", max_value="observed").fit(table)
    assert imputer.transform(rows)[:, 1].tolist() == [117.0, 0.0]


def test_known_cells_may_lie_outside():
    filled = MeanImputer(min_value=5.0, max_value=6.0, round_integers=True).fit_transform(TABLE)
    pd.testing.assert_frame_equal(filled[:3], TABLE[:3])


def test_zeros_of_empty_columns_keep_the_bounds_too():
    table = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    with pytest.warns(iim.ImputationWarning):
        imputer = MeanImputer(keep_empty_features=True, min_value=["observed", None]).fit(table)
    assert imputer.transform(table)[:, 0].tolist() == [0.0, 0.0]
    with pytest.warns(iim.ImputationWarning):
        imputer = MeanImputer(keep_empty_features=True, min_value=3.0).fit(table)
    assert imputer.transform(table)[:, 0].tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"min_value": {"A": 1}},
            "`min_value`: one of 'a', 'b', 'n', or a position, is needed; received 'A'. Did",
        ),
        (
            {"max_value": {"a": 1, 0: 2}},
            "`max_value`: each column once is needed; received 'a' (column 0) twice.",
        ),
        (
            {"min_value": [1, 2]},
            "one for each of the 3 columns of the table, is needed; received 2. To bound some",
        ),
        ({"min_value": {"b": 2}, "max_value": {"b": 1}}, "received 2 and 1 for column 'b'."),
        ({"min_value": {"b": 50}, "max_value": "observed"}, "received 50 and 40 for column 'b'."),
        ({"min_value": np.nan}, "received nan."),
        ({"min_value": [1, np.nan, 2]}, "received [1, nan, 2]."),
        ({"min_value": {"a": np.nan}}, "received {'a': nan}."),
        (
            {"min_value": np.inf},
            "None, or a number below infinity, or 'observed', or a sequence of these (one",
        ),
        (
            {"max_value": -np.inf},
            "`max_value` of MeanImputer: None, or a number above -infinity, or 'observed'",
        ),
        ({"max_value": "seen"}, "or a mapping from columns to these, is needed; received 'seen'."),
        ({"max_value": {1.0, 2.0, 3.0}}, "is needed; received {1.0, 2.0, 3.0}."),
        ({"max_value": True}, "is needed; received True."),
        (
            {"round_integers": True, "min_value": {"n": 4.2}, "max_value": 4.8},
            "`round_integers` of MeanImputer: a whole number between `min_value` and `max_value` is needed;"
            " received 4.2 and 4.8 for column 'n'. Change these bounds.",
        ),
        (
            {"columns": ["a", "B"]},
            "`columns`: one of 'a', 'b', 'n', or a position, is needed; received 'B'. Did",
        ),
        ({"columns": [0, 3]}, "received 3."),
        ({"columns": [-1]}, "received -1."),
        ({"columns": ["a", 0]}, "`columns`: each column once is needed; received 'a' (column 0) twice."),
        ({"columns": []}, "None, or a sequence of names or positions, not empty, is needed; received []."),
        (
            {"columns": "a"},
            "None, or a sequence of names or positions, not empty, is needed; received 'a'.",
        ),
        ({"columns": [True, False, True]}, "is needed; received [True, False, True]."),
        ({"columns": 1}, "is needed; received 1."),
        ({"columns": np.eye(2)}, "is needed; received array"),
        ({"columns": {"a": 1}}, "is needed; received {'a': 1}."),
        ({"columns": [["a"]]}, "is needed; received ['a']."),
    ],
)
def test_what_cannot_be_is_refused(parameters, message):
    with pytest.raises(iim.InvalidParameter, match=re.escape(message)):
        MeanImputer(**parameters).fit(TABLE)


def test_the_dtype_limits_whole_numbers_too():
    table = pd.DataFrame({"flag": pd.array([True, None], dtype="boolean"), "v": [1.0, 2.0]})
    with pytest.raises(iim.InvalidParameter, match="2 and inf for column 'flag', whose type holds 0 to 1"):
        MeanImputer(round_integers=True, min_value={"flag": 2}).fit(table)
    x = np.arange(30.0)
    table = pd.DataFrame({"x": x, "small": pd.array([*(4 * x[:-1]), None], dtype="Int8")})
    table.loc[29, "x"] = 1e4
    filled = iim.METHODS["glr"](round_integers=True).fit_transform(table)
    assert filled["small"].dtype == "Int8"
    assert filled["small"][29] == 127


def test_columns_can_come_in_any_list():
    expected = MeanImputer(columns=["a", "n"]).fit_transform(TABLE)
    assert expected.isna().sum().tolist() == [0, 1, 0]
    for columns in (
        ("n", "a"),
        TABLE.columns[[0, 2]],
        np.array([2, 0]),
        {"a", "n"},
        pd.Series(["a", "n"]),
        range(0, 3, 2),
    ):
        pd.testing.assert_frame_equal(MeanImputer(columns=columns).fit_transform(TABLE), expected)


def test_bounds_count_all_columns_of_the_table():
    assert last(columns=["n"], max_value=[0, 0, 3])[2] == 3.0


def test_a_bound_for_a_column_that_is_left_out_is_refused():
    message = "columns that are filled are needed; received 'a', which `columns` leaves out"
    with pytest.raises(iim.InvalidParameter, match=message):
        last(columns=["n"], max_value={"a": 0, "n": 3})


def test_a_name_that_is_a_whole_number_comes_before_a_position():
    table = TABLE.set_axis([2, 1, 0], axis=1)
    filled = MeanImputer(columns=[0]).fit_transform(table)
    assert filled.isna().sum().to_dict() == {2: 1, 1: 1, 0: 0}
