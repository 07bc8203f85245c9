#!/usr/bin/env python3
"""Fits the rates of src/machine/cpus/zen4.cpp by which plans of the CPU have an expected time, and prints them and their errors.

    bench/fit_cpu.py build/cpu/bin/cpu_work --json bench/results/zen4-model.json.gz

The program `cpu_work` counts the work of today's plans; earlier builds of the same processor were timed. Runs of large arrays are
taken with the speed of their own copy, because memory differs between runs by a factor of two; the rate of memory is the median.
Small arrays were in the caches, and their calls started no threads. A seeded fifth of the cases is held out, and errors are the
median and the 90th percentile of |log(expected / measured)|. Needs only Python's standard library.
"""

import argparse
import itertools
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys

import arena_cases
import cpu_arena
import provenance
import run_files

ARENAS = ("cpu-ttc", "cpu-ttc-f64", "cpu-ttc-f64-later", "cpu-arena", "zen4-random", "zen4-strided", "zen4-named", "zen4-cliffs")
OTHER_CPU = ("zen5-ttc", "zen5-ttc-f64", "zen5-cliffs")
OPERATIONS = ("zen4-operations", "zen4-operations-2", "zen4-operations-odd", "zen4-operations-odd-2")
MEMORY = "memory_bytes_per_second"
LARGE = 4 << 20  # bytes of a result that is written past the caches


def arena_rows(names):
    for name in names:
        for row in cpu_arena.rows_of(run_files.committed(f"{name}.json")):
            shape, axes, kind = row["shape"], row["axes"], row["type"]
            count = math.prod(shape) * arena_cases.SIZES[kind]
            copied = 2e-9 * count / statistics.median(row["gbs"])
            if count > LARGE:
                yield {"case": [shape, axes, kind, row.get("steps", [1] * len(shape)), kind, 0], "copied": copied,
                       "seconds": copied / statistics.median(row["ratios"]["cornerturn"])}


def other_rows():
    names = {dtype: name for name, dtype in arena_cases.DTYPES.items()}
    for name in OPERATIONS:
        for row in run_files.committed(f"{name}.json")["cases"]:
            if row["operation"] == "transpose":
                kind, to = names[row["source"]], names[row["destination"]]
                yield {"case": [row["shape"], [1, 0], kind, [1, 1], to, row.get("beta", 0)], "seconds": row["ms"]["cornerturn"] / 1000}
    for row in run_files.committed("zen4-calls.json")["calls"]:
        if found := re.fullmatch(r"run: (.*) (.*), plan at hand|run_on a pool: (.*) (.*)", row["name"]):
            shape, kind = filter(None, found.groups())
            yield {"case": [[int(extent) for extent in shape.split("x")], [1, 0], kind, [1, 1], kind, 0], "seconds": row["median_ns"] / 1e9}


def counted(rows, program):
    """Rows with what each rate adds to the time of their plan and of the copy, if it were 1."""
    cases = json.dumps([row["case"] for row in rows])
    done = subprocess.run([program], input=cases, stdout=subprocess.PIPE, text=True, check=True)
    return [row | each for row, each in zip(rows, json.loads(done.stdout))]


def total(parts, seconds):
    return sum(parts[name] * seconds[name] for name in seconds)


def memory_seconds(row, seconds):
    """The seconds of a byte of memory with which the row's copy takes its measured time."""
    return (row["copied"] - total(row["copy"], seconds | {MEMORY: 0})) / row["copy"][MEMORY]


def errors(rows, seconds, own_copy=True):
    """log(expected / measured), with the memory of each row's own copy if it was timed."""
    for row in rows:
        own = {MEMORY: memory_seconds(row, seconds)} if own_copy and "copied" in row else {}
        yield math.log(total(row["parts"], seconds | own) / row["seconds"])


def fitted(rows):
    """The seconds of each part that give the least mean error, by steps of one part after another that become smaller. Memory has
    the median of the copies."""
    seconds = {name: 1e-11 if name.endswith("per_second") else 1e-8 for name in rows[0]["parts"]}
    timed = [row for row in rows if "copied" in row]
    mean = lambda given: statistics.fmean(abs(error) for error in errors(rows, given))
    step, best = 4.0, math.inf
    while step > 1.002:
        before = best
        for name, factor in itertools.product([name for name in seconds if name != MEMORY], (step, 1 / step)):
            tried = seconds | {name: seconds[name] * factor}
            tried[MEMORY] = statistics.median(memory_seconds(row, tried) for row in timed)
            if (error := mean(tried)) < best:
                seconds, best = tried, error
        step = step if best < before else math.sqrt(step)
    return seconds


def described(rows, seconds):
    """The median and the 90th percentile of the errors."""
    result = {"cases": len(rows)}
    for name, own_copy in (("own copies", True), ("median memory", False)):
        sizes = sorted(abs(error) for error in errors(rows, seconds, own_copy))
        result[name] = [statistics.median(sizes), sizes[len(sizes) * 9 // 10]]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program cpu_work")
    parser.add_argument("--json", type=pathlib.Path, help="file for the rates and the errors")
    options = parser.parse_args()
    rows = counted([*arena_rows(ARENAS), *other_rows()], options.program)
    cases = sorted({str(row["case"]) for row in rows})
    random.Random(1).shuffle(cases)
    held_out = [row for row in rows if str(row["case"]) in cases[::5]]
    others = [row for row in rows if str(row["case"]) not in cases[::5]]
    partly, seconds = fitted(others), fitted(rows)
    rates = {name: 1 / each if name.endswith("per_second") else each for name, each in seconds.items()}
    run = {**provenance.of_run(options.program, {}), "command": " ".join(sys.argv), "rates": rates,
           "errors": {"fitted": described(others, partly), "held out": described(held_out, partly), "all": described(rows, seconds),
                      "Zen 5": described(counted([*arena_rows(OTHER_CPU)], options.program), seconds)}}
    for name, each in run["errors"].items():
        print(name, each)
    for name, each in rates.items():
        print(f".{name} = {each:.2g},")
    if options.json:
        run_files.write(options.json, run)


if __name__ == "__main__":
    main()
