#!/usr/bin/env python3
"""Runs the functions of cornerturn/exchange.cuh and cornerturn/rows.cuh on a GPU, and examples/tile/attention_values.cu if it has
wgmma, and compares their results with NumPy's.

    python3 bench/tile_exchanges.py

Prints a line for each function. It needs a GPU and CuPy. Under `ncu --metrics METRIC` with the metrics that bench/counters.py names, the
kernel `rows` has 4 wavefronts for each ldmatrix.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE, EXAMPLES = ROOT / "include", ROOT / "examples/tile"
HEADERS = "#include <cornerturn/exchange.cuh>\n#include <cornerturn/rows.cuh>\nnamespace tile = cornerturn::tile;\n"
TYPES = {1: "unsigned char", 2: "unsigned short"}


def launched(name, body, threads, *arrays):
    """Launches one block of a kernel with pointers to copies of the arrays, and returns these."""
    import cupy

    source = f'{HEADERS}extern "C" __global__ void {name}({body}'
    copies = [cupy.asarray(each) for each in arrays]
    cupy.RawModule(code=source, options=("-std=c++17", f"-I{INCLUDE}")).get_function(name)((1,), (threads,), tuple(copies))
    return [cupy.asnumpy(each) for each in copies]


def packed(bits):
    words = numpy.random.default_rng(bits).integers(0, 1 << 32, 32, dtype=numpy.uint32)
    after, = launched("packed", f"""unsigned* words) {{
  unsigned each[1] = {{words[threadIdx.x]}};
  tile::exchange_packed<{bits}>(tile::warp_lanes(), each);
  words[threadIdx.x] = each[0];
}}""", 32, words)
    elements = lambda each: (each[:, None] >> (bits * numpy.arange(32 // bits, dtype=numpy.uint32)) & ((1 << bits) - 1)).reshape(-1, 32 // bits, 32 // bits)
    return numpy.array_equal(elements(after), elements(words).transpose(0, 2, 1))


def rows(size, mode):
    """A warp loads 32 rows in a mode of TMA, and stores the columns that ldmatrix gives."""
    columns, together = mode // size, 16 // size
    matrix = numpy.random.default_rng(mode).integers(0, 256**size, (32, columns)).astype(f"u{size}")
    _, after = launched("rows", f"""{TYPES[size]} const* in, {TYPES[size]}* out) {{
  using rows = cornerturn::row_tile<{TYPES[size]}, 32, {columns}, 32, tile::tma_{mode}>;
  alignas(1024) __shared__ char memory[rows::shared_bytes];
  tile::thread_block block(memory);
  rows::load(block, in, {columns}, {{32, {columns}}});
  block.sync();
  int const lane = block.thread();
  for (int column = 0; column < {columns}; column += {together}) {{
    {TYPES[size]} registers[{2 // size}][8];
    tile::load_transposed(tile::warp_lanes(), [&](int row) {{ return rows::data(block) + rows::offset(row, column); }}, registers);
    for (int c = 0; c < {2 // size}; ++c)
      for (int r = 0; r < 8; ++r) out[(column + lane / 4 * {2 // size} + c) * 32 + lane % 4 * 8 + r] = registers[c][r];
  }}
}}""", 32, matrix, numpy.zeros((columns, 32), matrix.dtype))
    return numpy.array_equal(after, matrix.T)


def fragments():
    matrix = numpy.random.default_rng(1).integers(0, 65536, (16, 24)).astype("u2")
    _, after = launched("fragments", """unsigned const* in, unsigned* out) {
  unsigned from[2][3], to[3][2];
  int const row = threadIdx.x / 4, word = threadIdx.x % 4;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) from[i][k] = in[(8 * i + row) * 12 + 4 * k + word];
  tile::transpose_fragments(tile::warp_lanes(), from, to);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i) out[(8 * k + row) * 8 + 4 * i + word] = to[k][i];
}""", 32, matrix, numpy.zeros((24, 16), matrix.dtype))
    return numpy.array_equal(after, matrix.T)


def attention_values(queries, keys):
    """The example is compiled for sm_90a, which CuPy's RawModule does not know. Sums of small integers are exact."""
    import cupy
    from cupy.cuda import nvrtc

    source = (EXAMPLES / "attention_values.cu").read_text().replace("__global__", 'extern "C" __global__')
    program = nvrtc.createProgram(source, "attention_values.cu", (), ())
    try:
        nvrtc.compileProgram(program, ("-std=c++17", "-arch=sm_90a", f"-I{INCLUDE}", f"-I{EXAMPLES}"))
    except nvrtc.NVRTCError:
        sys.exit(nvrtc.getProgramLog(program))
    bits = numpy.array([0xc0, 0xb8, 0, 0x38, 0x40], numpy.uint8)  # -2 to 2 as e4m3
    random = numpy.random.default_rng(queries)
    p, v = random.integers(0, 5, (queries, keys)), random.integers(0, 5, (keys, 128))
    out = cupy.full((queries, 128), numpy.nan, numpy.float32)
    given = (cupy.asarray(bits[p]), cupy.asarray(bits[v]), out, numpy.int32(queries), numpy.int32(keys))
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(nvrtc.getCUBIN(program))
        file.flush()
        cupy.RawModule(path=file.name).get_function("attention_values")((-(-queries // 64),), (128,), given)
    return numpy.array_equal(cupy.asnumpy(out), (p - 2) @ (v - 2))


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    import cupy

    results = {f"exchange_packed<{bits}>": packed(bits) for bits in (4, 2, 1)}
    results |= {f"load_transposed, {size} bytes, tma_{mode}": rows(size, mode) for size in TYPES for mode in (32, 64, 128)}
    results["transpose_fragments"] = fragments()
    if cupy.cuda.Device().compute_capability == "90":
        results |= {f"attention_values, {queries} x {keys}": attention_values(queries, keys) for queries, keys in ((64, 128), (1000, 4096), (70, 200))}
    for name, is_right in results.items():
        print(f"{name}: {'right' if is_right else 'WRONG'}")
    sys.exit(not all(results.values()))


if __name__ == "__main__":
    main()
