"""Files by the checksum of their values, whoever wrote them; messages that say what to do."""

import numpy as np
import pytest

from iim.exceptions import InvalidParameter, UnusableFile
from iim.paper.datasets import DATASETS, Dataset, load, state
from iim.paper.datasets.reading import VARIABLE, checksum_of, find_folder, read_csv

COLUMNS = ("a", "b", "kind")
VALUES = np.array([[1, 2.5, 0], [-3, np.nan, 1]])
AS_WRITTEN = "a,b,kind\n1,2.5,0\n-3,,1\n"


@pytest.fixture
def tiny(monkeypatch):
    dataset = Dataset(
        "tiny",
        "TINY",
        "tiny.csv",
        2,
        COLUMNS,
        "A row.",
        "a friend",
        "free",
        checksum_of(COLUMNS, VALUES),
        label="kind",
    )
    monkeypatch.setitem(DATASETS, "tiny", dataset)
    return dataset


def write(folder, text):
    (folder / "tiny.csv").write_bytes(text.encode() if isinstance(text, str) else text)


def test_a_file_is_read(tiny, tmp_path):
    write(tmp_path, AS_WRITTEN)
    data = load("tiny", tmp_path)
    assert (data.key, data.columns, data.label) == ("tiny", COLUMNS, "kind")
    np.testing.assert_array_equal(data.values, VALUES)
    assert data.values.dtype == np.float64
    assert data.feature_names == ("a", "b")
    np.testing.assert_array_equal(data.features(), VALUES[:, :2])
    np.testing.assert_array_equal(data.labels(), [0, 1])
    assert state("tiny", tmp_path) == "here"


@pytest.mark.parametrize(
    "text",
    [
        "a,b,kind\r\n1,2.5,0\r\n-3,,1\r\n",
        "a,b,kind\n1.0,2.50,0\n-3,,1",
        "\ufeffa,b,kind\n1,25e-1,-0\n-3.000,nan,1\n\n",
        '"a",b,kind\n1,"2.5",0\n-3, ,1\n',
    ],
    ids=["line ends", "zeros", "mark, exponent, minus zero, nan", "quotes, blank"],
)
def test_how_numbers_are_written_does_not_matter(tiny, tmp_path, text):
    write(tmp_path, text)
    assert state("tiny", tmp_path) == "here"
    np.testing.assert_array_equal(load("tiny", tmp_path).values, VALUES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b,kind\n1,2.5,0\n-3,,0\n", "some values differ"),
        ("a,b,kind\n1,2.5,0\n-3,0,1\n", "some values differ"),
        ("a,b,kind\n-3,,1\n1,2.5,0\n", "some values differ"),
        ("a,c,kind\n1,2.5,0\n-3,,1\n", "column 2 is 'c' instead of 'b'"),
        ("a,b,kind\n1,2.5,0\n", "1 x 3 are there"),
        ("a,b\n1,2.5\n-3,\n", "2 x 2 are there"),
        ("a,b,kind\n", "0 x 3 are there"),
        ("", "0 x 0 are there"),
    ],
)
def test_other_values_are_refused(tiny, tmp_path, text, told):
    write(tmp_path, text)
    assert state("tiny", tmp_path) == "other values"
    with pytest.raises(UnusableFile) as refused:
        load("tiny", tmp_path)
    assert "tiny.csv' is not data set TINY: 2 x 3 (rows x columns) with the values of a friend are" in str(
        refused.value
    )
    assert f"needed; {told}. Move it away" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "a,b,kind\n1,2.5,0\n-3,n/a,1\n",
            "line 3, column 'b': a number or an empty cell is needed; it holds 'n/a'",
        ),
        ("a,b,kind\n1,2.5\n-3,,1\n", "line 2: 3 cells are needed; it has 2"),
        ("a,b,kind\n1,2.5,0,4\n-3,,1\n", "line 2: 3 cells are needed; it has 4"),
        ('a,b,kind\n1,"2.5,0\n', "a CSV file in UTF-8 is needed; unexpected end of data"),
        (b"a,b,kind\n1,\xff,0\n", "a CSV file in UTF-8 is needed; 'utf-8' codec"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(tiny, tmp_path, text, told):
    write(tmp_path, text)
    assert state("tiny", tmp_path) == "other values"
    with pytest.raises(UnusableFile, match=r"tiny.csv") as refused:
        load("tiny", tmp_path)
    assert told in str(refused.value)


def test_what_cannot_be_read_at_all(tiny, tmp_path):
    (tmp_path / "tiny.csv").mkdir()
    assert state("tiny", tmp_path) == "other values"
    with pytest.raises(OSError, match=r"tiny.csv"):
        load("tiny", tmp_path)


def test_a_missing_file_says_where_to_get_it(tmp_path):
    assert state("mam", tmp_path) == "missing"
    with pytest.raises(UnusableFile) as refused:
        load("mam", tmp_path)
    told = str(refused.value)
    assert f"the file mam.csv is needed in the folder {str(tmp_path)!r}; there is none." in told
    assert "UCI Machine Learning Repository, Mammographic Mass (id 161)" in told
    assert "Licence: CC BY 4.0." in told
    assert "save it as mam.csv" in told
    with pytest.raises(UnusableFile, match=r"To download it: iim datasets --download ccs$"):
        load("ccs", tmp_path / "absent")


def test_the_folder(tiny, tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(InvalidParameter, match=r"The folder .* is needed; received none. .*IIM_DATA"):
        load("tiny")
    write(tmp_path, AS_WRITTEN)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert state("tiny") == "here"
    assert load("tiny").columns == COLUMNS
    # The one given has the last word.
    assert find_folder("other").name == "other"


def test_an_unknown_name():
    with pytest.raises(InvalidParameter, match=r"'asf', 'ccs', .* received 'CCSS'. Did you mean 'ccs'\?"):
        load("CCSS")
    with pytest.raises(InvalidParameter, match="'hep'"):
        state("heart", "anywhere")


def test_labels_where_there_are_none():
    with pytest.raises(InvalidParameter, match=r"'phase': one with a label is needed; .* mam, hep"):
        load("phase").labels()


def test_the_checksum_knows_names_values_and_shape():
    known = checksum_of(COLUMNS, VALUES)
    negative_nan = np.where(np.isnan(VALUES), -np.nan, VALUES)
    assert checksum_of(COLUMNS, negative_nan) == known
    assert checksum_of(COLUMNS, np.asfortranarray(VALUES)) == known
    assert checksum_of(COLUMNS, VALUES.astype(">f8")) == known
    assert checksum_of(("a", "b", "sort"), VALUES) != known
    assert checksum_of(COLUMNS, VALUES[:1]) != known
    assert checksum_of(COLUMNS, np.nextafter(VALUES, 9)) != known


@pytest.mark.data
@pytest.mark.parametrize("key", DATASETS)
def test_the_data_sets_are_those_of_the_catalogue(key, data_folder):
    data = load(key, data_folder)
    dataset = DATASETS[key]
    assert data.values.shape == (dataset.n_rows, dataset.n_columns)
    assert data.columns == dataset.columns
    assert state(key, data_folder) == ("made here" if dataset.file is None else "here")
    assert np.isnan(data.values).any() == (key in ("mam", "hep", "asf_a2_missing"))
    if dataset.label is not None:
        assert len(np.unique(data.labels())) == 2
        assert data.features().shape[1] == dataset.n_columns - 1


@pytest.mark.data
def test_the_holes_of_the_authors_are_in_their_data(data_folder):
    whole, holed = load("asf", data_folder).values, load("asf_a2_missing", data_folder).values
    holes = np.isnan(holed)
    assert holes.sum(axis=0).tolist() == [0, 150, 0, 0, 0, 0]
    np.testing.assert_array_equal(np.where(holes, whole, holed), whole)


def test_a_file_of_another_reader_is_read_alike(tmp_path):
    write(tmp_path, AS_WRITTEN)
    columns, values = read_csv(tmp_path / "tiny.csv")
    assert columns == COLUMNS
    np.testing.assert_array_equal(
        values, np.genfromtxt(tmp_path / "tiny.csv", delimiter=",", skip_header=1)
    )
