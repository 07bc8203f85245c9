#!/usr/bin/env python3
"""Transposes a file of four times the memory limit, compared with `cp --reflink=never` and a sync of the copy.

Both run alternately, each with a source that is not in the page cache and without dirty pages. A ratio is the median over the rounds
of (time of cornerturn / time of cp). Random elements are verified. Needs disk space for three such files.
"""

import argparse
import datetime
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import provenance
import run_files

ELEMENT = 4
SAMPLE = 1000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program cornerturn")
    parser.add_argument("--memory", metavar="MIB", type=int, default=1024, help="its memory limit in MiB (default %(default)s)")
    parser.add_argument("--folder", default=".", help="a folder on the disk to measure (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    return parser.parse_args()


def write_random(path, size):
    piece = os.urandom(min(size, 7 << 20))
    with open(path, "wb") as file:
        while size > 0:
            size -= file.write(piece[:size])


def forget(path):
    """Drops a file from the page cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def seconds_and_peak(*commands):
    """The time of the commands in sequence, and their peak memory in bytes."""
    peak = 0
    start = time.perf_counter()
    for command in commands:
        process = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(process, 0)
        if status != 0:
            sys.exit(f"{' '.join(command)} failed")
        peak = max(peak, usage.ru_maxrss * 1024)
    return time.perf_counter() - start, peak


def check(source, result, rows, cols):
    with open(source, "rb") as before, open(result, "rb") as after:
        for _ in range(SAMPLE):
            row, col = random.randrange(rows), random.randrange(cols)
            element = lambda file, place: os.pread(file.fileno(), ELEMENT, place * ELEMENT)
            if element(before, row * cols + col) != element(after, col * rows + row):
                sys.exit(f"wrong: element {row}, {col}")


def main():
    options = arguments()
    memory = options.memory << 20
    rows = 1 << int(math.log2(4 * memory / ELEMENT) / 2)
    cols = 4 * memory // ELEMENT // rows
    rounds, peak = [], 0
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        source, copy, result = (str(pathlib.Path(folder) / name) for name in ("source", "copy", "result"))
        write_random(source, rows * cols * ELEMENT)
        copying = [["cp", "--reflink=never", source, copy], ["sync", copy]]
        transposing = [[options.program, "transpose", source, result, "--raw", "--shape", f"{rows}x{cols}", "--type", "f32",
                        "--device", "cpu", "--memory", str(memory)]]
        for number in range(options.rounds):
            times = {}
            peers = [("cp", copying, copy), ("cornerturn", transposing, result)]
            for name, commands, output in peers if number % 2 == 0 else peers[::-1]:
                forget(source)
                os.sync()
                times[name], used = seconds_and_peak(*commands)
                if name == "cornerturn":
                    peak = max(peak, used)
                    check(source, result, rows, cols)
                os.unlink(output)
            rounds.append(times)
            print(f"cp {times['cp']:.2f} s, cornerturn {times['cornerturn']:.2f} s", flush=True)
    ratio = statistics.median(each["cornerturn"] / each["cp"] for each in rounds)
    print(f"{rows} x {cols} f32 in {options.memory} MiB: {ratio:.2f} of cp's time, peak {peak / 2**20:.0f} MiB")
    if options.json:
        run = {"date": datetime.date.today().isoformat(), "commit": provenance.commit(),
               "compilers": provenance.compilers(options.program), "cp": (provenance.said("cp", "--version") or "").partition("\n")[0],
               "shape": [rows, cols], "type": "f32", "memory_bytes": memory, "peak_bytes": peak, "seconds": rounds, "ratio": ratio}
        run_files.write(options.json, run)


if __name__ == "__main__":
    main()
