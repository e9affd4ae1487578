"""Folders of models that fit their checksums and say what no iim has written: refused before any kernel."""

import random
import shutil

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import iim
from cases import long
from hostile_files import changed, forge
from iim.cluster.dask import fit, impute, open_model
from iim.exceptions import InvalidParameter, UnusableFile
from iim.persistence.container import read_container
from strategies import untied

COLUMNS = list("abc")
IMPUTER = iim.IIMImputer(learning_grid=(1, 3, 6, 10), strategy="patterns")


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield


def new_rows():
    rows = untied(6, 3, seed=5)
    rows[[0, 1, 2], [0, 0, 1]] = np.nan
    return rows


def fill(folder):
    rows = new_rows()
    table = dd.from_pandas(pd.DataFrame(rows, columns=COLUMNS), npartitions=1)
    filled = np.asarray(impute(table, open_model(folder)).compute())
    known = ~np.isnan(rows)
    assert (filled[known] == rows[known]).all()
    return filled


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A problem of the table, whose models are there, and one that was met later: its models are not."""
    folder = tmp_path_factory.mktemp("sound") / "model"
    known = untied(120, 3, seed=3)
    known[:30, 0] = np.nan
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        fit(
            dd.from_pandas(pd.DataFrame(known, columns=COLUMNS), npartitions=2),
            IMPUTER,
            folder,
            part_rows=50,
        )
        fill(folder)
    assert {path.name.partition("-")[0] for path in folder.rglob("*-0.iim")} == {
        *("models", "own", "halo", "lists", "judges")
    }
    return folder


@pytest.fixture
def folder(sound, tmp_path):
    return shutil.copytree(sound, tmp_path / "model")


def cut(n_rows):
    return lambda _, arrays: {name: array[:n_rows].copy() for name, array in arrays.items()}


def with_array(name, make):
    """One array exchanged; what the JSON says of its type goes with it."""

    def change(_, arrays):
        arrays[name] = np.ascontiguousarray(make(arrays[name]))
        return arrays

    return change


def with_entry(*path, value):
    def change(content, arrays):
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value
        return arrays

    return change


def with_grid(content, arrays):
    content["kept"]["problem"]["n_donors"] = 10**6
    return arrays | {"kept.problem.grid": np.array([1, 200], arrays["kept.problem.grid"].dtype)}


WRONG = {
    "a grid beyond the donors": ("*/problem.iim", with_grid),
    "another target": ("column-0-*/problem.iim", with_entry("kept", "problem", "target", value=5)),
    "other columns": ("column-0-*/problem.iim", with_entry("kept", "problem", "observed", value=[1])),
    "no models": ("*/models-*.iim", cut(0)),
    "fewer models": ("*/models-*.iim", cut(1)),
    "no donors": ("*/own-*.iim", cut(0)),
    "no halo": ("*/halo-*.iim", cut(0)),
    "narrow judges": ("*/judges-*.iim", with_array("kept.judged", lambda array: array[:, :1])),
    "wide lists": ("*/lists-*.iim", with_array("kept.nearest", lambda array: np.repeat(array, 50, axis=1))),
    "counts that overflow": ("model.iim", with_array("kept.counts", lambda array: array * 0 + (2**31 - 1))),
    "counts of nothing": ("model.iim", with_array("kept.counts", lambda array: array * 0)),
    "one more partition": (
        "model.iim",
        with_array("kept.lengths", lambda array: np.append(array, array[:1])),
    ),
    "all neighbours": ("columns.iim", with_entry("parameters", "n_neighbors", value=10**6)),
    "other neighbours": ("columns.iim", with_entry("parameters", "n_neighbors", value=3)),
}


def forge_all(folder, pattern, change):
    found = sorted(folder.glob(pattern))
    assert found
    for path in found:
        content, arrays = read_container(path)
        forge(path, content, change(content, dict(arrays)))


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_go_together_is_refused(folder, name):
    forge_all(folder, *WRONG[name])
    with pytest.raises(UnusableFile):
        fill(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values[:, :1],
        lambda values: values[:10],
        lambda values: values * np.nan,
        np.nan_to_num,
    ],
    ids=["narrow", "short", "empty", "without holes"],
)
def test_a_table_that_does_not_fit_is_refused(folder, change):
    # Nothing is learned yet: all is worked out from the table.
    for place in folder.glob("column-*"):
        shutil.rmtree(place)
    forge_all(folder, "table/*.iim", with_array("kept.values", change))
    with pytest.raises(UnusableFile, match="does not fit the model"):
        fill(folder)


def test_fewer_donors_than_models_are_learned_from(folder):
    """All that is counted agrees, and yet there are not enough donors."""

    def keep_two(name):
        def change(_, arrays):
            rows = arrays[name]
            keep = np.isin(rows, np.sort(rows)[:2])
            return {key: np.ascontiguousarray(array[keep]) for key, array in arrays.items()}

        return change

    def count_two(content, arrays):
        sizes = arrays["kept.sizes"]
        content["kept"]["problem"]["n_donors"] = 2 * sizes.size
        grid = np.array([1, 2 * sizes.size], arrays["kept.problem.grid"].dtype)
        return arrays | {"kept.sizes": sizes * 0 + 2, "kept.problem.grid": grid}

    (place,) = (path.parent for path in folder.glob("*/own-0.iim"))
    forge_all(place, "own-*.iim", keep_two("kept.own.rows"))
    forge_all(place, "lists-*.iim", keep_two("kept.rows"))
    forge_all(place, "lists-*.iim", with_array("kept.nearest", lambda array: array * 0 - 1))
    forge_all(place, "problem.iim", count_two)
    for pattern in ("halo-*.iim", "judges-*.iim"):
        forge_all(place, pattern, cut(0))
    with pytest.raises(UnusableFile, match="has fewer donors than it learns from"):
        fill(folder)


@pytest.mark.parametrize("pattern", ["columns.iim", "*/models-*.iim", "*/own-*.iim", "*/lists-*.iim"])
def test_a_file_that_is_missing_is_named(folder, pattern):
    for path in folder.glob(pattern):
        path.unlink()
    with pytest.raises(UnusableFile, match=r"is missing\. Copy it again"):
        fill(folder)


@pytest.mark.parametrize(("seed", "n_files"), [(0, 20), *long((0, 60), (1, 60), (2, 60))])
def test_whatever_is_changed_nothing_else_comes_of_it(folder, seed, n_files):
    rng, n_refused = random.Random(seed), 0
    files = sorted(folder.rglob("*.iim"))
    for number in range(n_files):
        path = files[number % len(files)]
        sound = path.read_bytes()
        forge(path, *changed(rng, *read_container(path)))
        try:
            with np.errstate(all="ignore"):
                fill(folder)
        except UnusableFile:
            n_refused += 1
        path.write_bytes(sound)
    assert n_refused > n_files // 3


def test_more_neighbours_than_can_be_sent_are_refused(tmp_path):
    table = dd.from_pandas(pd.DataFrame(new_rows(), columns=COLUMNS), npartitions=1)
    with pytest.raises(InvalidParameter, match="a whole number up to 1000 is needed; received 1001"):
        fit(table, iim.IIMImputer(n_neighbors=1001), tmp_path / "model")
