#!/usr/bin/env python3
"""Reads a GPU's counters of memory requests with Nsight Compute, to be compared with `cornerturn explain`.

Writes one of two JSON files. `rungs`: every rung on four matrices with four element sizes, and the launches of
bench/bank_patterns.cu. `plans`: the library's plans for some problems, of every kernel family and element size. Needs a GPU, ncu on
the PATH, and a build of the preset gpu; no Python packages:

  bench/counters.py rungs build/gpu/bin bench/results/h200-counters.json.gz
  bench/counters.py plans build/gpu/bin bench/results/h200-plan-counters.json.gz
"""

import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import provenance
import run_files

MATRICES = [(4096, 4096), (1024, 8192), (2000, 3056), (1999, 3001)]
TYPES = ["u8", "u16", "f32", "f64"]
SIZES = {"u8": 1, "u16": 2, "f32": 4, "f64": 8, "c128": 16}
PLANS = [
    ("256x224x224x3", "0,3,1,2", "u8"),    # interleave, split
    ("3x1048576", "1,0", "f32"),           # interleave, joined
    ("64x3x225x225", "0,2,3,1", "u8"),     # interleave of rows that begin anywhere
    ("1999x3001", "1,0", "u16"),           # unaligned
    ("32x96x64x50", "3,1,0,2", "u8"),      # gather, whole rows
    ("1999x3001", "1,0", "f32"),           # gather, ragged
    ("33x65x127x31", "3,1,0,2", "u16"),    # gather, ragged
    ("512x512", "1,0", "f32"),             # small
    ("48x56x60x36", "3,1,2,0", "f64"),     # a rung in batches
    ("8x512x16x64", "0,2,1,3", "u16"),     # direct
    ("501x503x5", "2,1,0", "f64"),         # flat
    ("4001x4003", "1,0", "f64"),           # tiled, single elements
    ("16384x32x32", "0,2,1", "u16"),       # tiled, vectors
    ("1024x1024", "1,0", "f32:bf16"),      # convert, squares of vectors
    ("64x512x128", "1,0,2", "f32:f8_e4m3fn"),  # convert, rows that stay rows
    ("999x1024", "1,0", "i16:f64"),        # convert, types selected at run time, single elements
    ("64x224x224x3", "0,3,1,2", "u8:f32"),  # planes
]

BOTH = ["ld", "st"]
COUNTERS = {
    # counted by instrumenting the program: exact
    **{f"{space} {op} instructions": f"smsp__sass_inst_executed_op_{space}_{op}" for space in ("global", "shared") for op in BOTH},
    **{f"{space} {op} bytes": f"smsp__sass_data_bytes_mem_{space}_op_{op}" for space in ("global", "shared") for op in BOTH},
    **{f"global {op} sectors": f"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{op}" for op in BOTH},
    **{f"shared {op} wavefronts": f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}" for op in BOTH},
    # counted by the hardware
    **{f"l1tex global {op} requests": f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}" for op in BOTH},
    **{f"l1tex global {op} sectors": f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}" for op in BOTH},
    **{f"l1tex shared {op} wavefronts": f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}" for op in BOTH},
    **{f"l1tex shared {op} bank conflicts": f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}" for op in BOTH},
    "l1tex wavefronts": "l1tex__data_pipe_lsu_wavefronts",
    "l1tex TMA read sectors": "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld",
    "l1tex TMA written sectors": "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st",
}
# cp.async, which the counters of loads and stores exclude: through the L1 cache and bypassing it
ASYNC_COUNTERS = {
    "async instructions": "smsp__sass_inst_executed_op_ldgsts",
    "async bytes": "smsp__sass_data_bytes_mem_shared_op_ldgsts",
    "async sectors through L1": "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access",
    "async sectors past L1": "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass",
    "async wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts",
}


def profiled(command, kernels, launches, counters=COUNTERS, env=None):
    """The counters of the first launches whose kernel name matches."""
    ncu = ["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "-k", f"regex:{kernels}",
           "--launch-count", str(launches), "--metrics", ",".join(f"{name}.sum" for name in counters.values())]
    done = subprocess.run([*ncu, *map(str, command)], stdout=subprocess.PIPE, text=True, env=env)
    if done.returncode:
        said = "\n".join(line for line in done.stdout.splitlines() if line.startswith("=="))
        sys.exit(f"counters: ncu ended with exit code {done.returncode}:\n{said}")
    lines = done.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    names = {f"{metric}.sum": name for name, metric in counters.items()}
    found = {}
    for row in csv.DictReader(line for line in lines[start:] if line.startswith('"')):
        value = float(row["Metric Value"].replace(",", ""))
        found.setdefault(int(row["ID"]), {})[names[row["Metric Name"]]] = 0 if math.isnan(value) else int(value)  # nan: no such instruction
    missing = {name for name in counters if any(name not in each for each in found.values())}
    if len(found) != launches or missing & {*COUNTERS, *ASYNC_COUNTERS}:
        sys.exit(f"counters: ncu reported {len(found)} launches instead of {launches}, without {sorted(missing)}")
    return [dict.fromkeys(missing, 0) | found[launch] for launch in sorted(found)]


def explained(program, problem, env=None):
    """The explanations of the program, of the rungs for a matrix or of a plan."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "explained.json"
        subprocess.run([program, "explain", *problem, "--json", path], check=True, stdout=subprocess.DEVNULL, env=env)
        return json.loads(path.read_text())


def count_rungs(program, rows, cols, kind):
    matrix = ["--rows", str(rows), "--cols", str(cols), "--type", kind]
    served = [each for each in explained(program, matrix) if not each["unavailable"]]
    # the ladder's first launches verify the rungs, one each
    counts = profiled([program, "ladder", *matrix, "--repeats", "1"], "run_program", len(served))
    return [{"rung": each["rung"], "tile": each["tile"], **count} for each, count in zip(served, counts)]


def types(kind):
    """The options of a type, or of two with a colon between them if elements change."""
    source, _, destination = kind.partition(":")
    return ["--type", source, *(["--to", destination] if destination else [])]


def count_plan(folder, shape, axes, kind):
    """The counters of the estimated plan, without measured choices of this machine."""
    with tempfile.TemporaryDirectory() as empty:
        env = {**os.environ, "CORNERTURN_CACHE_DIR": empty}
        [each] = explained(folder / "cornerturn", ["--plan", shape, "--axes", axes, *types(kind)], env)
        run = [folder / "run_plan", SIZES.get(kind, kind), *shape.split("x"), *axes.split(",")]
        [count] = profiled(run, "run_p(lanned|rogram)", 1, {**COUNTERS, **ASYNC_COUNTERS}, env)
    return {"shape": shape, "axes": axes, "type": kind, "kernel": each["kernel"], "plan": each["plan"], **count}


def count_patterns(program):
    wanted = {name: metric for name, metric in COUNTERS.items() if "wavefronts" in name and "shared" in name}
    launches = [json.loads(line) for line in subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()]
    counts = profiled([program], "touch", len(launches), wanted)
    result = []
    for launch, count in zip(launches, counts):
        op = "st" if launch["store"] else "ld"
        result.append({**launch, "wavefronts": count[f"shared {op} wavefronts"], "l1tex": count[f"l1tex shared {op} wavefronts"]})
    return result


def count_rungs_and_patterns(folder):
    matrices = []
    patterns = count_patterns(folder / "bank_patterns")
    for rows, cols in MATRICES:
        for kind in TYPES:
            print(f"{rows} x {cols} {kind}", flush=True)
            matrices.append({"rows": rows, "cols": cols, "type": kind, "rungs": count_rungs(folder / "cornerturn", rows, cols, kind)})
    return {"counters": COUNTERS, "matrices": matrices, "patterns": patterns}


def count_plans(folder):
    plans = []
    for shape, axes, kind in PLANS:
        print(f"{shape} {kind} by {axes}", flush=True)
        plans.append(count_plan(folder, shape, axes, kind))
    return {"counters": {**COUNTERS, **ASYNC_COUNTERS}, "plans": plans}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rungs", "plans"])
    parser.add_argument("programs", type=pathlib.Path, help="the folder with cornerturn, bank_patterns and run_plan")
    parser.add_argument("out", type=pathlib.Path, help="the file to write, e.g. bench/results/h200-counters.json.gz")
    given = parser.parse_args()

    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    version = subprocess.run(["ncu", "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
    count = count_plans if given.what == "plans" else count_rungs_and_patterns
    result = {"commit": provenance.commit(), "compilers": provenance.compilers(given.programs / "cornerturn"),
              "gpu": gpu.stdout.strip(), "ncu": version, "command": "bench/counters.py " + " ".join(sys.argv[1:]),
              **count(given.programs.resolve())}
    given.out.parent.mkdir(parents=True, exist_ok=True)
    run_files.write(given.out, result)


if __name__ == "__main__":
    main()
