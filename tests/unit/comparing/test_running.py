"""What is hidden, what methods do with it, and what is told of them when they fail."""

import math

import numpy as np
import pandas as pd
import pytest

from comparisons import compare, timeless
from made_up_imputers import (
    Constant,
    DropsAColumn,
    Exits,
    LeavesHoles,
    Noise,
    Raises,
    RaisesLater,
    RaisesUnspeakable,
    SlowAtFirst,
    Warns,
    WarnsOfNumbers,
)
from strategies import holed, untied


class TestHiding:
    def test_the_error_is_that_of_the_cells_hidden(self):
        table = holed()
        zero = Constant()
        result = compare(table, {"zero": zero}, repeats=2)
        assert len(zero.seen) == 2
        for record in result.records:
            column = int(record.column[1])
            hidden = np.isnan(zero.seen[record.repeat][:, column]) & ~np.isnan(table[:, column])
            assert record.n_cells == hidden.sum() == round(0.05 * np.isfinite(table[:, column]).sum())
            assert record.rms_error == pytest.approx(np.sqrt(np.mean(table[hidden, column] ** 2)))
            assert record.normalised_error == pytest.approx(record.rms_error / np.nanstd(table[:, column]))

    def test_holes_stay_holes_and_the_rest_is_as_it_was(self):
        table = holed()
        zero = Constant()
        compare(table, zero)
        for seen in zero.seen:
            assert np.isnan(seen[np.isnan(table)]).all()
            assert (seen[~np.isnan(seen)] == table[~np.isnan(seen)]).all()

    def test_every_method_gets_the_same_cells(self):
        methods = {"a": Constant(0.0), "b": Constant(1.0)}
        compare(holed(), methods, pattern="clusters")
        for one, other in zip(methods["a"].seen, methods["b"].seen, strict=True):
            np.testing.assert_array_equal(one, other)

    def test_a_method_that_spoils_its_table_spoils_no_other(self):
        class Spoils(Constant):
            def fit(self, X):
                X[:] = 7.0

            def transform(self, X):
                X[np.isnan(X)] = self.value
                return X

        alone = {"five": Constant(5.0), "two": Constant(2.0)}
        spoilt = {"five": Spoils(5.0), "two": Constant(2.0)}
        assert timeless(compare(holed(), spoilt).records) == timeless(compare(holed(), alone).records)

    def test_one_more_column_or_repeat_changes_no_other_cell(self):
        few = compare(holed(), columns=["x1"], repeats=2, pattern="attribute")
        more = compare(holed(), columns=["x1", "x3"], repeats=3, pattern="attribute")
        kept = [record for record in more.records if record.column == "x1" and record.repeat < 2]
        assert timeless(kept) == timeless(few.records)

    def test_an_attribute_is_incomplete_alone(self):
        table = untied(100, 3)
        zero = Constant()
        compare(table, zero, pattern="attribute", repeats=2)
        assert [np.isnan(seen).sum(axis=0).tolist() for seen in zero.seen] == [
            [5, 0, 0],
            [0, 5, 0],
            [0, 0, 5],
        ] * 2

    def test_an_attribute_loses_the_same_cells_as_among_others(self):
        alone, among = Constant(), Constant()
        compare(untied(100, 3), alone, pattern="attribute", repeats=1)
        compare(untied(100, 3), among, repeats=1)
        joined = np.logical_or.reduce([np.isnan(seen) for seen in alone.seen])
        assert (joined == np.isnan(among.seen[0])).all()

    def test_clusters_are_harder_for_neighbours(self):
        rng = np.random.default_rng(0)
        place = rng.normal(size=(300, 2))
        table = np.column_stack([place, np.sin(3 * place).sum(axis=1)])
        errors = {
            pattern: compare(table, "knn", columns=2, pattern=pattern, cluster_size=12, hide=0.2)
            .overall[0]
            .normalised_error
            for pattern in ("cells", "clusters")
        }
        assert errors["clusters"] > 1.1 * errors["cells"]

    def test_a_number_of_cells(self):
        assert {record.n_cells for record in compare(holed(), hide=3).records} == {3}

    def test_the_table_is_not_changed(self):
        frame = pd.DataFrame(holed(), columns=list("abcd")).assign(e=range(80))
        before = frame.copy(deep=True)
        compare(frame)
        pd.testing.assert_frame_equal(frame, before)


class TestAmount:
    def test_the_hidden_cells_are_counted(self):
        table = holed(200, 3)
        table[100:, 1] = np.nan
        result = compare(table, hide=0.1)
        expected = [round(0.1 * n) for n in np.isfinite(table).sum(axis=0)]
        assert [best.n_cells for best in result.recommended] == expected
        assert [score.n_cells for score in result.by_column] == expected * 2
        text = " ".join(str(result).split())
        assert f"{min(expected)} to {max(expected)} known cells of each scored column (hide=0.1)" in text
        assert f"x1 {expected[1]} " in text

    def test_more_than_there_are(self):
        table = untied(50, 3)
        table[40:, 1] = np.nan
        text = " ".join(str(compare(table, hide=45)).split())
        assert "39 to 45 known cells of each scored column (hide=45) hidden" in text
        assert "More than half of the known cells were hidden in x0, x1, x2:" in text

    def test_just_what_was_asked_for(self):
        text = " ".join(str(compare(untied(50, 3), hide=25)).split())
        assert ": 25 known cells of each scored column hidden in all columns" in text
        assert "More than half" not in text
        robbed = compare(untied(50, 3), hide=26, columns=["x2"])
        assert "cells were hidden in x2:" in " ".join(str(robbed).split())


FAILING = {
    "mean": "mean",
    "raises": Raises(),
    "later": RaisesLater(),
    "holes": LeavesHoles(),
    "drops": DropsAColumn(),
}


class TestFailures:
    def test_each_is_shown_with_its_reason_and_the_others_go_on(self):
        result = compare(untied(40, 3), FAILING)
        assert result.methods == tuple(FAILING)
        assert len(result.records) == 5 * 3 * 3
        reasons = {(record.method, record.column): record.failure for record in result.records}
        assert reasons["mean", "x0"] is None
        assert reasons["raises", "x0"] == "ZeroDivisionError: cannot do that"
        assert reasons["later", "x2"] == "RuntimeError: nor that"
        assert reasons["holes", "x1"] == "2 of 2 hidden cells came back without a finite value."
        assert reasons["holes", "x0"] is None
        assert "shape (40, 2); (40, 3) is needed" in reasons["drops", "x0"]
        assert all(math.isnan(record.rms_error) for record in result.failures)
        assert len(result.failures) == 9 + 9 + 3 + 9
        failed = {score.method: score.n_failed for score in result.overall}
        assert failed == {"mean": 0, "raises": 3, "later": 3, "holes": 1, "drops": 3}
        for text in (
            "raises failed in all 3 columns: ZeroDivisionError: cannot do that",
            "holes failed in x1: 2 of 2 hidden cells",
            "1 of 3",
            "3 of 3",
        ):
            assert text in str(result)

    def test_times_end_where_it_failed(self):
        result = compare(untied(40, 3), FAILING)
        by_method = {record.method: record for record in result.records}
        assert math.isnan(by_method["raises"].fit_seconds)
        assert by_method["later"].fit_seconds >= 0
        assert math.isnan(by_method["later"].transform_seconds)
        assert by_method["holes"].transform_seconds >= 0

    def test_all_failed(self):
        result = compare(untied(40, 2), {"raises": Raises(), "again": Raises()})
        assert [best.method for best in result.recommended] == [None, None]
        assert [score.mean_rank for score in result.overall] == [1.5, 1.5]
        assert "all failed" in str(result)
        assert result.plot() is not None

    def test_infinity_is_no_fill(self):
        result = compare(untied(40, 2), {"far": Constant(np.inf)})
        assert all("without a finite value" in record.failure for record in result.records)

    def test_an_object_that_cannot_be_copied_fails_by_itself(self):
        class Stubborn(Constant):
            def __deepcopy__(self, memo):
                raise TypeError("one of a kind")

        result = compare(untied(40, 2), {"stubborn": Stubborn(), "mean": "mean"})
        assert {record.failure for record in result.failures} == {"TypeError: one of a kind"}

    def test_an_exit_is_a_failure(self):
        result = compare(untied(40, 2), {"exits": Exits(), "mean": "mean"})
        assert {record.failure for record in result.failures} == {"SystemExit: had enough"}

    def test_an_error_without_words_is_a_failure(self):
        result = compare(untied(40, 2), {"mute": RaisesUnspeakable(), "mean": "mean"})
        (reason,) = {record.failure for record in result.failures}
        assert reason == "Unspeakable: (its text cannot be shown: RuntimeError)"
        assert reason in str(result)

    def test_ctrl_c_is_not_swallowed(self):
        class Interrupted(Constant):
            def fit(self, _):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            compare(untied(40, 2), {"mean": "mean", "interrupted": Interrupted()})

    def test_warnings_become_notes(self):
        result = compare(untied(40, 2), {"warns": Warns(), "mean": "mean"})  # warnings are errors here
        (note,) = result.notes
        assert (note.method, note.message, note.times) == ("warns", "RuntimeWarning: shaky ground", 3)
        assert result.failures == ()
        assert "warns warned 3 times: RuntimeWarning: shaky ground" in str(result)

    def test_warnings_that_differ_in_numbers_are_one_note(self):
        result = compare(holed(), {"warns": WarnsOfNumbers()}, repeats=4)
        steps, omen, rows = result.notes
        assert steps.message.startswith("RuntimeWarning: no convergence after ")
        assert (steps.times, omen.times, rows.times) == (4, 4, 8)
        assert (omen.message, rows.message) == ("RuntimeWarning: a bad omen", "RuntimeWarning: rows [1 2]")


class TestProgress:
    def test_a_callable_hears_of_every_fit(self):
        told = []
        compare(holed(), ["mean", "knn", "iim"], repeats=2, progress=told.append)
        assert told == pytest.approx([at / 6 for at in range(1, 7)])

    def test_what_a_callable_raises_is_not_a_failure_of_a_method(self):
        def enough(_):
            raise ValueError("enough")

        with pytest.raises(ValueError, match="enough"):
            compare(holed(), progress=enough)

    def test_a_line_is_shown_for_long_calls_only(self, capsys, monkeypatch):
        monkeypatch.setattr("iim.imputers._progress.SHOW_AFTER", 1e9)
        compare(holed(), progress=True)
        assert capsys.readouterr() == ("", "")
        monkeypatch.setattr("iim.imputers._progress.SHOW_AFTER", -1.0)
        compare(holed(), progress=True)
        out, err = capsys.readouterr()
        assert out == ""
        assert err.endswith("\riim: comparing 100%\n")
        assert err.count("\n") == 1
        shown = [line for line in err.split("\r") if line.strip()]
        assert shown[0] == "iim: comparing   0% (mean)"  # who runs, before it is done
        assert "iim: comparing  17% (knn)" in shown

    def test_progress_changes_nothing(self):
        loud, silent = (compare(holed(), ["iim"], progress=progress) for progress in (True, False))
        assert timeless(loud.records) == timeless(silent.records)


class TestChance:
    def test_the_same_method_twice_is_rarely_told_apart(self):
        table = np.random.default_rng(1).normal(size=(60, 300))
        result = compare(table, {"one": Noise(1), "two": Noise(2)}, hide=0.2)
        told_apart = np.mean([best.alike == () for best in result.recommended])
        assert 0.01 < told_apart < 0.1  # 0.05 is the level of the test

    def test_a_better_method_is_told_apart(self):
        result = compare(untied(300, 3), {"noise": Noise(1), "mean": "mean"}, repeats=5)
        assert [(best.method, best.alike) for best in result.recommended] == [("mean", ())] * 3

    def test_one_repeat_tells_nothing(self):
        result = compare(holed(), repeats=1)
        assert [best.alike for best in result.recommended] == [None] * 4
        assert str(result).count("unknown: one repeat") == 4

    def test_the_first_time_does_not_count(self):
        result = compare(holed(), {"slow": SlowAtFirst()})
        assert max(record.fit_seconds for record in result.records) >= 0.4
        assert result.overall[0].fit_seconds < 0.1  # the mean would be more
