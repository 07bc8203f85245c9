"""Random arrays against NumPy: shapes, axes, strides, dtypes."""

import os

import cornerturn
import hypothesis
import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from arrays import DTYPES, any_view, filled, random_shape, same

NUMBERS = [np.dtype(name) for name in ("?", "i1", "u1", "i2", "i4", "u8", "f2", "f4", "f8", "F", "D", ml_dtypes.bfloat16,
                                       ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)]
# A run for one set of instructions (support/one_target.py) has fewer seeds.
SEEDS = 3 if "CORNERTURN_TEST_TARGET" in os.environ else 12


@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_view(seed):
    for case in range(500):
        rng = np.random.default_rng((seed, case))
        x = any_view(rng, random_shape(rng), DTYPES[rng.integers(len(DTYPES))])
        axes = tuple(int(axis) - x.ndim * int(rng.integers(2)) for axis in rng.permutation(x.ndim))
        expected = x.transpose(axes)
        assert same(cornerturn.permute(x, axes), expected), (seed, case, x.shape, x.strides, x.dtype, axes)
        out = any_view(rng, expected.shape, x.dtype).copy(order="K")
        assert cornerturn.permute(x, axes, out=out) is out and out.tobytes() == expected.tobytes(), (seed, case)


@hypothesis.settings(max_examples=300, deadline=None, derandomize=True, database=None)
@hypothesis.given(st.data())
def test_any_destination(data):
    """copy between two layouts, the gaps of the destination left as they were."""
    shape = tuple(data.draw(st.lists(st.integers(0, 9), max_size=5)))
    dtype = data.draw(st.sampled_from([np.dtype(name) for name in ("u1", "u2", "f4", "D", "V7")]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    src = any_view(rng, shape, dtype)
    steps = [data.draw(st.sampled_from([1, 2, -1])) for _ in shape]
    order = data.draw(st.permutations(range(len(shape))))
    whole = np.zeros([shape[axis] * abs(steps[axis]) for axis in order], dtype).transpose(np.argsort(order))
    window = (*(slice(None, None, step) for step in steps), ...)
    expected = whole.copy()
    expected[window] = src
    cornerturn.copy(src, whole[window])
    assert whole.tobytes() == expected.tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_any_change(seed):
    """Small numbers, so that what is computed is exact; and a plan does what permute does."""
    for case in range(100):
        rng = np.random.default_rng((seed, case))
        source, dtype = (NUMBERS[rng.integers(len(NUMBERS))] for _ in range(2))
        if source.kind == "c" and dtype.kind != "c":
            dtype = np.dtype("D")
        x = np.asarray(any_view(rng, random_shape(rng), np.dtype("u1")) % 2).astype(source)
        axes = tuple(int(axis) for axis in rng.permutation(x.ndim))
        change = {"dtype": dtype, "alpha": int(rng.integers(1, 3)), "beta": int(rng.integers(3)), "conj": bool(rng.integers(2))}
        old = np.asarray(filled(rng, [x.shape[axis] for axis in axes], np.dtype("u1")) % 2).astype(dtype)
        out, planned = old.copy(), old.copy()
        assert cornerturn.permute(x, axes, out=out, **change) is out
        assert cornerturn.plan(x, axes, **change)(x, planned) is planned
        wide = np.dtype("D" if dtype.kind == "c" else "f8")
        wanted = change["alpha"] * x.transpose(axes).astype(wide) + change["beta"] * old.astype(wide)
        assert np.array_equal(out, wanted.astype(dtype)), (seed, case, x.dtype, x.strides, axes, change)
        assert out.tobytes() == planned.tobytes(), (seed, case)
