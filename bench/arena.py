#!/usr/bin/env python3
"""Compares all libraries that can permute a tensor on a GPU, in one process, with the same source, interleaved; verifies results.

The destination is the same, too, except for torch.compile, which returns a new tensor. Speeds are ratios to torch's copy_ of as
many contiguous bytes between the same buffers. The stream is kept busy before each interval, so that launch latency is not timed. Cases
under 64 MB are timed as CUDA graphs of 20 launches in a row, in which a launch may overlap with the previous one, and again as
single launches: with an ordinary kernel between every two launches, whose time is subtracted. Measured choices, and the code that
Inductor compiles, are kept in folders that are empty at the start of the run.

  bench/arena.py --cases main,small --random 0:250 --compiled 24 --seconds 200 --json run-1.json    a run of about four minutes
  bench/arena.py --merge run-1.json run-2.json run-3.json --json bench/results/h200-arena.json.gz    medians over several runs
  bench/arena.py --table bench/results/h200-arena.json.gz    tables, wins and losses

A run needs a GPU and torch; the other two commands need neither.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

import arena_cases
import arena_machine
import arena_peers
import arena_report
import run_files

GRAPH_BELOW, LAUNCHES, BUSY_CYCLES = 64e6, 20, 1_000_000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", help="names from bench/cases or files, separated by commas (default: main, unless --random is given)")
    parser.add_argument("--random", metavar="FIRST:COUNT", help="random problems with these seeds, after the cases")
    arena_peers.add_options(parser, "eager,compile,max-autotune,geam,cutensor,cornerturn,cornerturn-measure")
    parser.add_argument("--compiled", type=int, metavar="N", help="run compile and max-autotune on the first N random problems only")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="start no case after S seconds of cases or of random problems")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", type=pathlib.Path, help="file for the results, rewritten after each case")
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--gate", action="store_true", help="fail if `cornerturn` is more than 3 %% slower than `before`")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--table", type=pathlib.Path, metavar="JSON", help="print the tables of a run, and plot it with --plot")
    what.add_argument("--merge", type=pathlib.Path, nargs="+", metavar="JSON",
                      help="merge at least three runs of one build, from different cards or days")
    parser.add_argument("--runs-of-case", type=int, default=arena_report.RUNS, metavar="N",
                        help="with --merge: keep the cases that at least N of the runs have (default %(default)s)")
    return parser.parse_args()


def captured(torch, work, times=LAUNCHES):
    """A CUDA graph of several calls of a work; raises if it cannot be captured."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            work()
    return graph.replay


def samples(torch, works, rounds, busy=BUSY_CYCLES):
    """Milliseconds of each work in each round."""
    for work in works.values():
        for _ in range(3):
            work()
    times = {name: [] for name in works}
    order = list(works)
    generator = random.Random(1)
    for _ in range(rounds):
        generator.shuffle(order)  # the previous work leaves its arrays in the cache
        for name in order:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda._sleep(busy)
            begin.record()
            works[name]()
            end.record()
            end.synchronize()
            times[name].append(begin.elapsed_time(end))
    return times


def medians(torch, works, rounds):
    """Milliseconds of each work, medians over the rounds."""
    return {name: statistics.median(each) for name, each in samples(torch, works, rounds).items()}


def graph_times(torch, works, rounds, failed):
    """Milliseconds of a launch in a row of equal launches, and of a single launch."""
    flag = torch.zeros(1, device="cuda")
    spacer = lambda: flag.add_(1)
    rows, singles = {}, {"spacer": captured(torch, lambda: (spacer(), spacer()))}
    for name, work in works.items():
        try:
            rows[name], singles[name] = captured(torch, work), captured(torch, lambda: (work(), spacer()))
        except Exception as problem:  # a peer that cannot be captured is excluded
            rows.pop(name, None)
            failed[name] = f"no graph: {problem}"[:120]
    in_a_row = medians(torch, rows, rounds)
    spaced = medians(torch, singles, rounds)
    between = spaced.pop("spacer") / 2
    return ({name: ms / LAUNCHES for name, ms in in_a_row.items()},
            {name: (ms - between) / LAUNCHES for name, ms in spaced.items()})


def source_of(torch, shape, kind, steps):
    """Random elements: the whole array, and every so many indices of each mode of it."""
    dtype = getattr(torch, arena_cases.DTYPES[kind])
    extents = [extent * step for extent, step in zip(shape, steps)]
    whole = (torch.randint(0, 255, extents, dtype=dtype, device="cuda") if kind == "u8"
             else torch.randn(extents, dtype=dtype, device="cuda"))
    return whole, whole[tuple(slice(None, None, step) for step in steps)]


def run_case(torch, peers, rounds, shape, axes, kind, steps=None):
    whole, x = source_of(torch, shape, kind, steps or [1] * len(shape))
    flat = torch.empty(x.numel(), dtype=x.dtype, device="cuda")
    copied, out = whole.view(-1)[:x.numel()], flat.view([shape[axis] for axis in axes])
    wanted = x.permute(axes).contiguous()
    works, failed, said = {"copy": lambda: flat.copy_(copied)}, {}, {}
    for name, peer in peers.items():
        try:
            work = peer.make(torch, x, axes, out)
            if work is None:
                continue
            out.zero_()
            result = work() if getattr(peer, "returns", False) else (work(), out)[1]
            torch.cuda.synchronize()
            if not torch.equal(result, wanted):
                raise RuntimeError("wrong result")
            del result
            works[name] = work
            if hasattr(work, "describe"):
                said[name] = work.describe
        except arena_peers.FoundChoice:
            raise
        except Exception as problem:  # peers fail with exceptions of every type
            failed[name] = f"{type(problem).__name__}: {problem}"[:160]
    del wanted
    moved = arena_peers.bytes_moved(x)
    row = {"shape": shape, "axes": axes, "type": kind, "bytes": moved, "failed": failed, "plans": said}
    row |= {"steps": steps} if steps else {}
    if moved < GRAPH_BELOW:
        row["ms"], row["single_ms"] = graph_times(torch, works, rounds, failed)
    else:
        row["ms"] = medians(torch, works, rounds)
    torch._dynamo.reset()
    return row


def parts_of(options):
    """(name, cases, number of cases for the compilers) of each part."""
    names = options.cases.split(",") if options.cases else [] if options.random else ["main"]
    parts = [(pathlib.Path(name).stem, arena_cases.named(name), None) for name in names]
    if options.random:
        parts.append(("random", arena_cases.drawn_between(options.random), options.compiled))
    return parts


def measured(options):
    """The results of a run."""
    folder = lambda: tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # Inductor's processes may still run
    with folder() as compiled, folder() as choices:
        os.environ |= {"TORCHINDUCTOR_CACHE_DIR": compiled, "CORNERTURN_CACHE_DIR": choices}
        return measured_anew(options)


def measured_anew(options):
    import torch
    import torch._dynamo

    peers, absent = arena_peers.gather(options)
    for name, why in absent.items():
        print(f"arena: no {name}: {why}", file=sys.stderr)
    run = {**arena_machine.described(torch, peers, options), "absent": absent, "command": " ".join(sys.argv), "rows": []}
    print(json.dumps({key: value for key, value in run.items() if key != "rows"}), flush=True)
    for part, cases, compiled in parts_of(options):
        begun = time.monotonic()
        for number, case in enumerate(cases):
            spent = time.monotonic() - begun
            if options.seconds and spent > options.seconds:
                print(f"arena: {part}: {len(cases) - number} of {len(cases)} cases left out after {spent:.0f} s", file=sys.stderr)
                break
            meet = {name: peer for name, peer in peers.items()
                    if compiled is None or number < compiled or not isinstance(peer, arena_peers.Compiled)}
            row = {"part": part, **run_case(torch, meet, options.rounds, *case)}
            run["rows"].append(row)
            if options.json:
                run_files.write(options.json, run)
            shown = "  ".join(f"{name} {row['ms']['copy'] / ms:.3f}" for name, ms in row["ms"].items() if name != "copy")
            print(f"{time.monotonic() - begun:5.0f} s {arena_report.title(row):48} {shown}" +
                  (f"  {row['failed']}" if row["failed"] else ""), flush=True)
            torch.cuda.empty_cache()
    return run


def report(merged, options):
    print(arena_report.text(merged), end="")
    if options.plot:
        drawn = [(arena_report.title(row), row["ratios"]) for row in merged["rows"] if row["part"] != "random"]
        arena_report.plot(drawn, options.plot, "a copy of the same bytes")


def main():
    options = arguments()
    if options.table or options.merge:
        runs = [run_files.read(path) for path in options.merge or [options.table]]
        try:
            merged = arena_report.merge(runs, runs_of_case=options.runs_of_case) if options.merge else arena_report.merged_of(runs[0])
        except ValueError as problem:
            raise SystemExit(f"arena: {problem}") from None
        if options.json:
            run_files.write(options.json, merged)
        report(merged, options)
        return 0
    try:
        run = measured(options)
    except arena_peers.FoundChoice as found:
        raise SystemExit(f"arena: an estimated plan was not estimated: {found}") from None
    report(arena_report.merged_of(run), options)
    wrong = [arena_report.title(row) for row in run["rows"] for name, why in row["failed"].items()
             if name.startswith("cornerturn") and "wrong result" in why]
    lost = arena_report.slower_than_before(run["rows"]) if options.gate else []
    for name, loss in lost:
        print(f"arena: {name}: {100 * loss:.1f} % slower than before", file=sys.stderr)
    for name in wrong:
        print(f"arena: {name}: wrong result", file=sys.stderr)
    return 1 if lost or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
