"""Dask DataFrames filled in this process; `test_dask_cluster.py` has worker processes."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import iim
from cases import QUICK, fit_quietly
from iim.cluster.dask import impute
from iim.imputers._telling import silence
from partition_witnesses import poison
from strategies import untied


def holed(n_rows, seed):
    table = pd.DataFrame(untied(n_rows, 4, seed=seed), columns=list("abcd"))
    return table.mask(np.random.default_rng(seed).random(table.shape) < 0.2)


KNOWN, NEW = holed(48, 3), holed(60, 4)

# What Dask calls to write and read Parquet, and pandas 3.1 warns of.
of_dask_itself = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")


def computed(ddf):
    return ddf.compute(scheduler="sync")


def assert_same_frames(filled, expected):
    pd.testing.assert_frame_equal(filled, expected, check_exact=True)
    assert filled.to_numpy(float).tobytes() == expected.to_numpy(float).tobytes()


@pytest.mark.parametrize("key", iim.METHODS)
def test_every_method_fills_as_it_does_locally(key):
    imputer = fit_quietly(iim.METHODS[key](**QUICK.get(key, {})), KNOWN)
    with dask.config.set(scheduler="sync"):
        one = impute(dd.from_pandas(NEW, npartitions=1), imputer).compute()
        many = impute(dd.from_pandas(NEW, npartitions=7), imputer).compute()
    with silence():
        expected = imputer.transform(NEW)
    assert_same_frames(one, expected)
    assert_same_frames(many, expected)


@pytest.fixture(scope="module")
def imputer():
    return iim.GlrImputer().fit(KNOWN)


def test_partitions_divisions_index_and_columns_are_kept(imputer):
    table = NEW.set_axis(pd.Index(np.arange(60) * 10, name="when"), axis=0)
    ddf = dd.from_pandas(table, npartitions=7)
    filled = impute(ddf, imputer)
    assert filled.divisions == ddf.divisions
    assert filled.npartitions == ddf.npartitions
    assert filled.index.name == "when"
    assert_same_frames(computed(filled), imputer.transform(table))
    assert_same_frames(computed(filled.partitions[3]), imputer.transform(computed(ddf.partitions[3])))
    assert [len(computed(part)) for part in filled.partitions] == [
        len(computed(part)) for part in ddf.partitions
    ]


def test_unknown_divisions_stay_unknown(imputer):
    ddf = dd.from_pandas(NEW, npartitions=3).clear_divisions()
    filled = impute(ddf, imputer)
    assert filled.divisions == (None,) * 4
    assert_same_frames(computed(filled), imputer.transform(NEW))


def test_partitions_without_rows_are_kept(imputer):
    whole = dd.from_pandas(NEW, npartitions=4)
    ddf = whole.map_partitions(lambda part: part[(part.index < 15) | (part.index >= 45)])
    filled = impute(ddf, imputer)
    assert computed(filled.map_partitions(len)).tolist() == [15, 0, 0, 15]
    assert_same_frames(computed(filled), imputer.transform(computed(ddf)))
    nothing = computed(impute(whole.map_partitions(lambda part: part[:0]), imputer))
    assert nothing.shape == (0, 4)
    assert nothing.dtypes.tolist() == [np.float64] * 4


def test_nothing_is_computed_before_it_is_asked_for(imputer):
    def never(partition):
        raise AssertionError("computed")

    ddf = dd.from_pandas(NEW, npartitions=2).map_partitions(never, meta=NEW.iloc[:0])
    filled = impute(ddf, imputer)
    with pytest.raises(AssertionError, match="computed"):
        computed(filled)


def test_types_are_known_before_and_are_those_of_all_partitions():
    table = KNOWN.assign(
        name="x",
        count=pd.array([*range(40), *[None] * 8], dtype="Int64"),
        whole=np.arange(48),
        arrow=pd.array([*range(40), *[None] * 8], dtype="int64[pyarrow]"),
        flag=pd.array([None, *[True] * 47], dtype="boolean"),
        single=np.arange(48, dtype=np.float32),
        kind=pd.Categorical(["x", "y"] * 24),
        day=pd.date_range("2020", periods=48),
    )
    columns = [*"abcd", "count", "whole", "arrow", "flag", "single"]
    ddf = dd.from_pandas(table, npartitions=6)
    for settings in ({}, {"round_integers": True}, {"add_indicator": True}):
        imputer = iim.MeanImputer(columns=columns, **settings).fit(table)
        filled = impute(ddf, imputer)
        for part in filled.partitions:
            assert computed(part).dtypes.to_dict() == filled.dtypes.to_dict()
        pd.testing.assert_frame_equal(
            computed(filled), imputer.transform(computed(ddf)), check_exact=True, check_dtype=True
        )


def test_other_columns_than_at_fit_are_refused_at_once(imputer):
    ddf = dd.from_pandas(NEW, npartitions=2)
    with pytest.raises(ValueError, match="feature names should match"):
        impute(ddf[["b", "a", "c", "d"]], imputer)
    with pytest.raises(ValueError, match="feature names should match"):
        impute(ddf[["a", "b", "c"]], imputer)


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        (NEW, "DataFrame of pandas. Fill a table in memory with `imputer.transform"),
        (
            dd.from_pandas(NEW, npartitions=1)["a"],
            "Series of dask. Make a table of one column with `to_frame",
        ),
        (NEW.to_numpy(), "ndarray of numpy. Read one with"),
        (None, "NoneType. Read one with"),
    ],
    ids=["pandas", "series", "array", "none"],
)
def test_what_is_no_dask_frame_is_refused(imputer, wrong, advice):
    with pytest.raises(iim.UnusableTable, match=f"^A Dask DataFrame is needed; received {advice}"):
        impute(wrong, imputer)


def test_a_model_from_a_file_fills_the_same(imputer, tmp_path):
    imputer.save(tmp_path / "model.iim")
    ddf = dd.from_pandas(NEW, npartitions=3)
    filled = impute(ddf, tmp_path / "model.iim")
    assert_same_frames(computed(filled), imputer.transform(NEW))


def test_threads_share_one_model(imputer):
    filled = impute(dd.from_pandas(NEW, npartitions=20), imputer)
    assert_same_frames(filled.compute(scheduler="threads", num_workers=4), imputer.transform(NEW))


def test_a_poisoned_partition_is_named_with_its_row(imputer):
    ddf = dd.from_pandas(NEW, npartitions=6).map_partitions(poison, "b", 4, meta=NEW.iloc[:0])
    with pytest.raises(
        iim.UnusableTable,
        match=r"^Partition 4 \(from index 40\): .* Column 'b' holds text in 1 of 10 rows \(first: row 2, ",
    ):
        computed(impute(ddf, imputer))


def test_where_divisions_are_not_known_the_number_is_all(imputer):
    ddf = dd.from_pandas(NEW.replace(NEW.iloc[33, 0], np.inf), npartitions=6).clear_divisions()
    with pytest.raises(
        iim.UnusableTable, match=r"^Partition 3: Input X contains infinity.*first: row 3, inf\)"
    ):
        computed(impute(ddf, imputer))


@of_dask_itself
def test_what_was_written_before_an_error_does_not_count_as_done(imputer, tmp_path):
    ddf = dd.from_pandas(NEW, npartitions=6)
    poisoned = ddf.map_partitions(poison, "b", 4, meta=NEW.iloc[:0])
    with dask.config.set(scheduler="sync"):
        with pytest.raises(iim.UnusableTable, match=r"^Partition 4"):
            impute(poisoned, imputer).to_parquet(tmp_path / "filled", write_metadata_file=True)
        # Parts may be there; what says that all are is not, and neither is the part that failed.
        assert not (tmp_path / "filled" / "_metadata").exists()
        assert not list((tmp_path / "filled").glob("part.4.*"))
        impute(ddf, imputer).to_parquet(tmp_path / "filled", write_metadata_file=True)
        assert (tmp_path / "filled" / "_metadata").exists()
        read = dd.read_parquet(tmp_path / "filled").compute()
    pd.testing.assert_frame_equal(read, imputer.transform(NEW), check_exact=True)
