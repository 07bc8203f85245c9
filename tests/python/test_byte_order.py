"""Arrays in the other byte order: swapped on the way, bit for bit, or read and written as numbers."""

import itertools

import cornerturn
import numpy as np
import pytest
from arrays import DTYPES, PACKED, filled, same

RNG = np.random.default_rng(5)
SWAPPED = ["i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8", "c8", "c16", "M8[ns]", "m8[D]"]


def both_orders(dtype):
    return np.dtype(dtype), np.dtype(dtype).newbyteorder()


def swapped(x):
    """NumPy's cast keeps the bits of numbers, except those of NaN in some builds."""
    return x.byteswap().view(x.dtype.newbyteorder())


@pytest.mark.parametrize("dtype", SWAPPED)
@pytest.mark.parametrize("shape", [(5, 7, 3), (130, 9, 70), ()], ids=str)
def test_dtype_in_the_other_order_swaps_every_bit(dtype, shape):
    axes = (2, 0, 1)[:len(shape)]
    for given in both_orders(dtype):
        x = filled(RNG, shape, given)
        wanted = swapped(x).transpose(axes)
        assert same(cornerturn.permute(x, axes, dtype=given.newbyteorder()), wanted)
        out = np.empty(wanted.shape, wanted.dtype)
        for call in (lambda: cornerturn.permute(x, axes, out=out), lambda: cornerturn.transpose(x, axes, out=out),
                     lambda: cornerturn.permute(x, axes, dtype=out.dtype, out=out)):
            out[...] = np.zeros((), out.dtype)
            assert call() is out and same(out, wanted)
        out = np.empty(shape, given.newbyteorder())
        cornerturn.copy(x, out)
        assert same(out, swapped(x)) and cornerturn.ascontiguous(x, out=out) is out and same(out, swapped(x))


def test_views_run_backwards_or_have_gaps():
    x = filled(RNG, (40, 30, 6), np.dtype(">f4"))[::-1, ::3, ::-2]
    assert same(cornerturn.permute(x, (1, 2, 0), dtype="<f4"), swapped(x).transpose(1, 2, 0))


@pytest.mark.parametrize("dtype", [each for each in DTYPES], ids=str)
def test_the_dtype_of_x_is_a_plain_permutation(dtype):
    x = filled(RNG, (5, 7, 3), dtype)
    out = np.empty((3, 5, 7), dtype)
    assert same(cornerturn.permute(x, (2, 0, 1), dtype=x.dtype), x.transpose(2, 0, 1))
    assert cornerturn.permute(x, (2, 0, 1), dtype=x.dtype, out=out) is out and same(out, x.transpose(2, 0, 1))


@pytest.mark.parametrize("source, destination", itertools.product(["i2", "f4", "f8", "u8", "c8"], ["f4", "f8", "c16"]))
def test_numbers_change_in_any_order(source, destination):
    if source == "c8" and destination != "c16":
        return
    x = RNG.integers(0, 99, (70, 40)).astype(source)
    for from_, to in itertools.product(both_orders(source), both_orders(destination)):
        result = cornerturn.permute(x.astype(from_), (1, 0), dtype=to, alpha=2)
        assert result.dtype == to and np.array_equal(result, 2 * x.T)
        plan = cornerturn.plan(x.astype(from_), (1, 0), dtype=to, alpha=2)
        assert np.array_equal(plan(x.astype(from_)), 2 * x.T)
        assert cornerturn.permute(x.astype(from_), (1, 0), alpha=2).dtype == from_
        out = np.ones((40, 70), to)
        assert np.array_equal(cornerturn.permute(x.astype(from_), (1, 0), dtype=to, beta=3, out=out), x.T + 3)


def test_scale_and_bias_in_any_order():
    """As integers of FITS become numbers."""
    x = RNG.integers(-99, 99, (3, 40)).astype(">i2")
    for to in both_orders("f4"):
        assert np.array_equal(cornerturn.permute(x, (1, 0), dtype=to, scale=[0.5, 2, 4], bias=[7, 8, 9]), x.T * [0.5, 2, 4] + [7, 8, 9])


# What NumPy swaps in the result: texts, fields and numbers of 16 bytes.
RECORD = np.dtype([("a", ">f4"), ("b", "u1"), ("c", "<i2", (2,)), ("d", [("e", ">M8[s]"), ("f", "<U2")]), ("g", "V3")])
OFFSETS = np.dtype({"names": ["a", "b"], "formats": [">i4", ">c8"], "offsets": [8, 16], "itemsize": 32})
BY_NUMPY = [np.dtype("U5"), np.dtype("g"), np.dtype("G"), RECORD, OFFSETS]


@pytest.mark.parametrize("dtype", BY_NUMPY, ids=str)
def test_texts_and_fields_are_swapped(dtype):
    x = RNG.integers(0, 99, (60, 7, 3)).astype(dtype)
    wanted = swapped(x).transpose(2, 0, 1)
    for plain_or_swapped in (x.transpose(2, 0, 1), wanted):
        result = cornerturn.permute(x, (2, 0, 1), dtype=plain_or_swapped.dtype)
        # NumPy leaves the bytes between fields as they are
        assert result.dtype == plain_or_swapped.dtype and np.array_equal(result, plain_or_swapped)
    out = np.zeros((3, 60, 14), wanted.dtype)[:, :, ::-2]
    for call in (lambda: cornerturn.permute(x, (2, 0, 1), out=out), lambda: cornerturn.transpose(x.transpose(1, 0, 2), out=out),
                 lambda: cornerturn.copy(x.transpose(2, 0, 1), out), lambda: cornerturn.rearrange(x, "a b c -> c a b", out=out)):
        out[...] = np.zeros((), dtype)
        call()
        assert np.array_equal(out, wanted)
    with pytest.raises(cornerturn.ArgumentTypeError, match="^dtype is .*; it must be .*, the dtype of the arrays, because only a call of"):
        cornerturn.plan(x, (2, 0, 1), dtype=wanted.dtype)


def test_only_fields_in_the_other_order_are_swapped():
    x = filled(RNG, (40, 3), RECORD)
    for to in (RECORD.newbyteorder("<"), RECORD.newbyteorder(">")):
        result = cornerturn.permute(x, (1, 0), dtype=to)
        assert result.dtype == to
        for name, bits in (("a", "u4"), ("b", "u1"), ("c", "u2"), ("g", "V3")):
            before, after = x[name].T if x[name].ndim == 2 else x[name].transpose(1, 0, 2), result[name]
            assert (before.tobytes() == after.tobytes()) == (RECORD[name].base == to[name].base)
            assert np.array_equal(swapped(before) if RECORD[name].base != to[name].base else before, after) or bits == "u4"


def test_fields_of_packed_records_are_swapped():
    """The columns of a FITS table."""
    x = filled(RNG, (60, 4), np.dtype([("flag", "u1"), ("value", ">i8")]))["value"]
    assert same(cornerturn.permute(x, (1, 0), dtype="<i8"), x.T.astype("<i8"))
    out = np.zeros((4, 60), "<i8")
    assert cornerturn.transpose(x, out=out) is out and np.array_equal(out, x.T)
    cornerturn.copy(x.T, out[::-1])
    assert np.array_equal(out[::-1], x.T)


def test_plans_swap_what_is_swapped_on_the_way():
    for dtype in SWAPPED:
        x = filled(RNG, (9, 7), np.dtype(dtype))
        assert same(cornerturn.plan(x, dtype=x.dtype.newbyteorder())(x), swapped(x).T)


def test_rearrange_swaps_to_out():
    x = filled(RNG, (6, 4), np.dtype(">f4"))
    out = np.zeros((4, 6), "<f4")
    assert cornerturn.rearrange(x, "a b -> b a", out=out) is out and same(out, swapped(x).T)


@pytest.mark.parametrize("call, message", [
    (lambda x: cornerturn.permute(x, (1, 0), dtype=">f4", out=np.empty((3, 2), "f4")), "out.dtype is float32; it must be >f4, as"),
    (lambda x: cornerturn.transpose(np.zeros((2, 3), "<U3"), out=np.empty((3, 2), ">U4")), "out.dtype is >U4; it must be <U3"),
    (lambda x: cornerturn.transpose(np.zeros((2, 3), PACKED), out=np.empty((3, 2), [("a", ">f4")])), "out.dtype is .*; it must be"),
    (lambda x: cornerturn.permute(np.zeros((2, 3), PACKED)["value"], (1, 0), dtype=">f4"),
     "x.strides is .*; it must be multiples of the item size, 8, to change elements"),
])
def test_what_is_not_swapped(call, message):
    with pytest.raises(cornerturn.Error, match=message):
        call(np.zeros((2, 3), np.float32))
