"""`cornerturn transpose --format`: files in layouts with names, against NumPy."""

import re
import subprocess

import numpy as np
import pytest

from arrays import PROGRAM, filled, raw, refused, run

LISTED = subprocess.run([PROGRAM, "info", "--formats"], capture_output=True, text=True)


def packed(folder, array, name, *options):
    """What the program makes of an array."""
    np.save(folder / "in.npy", array)
    done = run(folder / "in.npy", folder / "out.npy", "--format", name, *options)
    assert done.returncode == 0 and done.stderr == "", done
    result = np.load(folder / "out.npy")
    assert result.dtype == array.dtype and result.flags.c_contiguous
    return result


def in_blocks(x, size):
    """Channels, the second axis, in blocks of a size."""
    whole = np.zeros((len(x), -(-x.shape[1] // size) * size, *x.shape[2:]), x.dtype)
    whole[:, :x.shape[1]] = x
    return np.moveaxis(whole.reshape(len(x), -1, size, *x.shape[2:]), 2, -1)


def scale_tiles(x):
    whole = np.zeros((-(-x.shape[0] // 128) * 128, -(-x.shape[1] // 4) * 4), x.dtype)
    whole[:x.shape[0], :x.shape[1]] = x
    return whole.reshape(len(whole) // 128, 4, 32, -1, 4).transpose(0, 3, 2, 1, 4)


@pytest.mark.parametrize("order", "CF")
def test_pads_and_their_inverse(tmp_path, order):
    x = np.array(filled((300, 10), "u1"), order=order)
    tiles = packed(tmp_path, x, "block_scales_32x4x4")
    assert raw(tiles) == raw(scale_tiles(x)) and tiles.shape == (3, 3, 32, 4, 4)
    back = packed(tmp_path, np.array(tiles, order=order), "block_scales_32x4x4", "--unpack", "--out-shape", "300x10")
    assert np.array_equal(back, x)
    with_padding = packed(tmp_path, tiles, "block_scales_32x4x4", "--unpack")
    assert with_padding.shape == (384, 12) and np.array_equal(with_padding[:300, :10], x) and not with_padding[300:].any()


@pytest.mark.parametrize("dtype", ["<f2", ">i4", "V3", [("a", "u1"), ("b", "<f8")]], ids=str)
def test_any_dtype_with_lengths(tmp_path, dtype):
    x = filled((2, 10, 3, 5), dtype)
    assert raw(packed(tmp_path, x, "channels_in_blocks", "--lengths", "x=4")) == raw(in_blocks(x, 4))


@pytest.mark.parametrize("order", "CF")
def test_what_divides_is_moved_in_pieces(tmp_path, order):
    x = np.array(filled((64, 64, 40, 30), "<f4"), order=order)
    assert raw(packed(tmp_path, x, "channels_in_blocks", "--memory", "3MiB")) == raw(in_blocks(x, 16))
    y = in_blocks(x, 16)
    assert raw(packed(tmp_path, y, "channels_in_blocks", "--unpack", "--memory", "3MiB")) == raw(x)


def test_packed_elements(tmp_path):
    x = filled((12, 10), "u1")
    nibbles = np.stack([x & 15, x >> 4], -1).reshape(12, 20).T
    turned = packed(tmp_path, x, "nibbles_transposed")
    assert np.array_equal(turned, nibbles[:, ::2] | nibbles[:, 1::2] << 4)
    assert np.array_equal(packed(tmp_path, turned, "nibbles_transposed", "--unpack", "--out-shape", "12x20"), x)
    bits = packed(tmp_path, x[:8], "bits_transposed")
    assert np.array_equal(bits, np.packbits(np.unpackbits(x[:8], axis=1, bitorder="little").T, 1, "little"))


def test_swizzled_tiles(tmp_path):
    x = filled((32, 128), "<f2")
    rows = x.reshape(4, 8, 2, 8, 8).swapaxes(1, 2)  # tiles of 8 rows of 8 units
    tiles = np.stack([rows[..., row, np.arange(8) ^ row, :] for row in range(8)], -3).reshape(4, 2, 8, 64)
    assert raw(packed(tmp_path, x, "k_major_sw128")) == raw(tiles)
    assert raw(packed(tmp_path, tiles, "k_major_sw128", "--unpack")) == raw(x)


def test_raw_files(tmp_path):
    x = filled((20, 30), "<f2")
    (tmp_path / "in.raw").write_bytes(b"head" + x.tobytes())
    as_raw = ["--raw", "--type", "f16", "--format", "core_matrices"]
    assert run(tmp_path / "in.raw", tmp_path / "out.raw", *as_raw, "--shape", "20x30", "--offset", "4").returncode == 0
    whole = np.zeros((24, 32), "<f2")
    whole[:20, :30] = x
    assert (tmp_path / "out.raw").read_bytes() == raw(whole.reshape(3, 8, 4, 8).swapaxes(1, 2))
    back = run(tmp_path / "out.raw", tmp_path / "back.raw", *as_raw, "--shape", "3x4x8x8", "--unpack", "--out-shape", "20x30")
    assert back.returncode == 0 and (tmp_path / "back.raw").read_bytes() == raw(x)
    assert "(20, 30) of f16, 1.2 KB" in " ".join(back.stdout.split())


def test_shapes_without_elements(tmp_path):
    assert packed(tmp_path, np.zeros((0, 10), "u1"), "block_scales_32x4x4").shape == (0, 3, 32, 4, 4)
    assert packed(tmp_path, np.zeros((2, 0), "u1"), "nibbles_transposed").shape == (0, 1)


EXTENTS = {"shuffled_weights_8bit": (32, 64), "shuffled_weights_16bit": (32, 64), "kv_packed_keys": (2, 3, 4, 32),
           "complex_interleaved": (2, 5, 6), "iq_samples": (3, 5, 2), "pcm24_frames": (2, 5, 3), "gate_up": (6, 4),
           "rope_pairs": (6, 4)}


def test_every_format_that_info_lists_packs_and_unpacks(tmp_path):
    assert LISTED.returncode == 0 and max(len(line) for line in LISTED.stdout.splitlines()) <= 80
    listed = re.findall(r"^(\w+)\n  (.*)", LISTED.stdout, re.MULTILINE)
    assert len(listed) == 31 and ("block_scales_32x4x4", "... (m a b) (k c) -> ... m k b a c; a=4, b=32, c=4, padded") in listed
    for name, pattern in listed:
        rank = 4 if name.startswith("kv_") else 3 if re.search(r"\b[bc] ", pattern) and "..." not in pattern else 2
        x = filled(EXTENTS.get(name, (6, 5, 4, 8)[:rank]), "u1")
        if name.endswith("_transposed"):
            x = filled((8, 16), "u1")
        shape = (*x.shape[:-1], x.shape[-1] * {"nibbles_transposed": 2, "bits_transposed": 8}.get(name, 1))
        turned = packed(tmp_path, x, name)
        back = packed(tmp_path, turned, name, "--unpack", "--out-shape", "x".join(map(str, shape)))
        assert back.shape == x.shape and np.array_equal(back, x), name


def test_what_the_array_does_not_fit_changes_nothing(tmp_path):
    np.save(tmp_path / "a.npy", filled((30, 10), "<f4"))
    np.save(tmp_path / "bytes.npy", filled((30, 10), "u1"))
    np.save(tmp_path / "fortran.npy", np.asfortranarray(filled((4, 6), "u1")))
    np.save(tmp_path / "out.npy", filled((3,), "u1"))

    def says(message, *arguments, source="a.npy"):
        assert refused(tmp_path, tmp_path / source, tmp_path / "out.npy", *arguments) == message

    says("--format is 'block_scale'; it must be the name of a format; did you mean block_scales_32x4x4?", "--format", "block_scale")
    says("--format is ''; it must be the name of a format", "--format", "")
    says("the input's rank is 2; it must be 4, as on the left of pattern 'p t h d -> p h t d'", "--format", "kv_hnd")
    says("the input's shape[0] is 30; it must be a multiple of 4, for '(q n)' at index 4 of pattern '... (q n) k -> ... (n q) k'",
         "--format", "gate_up", "--lengths", "q=4")
    says("x is 'many'; it must be a whole number, at most 9223372036854775807", "--format", "channels_in_blocks", "--lengths", "x=many")
    says("--lengths is 'x'; it must be names and lengths with = and commas between them, e.g. x=8,c=2",
         "--format", "channels_in_blocks", "--lengths", "x")
    says("z is given; it must be the name of an axis of pattern 'b (c x) ... -> b c ... x'",
         "--format", "channels_in_blocks", "--lengths", "z=3")
    says("the size of the elements of the input is 4 bytes; it must be 1 byte, which holds packed elements",
         "--format", "nibbles_transposed")
    says("the order of the input is Fortran's; it must be C's for packed elements", "--format", "nibbles_transposed",
         source="fortran.npy")
    says("the last extent of the result is 30; it must be a multiple of 8, whole bytes", "--format", "bits_transposed",
         source="bytes.npy")
    says("the tile of swizzle is 3x24 elements of 4 bytes; it must be of axes that 64 bytes divide, as a boundary of the bits of 'Sw<3,4,3>'",
         "--format", "k_major_sw128", "--lengths", "a=3,b=24")
    says("--out-shape is empty; it must be the shape of the array before it was packed to morton", "--format", "morton", "--unpack")
    says("--out-shape[0] is 31; it must be from 0 to 30, the extent that the pattern makes",
         "--format", "rope_pairs", "--unpack", "--out-shape", "31x10")
    says("--out-shape is '3y4'; it must be whole numbers with an x or commas between them, e.g. 256x224x224x3",
         "--format", "morton", "--unpack", "--out-shape", "3y4")
    says("--memory is 1000; it must be at least 2736 bytes, because what is padded, cropped, packed or swizzled is moved as a whole",
         "--format", "core_matrices", "--memory", "1000")
    says("--memory is 1048576; it must be at least 9223372036854777000 bytes, because what is padded, cropped, packed or swizzled is moved as a whole",
         "--format", "channels_in_blocks", "--lengths", f"x={2**63 // 120}", "--memory", "1MiB")
    says("--unpack requires --format; see cornerturn transpose --help", "--unpack")
    says("--out-shape requires --unpack; see cornerturn transpose --help", "--format", "morton", "--out-shape", "3x4")
    for other in (["--axes", "1,0"], ["--flip", "0"], ["--to", "f2"], ["--conj"]):
        says(f"{other[0]} and --format exclude each other; see cornerturn transpose --help", "--format", "raster_bip", *other)
    assert refused(tmp_path, tmp_path / "a.npy", "--format", "matlab", "--inplace").startswith("--inplace and --format exclude each other")
