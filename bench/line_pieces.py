#!/usr/bin/env python3
"""Times loads and stores of some sectors of each 128-byte line on a GPU, and reads the counters of its L2 cache and memory.

They tell in which pieces the L2 cache serves loads and stores, which the predicted speed of `cornerturn explain` assumes. The
patterns are those of bench/line_pieces.cu. Needs a GPU, nvcc, and ncu on the PATH; no Python packages:

  bench/line_pieces.py bench/results/h200-line-pieces.json.gz
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import counters
import provenance
import run_files
import user_counters

COUNTERS = {
    "requests": "l1tex__t_requests_pipe_lsu_mem_global_op_{op}",
    "sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_{op}",
    "sectors read from L2": "l1tex__m_xbar2l1tex_read_sectors",
    "sectors written to L2": "l1tex__m_l1tex2xbar_write_sectors",
    "cycles of requests to L2": "l1tex__m_l1tex2xbar_req_cycles_active",
    "L2 requests": "lts__t_requests_srcunit_tex",
    "L2 tag requests": "lts__t_tag_requests",
    "L2 sectors": "lts__t_sectors_srcunit_tex",
    "L2 sectors read": "lts__t_sectors_op_read",
    "L2 sectors written": "lts__t_sectors_op_write",
    "L2 sectors missed": "lts__t_sectors_srcunit_tex_lookup_miss",
    "L2 sectors filled": "lts__d_sectors_fill_device",
    "L2 tag cycles": "lts__t_cycles_active",
    "L2 data cycles": "lts__d_cycles_active",
    "DRAM sectors read": "dram__sectors_read",
    "DRAM sectors written": "dram__sectors_write",
    "nanoseconds": "gpu__time_duration",
}


def known_metrics():
    """The metrics that ncu has for this GPU."""
    done = subprocess.run(["ncu", "--query-metrics"], stdout=subprocess.PIPE, text=True, check=True)
    return {line.split()[0] for line in done.stdout.splitlines() if line.strip()}


def wanted():
    """The counters by name, of loads and of stores."""
    result = {}
    for name, metric in COUNTERS.items():
        result.update({f"{name} {op}": metric.format(op=op) for op in counters.BOTH} if "{op}" in metric else {name: metric})
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="the file to write, e.g. bench/results/h200-line-pieces.json.gz")
    given = parser.parse_args()

    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    version = subprocess.run(["ncu", "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
    with tempfile.TemporaryDirectory() as folder:
        program = user_counters.compiled(user_counters.BENCH / "line_pieces.cu", pathlib.Path(folder) / "line_pieces")
        timed = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
        patterns = [json.loads(line) for line in timed.splitlines()]
        print(timed, flush=True)
        known = known_metrics()
        of = {name: metric for name, metric in wanted().items() if metric in known}
        counts = counters.profiled([program, "once"], "touch", len(patterns), of)
    run_files.write(given.out, {"commit": provenance.commit(), "gpu": gpu.stdout.strip(), "ncu": version,
                                "command": f"bench/line_pieces.py {given.out.name}", "counters": of,
                                "unknown": sorted(set(wanted()) - set(of)),
                                "patterns": [{**pattern, **count} for pattern, count in zip(patterns, counts)]})


if __name__ == "__main__":
    main()
