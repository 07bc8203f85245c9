"""Random arrays against NumPy: shapes, axes, strides, dtypes."""

import cornerturn
import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from arrays import DTYPES, any_view, random_shape, same


@pytest.mark.parametrize("seed", range(12))
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
