"""copy against numpy.copyto: broadcasting and casts."""

import itertools

import cornerturn
import numpy as np
import pytest

NUMBERS = ["?", "i1", "u1", "i2", "u2", ">i4", "u4", "i8", "u8", "f2", "f4", ">f8", "c8", ">c16"]


def copied(src, shape, dtype="f8"):
    """What copy writes, which must be what copyto writes."""
    results = []
    for copy in (cornerturn.copy, lambda src, dst: np.copyto(dst, src)):
        dst = np.zeros(shape, dtype)
        copy(src, dst)
        results.append(dst)
    return np.array_equal(*results)


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (3, 4), (2, 1, 4), (1, 1, 3, 4), (1, 1, 1, 3, 1)], ids=str)
def test_broadcasting(shape):
    x = np.arange(np.prod(shape)).reshape(shape) + 1.0
    for to in ((2, 3, 4), (3, 4), (1, 2, 3, 4)):
        try:
            np.broadcast_to(x.reshape(x.shape[max(x.ndim - len(to), 0):]), to)
        except ValueError:
            with pytest.raises(ValueError, match=r"^src.shape is .*; it must be one that broadcasts to .*, the shape of dst$"):
                cornerturn.copy(x, np.empty(to))
        else:
            assert copied(x, to)


@pytest.mark.parametrize("source, destination", itertools.product(NUMBERS, repeat=2))
def test_casts_are_those_of_same_kind(source, destination):
    x = np.arange(-6, 6).astype(source).reshape(3, 4)
    if np.can_cast(source, destination, "same_kind"):
        assert copied(x, (3, 4), destination) and copied(x[1], (3, 4), destination)
    else:
        with pytest.raises(TypeError, match=r"^dst.dtype is .*; it must be one to which NumPy casts .* by the rule 'same_kind'$"):
            cornerturn.copy(x, np.empty((3, 4), destination))


@pytest.mark.parametrize("source, destination", itertools.permutations(
    ["M8[s]", "M8[ms]", ">M8[D]", "m8[s]", "S3", "S5", "U2", ">U4", "g", ">G", "f8", "i8", [("a", "f4")], [("a", ">f8")]], 2), ids=str)
def test_casts_of_what_is_no_number_are_numpys(source, destination):
    x = np.arange(6).astype(source).reshape(2, 3)
    if np.can_cast(x.dtype, destination, "same_kind"):
        assert copied(x, (2, 3), destination) and copied(x[1], (2, 3), destination)
    else:
        with pytest.raises(cornerturn.ArgumentTypeError, match=r"^dst.dtype is .*; it must be one to which NumPy casts .* by the rule"):
            cornerturn.copy(x, np.empty((2, 3), destination))


@pytest.mark.parametrize("src", [7, True, 2.5, 1j, [1, 2, 3], (4, 5, 6), np.float32(3), memoryview(b"abc"), bytearray(b"abc")], ids=repr)
def test_what_numpy_takes_as_an_array(src):
    assert copied(src, (2, 3), "c16")


def test_numbers_of_python_take_the_dtype_of_dst():
    dst = np.zeros(3, "u1")
    cornerturn.copy(200, dst)
    assert (dst == 200).all()
    with pytest.raises(ValueError, match="^src is 300; it must be within the range of uint8, the dtype of dst$"):
        cornerturn.copy(300, dst)
    with pytest.raises(TypeError, match="^dst.dtype is uint8; "):
        cornerturn.copy(1.5, dst)
    assert (dst == 200).all()
