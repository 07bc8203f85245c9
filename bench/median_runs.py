#!/usr/bin/env python3
"""Merges several runs of bench/ladder_runs.py or bench/ladder_torch.py, of different cards or days, into one file.

Of every row it keeps the run whose ratio to memcpy is the median. So all figures of a row are of one run. `cards` counts the pairs
of card and day, which must be at least three. The matrices and rows must be the same in all runs.

  bench/median_runs.py run-1.json run-2.json run-3.json bench/results/h200-ladder.json.gz
"""

import argparse
import pathlib
import sys

import provenance
import run_files

LEAST = 3


def name_of(row):
    return row["name"], row.get("tile"), row.get("threads")


def matrix_of(run):
    return run["rows"], run["cols"], run["type"]


def median_row(rows):
    """The row with the median ratio, the lower of two middle ones; rows without a time are alike."""
    timed = sorted((row for row in rows if row.get("ratio") is not None), key=lambda row: row["ratio"])
    return timed[(len(timed) - 1) // 2] if timed else rows[0]


def merge(runs):
    """`runs` holds one list of matrices per run."""
    result = []
    for same in zip(*runs, strict=True):
        if len({matrix_of(run) for run in same}) > 1:
            sys.exit(f"median_runs: the runs have different matrices: {', '.join(str(matrix_of(run)) for run in same)}")
        rungs = []
        for rows in zip(*(run["rungs"] for run in same), strict=True):
            if len({name_of(row) for row in rows}) > 1:
                sys.exit(f"median_runs: the runs have different rows: {', '.join(str(name_of(row)) for row in rows)}")
            # the best tile is computed again below, because it may differ between runs
            rungs.append({key: value for key, value in median_row(rows).items() if key != "best"})
        if any("best" in row for run in same for row in run["rungs"]):
            mark_best(rungs)
        speeds = sorted(run["memcpy_gbs"] for run in same)
        places = provenance.places(same)
        if len(places) < LEAST:
            sys.exit(f"median_runs: the runs are of {len(places)} cards or days; at least {LEAST} are needed")
        result.append({**same[0], "card": [card for card, _ in places], "date": [date for _, date in places],
                       "cards": len(places), "memcpy_gbs": speeds[(len(speeds) - 1) // 2], "rungs": rungs})
    return result


def mark_best(rows):
    """In a sweep of tiles, marks the fastest tile of each rung."""
    timed = [row for row in rows if row.get("ratio") is not None]
    for name in {row["name"] for row in timed}:
        max((row for row in timed if row["name"] == name), key=lambda row: row["ratio"])["best"] = True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=pathlib.Path, nargs="+", help="at least three runs")
    parser.add_argument("out", type=pathlib.Path)
    given = parser.parse_args()
    if len(given.runs) < LEAST:
        sys.exit(f"median_runs: {len(given.runs)} runs are given; at least {LEAST} are needed")
    merged = merge(list(map(run_files.read, given.runs)))
    run_files.write(given.out, merged)


if __name__ == "__main__":
    main()
