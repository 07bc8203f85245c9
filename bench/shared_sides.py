#!/usr/bin/env python3
"""Reads a GPU's counters of ldmatrix, stmatrix, cp.async and TMA, which `cornerturn explain` counts or, of TMA's shared side,
says that there are no conflicts.

`accesses` of the file are those of bench/shared_sides.json: each is the only access of a kernel of one block, which `explain --code`
reads as it stands in the file. `boxes` are loads and stores of one box each by TMA. All counters of shared memory that the GPU has
are read. Prints the wavefronts of each access as explained and as counted. Needs a GPU, nvcc, and ncu on the PATH; no Python packages:

  bench/shared_sides.py build/gpu/bin/cornerturn bench/results/h200-shared-sides.json.gz
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import counters
import provenance
import run_files
import user_counters

CASES = user_counters.BENCH / "shared_sides.json"
# rows, elements of 2 bytes in a row, and the swizzle
BOXES = [{"rows": rows, "width": width, "store": store, "swizzle": swizzle}
         for store in (False, True)
         for rows, width, swizzle in ((64, 8, "NONE"), (64, 16, "NONE"), (64, 16, "32B"), (64, 32, "NONE"), (64, 32, "64B"),
                                      (64, 64, "NONE"), (64, 64, "128B"), (8, 64, "128B"), (64, 128, "NONE"))]
OF_SHARED = re.compile(r"ldsm|stsm|ldgsts|tma|wavefronts.*mem_shared|bank_(conflicts|reads|writes)")


def code_of(case):
    """What `explain --code` reads."""
    block = ", ".join(map(str, case["block"]))
    return f"dim3 block({block});\n{case.get('from', '')}\n{case['memory']}\n{case['before']} {case['access']};\n"


def kernel_of(index, case):
    source, block = case.get("from"), ", ".join(map(str, case["block"]))
    kernel = [f"__global__ void touch_{index}({source.rstrip(';') + ', ' if source else ''}unsigned* end) {{", f"  {case['memory']}",
              "  unsigned sum = 0;", f"  {case['before']} sum ^= {case['access']};",
              '  asm volatile("cp.async.wait_all;" ::: "memory");', "  if (sum == 1) *end = sum;", "}"]
    return "\n".join(kernel), f"  touch_{index}<<<1, dim3({block})>>>({'at{memory}, ' if source else ''}end);"


def box_of(box):
    return (f"  launch_box<{box['rows']}, {box['width']}, {str(box['store']).lower()}>(memory, 1024, "
            f"CU_TENSOR_MAP_SWIZZLE_{box['swizzle']});")


def program_of(cases):
    """A program that launches each access and each box once."""
    kernels, launches = zip(*(kernel_of(*each) for each in enumerate(cases)))
    return "\n".join(["#include <cuda_fp16.h>", '#include "shared_sides.cuh"', "struct at {", "  char* memory;", "  template <class T>",
                      "  operator T*() const { return reinterpret_cast<T*>(memory); }", "};", *kernels, "int main() {",
                      "  char* memory;", "  unsigned* end;", "  expect(cudaMalloc(&memory, 1 << 20));",
                      "  expect(cudaMalloc(&end, sizeof(*end)));", *launches, *map(box_of, BOXES),
                      "  expect(cudaDeviceSynchronize());", "}", ""])


def known_counters():
    """The counters of this GPU's shared memory by their own names, and those with names of bench/counters.py."""
    done = subprocess.run(["ncu", "--query-metrics"], stdout=subprocess.PIPE, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    own = {row[0]: row[0] for row in rows if len(row) > 1 and row[1] == "Counter" and OF_SHARED.search(row[0])}
    named = {**user_counters.PLAIN, **counters.ASYNC_COUNTERS}
    return {**{name: metric for name, metric in own.items() if metric not in named.values()}, **named}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="cornerturn")
    parser.add_argument("out", type=pathlib.Path, help="the file to write, e.g. bench/results/h200-shared-sides.json.gz")
    given = parser.parse_args()

    cases, of = json.loads(CASES.read_text()), known_counters()
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    version = subprocess.run(["ncu", "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name) / "shared_sides.cu"
        source.write_text(program_of(cases))
        program = user_counters.compiled(source, pathlib.Path(name) / "shared_sides")
        touched = counters.profiled([program], "touch_", len(cases), of)
        plain = {name: metric for name, metric in of.items() if "__sass" not in metric}  # these are not counted for TMA
        boxed = counters.profiled([program], "tma_box", len(BOXES), plain)
    result = {"commit": provenance.commit(), "compilers": provenance.compilers(given.program), "gpu": gpu.stdout.strip(),
              "ncu": version, "command": f"bench/shared_sides.py {given.program.name} {given.out.name}", "counters": of,
              "accesses": [{**case, **count} for case, count in zip(cases, touched)],
              "boxes": [{**box, **count} for box, count in zip(BOXES, boxed)]}
    run_files.write(given.out, result)
    for each in result["accesses"]:
        told = user_counters.explained(given.program, "--code", code_of(each))["explanations"][0]["instructions"]
        print(f"{each['name']}: {sum(it['wavefronts'] for it in told)} wavefronts and "
              f"{sum(it['sectors'] + it['split_sectors'] for it in told)} sectors explained;",
              {name: each[name] for name in of if each[name] and ("wavefronts" in name or "async" in name)})
    for each in result["boxes"]:
        print({name: value for name, value in each.items() if value})


if __name__ == "__main__":
    main()
