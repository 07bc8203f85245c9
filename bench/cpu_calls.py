#!/usr/bin/env python3
"""Runs cpu_calls in several processes, and writes the medians of their times in nanoseconds, with the commit and the compilers.

Needs only Python's standard library.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import provenance
import run_files


def merged(runs):
    """The calls of all processes: of each one the median and the shortest time over the processes."""
    return [{"name": same[0]["name"], "median_ns": round(statistics.median(call["median_ns"] for call in same), 1),
             "quickest_ns": min(call["quickest_ns"] for call in same)} for same in zip(*(run["calls"] for run in runs))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="the program cpu_calls")
    parser.add_argument("out", type=pathlib.Path, help="the file to write, e.g. bench/results/zen4-calls.json.gz")
    parser.add_argument("--processes", type=int, default=5)
    options = parser.parse_args()
    runs = [json.loads(subprocess.run([options.program], check=True, stdout=subprocess.PIPE, text=True).stdout)
            for _ in range(options.processes)]
    head = {name: value for name, value in runs[0].items() if name not in ("calls", "compiler")}
    result = head | provenance.of_run(provenance.loaded_by(options.program), {}) | {"command": " ".join(sys.argv), "calls": merged(runs)}
    run_files.write(options.out, result)


if __name__ == "__main__":
    main()
