"""rearrange with swizzles, against NumPy's indexing of bytes."""

import re

import cornerturn
import numpy as np
import pytest
from arrays import same
from random_patterns import swizzled

X = np.arange(64 * 64, dtype="u2").reshape(64, 64)


@pytest.mark.parametrize("dtype, rows, columns, bits, base, shift", [
    ("f2", 8, 64, 3, 4, 3), ("f2", 8, 32, 2, 4, 3), ("f2", 8, 16, 1, 4, 3), ("u1", 64, 128, 3, 4, 3), ("f8", 4, 64, 3, 4, 4),
    ("c16", 4, 32, 3, 5, 3), ("f4", 32, 32, 2, 4, -3), ("V16", 8, 8, 3, 4, 3)], ids=str)
def test_tiles(dtype, rows, columns, bits, base, shift):
    x = np.frombuffer(np.random.default_rng(0).bytes(2 * rows * 3 * columns * np.dtype(dtype).itemsize), dtype).reshape(2 * rows, 3 * columns)
    text = f"Sw<{bits},{base},{shift}>"
    plain = x.reshape(2, rows, 3, columns).swapaxes(1, 2)
    tiles = cornerturn.rearrange(x, "(m a) (k b) -> m k | a b", a=rows, b=columns, swizzle=text)
    assert same(tiles, swizzled(plain, 2, bits, base, shift)) and tiles.tobytes() != plain.tobytes()
    assert same(cornerturn.rearrange(tiles, "m k | a b -> (m a) (k b)", source_swizzle=text), x)


def test_tiles_of_any_strides_are_read():
    tiles = cornerturn.rearrange(X, "(m a) (k b) -> m k | a b", a=8, b=32, swizzle="Sw<2,4,3>")
    wide = np.zeros((8, 4, 8, 32), "u2")
    wide[:, ::2] = tiles
    for given in (np.asfortranarray(tiles), wide[:, ::2], tiles[::-1, :, ::-1][::-1, :, ::-1]):
        assert same(cornerturn.rearrange(given, "m k | a b -> (m a) (k b)", source_swizzle="Sw<2,4,3>"), X)


def test_lists_and_names_of_axes():
    tiles = cornerturn.rearrange([X, X + 1], "t m k -> t | m k", swizzle="Sw<3,4,3>")
    assert same(tiles, swizzled(np.stack([X, X + 1]), 2, 3, 4, 3))
    assert same(cornerturn.rearrange(X, "(swizzle a) b -> b a swizzle", swizzle=2), X.reshape(2, 32, 64).transpose(2, 1, 0).copy())


def test_a_tile_without_a_swizzle_is_any_axes():
    assert same(cornerturn.rearrange(X, "m | k -> k|m"), X.T.copy())


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.rearrange(X, "m k -> m k", swizzle="Sw<3,4,3>"), ValueError,
     "swizzle is given; it must be left out without a | on the right of pattern 'm k -> m k'"),
    (lambda: cornerturn.rearrange(X, "m k -> | m k", swizzle="Sw<3,2,3>"), ValueError,
     "swizzle is 'Sw<3,2,3>'; it must be one of units of at least 16 bytes and of 1 to 5 bits, e.g. Sw<3,4,3>"),
    (lambda: cornerturn.rearrange(X, "| m k -> m k", source_swizzle="Sw<3>"), ValueError,
     "source_swizzle 'Sw<3>' is wrong at character 5, '>': ',' is expected, as a swizzle has bits, base and shift"),
    (lambda: cornerturn.rearrange(X[:, :24], "m k -> m | k", swizzle="Sw<2,4,3>"), ValueError,
     "the tile of swizzle is 24 elements of 2 bytes; it must be of axes that 32 bytes divide, as a boundary of the bits of 'Sw<2,4,3>'"),
    (lambda: cornerturn.rearrange(X, "m k -> | m k", shape=(60, 64), swizzle="Sw<3,4,3>"), ValueError,
     "shape[0] is 60; it must be 64, because a tile with a swizzle is whole"),
    (lambda: cornerturn.rearrange(X, "| m k -> m k", m=128, pad=0, source_swizzle="Sw<3,4,3>"), ValueError,
     "x.shape[0] is 64; it must be 128, because a tile with a swizzle is whole"),
    (lambda: cornerturn.rearrange(X[:, :0], "m k -> | m k", swizzle="Sw<3,2,3>"), ValueError,
     "swizzle is 'Sw<3,2,3>'; it must be one of units of at least 16 bytes and of 1 to 5 bits, e.g. Sw<3,4,3>"),
    (lambda: cornerturn.rearrange(np.zeros((16, 128), "V0"), "m | k -> k m", source_swizzle="Sw<2,5,3>"), TypeError,
     "x.itemsize is 0; it must be 1 or more with pad, shape, bits, a swizzle or out"),
    (lambda: cornerturn.rearrange(X, "m k -> | m k", swizzle=3), TypeError, "swizzle is 3; it must be a str"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert isinstance(caught.value, cornerturn.Error)
