"""The functions on arrays of NumPy: axes, dtypes, what is returned."""

import array

import cornerturn
import numpy as np
import pytest
from arrays import DTYPES, PACKED, any_view, filled, same

RNG = np.random.default_rng(0)


def test_a_number_is_the_axis_of_a_vector():
    x = np.arange(6.0)[::2]
    for axis in (0, -1, np.int8(0), np.array(0)):
        assert same(cornerturn.permute(x, axis), x) and same(cornerturn.transpose(x, axis), x)


@pytest.mark.parametrize("x", [[[1, 2, 3], [4, 5, 6]], ((1.5,), (2,)), 7, 2.5, 1j, True, np.float32(3), memoryview(b"abc"), bytearray(b"abc"),
                               array.array("h", [1, 2]), range(3), memoryview(np.arange(6).reshape(2, 3))], ids=repr)
def test_what_numpy_takes_as_an_array(x):
    wanted = np.asarray(x)
    for call in (cornerturn.transpose, lambda x: cornerturn.permute(x, range(wanted.ndim)[::-1]), cornerturn.permute_dims):
        assert same(call(x), wanted.T)
    assert same(cornerturn.ascontiguous(x), wanted)
    if wanted.ndim == 2:
        assert same(cornerturn.moveaxis(x, 0, 1), wanted.T) and same(cornerturn.matrix_transpose(x), wanted.T)
        assert same(cornerturn.swapaxes(x, 0, 1), wanted.T) and same(cornerturn.rollaxis(x, 1), wanted.T)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), [-1, 1, 0], np.array([1, 0, 2]), range(3)], ids=str)
def test_axes_have_numpy_s_meaning(axes):
    x = np.arange(24.0).reshape(2, 3, 4)
    assert same(cornerturn.permute(x, axes), x.transpose(tuple(axes)))
    assert same(cornerturn.transpose(x, axes), x.transpose(tuple(axes)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_any_dtype_bit_for_bit(dtype):
    x = filled(RNG, (5, 7, 3), dtype)
    assert same(cornerturn.permute(x, (2, 0, 1)), x.transpose(2, 0, 1))


def test_transpose_reverses_all_axes():
    x = np.arange(24).reshape(2, 3, 4)
    assert same(cornerturn.transpose(x), x.T)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (1, 1), (1, 5, 1), (2,) * 12], ids=str)
def test_shapes_at_the_ends(shape):
    x = filled(RNG, shape, np.dtype("f4"))
    assert same(cornerturn.transpose(x), x.T)
    assert same(cornerturn.transpose(x.astype("S0")), x.astype("S0").T)
    empty_strings = np.zeros((200, 300), [("a", "S0"), ("b", "i4")])["a"]
    made = cornerturn.transpose(empty_strings)
    assert made.shape == (300, 200) and made.dtype == empty_strings.dtype


def test_sixty_four_axes():
    x = np.arange(8.0).reshape((1,) * 61 + (2, 2, 2))
    result = cornerturn.transpose(x)
    assert result.shape == x.T.shape and result.ravel().tolist() == [0, 4, 2, 6, 1, 5, 3, 7]


def test_sixty_four_axes_of_a_field_of_a_packed_structure():
    x = np.zeros((1,) * 61 + (2, 3, 2), PACKED)["value"]
    x[...] = np.arange(12.0).reshape(x.shape)
    out = np.zeros(x.T.shape, PACKED)["value"]
    for result in (cornerturn.transpose(x), cornerturn.transpose(x, out=out), cornerturn.plan(x)(x), cornerturn.ascontiguous(x.T)):
        assert np.array_equal(result, x.T)


def test_numbers_with_fields():
    """Whose flags NumPy clears, too."""
    x = np.arange(6, dtype="i4").reshape(2, 3).astype(np.dtype(("i4", {"low": ("i2", 0), "high": ("i2", 2)})))
    out = np.empty_like(x.T)
    assert cornerturn.transpose(x, out=out) is out and np.array_equal(out, x.T)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="^out is read-only"):
        cornerturn.transpose(x, out=out)


def test_fields_of_packed_structures():
    """Their strides are no multiples of their size."""
    x = np.zeros((2, 5), PACKED)
    x["value"] = np.arange(10).reshape(2, 5)
    assert same(cornerturn.permute(x["value"], (1, 0)), x["value"].T)
    written = np.zeros((5, 2), PACKED)
    cornerturn.copy(x["value"].T, written["value"])
    assert np.array_equal(written["value"], x["value"].T) and not written["flag"].any() and not written["rest"].any()


def test_read_only_sources():
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    assert same(cornerturn.transpose(x), x.T)


def test_subclasses_give_plain_arrays(tmp_path):
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1, 2], [3, 4]])
    assert same(cornerturn.transpose(matrix), np.asarray(matrix).T)
    mapped = np.memmap(tmp_path / "mapped", "f4", "w+", shape=(3, 4))
    mapped[:] = np.arange(12).reshape(3, 4)
    assert same(cornerturn.transpose(mapped), np.asarray(mapped).T)


@pytest.mark.parametrize("order", "CF")
def test_ascontiguous(order):
    for _ in range(50):
        x = any_view(RNG, (3, 4, 5), np.dtype("f4"))
        result = cornerturn.ascontiguous(x, order)
        assert result.flags[f"{order}_CONTIGUOUS"] and np.array_equal(result.view("u4"), x.view("u4") if result is x else
                                                                      np.ascontiguousarray(x).view("u4"))
        assert (result is x) == x.flags[f"{order}_CONTIGUOUS"]
        out = np.empty((3, 4, 5), "f4", order)
        assert cornerturn.ascontiguous(x, order, out=out) is out and out.tobytes() == x.tobytes()


def test_ascontiguous_in_the_order_of_strides():
    for _ in range(100):
        x = any_view(RNG, (3, 4, 5), np.dtype("f4"))
        result, wanted = cornerturn.ascontiguous(x, "K"), np.array(x, order="K")
        assert result.strides == wanted.strides and result.tobytes() == wanted.tobytes()
        assert (result is x) == (x.strides == wanted.strides)
        assert cornerturn.ascontiguous(x, "K", out=wanted) is wanted and wanted.tobytes() == x.tobytes()
    with pytest.raises(ValueError, match=r"^out.strides is \(40, 8\); it must be those of a dense array in order 'K'$"):
        cornerturn.ascontiguous(np.zeros((3, 5), order="F"), "K", out=np.empty((3, 5)))


@pytest.mark.parametrize("order", "CF")
def test_ascontiguous_of_items_without_bytes(order):
    x = np.zeros((3, 4, 5), [("a", "S0"), ("b", "i4")])["a"]
    for each in (x, x.T, x[:, :0], np.ndarray((3, 4), "S0")):
        result = cornerturn.ascontiguous(each, order)
        assert result.flags[f"{order}_CONTIGUOUS"] and result.shape == each.shape and result.dtype == each.dtype


def test_other_arrays_of_the_host_by_dlpack():
    class Shared:
        def __init__(self, held):
            self.held = held

        def __dlpack__(self, **options):
            return self.held.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.held.__dlpack_device__()

    x, out = np.arange(6.0).reshape(2, 3), np.empty((3, 2))
    assert np.array_equal(cornerturn.transpose(Shared(x), out=out), x.T)
    shared = Shared(np.empty((3, 2)))
    assert cornerturn.transpose(x, out=shared) is shared and np.array_equal(shared.held, x.T)
    frozen = np.empty((3, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="^out is read-only; it must be writable$"):
        cornerturn.transpose(x, out=Shared(frozen))


def test_calls_of_one_kind_share_a_plan():
    cornerturn.cache_clear()
    x = np.arange(6.0).reshape(2, 3)
    for _ in range(3):
        cornerturn.transpose(x)
    cache = cornerturn.cache_info()
    assert (cache.hits, cache.misses, cache.entries) == (2, 1, 1)
    assert repr(cache) == f"CacheInfo(hits=2, misses=1, entries=1, capacity={cache.capacity})"
