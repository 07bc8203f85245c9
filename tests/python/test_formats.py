"""cornerturn.formats: each format against loops or NumPy's indexing, written without its pattern; registration; messages."""

import re

import cornerturn
import numpy as np
import pytest
from arrays import same
from cornerturn import formats

RNG = np.random.default_rng(57)


def filled(*shape, dtype="u1"):
    return RNG.integers(0, 100, shape).astype(dtype)


def block_scales(x):
    rows, columns = -(-x.shape[0] // 128), -(-x.shape[1] // 4)
    tiles = np.zeros((rows, columns, 512), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            tiles[i // 128, j // 4, i % 32 * 16 + i % 128 // 32 * 4 + j % 4] = x[i, j]
    return tiles.reshape(rows, columns, 32, 4, 4)


def padded_columns(x):
    step = 16 // x.itemsize
    result = np.zeros((x.shape[1], -(-x.shape[0] // step) * step), x.dtype)
    for j in range(x.shape[1]):
        result[j, :x.shape[0]] = x[:, j]
    return result


def tiles(x, rows, columns, part):
    """Tiles of `rows` x `columns` elements, each in parts of `part` columns, whose rows are one after another."""
    flat = [x[i + r, j + p + c] for i in range(0, x.shape[0], rows) for j in range(0, x.shape[1], columns)
            for p in range(0, columns, part) for r in range(rows) for c in range(part)]
    return np.array(flat, x.dtype)


def core_matrices(x):
    columns = 16 // x.itemsize
    whole = np.zeros((-(-x.shape[0] // 8) * 8, -(-x.shape[1] // columns) * columns), x.dtype)
    whole[:x.shape[0], :x.shape[1]] = x
    return np.array([whole[i:i + 8, j:j + columns] for i in range(0, len(whole), 8) for j in range(0, whole.shape[1], columns)])


def packed_keys(x):
    pages, tokens, heads, width = x.shape
    part = 16 // x.itemsize
    result = np.zeros((pages, heads, width // part, tokens, part), x.dtype)
    for d in range(width):
        result[:, :, d // part, :, d % part] = np.moveaxis(x[..., d], 1, 2)
    return result


def blocked_channels(x, size):
    result = np.zeros((x.shape[0], -(-x.shape[1] // size), *x.shape[2:], size), x.dtype)
    for c in range(x.shape[1]):
        result[:, c // size, ..., c % size] = x[:, c]
    return result


def swizzled_tiles(x, bytes_, is_mn=False):
    """Tiles of 8 rows, or of 8 columns, of some bytes; the XOR of units repeats after 128 bytes."""
    width, unit = bytes_ // x.itemsize, 16 // x.itemsize
    a, b = (width, 8) if is_mn else (8, width)
    whole = np.zeros((-(-x.shape[0] // a) * a, -(-x.shape[1] // b) * b), x.dtype)
    whole[:x.shape[0], :x.shape[1]] = x
    result = np.zeros((len(whole) // a, whole.shape[1] // b, 8, width), x.dtype)
    for i, j in np.ndindex(whole.shape):
        row, column = (j % 8, i % width) if is_mn else (i % 8, j % width)
        flipped = row * bytes_ // 128 % (bytes_ // 16)
        result[i // a, j // b, row, (column // unit ^ flipped) * unit + column % unit] = whole[i, j]
    return result


def z_value(*indices):
    """The bits of indices, interleaved; those of the last one are the lowest."""
    return sum((index >> bit & 1) << (bit * len(indices) + len(indices) - 1 - axis)
               for axis, index in enumerate(indices) for bit in range(16))


def z_tiles(x):
    result = np.zeros((-(-x.shape[0] // 8), -(-x.shape[1] // 8), 64), x.dtype)
    for i, j in np.ndindex(x.shape):
        result[i // 8, j // 8, z_value(i % 8, j % 8)] = x[i, j]
    return result


def morton(x):
    """Of axes whose powers of two are equal."""
    result = np.zeros(2 ** (x.ndim * max(int(extent - 1).bit_length() for extent in x.shape)), x.dtype)
    for index in np.ndindex(x.shape):
        result[z_value(*index)] = x[index]
    return result


def transposed_nibbles(x):
    rows = np.stack([x & 15, x >> 4], -1).reshape(len(x), -1)
    return rows.T[:, ::2] | rows.T[:, 1::2] << 4


FORMATS = {
    "block_scales_32x4x4": (filled(300, 10), block_scales),
    "deepgemm_scales": (filled(101, 7, dtype="f4"), padded_columns),
    "shuffled_weights_8bit": (filled(48, 64), lambda x: tiles(x, 16, 32, 16)),
    "shuffled_weights_16bit": (filled(32, 96, dtype="u2"), lambda x: tiles(x, 16, 32, 8)),
    "core_matrices": (filled(20, 30, dtype="f2"), core_matrices),
    "k_major_sw128": (filled(20, 100, dtype="f2"), lambda x: swizzled_tiles(x, 128)),
    "k_major_sw64": (filled(20, 70), lambda x: swizzled_tiles(x, 64)),
    "k_major_sw32": (filled(20, 15, dtype="f4"), lambda x: swizzled_tiles(x, 32)),
    "mn_major_sw128": (filled(100, 20, dtype="f2"), lambda x: swizzled_tiles(x, 128, True)),
    "mn_major_sw64": (filled(64, 20, dtype="f4"), lambda x: swizzled_tiles(x, 64, True)),
    "mn_major_sw32": (filled(70, 9), lambda x: swizzled_tiles(x, 32, True)),
    "kv_nhd": (filled(5, 16, 3, 8), np.copy),
    "kv_hnd": (filled(5, 16, 3, 8), lambda x: x.swapaxes(1, 2)),
    "kv_packed_keys": (filled(5, 6, 3, 32, dtype="f2"), packed_keys),
    "kv_packed_values": (filled(5, 6, 3, 8), lambda x: np.moveaxis(x, 1, 3)),
    "kv_pages_of_layers": (filled(4, 5, 2, 3), lambda x: np.stack([x[:, page] for page in range(5)])),
    "channels_last": (filled(2, 5, 3, 4), lambda x: np.stack([x[:, c] for c in range(5)], -1)),
    "channels_in_blocks": (filled(2, 20, 3, 4), lambda x: blocked_channels(x, 16)),
    "raster_bsq": (filled(3, 4, 5), np.copy),
    "raster_bil": (filled(3, 4, 5), lambda x: np.stack([x[:, y] for y in range(4)])),
    "raster_bip": (filled(3, 4, 5), np.dstack),
    "complex_interleaved": (filled(2, 6, 7, dtype="f4"), lambda x: (x[0] + 1j * x[1]).astype("c8").view("f4").reshape(6, 7, 2)),
    "iq_samples": (filled(3, 10, 2, dtype="i2"), lambda x: np.stack([x[c] for c in range(3)], 1)),
    "pcm24_frames": (filled(2, 10, 3), lambda x: np.stack([x[0], x[1]], 1)),
    "rope_pairs": (filled(4, 10), lambda x: np.stack([x[:, :5], x[:, 5:]], -1).reshape(4, 10)),
    "gate_up": (filled(10, 4), lambda x: np.stack([x[:5], x[5:]], 1).reshape(10, 4)),
    "z_order_8x8": (filled(20, 13), z_tiles),
    "nibbles_transposed": (filled(12, 10), transposed_nibbles),
    "bits_transposed": (filled(16, 10), lambda x: np.packbits(np.unpackbits(x, axis=1, bitorder="little").T, 1, "little")),
    "matlab": (filled(3, 4, 5, dtype="f8"), lambda x: np.frombuffer(x.tobytes("F")).reshape(5, 4, 3)),
    "morton": (filled(13, 9, dtype="i4"), morton),
}


@pytest.mark.parametrize("name", formats.names())
def test_a_format_and_its_inverse(name):
    x, wanted_of = FORMATS[name]
    wanted = wanted_of(x)
    packed = formats.pack(x, name)
    assert packed.dtype == x.dtype and packed.flags.c_contiguous and packed.tobytes() == np.ascontiguousarray(wanted).tobytes()
    bits = formats.info(name).bits
    assert same(formats.unpack(packed, name, shape=(*x.shape[:-1], x.shape[-1] * 8 // bits)), x)


@pytest.mark.parametrize("name", formats.names())
def test_a_format_is_described(name):
    described = formats.info(name)
    assert described.name == name and described.description.endswith(".") and described.source and "->" in described.pattern


def test_batches_of_matrices():
    x = filled(3, 2, 130, 5)
    assert same(formats.pack(x, "block_scales_32x4x4"), np.array([[block_scales(matrix) for matrix in each] for each in x]))


def test_lengths_of_a_call():
    x = filled(2, 20, 3, 4)
    assert same(formats.pack(x, "channels_in_blocks", x=8), blocked_channels(x, 8))
    assert same(formats.unpack(blocked_channels(x, 8), "channels_in_blocks", x=8, shape=x.shape), x)


def test_morton_order_of_any_axes():
    x = filled(3, 4, 4)
    assert same(formats.pack(x, "morton"), morton(x))
    wide = filled(2, 8)
    # the bits of the longer axis that the other lacks are the highest
    assert same(formats.pack(wide, "morton"), np.concatenate([morton(wide[:, i:i + 2]) for i in range(0, 8, 2)]))
    assert same(formats.unpack(formats.pack(wide, "morton"), "morton", shape=(2, 8)), wide)


def test_conversions():
    x = filled(5, 6, 3, 32, dtype="f2")
    keys = formats.convert(x, "kv_nhd", "kv_packed_keys")
    assert same(keys, packed_keys(x))
    assert same(formats.convert(keys, "kv_packed_keys", "kv_hnd"), x.swapaxes(1, 2).copy())
    scales = filled(100, 7)
    tiles = filled(64, 128, dtype="f2")
    assert same(formats.convert(formats.pack(tiles, "k_major_sw128"), "k_major_sw128", "mn_major_sw64"), swizzled_tiles(tiles, 64, True))
    columns = formats.convert(formats.pack(scales, "block_scales_32x4x4"), "block_scales_32x4x4", "deepgemm_scales", shape=(100, 7))
    assert same(columns, padded_columns(scales))


def test_tiles_of_more_rows():
    x = filled(64, 128, dtype="f2")
    wide = formats.pack(x, "k_major_sw128", a=64)
    assert wide.shape == (1, 2, 64, 64)
    # the atoms of 8 rows follow one another within a tile
    assert wide.tobytes() == formats.pack(x, "k_major_sw128").swapaxes(0, 1).tobytes()
    assert same(formats.unpack(wide, "k_major_sw128", a=64), x)


def test_registration():
    formats.register("test_tiles", "(m a) (n b) -> m n b a", a=4, b=0, padded=True, description="Tiles.", source="A test.")
    try:
        x = filled(6, 7)
        packed = formats.pack(x, "test_tiles", b=2)
        assert formats.info("test_tiles") == formats.Format("test_tiles", "(m a) (n b) -> m n b a", (("a", 4, False), ("b", 0, False)), True, 8, "",
                                                            False, "Tiles.", "A test.")
        assert same(packed, np.pad(x, ((0, 2), (0, 1))).reshape(2, 4, 4, 2).transpose(0, 2, 3, 1).copy())
        assert same(formats.unpack(packed, "test_tiles", b=2, shape=(6, 7)), x)
        with pytest.raises(ValueError, match="^b is missing; it must be the length of an axis of pattern '.m a. .n b. -> m n b a'$"):
            formats.pack(x, "test_tiles")
        with pytest.raises(ValueError, match="^name is 'test_tiles'; it must be a name that no format has$"):
            formats.register("test_tiles", "a -> a")
    finally:
        assert formats.names()[-1] == "test_tiles"


def test_the_shape_of_one_axis_is_an_integer():
    x = filled(5)
    packed = formats.pack(x, "morton")
    for shape in (5, np.int64(5), (5,), [5], np.array([5])):
        assert same(formats.unpack(packed, "morton", shape=shape), x)
    assert same(formats.convert(packed, "morton", "morton", shape=5), packed)


@pytest.mark.parametrize("name", ["pad", "shape", "bits", "order", "swizzle", "source_swizzle", "out"])
def test_axes_with_the_names_of_keywords_are_refused(name):
    pattern = f"({name} b) c -> {name} b c"
    message = f"pattern is {pattern!r}; it must be one whose axes have other names than {name}, a keyword of rearrange"
    with pytest.raises(cornerturn.ArgumentError, match=f"^{re.escape(message)}$"):
        formats.register("test_keywords", pattern)
    assert "test_keywords" not in formats.names()


@pytest.mark.parametrize("call, error, message", [
    (lambda: formats.unpack(filled(8), "morton", shape=5.0), TypeError, "shape is 5.0; it must be an integer or a sequence of integers"),
    (lambda: formats.unpack(filled(8), "morton", shape=(5.0,)), TypeError, "shape is (5.0,); it must be a sequence of 64-bit integers"),
    (lambda: formats.pack(filled(2, 2), "kv_ndh"), ValueError, "name is 'kv_ndh'; it must be the name of a format; did you mean kv_nhd?"),
    (lambda: formats.pack(filled(2, 2), "kv_hnd"), ValueError, "x.ndim is 2; it must be 4, as on the left of pattern 'p t h d -> p h t d'"),
    (lambda: formats.pack(filled(2, 2), "gate_up", q=2, z=3), ValueError,
     "z is given; it must be the name of an axis of pattern '... (q n) k -> ... (n q) k'"),
    (lambda: formats.pack(np.zeros((8, 4), [("a", "u1", 3)]), "core_matrices"), ValueError,
     "the size of an element is 24 bits; it must be a divisor of 16 bytes"),
    (lambda: formats.unpack(filled(64), "morton"), ValueError, "shape is None; it must be the shape of the array before it was packed to morton"),
    (lambda: formats.register("", "a -> a"), ValueError, "name is empty; it must be a text"),
    (lambda: formats.register("new", "a -> b"), ValueError, "pattern is 'a -> b'; it must have the same axes on both sides, unlike 'a' at index 0"),
    (lambda: formats.register("new", "a ... -> (... a)"), ValueError,
     "pattern is ' (... a) -> a ... '; it must have ... outside parentheses on the left, unlike '(... a)' at index 1"),
    (lambda: formats.register("new", "a -> a", c=3), ValueError, "c is given; it must be the name of an axis of pattern 'a -> a'"),
    (lambda: formats.register("new", "a -> | a", swizzle="Sw<3,3,3>"), ValueError,
     "swizzle is 'Sw<3,3,3>'; it must be one of units of at least 16 bytes and of 1 to 5 bits, e.g. Sw<3,4,3>"),
    (lambda: formats.register("new", "| a -> a", swizzle="Sw<3,4,3>"), ValueError,
     "swizzle is given; it must be left out without a | on the right of pattern '| a -> a'"),
    (lambda: formats.register("new", "a -> a", bits=3), ValueError, "bits is 3; it must be 8, 4, 2 or 1"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert isinstance(caught.value, cornerturn.Error)


def test_what_numpy_takes_as_an_array():
    rows = [[1, 2, 3], [4, 5, 6]]
    wanted = formats.pack(np.array(rows), "matlab")
    for x in (rows, memoryview(np.array(rows))):
        assert same(formats.pack(x, "matlab"), wanted)
