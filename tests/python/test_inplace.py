"""permute_inplace and transpose_inplace: the result, whose memory it is, and what is refused."""

import cornerturn
import numpy as np
import pytest
from arrays import DTYPES, filled

RNG = np.random.default_rng(24)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 16, 33, 130])
def test_a_square_of_any_dtype_is_transposed(n, dtype):
    x = filled(RNG, (n, n), dtype).copy()
    expected = x.T.copy()
    assert cornerturn.permute_inplace(x, (1, 0)) is x
    assert x.tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape, axes", [
    ((4, 9, 9), (0, 2, 1)), ((9, 4, 9), (2, 1, 0)), ((9, 9, 4), (1, 0, 2)), ((2, 9, 3, 9, 5), (0, -2, 2, 1, 4)),
    ((2, 3, 2, 3), (2, 3, 0, 1)), ((2, 3, 6), (2, 0, 1)), ((7, 1, 7), (2, 1, 0)), ((1, 6), (1, 0)), ((3, 4), (0, 1)), ((), ()),
    ((3, 4), (1, 0)), ((700, 900), (1, 0)), ((2, 701, 503), (0, 2, 1)), ((503, 701, 2), (1, 0, 2)), ((6, 3, 2), (1, 2, 0)),
    ((6, 3, 2), (2, 0, 1)), ((3, 40, 5), (2, 1, 0))])
def test_a_batch_has_the_permuted_shape_over_the_same_memory(shape, axes):
    x = RNG.random(shape)
    expected = x.transpose(axes).copy()
    result = cornerturn.permute_inplace(x, axes)
    assert result.shape == expected.shape and np.array_equal(result, expected)
    assert np.shares_memory(result, x) and x.shape == shape
    assert (result is x) == (expected.shape == shape)


def test_any_axes_give_numpys_result():
    for _ in range(1000):
        shape = RNG.integers(1, 9, RNG.integers(1, 6))
        x = filled(RNG, shape, np.dtype(RNG.choice(["u1", "u2", "f4", "f8", "c16", "S3"]))).copy()
        axes = RNG.permutation(len(shape))
        expected = x.transpose(axes).copy()
        result = cornerturn.permute_inplace(x, axes.tolist())
        assert result.tobytes() == expected.tobytes() and result.shape == expected.shape, (shape, axes)


def test_a_second_call_restores_the_array():
    x = RNG.random((300, 300))
    before = x.copy()
    assert cornerturn.transpose_inplace(cornerturn.transpose_inplace(x)) is x
    assert np.array_equal(x, before)


def test_transposing_reverses_all_axes_unless_told_others():
    x = RNG.random((5, 2, 5))
    expected = x.T.copy()
    assert np.array_equal(cornerturn.transpose_inplace(x), expected)
    expected = x.swapaxes(0, 2).copy()
    assert np.array_equal(cornerturn.transpose_inplace(x, (2, 1, 0)), expected)


def test_a_dense_part_of_an_array_is_permuted_alone():
    x = RNG.random((3, 40, 40))
    expected = x.copy()
    expected[1] = x[1].T
    cornerturn.transpose_inplace(x[1])
    assert np.array_equal(x, expected)


def test_a_limit_of_the_workspace_is_kept_or_refused():
    x = filled(RNG, (3001, 2803), np.dtype("uint8")).copy()  # more bytes than the longest panel of the CPU
    expected = x.T.copy()
    with pytest.raises(ValueError, match=r"^workspace is 0; it must be at least \d+ bytes where axes is \(1, 0\) for an array"):
        cornerturn.transpose_inplace(x, workspace=0)
    assert np.array_equal(x.T, expected)
    assert np.array_equal(cornerturn.permute_inplace(x, (1, 0), workspace=x.nbytes), expected)
    assert np.array_equal(cornerturn.transpose_inplace(np.eye(300), workspace=0), np.eye(300))
    for wrong, error in [(-1, ValueError), ("1", TypeError)]:
        with pytest.raises(error, match="^workspace is .*; it must be an integer from 0 to "):
            cornerturn.transpose_inplace(x, workspace=wrong)


def frozen(x):
    x.flags.writeable = False
    return x


HELD = np.arange(36.0).reshape(6, 6)
@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.permute_inplace(HELD, None), TypeError, "axes is None; it must be a sequence of integers"),
    (lambda: cornerturn.permute_inplace(HELD, (0, 0)), ValueError,
     "axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: cornerturn.permute_inplace(HELD.reshape(6, 3, 2), (1, 2, 0)), None, None),
    (lambda: cornerturn.transpose_inplace(HELD[:, ::2][:3]), ValueError, "x.strides is (48, 16); it must be those of a dense array in C order"),
    (lambda: cornerturn.transpose_inplace(HELD[::-1]), ValueError, "x.strides is (-48, 8); it must be those of a dense array in C order"),
    (lambda: cornerturn.transpose_inplace(HELD.T), ValueError,
     "x is in Fortran order; it must be dense in C order, as x.T, whose axes are those of x from the last to the first"),
    (lambda: cornerturn.transpose_inplace(frozen(HELD.copy())), ValueError, "x is read-only; it must be writable"),
    (lambda: cornerturn.transpose_inplace(np.broadcast_to(np.ones(3), (3, 3))), ValueError, "x is read-only; it must be writable"),
    (lambda: cornerturn.transpose_inplace(np.lib.stride_tricks.as_strided(HELD, (3, 3), (8, 8))), ValueError,
     "x.strides is (8, 8); it must be those of a dense array in C order"),
    (lambda: cornerturn.transpose_inplace(np.array([[None]])), TypeError,
     "x.dtype is object; it must be one without Python objects"),
    (lambda: cornerturn.transpose_inplace([[1]]), TypeError, "x is of type list; it must be an array of NumPy, PyTorch or CuPy"),
    (lambda: cornerturn.permute_inplace(None, (1, 0)), TypeError,
     "x is of type NoneType; it must be an array of NumPy, PyTorch or CuPy"),
    (lambda: cornerturn.transpose_inplace(HELD, stream=1), ValueError, None),
])
def test_what_is_refused_leaves_the_array_untouched(call, error, message):
    HELD[:] = np.arange(36.0).reshape(6, 6)
    if error is None:
        assert call().shape == (3, 2, 6)
        return
    with pytest.raises(error) as raised:
        call()
    assert message is None or str(raised.value) == message
    assert np.array_equal(HELD, np.arange(36.0).reshape(6, 6))


class Foreign:
    """An array that only DLPack reads."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_arrays_of_other_frameworks_are_refused():
    with pytest.raises(TypeError, match="^x is of type .*Foreign; it must be an array of NumPy, PyTorch or CuPy$"):
        cornerturn.transpose_inplace(Foreign(np.ones((2, 2))))
