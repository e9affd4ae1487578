"""A report as a user holds it: saved, shown, as Markdown and JSON."""

import errno
import json
import re

import numpy as np
import pandas as pd
import pytest

import iim
from iim.present.numbers import percent
from pages import Page
from strategies import holed

HOSTILE = ["a|b", "`tick`", "line\nbreak", "<b>", "# head", "[link](x)", "", "$x$", "back\\slash"]


@pytest.fixture(scope="module")
def report():
    return iim.report(holed(), imputer="knn", compare=["mean", "knn"], n_jobs=1)


@pytest.mark.parametrize("name", ["r.html", "r.HTM", "r.md", "r.json"])
def test_the_ending_says_what_is_written(report, tmp_path, name):
    path = tmp_path / name
    report.save(path)
    begins = {"html": "<!DOCTYPE", "htm": "<!DOCTYPE", "md": "# Missing", "json": "{"}
    assert path.read_text("utf-8").startswith(begins[path.suffix[1:].lower()])
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_a_path_is_written_at_once(tmp_path):
    made = iim.report(holed(), tmp_path / "r.json", "mean", measure=False)
    assert json.loads((tmp_path / "r.json").read_text("utf-8")) == json.loads(made.to_json())


@pytest.mark.parametrize("name", ["report", "report.pdf", "report.html.gz", ".html"])
def test_another_ending_is_refused_before_the_work(name):
    with pytest.raises(
        iim.InvalidParameter, match=r"`path`: a file that ends in \.html, \.htm, \.md, \.json"
    ):
        iim.report(None, name)


def test_a_path_is_checked_before_the_work(tmp_path):
    (tmp_path / "r.html").mkdir()
    with pytest.raises(IsADirectoryError):
        iim.report(None, tmp_path / "r.html")
    with pytest.raises(FileNotFoundError):
        iim.report(None, tmp_path / "no" / "r.html")


def test_where_nothing_can_be_written_nothing_is_left(report, tmp_path):
    folder = tmp_path / "r.html"
    folder.mkdir()
    for path, reason in ((folder, errno.EISDIR), (tmp_path / "no" / "r.html", errno.ENOENT)):
        with pytest.raises(OSError) as caught:  # noqa: PT011 (the number says which)
            report.save(path)
        assert caught.value.errno == reason
        assert "None" not in str(caught.value)
    assert list(tmp_path.rglob("*")) == [folder]


def test_it_shows_itself(report):
    assert repr(report) == f"Report: {holes_in_words(report)}; knn fills all of them."
    framed = report._repr_html_()
    frame = Page(framed)
    (attributes,) = frame.all("iframe")
    assert attributes["sandbox"] == "allow-scripts"
    # The same page, but for where its links lead.
    inner = attributes["srcdoc"].replace('<base href="about:srcdoc">\n', "")
    assert inner.replace("base-uri about:", "base-uri 'none'") == report.to_html()
    assert len(frame.tags) == 1


def holes_in_words(report):
    facts = report.summary.missing
    return (
        f"{facts.n_missing} of {facts.n_rows * facts.n_columns} cells ({percent(facts.share)}) are missing"
    )


class TestMarkdown:
    def test_tables_are_well_formed(self, report):
        n_tables = 0
        for block in report.to_markdown().split("\n\n"):
            lines = block.splitlines()
            if lines and lines[0].startswith("|"):
                n_tables += 1
                assert re.fullmatch(r"\|( ---:? \|)+", lines[1])
                assert (
                    len({len(re.findall(r"(?<!\\)\|", line)) for line in lines if line.startswith("|")})
                    == 1
                )
        assert n_tables > 6

    def test_hostile_names_are_text(self):
        frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, len(HOSTILE))), columns=HOSTILE)
        frame[frame > 1.5] = np.nan
        text = iim.report(frame, imputer="mean", measure=False).to_markdown()
        table = text.split("**Columns of the table**\n\n")[1].split("\n\n")[0]
        assert len(table.splitlines()) == len(HOSTILE) + 2
        for name in (
            r"a\|b",
            r"\`tick\`",
            r"line\\nbreak",
            r"\<b\>",
            r"\# head",
            r"\[link\](x)",
            "(empty name)",
        ):
            assert f"| {name} |" in table

    def test_parts_are_those_of_the_page(self, report):
        heads = re.findall(r"^## (.*)$", report.to_markdown(), re.MULTILINE)
        assert heads == Page(report.to_html()).text("h2")

    def test_code_is_fenced(self, report):
        assert f"```python\n{report.summary.repeat.snippet}```" in report.to_markdown()


def test_json_is_the_summary(report):
    assert json.loads(report.to_json()) == report.summary.to_dict()
    assert report.to_json().isascii()
