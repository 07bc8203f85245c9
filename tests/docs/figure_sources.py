"""Sources of the documents' times, shares and GB/s: for each document its figures, in any order, each with the numbers that it must
round to. Numbers are computed from committed runs, or are settings in the code.

A document must not have a figure without a run or a setting as its source.
"""

import csv
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/bench")]
import run_files  # noqa: E402
import tables  # noqa: E402
import test_counters as counted  # noqa: E402

DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
L2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed"
PIPE = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
INSTRUCTIONS = "smsp__inst_executed.sum"
READ, WRITTEN = "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"
SMALL, LARGE, ODD, BYTES = "8192x8192 f32", "32768x32768 f32", "8191x8193 f32", "32768x65536 u8"
run = run_files.committed


def setting(path, text, *numbers):
    """The numbers of a line of code."""
    assert text in (ROOT / path).read_text(), f"{path} has no '{text}' any more"
    return numbers


def profile(counter, *cells):
    """A counter of the ladder's profile in some cells of (matrix, rung)."""
    rows = {(row["matrix"], row["rung"]): row for row in csv.DictReader((run_files.RESULTS / "h200-ladder-profile.csv").open())}
    return [float(rows[cell][counter]) for cell in cells]


def up_to(number):
    """A bound is rounded upwards."""
    return math.ceil(number)


def bounds(numbers):
    return min(numbers), max(numbers)


def more(counter, cell, than):
    """By how many per cent a counter is higher in one cell than in another."""
    one, other = profile(counter, cell, than)
    return 100 * (one / other - 1)


def trial(fast, slow):
    """The loss in per cent between two ratios of the trials."""
    text = (run_files.RESULTS / "h200-trials.txt").read_text()
    assert fast in text and slow in text
    return 100 * (1 - float(slow) / float(fast))


def seconds(way):
    return statistics.median(run("h200-files.json")["seconds"][way])


def hptt(name):
    """How many per cent slower cornerturn is than HPTT at worst, by the median and in a single process."""
    rows = [row for row in tables.cpu_rows(run(name)) if "hptt" in row["ratios"]]
    worst = min(tables.cpu_speeds_of(row)["hptt"] for row in rows)
    single = min(own / other for row in rows for own, other in zip(row["ratios"]["cornerturn"], row["ratios"]["hptt"]))
    return 100 / worst - 100, 100 / single - 100


def copies(name):
    """GB/s of the faster copy, in each case and process."""
    return [speed for row in tables.cpu_rows(run(name)) for speed in row["gbs"]]


def gaps(which):
    """By how many per cent the chosen or the fastest candidates of gather are faster with more gaps."""
    cases = run("h200-gather-gaps.json")["cases"]
    return [100 * (statistics.geometric_mean(case["before"][which]["time"] / case["with gaps"][which]["time"] for case in cases) - 1)]


def odd_sectors():
    """By how many per cent tiled moves more sectors for a byte of 8191 x 8191 elements of 8 bytes than of 16384 x 16384."""
    each = {case["shape"][0]: (counted["L2 sectors read"] + counted["L2 sectors written"]) / math.prod(case["shape"])
            for case in run("h200-limits.json")["cases"] for counted in [case["kernels"].get("tiled")] if counted}
    return [100 * (each[8191] / each[16384] - 1)]


def sent_by_ipc(gpus):
    """GB/s that a rank of some H200 sends by IPC, by case."""
    return [case["bytes_sent_by_a_rank"] / case["ways"]["ipc"]["ms"] / 1e6 for case in run(f"h200x{gpus}-distributed.json")["cases"]]


def arbitration(boxes):
    """The maximum by which l1tex counts more wavefronts of shared memory, in per cent, among the rungs that move boxes both ways or the
    other rungs."""
    return max(100 * (each[f"l1tex shared {op} wavefronts"] / each[f"shared {op} wavefronts"] - 1)
               for matrix in run("h200-counters.json")["matrices"] for each in matrix["rungs"] for op in ("ld", "st")
               if (each["rung"] in ("tma", "tma-conflict")) == boxes and each[f"shared {op} wavefronts"])


def explained_and_counted():
    for matrix in counted.COUNTERS["matrices"]:
        rungs = counted.explained(matrix)
        yield from ((rungs[each["rung"]], each) for each in matrix["rungs"])


def box_zeros():
    """The maximum by which TMA's counter of sectors read exceeds the explained sectors, in per cent."""
    shares = [(each["l1tex TMA read sectors"], counted.total(counted.predicted(rung, "global", "ld", boxes=True), "sectors"))
              for rung, each in explained_and_counted()]
    return 100 * max(count / sectors - 1 for count, sectors in shares if sectors)


def store_conflicts(boxes):
    """The maximum difference between bank conflicts of stores and their wavefronts beyond the ideal, in per cent of the wavefronts,
    among the rungs that move boxes both ways or the other rungs."""
    found = []
    for rung, each in explained_and_counted():
        if (each["rung"] in ("tma", "tma-conflict")) != boxes:
            continue
        wavefronts, conflicts = each["l1tex shared st wavefronts"], each["l1tex shared st bank conflicts"]
        ideal = counted.total(counted.predicted(rung, "shared", "st", boxes=False), "ideal_wavefronts")
        found.append(100 * abs(conflicts - (wavefronts - ideal)) / max(wavefronts, 1))
    return max(found)


def prediction_error():
    """The mean error of predicted ratios, in per cent."""
    return 100 * statistics.mean(abs(rungs[row["name"]]["predicted"] / row["ratio"] - 1)
                                 for matrix in counted.LADDER for rungs in [counted.explained(matrix)]
                                 for row in matrix["rungs"] if row["name"] in rungs and row["ratio"])


def launch(case, build):
    return next(value for name, value in run("h200-launches.json")["microseconds"][case].items() if name.startswith(build))


def ladder(*cells):
    """Ratios of the ladder in some cells of (matrix, rung)."""
    found = {(counted.name(matrix), row["name"]): row["ratio"] for matrix in counted.LADDER for row in matrix["rungs"]}
    return [found[cell] for cell in cells]


def trials(*ratios):
    """Ratios that begin a line of the trials."""
    lines = (run_files.RESULTS / "h200-trials.txt").read_text().splitlines()
    assert all(any(line.startswith(ratio) for line in lines) for ratio in ratios)
    return [float(ratio) for ratio in ratios]


COPIED_BACK = "ratio_of_permute_and_copy_back"


def in_place(name, of="ratio", **wanted):
    """Ratios of the cases of a run in place that have these members, sorted."""
    return sorted(case[of] for case in run(name)["cases"] if of in case and wanted.items() <= case.items())


def squares(name):
    """How fast permutations that are copied back are in squares."""
    return [case[COPIED_BACK] for case in run(name)["cases"] if case["axes"] == [1, 0] and len(set(case["shape"])) == 1]


def spread(name, cases):
    """The slowest and the fastest case of a set, their mean, and that of the permutation that is copied back."""
    ratios = in_place(name, set=cases)
    return [*bounds(ratios), statistics.mean(ratios), statistics.mean(in_place(name, COPIED_BACK, set=cases))]


def changed(*operations):
    """The least and the greatest ratio of operations to the same without a permutation, in matrices with even rows and in images."""
    return bounds([case["to_straight"] for case in run("h200-operations.json")["cases"]
                   if any(part in case["operation"] for part in operations) and case["shape"][0] % 2 == 0 and len(case["shape"]) != 5])


def quantized(wants_rows, *outputs):
    """The same for matrices that are quantised, with scales of rows or others, and these outputs."""
    return bounds([case["to_straight"] for case in run("h200-operation-peers.json")["cases"] if case["operation"] == "quantize" and
                   (case["scales"] == "rows") == wants_rows and case["outputs"] in outputs])


def gpu_rectangles(are_vectors):
    """The ratios of the rectangles of the H200's table whose sides are multiples of 64, with elements of 2 to 8 bytes, or of the others."""
    return [case["ratio"] for case in run("h200-inplace-rectangles.json")["cases"] if case["axes"] == [1, 0]
            and (all(side % 64 == 0 for side in case["shape"]) == are_vectors) and (not are_vectors or 2 <= case["element_size"] <= 8)]


def planning(kind):
    """The median time of an estimated plan of random problems of a type, in microseconds."""
    return statistics.median(case["planning_first"] for case in run("h200-planning.json")["cases"] if case["type"] == kind)


def cpu_fields(least, most):
    """The ratios of skinny matrices of 1 GB on the CPU with so many fields."""
    return [case["ratio"] for case in run(CPU_LARGE_AXES)["cases"] if case["set"] == "skinny" and least <= min(case["shape"]) <= most]


def nccl(is_high):
    """Times of the large arrays as ratios to the all-to-all on two GPUs, in today's batches."""
    [found] = [each for each in run("h200-nccl-pieces.json")["runs"]
               if (each["gpus"], each["batch_unit_mib"], each["TORCH_NCCL_HIGH_PRIORITY"]) == (2, 64, is_high)]
    return [case["ways"]["nccl"]["ms"] / case["ways"]["all-to-all"]["ms"] for case in found["cases"][:3]]


def measured_speeds():
    """Speeds of measured plans as ratios to estimated ones on the random problems, in single launches, medians of the arena's runs."""
    launches = [row.get("single", row["ratios"]) for row in run("h200-arena.json")["rows"] if row["part"] == "random"]
    return [statistics.median(measured / estimated for measured, estimated in zip(each["cornerturn-measure"], each["cornerturn"]))
            for each in launches]


BOTH_COPIES = [(SMALL, "copy"), (LARGE, "copy")]
BOTH_WHOLE = [*BOTH_COPIES, (SMALL, "vec-both"), (LARGE, "vec-both")]
PLAIN_PIPES = [(SMALL, rung) for rung in ("smem-padded", "smem-swizzled", "vec-padded", "vec-swizzled")]
CONFLICTS = [(SMALL, rung) for rung in ("smem-conflict-read", "smem-conflict-write", "vec-conflict-read")]

FIGURES = {
    "docs/cpu.md": [
        ("21 %", lambda: hptt("cpu-ttc.json")[:1]), ("9 %", lambda: hptt("cpu-ttc-f64.json")[:1]),
        ("31 %", lambda: [100 * (100 / (100 + hptt("cpu-arena.json")[0]) - 1)]),
        ("28 %", lambda: hptt("cpu-ttc.json")[1:]), ("15 %", lambda: hptt("cpu-ttc-f64.json")[1:]),
        ("51 GB/s", lambda: [statistics.median(copies("cpu-ttc-f64.json"))]), ("89 GB/s", lambda: [max(copies("cpu-ttc-f64.json"))]),
        ("63 GB/s", lambda: [max(copies("cpu-ttc.json"))])],
    "docs/adopt.md": [("44 %", lambda: [100 * (1 - run("h200-torch-copies.json")["left"]["rows"]["off"] /
                                                run("h200-torch-copies.json")["left"]["rows"]["never"])])],
    "docs/elements.md": [
        ("50 us", lambda: [1000 * case["ms"] for case in run("h200-operations.json")["cases"] if case["operation"] == "u8 to f32, scaled, bias"]),
        ("85 us", lambda: [1000 * case["ms"] for case in run("h200-operations.json")["quantized"]
                           if (case["rows"], case["source"], case["scales"], case["scale_order"], case["outputs"]) ==
                           (8192, "bf16", "1x128", "C", "both")])],
    "docs/distributed.md": [
        ("350 to 355 GB/s", lambda: [bound(sent_by_ipc(4)[:2]) for bound in (min, max)]), ("322 GB/s", lambda: sent_by_ipc(4)[2:3]),
        ("308 GB/s", lambda: sent_by_ipc(4)[3:]), ("325 GB/s", lambda: sent_by_ipc(2)[3:]),
        ("365 to 368 GB/s", lambda: [bound(sent_by_ipc(2)[:3]) for bound in (min, max)]),
        ("393 and 388 GB/s", lambda: list(run("h200x4-distributed.json")["peer_bandwidth_gbs"].values()))],
    "docs/notebook/cpu.md": [
        ("5 %", lambda: setting("src/api/prepare.cpp", ".margin = 0.05", 5))],
    "docs/cpp.md": [("5 s", lambda: setting("src/file/choices.hpp", "kChoicesPatience{5000}", 5))],
    "docs/notebook/explain.md": [
        ("8 %", lambda: [up_to(arbitration(boxes=False))]), ("24 %", lambda: [up_to(arbitration(boxes=True))]),
        ("0.3 %", lambda: [up_to(10 * store_conflicts(boxes=False)) / 10]),
        ("1.2 %", lambda: [up_to(10 * store_conflicts(boxes=True)) / 10]), ("4 %", lambda: [up_to(box_zeros())])],
    "docs/explain.md": [
        ("6 %", lambda: setting("src/kernel/gpu_model.cpp", ".source_order_factor = 1.06,", 6)),
        ("0.8 µs", lambda: setting("src/kernel/gpu_model.cpp", ".load_seconds = 0.79e-6", 0.79)),
        ("0.2 µs", lambda: setting("src/kernel/gpu_model.cpp", ".shared_memory_seconds = 0.18e-6", 0.18)),
        ("10 %", lambda: setting("tests/bench/test_counters.py", "fast > 1.1 * slow", 10)), ("5 %", lambda: [prediction_error()])],
    "docs/notebook/files.md": [
        ("5.0 s", lambda: [seconds("--device gpu")]), ("6.0 s", lambda: [seconds("--device gpu --memory 256MiB")]),
        ("3.3 s", lambda: [seconds("--device gpu --memory 2GiB")]), ("3.2 s", lambda: [seconds("--device cpu")]),
        ("4.3 s", lambda: [seconds("--device cpu --memory 8GiB")]), ("2.4 s", lambda: [seconds("cp and sync")])],
    "docs/ladder.md": [
        ("8 %", lambda: [up_to(arbitration(boxes=False))]), ("24 %", lambda: [up_to(arbitration(boxes=True))]),
        ("17-30 %", lambda: bounds(profile(PIPE, (SMALL, "copy"), (SMALL, "vec-both"), *PLAIN_PIPES))),
        ("84-89 %", lambda: bounds(profile(DRAM, *BOTH_WHOLE))), ("85-89 %", lambda: bounds(profile(DRAM, *BOTH_COPIES))),
        ("17 %", lambda: [more(READ, (LARGE, "copy-tma"), (LARGE, "copy"))]),
        ("89 %", lambda: profile(PIPE, (SMALL, "naive-write"))), ("92 %", lambda: profile(PIPE, (SMALL, "smem-conflict-read"))),
        ("29 %", lambda: profile(PIPE, (SMALL, "smem-padded"))),
        ("9 %", lambda: [more(INSTRUCTIONS, (SMALL, "smem-swizzled"), (SMALL, "smem-padded"))]),
        ("93 %", lambda: profile(PIPE, (SMALL, "vec-conflict-read"))), ("84 %", lambda: profile(DRAM, (SMALL, "vec-both"))),
        ("9 %", lambda: [trial("0.952", "0.863")]), ("2 %", lambda: [trial("0.944", "0.924")]),
        ("17 %", lambda: [more(READ, (LARGE, "copy-tma"), (LARGE, "copy"))]),
        ("94 %", lambda: profile(L2, (LARGE, "copy-tma"))), ("87 %", lambda: profile(DRAM, (LARGE, "copy-tma"))),
        ("93 and 89 %", lambda: [*profile(L2, (LARGE, "copy")), *profile(DRAM, (LARGE, "copy"))]),
        ("92 %", lambda: profile(L2, (LARGE, "tma"))), ("83 %", lambda: profile(DRAM, (LARGE, "tma"))),
        ("89 and 84 %", lambda: [*profile(L2, (LARGE, "vec-both")), *profile(DRAM, (LARGE, "vec-both"))]),
        ("14 %", lambda: profile(PIPE, (LARGE, "tma"))), ("19 %", lambda: profile(ISSUE, (LARGE, "tma"))),
        ("32 %", lambda: profile(ISSUE, (BYTES, "register-shuffle"))), ("89 %", lambda: profile(PIPE, (SMALL, "naive-write"))),
        ("29 %", lambda: profile(PIPE, (ODD, "naive-write"))), ("74 %", lambda: profile(ISSUE, (ODD, "naive-write"))),
        ("87 %", lambda: profile(L2, (SMALL, "naive-read"))), ("92-97 %", lambda: bounds(profile(PIPE, *CONFLICTS))),
        ("28-29 %", lambda: bounds(profile(PIPE, *PLAIN_PIPES))),
        ("84 %", lambda: profile(DRAM, (LARGE, "vec-both"))), ("85-89 %", lambda: bounds(profile(DRAM, *BOTH_COPIES))),
        ("89-93 %", lambda: bounds(profile(L2, *BOTH_WHOLE))),
        ("8-12 %", lambda: bounds([more(counter, (ODD, "vec-both"), (SMALL, "vec-both")) for counter in (READ, WRITTEN)])),
        ("90 %", lambda: profile(L2, (ODD, "vec-both")))],
    "docs/notebook/gpu.md": [
        ("15.0 us", lambda: [planning("c128")]), ("29.4 us", lambda: [planning("u8")]),
        ("85 %", lambda: [run("h200-unaligned.json")["counters"]["unaligned"]["lts__throughput_percent"]]),
        ("3 %", lambda: setting("src/kernel/tiled/cost.cpp", "kMargin = 1.03", 3)),
        ("57 %", lambda: [run("h200-unaligned.json")["counters"]["second trial"]["samples_percent_of_loads_and_transposes"]]),
        ("4814 GB/s", lambda: setting("src/kernel/gpu_model.cpp", ".memory_bytes_per_second = 4.814304e12", 4814.304)),
        ("3.414 instead of 5.324 us", lambda: [launch("501x503 f32", "now"), launch("501x503 f32", "before")]),
        ("2.191 instead of 1.740 us", lambda: [launch("1024x1024 f16", "now"), launch("1024x1024 f16", "before")]),
        ("2.3 %", lambda: [100 * statistics.geometric_mean(measured_speeds()) - 100]),
        ("4.4 %", lambda: [100 - 100 * min(measured_speeds())]),
        ("13 %", odd_sectors), ("0.9 %", lambda: gaps("chosen")), ("1.3 %", lambda: gaps("fastest")),
        ("8 %", lambda: [100 / run("h200-word-order.json")["geometric_mean"] - 100]),
        ("15 %", lambda: [100 - 100 * min(row["trial_to_before"] for row in run("h200-word-order.json")["rows"])])],
    "docs/performance.md": [
        ("5 %", lambda: setting("bench/arena_report.py", "sum(speed < 0.95 for speed in speeds)", 5)),
        ("21 %", lambda: hptt("cpu-ttc.json")[:1]), ("9 %", lambda: hptt("cpu-ttc-f64.json")[:1])],
}

TINY, ROUGH, AXES, CPU_AXES = "1024x1024 f32", "16383x16385 f32", "h200-inplace-axes.json", "zen4-inplace-axes.json"
CPU_RECTANGLES, LARGE_IN_PLACE = "zen4-inplace-rectangles.json", "h200-inplace-large.json"
CPU_LARGE_AXES = "zen4-inplace-axes-large.json"
REST_SHAPES = [[16777185, 16], [16, 16777185], [4194273, 64], [64, 4194273]]
RUNGS = ["copy", "copy-tma", "naive-read", "naive-write", "smem-conflict-read", "smem-conflict-write", "smem-padded", "smem-swizzled",
         "vec-conflict-read", "vec-padded", "vec-swizzled", "vec-both", "tma-store", "tma-conflict", "tma", "register", "register-shuffle"]

# Likewise for ratios in sentences, except those of the notebook, and of README.md, whose ratios have a test of their own.
RATIOS = {
    "docs/adopt.md": [("1.23", lambda: [each["off"] / each["on"] for each in [run("h200-torch-copies.json")["models"]["U-Net"]]])],
    "docs/cpu.md": [("0.94", lambda: [statistics.geometric_mean(
        statistics.median(row["ratios"]["cornerturn"]) for row in tables.cpu_rows(run("cpu-ttc-f64-later.json")))])],
    "docs/distributed.md": [("1.26", lambda: [statistics.mean(nccl(True))]), ("1.33 to 1.35", lambda: bounds(nccl(False)))],
    "docs/explain.md": [("0.858, 0.770", lambda: ladder((TINY, "copy"), (TINY, "register-shuffle")))],
    "docs/elements.md": [
        ("0.90 to 1.01", lambda: changed("f32 to bf16", "f32 to f16", "bf16 to f32", "f64 to f32", "f32 to f64")),
        ("0.96 to 1.00", lambda: changed("f32 to f32", "f64 to f64", "c64 to c64", "c128 to c128")),
        ("1.01 to 1.03", lambda: bounds([case["to_straight"] for case in run("h200-operations.json")["cases"] if case["shape"][-1] == 3])),
        ("0.87 to 0.88", lambda: changed("f16 to f8")), ("0.79 to 1.08", lambda: quantized(False, "rows", "columns", "both")),
        ("0.97 to 1.09", lambda: quantized(True, "rows")), ("0.54 to 0.61", lambda: quantized(True, "columns", "both")),
        ("0.73", lambda: [case["to_straight"] for case in run("h200-operations.json")["cases"] if case["shape"] == [16381, 16389]])],
    "docs/inplace.md": [
        ("0.32 to 0.47", lambda: bounds(squares("zen4-inplace.json"))), ("0.34", lambda: in_place("zen4-inplace.json")[:1]),
        ("0.38 to 0.49", lambda: bounds(squares("h200-inplace.json"))),
        ("0.29", lambda: in_place("h200-inplace.json")[:1]), ("0.91", lambda: in_place("h200-inplace.json", shape=[1048576, 8, 8])),
        ("0.44", lambda: [statistics.mean(gpu_rectangles(True))]), ("0.37", lambda: [statistics.mean(gpu_rectangles(False))]),
        ("0.54", lambda: [max(gpu_rectangles(True))]),
        ("0.68 and 0.87", lambda: [in_place(AXES, shape=[128, 96, 96, 192])[0], in_place(AXES, shape=[16, 64, 56, 56, 48])[0]]),
        ("0.93", lambda: in_place("h200-inplace-rectangles.json", shape=[1000000, 24, 16])),
        ("0.36 and 0.41", lambda: spread(CPU_RECTANGLES, "rectangles")[2:]),
        ("0.67 and 0.39", lambda: [in_place(CPU_RECTANGLES, of, shape=[1000000, 24, 16])[0] for of in ("ratio", COPIED_BACK)]),
        ("0.03 and 0.05", lambda: in_place(CPU_AXES, "ratio_of_imatcopy")),
        ("0.16 to 0.70, 0.35, 0.41", lambda: spread(CPU_AXES, "axes")), ("0.24 to 0.41, 0.33, 0.45", lambda: spread(CPU_AXES, "skinny")),
        ("0.20 to 0.44, 0.36, 0.38", lambda: spread(AXES, "skinny")), ("0.20 to 0.87, 0.37, 0.43", lambda: spread(AXES, "axes")),
        ("0.20 to 0.25", lambda: bounds([case["ratio"] for case in run(AXES)["cases"] if case["shape"] in REST_SHAPES])),
        ("0.20", lambda: in_place(AXES, shape=[256, 2048, 1024])),
        ("0.26 to 0.37", lambda: bounds(cpu_fields(2, 12))), ("0.19 to 0.27", lambda: bounds(cpu_fields(64, 64))),
        ("0.28", lambda: [statistics.mean(cpu_fields(2, 64))]),
        ("0.27", lambda: [statistics.mean(in_place(CPU_LARGE_AXES, set="axes"))]),
        ("0.38", lambda: [statistics.mean(in_place(LARGE_IN_PLACE))]), ("0.21", lambda: in_place(LARGE_IN_PLACE, shape=[65536, 122880])),
        ("0.93 and 0.35", lambda: [case["ratio"] for case in run("h200-large.json")["cases"] if case["bytes"] > 115e9])],
    "docs/ladder.md": [
        *((ratio, lambda rung=rung: ladder((LARGE, rung))) for rung, ratio in zip(RUNGS, [
            "1.005", "0.981", "0.128", "0.392", "0.407", "0.433", "0.921", "0.918", "0.419", "0.915", "0.913", "0.953", "0.931", "0.441",
            "0.945", "0.937", "0.935"])),
        ("0.526 and 0.844", lambda: ladder((BYTES, "smem-padded"), (BYTES, "vec-padded"))),
        ("0.116 and 0.221", lambda: ladder((BYTES, "tma-conflict"), ("32768x32768 u16", "tma-conflict"))),
        ("0.375 and 0.697", lambda: ladder((ROUGH, "register"), (ROUGH, "register-shuffle"))),
        ("0.883", lambda: ladder((ROUGH, "vec-both"))),
        ("0.91", lambda: in_place("h200-inplace.json", shape=[32768, 32768], element_size=4)),
        ("0.45", lambda: in_place("h200-inplace-rectangles.json", shape=[16384, 32768], element_size=4)),
        ("0.37", lambda: in_place("h200-inplace-rectangles.json", shape=[20011, 10007], element_size=4)),
        ("0.54", lambda: in_place("h200-inplace-rectangles.json", shape=[65536, 4096], element_size=4)),
        ("0.20 to 0.44", lambda: bounds(in_place(AXES, set="skinny", element_size=4))),
        ("0.948, 0.948, 0.925, 0.906, 0.911, 0.861", lambda: trials("0.948", "0.948", "0.925", "0.906", "0.911", "0.861"))],
    "docs/performance.md": [("0.95", lambda: setting("bench/arena_report.py", "sum(speed < 0.95 for speed in speeds)", 0.95))],
}

NUMBER = r"\d+(?:\.\d+)?"
RATIO = re.compile(r"(?<![\w.,²])[01]\.\d{2,}(?!\w|\.\d)")
MEASURED = re.compile(rf"(?<![\w.,²])({NUMBER}(?:(?:-|–| to | and | or | instead of ){NUMBER})*) "
                      r"(?:%|[MGT]B/s|ms|us|µs|ns|s|(?:milli|micro|nano)?seconds?|minutes?)(?!\w)")


def figures_in(prose):
    """Figures with a unit of time, speed or share, without those of code."""
    return [found[0] for found in MEASURED.finditer(" ".join(re.sub(r"`[^`]*`", "", prose).split()))]


def ratios_in(text):
    """Ratios in sentences: not in tables and in code."""
    return RATIO.findall(re.sub(r"`[^`]*`|^\|.*$", "", text, flags=re.MULTILINE))


def rounds_to(figure, numbers):
    shown = re.findall(NUMBER, figure)
    return len(shown) == len(numbers) and all(f"{number:.{len(text.partition('.')[2])}f}" == text
                                              for text, number in zip(shown, numbers))
