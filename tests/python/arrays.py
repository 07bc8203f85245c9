"""Arrays to permute: any rank, layout and dtype, and what a result must be."""

import math

import ml_dtypes
import numpy as np

PACKED = np.dtype([("flag", "i1"), ("value", "f8"), ("rest", "u1", (3,))])
DTYPES = [np.dtype(name) for name in (
    "?", "i1", "u1", "i2", ">i2", "u4", ">u4", "i8", "u8", "f2", "f4", ">f8", "f8", "g", "F", "D", "G", "M8[ns]", "m8[D]", "S3",
    "U2", "V5", "V24")] + [PACKED] + [np.dtype(each) for each in (
        ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4)]


def same(result, expected):
    """Equal bit for bit, in shape and dtype, and new, dense memory."""
    return (type(result) is np.ndarray and result.dtype == expected.dtype and result.shape == expected.shape
            and result.flags.c_contiguous and result.tobytes() == expected.tobytes())


def filled(rng, shape, dtype):
    """A dense array of random bits."""
    return np.frombuffer(rng.bytes(math.prod(shape) * dtype.itemsize) or bytes(1), np.uint8)[:math.prod(shape) * dtype.itemsize] \
        .view(dtype).reshape(shape) if dtype.itemsize else np.empty(shape, dtype)


def any_view(rng, shape, dtype):
    """A view of that shape: steps, negative strides, repeated modes, axes in another order, gaps, fields of structures."""
    rank = len(shape)
    order = rng.permutation(rank)
    steps = [int(rng.choice([1, 1, 1, 2, 3, -1, -2])) for _ in range(rank)]
    repeated = [bool(rng.random() < 0.1) for _ in range(rank)]
    held = [1 if again else extent * abs(step) + int(rng.integers(2)) for extent, step, again in zip(shape, steps, repeated)]
    if rng.random() < 0.2:
        dtype = np.dtype([("before", "V3"), ("it", dtype), ("after", "V2")])
    whole = filled(rng, [held[axis] for axis in order], dtype).transpose(np.argsort(order))
    if dtype.names == ("before", "it", "after"):
        whole = whole["it"]
    view = whole[tuple(slice(None, None, 1 if again else step) for step, again in zip(steps, repeated)) + (...,)]
    view = view[tuple(slice(0, 1 if again else extent) for extent, again in zip(shape, repeated)) + (...,)]
    return np.broadcast_to(view, shape)


def random_shape(rng):
    """Up to 6 modes of at most some thousand elements, now and then with none."""
    rank = int(rng.integers(0, 7))
    longest = [1, 300, 60, 17, 8, 6, 4][rank]
    return tuple(int(rng.integers(0 if rng.random() < 0.03 else 1, longest + 1)) for _ in range(rank))
