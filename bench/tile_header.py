#!/usr/bin/env python3
"""Times kernels that are written with cornerturn/tile.cuh beside this library, torch.compile and a copy, and with --counters reads
their wavefronts in shared memory with Nsight Compute. Prints a line for each tile, and stores the run with --json.

    PYTHONPATH=build/gpu/python python3 bench/tile_header.py --counters --json h200-tile-header.json.gz

"transpose" is the kernel of examples/tile/transpose.cu with the tile's type and sides, "gelu" that of bias_gelu.cu. A copy moves as
many bytes. All run in one process, interleaved; results are verified. Times are milliseconds, medians over the rounds, without
launch latency. Expected wavefronts are those of the header's search. It needs a GPU, torch, triton and CuPy.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import arena
import counters
import provenance
import run_files

INCLUDE = provenance.ROOT / "include"
EXAMPLES = provenance.ROOT / "examples/tile"
TYPES = {1: "unsigned char", 2: "unsigned short", 4: "float", 8: "double"}
TILES = [(1, 64, 64, 256), (1, 128, 128, 256), (1, 128, 64, 128), (2, 64, 64, 256), (2, 128, 64, 256), (4, 64, 64, 256), (4, 64, 32, 256),
         (4, 32, 32, 128), (8, 32, 32, 256), (8, 64, 32, 256), (8, 64, 64, 256)]  # bytes of an element, rows, columns, threads
TILES += [(1, 128, 64, 128, "tma_128"), (1, 64, 64, 128, "tma_64"), (1, 32, 128, 128, "tma_32"), (2, 64, 64, 128, "tma_128"),
          (2, 32, 64, 64, "tma_64"), (2, 16, 64, 64, "tma_32")]  # and a mode of TMA
WAVEFRONTS = {name: metric for name, metric in counters.COUNTERS.items() if name.startswith("shared") and "bytes" not in name}


def arguments(tile):
    """The arguments of `tile_transpose` after the type."""
    return ", ".join([*map(str, tile[1:4]), *(f"cornerturn::tile::{mode}" for mode in tile[4:])])


def source_of(name, tile=(4, 64, 64, 256)):
    """An example with another tile, as a kernel of C linkage."""
    size, rows, columns, threads = tile[:4]
    text = (EXAMPLES / f"{name}.cu").read_text()
    text = re.sub(r"__global__ void __launch_bounds__\(256\)", f'extern "C" __global__ void __launch_bounds__({threads})', text)
    if name == "transpose":
        text = text.replace("float", TYPES[size]).replace("64, 64, 256>", f"{arguments(tile)}>")
        text = text.replace("blockIdx.x) * 64", f"blockIdx.x) * {rows}").replace("blockIdx.y) * 64", f"blockIdx.y) * {columns}")
    return text


class Kernels:
    """Kernels of the examples, compiled by NVRTC for this GPU."""

    def __init__(self, torch):
        import cupy

        self.torch, self.cupy = torch, cupy

    def launch(self, name, tile, x, out, *others):
        """A function that launches the kernel on the current stream of PyTorch."""
        _, rows, columns, threads = tile[:4]
        module = self.cupy.RawModule(code=source_of(name, tile), options=("-std=c++17", f"-I{INCLUDE}"))
        kernel = module.get_function(name)
        grid = (-(-x.shape[0] // rows), -(-x.shape[1] // columns))
        int32 = self.cupy.int32
        given = (*(self.cupy.uint64(each.data_ptr()) for each in (x, *others, out)), int32(x.shape[0]), int32(x.shape[1]))

        def run():
            with self.cupy.cuda.Stream.from_external(self.torch.cuda.current_stream()):
                kernel(grid, (threads,), given)
            return out

        return run


def dtype_of(torch, size):
    return {1: torch.uint8, 2: torch.int16, 4: torch.float32, 8: torch.float64}[size]


def transposes(torch, kernels, n):
    """For each size of element: the description, the works and the result that they must have."""
    import cornerturn

    for size in TYPES:
        dtype = dtype_of(torch, size)
        x = torch.randint(0, 100, (n, n), device="cuda").to(dtype)
        outs = {tile: torch.empty_like(x) for tile in [None, *(each for each in TILES if each[0] == size)]}
        works = {"cornerturn": lambda: cornerturn.permute(x, (1, 0), out=outs[None]), "copy": lambda: outs[None].copy_(x)}
        for tile, out in outs.items():
            if tile:
                works[", ".join(["x".join(map(str, tile[1:3])), *map(str, tile[3:])])] = kernels.launch("transpose", tile, x, out)
        yield {"kernel": "transpose", "bytes": size, "n": n}, works, x.t().contiguous()


def gelus(torch, kernels, n):
    x, bias = torch.randn((n, n), device="cuda"), torch.randn(n, device="cuda")
    out, other = torch.empty_like(x), torch.empty_like(x)
    formula = lambda t, b: torch.nn.functional.gelu(t + b).t().contiguous()
    compiled = torch.compile(formula, dynamic=False, fullgraph=True)
    yield {"kernel": "gelu", "bytes": 4, "n": n}, {"copy": lambda: other.copy_(x), "eager": lambda: formula(x, bias),
                                                   "compile": lambda: compiled(x, bias),
                                                   "64x64, 256": kernels.launch("bias_gelu", (4, 64, 64, 256), x, out, bias)}, formula(x, bias)


def timed(torch, described, works, wanted, rounds):
    for name, work in works.items():
        result = work()
        if name != "copy" and not torch.allclose(result, wanted, rtol=1e-5, atol=1e-5):
            sys.exit(f"tile_header: {described}: {name} has a wrong result")
    ms = arena.medians(torch, works, rounds)
    return {**described, "ms": {name: round(each, 5) for name, each in ms.items()},
            "to_copy": {name: round(ms["copy"] / each, 4) for name, each in ms.items() if name != "copy"}}


def expected(tile):
    """The wavefronts of a request to store, to load, and of both without conflicts, as a host compiler finds them."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "explain.cpp"
        source.write_text(f'#include <cornerturn/tile.cuh>\nint main() {{ cornerturn::tile_transpose<{TYPES[tile[0]]}, '
                          f"{arguments(tile)}>::explain(); }}\n")
        subprocess.run(["c++", "-std=c++17", f"-I{INCLUDE}", source, "-o", f"{folder}/explain"], check=True)
        said = subprocess.run([f"{folder}/explain"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [int(each) for each in re.search(r"(\d+) to store, (\d+) to load, (\d+) together", said).groups()]


def counted(n):
    """For each tile the requests and wavefronts of a launch, by Nsight Compute, beside those that the header expects."""
    command = [sys.executable, __file__, "--launch-tiles", str(n)]
    rows = []
    for tile, count in zip(TILES, counters.profiled(command, "transpose", len(TILES), WAVEFRONTS)):
        store, load, ideal = expected(tile)
        rows.append({"bytes": tile[0], "tile": tile[1:3], "threads": tile[3], **({"mode": tile[4]} if tile[4:] else {}), "expected": {"st": store, "ld": load, "ideal": ideal}, **count,
                     **{f"{op} per request": round(count[f"shared {op} wavefronts"] / count[f"shared {op} instructions"], 4) for op in ("st", "ld")}})
    return rows


def launch_tiles(n):
    import torch

    kernels = Kernels(torch)
    for tile in TILES:
        x = torch.zeros((n, n), dtype=dtype_of(torch, tile[0]), device="cuda")
        kernels.launch("transpose", tile, x, torch.empty_like(x))()
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=8192, help="side of the matrices (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--counters", action="store_true", help="also read counters, which needs ncu on the PATH")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    parser.add_argument("--launch-tiles", type=int, help=argparse.SUPPRESS)  # the process that is profiled
    options = parser.parse_args()
    if options.launch_tiles:
        return launch_tiles(options.launch_tiles)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Inductor's processes may still run
        os.environ |= {"TORCHINDUCTOR_CACHE_DIR": folder, "TRITON_CACHE_DIR": folder, "CORNERTURN_CACHE_DIR": folder}
        import cornerturn
        import torch

        library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
        versions = {"torch": torch.__version__, "cornerturn": cornerturn.__version__}
        run = {"gpu": torch.cuda.get_device_name(), "card": provenance.card(), **provenance.of_run(library, versions),
               "command": " ".join(sys.argv), "rounds": options.rounds, "cases": []}
        kernels = Kernels(torch)
        for cases in (transposes, gelus):
            for described, works, wanted in cases(torch, kernels, options.n):
                run["cases"].append(timed(torch, described, works, wanted, options.rounds))
                print(run["cases"][-1], flush=True)
    if options.counters:
        run["counters"] = counted(1024)
        for row in run["counters"]:
            print(row)
    if options.json:
        run_files.write(options.json, run)


if __name__ == "__main__":
    main()
