"""`iim impute`: what is written where, by every option; what cannot go together."""

import gzip
import json
import warnings

import pyarrow.parquet
import pytest

import iim as package
from command_line import SMALL, iim, small_file
from iim.cli.exits import ExitCode
from iim.exceptions import FallbackWarning, ImputationWarning

FILLED_BY_MEAN = """station,time,temperature,humidity,count
a,2026-01-01,1.50,80,3
b,2026-01-02,2.5,66,4
c,2026-01-03,3.85,70,5
a,2026-01-04,4.0,65,5
b,2026-01-05,5.0,60,7
c,2026-01-06,6.25,55,8
"""


@pytest.fixture
def small(tmp_path):
    return small_file(tmp_path)


def test_only_holes_change_and_words_go_to_standard_error(small, tmp_path):
    done = iim("impute", small, "-m", "mean", "-o", tmp_path / "out.csv")
    assert done.code == ExitCode.DONE
    assert done.out == b""
    assert (tmp_path / "out.csv").read_text("utf-8") == FILLED_BY_MEAN
    first, second = done.err.splitlines()
    assert first.startswith(f"Filled 3 cells in 3 of 3 columns of {small} (6 rows) with mean in ")
    assert second == "Passed through unchanged: station (category), time (date)."


def test_data_to_standard_output_by_default(small):
    done = iim("impute", small, "-m", "mean")
    assert (done.code, done.text) == (0, FILLED_BY_MEAN)
    assert "Filled 3 cells" in done.err


def test_from_standard_input(tmp_path):
    done = iim("impute", "-", "--method", "mean", stdin=SMALL.encode())
    assert done.text == FILLED_BY_MEAN
    assert "of standard input (6 rows)" in done.err


def test_quiet_is_silent(small):
    done = iim("impute", small, "-m", "mean", "-q")
    assert (done.code, done.text, done.err) == (0, FILLED_BY_MEAN, "")


def test_the_input_may_be_the_output(small):
    assert iim("impute", small, "-m", "mean", "-o", small).code == 0
    assert small.read_text("utf-8") == FILLED_BY_MEAN


def test_the_default_method_is_iim(small):
    assert " with iim in " in iim("impute", small).err


def test_nothing_to_fill(tmp_path):
    path = tmp_path / "full.csv"
    path.write_text("a,b\n1.5,2\n2,3\n", "utf-8")
    done = iim("impute", path, "-m", "mean")
    assert done.text == "a,b\n1.5,2\n2,3\n"
    assert done.err == f"Nothing to fill in {path} (2 rows): no cell is missing in 2 columns of numbers.\n"


def test_json_tells_all(small, tmp_path):
    done = iim("impute", small, "-m", "knn", "-o", tmp_path / "out.csv", "--json", "-j", 1)
    told = json.loads(done.out)
    assert told["n_rows"] == 6
    assert told["n_filled"] == 3
    assert told["filled"] == {"temperature": 1, "humidity": 1, "count": 1}
    assert told["passed"] == {"station": "category", "time": "date"}
    assert told["method"] == "knn"
    assert told["settings"]["n_jobs"] == 1
    assert told["settings"]["round_integers"] is True
    assert set(told["seconds"]) == {"reading", "filling", "writing"}
    assert told["versions"]["iim"] == package.__version__
    assert told["output"] == str(tmp_path / "out.csv")


def read_column(text, name):
    header, *rows = [line.split(",") for line in text.splitlines()]
    return [row[header.index(name)] for row in rows]


def test_columns_and_ignore(small):
    done = iim("impute", small, "-m", "mean", "--columns", "humidity", "count")
    assert read_column(done.text, "temperature")[2] == ""
    assert read_column(done.text, "humidity")[1] == "66"
    done = iim("impute", small, "-m", "mean", "--ignore", "humidity")
    assert read_column(done.text, "humidity")[1] == ""
    assert "humidity (ignored)" in done.err


def test_na_takes_words_and_numbers(tmp_path):
    path = tmp_path / "marked.csv"
    path.write_text("a,b\n1.5,?\n-200,4\n2.5,n/a\n2.0,6\n", "utf-8")
    done = iim("impute", path, "-m", "mean", "--na", "?", "n/a", "-200")
    assert done.text == "a,b\n1.5,5\n2.0,4\n2.5,5\n2.0,6\n"


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (["--min", "4.5"], "4.5"),
        (["--max", "2"], "2.0"),
        (["--max", "temperature=observed"], "3.85"),
        (["--max", "temperature=1", "--min", "0"], "1.0"),
    ],
)
def test_bounds(small, options, value):
    done = iim("impute", small, "-m", "mean", "--no-round-integers", *options)
    assert float(read_column(done.text, "temperature")[2]) == float(value)


def test_whole_numbers_stay_whole_unless_told(small):
    assert read_column(iim("impute", small, "-m", "mean").text, "count")[3] == "5"
    told = iim("impute", small, "-m", "mean", "--no-round-integers")
    assert read_column(told.text, "count")[3] == "5.4"


def test_set_and_paper_and_seed_reach_the_imputer(small, tmp_path):
    done = iim(
        "impute",
        small,
        "-m",
        "blr",
        "--set",
        "draws=3",
        "--seed",
        5,
        "--json",
        "-o",
        tmp_path / "out.csv",
        "--paper",
    )
    settings = json.loads(done.out)["settings"]
    assert (settings["draws"], settings["random_state"]) == (3, 5)
    assert settings["donors"] == "complete"


def test_a_set_value_beats_the_paper(small, tmp_path):
    done = iim("impute", small, "--paper", "--set", "n_neighbors=3", "--json", "-o", tmp_path / "out.csv")
    settings = json.loads(done.out)["settings"]
    assert settings["n_neighbors"] == 3
    assert settings["penalty"] == "all"
    assert settings["learning_grid"][:3] == [1, 6, 11]


def test_layouts(tmp_path):
    path = tmp_path / "table.dat"
    path.write_bytes("größe;höhe\n1,5;2\n;4\n2,5;6\n".encode("latin-1"))
    done = iim(
        *("impute", path, "-m", "mean", "-f", "csv", "--delimiter", "semicolon", "--decimal", ","),
        *("--encoding", "latin-1", "--header"),
    )
    assert done.out.decode("latin-1") == "größe;höhe\n1,5;2\n2,0;4\n2,5;6\n"


def test_without_a_header(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("1.5,2\n,4\n2.5,6\n", "utf-8")
    assert iim("impute", path, "-m", "mean", "--no-header").text == "1.5,2\n2.0,4\n2.5,6\n"


def test_another_format_by_option_and_by_name(small, tmp_path):
    assert iim("impute", small, "-m", "mean", "-o", tmp_path / "out.parquet").code == 0
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").num_rows == 6
    done = iim("impute", small, "-m", "mean", "--output-format", "tsv")
    assert done.text == FILLED_BY_MEAN.replace(",", "\t")
    assert iim("impute", small, "-m", "mean", "-o", tmp_path / "out.csv.gz").code == 0
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()).decode() == FILLED_BY_MEAN


def test_warnings_of_the_library_are_lines_said_once(small, monkeypatch):
    def warn(self, matrix):
        for _ in range(2):
            warnings.warn("Some\nsurprise \x1b[31m.", ImputationWarning, stacklevel=2)
        warnings.warn("Less than asked for.", FallbackWarning, stacklevel=2)
        warnings.warn("For developers.", DeprecationWarning, stacklevel=2)
        fit(self, matrix)

    fit = package.MeanImputer._fit
    monkeypatch.setattr(package.MeanImputer, "_fit", warn)
    done = iim("impute", small, "-m", "mean")
    assert done.text == FILLED_BY_MEAN
    assert done.err.splitlines()[:2] == ["Note: Some surprise �[31m.", "Note: Less than asked for."]
    assert "developers" not in done.err


def test_hostile_names_are_cleaned(tmp_path):
    path = tmp_path / "hostile.csv"
    path.write_text("\x1b[31mred,b\nx,1\ny,\nz,3\n", "utf-8")
    done = iim("impute", path, "-m", "mean")
    assert "\x1b" not in done.err
    assert "�[31mred (text)" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--columns", "a", "b", "--ignore", "b"], "--columns and --ignore: different columns are needed"),
        (["--set", "n_jobs=2"], "--set: 'n_jobs' cannot be set here; use --jobs"),
        (["--set", "columns=[1]"], "'columns' cannot be set here; use --columns or --ignore"),
        (["--set", "add_indicator=true"], "files keep their columns"),
        (["--set", "n_neighbours=2"], "received 'n_neighbours'. Did you mean 'n_neighbors'?"),
        (["--set", "n_neighbors=0"], "`n_neighbors` of IIMImputer: a whole number, 1 or more, is needed"),
        (["-m", "kn"], "-m/--method: one of mean, knn, knne,"),
        (["--compare"], "--compare: a report is needed"),
        (["--report", "x.pdf"], "--report: a name that ends in one of .html, .htm, .md, .json is needed"),
        (
            ["--report", "out.html", "-o", "out.html", "--output-format", "csv"],
            "--report: a different file",
        ),
        (["--json"], "--json: data go to standard output, too"),
        (["--json", "-o", "/dev/fd/1"], "--json: data go to standard output, too"),
        (["--format", "xlsx"], "-f/--format: one of csv, tsv, parquet, feather is needed; received 'xlsx'"),
        (["--output-format", "cvs"], "--output-format: one of csv, tsv, parquet, feather is needed"),
        (["-o", ""], "The path of a file is needed; received an empty one"),
        (["--decimal", ";"], "--decimal: one of ., , is needed; received ';'"),
        (["--delimiter", "ab"], "--delimiter: one character"),
        (["--min", "low"], "--min: a number"),
        (["--min", "humid=0"], "--min: one of temperature, humidity, count is needed; received 'humid'"),
        (["--seed", "-1"], "--seed: a whole number, 0 or more, is needed; received '-1'"),
        (["--seed", "x"], "--seed: a whole number"),
        (["--nonsense"], "no such option: --nonsense"),
        (["second.csv"], "one argument too many: 'second.csv'"),
        (["--encoding", "klingon"], "klingon"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(small, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    done = iim("impute", small.name, *options)
    assert done.code == ExitCode.WRONG_INPUT
    line, *hint = done.err.splitlines()
    assert line.startswith("iim: error: ")
    assert message in line
    assert hint in ([], ["See: iim impute --help"])
    assert done.out == b""
    assert {path.name for path in tmp_path.iterdir()} == {"small.csv"}


def test_a_terminal_gets_no_binary_format(small, tmp_path):
    for options in (["--output-format", "parquet"], ["--format", "feather"]):
        done = iim("impute", small, *options, stdout_is_terminal=True)
        assert (done.code, done.out) == (ExitCode.WRONG_INPUT, b"")
        assert "a terminal cannot show" in done.err
    assert iim("impute", small, "-m", "mean", "-o", tmp_path / "out.parquet").code == 0
    content = (tmp_path / "out.parquet").read_bytes()
    # Found out from what comes in, too.
    done = iim("impute", "-", "-m", "mean", stdin=content, stdout_is_terminal=True)
    assert done.code == ExitCode.WRONG_INPUT
    assert iim("impute", "-", "-m", "mean", "--output-format", "csv", stdin=content).code == 0


class TestAuto:
    METHODS = ('methods=["glr", "knn"]', "repeats=1")

    @pytest.fixture
    def sensors(self, tmp_path):
        iim("demo", "--write", tmp_path / "sensors.csv")
        return tmp_path / "sensors.csv"

    def test_it_says_what_it_chose(self, sensors, tmp_path):
        done = iim("impute", sensors, "-m", "auto", "--set", *self.METHODS, "-o", tmp_path / "out.csv")
        assert done.code == ExitCode.DONE
        first, *chosen = done.err.splitlines()
        assert first.startswith("Filled 387 cells in 5 of 6 columns")
        assert "with auto in" in first
        assert all(line.startswith("Chosen for ") for line in chosen)
        assert any("temperature" in line and ("glr" in line or "knn" in line) for line in chosen)

    def test_as_plain_data_and_in_a_report(self, sensors, tmp_path):
        page = tmp_path / "report.html"
        done = iim(
            *("impute", sensors, "-m", "auto", "--set", *self.METHODS, "-o", tmp_path / "out.csv"),
            *("--json", "--report", page),
        )
        found = json.loads(done.text)
        assert found["method"] == "auto"
        assert found["settings"]["methods"] == ["glr", "knn"]
        assert set(found["chosen"]["weights"]["temperature"]) <= {"glr", "knn"}
        assert found["chosen"]["errors"]["temperature"]["auto"] < 1
        assert "; auto fills all of them" in page.read_text("utf-8")

    def test_a_method_that_could_not_be_tried_is_named(self, sensors, tmp_path):
        settings = ('methods=["mean", "glr", "iim"]', "time_budget=0", "repeats=1")
        done = iim("impute", sensors, "-m", "auto", "--set", *settings, "-o", tmp_path / "out.csv")
        assert done.err.splitlines()[-1] == "Not tried: glr (the time budget of 0 s was used up)."

    def test_it_is_fitted_and_applied(self, sensors, tmp_path):
        model, out = tmp_path / "model.iim", tmp_path / "out.csv"
        done = iim("fit", sensors, "-m", "auto", "--set", *self.METHODS, "-o", model)
        assert "Chosen for " in done.err
        done = iim("apply", sensors, "--model", model, "-o", out, "--jobs", "1")
        assert done.code == ExitCode.DONE
        assert "Chosen for " not in done.err
        direct = tmp_path / "direct.csv"
        iim("impute", sensors, "-m", "auto", "--set", *self.METHODS, "-o", direct)
        assert out.read_text("utf-8") == direct.read_text("utf-8")
