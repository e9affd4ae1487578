import iim
from iim.versions import versions


def test_versions_are_written(capsys):
    iim.show_versions()
    out = capsys.readouterr().out
    assert f"iim: {iim.__version__}" in out
    assert "numba: " in out


def test_what_comes_under_two_names_is_found_by_either():
    # The tests need xgboost, by whichever name.
    assert versions()["xgboost"][0].isdigit()
    assert versions()["matplotlib"][0].isdigit()


def test_citation_names_the_same_version(pytestconfig):
    citation = (pytestconfig.rootpath / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {iim.__version__}\n" in citation
