"""IIM learned in parts, on threads of this process: the same fills as on one machine, or a clear no."""

import itertools
import random
from pathlib import Path
from unittest import mock

import dask
import dask.dataframe as dd
import fsspec
import numpy as np
import pandas as pd
import pytest

import iim
from cases import long
from iim.cluster.dask import fit, impute, open_model
from iim.cluster.parted import part_queries
from iim.cluster.parted.model import Halo
from iim.cluster.parted.storage import folder_at, made_whole
from iim.exceptions import FallbackWarning, ImputationWarning, InvalidParameter, UnusableFile, UnusableTable
from iim.persistence.atomic import remove_unfinished
from iim.persistence.objects import to_bytes

GRID = (1, 3, 6, 10, 16)


@pytest.fixture(autouse=True)
def _on_threads():
    # Text stays what it is in memory: a poisoned column is one of objects, as it is in a file that has one.
    with dask.config.set({"scheduler": "threads", "dataframe.convert-string": False}):
        yield


def make_table(n_rows=900, holes=(0,), seed=0):
    drawn = np.random.default_rng(seed)
    table = drawn.normal(size=(n_rows, 4))
    table[:, 0] = np.sin(table[:, 1]) + 0.5 * table[:, 3] + drawn.normal(scale=0.1, size=n_rows)
    for column in holes:
        table[drawn.choice(n_rows, n_rows // 12, replace=False), column] = np.nan
    return pd.DataFrame(table, columns=list("abcd"))


def divided(table, n_partitions):
    return dd.from_pandas(table, npartitions=n_partitions)


def learn(ddf, folder, imputer=None, **settings):
    imputer = imputer or iim.IIMImputer(strategy="patterns", learning_grid=GRID)
    return fit(ddf, imputer, folder, **{"halo": "proven", "part_rows": 150, **settings})


@pytest.mark.parametrize("n_partitions", [5, *long(1)])
@pytest.mark.parametrize(
    "settings",
    [
        {"learning_grid": GRID},
        {**iim.PAPER, "learning_grid": range(1, 30, 4)},
        {"learning_neighbors": 12, "add_indicator": True},
        {"learning_grid": GRID, "min_value": 0, "max_value": {"a": 1.0, "b": "observed"}},
    ],
    ids=["default", "paper", "fixed", "bounds"],
)
def test_fills_are_those_of_one_machine(tmp_path, n_partitions, settings):
    table = make_table(holes=(0, 1))
    imputer = iim.IIMImputer(**{"strategy": "patterns", **settings})
    ddf = divided(table, n_partitions)
    model = learn(ddf, tmp_path / "model", imputer)
    expected = imputer.fit_transform(table)
    filled = impute(ddf, model)
    assert filled.divisions == ddf.divisions
    pd.testing.assert_frame_equal(filled.compute(), expected, check_exact=True)
    assert all(loss["n_parts"] > 3 for loss in model.losses())


def test_scaling_and_means_are_those_of_one_machine(tmp_path):
    table = make_table() * [1e-3, 1e6, 1.0, 1.0] + [5.0, 0.0, 1e9, 0.0]
    table["d"] = 3.5
    local = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit(table)._loop.source
    model = learn(divided(table, 7), tmp_path / "model")
    for name in ("exponent", "center", "spread"):
        assert getattr(model.scaling, name).tolist() == getattr(local.scaling, name).tolist()
    assert model.means.tolist() == local.means.tolist()


def test_a_model_is_opened_again_and_fills_new_rows(tmp_path):
    table, new = make_table(), make_table(300, seed=1)
    learn(divided(table, 3), tmp_path / "model")
    model = open_model(tmp_path / "model")
    expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit(table).transform(new)
    pd.testing.assert_frame_equal(impute(divided(new, 4), model).compute(), expected, check_exact=True)


def test_patterns_that_were_not_there_are_learned_when_they_are_met(tmp_path):
    table, new = make_table(), make_table(300, holes=(0, 2, 3), seed=1)
    model = learn(divided(table, 3), tmp_path / "model")
    before = model.losses()
    expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit(table).transform(new)
    for _ in range(2):
        pd.testing.assert_frame_equal(impute(divided(new, 2), model).compute(), expected, check_exact=True)
    assert model.losses() == before


def test_models_that_few_ask_are_learned_when_they_are_asked(tmp_path):
    table = make_table()
    table.loc[5:, "a"] = np.where(table.loc[5:, "a"].isna(), 0.3, table.loc[5:, "a"])
    table.loc[:2, "a"] = np.nan
    ddf = divided(table, 3)
    model = learn(ddf, tmp_path / "model")
    assert not list((tmp_path / "model").rglob("models-*"))
    expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit_transform(table)
    pd.testing.assert_frame_equal(impute(ddf, model).compute(), expected, check_exact=True)


def test_every_single_hole_can_be_prepared(tmp_path):
    model = learn(
        divided(make_table(), 2),
        tmp_path / "model",
        iim.IIMImputer(strategy="patterns", learning_grid=GRID, prepare="single"),
    )
    assert len(list((tmp_path / "model").rglob("problem.iim"))) == 4
    assert len(model.losses()) == 1


def test_a_complete_table_is_learned_from_later(tmp_path):
    table = make_table(holes=())
    ddf = divided(table, 2)
    model = learn(ddf, tmp_path / "model")
    assert impute(ddf, model).compute().equals(table)
    new = make_table(100, seed=3)
    expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit(table).transform(new)
    pd.testing.assert_frame_equal(impute(divided(new, 1), model).compute(), expected, check_exact=True)


def test_few_donors_are_told_of_and_rows_that_know_nothing_get_means(tmp_path):
    table = make_table(200)
    table.loc[8:, "c"] = np.nan
    table.loc[[3, 50]] = np.nan
    with pytest.warns(FallbackWarning) as told:
        expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit_transform(table)
    ddf = divided(table, 3)
    model = learn(ddf, tmp_path / "model")
    with pytest.warns(FallbackWarning) as told_again:
        filled = impute(ddf, model)
    assert str(told_again[0].message) == str(told[0].message)
    pd.testing.assert_frame_equal(filled.compute(), expected, check_exact=True)


def test_empty_columns_text_whole_numbers_and_empty_partitions(tmp_path):
    table = make_table(400)
    table["e"] = np.nan
    table["name"] = [f"row {row}" for row in range(400)]
    table["n"] = pd.array((table["b"] * 10).round(), dtype="Int64")
    table.loc[::40, "n"] = pd.NA
    imputer = iim.IIMImputer(
        strategy="patterns", columns=["a", "b", "c", "e", "n"], learning_grid=GRID, round_integers=True
    )
    with pytest.warns(ImputationWarning, match="No value is known in 1 of 5 columns"):
        expected = imputer.fit_transform(table)
    ddf = dd.concat([divided(table[:100], 2), divided(table[:0], 1), divided(table[100:], 2)])
    with pytest.warns(ImputationWarning, match="No value is known in 1 of 5 columns"):
        model = learn(ddf, tmp_path / "model", imputer)
    filled = impute(ddf, model)
    assert filled.dtypes.equals(expected.dtypes)
    pd.testing.assert_frame_equal(filled.compute(), expected, check_exact=True)


def test_a_sampled_halo_says_what_it_cannot_prove(tmp_path):
    table = make_table(3000)
    ddf = divided(table, 3)
    sampled = learn(ddf, tmp_path / "sampled", halo="sampled", part_rows=500)
    proven = learn(ddf, tmp_path / "proven", halo="proven", part_rows=500)
    (one,), (other,) = sampled.losses(), proven.losses()
    assert (one["column"], one["known"]) == ("a", ["b", "c", "d"])
    assert one["n_rows"] < other["n_rows"]
    assert 0 < one["share_unproven"] < 1
    assert other["share_unproven"] == other["n_short_lists"] == 0
    truth = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit_transform(table)
    error = impute(ddf, sampled).compute() - truth
    assert np.sqrt((error["a"] ** 2).mean()) < 1e-3


def test_object_stores_are_read_and_written(tmp_path):
    table = make_table()
    table.to_parquet("memory://iim-test/in/part.0.parquet")
    ddf = dd.read_parquet("memory://iim-test/in").repartition(npartitions=2)
    try:
        learn(ddf, "memory://iim-test/model")
        filled = impute(ddf, open_model("memory://iim-test/model")).compute()
        with pytest.raises(InvalidParameter, match="a new or empty folder"):
            learn(ddf, "memory://iim-test/model")
    finally:
        fsspec.filesystem("memory").rm("/iim-test", recursive=True)
    expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit_transform(table)
    pd.testing.assert_frame_equal(filled, expected, check_exact=True)


def test_a_former_model_is_replaced_when_the_new_one_is_complete(tmp_path):
    table = make_table()
    learn(divided(table, 2), tmp_path / "model")
    before = {path: path.read_bytes() for path in (tmp_path / "model").rglob("*") if path.is_file()}
    broken = divided(table.assign(d="text"), 2)
    with pytest.raises(
        UnusableTable, match=r"Partition [01]: .*Column 'd' holds text in all 450 known cells"
    ):
        learn(broken, tmp_path / "model")
    after = {path: path.read_bytes() for path in (tmp_path / "model").rglob("*") if path.is_file()}
    assert after == before
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    learn(divided(table + 1.0, 3), tmp_path / "model")
    assert open_model(tmp_path / "model").lengths.size == 3
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_a_killed_worker_left_is_taken_away(tmp_path):
    with made_whole(folder_at(tmp_path / "model", None)) as making:
        making.write("whole", b"all of it")
        half = making.local() / "below" / ".iim-0123456789abcdef.part"
        half.parent.mkdir()
        half.write_bytes(b"ha")
    assert [path.name for path in (tmp_path / "model").rglob("*") if path.is_file()] == ["whole"]


def test_learning_twice_writes_the_same_bytes(tmp_path):
    for name in ("one", "other"):
        learn(divided(make_table(), 3), tmp_path / name)
    files = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "other")
    ]
    assert files[0] == files[1]


def test_a_folder_without_its_last_file_is_no_model(tmp_path):
    learn(divided(make_table(), 2), tmp_path / "model")
    (tmp_path / "model" / "model.iim").unlink()
    with pytest.raises(UnusableFile, match="learning was not finished"):
        open_model(tmp_path / "model")
    with pytest.raises(UnusableFile, match=r"there is no model\.iim"):
        open_model(tmp_path / "nowhere")


def test_a_folder_of_another_version_is_refused(tmp_path):
    learn(divided(make_table(), 2), tmp_path / "model")
    with mock.patch("iim.persistence.container.FORMAT_VERSION", 99):
        (tmp_path / "model" / "model.iim").write_bytes(to_bytes(Halo(1, 2, 3, 0.5)))
    with pytest.raises(UnusableFile, match=r"'model.iim' of .* has format version 99; this iim reads"):
        open_model(tmp_path / "model")


def test_files_of_different_models_do_not_go_together(tmp_path):
    learn(divided(make_table(), 2), tmp_path / "model")
    iim.MeanImputer().fit(make_table()).save(tmp_path / "model" / "columns.iim")
    with pytest.raises(UnusableFile, match="are of different models"):
        open_model(tmp_path / "model")


@pytest.mark.parametrize("n_damaged", [20, *long(60)])
def test_no_damage_goes_unnoticed(tmp_path, n_damaged):
    ddf = divided(make_table(), 2)
    learn(ddf, tmp_path / "model")
    expected = impute(ddf, open_model(tmp_path / "model")).compute(scheduler="sync")
    rng = random.Random(0)
    files = sorted(path for path in (tmp_path / "model").rglob("*") if path.is_file())
    n_refused = 0
    for number in range(n_damaged):
        path = files[number % len(files)]
        sound = path.read_bytes()
        damaged = bytearray(sound)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            filled = impute(ddf, open_model(tmp_path / "model")).compute(scheduler="sync")
        except UnusableFile:
            n_refused += 1
        else:
            # A file that this table did not ask for.
            pd.testing.assert_frame_equal(filled, expected, check_exact=True)
        path.write_bytes(sound)
    assert n_refused > n_damaged // 2


@pytest.mark.parametrize("looks_like", [(), ("model.iim",), ("model.iim", "columns.iim")])
def test_folders_with_other_things_are_left_alone(tmp_path, looks_like):
    (tmp_path / "thesis.txt").write_text("all of it")
    for name in looks_like:
        (tmp_path / name).write_text("{}")
    with pytest.raises(InvalidParameter, match="`folder` of fit: a new or empty folder"):
        learn(divided(make_table(), 2), tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "all of it"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"imputer": iim.KnnImputer()}, "`imputer` of fit: an IIMImputer is needed"),
        ({"imputer": iim.IIMImputer(strategy="iterative")}, "`strategy` of fit on Dask: 'iterative'"),
        ({"imputer": iim.IIMImputer(scale="robust")}, "`scale` of fit on Dask: 'robust'"),
        ({"imputer": iim.IIMImputer(n_neighbors=0)}, "`n_neighbors` of IIMImputer"),
        ({"halo": "large"}, "`halo` of fit"),
        ({"part_rows": 0}, "`part_rows` of fit"),
        ({"progress": 3}, "`progress` of fit"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, given, message):
    with pytest.raises(InvalidParameter, match=message):
        learn(divided(make_table(), 2), tmp_path / "model", **given)
    assert not list(tmp_path.iterdir())


def test_tables_that_are_no_dask_frames_are_refused(tmp_path):
    with pytest.raises(UnusableTable, match="A Dask DataFrame is needed; received DataFrame"):
        learn(make_table(), tmp_path / "model")


def test_too_many_combinations_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("iim.cluster.dask.learning_plan.MOST_PROBLEMS", 2)
    with pytest.raises(UnusableTable, match="combinations of known and missing columns"):
        learn(divided(make_table(holes=(0, 1, 2)), 2), tmp_path / "model")


def test_text_among_numbers_is_named_by_partition_and_row(tmp_path):
    table, poisoned = make_table(), make_table().astype({"c": object})
    poisoned.loc[poisoned.index[610], "c"] = "n/a"
    model = learn(divided(table, 3), tmp_path / "model")
    with pytest.raises(
        UnusableTable, match=r"Partition 2: .*Column 'c' holds text in 1 of 300 rows .*row 10"
    ):
        learn(divided(poisoned, 3), tmp_path / "other")
    with pytest.raises(
        UnusableTable, match=r"Partition 2: .*Column 'c' holds text in 1 of 300 rows .*row 10"
    ):
        impute(divided(poisoned, 3), model)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_answers_that_are_lost_are_an_error(tmp_path, monkeypatch):
    table = make_table()
    model = learn(divided(table, 2), tmp_path / "model")
    whole = part_queries.answer

    def forget(routes, part, queries):
        answers, further = whole(routes, part, queries)
        return answers[:-1], further

    monkeypatch.setattr(part_queries, "answer", forget)
    with pytest.raises(UnusableTable, match="missing cells got no answer"):
        impute(divided(table, 3), model).compute()


def test_all_is_proven_where_there_is_one_part(tmp_path):
    model = learn(divided(make_table(), 2), tmp_path / "model", halo="sampled", part_rows=10_000)
    (loss,) = model.losses()
    assert (loss["n_parts"], loss["n_short_lists"], loss["share_unproven"]) == (1, 0, 0.0)


def test_a_model_can_be_named_by_its_folder(tmp_path):
    table = make_table()
    learn(divided(table, 2), tmp_path / "model")
    expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit_transform(table)
    filled = impute(divided(table, 3), tmp_path / "model").compute()
    pd.testing.assert_frame_equal(filled, expected, check_exact=True)


def test_partitions_do_not_wait_in_memory_for_their_answers(tmp_path):
    table = make_table(1200)
    model = learn(divided(table, 2), tmp_path / "model")
    begun = []

    def read(number):
        begun.append(number)
        return table[100 * number : 100 * (number + 1)]

    ddf = dd.from_map(read, range(12), meta=table[:0])
    filled = impute(ddf, model)
    assert sorted(begun) == list(range(12))
    begun.clear()
    expected = iim.IIMImputer(strategy="patterns", learning_grid=GRID).fit(table).transform(table)
    pd.testing.assert_frame_equal(filled.compute(scheduler="sync"), expected, check_exact=True)
    # Once to ask, once more to be filled.
    assert sorted(begun) == sorted([*range(12), *range(12)])


def test_progress_is_told(tmp_path):
    shares = []
    learn(divided(make_table(), 2), tmp_path / "model", progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_two_that_make_the_same_folder_at_once_need_only_one(tmp_path):
    place = folder_at(tmp_path / "parts", None)
    with made_whole(place, replace=False) as slow:
        slow.write("file", b"slow")
        with made_whole(place, replace=False) as quick:
            quick.write("file", b"quick")
    assert place.read("file") == b"quick"
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_tables_without_rows_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        learn(divided(make_table()[:0], 1), tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_model_shows_where_and_what_it_is(tmp_path):
    model = learn(divided(make_table(), 2), tmp_path / "model")
    assert repr(model).endswith("rows=900, columns=['a', 'b', 'c', 'd'], halo='proven', part_rows=150)")
    assert str(tmp_path) in repr(model)


def test_a_table_that_changes_while_it_is_filled_is_an_error(tmp_path):
    table = make_table()
    model = learn(divided(table, 2), tmp_path / "model")
    looks = itertools.chain([table[:100]], itertools.repeat(table[:100].assign(b=np.nan)))
    changing = dd.from_map(lambda _: next(looks), [0], meta=table[:0])
    filled = impute(changing, model)
    with pytest.raises(UnusableTable, match="The table has changed since its missing cells were counted"):
        filled.compute()


def test_a_folder_in_the_making_is_removed_before_the_process_exits_at_once(tmp_path):
    # Ctrl-C at an odd moment left it behind: only files were removed.
    with made_whole(folder_at(str(tmp_path / "model"), None)) as making:
        Path(making.url, "table").mkdir()
        Path(making.url, "table", "part-0").write_text("half")
        remove_unfinished()
        assert not list(tmp_path.iterdir())
        Path(making.url).mkdir()
    assert [each.name for each in tmp_path.iterdir()] == ["model"]
