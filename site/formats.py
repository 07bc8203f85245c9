"""Pictures of the layouts with names: where the elements of a small array go, as the program moves them."""

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import themes

CELL = 20
STYLE = "text{font:9px sans-serif;text-anchor:middle}.title{font-size:12px;text-anchor:start}"

# For each format the array, the dtype whose size lengths in bytes depend on, and smaller lengths.
ARRAYS = {
    "block_scales_32x4x4": ((14, 4), "u1", "a=2,b=4,c=2"), "deepgemm_scales": ((6, 6), "f4", ""),
    "shuffled_weights_8bit": ((8, 16), "u1", "a=4,b=2,c=4"), "shuffled_weights_16bit": ((8, 16), "u2", "a=4,b=4,c=2"),
    "core_matrices": ((14, 8), "u4", ""), "k_major_sw128": ((16, 8), "c16", ""), "k_major_sw64": ((8, 8), "c16", ""),
    "k_major_sw32": ((8, 4), "c16", ""), "mn_major_sw128": ((16, 8), "c16", ""), "mn_major_sw64": ((8, 8), "c16", ""),
    "mn_major_sw32": ((4, 8), "c16", ""), "kv_nhd": ((2, 3, 2, 4), "u1", ""), "kv_hnd": ((2, 3, 2, 4), "u1", ""),
    "kv_packed_keys": ((1, 4, 2, 8), "f4", ""), "kv_packed_values": ((2, 3, 2, 4), "u1", ""), "kv_pages_of_layers": ((3, 2, 4), "u1", ""),
    "channels_last": ((1, 3, 8), "u1", ""), "channels_in_blocks": ((1, 6, 4), "u1", "x=4"), "raster_bsq": ((3, 3, 4), "u1", ""),
    "raster_bil": ((3, 3, 4), "u1", ""), "raster_bip": ((3, 3, 4), "u1", ""), "complex_interleaved": ((2, 3, 4), "u1", ""),
    "iq_samples": ((3, 4, 2), "u1", ""), "pcm24_frames": ((2, 5, 3), "u1", ""), "rope_pairs": ((4, 8), "u1", ""),
    "gate_up": ((6, 4), "u1", ""), "z_order_8x8": ((8, 16), "u1", ""), "nibbles_transposed": ((8, 12), "u1", ""),
    "bits_transposed": ((8, 16), "u1", ""), "matlab": ((5, 6), "u1", ""), "morton": ((6, 8), "u1", ""),
}


def listed(program):
    """The formats of the program: for each name its pattern, and its description with its source."""
    text = subprocess.run([program, "info", "--formats"], check=True, capture_output=True, text=True).stdout
    found = {name: (pattern, " ".join(described.split()))
             for name, pattern, described in re.findall(r"^(\w+)\n  (.*)\n((?:  .*\n)+)", text, re.MULTILINE)}
    if found.keys() != ARRAYS.keys():
        raise SystemExit(f"site: formats without an array of site/formats.py, or the other way round: {sorted(found.keys() ^ ARRAYS.keys())}")
    return found


def moved(program, name, numbers):
    """An array in a format."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "in.npy"), Path(folder, "out.npy")
        np.save(source, numbers)
        lengths = ["--lengths", ARRAYS[name][2]] if ARRAYS[name][2] else []
        subprocess.run([program, "transpose", source, result, "--format", name, *lengths], check=True, capture_output=True)
        return np.load(result)


def places(program, name):
    """The numbers of the elements of an array, from 1 on, and those of the format's memory; 0 is padding."""
    shape, dtype, _ = ARRAYS[name]
    numbers = np.arange(1, np.prod(shape) + 1).reshape(shape)
    bits = {"nibbles_transposed": 4, "bits_transposed": 1}.get(name)
    if not bits:
        return numbers, moved(program, name, numbers.astype(dtype)).real.astype(int)
    shifts, result = np.arange(0, 8, bits), 0
    for part in shifts:  # the elements have a few bits of the numbers at a time
        elements = (numbers >> part & (1 << bits) - 1).reshape(*shape[:-1], -1, len(shifts))
        bytes_ = moved(program, name, (elements << shifts).sum(-1).astype(np.uint8))
        result += ((bytes_[..., None] >> shifts & (1 << bits) - 1).astype(int) << part).reshape(*bytes_.shape[:-1], -1)
    return numbers, result


def grid(numbers, left, title, theme):
    """The cells of a grid as SVG, each with its number, from dark to light."""
    parts, most = [f'<text x="{left}" y="12" class="title" fill="{theme["text"]}">{title}</text>'], numbers.max()
    for (row, column), number in np.ndenumerate(numbers):
        x, y, share = left + CELL * column, 20 + CELL * row, number / most
        colour = f"hsl({260 - 200 * share:.0f} 55% {28 + 42 * share:.0f}%)" if number else theme["line"]
        parts.append(f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" fill="{colour}"/>')
        if number:
            parts.append(f'<text x="{x + CELL / 2}" y="{y + 13}" fill="{"#fff" if share < 0.6 else "#000"}">{number}</text>')
    return "".join(parts)


def draw(program, name, folder):
    """Draws a format in both themes as format-NAME-light.svg and format-NAME-dark.svg, and returns the words below."""
    shape, dtype, lengths = ARRAYS[name]
    source, result = places(program, name)
    width = shape[-1]
    grids = [source.reshape(-1, width), np.pad(result.reshape(-1), (0, -result.size % width)).reshape(-1, width)]
    right = max(CELL * width + 2 * CELL, 120)
    size = right + max(CELL * width, 120), 24 + CELL * max(map(len, grids))
    for theme, colours in (("light", themes.LIGHT), ("dark", themes.DARK)):
        shown = grid(grids[0], 0, "the array", colours) + grid(grids[1], right, "its memory", colours)
        (folder / f"format-{name}-{theme}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}">'
            f"<style>{STYLE}</style>{shown}</svg>\n")
    item_size = np.dtype(dtype).itemsize
    given = [f"elements of {item_size} bytes"] * (item_size > 1) + lengths.split(",") * bool(lengths)
    return f"An array of {' x '.join(map(str, shape))}{', with ' if given else ''}{', '.join(given)}."
