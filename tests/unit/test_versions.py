import iim


def test_versions_are_written(capsys):
    iim.show_versions()
    out = capsys.readouterr().out
    assert f"iim: {iim.__version__}" in out
    assert "numba: " in out


def test_citation_names_the_same_version(pytestconfig):
    citation = (pytestconfig.rootpath / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {iim.__version__}\n" in citation
