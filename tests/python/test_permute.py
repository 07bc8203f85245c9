"""cornerturn.permute on arrays of NumPy."""

import cornerturn
import numpy as np
import pytest


def same(result, expected):
    """Equal bit for bit, in shape and dtype, and new, dense memory."""
    return (type(result) is np.ndarray and result.dtype == expected.dtype and result.shape == expected.shape
            and result.flags.c_contiguous and result.tobytes() == expected.tobytes())


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), [-1, 1, 0], np.array([1, 0, 2]), range(3)], ids=str)
def test_axes_have_numpy_s_meaning(axes):
    x = np.arange(24.0).reshape(2, 3, 4)
    assert same(cornerturn.permute(x, axes), x.transpose(tuple(axes)))


def test_fields_of_packed_structures():
    """Their strides are no multiples of their size."""
    x = np.zeros((2, 5), dtype=[("flag", "i1"), ("value", "f8")])
    x["value"] = np.arange(10).reshape(2, 5)
    assert same(cornerturn.permute(x["value"], (1, 0)), x["value"].T)
