"""Triton kernels that quantise a matrix to 8-bit floats as torchao's recipes do: the peer of cornerturn.fp8.quantize."""

import torch
import triton
import triton.language as tl

BLOCKS = {"given": 0, "1x128": 1, "128x128": 2, "rows": 3}


@triton.jit
def raise_amax(x, row_amax, column_amax, cols, has_rows: tl.constexpr, has_columns: tl.constexpr, tile_rows: tl.constexpr,
               tile_cols: tl.constexpr):
    """A program raises the magnitudes of rows and of columns to those of its tile."""
    r = tl.program_id(0) * tile_rows + tl.arange(0, tile_rows)
    c = tl.program_id(1) * tile_cols + tl.arange(0, tile_cols)
    magnitudes = tl.abs(tl.load(x + r[:, None] * cols + c[None, :]).to(tl.float32))
    if has_rows:
        tl.atomic_max(row_amax + r, tl.max(magnitudes, 1))
    if has_columns:
        tl.atomic_max(column_amax + c, tl.max(magnitudes, 0))


@triton.jit
def quantize_row(x, values, scales, cols: tl.constexpr, largest: tl.constexpr, least: tl.constexpr, width: tl.constexpr):
    """A program reads a row twice, the second time mostly from the caches."""
    row, c = tl.program_id(0), tl.arange(0, width)
    most = tl.zeros((width,), tl.float32)
    for first in range(0, cols, width):
        most = tl.maximum(most, tl.abs(tl.load(x + row * cols + first + c, first + c < cols, 0).to(tl.float32)))
    of_row = tl.maximum(tl.max(most), least)
    tl.store(scales + row, of_row / largest)
    for first in range(0, cols, width):
        numbers = tl.load(x + row * cols + first + c, first + c < cols, 0).to(tl.float32) * (largest / of_row)
        limited = tl.minimum(tl.maximum(numbers, -largest), largest)
        tl.store(values + row * cols + first + c, limited.to(values.dtype.element_ty), first + c < cols)


@triton.jit
def quantize_tile(x, row_values, row_scales, column_values, column_scales, scale, amax, row_amax, column_amax, rows, cols,
                  largest: tl.constexpr, least: tl.constexpr, blocks: tl.constexpr, has_rows: tl.constexpr,
                  has_columns: tl.constexpr, tile_rows: tl.constexpr, tile_cols: tl.constexpr):
    """A program reads a tile once and writes it to each output that is wanted. The matrix must be whole tiles."""
    tile_row, tile_col = tl.program_id(0), tl.program_id(1)
    r = tile_row * tile_rows + tl.arange(0, tile_rows)
    c = tile_col * tile_cols + tl.arange(0, tile_cols)
    numbers = tl.load(x + r[:, None] * cols + c[None, :]).to(tl.float32)
    magnitudes = tl.abs(numbers)
    if blocks == 0:
        tl.atomic_max(amax, tl.max(magnitudes))
        by_rows = numbers * (1 / tl.load(scale))
        by_columns = by_rows
    elif blocks == 1:
        of_rows = tl.maximum(tl.max(magnitudes, 1), least)
        of_columns = tl.maximum(tl.max(magnitudes, 0), least)
        by_rows = numbers * (largest / of_rows)[:, None]
        by_columns = numbers * (largest / of_columns)[None, :]
        if has_rows:
            tl.store(row_scales + r * (cols // 128) + tile_col, of_rows / largest)
        if has_columns:
            tl.store(column_scales + c * (rows // 128) + tile_row, of_columns / largest)
    elif blocks == 3:
        of_rows = tl.maximum(tl.load(row_amax + r), least)
        of_columns = tl.maximum(tl.load(column_amax + c), least)
        by_rows = numbers * (largest / of_rows)[:, None]
        by_columns = numbers * (largest / of_columns)[None, :]
        if has_rows:
            if tile_col == 0:
                tl.store(row_scales + r, of_rows / largest)
        if has_columns:
            if tile_row == 0:
                tl.store(column_scales + c, of_columns / largest)
    else:
        of_tile = tl.maximum(tl.max(magnitudes), least)
        by_rows = numbers * (largest / of_tile)
        by_columns = by_rows
        if has_rows:
            tl.store(row_scales + tile_row * (cols // 128) + tile_col, of_tile / largest)
        if has_columns:
            tl.store(column_scales + tile_col * (rows // 128) + tile_row, of_tile / largest)
    if has_rows:
        limited = tl.minimum(tl.maximum(by_rows, -largest), largest)
        tl.store(row_values + r[:, None] * cols + c[None, :], limited.to(row_values.dtype.element_ty))
    if has_columns:
        limited = tl.minimum(tl.maximum(by_columns, -largest), largest)
        tl.store(column_values + c[None, :] * rows + r[:, None], limited.to(column_values.dtype.element_ty))


def tiles_for(scales, outputs):
    """Rows and columns of tiles, which must have whole blocks of scales, and warps for them. Scales of rows alone need no tiles: a
    program has a row, and reads as many columns at once."""
    if scales == outputs == "rows":
        return [(1, 1024, 4), (1, 4096, 8)]
    tiles = [(128, 128, 8), (128, 128, 4)]
    if scales == "128x128" or outputs == "both":
        return tiles
    return [*tiles, (32, 128, 4) if outputs == "rows" else (128, 32, 4)]


def quantizer(x, scales, outputs, scale, tile):
    """Makes a function that quantises x to float8_e4m3fn. It returns the values and scales of the rows, those of the columns, each
    None if it is not wanted, and with given scales the largest magnitude."""
    (rows, cols), (tile_rows, tile_cols, warps) = x.shape, tile
    extent = 1 if scales in ("1x128", "rows") else 128
    made = []
    for which, (length, width) in (("rows", (rows, cols)), ("columns", (cols, rows))):
        is_wanted = outputs in (which, "both")
        made.append(torch.empty((length, width) if is_wanted else (1, 1), dtype=torch.float8_e4m3fn, device=x.device))
        made.append(torch.empty((length // extent, 1 if scales == "rows" else width // 128)
                                if is_wanted and scales != "given" else (1, 1), device=x.device))
    amax, line_amax = torch.zeros((), device=x.device), torch.zeros(rows + cols, device=x.device)
    has_rows, has_columns, tiles = outputs != "columns", outputs != "rows", (rows // tile_rows, cols // tile_cols)
    parts = [(values, None if scales == "given" else each) for values, each in (made[:2], made[2:])]
    result = (parts[0] if outputs != "columns" else None, parts[1] if outputs != "rows" else None, amax)

    def run():
        if scales == "given":
            amax.zero_()
        if scales == outputs == "rows":
            quantize_row[(rows,)](x, *made[:2], cols, largest=448.0, least=1e-12, width=tile_cols, num_warps=warps)
            return result
        if scales == "rows":
            line_amax.zero_()
            raise_amax[tiles](x, line_amax, line_amax[rows:], cols, has_rows=has_rows, has_columns=has_columns, tile_rows=tile_rows,
                              tile_cols=tile_cols, num_warps=warps)
        quantize_tile[tiles](x, *made, scale, amax, line_amax, line_amax[rows:], rows, cols, largest=448.0, least=1e-12,
                             blocks=BLOCKS[scales], has_rows=has_rows, has_columns=has_columns, tile_rows=tile_rows,
                             tile_cols=tile_cols, num_warps=warps)
        return result
    return run
