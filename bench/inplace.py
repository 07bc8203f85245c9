"""Times permutations in place: squares, rectangles, skinny matrices and permutations of 3 to 6 axes.

Runs build/.../bin/inplace_cpu or inplace_gpu once for each set of cases, prints a summary, and writes one JSON with the commit and the
compilers. Every ratio is that of a copy of the same bytes by the other's time, the median of rounds in which all alternate. With --blas,
inplace_cpu also times the BLAS's imatcopy. Needs only Python's standard library.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

import provenance
import run_files

SETS = ("squares", "rectangles", "large", "skinny", "axes")
RATIOS = ("ratio", "ratio_of_permute_and_copy_back", "ratio_of_imatcopy")


def summary(cases, name):
    """The mean and the worst of a ratio; None if it was not timed."""
    ratios = [case[name] for case in cases if name in case]
    return f"{name}: mean {statistics.mean(ratios):.3f}, worst {min(ratios):.3f} of {len(ratios)}" if ratios else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path, help="inplace_cpu or inplace_gpu")
    parser.add_argument("--set", action="append", choices=SETS, help="cases to time; all by default")
    parser.add_argument("--most-bytes", type=int, help="bytes of the largest array")
    parser.add_argument("--limit", type=float, default=1e6, help="seconds after which no case begins, for all sets together")
    parser.add_argument("--sides", type=int, nargs="*", help="sides of the squares")
    parser.add_argument("--blas", help="a BLAS library with imatcopy, for inplace_cpu")
    parser.add_argument("--out", type=pathlib.Path, help="the JSON that is written")
    options = parser.parse_args()
    begin = time.monotonic()
    head, cases, left_out = {}, [], 0
    for name in options.set or SETS:
        arguments = [name, "--seconds", max(0, options.limit - (time.monotonic() - begin))]
        for flag, value in (("--most-bytes", options.most_bytes), ("--blas", options.blas)):
            arguments += [flag, value] if value else []
        arguments += ["--sides", *options.sides] if options.sides else []
        run = json.loads(subprocess.run([options.program, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout)
        found, left = run.pop("cases"), run.pop("left_out")
        cases += [{"set": name} | case for case in found]
        head, left_out = run, left_out + left
        print(f"{name}: {len(found)} cases, {left} left out, {sum('refused' in case for case in found)} refused, "
              f"{sum(not case.get('right', True) for case in found)} wrong")
        print("".join(f"  {line}\n" for line in (summary(found, ratio) for ratio in RATIOS) if line), end="", flush=True)
    versions = {"blas": pathlib.Path(options.blas).name} if options.blas else {}
    result = provenance.of_run(provenance.loaded_by(options.program), versions) | head | {"left_out": left_out, "cases": cases}
    if options.out:
        run_files.write(options.out, result)


if __name__ == "__main__":
    main()
