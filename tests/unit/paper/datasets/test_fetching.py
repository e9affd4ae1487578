"""Downloads, from a server on this machine: what comes is checked before anything is written."""

import tempfile
from dataclasses import replace

import numpy as np
import pytest

from iim.exceptions import InvalidParameter, UnusableFile
from iim.paper.datasets import DATASETS, Dataset, download, load, state
from iim.paper.datasets.fetching import ORIGINS, Origin, check_download
from iim.paper.datasets.reading import checksum_of
from openml_server import Served, send_there, serving

# Three rows, one word missing, and 0.29 * 100, which is a last bit below 29.
THEIRS = Served(
    columns=("unused", "Sick", "weight", "length"),
    kinds=("numeric", ("no", "yes"), "numeric", "numeric"),
    rows=(("9", "no", "70.5", "0.29"), ("9", "yes", "?", "1.5"), ("9", "?", "1e3", "2")),
)
OURS = np.array([[29, 70.5, 2], [150, np.nan, 1], [200, 1000, np.nan]])
OUR_FILE = "length,weight,sick\n29,70.5,2\n150,,1\n200,1000,\n"
FROM_THEIRS = (Origin("length", cut=100), Origin("weight"), Origin("Sick", {"no": 2.0, "yes": 1.0}))


@pytest.fixture
def served(monkeypatch, tmp_path):
    """The server's table, behind a data set `tiny`; temporary folders are made where they are counted."""
    columns = ("length", "weight", "sick")
    tiny = Dataset(
        "tiny",
        "TINY",
        "tiny.csv",
        3,
        columns,
        "A row.",
        "a nurse",
        "free",
        checksum_of(columns, OURS),
        openml=1,
    )
    monkeypatch.setitem(DATASETS, "tiny", tiny)
    monkeypatch.setitem(ORIGINS, "tiny", FROM_THEIRS)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    table = replace(THEIRS, asked=[])
    with serving(table) as address:
        send_there(monkeypatch, address)
        yield table


def left_behind(tmp_path):
    return [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_download_becomes_our_file(served, tmp_path):
    path = download("tiny", tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "tiny.csv"
    assert path.read_text("utf-8") == OUR_FILE
    np.testing.assert_array_equal(load("tiny", path.parent).values, OURS)
    assert state("tiny", path.parent) == "here"
    # Neither a cache nor a half of a file is left.
    assert left_behind(tmp_path) == [path]


def test_what_is_here_is_not_downloaded(served, tmp_path):
    (tmp_path / "tiny.csv").write_text(OUR_FILE, "utf-8")
    assert check_download("tiny", tmp_path) is None
    assert download("tiny", tmp_path) == tmp_path / "tiny.csv"
    assert served.asked == []


def test_a_file_with_other_values_is_not_overwritten(served, tmp_path):
    (tmp_path / "tiny.csv").write_text("mine\n1\n", "utf-8")
    with pytest.raises(UnusableFile, match="other values than data set TINY, and is not overwritten"):
        download("tiny", tmp_path)
    assert (tmp_path / "tiny.csv").read_text("utf-8") == "mine\n1\n"
    assert served.asked == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"rows": (*THEIRS.rows[:2], ("9", "yes", "1e3", "2"))}, "some values differ"),
        ({"rows": THEIRS.rows[:2]}, r"3 x 3 \(rows x columns\) .* 2 x 3 are there"),
        ({"rows": tuple(reversed(THEIRS.rows))}, "some values differ"),
        (
            {"columns": ("unused", "Sick", "mass", "length")},
            "column 'weight' is needed, and not among 'unused'",
        ),
        ({"kinds": ("numeric", ("no", "yes", "maybe"), "numeric", "numeric")}, "KeyError: 'maybe'"),
        ({"rows": (("9", "no", "heavy", "1"),)}, "could not be downloaded from OpenML .number 1.: "),
        (
            {"status": 404},
            "TINY could not be downloaded .* HTTPError: Not Found. Nothing was written. Try again",
        ),
        ({"status": 412}, "could not be downloaded .* not found"),
        ({"status": 500}, "or get tiny.csv from: a nurse"),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_written(served, tmp_path, changed, told):
    for name, value in changed.items():
        setattr(served, name, value)
    with pytest.raises(UnusableFile, match=told):
        download("tiny", tmp_path / "new")
    assert left_behind(tmp_path) == []
    assert not (tmp_path / "new").exists()


def test_without_a_network(served, monkeypatch, tmp_path):
    # Nobody listens there: port 9 is for what is thrown away.
    send_there(monkeypatch, "http://127.0.0.1:9")
    with pytest.raises(UnusableFile, match=r"could not be downloaded from OpenML .* URLError: .*refused"):
        download("tiny", tmp_path)
    assert left_behind(tmp_path) == []


def test_what_cannot_be_downloaded_says_where_it_is(tmp_path):
    with pytest.raises(
        InvalidParameter, match=r"received 'mam'.*get mam.csv from: UCI .*Mammographic Mass"
    ):
        download("mam", tmp_path)
    with pytest.raises(InvalidParameter, match=r"received 'sn'.*iim makes it"):
        download("sn", tmp_path)
    with pytest.raises(InvalidParameter, match="Did you mean 'ccpp'"):
        download("cccp", tmp_path)


def test_every_column_has_an_origin():
    assert {key for key, one in DATASETS.items() if one.openml is not None} == set(ORIGINS)
    for key, origins in ORIGINS.items():
        assert len(origins) == DATASETS[key].n_columns


@pytest.mark.data
@pytest.mark.parametrize("key", ORIGINS)
def test_the_declared_steps_give_the_data_set(key, data_folder, monkeypatch, tmp_path):
    """A server with the source's numbers and OpenML's names and words; only those are taken on trust."""
    raw = load("airfoil" if key == "asf" else key, data_folder).values
    kinds, cells = [], []
    for at, origin in enumerate(ORIGINS[key]):
        words = {code: word for word, code in (origin.codes or {}).items()}
        kinds.append(tuple(origin.codes) if origin.codes else "numeric")
        cells.append(["?" if one != one else words.get(one, repr(one)) for one in raw[:, at].tolist()])
    # In another order than ours.
    columns = [origin.name for origin in ORIGINS[key]]
    table = Served(columns[::-1], kinds[::-1], list(zip(*cells[::-1], strict=True)))
    with serving(table) as address:
        send_there(monkeypatch, address)
        download(key, tmp_path)
    np.testing.assert_array_equal(load(key, tmp_path).values, load(key, data_folder).values)
