#!/usr/bin/env python3
"""Reads with Nsight Compute what a GPU counts of every rung's memory requests, for `cornerturn explain` to be held against.

Every rung on four matrices of four element sizes, and the launches of bench/bank_patterns.cu, in one JSON file. Needs a GPU, ncu
on the PATH, and nothing of Python but its own library:

  bench/counters.py build/gpu/bin/cornerturn build/gpu/bin/bank_patterns bench/results/h200-counters.json
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

MATRICES = [(4096, 4096), (1024, 8192), (2000, 3056), (1999, 3001)]
TYPES = ["u8", "u16", "f32", "f64"]

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


def profiled(command, kernels, launches, counters=COUNTERS):
    """The counters of each of the first launches whose kernel's name matches."""
    ncu = ["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "-k", f"regex:{kernels}",
           "--launch-count", str(launches), "--metrics", ",".join(f"{name}.sum" for name in counters.values())]
    done = subprocess.run([*ncu, *map(str, command)], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"counters: ncu ended with exit code {done.returncode}:\n{done.stdout}")
    lines = done.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    names = {f"{metric}.sum": name for name, metric in counters.items()}
    found = {}
    for row in csv.DictReader(line for line in lines[start:] if line.startswith('"')):
        found.setdefault(int(row["ID"]), {})[names[row["Metric Name"]]] = int(float(row["Metric Value"].replace(",", "")))
    if len(found) != launches or any(len(each) != len(counters) for each in found.values()):
        sys.exit(f"counters: ncu reported {len(found)} launches instead of {launches}:\n{done.stdout}")
    return [found[launch] for launch in sorted(found)]


def explained(program, matrix):
    """What the program itself says of the matrix, for the names of the rungs that serve it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "explained.json"
        subprocess.run([program, "explain", *matrix, "--json", path], check=True, stdout=subprocess.DEVNULL)
        return json.loads(path.read_text())


def count_rungs(program, rows, cols, kind):
    matrix = ["--rows", str(rows), "--cols", str(cols), "--type", kind]
    served = [each for each in explained(program, matrix) if not each["unavailable"]]
    # the ladder's first launches verify the rungs, one each
    counts = profiled([program, "ladder", *matrix, "--repeats", "1"], "run_program", len(served))
    return [{"rung": each["rung"], "tile": each["tile"], **count} for each, count in zip(served, counts)]


def count_patterns(program):
    wanted = {name: metric for name, metric in COUNTERS.items() if "wavefronts" in name and "shared" in name}
    launches = [json.loads(line) for line in subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()]
    counts = profiled([program], "touch", len(launches), wanted)
    result = []
    for launch, count in zip(launches, counts):
        op = "st" if launch["store"] else "ld"
        result.append({**launch, "wavefronts": count[f"shared {op} wavefronts"], "l1tex": count[f"l1tex shared {op} wavefronts"]})
    return result


def lines_of(result):
    """JSON with a line for each rung and pattern."""
    text = json.dumps({key: value for key, value in result.items() if key not in ("matrices", "patterns")}, indent=1)[:-2]
    text += ',\n "matrices": [\n'
    text += ",\n".join(
        json.dumps({key: value for key, value in each.items() if key != "rungs"})[:-1] + ', "rungs": [\n'
        + ",\n".join(json.dumps(rung) for rung in each["rungs"]) + "]}" for each in result["matrices"])
    return text + '],\n "patterns": [\n' + ",\n".join(map(json.dumps, result["patterns"])) + "]\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="the program cornerturn")
    parser.add_argument("patterns", type=pathlib.Path, help="the program bank_patterns")
    parser.add_argument("out", type=pathlib.Path, help="the file to write, e.g. bench/results/h200-counters.json")
    given = parser.parse_args()
    program = given.program.resolve()

    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    version = subprocess.run(["ncu", "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
    result = {"gpu": gpu.stdout.strip(), "ncu": version, "command": "bench/counters.py " + " ".join(sys.argv[1:]),
              "counters": COUNTERS, "matrices": [], "patterns": count_patterns(given.patterns.resolve())}
    for rows, cols in MATRICES:
        for kind in TYPES:
            print(f"{rows} x {cols} {kind}", flush=True)
            result["matrices"].append({"rows": rows, "cols": cols, "type": kind, "rungs": count_rungs(program, rows, cols, kind)})
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(lines_of(result))


if __name__ == "__main__":
    main()
