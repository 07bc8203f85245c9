#!/usr/bin/env python3
"""Writes the result tables of README.md and docs from the runs in bench/results.

A table is between two comments; the first one names its kind and its source files:

  <!-- table: KIND [WORD ...] FILE.json ... -->
  <!-- table:end -->

  bench/tables.py            rewrites all tables
  bench/tables.py --check    only reports stale tables
"""

import argparse
import math
import os
import pathlib
import re
import statistics
import sys

import arena_cases
import arena_report
import cpu_arena
import run_files
import torch_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"<!-- table: ([^\n]*?) -->\n(.*?)<!-- table:end -->", re.DOTALL)
# the cases of the arena in docs/performance.md
SHOWN = ["32768x32768 (1,0) f32", "16381x16389 (1,0) u8", "256x224x224x3 (0,3,1,2) u8", "65536x17x19 (0,2,1) f32",
         "48x28x28x28x48 (4,3,2,1,0) f32", "1024x1024 (1,0) f32"]


def spread(values, digits=2):
    """The median, the minimum and the maximum."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def arena(table):
    """A table of the named parts, or of all parts, of a run of the arena."""
    return lambda words, run: table([row for row in arena_report.merged_of(run)["rows"] if row["part"] in words or not words])


def arena_shown(words, run):
    """Some cases, in single launches, with our estimated plan."""
    rows = arena_report.losses_first([row for row in arena_report.merged_of(run)["rows"] if arena_report.title(row) in SHOWN])
    peers = [peer for peer in arena_report.peers_of(row["ratios"] for row in rows) if peer not in arena_report.OURS]
    lines = [[arena_report.title(row), f"{statistics.median(row['gbs']):.0f}",
              *(arena_report.number(arena_report.single(row, peer)) for peer in (*peers, arena_report.OWN)),
              arena_report.number(arena_report.speed(row, arena_report.best_peer(row)))] for row in rows]
    return arena_report.markdown(["case", "copy GB/s", *peers, arena_report.OWN, "to the best"], lines)


def arena_runs(words, run):
    return arena_report.provenance(arena_report.merged_of(run))


def matrix(run):
    return f"{run['rows']} x {run['cols']} {run['type']}"


def tiles(words, runs):
    """The tiles of one rung for every matrix; the first tile of a matrix is its default."""
    [rung] = words
    found = {}
    for run in runs:
        for row in run["rungs"]:
            if row["name"] == rung and row["ratio"]:
                cells = found.setdefault((row["tile"], row["threads"]), {})
                first = not any(matrix(run) in others for others in found.values())
                cells.setdefault(matrix(run), f"**{row['ratio']:.3f}**" if first else f"{row['ratio']:.3f}")
    heads = [matrix(run) for run in runs]
    lines = [[f"{tile}, {threads}", *(cells.get(head, "–") for head in heads)] for (tile, threads), cells in found.items()]
    return arena_report.markdown([f"`{rung}`: tile, threads", *heads], lines)


def torch_ladder(words, runs):
    """Some rungs and torch; each ratio is to the memcpy of its own process."""
    lines = []
    for run in runs:
        ratios = {row["name"]: row["ratio"] for row in run["rungs"]}
        lines.append([matrix(run), *(arena_report.number(ratios.get(word)) for word in words)])
    return arena_report.markdown(["matrix", *(f"`{word}`" for word in words)], lines)


def fetches(words, run):
    """Rows of one length; the columns are gaps and offsets in bytes."""
    [length] = map(int, words)
    rows = [row for row in run["rows"] if row["row"] == length]
    places = list(dict.fromkeys((row["gap"], row["off"]) for row in rows))
    lines = [[f"`{way}`", *(f"{row['ratio']:.3f}, {row['sectors']:.2f}" for place in places for row in rows
                            if row["way"] == way and (row["gap"], row["off"]) == place)]
             for way in dict.fromkeys(row["way"] for row in rows)]
    return arena_report.markdown(["ratio, sectors", *(f"gap {gap}, offset {off}" for gap, off in places)], lines)


def cpu_ladder(words, content):
    """GB/s, and the ratio to the faster one of the two copies of each process."""
    rows = {}
    for run in content["runs"]:
        fastest = max(row["gbs"] for row in run["rungs"] if row["name"] in ("memcpy", "nt-copy"))
        for row in run["rungs"]:
            rows.setdefault((row["name"], row["threads"]), []).append((row["gbs"], row["gbs"] / fastest))
    return arena_report.markdown(["rung", "threads", "GB/s", "to the faster copy"],
                                 [[f"`{name}`", str(threads), *(spread(values) for values in zip(*each))]
                                  for (name, threads), each in rows.items()])


def cpu_rows(run):
    """Rows without plain copies, which older runs contain."""
    return [row for row in cpu_arena.rows_of(run) if "steps" in row or not arena_cases.moves_nothing(row["shape"], row["axes"])]


def cpu_means(words, *runs):
    """One line per file: geometric mean and minimum of each peer, with the number of its cases if it has not all."""
    lines, peers = [], []
    for run in runs:
        peers += [peer for peer in arena_report.peers_of(row["ratios"] for row in cpu_rows(run)) if peer not in peers]
    for run, name in zip(runs, words):
        rows = cpu_rows(run)
        values = [[statistics.median(row["ratios"][peer]) for row in rows if peer in row["ratios"]] for peer in peers]
        lines.append([name, str(len(rows)),
                      *(arena_report.mean_and_worst(each).removesuffix(f" ({len(rows)})") for each in values)])
    return arena_report.markdown(["geometric mean; worst", "cases", *(cpu_arena.cpu_peers.LABELS.get(peer, peer) for peer in peers)],
                                 lines)


def cpu_speeds_of(row):
    """Our speed as a ratio to each peer: the median over the processes. Copies are not peers."""
    return {peer: arena_report.speed(row, peer) for peer in row["ratios"]
            if peer not in (*cpu_arena.cpu_peers.CEILINGS, *arena_report.OURS)}


def cpu_losses_first(rows):
    """The cases that a peer wins, by the loss; then the others, by the ratio to the copy."""
    def order(row):
        speed = min(cpu_speeds_of(row).values(), default=math.inf)
        return (0, speed) if speed < 1 else (1, statistics.median(row["ratios"]["cornerturn"]))

    return sorted(rows, key=order)


def losses(words, arena_run, *cpu_runs):
    """How often the fastest other library of a case is faster, on the GPU and on the CPU."""
    parts = {"main": "GPU, large arrays", "small": "GPU, squares of 32 KB to 16 MB", "random": "GPU, arrays of random shapes"}
    of_gpu = arena_report.merged_of(arena_run)["rows"]
    speeds = {}
    for part, name in parts.items():
        for compiled, suffix in ((True, ""), (False, ", without `torch.compile`")):
            rows = [row for row in of_gpu if row["part"] == part and ("compile" in row["ratios"]) == compiled]
            if rows:
                speeds[name + suffix] = [arena_report.speed(row, arena_report.best_peer(row)) for row in rows]
    of_cpu = [min(cpu_speeds_of(row).values()) for run in cpu_runs for row in cpu_rows(run)]
    lines = [[name, str(len(each)), str(sum(speed < 1 for speed in each)), str(arena_report.slower_by_over_5_percent(each)),
              f"{min(each):.2f}"] for name, each in (speeds | {"CPU, the permutations of HPTT's authors": of_cpu}).items()]
    return arena_report.markdown(["against the fastest other library of each case", "cases", "slower", "by over 5 %", "speed at worst"], lines)


def cpu_cases(words, run):
    """Every case, the losses first, without the means at the end of the arena's table."""
    rows = cpu_losses_first(cpu_rows(run))
    lines = cpu_arena.table(rows).splitlines()[:-2]
    if not any(map(cpu_speeds_of, rows)):
        return "\n".join(lines) + "\n"
    speeds = [arena_report.number(min(cpu_speeds_of(row).values(), default=None)) for row in rows]
    ends = ["to the best |", "--: |", *(f"{speed} |" for speed in speeds)]
    return "\n".join(f"{line} {end}" for line, end in zip(lines, ends)) + "\n"


def cpu_matches(words, runs):
    """The suite and the peer, the cases that both ran, and our speeds in these as ratios to the peer's. The peer that is nearest to
    us comes first."""
    for run, name in zip(runs, words):
        rows = cpu_rows(run)
        peers = arena_report.peers_of(map(cpu_speeds_of, rows))
        for peer in sorted(peers, key=lambda peer: min(cpu_speeds_of(row).get(peer, math.inf) for row in rows)):
            some = [row for row in rows if peer in row["ratios"]]
            yield f"{name}, {peer}", peer, some, [cpu_speeds_of(row)[peer] for row in some]


def cpu_wins(words, *runs):
    """Wins and losses of each suite and peer."""
    lines = []
    for name, _, rows, speeds in cpu_matches(words, runs):
        worst = min(range(len(rows)), key=speeds.__getitem__)
        lines.append([name, str(len(rows)), str(sum(speed < 1 for speed in speeds)), str(arena_report.slower_by_over_5_percent(speeds)),
                      f"{speeds[worst]:.3f}", arena_report.title(rows[worst]), f"{arena_report.geometric_mean(speeds):.3f}"])
    return arena_report.markdown(["`cornerturn` against", "cases", "lost", "by over 5 %", "worst", "worst case", "geometric mean"], lines)


def cpu_processes(words, *runs):
    """The losses of single processes for each suite and peer."""
    lines = []
    for name, peer, rows, _ in cpu_matches(words, runs):
        least = [min(own / other for own, other in zip(row["ratios"]["cornerturn"], row["ratios"][peer])) for row in rows]
        lines.append([name, str(len(rows)), str(sum(speed < 1 for speed in least)), f"{min(least):.3f}"])
    return arena_report.markdown(["`cornerturn` against", "cases", "lost in a process", "worst of a process"], lines)


def cpu_beside(words, *runs):
    """GB/s of squares and, after a comma, of squares 12 elements smaller; one line per type and file."""
    lines, extents = [], []
    for run, name in zip(runs, words):
        speeds = {(row["type"], row["shape"][0]): statistics.median(row["ratios"]["cornerturn"]) * statistics.median(row["gbs"])
                  for row in run["rows"]}
        pairs = {(kind, extent): f"{speed:.1f}, {speeds[kind, extent - 12]:.1f}" for (kind, extent), speed in speeds.items()
                 if (kind, extent - 12) in speeds}
        extents = sorted({extent for _, extent in pairs})
        lines += [[f"{kind}, {name}", *(pairs.get((kind, extent), "") for extent in extents)]
                  for kind in dict.fromkeys(kind for kind, _ in pairs)]
    lines.sort(key=lambda line: list(cpu_arena.DTYPES).index(line[0].partition(",")[0]))
    return arena_report.markdown(["GB/s", *map(str, extents)], lines)


def cpu_speeds(words, run):
    """The speed of the first peer as a ratio to the others."""
    own, *others = words
    lines = []
    for other in others:
        speeds = [statistics.median(a / b for a, b in zip(row["ratios"][own], row["ratios"][other])) for row in run["rows"]
                  if {own, other} <= row["ratios"].keys()]
        lines.append([cpu_arena.cpu_peers.LABELS.get(other, other), str(len(speeds)), str(sum(speed < 1 for speed in speeds)),
                      f"{min(speeds):.2f}", f"{arena_report.geometric_mean(speeds):.2f}", f"{max(speeds):.2f}"])
    return arena_report.markdown([f"`{own}` against", "cases", "lost", "worst", "geometric mean", "best"], lines)


def cpu_calls(words, run):
    """Calls whose names have all words."""
    lines = [[call["name"], f"{call['median_ns'] / 1000:.2f}"] for call in run["calls"] if all(word in call["name"] for word in words)]
    return arena_report.markdown([run["processor"], "us"], lines)


def python_calls(words, run):
    places = run["microseconds a call"]
    calls = list(dict.fromkeys(call for place in places.values() for call in place))
    return arena_report.markdown(["microseconds a call", *places],
                                 [[f"`{call}`", *(f"{place[call]:.2f}" if call in place else "–" for place in places.values())]
                                  for call in calls])


def files(words, *runs):
    lines = []
    for name, run in zip(words, runs):
        turns = run["seconds"]
        lines.append([name, f"{statistics.median(turn['cornerturn'] / turn['cp'] for turn in turns):.2f}",
                      *(spread([turn[who] for turn in turns], 1) for who in ("cornerturn", "cp")), f"{run['peak_bytes'] >> 20} MiB"])
    return arena_report.markdown(["", "of cp's time", "seconds", "cp's", "memory"], lines)


def file_trials(words, run):
    """Seconds to transpose a file with some options, and to copy it."""
    return arena_report.markdown(["", "seconds"], [[f"`{way}`", spread(each, 1)] for way, each in run["seconds"].items()])


def counted_bytes(size):
    return f"{size} byte{'s' if size > 1 else ''}"


def inplace(words, run):
    """Matrices that are transposed in place: by shape and element size, the speed as a ratio to a copy, the slowest shape first."""
    shapes = {}
    for case in run["cases"]:
        if case["axes"] == [1, 0]:
            shapes.setdefault(" x ".join(map(str, case["shape"])), {})[case["element_size"]] = case["ratio"]
    sizes = sorted({size for ratios in shapes.values() for size in ratios})
    lines = [[shape, *(f"{ratios[size]:.2f}" if size in ratios else "–" for size in sizes)]
             for shape, ratios in sorted(shapes.items(), key=lambda item: min(item[1].values()))]
    return arena_report.markdown(["shape", *map(counted_bytes, sizes)], lines)


def inplace_sets(words, *runs):
    """Sets of cases in place: ratios to a copy, also of a permutation to a second array that is copied back. Each word is a set of the
    file in its place."""
    lines = []
    for name, run in zip(words, runs):
        cases = [case for case in run["cases"] if case["set"] == name.split()[-1]]
        back = [case["ratio_of_permute_and_copy_back"] for case in cases if "ratio_of_permute_and_copy_back" in case]
        ratios = [case["ratio"] for case in cases]
        slowest = min(cases, key=lambda case: case["ratio"])
        lines.append([name, str(len(cases)), f"{min(ratios):.2f}–{max(ratios):.2f}", f"{statistics.mean(ratios):.2f}",
                      f"{statistics.mean(back):.2f}" + (f" ({len(back)})" if len(back) < len(cases) else ""),
                      f"{' x '.join(map(str, slowest['shape']))} ({', '.join(map(str, slowest['axes']))}), {counted_bytes(slowest['element_size'])}"])
    return arena_report.markdown(["", "cases", "to a copy", "mean", "copied back, mean", "slowest"], lines)


def profile(words, rows):
    """What keeps each rung busy, in some matrices: counters of Nsight Compute, in per cent."""
    shares = ["dram__throughput.avg.pct_of_peak_sustained_elapsed", "lts__throughput.avg.pct_of_peak_sustained_elapsed",
              "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active", "smsp__issue_active.avg.pct_of_peak_sustained_active"]
    cells = {(row["rung"], row["matrix"]): ", ".join(f"{float(row[share]):.0f}" for share in shares) for row in rows}
    return arena_report.markdown(["memory, L2 cache, data pipe, issue", *words],
                                 [[f"`{rung}`", *(cells.get((rung, matrix), "–") for matrix in words)]
                                  for rung in dict.fromkeys(row["rung"] for row in rows)])


def operations(words, run):
    """Permutations that change elements, the slowest beside a copy first."""
    lines = [[" x ".join(map(str, case["shape"])), f"({', '.join(map(str, case['axes']))})", case["operation"],
              f"{1000 * case['ms']:.0f}", f"{case['to_straight']:.2f}", f"{case['to_copy']:.2f}"]
             for case in sorted(run["cases"], key=lambda case: case["to_copy"])]
    return arena_report.markdown(["shape", "axes", "operation", "us", "to the operation alone", "to a copy"], lines)


def quantized(words, run):
    """Matrices that are quantised to 8-bit floats, the slowest beside a copy first."""
    lines = [[f"{case['rows']} x {case['cols']} {case['source']}", case["scales"] + ", F" * (case["scale_order"] == "F"), case["outputs"],
              f"{1000 * case['ms']:.0f}", f"{case['to_copy']:.2f}"]
             for case in sorted(run["quantized"], key=lambda case: case["to_copy"])]
    return arena_report.markdown(["matrix", "scales", "outputs", "us", "to a copy"], lines)


def operation_of(case):
    """The types of a permutation that changes elements, and its factors."""
    factors = "".join(f", {each} {case[each]}" for each in ("alpha", "beta") if case.get(each)) + (", conj" if case.get("conj") else "")
    return f"{case['source']} to {case['destination']}{factors}"


def operation_peers(words, run):
    """The speed of permutations that change elements as a ratio to the operation alone and to each peer, the worst beside a peer first."""
    peers = [peer for peer in ("triton", "compile", "eager", "geam", "cutensor") if any(peer in case["beside"] for case in run["cases"])]
    def name(case):
        return f"quantize, {case['scales']}, {case['outputs']}" if case["operation"] == "quantize" else operation_of(case)
    lines = [[" x ".join(map(str, case["shape"])), name(case), f"{case['to_straight']:.2f}",
              *(f"{case['beside'][peer]:.2f}" if peer in case["beside"] else "–" for peer in peers)]
             for case in sorted(run["cases"], key=lambda case: min(case["beside"].values()))]
    return arena_report.markdown(["shape", "operation", "to the operation alone", *peers], lines)


def cpu_operations(words, *runs):
    """The speed of permutations that change elements on the CPU as a ratio to the operation alone, to a plain permutation of as many bytes
    and to each peer: the least and the most over the runs. The cases that a peer wins in a run come first, by the loss; then the others, by
    the least ratio to a plain permutation."""
    cases = {}
    for case in (case for run in runs for case in run["cases"]):
        ratios = {"the operation alone": case["to_straight"], "a plain permutation": case["to_identity"], **case["beside"]}
        found = cases.setdefault((" x ".join(map(str, case["shape"])), operation_of(case)), {})
        for name, ratio in ratios.items():
            found.setdefault(name, []).append(ratio)
    names = ["the operation alone", "a plain permutation",
             *(peer for peer in ("numpy", "opencv", "openblas", "mkl", "hptt") if any(peer in found for found in cases.values()))]

    def order(item):
        loss = min(min(ratios) for name, ratios in item[1].items() if name not in names[:2])
        return (0, loss) if loss < 1 else (1, min(item[1]["a plain permutation"]))

    def cell(ratios):
        return "–".join(dict.fromkeys(f"{each:.2f}" for each in (min(ratios), max(ratios)))) if ratios else "–"

    lines = [[*case, *(cell(found.get(name)) for name in names)] for case, found in sorted(cases.items(), key=order)]
    return arena_report.markdown(["shape", "operation", *(f"to {cpu_arena.cpu_peers.LABELS.get(name, name)}" for name in names)], lines)


def jax_speeds(words, *runs):
    """The speed of cornerturn.jax as a ratio to XLA's own transpose; one line per file."""
    lines = []
    for run in runs:
        ratios = [row["ratio"] for row in run["rows"]]
        worst = min(run["rows"], key=lambda row: row["ratio"])
        lines.append([run["memory"], str(len(ratios)), str(sum(ratio < 1 for ratio in ratios)), f"{worst['ratio']:.2f}",
                      arena_report.title(worst), f"{arena_report.geometric_mean(ratios):.2f}", f"{max(ratios):.2f}"])
    return arena_report.markdown(["memory of results", "cases", "lost", "worst", "worst case", "geometric mean", "best"], lines)


def gpus(words, run):
    """Milliseconds of each way to permute an array over GPUs, and in brackets as a ratio to NCCL's all-to-all without a permutation. Last
    what a rank sends by IPC in a second."""
    ways = list(run["cases"][0]["ways"])
    lines = []
    for case in run["cases"]:
        ms = {way: each["ms"] for way, each in case["ways"].items()}
        lines.append([case["case"], *(f"{ms[way]:.2f} ({ms[way] / ms['all-to-all']:.2f})" for way in ways),
                      f"{case['bytes_sent_by_a_rank'] / ms['ipc'] / 1e6:.0f}"])
    return arena_report.markdown(["case", *ways, "GB/s by ipc"], lines)


def ranks(words, run):
    """Milliseconds of each way to permute an array over the processes of one CPU, in brackets as a ratio to cornerturn's; losses first. The
    last way permutes nothing."""
    alone = next(way for way in run["cases"][0]["ways"] if way in ("all-to-all", "rechunk alone"))
    others = [way for way in run["cases"][0]["ways"] if way not in ("cornerturn", alone)]
    rows = []
    for case in run["cases"]:
        ms = {way: each["ms"] for way, each in case["ways"].items()}
        ratios = [ms[way] / ms["cornerturn"] for way in others]
        rows.append((min(ratios), [case["case"], f"{ms['cornerturn']:.1f}", *(f"{ms[way]:.1f} ({ratio:.2f})" for way, ratio in zip(others, ratios)),
                                   f"{ms[alone]:.1f}"]))
    return arena_report.markdown(["case", "cornerturn", *others, f"{alone.split()[0]} alone"], [row for _, row in sorted(rows)])


def rank_trials(words, run):
    """Milliseconds of the parts of a permutation over two ranks, and of whole calls."""
    first = run["cases"][0]
    rows = [[case["case"], *(f"{each['ms']:.1f}" for each in case["ways"].values()), *(f"{ms:.1f}" for ms in case["calls_ms"].values())]
            for case in run["cases"]]
    return arena_report.markdown(["case", *first["ways"], *first["calls_ms"]], rows)


def boxes(words, run):
    """Milliseconds to pack and to unpack what one rank sends and receives, and in brackets the ratio of a permute of the same box to it;
    losses first."""
    rows = []
    for case in run["cases"]:
        ms = {way: each["ms"] for way, each in case["ways"].items()}
        ratios = ms["permute of what is packed"] / ms["pack"], ms["permute of what is unpacked"] / ms["unpack"]
        rows.append((min(ratios), [case["case"], f"{ms['pack']:.3g} ({ratios[0]:.2f})", f"{ms['unpack']:.3g} ({ratios[1]:.2f})"]))
    return arena_report.markdown(["case", "packing", "unpacking"], [row for _, row in sorted(rows)])


def named(words, run):
    """The layouts of cornerturn.formats: packing and unpacking as ratios to a copy of the same bytes, losses first."""
    lines, others = [], ["compile"] if any("compile" in case["to_copy"] for case in run["cases"]) else []
    for case in run["cases"]:
        ratios = case["to_copy"]["pack"], case["to_copy"]["unpack"]
        lengths = "".join(f", {name}={length}" for name, length in case["lengths"].items())
        shape = " x ".join(map(str, case["shape"]))
        lines.append((min(ratios), [f"`{case['name']}`{lengths}", f"{shape} {case['dtype']}", *(f"{ratio:.2f}" for ratio in ratios),
                                    *(f"{case['to_copy'][other]:.2f}" if other in case["to_copy"] else "–" for other in others)]))
    heads = ["layout", "array", "packing", "unpacking", *(f"packing by torch.{other}" for other in others)]
    return arena_report.markdown(heads, [line for _, line in sorted(lines)])


def large(words, run):
    """Arrays that nearly fill a GPU."""
    return arena_report.markdown(["shape, 4-byte elements", "", "GB", "to a copy"],
                                 [[" x ".join(map(str, case["shape"])), case["way"], f"{case['bytes'] / 1e9:.0f}", f"{case['ratio']:.2f}"]
                                  for case in sorted(run["cases"], key=lambda case: case["ratio"])])


def limits(words, run):
    """The counters of our kernel and of the compiled one for each case."""
    heads = ["ms", "DRAM %", "L2 %", "L1 %", "issue %", "warps %"]
    lines = []
    for case in run["cases"]:
        title = f"{'x'.join(map(str, case['shape']))} ({','.join(map(str, case['axes']))}) {case['type']}"
        for kernel, counted in case["kernels"].items():
            lines.append([title if kernel != "compile" else "", f"`{kernel}`", f"{counted['ms']:.3f}",
                          *(f"{counted[head]:.0f}" for head in heads[1:])])
    return arena_report.markdown(["case", "kernel", *heads], lines)


def suites(words, content):
    """The counts of other projects' own tests, and of those that fail the reasons."""
    lines = []
    for run in content["runs"]:
        counts = run["counts"]
        why = [f"{name.rpartition('::')[2]}: {reason}" for name, reason in run.get("failed", {}).items()]
        lines.append([run["suite"], ", ".join(f"{name} {version}" for name, version in run["versions"].items()), f"{counts['tests']:,}",
                      f"{counts['passed']:,}", *(str(counts.get(name, "")) for name in ("by design", "skipped")), "; ".join(why)])
    return arena_report.markdown(["tests", "versions", "number", "passed", "differ by design", "skipped", "failed"], lines)


KINDS = {"arena-runs": arena_runs, "arena-wins": arena(arena_report.wins_and_losses), "arena-means": arena(arena_report.mean_table),
         "arena-cases": arena(arena_report.case_table), "arena-shown": arena_shown, "tiles": tiles, "torch": torch_ladder, "fetches": fetches,
         "cpu-ladder": cpu_ladder, "cpu-means": cpu_means, "cpu-cases": cpu_cases, "cpu-wins": cpu_wins, "cpu-processes": cpu_processes,
         "losses": losses, "cpu-beside": cpu_beside, "cpu-speeds": cpu_speeds, "cpu-calls": cpu_calls,
         "python-calls": python_calls, "files": files, "jax-speeds": jax_speeds, "operation-peers": operation_peers, "cpu-operations": cpu_operations,
         "inplace": inplace, "inplace-sets": inplace_sets, "profile": profile, "file-trials": file_trials, "operations": operations,
         "quantized": quantized, "gpus": gpus, "ranks": ranks, "rank-trials": rank_trials, "boxes": boxes, "named": named, "large": large,
         "limits": limits, "suites": suites, **torch_tables.KINDS}


def made(document, directive):
    """The generated text between the comments."""
    kind, *rest = directive.split()
    names = [word for word in rest if word.endswith((".json", ".csv"))]
    words = [word.replace("_", " ") for word in rest if word not in names]
    runs = [run_files.committed(name) for name in names]
    shown = [f"[{name}]({os.path.relpath(run_files.path_of(name), document.parent)})" for name in dict.fromkeys(names)]
    return f"{KINDS[kind](words, *runs)}\nFrom {', '.join(shown)}.\n"


def rewritten(document, text):
    return BLOCK.sub(lambda found: f"<!-- table: {found[1]} -->\n{made(document, found[1])}<!-- table:end -->", text)


def documents():
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("site/pages/**/*.md")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if a table is stale")
    options = parser.parse_args()
    stale = 0
    for document in documents():
        text = document.read_text()
        fresh = rewritten(document, text)
        if fresh == text:
            continue
        stale += 1
        if options.check:
            print(f"tables: {document.relative_to(ROOT)} is stale; bench/tables.py rewrites it", file=sys.stderr)
        else:
            document.write_text(fresh)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
