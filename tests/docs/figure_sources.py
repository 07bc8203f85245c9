"""Sources of the documents' times, shares and GB/s: for each document its figures, in any order, each with the numbers that it must
round to. Numbers are computed from committed runs, or are settings in the code.

A document must not have a figure without a run or a setting as its source.
"""

import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/bench")]
import arena_cases  # noqa: E402
import arena_report  # noqa: E402
import run_files  # noqa: E402
import test_counters as counted  # noqa: E402

run = run_files.committed
COUNTERS = "tests/bench/test_counters.py"


def setting(path, text, *numbers):
    """The numbers of a line of code."""
    assert text in (ROOT / path).read_text(), f"{path} has no '{text}' any more"
    return numbers


def bounds(numbers):
    return min(numbers), max(numbers)


def programs_mean(peer):
    """The speed between other kernels of a graph, as a ratio to a copy."""
    rows = [row["graph_us"] for row in run("h200-programs.json")["rows"] if peer in row["graph_us"]]
    return statistics.geometric_mean(each["copy"][0] / each[peer][0] for each in rows)


def gaps(which):
    """By how many per cent the chosen or the fastest candidates of gather are faster with more gaps."""
    cases = run("h200-gather-gaps.json")["cases"]
    return [100 * (statistics.geometric_mean(case["before"][which]["time"] / case["with gaps"][which]["time"] for case in cases) - 1)]


def odd_sectors():
    """By how many per cent tiled moves more sectors for a byte of 8191 x 8191 elements of 8 bytes than of 16384 x 16384."""
    each = {case["shape"][0]: (counted["L2 sectors read"] + counted["L2 sectors written"]) / math.prod(case["shape"])
            for case in run("h200-limits.json")["cases"] for counted in [case["kernels"].get("tiled")] if counted}
    return [100 * (each[8191] / each[16384] - 1)]


def prediction_error():
    """The mean error of predicted ratios, in per cent."""
    return 100 * statistics.mean(abs(rungs[row["name"]]["predicted"] / row["ratio"] - 1)
                                 for matrix in counted.LADDER for rungs in [counted.explained(matrix)]
                                 for row in matrix["rungs"] if row["name"] in rungs and row["ratio"])


def launch(case, build):
    return next(value for name, value in run("h200-launches.json")["microseconds"][case].items() if name.startswith(build))


def in_place(name, **wanted):
    """Ratios of the cases of a run in place that have these members."""
    return [case["ratio"] for case in run(name)["cases"] if wanted.items() <= case.items()]


def rungs_of(matrix):
    """The rows of the ladder for a matrix, without its peers."""
    return [row for run in counted.LADDER if counted.name(run) == matrix for row in run["rungs"]
            if row["name"] not in ("memcpy", "cublas-geam")]


def planning(kind):
    """The median time of an estimated plan of random problems of a type, in microseconds."""
    return statistics.median(case["planning_first"] for case in run("h200-planning.json")["cases"] if case["type"] == kind)


def measured_speeds():
    """Speeds of measured plans as ratios to estimated ones on the random problems, in single launches, medians of the arena's runs."""
    launches = [row.get("single", row["ratios"]) for row in run("h200-arena.json")["rows"] if row["part"] == "random"]
    return [statistics.median(measured / estimated for measured, estimated in zip(each["cornerturn-measure"], each["cornerturn"]))
            for each in launches]


def arena_mean(part, element_bytes=None):
    """The geometric mean of our speed in a part of the arena as a ratio to a copy, in single launches."""
    rows = arena_report.merged_of(run("h200-arena.json"))["rows"]
    return arena_report.geometric_mean([arena_report.single(row, "cornerturn") for row in rows if row["part"] == part and
                                        element_bytes in (None, arena_cases.SIZES[row["type"]])])


def cpu_model_errors(cases, memory):
    """The median and the 90th percentile of the errors of the CPU's expected times, in per cent."""
    return [100 * math.expm1(error) for error in run("zen4-model.json")["errors"][cases][memory]]


FIGURES = {
    "README.md": [("95 %", lambda: [100 * arena_mean("main")])],
    "docs/cpp.md": [("5 s", lambda: setting("src/file/choices.hpp", "kChoicesPatience{5000}", 5))],
    "docs/explain.md": [("4.5 %", lambda: [prediction_error()])],
    "docs/measured.md": [("393 and 388 GB/s", lambda: list(run("h200x4-distributed.json")["peer_bandwidth_gbs"].values()))],
    "docs/performance.md": [("5 %", lambda: setting("bench/arena_report.py", "sum(speed < 0.95 for speed in speeds)", 5))],
    "docs/tile.md": [("0.2 s", lambda: [run("tile-compile.json")["seconds"]["tile"]])],
    "docs/notebook/cpu.md": [
        ("5 %", lambda: setting("src/api/prepare.cpp", ".margin = 0.05", 5)),
        ("12 %", lambda: cpu_model_errors("held out", "own copies")[:1]), ("37 %", lambda: cpu_model_errors("held out", "own copies")[1:]),
        ("17 and 50 %", lambda: cpu_model_errors("held out", "median memory")),
        ("9 and 35 %", lambda: cpu_model_errors("Zen 5", "own copies")), ("26 and 68 %", lambda: cpu_model_errors("Zen 5", "median memory"))],
    "docs/notebook/explain.md": [
        ("8 %", lambda: setting(COUNTERS, "else 1.08", 8)), ("24 %", lambda: setting(COUNTERS, "most = 1.24 if", 24)),
        ("0.3 %", lambda: setting(COUNTERS, "else 0.003)", 0.3)), ("1.2 %", lambda: setting(COUNTERS, '("st", 0.012 if', 1.2)),
        ("4 %", lambda: setting(COUNTERS, "(1.04 if ragged", 4)),
        ("1.2 s", lambda: [max(map(max, run("first-picture.json")["milliseconds"].values())) / 1000])],
    "docs/notebook/gpu.md": [
        ("15.0 us", lambda: [planning("c128")]), ("29.4 us", lambda: [planning("u8")]),
        ("85 %", lambda: [run("h200-unaligned.json")["counters"]["unaligned"]["lts__throughput_percent"]]),
        ("3 %", lambda: setting("src/machine/gpus/h200.cpp", ".tiled_margin = 1.03", 3)),
        ("57 %", lambda: [run("h200-unaligned.json")["counters"]["second trial"]["samples_percent_of_loads_and_transposes"]]),
        ("4814 GB/s", lambda: setting("src/machine/gpus/h200.cpp", ".memory_bytes_per_second = 4.814304e12", 4814.304)),
        ("3.414 instead of 5.324 us", lambda: [launch("501x503 f32", "now"), launch("501x503 f32", "before")]),
        ("2.191 instead of 1.740 us", lambda: [launch("1024x1024 f16", "now"), launch("1024x1024 f16", "before")]),
        ("2.3 %", lambda: [100 * statistics.geometric_mean(measured_speeds()) - 100]),
        ("4.4 %", lambda: [100 - 100 * min(measured_speeds())]),
        ("13 %", odd_sectors), ("0.9 %", lambda: gaps("chosen")), ("1.3 %", lambda: gaps("fastest")),
        ("8 %", lambda: [100 / run("h200-word-order.json")["geometric_mean"] - 100]),
        ("15 %", lambda: [100 - 100 * min(row["trial_to_before"] for row in run("h200-word-order.json")["rows"])])],
}

# Likewise for ratios in sentences, except those of the notebook, and of README.md, whose ratios have a test of their own.
RATIOS = {
    "docs/ladder.md": [
        *((f"{row['ratio']:.3f}", lambda row=row: [row["ratio"]]) for row in rungs_of("32768x32768 f32")),
        ("0.91", lambda: in_place("h200-inplace.json", shape=[32768, 32768], element_size=4)),
        ("0.45", lambda: in_place("h200-inplace-rectangles.json", shape=[16384, 32768], element_size=4)),
        ("0.37", lambda: in_place("h200-inplace-rectangles.json", shape=[20011, 10007], element_size=4)),
        ("0.54", lambda: in_place("h200-inplace-rectangles.json", shape=[65536, 4096], element_size=4)),
        ("0.20 to 0.44", lambda: bounds(in_place("h200-inplace-axes.json", set="skinny", element_size=4)))],
    "docs/performance.md": [("0.95", lambda: setting("bench/arena_report.py", "sum(speed < 0.95 for speed in speeds)", 0.95)),
                            ("0.80", lambda: [programs_mean("cornerturn")]), ("0.84", lambda: [programs_mean("compile")]), ("0.73", lambda: [arena_mean("random", element_bytes=1)])],
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
