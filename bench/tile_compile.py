#!/usr/bin/env python3
"""Times nvcc with cornerturn/tile.cuh: an empty kernel, the same with the header, and with the tiles of bench/tile_header.py in
examples/tile/transpose.cu.

    build/venv/bin/python bench/tile_compile.py --json bench/results/tile-compile.json.gz

Seconds are those of the processor, the least of three runs, because other processes share the machine.
"""

import argparse
import pathlib
import resource
import subprocess
import tempfile

import provenance
import run_files
import tile_header

EMPTY = "__global__ void empty() {}\n"


def seconds(nvcc, folder, source):
    (folder / "tiles.cu").write_text(source)
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([nvcc, "-std=c++17", "-arch=sm_90", f"-I{tile_header.INCLUDE}", "-c", "tiles.cu"], cwd=folder, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc", help="the compiler (default %(default)s)")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    options = parser.parse_args()
    tiles = [tile_header.source_of("transpose", tile).replace("transpose(", f"transpose_{i}(") for i, tile in enumerate(tile_header.TILES)]
    with tempfile.TemporaryDirectory() as folder:
        empty, header, all_tiles = (seconds(options.nvcc, pathlib.Path(folder), EMPTY + source)
                                    for source in ("", "#include <cornerturn/tile.cuh>\n", "".join(tiles)))
    run = {"commit": provenance.commit(), "nvcc": provenance.said(options.nvcc, "--version").splitlines()[-1], "processor": provenance.processor(),
           "tiles": len(tiles), "seconds": {"empty": round(empty, 3), "header": round(header - empty, 3),
                                            "tile": round((all_tiles - header) / len(tiles), 3)}}
    print(run)
    if options.json:
        run_files.write(options.json, run)


if __name__ == "__main__":
    main()
