#!/usr/bin/env python3
"""Times permutations where programs have them: each between a kernel that writes its source and one that reads its destination.

A round is a CUDA graph, or a row of launches in a stream that waits behind other work, of 50 times [write, permute, read], less the
same without the permutation. All peers move the same source, whose random elements stay as they are, in one process, in an order
that is drawn anew in each round. Figures are medians over the rounds, with the interval that has the median in 19 of 20 cases.

  bench/arena_programs.py --cases programs --random 0:26 --json run.json

A run needs a GPU and torch.
"""

import argparse
import functools
import math
import os
import pathlib
import statistics
import sys
import tempfile

import arena
import arena_cases
import arena_machine
import arena_peers
import run_files

REPEATS, BUSY_CYCLES = 50, 6_000_000
LEAST, MOST = 8 << 10, 64 << 20  # bytes of a drawn array


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="programs", help="names from bench/cases or files, separated by commas")
    parser.add_argument("--random", metavar="FIRST:COUNT", help="random problems of 8 KB to 64 MB with these seeds, after the cases")
    arena_peers.add_options(parser, "eager,compile,cutensor,cornerturn")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json", type=pathlib.Path, help="file for the results, rewritten after each case")
    return parser.parse_args()


def interval(values):
    """The median, and the order statistics between which it lies in 19 of 20 cases."""
    ordered, n = sorted(values), len(values)
    below = max(0, math.floor(n / 2 - 0.98 * math.sqrt(n)))
    return [statistics.median(ordered), ordered[below], ordered[n - 1 - below]]


def verdict(own, other):
    """How `own` seconds compare to `other`, both as intervals: faster, slower, the same within 3 %, or undecided."""
    if own[2] < other[1]:
        return "faster"
    if own[1] > other[2]:
        return "slower"
    near = max(own[2], other[2]) <= 1.03 * min(own[1], other[1])
    return "same" if near else "undecided"


def repeated(work):
    for _ in range(REPEATS):
        work()


def microseconds(torch, runs, rounds):
    """[median, low, high] of each run but `nothing`, less `nothing` of the same round. A run repeats its work."""
    times = arena.samples(torch, runs, rounds, BUSY_CYCLES)
    nothing = times.pop("nothing")
    return {name: interval([1e3 * (ms - without) / REPEATS for ms, without in zip(each, nothing)]) for name, each in times.items()}


def into(out, work):
    """A work that returns the tensor that it writes."""
    return lambda: (work(), out)[1]


def program(x, work):
    """A kernel that writes the source and leaves it as it is, the permutation, and a kernel that reads the result."""
    return lambda: (x.mul_(1), work().view(-1).add_(0))


def run_case(torch, peers, rounds, shape, axes, kind):
    _, x = arena.source_of(torch, shape, kind, [1] * len(shape))
    out = torch.empty([shape[axis] for axis in axes], dtype=x.dtype, device="cuda")
    wanted = x.permute(axes).contiguous()
    works, failed, said = {"copy": lambda: out.view(-1).copy_(x.view(-1))}, {}, {}
    for name, peer in peers.items():
        try:
            work = peer.make(torch, x, axes, out)
            if work is None:
                continue
            result = work() if getattr(peer, "returns", False) else (work(), out)[1]
            if not torch.equal(result, wanted):
                raise RuntimeError("wrong result")
            works[name] = work if getattr(peer, "returns", False) else into(out, work)
            if hasattr(work, "describe"):
                said[name] = work.describe
        except arena_peers.FoundChoice:
            raise
        except Exception as problem:  # peers fail with exceptions of every type
            failed[name] = f"{type(problem).__name__}: {problem}"[:160]
    programs = {name: program(x, work) for name, work in {"nothing": lambda: out, **works}.items()}
    graphs = {}
    for name, work in programs.items():
        try:
            graphs[name] = arena.captured(torch, work, REPEATS)
        except Exception as problem:
            failed[name] = f"no graph: {problem}"[:120]
    row = {"shape": shape, "axes": axes, "type": kind, "bytes": arena_peers.bytes_moved(x), "failed": failed, "plans": said,
           "clock_mhz": arena_machine.nvidia_smi("clocks.sm"), "graph_us": microseconds(torch, graphs, rounds),
           "stream_us": microseconds(torch, {name: functools.partial(repeated, programs[name]) for name in graphs}, rounds)}
    torch._dynamo.reset()
    return row


def cases_of(options):
    cases = [case for name in options.cases.split(",") if name for case in arena_cases.of_whole_arrays(name)]
    if options.random:
        first, count = map(int, options.random.split(":"))
        cases += [arena_cases.drawn(seed, LEAST, MOST) for seed in range(first, first + count)]
    return cases


def summary(rows):
    """One line per peer: the geometric mean of its speed as a ratio to a copy, and how we compare, by graphs and by streams."""
    lines = []
    for how in ("graph_us", "stream_us"):
        for peer in dict.fromkeys(name for row in rows for name in row[how] if name != "copy"):
            own = [row for row in rows if peer in row[how]]
            mean = statistics.geometric_mean(max(1e-3, row[how]["copy"][0] / row[how][peer][0]) for row in own)
            verdicts = [verdict(row[how]["cornerturn"], row[how][peer]) for row in own if "cornerturn" in row[how]]
            counts = ", ".join(f"{verdicts.count(each)} {each}" for each in ("faster", "same", "slower", "undecided"))
            lines.append(f"{how:9} {peer:12} {mean:.3f} of a copy ({len(own)})" + ("" if peer == "cornerturn" else f"; we: {counts}"))
    return "\n".join(lines)


def main():
    options = arguments()
    import torch
    import torch._dynamo

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ |= {"TORCHINDUCTOR_CACHE_DIR": folder, "CORNERTURN_CACHE_DIR": folder}
        peers, absent = arena_peers.gather(options)
        run = {**arena_machine.described(torch, peers, options), "absent": absent, "command": " ".join(sys.argv),
               "content": "random", "rows": []}
        for case in cases_of(options):
            run["rows"].append(run_case(torch, peers, options.rounds, *case))
            if options.json:
                run_files.write(options.json, run)
            row = run["rows"][-1]
            print(f"{arena.arena_report.title(row):40}", "  ".join(f"{name} {us[0]:.2f}" for name, us in row["graph_us"].items()),
                  row["failed"] or "", flush=True)
    print(summary(run["rows"]))


if __name__ == "__main__":
    main()
