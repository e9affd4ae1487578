"""The catalogue: complete, in the paper's order, and with words that can be shown."""

import pytest

from iim.paper.datasets import DATASETS


def test_the_order_is_the_papers():
    assert list(DATASETS)[:9] == ["asf", "ccs", "ccpp", "sn", "phase", "ca", "da", "mam", "hep"]
    assert list(DATASETS)[9:] == ["road", "airfoil", "asf_a2_missing"]


@pytest.mark.parametrize("key", DATASETS)
def test_every_fact_is_there(key):
    one = DATASETS[key]
    assert one.key == key
    assert one.n_columns == len(set(one.columns)) > 1
    assert one.size == f"{one.n_rows} x {one.n_columns}"
    assert len(one.checksum) == 64
    # A label stands last, and is never among the features.
    assert one.label in (None, one.columns[-1])
    assert one.about.endswith(".")
    for text in (one.title, one.about, one.source, one.licence):
        assert text
        assert "://" not in text
    assert one.file is None or one.file.endswith(".csv")


def test_no_two_are_the_same():
    for name in ("checksum", "title", "file"):
        found = [value for one in DATASETS.values() if (value := getattr(one, name)) is not None]
        assert len(set(found)) == len(found)
