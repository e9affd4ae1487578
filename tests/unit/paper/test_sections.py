import math

import pytest

import iim
from iim.paper import EXPERIMENTS
from iim.paper.cases import CASES, NAMES, ORDER, paper_settings
from iim.paper.datasets import DATASETS
from iim.paper.efforts import FULL, QUICK
from iim.paper.measuring import KINDS
from iim.paper.published import published, published_number
from iim.paper.records import Found, Store
from iim.paper.reproduce_command import EXPERIMENT_KEYS
from iim.paper.results import Figure, Line, Number, Panel, Ranking, Table
from iim.paper.sections.curves import changes, leaders
from iim.paper.sections.error_tables import claims, reproduced

EFFORTS = pytest.mark.parametrize("effort", [FULL, QUICK], ids=lambda one: one.name)
BOTH = pytest.mark.parametrize("key", EXPERIMENTS)


def test_the_command_line_knows_all_experiments():
    assert tuple(EXPERIMENTS) == EXPERIMENT_KEYS


@BOTH
@EFFORTS
def test_tasks_are_data_the_same_every_time_and_each_once(key, effort):
    tasks = EXPERIMENTS[key].tasks(effort)
    names = [task.name for task in tasks]
    assert names == [task.name for task in EXPERIMENTS[key].tasks(effort)]
    assert len(set(names)) == len(names)
    for task in tasks:
        assert task.kind in KINDS
        assert task.weight > 0
        assert task.data is None or task.data in DATASETS


@BOTH
def test_the_small_pass_is_smaller(key):
    weights = [sum(task.weight for task in EXPERIMENTS[key].tasks(effort)) for effort in (QUICK, FULL)]
    assert weights[0] < weights[1] or key == "datasets"


@BOTH
@EFFORTS
def test_without_any_record_there_is_a_section_that_says_so(key, effort, tmp_path):
    section = EXPERIMENTS[key].section(effort, Found(Store(tmp_path)))
    assert section.key == key
    assert section.intro
    for block in section.blocks:
        cells = block.cells.values() if isinstance(block, Table) else ()
        assert all(cell.ours is None and cell.why for cell in cells if isinstance(cell, Number))
        assert not isinstance(block, Ranking)
        if isinstance(block, Figure):
            assert all(panel.lines == () for panel in block.panels)


def test_all_fourteen_methods_take_part_in_the_large_tables():
    for key in ("various", "by-attribute", "complete-attributes", "complete-tuples", "clusters", "today"):
        methods = {task.inputs["method"] for task in EXPERIMENTS[key].tasks(FULL)}
        assert methods == set(iim.METHODS) - {"auto"} == set(ORDER)
    methods = {task.inputs["method"] for task in EXPERIMENTS["applications"].tasks(FULL)}
    assert methods == {*ORDER, "missing"}


def test_every_target_is_a_column():
    for experiment in EXPERIMENTS.values():
        for task in experiment.tasks(FULL):
            if "target" in task.inputs:
                assert task.inputs["target"] in DATASETS[task.data].columns


def test_printed_numbers_belong_to_what_we_measure():
    names = {*NAMES.values(), "R2_S", "R2_H"}
    for row, column in published("various"):
        assert row in {case.name for case in CASES.values()}
        assert column in names
    assert {row for row, _ in published("by_attribute")} == {"A1", "A2", "A3", "A4", "A5", "A6"}
    assert {row for row, _ in published("applications")} == {"ASF", "CA", "MAM", "HEP"}
    assert published_number("various", "ASF", "IIM") == 8.08
    assert published_number("various", "SN", "XGB") is None
    assert published_number("by_attribute", "A6", "ERACER") == 2.92
    assert published_number("applications", "HEP", "Missing") == 0.847
    assert len(published("various")) == 7 * 15 - 3
    assert len(published("by_attribute")) == 6 * 15
    assert len(published("applications")) == 4 * 15
    assert len(published("complexity")) == 8


def test_settings_of_the_paper_are_plain_and_make_imputers():
    for method in ORDER:
        for data, case in CASES.items():
            settings = paper_settings(method, data, case.n_rows)
            iim.METHODS[method](**settings)
            assert not any(isinstance(value, range) for value in settings.values())
    assert paper_settings("iim", "asf", 1503)["learning_grid"] == list(range(1, 101, 5))
    assert paper_settings("iim", "ca", 20640)["learning_grid"] == list(range(1, 1001, 50))


def table_of(**rows):
    """A table of one data set, D: ours and the paper's by method."""
    cells = {(name, "D"): Number(None) for name in NAMES.values()}
    cells |= {(name, "D"): Number(ours, None, paper) for name, (ours, paper) in rows.items()}
    return Table("t", "t", "method", tuple(NAMES.values()), ("D",), cells)


def test_claims_are_counted_and_exceptions_named():
    said = claims(table_of(IIM=(1.1, 1.0), kNN=(2.0, 3.0), GLR=(1.0, 1.5), XGB=(0.5, 0.9)), ["D"])
    assert said == (
        "IIM's error is within 15 % of the printed one or below it on D +10 %.",
        "IIM is ahead, by median, in 1 of the 2 comparisons in which the paper has it ahead.",
        "Not so: on D, GLR has 1 and IIM 1.1; the paper prints 1.5 and 1.",
    )
    said = claims(table_of(IIM=(1.2, 1.0)), ["D"])
    assert said == ("IIM's error is more than 15 % above the printed one on D +20 %.",)
    assert claims(table_of(), ["D"]) == ()
    assert "on D \N{MINUS SIGN}50 %." in claims(table_of(IIM=(0.5, 1.0)), ["D"])[0]


def test_an_equal_error_is_not_ahead():
    said = claims(table_of(IIM=(1.0, 1.0), kNN=(1.0, 2.0)), ["D"])
    assert "in 0 of the 1 comparisons" in said[1]


def test_reproduced_counts_both_ways():
    table = table_of(IIM=(0.8, 1.0), kNN=(1.1, 1.0), GLR=(1.0, None), XGB=(1.0, 1.0))
    assert reproduced(table, ["D"], fitted=["xgb"]) == (
        "Within 15 % of the printed error, either way: IIM 0 of 1, kNN 1 of 1.",
    )
    assert reproduced(table_of(), ["D"]) == ()


def test_leaders_by_point():
    one = Line("IIM", (1.0, 2.0, 3.0), (1.0, 5.0, math.nan))
    other = Line("kNN", (1.0, 2.0, 3.0), (2.0, 4.0, 9.0))
    assert leaders(Panel("", "k", "", (one, Line("GLR", (1.0, 2.0, 3.0), (1.0, 9.0, 9.5))))) == (
        "least error, by k: IIM and GLR at 1; IIM at 2; GLR at 3."
    )
    assert leaders(Panel("", "k", "", (one, other))) == "least error, by k: IIM at 1; kNN at 2, 3."
    assert leaders(Panel("", "k", "", ())) == "nothing was measured."
    assert changes(Panel("", "k", "RMS error", (one, other))) == ("RMS error from 1 to 3: kNN 2 to 9.")
    assert changes(Panel("", "k", "seconds", ())) == "seconds: nothing was measured."
