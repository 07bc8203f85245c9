#!/usr/bin/env python3
"""Compares torch's transposes with the ladder: eager, torch.compile, and torch.compile with max-autotune.

For each size this process verifies torch's rows and times them, interleaved with a memcpy between the same buffers. Then the program
runs its ladder. Needs a GPU and torch; --table, which only prints tables, needs neither.
"""

import argparse
import dataclasses
import gc
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

import provenance
import run_files

SIZES = "8192x8192:f32,16384x16384:f32,32768x32768:f32,16383x16385:f32,16384x16384:f64,32768x32768:u16,32768x65536:u8"
# signed types, because torch lacks operations for unsigned ones; a transpose ignores the sign
TYPES = {"u8": "uint8", "i8": "int8", "u16": "int16", "i16": "int16", "f16": "float16", "bf16": "bfloat16",
         "u32": "int32", "i32": "int32", "f32": "float32", "u64": "int64", "i64": "int64", "f64": "float64",
         "c64": "complex64", "c128": "complex128"}
INTERVAL_MS, MOST_LAUNCHES, LONGEST_WAIT_MS, COMPARED_AT_ONCE = 1.0, 20, 200, 2**26
CYCLES_PER_MS = 3_000_000  # at 3 GHz; a slower clock only waits longer
FIGURES = {"mean_ms": ".4f", "median_ms": ".4f", "iqr_ms": ".4f", "gbs": ".0f", "ratio": ".3f"}
LINE = "| {:22} | {:>9} | {:>9} | {:>8} | {:>6} | {:>6} |"


@dataclasses.dataclass
class Row:
    name: str
    work: object  # a function that returns the tensor it filled
    mode: str = ""  # mode of torch.compile; if set, `work` is a function of the source until it is compiled
    result: str = "right"
    reason: str = ""
    compile_s: float | None = None
    ms: list = dataclasses.field(default_factory=list)

    def attempt(self, step, *arguments):
        """Runs a step and returns its result. If it fails, the row becomes n/a with the message, and later steps are skipped."""
        try:
            return step(*arguments) if self.result == "right" else None
        except Exception as problem:  # a compiler fails with exceptions of every type
            said = textwrap.shorten(f"{type(problem).__name__}: {problem}", 200)
            self.result, self.reason, self.ms = "n/a", said, []


def bits(torch, tensor):
    """The elements as integers, with one more dimension, so that -0 and NaN are compared bit for bit."""
    words = torch.view_as_real(tensor) if tensor.is_complex() else tensor.unsqueeze(-1)
    return words.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[words.element_size()])


def problem_with(torch, got, src, wanted):
    """The error of a tensor that a row returned; empty if it is right."""
    if not got.is_contiguous() or got.data_ptr() == src.data_ptr():
        raise ValueError("the result is not contiguous memory of its own")
    found, wanted = bits(torch, got), bits(torch, wanted)
    step = max(1, COMPARED_AT_ONCE // math.prod(wanted.shape[1:]))  # rows at a time, because a comparison needs memory
    same = found.shape == wanted.shape and all(torch.equal(found[at:at + step], wanted[at:at + step])
                                               for at in range(0, len(wanted), step))
    return "" if same else "the result differs from torch's own view of the source"


def prepare(torch, row, src, dst):
    """Compiles a row if it has a mode, and verifies it. The first compilation of a process includes starting the compiler."""
    begin = time.perf_counter()
    if row.mode:
        compiled = torch.compile(row.work, dynamic=False, mode=row.mode)
        row.work = lambda: compiled(src)
    row.work()
    torch.cuda.synchronize()
    row.compile_s = time.perf_counter() - begin if row.mode else None
    # clears results of other rows: a compiled function gets the memory that is freed here for its result
    dst.zero_()
    torch.zeros_like(dst)
    row.reason = problem_with(torch, row.work(), src, src.view(-1) if row.name == "memcpy" else src.t())
    row.result = "WRONG" if row.reason else "right"


def time_once(torch, row, launches):
    """Milliseconds per launch. The stream first waits at least twice as long as the host takes to enqueue all launches."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    wait_ms = INTERVAL_MS
    while wait_ms <= LONGEST_WAIT_MS:
        torch.cuda._sleep(int(wait_ms * CYCLES_PER_MS))
        start.record()
        begin = time.perf_counter()
        for _ in range(launches):
            row.work()
        end.record()
        enqueue_ms = 1e3 * (time.perf_counter() - begin)
        late = start.query()
        end.synchronize()
        if not late and wait_ms >= 2 * enqueue_ms:
            return start.elapsed_time(end) / launches
        wait_ms *= 2
    raise RuntimeError(f"a wait of {LONGEST_WAIT_MS} ms does not keep its launch latency out of the interval")


def time_rows(torch, rows, repeats):
    """Times all rows, interleaved; returns the number of launches per interval."""
    memcpy_ms = rows[0].attempt(lambda: statistics.median(time_once(torch, rows[0], 1) for _ in range(5)))
    launches = min(MOST_LAUNCHES, math.ceil(INTERVAL_MS / (memcpy_ms or INTERVAL_MS)))
    for row in rows:
        row.attempt(time_once, torch, row, launches)
    for _ in range(repeats):
        for row in rows:
            row.attempt(lambda: row.ms.append(time_once(torch, row, launches)))
    return launches


def figures(ms, moved, memcpy_ms):
    """The figures of one row's times; `moved` is bytes read plus written. Quartiles as in src/measure/statistics.cpp."""
    first, median, third = statistics.quantiles(ms, n=4, method="inclusive")
    return dict(zip(FIGURES, (statistics.fmean(ms), median, third - first, moved / median / 1e6, memcpy_ms / median)))


def measure(torch, rows, cols, kind, repeats):
    """The rows of torch for one size."""
    dtype = getattr(torch, TYPES[kind])
    src, dst = (torch.empty(shape, dtype=dtype, device="cuda") for shape in ((rows, cols), (cols, rows)))
    # finite values, because not every operation keeps the bits of NaNs
    words = torch.view_as_real(src) if src.is_complex() else src
    words.normal_() if words.is_floating_point() else words.random_(torch.iinfo(dtype).min, None)
    table = [
        Row("memcpy", lambda: dst.view(-1).copy_(src.view(-1))),
        Row("torch-eager", lambda: dst.copy_(src.t())),
        # one lambda per row, because torch caches compiled code per code object
        Row("torch-compile", lambda x: x.t().contiguous(), "default"),
        # plain max-autotune adds CUDA graphs, whose copies of the input would be timed
        Row("torch-max-autotune", lambda x: x.t().contiguous(), "max-autotune-no-cudagraphs"),
    ]
    for row in table:
        row.attempt(prepare, torch, row, src, dst)
    launches = time_rows(torch, table, repeats)
    if table[0].result != "right":
        sys.exit(f"ladder_torch: torch's memcpy is {table[0].result} at {rows}x{cols}:{kind}: {table[0].reason}")
    moved, memcpy_ms = 2 * rows * cols * dtype.itemsize, statistics.median(table[0].ms)
    rungs = [{"name": row.name, "result": row.result} | ({"reason": row.reason} if row.reason else {})
             | {"compile_s": row.compile_s} | (figures(row.ms, moved, memcpy_ms) if row.ms else dict.fromkeys(FIGURES))
             for row in table]
    return {"device": torch.cuda.get_device_name(), "rows": rows, "cols": cols, "type": kind,
            "torch": str(torch.__version__), "repeats": repeats, "launches": launches,
            "memcpy_gbs": rungs[0]["gbs"], "rungs": rungs}


def run_ladder(program, rows, cols, kind, repeats, path):
    """Runs the ladder for one size; the program writes to `path`."""
    asked = f"--rows {rows} --cols {cols} --type {kind} --repeats {repeats} --json".split()
    done = subprocess.run([program, "ladder", *asked, path], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}ladder_torch: {rows}x{cols}:{kind}: the ladder ended with exit code {done.returncode}")
    return run_files.read(path)[0]


def join(measured, run):
    """Joins torch's rows and the ladder's rows."""
    if measured["device"] != run["device"]:
        sys.exit(f"ladder_torch: torch ran on {measured['device']}, the ladder on {run['device'] or 'no GPU'}")
    builds = {key: run[key] for key in ("cornerturn", "compiler") if key in run}
    return measured | {**provenance.of_ladder(), **builds, "timing": run["timing"], "rungs": measured["rungs"] + run["rungs"]}


def table_of(run):
    """An aligned Markdown table of at most 80 columns; a dash for a missing figure."""
    rungs = run["rungs"]
    compiled = [f"`{row['name']}` in {row['compile_s']:.1f} s" for row in rungs if row.get("compile_s") is not None]
    said = [f"**{run['rows']} x {run['cols']} {run['type']}**, {run['device']}, torch {run['torch']}, {run['repeats']} "
            f"rounds: torch's rows, {run['launches']} to an interval, and from the second memcpy on the ladder's, by "
            f"{run['timing']}. A ratio is to the memcpy above it.", f"Compiled: {', '.join(compiled) or 'nothing'}."]
    said += [f"`{row['name']}` is {row['result']}: {row['reason']}" for row in rungs if "reason" in row]
    lines = [LINE.format("row", "mean ms", "median ms", "iqr ms", "GB/s", "ratio"),
             LINE.format(":" + "-" * 21, *("-" * (width - 1) + ":" for width in (9, 9, 8, 6, 6)))]
    for row in rungs:
        cells = ["–" if row.get(key) is None else format(row[key], form) for key, form in FIGURES.items()]
        cells[0] = cells[0] if row["result"] == "right" else row["result"]
        lines.append(LINE.format(f"`{row['name']}`", *cells))
    return "\n\n".join([*(textwrap.fill(text, 80) for text in said), "\n".join(lines)]) + "\n"


def sizes_from(text):
    """(rows, columns, type) of every size."""
    sizes = [re.fullmatch("([1-9][0-9]{0,8})x([1-9][0-9]{0,8}):(.*)", word) for word in text.split(",")]
    if not all(found and found[3] in TYPES for found in sizes):
        raise argparse.ArgumentTypeError(f"'{text}' must be ROWSxCOLS:TYPE, or several with commas between them, ROWS "
                                         f"and COLS from 1 to 999999999, TYPE one of {', '.join(TYPES)}")
    return [(int(found[1]), int(found[2]), found[3]) for found in sizes]


def repeats_from(text):
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < 2:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 2 to 999999999")
    return int(text)


def run_all(parser, given):
    if not given.out:
        parser.error("PROGRAM and OUT.json must both be given")
    if not given.program.is_file() or not os.access(given.program, os.X_OK):
        parser.error(f"argument PROGRAM: '{given.program}' must be a program that can be run")
    if given.out.is_dir() or not os.access(given.out if given.out.exists() else given.out.absolute().parent, os.W_OK):
        parser.error(f"argument OUT.json: '{given.out}' must be a file that can be written, in a folder that is there")
    try:
        import torch
        torch.cuda.init()
    except (ImportError, RuntimeError, AssertionError) as problem:
        sys.exit(f"ladder_torch: needs torch and a GPU: {problem}")
    runs = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # torch's compiler processes may still run
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder  # compile_s must not depend on earlier compilations
        for size in given.sizes:
            try:
                measured = measure(torch, *size, given.repeats)
            except RuntimeError as problem:  # the buffers do not fit the GPU
                parser.error(f"argument --sizes: '{size[0]}x{size[1]}:{size[2]}': {str(problem).splitlines()[0]}")
            torch.compiler.reset()  # the next size is compiled again, and the ladder gets the memory
            gc.collect()
            torch.cuda.empty_cache()
            run = run_ladder(given.program.resolve(), *size, given.repeats, pathlib.Path(folder) / f"{len(runs)}.json")
            runs.append(join(measured, run))
            print(table_of(runs[-1]), flush=True)
    run_files.write(given.out, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(2, f"ladder_torch: {message}\n")  # one line, without the usage
    parser.add_argument("program", metavar="PROGRAM", type=pathlib.Path, nargs="?", help="the program cornerturn")
    parser.add_argument("out", metavar="OUT.json", type=pathlib.Path, nargs="?", help="the file to write")
    parser.add_argument("--sizes", metavar="ROWSxCOLS:TYPE,...", type=sizes_from, default=SIZES,
                        help=f"default: {SIZES.replace(',', ', ')}")
    parser.add_argument("--repeats", metavar="INT", type=repeats_from, default=31, help="timed rounds; default: 31")
    parser.add_argument("--table", metavar="FILE", type=pathlib.Path, help="only print the tables of this file")
    given = parser.parse_args()
    if given.table is None:
        return run_all(parser, given)
    try:
        print(*map(table_of, run_files.read(given.table)), sep="\n", end="")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        parser.error(f"argument --table: '{given.table}' must be a file that this script wrote ({problem!r})")


if __name__ == "__main__":
    main()
