"""moveaxis, rollaxis, swapaxes, permute_dims and matrix_transpose against NumPy's functions of these names."""

import itertools
import re

import cornerturn
import numpy as np
import pytest
from arrays import same

X = np.arange(2 * 3 * 4 * 5).reshape(4, 3, 2, 5)[::-1]


def like_numpy(name, x, *arguments, **named):
    expected = getattr(np, name)(x, *arguments, **named).copy(order="C")
    result = getattr(cornerturn, name)(x, *arguments, **named)
    return same(result, expected) and not np.shares_memory(result, x)


@pytest.mark.parametrize("source, destination", [
    *itertools.product(range(-4, 4), repeat=2),
    *itertools.product(itertools.permutations((0, 1, -1), 2), itertools.permutations((0, -2, 3), 2)),
    ([3, 0, 1], (0, 3, 1)), ((), []), (np.array(0), np.int8(-1)), (np.array([0, 1]), range(2, 4)),
], ids=str)
def test_moveaxis(source, destination):
    assert like_numpy("moveaxis", X, source, destination)


@pytest.mark.parametrize("axes", itertools.product(range(-4, 4), repeat=2), ids=str)
def test_swapaxes(axes):
    assert like_numpy("swapaxes", X, *axes) and like_numpy("swapaxes", X, axis1=axes[0], axis2=axes[1])


@pytest.mark.parametrize("axis, start", itertools.product(range(-4, 4), range(-4, 5)), ids=str)
def test_rollaxis(axis, start):
    assert like_numpy("rollaxis", X, axis, start)
    assert like_numpy("rollaxis", X, axis=axis)


def test_permute_dims():
    assert like_numpy("permute_dims", X, (2, 0, -1, 1))
    assert like_numpy("permute_dims", X) and like_numpy("permute_dims", X, axes=None)


def test_matrix_transpose():
    assert like_numpy("matrix_transpose", X) and like_numpy("matrix_transpose", X[0, 0])
    assert like_numpy("moveaxis", np.array(1), (), ())


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.moveaxis(X, 4, 0), ValueError, "source is 4; it must be an integer from -4 to 3"),
    (lambda: cornerturn.moveaxis(X, 0, -5), ValueError, "destination is -5; it must be an integer from -4 to 3"),
    (lambda: cornerturn.moveaxis(X, None, 0), TypeError, "source is None; it must be an integer from -4 to 3"),
    (lambda: cornerturn.moveaxis(X, (0, -4), (0, 1)), ValueError, "source is (0, -4); it must be of distinct axes from -4 to 3"),
    (lambda: cornerturn.moveaxis(X, (0, 1), (0, 4)), ValueError,
     "destination is (0, 4); it must be of distinct axes from -4 to 3"),
    (lambda: cornerturn.moveaxis(X, (0, 1), 0), ValueError, "destination is 0; it must be of as many axes as source, 2"),
    (lambda: cornerturn.moveaxis(X, "0", 0), TypeError, "source is of type str; it must be a sequence of integers"),
    (lambda: cornerturn.moveaxis(X, 0), TypeError, "destination is missing; it must be an integer from -4 to 3"),
    (lambda: cornerturn.moveaxis(np.array(1), [0], [0]), ValueError, "source is [0]; it must be empty for an array of rank 0"),
    (lambda: cornerturn.rollaxis(X, 4), ValueError, "axis is 4; it must be an integer from -4 to 3"),
    (lambda: cornerturn.rollaxis(X, 0, 5), ValueError, "start is 5; it must be an integer from -4 to 4"),
    (lambda: cornerturn.swapaxes(X, 0, 4), ValueError, "axis2 is 4; it must be an integer from -4 to 3"),
    (lambda: cornerturn.swapaxes(X, 0.5, 1), TypeError, "axis1 is 0.5; it must be an integer from -4 to 3"),
    (lambda: cornerturn.swapaxes(np.array(1), 0, 0), ValueError, "x.ndim is 0; it must be 1 or more"),
    (lambda: cornerturn.permute_dims(X, (0, 1)), ValueError,
     "axes is (0, 1); it must be a permutation of 0 to 3 for an array of rank 4"),
    (lambda: cornerturn.matrix_transpose(np.zeros(3)), ValueError, "x.ndim is 1; it must be 2 or more"),
    (lambda: cornerturn.matrix_transpose(X, out=X), TypeError,
     "unknown argument 'out' of matrix_transpose(x)"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
