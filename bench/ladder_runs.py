#!/usr/bin/env python3
"""Runs the ladder at every size of the table in docs/ladder.md, and joins the runs in one JSON file.

Needs a GPU, but no Python packages. Options that are not its own go to the ladder: --repeats 51
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import provenance
import run_files

RUNS = [
    (1024, 1024, "f32"),
    (8192, 8192, "f32"),
    (16384, 16384, "f32"),
    (32768, 32768, "f32"),
    (16383, 16385, "f32"),
    (16384, 16384, "f64"),
    (16384, 16384, "c128"),
    (32768, 32768, "u16"),
    (32768, 65536, "u8"),
]


def run_ladder(program, rows, cols, kind, options, path):
    """One run of the program; returns the list that it wrote to `path`."""
    command = [program, "ladder", "--rows", str(rows), "--cols", str(cols), "--type", kind, "--json", path, *options]
    done = subprocess.run(command)
    if done.returncode:
        sys.exit(f"ladder_runs: {rows} x {cols} {kind} ended with exit code {done.returncode}")
    runs = run_files.read(path)
    if not all(run["device"] for run in runs):
        sys.exit("ladder_runs: nothing was timed, as there is no GPU")
    return [{**provenance.of_ladder(), **run} for run in runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="the program cornerturn")
    parser.add_argument("out", type=pathlib.Path, help="the file to write, e.g. bench/results/h200-ladder.json.gz")
    given, options = parser.parse_known_args()

    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for rows, cols, kind in RUNS:
            runs += run_ladder(given.program.resolve(), rows, cols, kind, options, pathlib.Path(folder) / "run.json")
            print(flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    run_files.write(given.out, runs)


if __name__ == "__main__":
    main()
