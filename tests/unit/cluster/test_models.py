"""Models as they travel: copies, files that must not change, opened once for each process."""

import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer

import iim
from iim.cluster import _models
from iim.cluster._models import MOST_OPEN, PackedModel, model_of, without_company

TABLE = pd.DataFrame({"a": [1.0, None, 3.0], "b": [4.0, 5.0, 6.0]})


@pytest.fixture(autouse=True)
def nothing_open(monkeypatch):
    monkeypatch.setattr(_models, "_open", {})


@pytest.mark.parametrize("wrong", [None, 3, iim.MeanImputer, SimpleImputer().fit(TABLE)])
def test_what_is_no_imputer_is_refused(wrong):
    with pytest.raises(
        iim.InvalidParameter, match=r"^`imputer` of impute: a fitted imputer of iim, or the path"
    ):
        model_of(wrong, owner="impute")


def test_an_imputer_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError, match="This MeanImputer instance is not fitted yet"):
        model_of(iim.MeanImputer(), owner="impute")


def test_a_later_fit_does_not_reach_the_model():
    imputer = iim.MeanImputer(progress=lambda _: None).fit(TABLE)
    model = pickle.loads(pickle.dumps(model_of(imputer, owner="impute")))
    imputer.fit(TABLE * 10)
    assert model.open().transform(TABLE).loc[1, "a"] == 2.0
    assert callable(imputer.progress)


def test_a_file_is_loaded_once_and_only_the_path_travels(tmp_path, monkeypatch):
    iim.KnnImputer().fit(iim.samples.sensors()).save(tmp_path / "model.iim")
    monkeypatch.chdir(tmp_path)
    model = model_of("model.iim", owner="impute")
    monkeypatch.chdir("..")
    content = pickle.dumps(model)
    assert len(content) < 1000
    assert pickle.loads(content).open() is model.open()
    assert model_of(tmp_path / "model.iim", owner="impute") == model


def test_threads_that_need_a_model_at_once_load_it_once(tmp_path, monkeypatch):
    iim.MeanImputer().fit(TABLE).save(tmp_path / "model.iim")
    model = model_of(tmp_path / "model.iim", owner="impute")
    loaded, start = [], threading.Barrier(4)

    def load(path):
        loaded.append(path)
        return iim.load(path)

    def open_it(_):
        start.wait(60)
        return model.open()

    monkeypatch.setattr(_models, "load", load)
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(open_it, range(4)))
    assert len(set(map(id, opened))) == len(loaded) == 1


def test_a_file_that_changed_is_refused(tmp_path):
    path = tmp_path / "model.iim"
    iim.MeanImputer().fit(TABLE).save(path)
    model = model_of(path, owner="impute")
    iim.MeanImputer().fit(TABLE * 10).save(path)
    with pytest.raises(
        iim.UnusableFile, match=r"has changed: the SHA-256.*\.\.\. when the job was made\. Do not"
    ):
        model.open()


def test_a_file_that_is_not_there_or_no_model_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        model_of(tmp_path / "none.iim", owner="impute")
    with pytest.raises(IsADirectoryError):
        model_of(tmp_path, owner="impute")
    path = tmp_path / "wrong.iim"
    path.write_text("no model", "utf-8")
    with pytest.raises(iim.UnusableFile, match=r"wrong\.iim"):
        model_of(path, owner="impute").open()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "model.iim")
    with pytest.raises(iim.UnusableFile, match="pipe"):
        model_of(tmp_path / "model.iim", owner="impute")


def test_a_packed_model_is_unpacked_once():
    packed = PackedModel.of(iim.MeanImputer().fit(TABLE))
    assert pickle.loads(pickle.dumps(packed)).open() is packed.open()


def test_only_some_models_stay_open():
    packed = [PackedModel.of(iim.MeanImputer().fit(TABLE + number)) for number in range(MOST_OPEN + 1)]
    opened = [model.open() for model in packed]
    assert len(_models._open) == MOST_OPEN
    assert packed[-1].open() is opened[-1]
    assert packed[0].open() is not opened[0]


def test_a_worker_is_not_asked_for_output_progress_or_names():
    seen = []
    imputer = iim.MeanImputer(progress=seen.append).fit(TABLE.to_numpy()).set_output(transform="polars")
    alone = without_company(imputer, ("a", "b"))
    # Warnings are errors: scikit-learn would say that the names are new.
    filled = alone.transform(TABLE)
    assert isinstance(filled, pd.DataFrame)
    assert filled["a"].tolist() == [1.0, 2.0, 3.0]
    assert not hasattr(imputer, "feature_names_in_")
    assert type(imputer.transform(TABLE.to_numpy())).__module__.startswith("polars")
    np.testing.assert_array_equal(
        without_company(imputer, (0, 1)).transform(TABLE.to_numpy())[:, 0], [1, 2, 3]
    )
