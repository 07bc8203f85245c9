#!/usr/bin/env python3
"""Everybody who can permute a tensor on a GPU, in one process, on the same buffers, interleaved; results are checked.

Speeds are ratios to torch's copy_ of as many bytes between the same buffers. The stream is kept busy before each interval
begins, so that launching is not timed; cases under 64 MB are timed as CUDA graphs of 20 launches. Needs a GPU and torch;
--table, which prints a run's tables again, neither.
"""

import argparse
import json
import math
import pathlib
import random
import statistics
import sys

import arena_cases
import arena_peers
import arena_report

GRAPH_BELOW, LAUNCHES, BUSY_CYCLES = 64e6, 20, 400_000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="main", help="names of bench/cases, or files, with commas between (default main)")
    parser.add_argument("--random", metavar="FIRST:COUNT", help="problems drawn by these seeds instead")
    parser.add_argument("--peers", default="eager,compile,cornerturn", help="default %(default)s; also max-autotune, geam, "
                        "cutensor, cornerturn-measure, python: the package on PYTHONPATH, and before: another build of this project")
    parser.add_argument("--library", default="build/gpu/lib/libcornerturn.so", help="the build that `cornerturn` is")
    parser.add_argument("--before", help="the build that `before` is")
    parser.add_argument("--cutensor", default="libcutensor.so.2")
    parser.add_argument("--cublas", default="libcublas.so.13")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", type=pathlib.Path, help="where the run goes")
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--gate", action="store_true", help="fail where `cornerturn` is over 3 %% slower than `before`")
    parser.add_argument("--table", type=pathlib.Path, metavar="JSON", help="print the tables of a run, plot it where asked, and measure nothing")
    return parser.parse_args()


def captured(torch, work):
    """A CUDA graph of several launches."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAUNCHES):
            work()
    return graph.replay


def timed(torch, works, rounds, as_graphs, failed):
    """Median milliseconds of each."""
    if as_graphs:
        graphs = {}
        for name, work in works.items():
            try:
                graphs[name] = captured(torch, work)
            except Exception as problem:  # a peer that cannot be captured leaves the case
                failed[name] = f"no graph: {problem}"[:120]
        works = graphs
    for work in works.values():
        for _ in range(3):
            work()
    times = {name: [] for name in works}
    order = list(works)
    turns = random.Random(1)
    for _ in range(rounds):
        turns.shuffle(order)  # what ran before leaves its arrays in the cache
        for name in order:
            work = works[name]
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda._sleep(BUSY_CYCLES)
            begin.record()
            work()
            end.record()
            end.synchronize()
            times[name].append(begin.elapsed_time(end) / (LAUNCHES if as_graphs else 1))
    return {name: statistics.median(each) for name, each in times.items()}


def source_of(torch, shape, kind):
    dtype = getattr(torch, arena_peers.TYPES[kind])
    if kind == "u8":
        return torch.randint(0, 255, shape, dtype=dtype, device="cuda")
    return torch.randn(shape, dtype=dtype, device="cuda")


def run_case(torch, peers, shape, axes, kind, rounds):
    x = source_of(torch, shape, kind)
    flat = torch.empty(math.prod(shape), dtype=x.dtype, device="cuda")
    like, out = flat.view(shape), flat.view([shape[axis] for axis in axes])
    wanted = x.permute(axes).contiguous()
    works, failed, said = {"copy": lambda: like.copy_(x)}, {}, {}
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
            works[name] = work
            if hasattr(work, "describe"):
                said[name] = work.describe
        except Exception as problem:  # peers fail with exceptions of every type
            failed[name] = f"{type(problem).__name__}: {problem}"[:160]
    del wanted
    moved = arena_peers.bytes_moved(x)
    ms = timed(torch, works, rounds, moved < GRAPH_BELOW, failed)
    return {"shape": shape, "axes": axes, "type": kind, "bytes": moved, "ms": ms, "failed": failed, "plans": said}


def report(rows, options):
    print(arena_report.table(rows), end="")
    if options.plot:
        ratios = [{peer: [row["ms"]["copy"] / ms] for peer, ms in row["ms"].items()} for row in rows]
        arena_report.plot(list(zip(map(arena_report.title, rows), ratios)), options.plot, "a copy of the same bytes")


def main():
    options = arguments()
    if options.table:
        report(json.loads(options.table.read_text())["rows"], options)
        return 0
    import torch

    peers, absent = arena_peers.gather(options)
    for name, why in absent.items():
        print(f"arena: no {name}: {why}", file=sys.stderr)
    if options.random:
        first, count = map(int, options.random.split(":"))
        cases = [arena_cases.drawn(seed) for seed in range(first, first + count)]
    else:
        cases = [case for name in options.cases.split(",") for case in arena_cases.named(name)]
    rows = []
    for shape, axes, kind in cases:
        row = run_case(torch, peers, shape, axes, kind, options.rounds)
        rows.append(row)
        shown = "  ".join(f"{name} {row['ms']['copy'] / ms:.3f}" for name, ms in row["ms"].items() if name != "copy")
        print(f"{arena_report.title(row):48} {shown}" + (f"  {row['failed']}" if row["failed"] else ""), flush=True)
        torch.cuda.empty_cache()
    if options.json:
        options.json.write_text(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__,
                                            "command": " ".join(sys.argv), "rows": rows}, indent=1) + "\n")
    report(rows, options)
    wrong = [arena_report.title(row) for row in rows if "wrong result" in row["failed"].get("cornerturn", "")]
    lost = arena_report.losses(rows) if options.gate else []
    for name, loss in lost:
        print(f"arena: {name}: {100 * loss:.1f} % slower than before", file=sys.stderr)
    for name in wrong:
        print(f"arena: {name}: wrong result", file=sys.stderr)
    return 1 if lost or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
