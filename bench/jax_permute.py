#!/usr/bin/env python3
"""Compares cornerturn.jax.permute with XLA's own transpose. Prints a table; --json stores the run.

    PYTHONPATH=build/gpu/python build/venv-frameworks/bin/python bench/jax_permute.py [--device cuda | --reuse]

Both are compiled by jax.jit, and XLA allocates the result of each call, as in a program. For results of 32 MB and more, malloc maps new
pages each time, which the system must clear; that can take longer than the permutation. With --reuse, malloc keeps freed memory.
On a GPU XLA has memory of its own, and each time is that of several calls, which the host starts ahead of the GPU. Calls of the two
alternate, the first one by turns, and results are compared. A ratio is the median over the rounds of (time of XLA / time of
cornerturn).
"""

import argparse
import math
import os
import pathlib
import statistics
import sys
import time

import arena_cases
import arena_report
import provenance
import run_files

KEEPING = {"MALLOC_MMAP_THRESHOLD_": str(2**40), "MALLOC_TRIM_THRESHOLD_": str(2**40)}  # read by glibc when a process starts
PAUSE = 0.005  # seconds between calls, in which threads that spin after a call stop
CALLS = {"cpu": 1, "cuda": 20}  # between two readings of the clock


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="main", help="names from bench/cases or files, separated by commas (default %(default)s)")
    parser.add_argument("--largest", type=float, default=1, metavar="GIB", help="omit larger arrays; a case takes up to four times as much "
                        "memory (default %(default)s)")
    parser.add_argument("--device", choices=CALLS, default="cpu")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--reuse", action="store_true", help="let malloc keep freed memory; for the CPU")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    return parser.parse_args()


def seconds_of(call, x, calls):
    """The time of one of so many calls."""
    time.sleep(PAUSE)
    begin = time.perf_counter()
    for _ in range(calls):
        result = call(x)
    result.block_until_ready()
    return (time.perf_counter() - begin) / calls


def times_of(calls, x, options):
    """Seconds of each round, by name."""
    times = {name: [] for name in calls}
    for number in range(options.rounds):
        for name in sorted(calls, reverse=number % 2):
            times[name].append(seconds_of(calls[name], x, CALLS[options.device]))
    return times


def row_of(shape, axes, kind, options):
    import cornerturn.jax
    import jax
    import numpy as np

    count = math.prod(shape) * arena_cases.SIZES[kind]
    # a period that is not a power of two differs in every row
    pattern = np.random.default_rng(1).integers(0, 256, (1 << 20) - 3, np.uint8)
    x = jax.numpy.asarray(np.resize(pattern, count).view(jax.numpy.dtype(arena_cases.DTYPES[kind])).reshape(shape))
    calls = {"cornerturn": jax.jit(lambda x: cornerturn.jax.permute(x, axes)),
             "xla": jax.jit(lambda x: jax.numpy.transpose(x, axes))}
    first, second = (np.asarray(call(x)) for call in calls.values())
    if not np.array_equal(first.view(np.uint8), second.view(np.uint8)):
        raise SystemExit(f"jax_permute: the results for {shape} {axes} {kind} differ")
    del first, second
    times = times_of(calls, x, options)
    return {"shape": shape, "axes": axes, "type": kind, "bytes": count,
            "ms": {name: 1e3 * statistics.median(each) for name, each in times.items()},
            "ratio": statistics.median(xla / own for xla, own in zip(times["xla"], times["cornerturn"]))}


def table(rows):
    lines = ["| case | cornerturn ms | XLA ms | ratio |", "| :-- | --: | --: | --: |"]
    for row in rows:
        lines.append(f"| {arena_report.title(row)} | {row['ms']['cornerturn']:.2f} | {row['ms']['xla']:.2f} | {row['ratio']:.2f} |")
    ratios = [row["ratio"] for row in rows]
    return "\n".join([*lines, f"| geometric mean of {len(rows)} | | | {arena_report.geometric_mean(ratios):.2f} |",
                      f"| least | | | {min(ratios):.2f} |"])


def main():
    options = arguments()
    if options.reuse and not KEEPING.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEPING})
    os.environ["JAX_PLATFORMS"] = options.device
    import cornerturn.jax
    import jax

    jax.config.update("jax_enable_x64", True)
    cases = [case for name in options.cases.split(",") for case in arena_cases.of_whole_arrays(name)]
    fitting = [case for case in cases if math.prod(case[0]) * arena_cases.SIZES[case[2]] <= options.largest * 2**30]
    rows = []
    for case in fitting:
        rows.append(row_of(*case, options))
        print(arena_report.title(rows[-1]), f"{rows[-1]['ratio']:.2f}", file=sys.stderr)
    if options.json:
        library = pathlib.Path(cornerturn.__file__).parent / "bin" / ".." / "lib" / "libcornerturn.so"
        versions = {"python": sys.version.split()[0], "jax": jax.__version__, "cornerturn": cornerturn.__version__}
        reused = options.reuse or options.device == "cuda"
        run = {"processor": provenance.processor(), "device": jax.devices()[0].device_kind, "threads": cornerturn.num_threads(),
               "memory": "reused" if reused else "new", **provenance.of_run(library, versions),
               "command": " ".join(sys.argv), "omitted": len(cases) - len(fitting), "rows": rows}
        run_files.write(options.json, run)
    print(table(rows))


if __name__ == "__main__":
    main()
