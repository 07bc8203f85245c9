"""cornerturn/tile.cuh without the library: a copy of it compiles as C++17, by nvcc and by NVRTC, and a wrong use is told."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import run_files  # noqa: E402

HEADER = pathlib.Path(__file__).parents[2] / "include/cornerturn/tile.cuh"
HEADERS = ["tile.cuh", "exchange.cuh", "rows.cuh", "packed.cuh"]
EXAMPLES = HEADER.parents[2] / "examples/tile"
CXX = os.environ.get("CXX", "c++")
KERNELS = "struct same { template <class T> __device__ T operator()(T each, int, int) const { return each; } };" + "".join(f"""
extern "C" __global__ void __launch_bounds__({threads}) transpose_{index}({element} const* in, {element}* out, int rows, int columns) {{
  using tile = cornerturn::tile_transpose<{element}, {tile}, {threads}>;
  alignas(16) __shared__ char memory[tile::shared_bytes];
  cornerturn::tile::thread_block block(memory);
  tile::load(block, in, columns, {{rows, columns}}, same());
  tile::store(block, out, rows, {{rows, columns}});
}}""" for index, (element, tile, threads) in enumerate([("unsigned char", "64, 128", 128), ("unsigned short", "64, 64", 128),
                                                         ("float", "48, 40", 64), ("double", "32, 32", 256), ("float4", "32, 32", 128)]))


@pytest.fixture
def copy(tmp_path):
    """A folder that has nothing but the header."""
    shutil.copy(HEADER, tmp_path)
    return tmp_path


def copied_headers(folder):
    """Copies the headers for kernels to a folder of their own."""
    (folder / "cornerturn").mkdir()
    for name in HEADERS:
        shutil.copy(HEADER.with_name(name), folder / "cornerturn")


def compiled(folder, source, command, *options, header="tile.cuh"):
    (folder / "use.cu").write_text(f'#include "{header}"\n' + source)
    language = [] if "nvcc" in str(command) else ["-x", "c++", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-sign-conversion", "-Wshadow", "-Werror"]
    return subprocess.run([command, *language, *options, "use.cu"], cwd=folder, capture_output=True, text=True)


def nvcc():
    """The nvcc of a build with the GPU engine."""
    info = subprocess.run([os.environ["CORNERTURN"], "info"], capture_output=True, text=True, check=True).stdout
    wheel = pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia", "cu13", "bin")
    found = shutil.which("nvcc", path=os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin", str(wheel)]))
    if "not built in" in info or not found:
        pytest.skip("this build has no GPU engine")
    return found


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_a_copy_explains_its_tiles(copy, standard):
    done = compiled(copy, "int main() { cornerturn::tile_transpose<float, 64, 64, 256>::explain(); }", CXX, f"-std={standard}", "-o", "use")
    assert done.returncode == 0, done.stderr
    said = subprocess.run([copy / "use"], capture_output=True, text=True, check=True).stdout
    assert said == ("64 x 64 elements of 4 bytes, 256 threads: Swizzle<3, 4, 6> of 16384 bytes\n"
                    "wavefronts of a request: 4 to store, 4 to load, 8 together without bank conflicts\n")


def test_nsight_compute_counted_the_wavefronts_that_are_explained(copy):
    """A request's on an H200, of tiles with and without a mode of TMA."""
    counted = run_files.committed("h200-tile-header.json")["counters"]
    types = {1: "char", 2: "short", 4: "float", 8: "double"}
    calls = [f"cornerturn::tile_transpose<{types[each['bytes']]}, {each['tile'][0]}, {each['tile'][1]}, {each['threads']}"
             + (f", cornerturn::tile::{each['mode']}" if "mode" in each else "") + ">::explain();" for each in counted]
    done = compiled(copy, f"int main() {{ {' '.join(calls)} }}\n", CXX, "-std=c++17", "-o", "use")
    assert done.returncode == 0, done.stderr
    said = subprocess.run([copy / "use"], capture_output=True, text=True, check=True).stdout
    explained = [tuple(map(int, each)) for each in re.findall(r"(\d+) to store, (\d+) to load, (\d+) together", said)]
    assert [each[:2] for each in explained] == [(each["st per request"], each["ld per request"]) for each in counted]
    assert len(explained) >= 10 and all(store + load <= ideal + 1 for store, load, ideal in explained)


def test_a_search_takes_at_most_131072_steps(copy):
    """clang counts them for each constant, here for 30 tiles and for those of odd sizes that take the most of 1200 random ones."""
    clang = shutil.which("clang++")
    if not clang:
        pytest.skip("no clang++")
    tiles = [(element, rows, columns, threads) for element in ("char", "short", "float", "double", "wide")
             for rows, columns in ((32, 32), (128, 64), (80, 40)) for threads in (32, 256)]
    tiles += [("char", 37, 512, 32), ("double", 19, 128, 32), ("double", 37, 64, 32), ("float", 14, 1024, 160), ("short", 15, 32, 32)]
    source = "struct alignas(16) wide { int words[4]; };\n" + "".join(
        f"static_assert(cornerturn::tile_transpose<{element}, {rows}, {columns}, {threads}>::shared_bytes > 0, \"\");\n"
        for element, rows, columns, threads in tiles)
    done = compiled(copy, source, clang, "-std=c++17", "-fsyntax-only", "-fconstexpr-steps=131072")
    assert done.returncode == 0, done.stderr


WRONG = [("double, 4, 64, 64, cornerturn::tile::tma_32", "conflict<12, 8>.*the swizzle has bank conflicts"),
         ("float, 64, 64, 256, cornerturn::tile::byte_swizzle<3, 2, 6>", "a swizzle must change the places of 16 bytes within 128 bytes"),
         ("double, 64, 64, 256, cornerturn::tile::byte_swizzle<1, 13, -9>", "a swizzle must change the places of 16 bytes within 128 bytes"),
         ("float, 64, 64, 256, cornerturn::tile::byte_swizzle<3, 4, 2>", "Shift must be from Bits to 18, or -Bits or less"),
         ("float, 64, 64, 256, cornerturn::tile::byte_swizzle<1, 4, 40>", "Shift must be from Bits to 18, or -Bits or less"),
         ("float, 96, 64, 64, cornerturn::tile::byte_swizzle<3, 4, 6>", "the bytes of a column must be a power of two, or less than 128"),
         ("short, 16, 64, 128, cornerturn::tile::tma_64", "a column must have the bytes of TMA's mode"),
         ("three, 64, 64, 256", "an element must have 1, 2, 4, 8 or 16 bytes"),
         ("float, 64, 64, 100", "Threads must be a multiple of 32 from 32 to 1024"),
         ("float, 0, 64, 64", "Rows and Columns must be from 1 to 4096"),
         ("double, 256, 256, 256", "the tile must fit into a block's shared memory, 227 KiB")]


@pytest.mark.parametrize("arguments, told", WRONG)
def test_a_wrong_use_is_told(copy, arguments, told):
    source = f"struct three {{ char bytes[3]; }};\nint main() {{ return cornerturn::tile_transpose<{arguments}>::shared_bytes; }}\n"
    done = compiled(copy, source, CXX, "-std=c++17", "-fsyntax-only")
    assert done.returncode != 0 and re.search(told, done.stderr, re.DOTALL), done.stderr


@pytest.mark.parametrize("element, operation, told", [
    ("three", "[](three each) { return float(each.bytes[0]); }", "a global element must have 1, 2, 4, 8 or 16 bytes"),
    ("float", "[](float each, int) { return each; }", "an operation takes an element, or an element, its row and its column")])
def test_a_wrong_load_is_told(copy, element, operation, told):
    """A GPU has no access of three bytes."""
    source = f"""struct three {{ char bytes[3]; }};
struct nobody {{
  int thread() const {{ return 0; }}
  template <class T, int Count> T* shared() const {{ return nullptr; }}
  template <int V, class T> void global_load(T const*, T*, bool) {{}}
  template <int V, class T> void shared_store(T*, T const*, bool = true) {{}}
}};
void load({element} const* from, nobody block) {{
  cornerturn::tile_transpose<float, 64, 64, 256>::load(block, from, 64, {{64, 64}}, {operation});
}}
"""
    done = compiled(copy, source, CXX, "-std=c++17", "-fsyntax-only")
    assert done.returncode != 0 and told in done.stderr, done.stderr


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_120"])
def test_nvcc_compiles_a_copy(copy, architecture):
    done = compiled(copy, KERNELS, nvcc(), "-std=c++17", f"-arch={architecture}", "-c", "-Werror=all-warnings", "-Xcompiler=-Wall,-Wextra", "-o", "use.o")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_copies_of_all_headers_compile(tmp_path, standard):
    """The program of the package's test, without warnings, in a folder of nothing else but the headers."""
    copied_headers(tmp_path)
    source = (HEADER.parents[2] / "tests/package/tile.cpp").read_text().replace("201703L", {"c++17": "201703L", "c++20": "202002L"}[standard])
    done = compiled(tmp_path, source, CXX, f"-std={standard}", "-I.", "-o", "use", header="cornerturn/packed.cuh")
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "use"], stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_120"])
def test_nvcc_compiles_copies_for_packed_elements(tmp_path, architecture):
    copied_headers(tmp_path)
    done = compiled(tmp_path, packed_kernel("4, 128, 256"), nvcc(), "-std=c++17", "-I.", f"-arch={architecture}", "-c", "-Werror=all-warnings",
                    "-Xcompiler=-Wall,-Wextra", "-o", "use.o", header="cornerturn/packed.cuh")
    assert done.returncode == 0, done.stdout + done.stderr


def source_of(example):
    return (EXAMPLES / f"{example}.cu").read_text()


def nvrtc():
    """NVRTC's library, of a toolkit or of a wheel."""
    folders = [*pathlib.Path("/usr/local").glob("cuda*/lib64"), pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia/cu13/lib")]
    for path in [path for folder in folders for path in sorted(folder.glob("libnvrtc.so*"))]:
        return ctypes.CDLL(str(path))
    pytest.skip("no NVRTC")


def ptx_of(source, architecture):
    """The PTX of a source that includes headers of cornerturn, which NVRTC gets as strings."""
    library, program, size = nvrtc(), ctypes.c_void_p(), ctypes.c_size_t()
    strings = lambda *values: (ctypes.c_char_p * len(values))(*[value.encode() for value in values])
    headers = {f"cornerturn/{name}": HEADER.with_name(name) for name in HEADERS} | {"wgmma.cuh": EXAMPLES / "wgmma.cuh"}
    assert library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"use.cu", len(headers),
                                      strings(*[path.read_text() for path in headers.values()]), strings(*headers)) == 0
    status = library.nvrtcCompileProgram(program, 2, strings(f"-arch=compute_{architecture}", "-std=c++17"))

    def text(size_of, get):
        size_of(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        get(program, buffer)
        return buffer.value.decode()

    log = text(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog)
    assert status == 0 and not log, log
    return text(library.nvrtcGetPTXSize, library.nvrtcGetPTX)


@pytest.mark.parametrize("source", ['#include "cornerturn/tile.cuh"\n' + KERNELS, *map(source_of, ("transpose", "bias_gelu", "nhwc", "softmax"))],
                         ids=lambda source: source.splitlines()[0][:30])
@pytest.mark.parametrize("architecture", [80, 120])
def test_nvrtc_compiles_the_header_as_a_string(architecture, source):
    ptx = ptx_of(source, architecture)
    assert "st.shared" in ptx and ".func" not in ptx  # a function that is called, such as a recursive one


def test_nvrtc_compiles_an_example_with_wgmma():
    ptx = ptx_of(source_of("attention_values"), "90a")
    assert ptx.count("wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3") == 16
    assert len(re.findall(r"fence\.proxy\.async.*?bar\.sync.*?wgmma\.fence.*?wgmma\.mma_async.*?wgmma\.wait_group", ptx, re.DOTALL)) == 1


@pytest.mark.parametrize("bits, words, shuffles, permutes", [(4, 1, 3, 2), (4, 4, 16, 8), (1, 1, 5, 2)])
def test_packed_elements_are_exchanged_by_few_instructions(bits, words, shuffles, permutes):
    """All words in each step that exchanges parts of words: bytes by PRMT, and parts of bytes by shifts."""
    ptx = ptx_of(f"""#include "cornerturn/exchange.cuh"
extern "C" __global__ void exchange(unsigned* memory) {{
  unsigned words[{words}];
  for (int i = 0; i < {words}; ++i) words[i] = memory[threadIdx.x * {words} + i];
  cornerturn::tile::exchange_packed<{bits}>(cornerturn::tile::warp_lanes(), words);
  for (int i = 0; i < {words}; ++i) memory[threadIdx.x * {words} + i] = words[i];
}}""", 80)
    assert ptx.count("shfl.sync.bfly") == shuffles and "local" not in ptx
    assert len(re.findall(r"prmt\.b32 .*, %r\d+;", ptx)) == permutes


def packed_kernel(arguments, operation=""):
    return f"""#include "cornerturn/packed.cuh"
using tile = cornerturn::packed_transpose<{arguments}>;
extern "C" __global__ void __launch_bounds__(tile::threads) transpose(char const* in, char* out, int rows, int columns, bool highest) {{
  alignas(16) __shared__ char memory[tile::shared_bytes];
  cornerturn::tile::thread_block block(memory);
  tile::load(block, in, columns, {{rows, columns}}, highest{operation});
  tile::store(block, out, rows, {{rows, columns}}, highest);
}}"""


@pytest.mark.parametrize("operation", ["", ", [=](unsigned value, int row, int column) { return column <= row ? value ^ 1 : 0; }"])
@pytest.mark.parametrize("arguments", ["4, 128, 256", "2, 128, 512", "1, 128, 1024"])
def test_a_packed_tile_is_stored_in_vectors(arguments, operation):
    ptx = ptx_of(packed_kernel(arguments, operation), 80)
    assert "st.global.v4.b32" in ptx and "local" not in ptx and ptx.count("ld.global.u32") + ptx.count("ld.global.b32") >= 32


@pytest.mark.parametrize("arguments, told", [
    ("3, 64, 256", "a packed element must have 4, 2 or 1 bits"), ("4, 64, 128", "Columns must be a multiple of 256 nibbles, 512 pairs of bits or 1024 bits"),
    ("4, 16, 256", "a column must have 16, 32, 64 or 128 bytes"), ("1, 1024, 2048", "the tile must have at most 1024 threads, one for a word of 32 rows")])
def test_a_wrong_packed_tile_is_told(tmp_path, arguments, told):
    (tmp_path / "use.cpp").write_text(f"#include <cornerturn/packed.cuh>\nint main() {{ return cornerturn::packed_transpose<{arguments}>::shared_bytes; }}\n")
    done = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", f"-I{HEADER.parents[1]}", "use.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and told in done.stderr, done.stderr


@pytest.mark.parametrize("arguments, told", [
    ("float, 8, 32, 64, tile::byte_swizzle<1, 4, 3, 128>", "the mode must be tma_32, tma_64 or tma_128"),
    ("float, 8, 32, 64, tile::searched", "the mode must be tma_32, tma_64 or tma_128"),
    ("three, 8, 128, 64, tile::tma_128", "an element must have 1, 2, 4, 8 or 16 bytes"), ("float, 8, 16, 64, tile::tma_128", "a row must have the bytes of TMA's mode"),
    ("float, 8, 32, 33, tile::tma_128", "Threads must be a multiple of 32 from 32 to 1024"),
    *[(f"float, {rows}, {columns}, 64, tile::tma_128", "the tile must have elements, and fit into a block's shared memory, 227 KiB")
      for rows, columns in ((0, 32), (-8, -32), (8, 0), (2048, 32), (2147483640, 2147483616))]])
def test_a_wrong_tile_of_rows_is_told(tmp_path, arguments, told):
    source = f"""#include <cornerturn/rows.cuh>
using namespace cornerturn;
struct three {{ char bytes[3]; }};
int main() {{ return row_tile<{arguments}>::shared_bytes; }}
"""
    (tmp_path / "use.cpp").write_text(source)
    done = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", f"-I{HEADER.parents[1]}", "use.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and told in done.stderr, done.stderr


@pytest.mark.parametrize("element, columns, permutes", [("unsigned short", 1, 0), ("unsigned char", 2, 4)])
def test_rows_are_transposed_by_ldmatrix(element, columns, permutes):
    ptx = ptx_of(f"""#include "cornerturn/exchange.cuh"
extern "C" __global__ void load(uint4* memory) {{
  __shared__ uint4 rows[32];
  rows[threadIdx.x] = memory[threadIdx.x];
  __syncwarp();
  alignas(16) {element} registers[{columns}][8];
  cornerturn::tile::load_transposed(cornerturn::tile::warp_lanes(), [&](int row) {{ return &rows[row]; }}, registers);
  memory[threadIdx.x] = reinterpret_cast<uint4&>(registers);
}}""", 80)
    assert ptx.count("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16") == 1 and "local" not in ptx
    assert ptx.count("prmt.b32") == permutes


@pytest.mark.parametrize("mode", [32, 64, 128])
def test_rows_in_a_mode_of_tma_are_read_by_ldmatrix(mode):
    ptx = ptx_of(f"""#include "cornerturn/rows.cuh"
#include "cornerturn/exchange.cuh"
extern "C" __global__ void load(unsigned short const* in, uint4* out, int rows, int columns) {{
  using tile = cornerturn::row_tile<unsigned short, 32, {mode // 2}, 32, cornerturn::tile::tma_{mode}>;
  alignas(1024) __shared__ char memory[tile::shared_bytes];
  cornerturn::tile::thread_block block(memory);
  tile::load(block, in, columns, {{rows, columns}});
  block.sync();
  alignas(16) unsigned short registers[1][8];
  cornerturn::tile::load_transposed(cornerturn::tile::warp_lanes(), [&](int row) {{ return tile::data(block) + tile::offset(row, 8); }}, registers);
  out[threadIdx.x] = reinterpret_cast<uint4&>(registers);
}}""", 90)
    assert "st.shared.v4.b32" in ptx and "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16" in ptx and "local" not in ptx


def test_fragments_are_transposed_by_movmatrix():
    ptx = ptx_of("""#include "cornerturn/exchange.cuh"
extern "C" __global__ void transpose(uint4* memory) {
  unsigned from[2][2], to[2][2];
  reinterpret_cast<uint4&>(from) = memory[threadIdx.x];
  cornerturn::tile::transpose_fragments(cornerturn::tile::warp_lanes(), from, to);
  memory[threadIdx.x] = reinterpret_cast<uint4&>(to);
}""", 80)
    assert ptx.count("movmatrix.sync.aligned.m8n8.trans.b16") == 4


@pytest.mark.parametrize("registers, call, told", [
    ("unsigned words[10]", "transpose_packed<3>(words)", "a packed element must have 4, 2 or 1 bits"),
    ("unsigned words[1]", "exchange_packed<3>(lanes, words)", "a packed element must have 4, 2 or 1 bits"),
    ("unsigned words[3]", "exchange_packed<4>(lanes, words)", "the words must be 1, 2 or 4, with at most 32 elements"),
    ("float each[3]", "exchange(lanes, each)", "the registers must be 2, 4, 8, 16 or 32"),
    ("char each[2]", "exchange(lanes, each)", "the registers must have 4 bytes or more together")])
def test_a_wrong_exchange_is_told(tmp_path, registers, call, told):
    (tmp_path / "use.cpp").write_text(f"""#include <cornerturn/exchange.cuh>
struct block {{
  int thread() const {{ return 0; }}
  template <int Count>
  void shfl_xor(unsigned (&)[Count], int) const {{}}
}} const lanes;
int main() {{
  {registers} = {{}};
  cornerturn::tile::{call};
}}
""")
    done = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", f"-I{HEADER.parents[1]}", "use.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and told in done.stderr, done.stderr


def test_lanes_are_those_of_the_warp_in_blocks_of_two_dimensions():
    """The threads of a warp have two values of threadIdx.y if a block is 16 wide."""
    ptx = ptx_of("""#include "cornerturn/exchange.cuh"
extern "C" __global__ void exchange(unsigned* memory) {
  unsigned registers[32];
  for (unsigned i = 0; i < 32; ++i) registers[i] = memory[i];
  cornerturn::tile::exchange(cornerturn::tile::warp_lanes(), registers);
  for (unsigned i = 0; i < 32; ++i) memory[i] = registers[i];
}""", 80)
    assert "%laneid" in ptx and "%tid" not in ptx


@pytest.mark.parametrize("element, count, shuffles, permutes", [("unsigned char", 16, 12, 8), ("unsigned short", 8, 8, 4),
                                                                ("float", 32, 80, 0), ("double", 4, 8, 0)])
def test_an_exchange_has_few_instructions(element, count, shuffles, permutes):
    """Half of the words in each step; all words in steps that exchange parts of words, by PRMT."""
    ptx = ptx_of(f"""#include "cornerturn/exchange.cuh"
extern "C" __global__ void exchange(uint4* memory) {{
  alignas(16) {element} registers[{count}];
  constexpr int kUnits = sizeof(registers) / 16;
  for (int i = 0; i < kUnits; ++i) reinterpret_cast<uint4*>(registers)[i] = memory[threadIdx.x * kUnits + i];
  cornerturn::tile::exchange(cornerturn::tile::warp_lanes(), registers);
  for (int i = 0; i < kUnits; ++i) memory[threadIdx.x * kUnits + i] = reinterpret_cast<uint4*>(registers)[i];
}}""", 80)
    assert ptx.count("shfl.sync.bfly") == shuffles and "local" not in ptx
    assert len(re.findall(r"prmt\.b32 .*, %r\d+;", ptx)) == permutes
