"""A report can be made of any table with holes, without a warning and without a number that is none."""

import json

import numpy as np
import pytest
from hypothesis import given

import iim
from cases import examples
from pages import Page
from strategies import tables_with_holes


@pytest.mark.parametrize("method", ["iim", "knn"])
def test_any_table_has_a_report(method):
    @examples(0.4)
    @given(tables_with_holes())
    def check(table):
        report = iim.report(table, imputer=method, measure=False, n_jobs=1)
        found = report.summary
        missing = np.isnan(table)
        assert [one.n_missing for one in found.columns] == missing.sum(axis=0).tolist()
        assert found.filled.n_filled + found.filled.n_left == missing.sum()
        for column, one in zip(found.columns, found.filled.columns, strict=True):
            if one.histogram is not None:
                assert sum(one.histogram.observed) == column.n_known
                assert sum(one.histogram.filled) == one.n_filled
                assert list(one.histogram.edges) == sorted(one.histogram.edges)
        plain = json.loads(report.to_json())
        assert "null" not in json.dumps([one["observed"] or {} for one in plain["columns"]])
        Page(report.to_html())
        assert report.to_markdown()

    check()
