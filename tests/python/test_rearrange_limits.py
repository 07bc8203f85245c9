"""rearrange with pads, crops and packed elements, against NumPy on unpacked elements."""

import re

import cornerturn
import cornerturn.formats
import numpy as np
import pytest
import random_patterns
from arrays import same
from random_patterns import packed, unpacked


def test_random_patterns_with_pads_crops_swizzles_and_bits():
    drawn = random_patterns.check(57, 700)
    for what in ("padded", "cropped", "4 bits", "2 bits", "1 bits", "padded and packed", "padded and cropped", "transposed squares", "swizzled", "source swizzled", "swizzled and packed", "with ...",
                 "with 1 or ()", "negative strides", "repeated axes", "axes in reverse", "result of at most 1 000 000 bytes"):
        assert drawn[what] >= 20, (what, drawn)


@pytest.mark.parametrize("bits, order, shape", [(4, "little", (64, 96)), (4, "big", (6, 34)), (2, "little", (40, 64)), (1, "little", (128, 72)),
                                                (1, "big", (8, 1000)), (1, "big", (1000, 8)), (4, "little", (3, 1000, 600))], ids=str)
def test_transposed_matrices_of_packed_elements(bits, order, shape):
    x = np.random.default_rng(0).integers(0, 256, (*shape[:-1], shape[-1] * bits // 8), np.uint8)
    wanted = packed(np.swapaxes(unpacked(x, bits, order), -1, -2), bits, order)
    assert same(cornerturn.rearrange(x, "... m k -> ... k m", bits=bits, order=order), wanted)


def test_bits_have_numpy_s_orders():
    rows = np.random.default_rng(0).random((16, 24)) < 0.5
    for order in ("little", "big"):
        columns = cornerturn.rearrange(np.packbits(rows, -1, order), "m k -> k m", bits=1, order=order)
        assert same(np.unpackbits(columns, axis=-1, bitorder=order).astype(bool), np.ascontiguousarray(rows.T))


def test_a_pad_in_the_dtype_of_x():
    for dtype, pad in (("f4", -0.5), ("f8", np.nan), ("c16", 1 - 2j), (">i4", 258), ("?", True), ("U3", "abc"), ("M8[D]", "2026-01-02")):
        x = np.zeros(3, dtype)
        result = cornerturn.rearrange(x, "(a b) -> a b", b=2, pad=pad)
        assert result.dtype == x.dtype and result[1, 1:].tobytes() == np.array([pad], dtype).tobytes()
    assert cornerturn.rearrange(np.zeros(3, "u4"), "(a b) -> a b", b=2, pad=b"\1\2\3\4")[1, 1] == 0x04030201
    assert cornerturn.rearrange([np.ones(3), np.zeros(3)], "l (a b) -> a (b l)", b=2, pad=7).tolist() == [[1, 0, 1, 0], [1, 0, 7, 7]]


def test_keywords_that_the_pattern_names_are_lengths():
    x = np.arange(24).reshape(2, 12)
    result = cornerturn.rearrange(x, "shape (order bits pad) -> pad bits order shape", bits=2, pad=3)
    assert same(result, x.reshape(2, 2, 2, 3).transpose(3, 2, 1, 0).copy())


X = np.zeros((4, 6), np.uint8)


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.rearrange(X, "(a b) c -> a b c", b=3), ValueError,
     "x.shape[0] is 4; it must be a multiple of 3, for '(a b)' at index 0 of pattern '(a b) c -> a b c'"),
    (lambda: cornerturn.rearrange(X, "(a b) c -> a b c", a=1, b=3, pad=0), ValueError,
     "x.shape[0] is 4; it must be 3 or less, for '(a b)' at index 0 of pattern '(a b) c -> a b c'"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", shape=(6, 5)), ValueError,
     "shape[1] is 5; it must be from 0 to 4, the extent that the pattern makes"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", shape=(6,)), ValueError,
     "the length of shape is 1; it must be 2, as on the right of pattern 'a b -> b a'"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", shape=4), TypeError, "shape is of type int; it must be a sequence of integers"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad="x"), TypeError,
     "pad is 'x'; it must be a value of dtype uint8, or the bytes of one"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad=b"12"), ValueError, "pad is b'12'; it must be 1 bytes, as an element of x"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad=16, bits=4), ValueError,
     "pad is 16; it must be an integer from 0 to 15 for elements of 4 bits"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad=3.0, bits=4), ValueError,
     "pad is 3.0; it must be an integer from 0 to 15 for elements of 4 bits"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad=np.array([1, 2]), bits=4), ValueError,
     "pad is array([1, 2]); it must be an integer from 0 to 15 for elements of 4 bits"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", bits=3), ValueError, "bits is 3; it must be 8, 4, 2 or 1"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", bits=16), ValueError, "bits is 16; it must be an integer from 1 to 8"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", order="C"), ValueError, "order is 'C'; it must be 'little' or 'big'"),
    (lambda: cornerturn.rearrange(X.astype("f4"), "a b -> b a", bits=4), TypeError, "x.itemsize is 4; it must be 1 for packed elements"),
    (lambda: cornerturn.rearrange(np.array(1, "u1"), "-> 1", bits=4), ValueError, "x.ndim is 0; it must be 1 or more for packed elements"),
    (lambda: cornerturn.rearrange(np.broadcast_to(np.uint8(1), 2**62), "a -> 1 a", bits=4), ValueError,
     "the last extent in elements is beyond 64 bits; it must be within 64 bits"),
    (lambda: cornerturn.rearrange(X[:3], "a b -> b a", bits=4), ValueError,
     "the last extent of the result is 3; it must be a multiple of 2, whole bytes"),
    (lambda: cornerturn.rearrange(X[:, ::2], "a b -> b a", bits=4), ValueError, "x.strides[1] is 4; it must be 1 for packed elements"),
    (lambda: cornerturn.rearrange(X.astype("f4"), "(a b) c -> a b c", b=2**62, pad=0), ValueError,
     "the size of the result is beyond 64 bits; it must be within 64 bits"),
    (lambda: cornerturn.rearrange(X[:0], "(a b) c -> a b c", a=2**40, b=2**22, pad=0), ValueError,
     "the size of the result is beyond 64 bits; it must be within 64 bits"),
    (lambda: cornerturn.rearrange(None, "a b -> b a", pad=0), TypeError,
     "x is of type NoneType; it must be an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert isinstance(caught.value, cornerturn.Error)


@pytest.mark.parametrize("pattern, options", [
    ("a b c -> c (b a)", {}), ("(m a) b c -> c m b a", {"a": 4, "pad": 7}), ("a b c -> (c b) a", {"shape": (20, 3)}),
    ("a b (k c) -> b k | a c", {"c": 16, "swizzle": "Sw<1,4,3>"}), ("a b c -> b a c", {"bits": 4})])
def test_results_in_arrays_of_any_strides(pattern, options):
    x = np.random.default_rng(5).integers(0, 200, (8, 6, 32)).astype("u1")
    wanted = cornerturn.rearrange(x, pattern, **options)
    whole = np.full([2 * extent for extent in wanted.shape[:1]] + [*wanted.shape[1:]], 99, "u1")
    for out in (np.empty_like(wanted), whole[::2], whole[::-2]):
        assert cornerturn.rearrange(x, pattern, out=out, **options) is out and np.array_equal(out, wanted)
    assert (whole[0::2] == wanted[::1]).all() or (whole[1::2] == wanted[::-1]).all()


def read_only(shape):
    array = np.zeros(shape, "u1")
    array.flags.writeable = False
    return array


def overlapping(*strides):
    return np.lib.stride_tricks.as_strided(np.zeros(100, "u1"), (8, 6), strides)


REACHES = "it must be such that, in ascending order, each exceeds the span of the axes before it, as in any slice of a dense array"


@pytest.mark.parametrize("out, error, message", [
    (read_only((8, 6)), ValueError, "out is read-only; it must be writable"),
    (overlapping(0, 1), ValueError, f"out.strides is (0, 1); {REACHES}"),
    (overlapping(5, 1), ValueError, f"out.strides is (5, 1); {REACHES}"),
    (np.empty((6, 8), "u1"), ValueError, "out.shape is (6, 8); it must be (8, 6)"),
    (np.empty((8, 6), "i2"), ValueError, "out.dtype is int16; it must be uint8, as that of x"),
    ([1], TypeError, "out is of type list; it must be an array")])
@pytest.mark.parametrize("pattern, options", [("a b -> b a", {}), ("a b -> b a", {"pad": 0}), ("a (b c) -> (b c) a", {"c": 8, "shape": (8, 6)}),
                                              ("(m a) b -> b (m a)", {"a": 8, "pad": 5, "shape": (8, 6)})], ids=str)
def test_other_results_are_refused(out, error, message, pattern, options):
    before = np.copy(out)
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        cornerturn.rearrange(np.ones((6, 8), "u1"), pattern, out=out, **options)
    assert np.array_equal(out, before)


def test_results_in_fields_of_packed_structs():
    x = np.arange(35, dtype="f4").reshape(5, 7)
    rows = np.zeros((7, 5), [("other", "u1"), ("it", "f4")])
    assert np.shares_memory(cornerturn.rearrange(x, "a b -> b a", out=rows["it"]), rows)
    assert np.array_equal(rows["it"], x.T) and not rows["other"].any()
    tiles = np.zeros((2, 7, 3), rows.dtype)
    cornerturn.rearrange(x, "(m a) b -> m b a", a=3, pad=-1, out=tiles["it"])
    assert np.array_equal(tiles["it"], cornerturn.rearrange(x, "(m a) b -> m b a", a=3, pad=-1)) and not tiles["other"].any()
    with pytest.raises(ValueError, match="^out is read-only; it must be writable$"):
        rows.flags.writeable = False
        cornerturn.rearrange(x, "a b -> b a", out=rows["it"])


def test_a_result_is_apart_from_the_source_and_may_be_an_axis():
    x = np.arange(48, dtype="u1").reshape(6, 8)
    with pytest.raises(ValueError, match="^out is within the addresses of x; it must be memory that does not overlap x, such as a new array$"):
        cornerturn.rearrange(x, "a b -> b a", out=x.reshape(8, 6))
    assert cornerturn.rearrange(x, "(a out) b -> out a b", out=2).shape == (2, 3, 8)
    for name in ("kv_hnd", "block_scales_32x4x4"):
        y = cornerturn.formats.pack(x if "block" in name else x.reshape(1, 2, 3, 8), name)
        out = np.empty_like(y)
        assert cornerturn.formats.pack(x if "block" in name else x.reshape(1, 2, 3, 8), name, out=out) is out and np.array_equal(out, y)
