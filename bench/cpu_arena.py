#!/usr/bin/env python3
"""Who can permute an array on a CPU, against a copy with non-temporal stores on as many threads between the same buffers.

Everybody runs by turns in one process, results are checked, and a ratio is the median over the rounds of (the copy's time in the
round / the peer's). Processes differ, so there are several: tables have the median over them, and the lowest and highest.
"""

import argparse
import ctypes as c
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import arena_cases
import arena_report

DTYPES = {"u8": "u1", "bf16": "u2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="ttc,cpu", help="names of bench/cases, or files, with commas between (default %(default)s)")
    parser.add_argument("--random", metavar="FIRST:COUNT", help="problems drawn by these seeds instead")
    parser.add_argument("--peers", default="memcpy,cornerturn", help="default %(default)s; also numpy, torch, and python: "
                        "the package on PYTHONPATH")
    parser.add_argument("--library", default="build/gpu/lib/libcornerturn.so")
    parser.add_argument("--ceilings", default="build/gpu/lib/libceilings.so")
    parser.add_argument("--threads", type=int, default=2, help="of everybody who takes a number (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--huge-pages", action="store_true", help="ask for them, for both buffers")
    parser.add_argument("--json", type=pathlib.Path, help="where the run goes")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)  # of the processes
    return parser.parse_args()


def cases_of(options):
    if options.random:
        first, count = map(int, options.random.split(":"))
        return [arena_cases.drawn(seed) for seed in range(first, first + count)]
    return [case for name in options.cases.split(",") for case in arena_cases.named(name)]


def buffer(count, huge):
    import mmap

    import numpy

    memory = mmap.mmap(-1, count)
    if huge:
        memory.madvise(mmap.MADV_HUGEPAGE)
    array = numpy.frombuffer(memory, numpy.uint8)
    array[:] = 1
    return array


def peer_works(options, ceilings, library, x, out, axes):
    """By name, what moves x to out."""
    pointer = lambda array: c.c_void_p(array.ctypes.data)
    size, rank = c.c_int64(x.nbytes), x.ndim
    ints = lambda values: (c.c_int64 * rank)(*values)
    shape, order = ints(x.shape), ints(axes)

    def cornerturn():
        if library.cornerturn_permute(pointer(x), pointer(out), rank, shape, order, c.c_int64(x.itemsize), None):
            raise RuntimeError(library.cornerturn_last_error().decode())

    def torch():
        import torch

        torch.set_num_threads(options.threads)
        source, result = (torch.from_numpy(array.view({2: "i2"}.get(array.itemsize, array.dtype))) for array in (x, out))
        permuted = source.permute(axes)
        return lambda: result.copy_(permuted)

    def numpy():
        import numpy

        return lambda: numpy.copyto(out, x.transpose(axes))

    def python():
        import cornerturn

        cornerturn.set_num_threads(options.threads)
        return lambda: cornerturn.permute(x, axes, out=out)

    makers = {"memcpy": lambda: lambda: ceilings.plain_copy(pointer(out), pointer(x), size, options.threads),
              "cornerturn": lambda: cornerturn, "numpy": numpy, "torch": torch, "python": python}
    works = {"copy": lambda: ceilings.streaming_copy(pointer(out), pointer(x), size, options.threads)}
    return works | {name: makers[name]() for name in options.peers.split(",")}


def run_once(options):
    """One process's rows."""
    import numpy

    ceilings, library = c.CDLL(options.ceilings), c.CDLL(options.library)
    library.cornerturn_last_error.restype = c.c_char_p
    library.cornerturn_set_num_threads(options.threads)
    cases = cases_of(options)
    most = max(math.prod(shape) * arena_cases.SIZES[kind] for shape, _, kind in cases)
    source, destination = buffer(most, options.huge_pages), buffer(most, options.huge_pages)
    source[:] = numpy.resize(numpy.random.default_rng(1).integers(0, 255, 1 << 20, numpy.uint8), most)
    for shape, axes, kind in cases:
        count = math.prod(shape) * arena_cases.SIZES[kind]
        x = source[:count].view(DTYPES[kind]).reshape(shape)
        out = destination[:count].view(DTYPES[kind]).reshape([shape[axis] for axis in axes])
        works = peer_works(options, ceilings, library, x, out, axes)
        wanted = numpy.ascontiguousarray(x.transpose(axes)).view("u1")
        for name, work in works.items():
            out.view("u1")[:] = 0
            work()
            if name not in ("copy", "memcpy") and not numpy.array_equal(out.view("u1"), wanted):
                raise SystemExit(f"cpu_arena: {name} is wrong on {shape} {axes} {kind}")
        del wanted
        times = {name: [] for name in works}
        for _ in range(options.rounds):
            for name, work in works.items():
                begin = time.perf_counter()
                work()
                times[name].append(time.perf_counter() - begin)
        ratios = {name: statistics.median(copy / own for copy, own in zip(times["copy"], each))
                  for name, each in times.items() if name != "copy"}
        yield {"shape": shape, "axes": axes, "type": kind, "gbs": 2e-9 * count / statistics.median(times["copy"]), "ratios": ratios}


def merged(runs):
    """Rows with one ratio of each process."""
    return [{**rows[0], "gbs": [row["gbs"] for row in rows],
             "ratios": {name: [row["ratios"][name] for row in rows] for name in rows[0]["ratios"]}} for rows in zip(*runs)]


def table(rows):
    peers = list(rows[0]["ratios"])
    lines = ["| case | copy GB/s | " + " | ".join(peers) + " |", "| :-- | --: |" + " --: |" * len(peers)]
    for row in rows:
        cells = [f"{statistics.median(each):.3f} ({min(each):.2f}–{max(each):.2f})" for each in row["ratios"].values()]
        lines.append(f"| {arena_report.title(row)} | {statistics.median(row['gbs']):.0f} | " + " | ".join(cells) + " |")
    for name, of in (("geometric mean", arena_report.geometric_mean), ("worst", min)):
        cells = [f"{of([statistics.median(row['ratios'][peer]) for row in rows]):.3f}" for peer in peers]
        lines.append(f"| {name} | | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    if options.one:
        for row in run_once(options):
            print(json.dumps(row), flush=True)
        return
    runs = []
    for number in range(options.processes):
        print(f"process {number + 1} of {options.processes}", file=sys.stderr)
        done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--one"], check=True, stdout=subprocess.PIPE, text=True)
        runs.append([json.loads(line) for line in done.stdout.splitlines()])
    rows = merged(runs)
    if options.json:
        model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
        options.json.write_text(json.dumps({"processor": model, "command": " ".join(sys.argv), "rows": rows}, indent=1) + "\n")
    print(table(rows), end="")


if __name__ == "__main__":
    main()
