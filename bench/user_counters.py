#!/usr/bin/env python3
"""Reads a GPU's counters of accesses that users write, to be compared with `cornerturn explain --code` and `--trace`.

`accesses` of the file are those of bench/user_accesses.json, or of bench/drawn_accesses.json with --drawn: each is the only access
of a kernel of one block, whose code nvcc compiles as it stands in the file. `traces` are the kernels of bench/traced_kernels.cu, with the accesses that cornerturn/trace.cuh
recorded. Prints what differs from the counts of the program. Needs a GPU, nvcc, and ncu on the PATH; no Python packages:

  bench/user_counters.py build/gpu/bin/cornerturn bench/results/h200-user-counters.json.gz
  bench/user_counters.py --drawn build/gpu/bin/cornerturn bench/results/h200-drawn-counters.json.gz
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import counters
import provenance
import run_files

BENCH = pathlib.Path(__file__).resolve().parent
CASES, DRAWN = BENCH / "user_accesses.json", BENCH / "drawn_accesses.json"
PLAIN = {name: metric for name, metric in counters.COUNTERS.items() if "TMA" not in name and name != "l1tex wavefronts"}
COUNTED = {"global": ("requests", "sectors"), "shared": ("requests", "wavefronts")}


def space_of(case):
    return "shared" if "__shared__" in case["memory"] else "global"


def code_of(case):
    """What `explain --code` reads."""
    store = " = value" if case["op"] == "st" else ""
    aligned = f"alignas({case['align']}) " if "align" in case else ""
    block = ", ".join(map(str, case["block"]))
    return f"dim3 block({block});\n{aligned}{case['memory']}\n{case['before']} {case['access']}{store};\n"


def kernel_of(index, case):
    """A kernel with the access alone, and its launch. A pointer is a parameter, to memory that is aligned to `align` bytes and no more
    if these are given; an array is declared where it must be."""
    memory, shared = case["memory"], space_of(case) == "shared"
    pointer = not shared and "__device__" not in memory
    call = "store" if case["op"] == "st" else "sum ^= load"
    parameter = memory.rstrip(";") + ", " if pointer else ""
    kernel = [f"__global__ void touch_{index}({parameter}unsigned* end) {{", *([f"  {memory}"] if shared else []), "  unsigned sum = 0;",
              f"  {case['before']} {call}<{str(shared).lower()}>({case['access']});", "  if (sum == 1) *end = sum;", "}"]
    block = ", ".join(map(str, case["block"]))
    place = f"at(memory + {case.get('align', 0)}), "
    launch = f"  case_{index}::touch_{index}<<<1, dim3({block}), kDynamicBytes>>>({place if pointer else ''}end);"
    return "\n".join([f"namespace case_{index} {{", *([memory] if not (shared or pointer) else []), *kernel, "}"]), launch


def program_of(cases):
    """A program that launches each case once."""
    kernels, launches = zip(*(kernel_of(*each) for each in enumerate(cases)))
    return "\n".join(['#include <cuda_fp16.h>', '#include "expect.hpp"', '#include "touch.cuh"', "constexpr int kDynamicBytes = 8192;",
                      "struct at {", "  char* memory;", "  explicit at(char* to) : memory(to) {}",
                      "  template <class T>", "  operator T*() const { return reinterpret_cast<T*>(memory); }", "};",
                      *kernels, "int main() {", "  char* memory;", "  unsigned* end;",
                      "  expect(cudaMalloc(&memory, 1 << 20));", "  expect(cudaMalloc(&end, sizeof(*end)));",
                      "  expect(cudaMemset(memory, 0, 1 << 20));", *launches, "  expect(cudaDeviceSynchronize());", "}", ""])


def compiled(source, program):
    folders = [f"-I{BENCH.parent / name}" for name in ("include", "src", "bench")]
    subprocess.run(["nvcc", "-std=c++17", "-O3", "-arch=sm_90", *folders, "-o", program, source], check=True)
    return program


def explained(program, *what):
    """What the program writes of a code, or of the kernels of a trace."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "explain", *map(str, what), "--json", file.name], check=True, stdout=subprocess.DEVNULL)
        return json.loads(pathlib.Path(file.name).read_text())


def explained_case(program, case):
    [explanation] = explained(program, "--code", code_of(case))["explanations"]
    return explanation


def counts_of(explanation):
    """The sums of an explanation by the names of the counters."""
    result = {}
    for space, (_, pieces) in COUNTED.items():
        for op in counters.BOTH:
            of = [each for each in explanation["instructions"] if (each["space"], each["store"]) == (space, op == "st")]
            for name, key in ("instructions", "requests"), ("bytes", "bytes_needed"), (pieces, pieces):
                result[f"{space} {op} {name}"] = sum(each[key] for each in of)
    return result


def differences(counted, explanation):
    """What the counters have more than an explanation, of the memories and directions that it has. Kernels that load end with a store
    that no lane makes."""
    return {name: counted[name] - each for name, each in counts_of(explanation).items() if each and counted[name] != each}


def count_accesses(folder, cases):
    source = folder / "accesses.cu"
    source.write_text(program_of(cases))
    counts = counters.profiled([compiled(source, folder / "accesses")], "touch_", len(cases), PLAIN)
    return [{**case, **count} for case, count in zip(cases, counts)]


def count_traces(folder):
    program = compiled(BENCH / "traced_kernels.cu", folder / "traced_kernels")
    trace = subprocess.run([program, "trace"], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = list(dict.fromkeys(line.split()[0] for line in trace.splitlines()))
    counts = counters.profiled([program], "|".join(names), len(names), PLAIN)
    return [{"kernel": name, "trace": [line for line in trace.splitlines() if line.split()[0] == name], **count}
            for name, count in zip(names, counts)]


def explained_traces(program, folder, traces):
    path = folder / "trace.txt"
    path.write_text("".join(f"{line}\n" for each in traces for line in each["trace"]))
    return explained(program, "--trace", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="cornerturn")
    parser.add_argument("out", type=pathlib.Path, help="the file to write, e.g. bench/results/h200-user-counters.json.gz")
    parser.add_argument("--drawn", action="store_true", help="count the accesses of bench/drawn_accesses.json")
    given = parser.parse_args()

    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    version = subprocess.run(["ncu", "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result = {"commit": provenance.commit(), "compilers": provenance.compilers(given.program), "gpu": gpu.stdout.strip(),
                  "ncu": version, "command": f"bench/user_counters.py {'--drawn ' * given.drawn}{given.program.name} {given.out.name}", "counters": PLAIN,
                  "accesses": count_accesses(folder, json.loads((DRAWN if given.drawn else CASES).read_text())), "traces": count_traces(folder)}
        run_files.write(given.out, result)
        compared = [*((each["name"], each, explained_case(given.program, each)) for each in result["accesses"]),
                    *((each["kernel"], each, of)
                      for each, of in zip(result["traces"], explained_traces(given.program, folder, result["traces"])))]
    different = {name: found for name, counted, of in compared if (found := differences(counted, of))}
    print(f"{len(compared) - len(different)} of {len(compared)} are equal")
    for name, found in different.items():
        print(f"{name}: {found}")


if __name__ == "__main__":
    main()
