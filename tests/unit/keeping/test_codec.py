"""Values to trees and arrays and back: the same values, of the same types."""

import json
import math
import sys
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.keeping.decoding import Decoder
from iim.keeping.encoding import Encoder, Unkeepable
from iim.keeping.fields import ANYTHING, Refused, floats, instance, whole
from iim.keeping.forms import Form


@dataclass(frozen=True)
class Pair:
    one: float
    other: tuple


class Place(NamedTuple):
    row: int


class Color(Enum):
    RED = 1


class Points(NamedTuple):
    points: np.ndarray
    center: np.ndarray


FORMS = {
    Pair: Form({"one": ANYTHING, "other": instance(tuple)}),
    Place: Form({"row": whole(0, 9)}),
    Color: Form({}),
    Points: Form({"points": floats("n", "m"), "center": floats("m")}, apart=True),
}


def back(value):
    """The value after a journey through JSON text."""
    encoder = Encoder(FORMS)
    text = json.dumps(encoder.encode(value, "value"), allow_nan=False)
    decoder = Decoder(FORMS, {name: array.copy() for name, array in encoder.arrays.items()})
    found = decoder.decode(json.loads(text))
    decoder.finish()
    return found


def assert_alike(one, other):
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, strict=True)
        assert one.flags.f_contiguous == other.flags.f_contiguous
        assert one.flags.c_contiguous == other.flags.c_contiguous
    elif isinstance(one, (float, np.floating)):
        assert math.isnan(one) == math.isnan(other)
        assert math.isnan(one) or (one == other and math.copysign(1, one) == math.copysign(1, other))
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_alike(*pair)
    elif isinstance(one, dict):
        assert_alike(list(one.items()), list(other.items()))
    elif isinstance(one, Pair):
        assert_alike(vars(one), vars(other))
    else:
        assert one is other or one == other


SINGLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
PLAIN = st.recursive(
    SINGLE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(SINGLE, inner, max_size=3)
        | st.builds(Pair, inner, st.tuples(inner))
    ),
    max_leaves=9,
)


@given(PLAIN)
def test_plain_values_come_back(value):
    assert_alike(back(value), value)


@pytest.mark.parametrize(
    "value",
    [
        *(10**30, -(2**63), 2**63, 10**1200, -0.0, 5e-324, 1.7976931348623157e308, math.nan, -math.inf),
        *("\ud800", 'quote " and \\', {1, 2}, frozenset({"a"}), range(1, 101, 5), range(0), ()),
        *(np.float64(0.1), np.float32(0.1), np.float16(0.1), np.int64(3), np.uint8(3), np.bool_(1)),
        *(np.float64("nan"), Color.RED, Place(3), {3: "int", "3": "text", None: "none"}),
        np.arange(6).reshape(2, 3),
        np.array([2**40, -1]),
        np.arange(6, dtype=np.int32),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(24.0).reshape(2, 3, 4).transpose(0, 2, 1).copy(),
        np.empty((0, 3)),
        np.array([True, False]),
        np.array([1.5], np.float32),
        np.array(["a", "bcd"]),
        np.array(["a", "bcd"], object),
        np.array([1, None, "x"], object),
        [pd.NA, pd.NaT, None],
    ],
    ids=lambda value: (
        repr(value)[:30] if not isinstance(value, int) else f"int of {value.bit_length()} bits"
    ),
)
def test_a_value_comes_back(value):
    assert_alike(back(value), value)


def test_a_namespace_comes_back():
    assert back(SimpleNamespace(a=1, b=(2.5, None))) == SimpleNamespace(a=1, b=(2.5, None))


def test_text_of_numpy_comes_back_as_text():
    assert back(np.str_("a")) == "a"


def test_the_order_of_sets_and_namespaces_does_not_show():
    encoder = Encoder(FORMS)
    numbers = [2**61 * at for at in range(20)]
    for make in (set, frozenset):
        assert encoder.encode(make(numbers), "x") == encoder.encode(make(numbers[::-1]), "x")
    one, other = SimpleNamespace(a=1, b=2), SimpleNamespace(b=2, a=1)
    assert json.dumps(encoder.encode(one, "x")) == json.dumps(encoder.encode(other, "x"))


def test_small_positions_take_half_the_room():
    encoder = Encoder(FORMS)
    encoder.encode((np.arange(5), np.array([2**31])), "x")
    assert [array.dtype for array in encoder.arrays.values()] == [np.int32, np.int64]


class Unknown:
    pass


class Stranger(NamedTuple):
    row: int


class Shade(Enum):
    DARK = "dark"


@pytest.mark.parametrize(
    "value",
    [
        *(
            Unknown(),
            Stranger(1),
            Shade.DARK,
            Fraction(1, 2),
            1j,
            b"bytes",
            2**4096,
            print,
            Unknown,
            range(10**7),
        ),
        *(np.array(1.0), np.array([1j]), np.array(["x" * 10**6] * 2), np.datetime64("2020-01-01")),
        *(np.ma.masked_array([1.0]), np.longdouble(1), [[Unknown()]]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_kept_is_named(value):
    with pytest.raises(Unkeepable, match=r"^`there"):
        Encoder(FORMS).encode(value, "there")


def test_a_field_that_the_table_forgot_is_our_own_mistake():
    with pytest.raises(AssertionError):
        Encoder({Pair: Form({"one": ANYTHING})}).encode(Pair(1.0, ()), "x")


ALIKE = [{"int": hex((2**61 - 1) * (2**40 + at))} for at in range(2000)]
"""Different numbers with the same hash."""


@pytest.mark.parametrize(
    "tree",
    [
        {"Unknown": {}},
        {"os.system": "true"},
        {"Place": {"row": 10}},
        {"Place": {"row": True}},
        {"Place": {"row": 1, "more": 1}},
        {"Place": {}},
        {"Place": [1]},
        {"Place": {"row": 1}, "Pair": {}},
        {},
        {"array": "absent"},
        {"list": "text"},
        {"range": [0, 10**18, 1]},
        {"texts": ["x" * 10**5] + ["y"] * 10**5},
        {"null": "None"},
        {"number": ["object", 1]},
        {"number": ["float64", [1.0, 2.0]]},
        {"number": ["float64", "1"]},
        {"texts": [["x"], ["y"]]},
        {"int": "0x" + "f" * 2000},
        {"int": 1},
        {"dict": {"a": 1}},
        *(
            {kind: [[entry, 0] if kind == "dict" else entry for entry in ALIKE]}
            for kind in ("set", "frozenset", "dict")
        ),
    ],
    ids=lambda tree: json.dumps(tree)[:40],
)
def test_a_tree_that_means_nothing_is_refused(tree):
    with pytest.raises(Refused):
        Decoder(FORMS, {}).decode(tree)


def test_arrays_belong_to_one_thing_each():
    decoder = Decoder(FORMS, {"a": np.zeros(3)})
    with pytest.raises(Refused, match="is missing, or used twice"):
        decoder.decode([{"array": "a"}, {"array": "a"}])
    with pytest.raises(Refused, match="the array 'a' belongs to nothing"):
        Decoder(FORMS, {"a": np.zeros(3)}).finish()


def points(rows, columns, center):
    encoder = Encoder(FORMS)
    tree = encoder.encode(Points(np.zeros((rows, columns)), np.zeros(center)), "p")
    return tree, encoder.arrays


def test_sizes_agree_within_a_thing_that_stands_apart():
    encoder = Encoder(FORMS)
    both = (Points(np.zeros((2, 3)), np.zeros(3)), Points(np.zeros((4, 5)), np.zeros(5)))
    tree = encoder.encode(both, "p")
    assert len(Decoder(FORMS, encoder.arrays).decode(tree)) == 2
    tree, arrays = points(2, 3, 4)
    message = (
        r"`Points.center`: a float64 array of shape \(m,\), .* is needed; received float64 array of shape"
    )
    with pytest.raises(Refused, match=message):
        Decoder(FORMS, arrays).decode(tree)


def test_pandas_null_is_none_where_pandas_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert Decoder(FORMS, {}).decode({"null": "NA"}) is None
