"""The summary: a part of it from each section, as plain data; a section is a module and a row."""

import copy
import json
import pickle

import numpy as np
import pytest

from iim.present.tables import Head, build_table, number
from iim.reporting import Report, page, reports, summary, text
from iim.reporting.parts import KeyFigure, Picture, Section
from pages import Page
from reports import quick
from tables_by_hand import SMALL


def test_it_becomes_json():
    found = quick(SMALL.assign(empty=np.nan), "knn", measure=True, compare=["mean", "knn"])
    plain = found.to_dict()
    assert list(plain) == [
        *("format", "title", "source", "columns"),
        *("missing", "filled", "sure", "good", "notes", "repeat"),
    ]
    assert plain["format"] == 2
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["columns"][0]["observed"]["mean"] == 2.5
    assert plain["columns"][4]["observed"] is None
    assert plain["good"]["comparison"]["recommended"][0]["column"] == "a"


def test_sections_are_attributes():
    found = quick(SMALL)
    assert found.missing is found.sections["missing"]
    assert set(found.sections) <= set(dir(found)), "notebooks complete names by dir"
    with pytest.raises(AttributeError, match="has no 'nobody'; its sections are missing, filled, sure"):
        _ = found.nobody
    for again in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again == found


def test_a_section_is_a_module_and_a_row(monkeypatch):
    table = build_table("Largest values", [Head("Value")], [[number(10.0)]])
    toy = Section(
        "toy",
        "The <largest>",
        gather=lambda found: float(np.nanmax(found.reading.matrix.values)),
        show=lambda summary: [f"It is {summary.toy}.", Picture("<svg></svg>", "Nothing"), table],
        top=lambda summary: [KeyFigure("Largest", str(summary.toy), "of all"), "A sentence."],
    )
    for module in (summary, reports, page, text):
        monkeypatch.setattr(module, "SECTIONS", (*summary.SECTIONS[:2], toy, *summary.SECTIONS[2:]))
    report = Report(quick(SMALL))
    assert json.loads(report.to_json())["toy"] == 10.0
    shown = Page(report.to_html())
    assert shown.text("h2")[2] == "The <largest>"
    assert {"href": "#toy"} in shown.all("a")
    assert "It is 10.0." in shown.shown()
    written = report.to_markdown()
    for line in (
        "## The \\<largest\\>",
        "It is 10.0.",
        "| 10 |",
        "- Largest: **10.0** (of all)",
        "A sentence.",
    ):
        assert line in written
