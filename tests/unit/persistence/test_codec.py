"""Values to trees and arrays and back: the same values, of the same types."""

import json
import math
import sys
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iim.persistence.decoding import Decoder
from iim.persistence.encoding import Encoder, Unkeepable
from iim.persistence.fields import COUNT, Refused, Sizes, floats, whole


@dataclass(frozen=True)
class Pair:
    one: Any
    other: tuple[Any, ...]


class Place(NamedTuple):
    row: Annotated[int, whole(0, 9)]


class Color(Enum):
    RED = 1


@dataclass(frozen=True)
class Points:
    points: Annotated[np.ndarray, floats("n", "m")]
    center: Annotated[np.ndarray, floats("m")]

    own_sizes: ClassVar[bool] = True


Model = TypeVar("Model")


@dataclass(frozen=True)
class Box(Generic[Model]):
    content: Model


class Halves(NamedTuple):
    half: int


@dataclass(frozen=True)
class Double:
    """Kept as its half."""

    whole: int

    kept_as: ClassVar[type] = Halves

    def to_kept(self):
        return Halves(self.whole // 2)

    @classmethod
    def from_kept(cls, kept):
        return cls(2 * kept.half)


def back(value, kind=Any):
    """The value after a journey through JSON text."""
    encoder = Encoder()
    text = json.dumps(encoder.write(value, kind, "value"), allow_nan=False)
    decoder = Decoder({name: array.copy() for name, array in encoder.arrays.items()})
    found = decoder.read(json.loads(text), kind, Sizes())
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
        st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(SINGLE, inner, max_size=3)
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
        *(np.float64("nan"), {3: "int", "3": "text", None: "none"}),
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


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Color.RED, Color),
        (Place(3), Place),
        (Pair(1.5, (None, "x")), Pair),
        ((Place(1), Place(2)), tuple[Place, ...]),
        ((1, "x"), tuple[int, str]),
        (None, Place | None),
        (Place(1), Place | None),
        (Pair(1, ()), Place | Pair),
        (Box(Place(4)), Box[Place]),
        (Box((Box(1), Box(2))), Box[tuple[Box[int], ...]]),
        (Double(6), Double),
        (tuple(range(100)), tuple[int, ...]),
    ],
    ids=repr,
)
def test_an_object_comes_back(value, kind):
    assert_alike(back(value, kind), value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ((1, "x"), tuple[int, ...]),
        ((1, 2, 3), tuple[int, int]),
        ([1], tuple[int, ...]),
        (True, int),
        (1, float),
        ("x", int),
        (None, Place | int),
        (1, Place | None),
        (np.zeros(3), int),
    ],
    ids=repr,
)
def test_what_is_of_another_kind_is_refused(value, kind):
    encoder = Encoder()
    tree = encoder.plain(value, "value")
    with pytest.raises(Refused):
        Decoder(encoder.arrays).read(tree, kind, Sizes())


def test_a_namespace_comes_back():
    assert back(SimpleNamespace(a=1, b=(2.5, None))) == SimpleNamespace(a=1, b=(2.5, None))


def test_text_of_numpy_comes_back_as_text():
    assert back(np.str_("a")) == "a"


def test_the_order_of_sets_and_namespaces_does_not_show():
    encoder = Encoder()
    numbers = [2**61 * at for at in range(20)]
    for make in (set, frozenset):
        assert encoder.plain(make(numbers), "x") == encoder.plain(make(numbers[::-1]), "x")
    one, other = SimpleNamespace(a=1, b=2), SimpleNamespace(b=2, a=1)
    assert json.dumps(encoder.plain(one, "x")) == json.dumps(encoder.plain(other, "x"))


def test_small_positions_take_half_the_room():
    encoder = Encoder()
    encoder.plain((np.arange(5), np.array([2**31])), "x")
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
        *(np.ma.masked_array([1.0]), np.longdouble(1), [[Unknown()]], [Place(1)]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_kept_is_named(value):
    with pytest.raises(Unkeepable, match=r"^`there"):
        Encoder().plain(value, "there")


ALIKE = [{"int": hex((2**61 - 1) * (2**40 + at))} for at in range(2000)]
"""Different numbers with the same hash."""


@pytest.mark.parametrize(
    "tree",
    [
        {"Unknown": {}},
        {"os.system": "true"},
        {"Place": {"row": 1}},
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
        Decoder({}).read(tree, Any, Sizes())


@pytest.mark.parametrize(
    "tree",
    [{"row": 10}, {"row": True}, {"row": 1, "more": 1}, {}, [1], 1, None, {"Place": {"row": 1}}],
    ids=str,
)
def test_an_object_without_its_fields_is_refused(tree):
    with pytest.raises(Refused, match="row"):
        Decoder({}).read(tree, Place, Sizes())


@pytest.mark.parametrize(
    ("how", "array"),
    [
        ({"as": "tuple"}, np.zeros(9, np.int8)),
        ({"as": "tuple"}, np.zeros((3, 3), np.int64)),
        ({"as": "list"}, np.zeros(9, np.int64)),
        ({"from": "int32"}, np.zeros(9, np.int8)),
        ({"from": "x"}, np.zeros(9, np.int32)),
        ({"order": "F"}, np.zeros(9)),
        ({"more": 1}, np.zeros(9)),
    ],
)
def test_arrays_are_what_is_written_of_them(how, array):
    with pytest.raises(Refused, match="the array 'a' does not match its description"):
        Decoder({"a": array}).plain({"array": "a", **how})


def test_a_long_value_that_is_refused_is_not_shown_whole():
    with pytest.raises(Refused, match=r"received \(0, 1, 2, .{0,40}$"):
        COUNT.check(tuple(range(10**5)), Sizes())


def test_arrays_belong_to_one_thing_each():
    decoder = Decoder({"a": np.zeros(3)})
    with pytest.raises(Refused, match="is missing, or used twice"):
        decoder.plain([{"array": "a"}, {"array": "a"}])
    with pytest.raises(Refused, match="the array 'a' is not used"):
        Decoder({"a": np.zeros(3)}).finish()


def points(rows, columns, center):
    encoder = Encoder()
    tree = encoder.write(Points(np.zeros((rows, columns)), np.zeros(center)), Points, "p")
    return tree, encoder.arrays


def test_sizes_agree_within_a_thing_that_stands_apart():
    encoder = Encoder()
    both = (Points(np.zeros((2, 3)), np.zeros(3)), Points(np.zeros((4, 5)), np.zeros(5)))
    tree = encoder.write(both, tuple[Points, ...], "p")
    assert len(Decoder(encoder.arrays).read(tree, tuple[Points, ...], Sizes())) == 2
    tree, arrays = points(2, 3, 4)
    message = (
        r"`Points.center`: a float64 array of shape \(m,\), .* is needed; received float64 array of shape"
    )
    with pytest.raises(Refused, match=message):
        Decoder(arrays).read(tree, Points, Sizes())


def test_pandas_null_is_none_where_pandas_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert Decoder({}).plain({"null": "NA"}) is None
