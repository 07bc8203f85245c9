#!/usr/bin/env python3
"""Compares libraries that permute arrays on a CPU with a copy of as many contiguous bytes on as many threads between the same buffers.

The copy is the faster one of memcpy and a copy with non-temporal stores. All peers run interleaved in one process, in a new order
per round; results are verified. A ratio is the median over the rounds of (time of the faster copy / time of the peer). Because
processes differ, there are several; tables have the median, minimum and maximum over them. NumPy uses one thread.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

import arena_cases
import arena_report
import cpu_peers
import provenance
import run_files

QUIET = 0.005  # seconds; threads of OpenMP libraries keep spinning after a call, which would slow down the next peer
DTYPES = {"u8": "u1", "bf16": "u2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="ttc,cpu", help="names from bench/cases or files, separated by commas (default %(default)s)")
    parser.add_argument("--random", metavar="FIRST:COUNT", help="random problems with these seeds instead")
    parser.add_argument("--peers", default="cornerturn", help="default %(default)s; also measured (plans made with "
                        "planning_effort::measure), numpy, torch, openblas, mkl, hptt, hptt-calls: this "
                        "project through libcornerturn_hptt.so beside --library, python: the package on PYTHONPATH, and before: "
                        "another build of this project")
    parser.add_argument("--library", default="build/gpu/lib/libcornerturn.so")
    parser.add_argument("--before", metavar="PATH", help="the build for the peer `before`")
    parser.add_argument("--ceilings", default="build/gpu/lib/libceilings.so")
    parser.add_argument("--openblas", default="libopenblas.so.0")
    parser.add_argument("--mkl", metavar="PATH", help="a libmkl_rt.so, such as that of PyPI's package mkl")
    parser.add_argument("--hptt", metavar="PATH", help="a libhptt.so built with GCC or Clang for x86-64; the peer hptt uses the "
                        "faster one of its estimated and its measured plan, which it searches for up to 10 s, and has no "
                        "row for many axes if the search does not end")
    parser.add_argument("--threads", type=int, default=2, help="threads of all peers with a setting (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--huge-pages", action="store_true", help="use huge pages for both buffers")
    parser.add_argument("--offset", type=int, default=0, help="bytes after the beginning of a page at which both arrays begin "
                        "(default %(default)s; NumPy's large arrays begin after 16)")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path, metavar="JSON",
                        help="print the table of a run, and plot it with --plot; measure nothing")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)  # the process of one run
    return parser.parse_args()


def cases_of(options):
    if options.random:
        return arena_cases.drawn_between(options.random)
    return [case for name in options.cases.split(",") for case in arena_cases.named(name)]


def buffer(count, huge, offset=0):
    import mmap

    import numpy

    memory = mmap.mmap(-1, offset + count)
    if huge:
        memory.madvise(mmap.MADV_HUGEPAGE)
    array = numpy.frombuffer(memory, numpy.uint8)[offset:]
    array[:] = 1
    return array


def checked_works(peers, x, out, axes):
    """The functions that permute x to out, by name, after verification."""
    import numpy

    wanted, works = numpy.ascontiguousarray(x.transpose(axes)).view("u1"), {}
    for name, peer in peers.items():
        if work := peer.make(x, axes, out):
            out.view("u1")[:] = 0
            work()
            if peer.permutes and not numpy.array_equal(out.view("u1"), wanted):
                raise SystemExit(f"cpu_arena: {name} is wrong on {x.shape} {axes} {x.dtype}")
            works[name] = work
    return works


def run_once(options):
    """The rows of one process."""
    import numpy

    peers, cases = cpu_peers.gather(options), cases_of(options)
    bytes_of = lambda shape, kind, steps: math.prod([*shape, *steps]) * arena_cases.SIZES[kind]
    most = max(bytes_of(shape, kind, *steps or [()]) for shape, _, kind, *steps in cases)
    source, destination = (buffer(most, options.huge_pages, options.offset) for _ in range(2))
    # finite numbers, which a BLAS multiplies by 1 without change; the pattern's period is not a power of two
    source[:] = numpy.resize(numpy.random.default_rng(1).integers(0x10, 0x40, (1 << 20) - 3, numpy.uint8), most)
    for shape, axes, kind, *steps in cases:
        count, [step] = bytes_of(shape, kind, ()), steps or [[1] * len(shape)]
        whole = source[:bytes_of(shape, kind, step)].view(DTYPES[kind]).reshape([e * s for e, s in zip(shape, step)])
        x = whole[tuple(slice(None, None, s) for s in step)]
        out = destination[:count].view(DTYPES[kind]).reshape([shape[axis] for axis in axes])
        works = checked_works(peers, x, out, axes)
        times = {name: [] for name in works}
        for number in range(options.rounds):
            # the order matters for arrays that fit the caches
            for name in random.Random(number).sample(list(works), len(works)):
                time.sleep(QUIET)
                begin = time.perf_counter()
                works[name]()
                times[name].append(time.perf_counter() - begin)
        ceiling = [min(copies) for copies in zip(*(times[name] for name in cpu_peers.CEILINGS))]
        ratios = {name: statistics.median(copy / own for copy, own in zip(ceiling, each)) for name, each in times.items()}
        row = {"shape": shape, "axes": axes, "type": kind, "gbs": 2e-9 * count / statistics.median(ceiling), "ratios": ratios}
        yield row | ({"steps": step} if steps else {})


def merged(runs):
    """Rows with one ratio per process."""
    return [{**rows[0], "gbs": [row["gbs"] for row in rows],
             "ratios": {name: [row["ratios"][name] for row in rows] for name in rows[0]["ratios"]}} for rows in zip(*runs)]


def rows_of(run):
    """Rows with ratios to the faster copy. Older runs have ratios to the non-temporal copy."""
    if "ceiling" in run:
        return run["rows"]
    faster = lambda row: [max(1, memcpy) for memcpy in row["ratios"]["memcpy"]]
    return [{**row, "gbs": [gbs * by for gbs, by in zip(row["gbs"], faster(row))],
             "ratios": {name: [ratio / by for ratio, by in zip(each, faster(row))] for name, each in row["ratios"].items()}}
            for row in run["rows"]]


def table(rows):
    peers = arena_report.peers_of(row["ratios"] for row in rows)
    heads = [cpu_peers.LABELS.get(peer, peer) for peer in peers]
    lines = ["| case | copy GB/s | " + " | ".join(heads) + " |", "| :-- | --: |" + " --: |" * len(peers)]
    for row in rows:
        each = [row["ratios"].get(peer) for peer in peers]
        cells = [f"{statistics.median(one):.3f} ({min(one):.2f}–{max(one):.2f})" if one else "–" for one in each]
        lines.append(f"| {arena_report.title(row)} | {statistics.median(row['gbs']):.0f} | " + " | ".join(cells) + " |")
    for name, of in (("geometric mean", arena_report.geometric_mean), ("worst", min)):
        cells = [f"{of([statistics.median(row['ratios'][peer]) for row in rows if peer in row['ratios']]):.3f}" for peer in peers]
        lines.append(f"| {name} | | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def builds(options):
    """The date, the commit and build of cornerturn, and the versions of all peers."""
    versions = {"python": platform.python_version()}
    versions |= {name: peer.version() for name, peer in cpu_peers.gather(options).items() if hasattr(peer, "version")}
    return provenance.of_run(options.library, versions, options.before)


def report(rows, options):
    print(table(rows), end="")
    if options.plot:
        drawn = [{cpu_peers.LABELS.get(peer, peer): ratios for peer, ratios in row["ratios"].items()} for row in rows]
        arena_report.plot(list(zip(map(arena_report.title, rows), drawn)), options.plot, "the faster one of two copies")


def main():
    options = arguments()
    if options.table:
        report(rows_of(run_files.read(options.table)), options)
        return 0
    if options.one:
        for row in run_once(options):
            print(json.dumps(row), flush=True)
        return 0
    runs = []
    for number in range(options.processes):
        print(f"process {number + 1} of {options.processes}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as choices:  # no measured choices
            done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--one"], stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "CORNERTURN_CACHE_DIR": choices})
        if done.returncode:
            print(f"cpu_arena: the process ended with exit code {done.returncode}", file=sys.stderr)
            return 1
        runs.append([json.loads(line) for line in done.stdout.splitlines()])
    rows = merged(runs)
    if options.json:
        run = {"processor": provenance.processor(), "threads": options.threads, "ceiling": "the faster of memcpy and nt-copy",
               **builds(options), "command": " ".join(sys.argv), "rows": rows}
        run_files.write(options.json, run)
    report(rows, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
