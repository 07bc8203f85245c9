"""cornerturn on CuPy's arrays."""

import ctypes

import cornerturn
import numpy as np
import pytest

DTYPES = [np.dtype(name) for name in ("?", "i1", "u1", "i2", "u4", "i8", "f2", "f4", "f8", "F", "D")]


def same(cupy, result, expected):
    return (type(result) is cupy.ndarray and result.dtype == expected.dtype and result.shape == expected.shape
            and result.flags.c_contiguous and result.get().tobytes() == expected.get().tobytes())


@pytest.mark.parametrize("seed", range(10))
def test_random_views(seed, cupy):
    """Together 5,000 of them."""
    rng = np.random.default_rng(seed)
    for case in range(500):
        rank = int(rng.integers(0, 6))
        shape = [int(rng.integers(0 if rng.random() < 0.03 else 1, [1, 300, 60, 17, 8, 6][rank] + 1)) for _ in range(rank)]
        steps = [int(rng.choice([1, 1, 1, 2, 3, -1, -2])) for _ in shape]
        dtype = DTYPES[int(rng.integers(len(DTYPES)))]
        order = rng.permutation(rank)
        extents = [shape[axis] * abs(steps[axis]) for axis in order]
        raw = rng.integers(0, 2 if dtype == bool else 256, (*extents, dtype.itemsize), np.uint8)
        whole = cupy.asarray(raw.view(dtype).reshape(extents))
        x = whole.transpose(np.argsort(order).tolist())[tuple(slice(None, None, step) for step in steps) + (...,)]
        axes = [int(axis) - rank * int(rng.integers(2)) for axis in rng.permutation(rank)]
        expected = x.transpose(axes)
        assert same(cupy, cornerturn.permute(x, axes), expected), (seed, case, shape, steps, dtype, axes)
        out = cupy.empty([2 * extent for extent in expected.shape], dtype)[tuple(slice(None, None, 2) for _ in shape) + (...,)]
        assert cornerturn.permute(x, axes, out=out) is out and out.get().tobytes() == expected.get().tobytes(), (seed, case)


def test_ascontiguous_and_plans(cupy):
    x = cupy.arange(24.0).reshape(2, 3, 4)
    assert cornerturn.ascontiguous(x) is x and cornerturn.ascontiguous(x, "F").flags.f_contiguous
    assert same(cupy, cornerturn.plan(x, (2, 0, 1))(x), x.transpose(2, 0, 1))


def test_fields_of_packed_structures(cupy):
    """As views of bytes, which is how CuPy can hold them."""
    raw = cupy.arange(9 * 10, dtype=cupy.uint8).reshape(10, 9)
    x = cupy.ndarray((10,), cupy.float32, raw.data + 1, strides=(9,))
    out = cupy.empty(10, cupy.float32)
    cornerturn.copy(x, out)
    assert out.get().tobytes() == raw[:, 1:5].get().tobytes()


def test_other_arrays_by_their_interface(cupy):
    class Device:
        def __init__(self, held):
            self.held = held
            self.__cuda_array_interface__ = held.__cuda_array_interface__

    x, out = cupy.arange(6.0).reshape(2, 3), cupy.empty((3, 2))
    cornerturn.transpose(Device(x), out=Device(out))
    cupy.cuda.Device().synchronize()
    assert (out == x.T).all()


def test_numpy_s_arrays_over_managed_memory(cupy):
    def over(memory):
        return np.ctypeslib.as_array(ctypes.cast(memory.ptr, ctypes.POINTER(ctypes.c_float)), (256, 512))

    held, out = cupy.cuda.malloc_managed(1 << 19), cupy.cuda.malloc_managed(1 << 19)
    x, result = over(held), over(out).reshape(512, 256)
    x[:] = np.arange(x.size).reshape(x.shape)
    assert np.array_equal(cornerturn.transpose(x), x.T)
    assert cornerturn.transpose(x, out=result) is result and np.array_equal(result, x.T)
    on_gpu = [cupy.ndarray(shape, cupy.float32, cupy.cuda.MemoryPointer(memory.mem, 0))
              for shape, memory in (((256, 512), held), ((512, 256), out))]
    result[:] = 0
    cornerturn.transpose(on_gpu[0], out=on_gpu[1])
    cupy.cuda.Device().synchronize()
    assert np.array_equal(result, x.T)
