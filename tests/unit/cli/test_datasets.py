"""`iim datasets`: what there is, what is here, and downloads only after consent."""

import io
import json
from dataclasses import replace

import pytest

from command_line import ended, iim, make_environment
from iim.cli.exits import ExitCode
from iim.cli.running import run
from iim.paper.datasets import DATASETS, Dataset, state
from iim.paper.datasets.fetching import ORIGINS, Origin
from iim.paper.datasets.reading import checksum_of, read_csv
from openml_server import Served, send_there, serving

FILE = "length\n1\n2\n"


class Keyboard(io.BytesIO):
    """Someone who types."""

    def isatty(self) -> bool:
        return True


def answered(answer: str, *arguments: object):
    """Run a command on a terminal, where the question is answered."""
    environment = replace(make_environment(stderr_is_terminal=True), stdin=Keyboard(answer.encode()))
    return ended(run(list(map(str, arguments)), environment), environment)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A data set that can be downloaded, in the place of ccs; gives what the server was asked."""
    path = tmp_path / "made_before.csv"
    path.write_text(FILE, "utf-8")
    columns, values = read_csv(path)
    path.unlink()
    known = checksum_of(columns, values)
    made_up = Dataset("ccs", "TINY", "tiny.csv", 2, columns, "A row.", "a friend", "free", known, openml=1)
    monkeypatch.setitem(DATASETS, "ccs", made_up)
    monkeypatch.setitem(ORIGINS, "ccs", (Origin("length"),))
    table = Served(("length",), ("numeric",), (("1",), ("2",)))
    with serving(table) as address:
        send_there(monkeypatch, address)
        yield table


def test_every_data_set_is_listed_without_a_folder():
    done = iim("datasets")
    assert done.code == 0
    header, *lines = done.text.splitlines()
    assert header.split() == [
        "key",
        "name",
        "size",
        "state",
        "file,",
        "and",
        "where",
        "it",
        "comes",
        "from",
    ]
    rows = [line for line in lines if not line.startswith(" ")]
    assert [row.split()[0] for row in rows] == list(DATASETS)
    assert rows[0].startswith("asf             ASF               1503 x 6    unknown    asf.csv: UCI")
    assert rows[3].startswith("sn              SN (stand-in)     100000 x 2  made here  a seeded generator")
    assert "name their folder: --data FOLDER, or set IIM_DATA" in done.err
    assert not any(line.endswith(" ") for line in lines)


def test_states_of_a_folder(tmp_path):
    (tmp_path / "da.csv").write_text("a\n1\n", "utf-8")
    told = json.loads(iim("datasets", "--data", tmp_path, "--json").out)
    assert told["folder"] == str(tmp_path)
    states = {one["key"]: one["state"] for one in told["datasets"]}
    assert (states["da"], states["sn"], states["mam"]) == ("other values", "made here", "missing")
    (hep,) = (one for one in told["datasets"] if one["key"] == "hep")
    assert (hep["n_rows"], hep["n_columns"], hep["label"], hep["openml"]) == (155, 20, "class", 55)
    assert hep["source"].startswith("UCI Machine Learning Repository, Hepatitis (id 46)")
    # The variable names a folder, and the option has the last word.
    from_variable = iim("datasets", "--json", variables={"IIM_DATA": str(tmp_path)})
    assert json.loads(from_variable.out) == told
    elsewhere = iim("datasets", "--json", "--data", tmp_path, variables={"IIM_DATA": "elsewhere"})
    assert json.loads(elsewhere.out) == told
    assert iim("datasets", "--data", tmp_path).err == ""


@pytest.mark.data
def test_all_are_in_the_folder(data_folder):
    told = json.loads(iim("datasets", "--data", data_folder, "--json").out)
    assert {one["state"] for one in told["datasets"]} == {"here", "made here"}


def test_a_download_that_was_agreed_to(tiny, tmp_path):
    done = iim("datasets", "--data", tmp_path / "new", "--download", "ccs", "--yes")
    path = tmp_path / "new" / "tiny.csv"
    assert (done.code, done.out) == (0, b"")
    assert done.err == f"Wrote TINY (2 x 1): {path}\n"
    assert path.read_text("utf-8") == FILE
    again = iim("datasets", "--data", tmp_path / "new", "--download", "ccs")
    assert (again.code, again.err) == (0, "Nothing was downloaded.\n")


def test_a_download_as_json(tiny, tmp_path):
    done = iim("datasets", "--data", tmp_path, "--download", "ccs", "ccs", "--yes", "--json", "-q")
    told = json.loads(done.out)
    assert (told["written"], told["folder"]) == (["ccs"], str(tmp_path))
    assert [one["state"] for one in told["datasets"]] == ["here"]
    assert done.err == ""


@pytest.mark.parametrize("answer", ["y\n", "Yes\n"])
def test_consent_is_asked_for_on_a_terminal(tiny, tmp_path, answer):
    done = answered(answer, "datasets", "--data", tmp_path, "--download", "ccs", "-q")
    assert done.code == 0
    assert "tiny.csv (2 x 1) from OpenML, number 1.\n" in done.err
    assert "Originally: a friend. Licence: free.\n" in done.err
    assert f"Download into {tmp_path}? [y/N]\n" in done.err
    assert state("ccs", tmp_path) == "here"


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "yellow\n"])
def test_without_consent_nothing_is_asked_of_the_network(tiny, tmp_path, answer):
    done = answered(answer, "datasets", "--data", tmp_path, "--download", "ccs")
    assert done.code == 0
    assert done.err.endswith("Nothing was downloaded.\n")
    assert tiny.asked == []
    assert list(tmp_path.iterdir()) == []


def test_without_a_terminal_nobody_is_asked(tiny, tmp_path):
    done = iim("datasets", "--data", tmp_path, "--download", "ccs", stdin=b"y\n", stderr_is_terminal=True)
    assert done.code == ExitCode.WRONG_INPUT
    assert "consent is needed, and there is no terminal to ask on. Add --yes\n" in done.err
    assert tiny.asked == []


def test_a_download_that_fails(tiny, tmp_path):
    tiny.status = 500
    done = iim("datasets", "--data", tmp_path, "--download", "ccs", "--yes")
    assert done.code == ExitCode.WRONG_INPUT
    assert done.err.startswith(
        "iim: error: Data set TINY could not be downloaded from OpenML (number 1): HTTP"
    )
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(tiny, tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    done = iim("datasets", "--data", tmp_path / "file", "--download", "ccs", "--yes")
    assert done.code == ExitCode.CANNOT_WRITE
    assert f"cannot write '{tmp_path / 'file'}'" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--download", "ccs", "--yes"], "--download: a folder is needed. Name it with --data FOLDER"),
        (["--download", "cca", "--data", "x"], "received 'cca'. Did you mean 'ca'?"),
        (
            ["--download", "mam", "--data", "x", "--yes"],
            "get mam.csv from: UCI Machine Learning Repository",
        ),
        (
            ["--download", "phase", "--data", "x", "--yes"],
            "received 'phase'. iim knows no number of it at OpenML: iim makes",
        ),
        (["--yes"], "--yes: a download to agree to is needed. Add --download NAME"),
    ],
)
def test_wrong_options(arguments, told):
    done = iim("datasets", *arguments)
    assert done.code == ExitCode.WRONG_INPUT
    assert told in done.err
