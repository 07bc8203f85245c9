#!/usr/bin/env python3
"""Profiles what limits some permutations with Nsight Compute, and the same by torch.compile. Writes JSON.

    PYTHONPATH=build/gpu/python python3 bench/limits.py --out bench/results/h200-limits.json.gz

Each case is run once by cornerturn.permute and once by a compiled kernel, which complex elements have not. Needs ncu on the PATH. The
clocks are not locked. With --unprofiled CASES.json the script runs the kernels of these cases; that is how ncu starts it.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

import arena_cases
import provenance
import run_files

COUNTERS = {"ms": "gpu__time_duration.sum", "DRAM %": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
            "L2 %": "lts__throughput.avg.pct_of_peak_sustained_elapsed", "L1 %": "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
            "issue %": "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "warps %": "sm__warps_active.avg.pct_of_peak_sustained_active", "instructions": "smsp__inst_executed.sum",
            "L2 sectors read": "lts__t_sectors_op_read.sum", "L2 sectors written": "lts__t_sectors_op_write.sum",
            "wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
            "bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}


def run(cases):
    import cornerturn
    import torch
    for shape, axes, kind in cases:
        x = torch.empty(shape, dtype=getattr(torch, arena_cases.DTYPES[kind]), device="cuda")
        out = torch.empty([shape[axis] for axis in axes], dtype=x.dtype, device="cuda")
        compiled = torch.compile(lambda t: t.permute(axes).contiguous(), dynamic=False, fullgraph=True)
        compiled(x)
        cornerturn.permute(x, axes, out=out)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        cornerturn.permute(x, axes, out=out)
        compiled(x)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()
        torch._dynamo.reset()


def profiled(path):
    """The counters of all kernels of the cases, in order."""
    ncu = ["ncu", "--clock-control", "none", "--profile-from-start", "off", "--csv", "--print-units", "base", "--metrics",
           ",".join(COUNTERS.values()), sys.executable, __file__, "--unprofiled", str(path)]
    done = subprocess.run(ncu, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"limits: ncu ended with exit code {done.returncode}:\n{done.stdout}")
    lines = done.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    kernels = {}
    for row in csv.DictReader(lines[start:]):
        kernels.setdefault(row["ID"], {"name": row["Kernel Name"]})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return list(kernels.values())


def described(kernel):
    found = {name: kernel[metric] for name, metric in COUNTERS.items() if metric in kernel}
    found["ms"] /= 1e6
    return {name: round(value, 4) if name == "ms" else round(value, 1) for name, value in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=pathlib.Path, default=arena_cases.HERE / "cases/limits.json")
    parser.add_argument("--out", type=pathlib.Path, help="the file that is written")
    parser.add_argument("--unprofiled", type=pathlib.Path, metavar="CASES", help="only run the kernels of these cases")
    options = parser.parse_args()
    if options.unprofiled:
        return run(json.loads(options.unprofiled.read_text()))
    if not options.out:
        parser.error("--out is missing")
    cases, kernels = json.loads(options.cases.read_text()), profiled(options.cases)
    if len(kernels) != 2 * len(cases):
        sys.exit(f"limits: {len(cases)} cases ran {len(kernels)} kernels, not two each")
    import cornerturn
    import torch
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    result = provenance.of_run(library, {"torch": torch.__version__, "cornerturn": cornerturn.__version__})
    result |= {"gpu": torch.cuda.get_device_name(), "counters": COUNTERS, "cases": []}
    for (shape, axes, kind), ours, compiled in zip(cases, kernels[::2], kernels[1::2]):
        family = ours["name"].split("cornerturn::")[2].split("<")[0]
        result["cases"].append({"shape": shape, "axes": axes, "type": kind,
                                "kernels": {family: described(ours), "compile": described(compiled)}})
    run_files.write(options.out, result)


if __name__ == "__main__":
    main()
