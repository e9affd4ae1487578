import pickle
import threading

import joblib
import numpy as np
import pytest

import iim
from iim.core.execution import model_cache
from iim.core.execution.context import Context
from iim.core.learning import learn_models
from iim.core.patterns import Pattern
from strategies import untied


@pytest.fixture
def imputer():
    return iim.IIMImputer(n_neighbors=3).fit(untied(60, 4))


def one_hole(column):
    row = np.arange(4.0)[None] / 4
    row[0, column] = np.nan
    return row


def test_a_pattern_first_met_is_learned_once_and_kept_outside_pickles(imputer):
    assert imputer._loop.models.kept == {}
    first = imputer.transform(one_hole(1))
    (models,) = imputer._loop.models._recent.values()
    again = imputer.transform(one_hole(1))
    assert next(iter(imputer._loop.models._recent.values())) is models
    assert first.tobytes() == again.tobytes()
    copied = pickle.loads(pickle.dumps(imputer))
    assert len(copied._loop.models._recent) == 0
    assert copied.transform(one_hole(1)).tobytes() == first.tobytes()


def test_arrays_mapped_read_only_by_joblib_become_writable(tmp_path):
    # Kernels are compiled for writable arrays; read-only ones would be compiled for anew.
    table = untied(60, 4)
    table[0, 0] = np.nan
    imputer = iim.IIMImputer().fit(table)
    joblib.dump(imputer, tmp_path / "imputer")
    mapped = joblib.load(tmp_path / "imputer", mmap_mode="r")
    assert not mapped._loop.source.matrix.values.flags.writeable
    (models,) = mapped._loop.models.kept.values()
    arrays = [*models.tree, *models.validation, models.targets, models.coef, models.n_learning, models.grid]
    assert all(array.flags.writeable for array in arrays)
    assert mapped.transform(table).tobytes() == imputer.transform(table).tobytes()


def test_only_the_donors_asked_are_learned(imputer):
    imputer.transform(one_hole(1))
    (models,) = imputer._loop.models._recent.values()
    assert (models.n_learning > 0).sum() == 3


def test_learning_more_donors_changes_none_learned_before(imputer):
    imputer.transform(one_hole(1))
    (few,) = imputer._loop.models._recent.values()
    every = learn_models(few, settings=imputer._loop.method.settings, context=Context())
    known = few.n_learning > 0
    assert (every.n_learning > 0).all()
    assert (every.coef[known] == few.coef[known]).all()
    assert learn_models(every, settings=imputer._loop.method.settings, context=Context()) is every


def test_the_longest_unused_go_when_memory_is_short(imputer, monkeypatch):
    before = [imputer.transform(one_hole(column)) for column in range(4)]
    assert len(imputer._loop.models._recent) == 4
    (models, *_) = imputer._loop.models._recent.values()
    monkeypatch.setattr(model_cache, "RECENT_BYTES", 5 * model_cache.memory_of(models) // 2)
    short = pickle.loads(pickle.dumps(imputer))
    for column in (1, 2, 3, 0, 1):
        assert short.transform(one_hole(column)).tobytes() == before[column].tobytes()
    assert [pattern.target for pattern in short._loop.models._recent] == [0, 1]
    short.transform(one_hole(0))  # used again: now 1 is the longest unused
    short.transform(one_hole(2))
    assert [pattern.target for pattern in short._loop.models._recent] == [0, 2]


def test_a_lock_that_was_held_during_a_fork_does_not_bind_the_child(imputer, monkeypatch):
    models = imputer._loop.models
    models._lock.acquire()  # by a thread that the child does not have
    monkeypatch.setattr("os.getpid", lambda: -1)
    child = threading.Thread(target=models.find, args=(Pattern((0,), 1),), daemon=True)
    child.start()
    child.join(10)
    assert not child.is_alive()


def test_what_fit_cannot_keep_is_learned_when_needed(monkeypatch):
    table = untied(60, 4)
    table[np.arange(8), np.arange(8) % 4] = np.nan
    table[8] = np.nan
    plenty = iim.IIMImputer(strategy="patterns").fit(table)
    monkeypatch.setattr("iim.core.execution.model_cache.KEPT_BYTES", 0)
    short = iim.IIMImputer(strategy="patterns").fit(table)
    assert len(plenty._loop.models.kept) == 4
    assert len(short._loop.models.kept) == 1
    assert short.fallbacks_ == plenty.fallbacks_ != {}
    assert short.transform(table).tobytes() == plenty.transform(table).tobytes()


def test_prepare_single_learns_every_donor_of_every_single_hole():
    imputer = iim.IIMImputer(n_neighbors=3, prepare="single").fit(untied(60, 4))
    assert sorted(pattern.target for pattern in imputer._loop.models.kept) == [0, 1, 2, 3]
    assert all((models.n_learning > 0).all() for models in imputer._loop.models.kept.values())
    plain = iim.IIMImputer(n_neighbors=3).fit(untied(60, 4))
    for column in range(4):
        assert imputer.transform(one_hole(column)).tobytes() == plain.transform(one_hole(column)).tobytes()
    assert len(imputer._loop.models._recent) == 0


def test_holes_with_the_same_known_columns_share_their_index():
    table = untied(60, 4)
    table[:5, [0, 3]] = np.nan
    imputer = iim.IIMImputer(donors="complete", strategy="patterns").fit(table)
    first, second = imputer._loop.models.kept.values()
    assert first.tree is second.tree
    assert first.validation is second.validation
