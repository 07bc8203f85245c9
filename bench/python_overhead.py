#!/usr/bin/env python3
"""Times a call from Python, the C++ call within it, the equivalent calls of the frameworks, and the import. Prints JSON.

    PYTHONPATH=build/gpu/python build/venv/bin/python bench/python_overhead.py [--calls N]

Arrays are small and plans are cached; figures are microseconds, medians of interleaved rounds. The C++ call is made in a loop that is
compiled here. On a GPU a call only enqueues its work; the interval excludes waiting for the stream.
"""

import argparse
import ctypes
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import cornerturn
import numpy as np

import provenance

ROOT = pathlib.Path(__file__).parents[1]
SHAPE, AXES = (8, 16, 12), (2, 0, 1)
ROUNDS = 31
LOOP = """
#include <chrono>
#include <cornerturn/permute.hpp>
#include <dlfcn.h>
extern "C" double seconds(void const* from, void* to, void* stream, int calls) {
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i)
    cornerturn::permute(from, to, {8, 16, 12}, {2, 0, 1}, 4, {.stream = stream});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
/// Launches an empty kernel without arguments through the driver API.
extern "C" double seconds_of_launches(void* stream, int calls) {
  constexpr auto kEmpty = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry empty() { ret; }\\n";
  auto const driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto const load = (int (*)(void**, void const*))dlsym(driver, "cuModuleLoadData");
  auto const find = (int (*)(void**, void*, char const*))dlsym(driver, "cuModuleGetFunction");
  auto const launch = (int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**))
      dlsym(driver, "cuLaunchKernel");
  static void* kernel = [&] {
    void *module = nullptr, *found = nullptr;
    load(&module, kEmpty), find(&found, module, "empty");
    return found;
  }();
  if (!kernel) return -1;
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i)
    if (launch(kernel, 1, 1, 1, 128, 1, 1, 0, stream, nullptr, nullptr) != 0) return -1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
"""


def library_of_package():
    """The library that the package has loaded."""
    package = pathlib.Path(cornerturn.__file__).parent
    module = next(package.glob("_cornerturn*.so"))
    needed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    return next(line.split()[2] for line in needed.splitlines() if "libcornerturn" in line)


def compiled_loops(folder):
    """Compiles loops of the C++ call and of an empty launch, linked to the library that the package has loaded."""
    library = library_of_package()
    source, built = folder / "loop.cpp", folder / "loop.so"
    source.write_text(LOOP)
    subprocess.run(["g++", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", source, "-o", built, library, "-ldl"], check=True)
    loops = ctypes.CDLL(str(built))
    loops.seconds.restype = loops.seconds_of_launches.restype = ctypes.c_double
    loops.seconds.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int
    loops.seconds_of_launches.argtypes = ctypes.c_void_p, ctypes.c_int
    return loops


def in_python(call):
    def seconds(calls):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        return time.perf_counter() - begin
    return seconds


def medians(ways, calls, between=lambda: None):
    """Medians of microseconds per call; the ways run interleaved."""
    found = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, seconds in ways.items():
            found[name].append(1e6 * seconds(calls) / calls)
            between()
    return {name: round(statistics.median(times), 3) for name, times in found.items()}


def on_numpy(loops, calls):
    x = np.zeros(SHAPE, np.float32)
    out = np.empty([SHAPE[axis] for axis in AXES], np.float32)
    plan = cornerturn.plan(x, AXES)
    return medians({
        "C++ permute": lambda n: loops.seconds(x.ctypes.data, out.ctypes.data, None, n),
        "permute(x, axes, out=out)": in_python(lambda: cornerturn.permute(x, AXES, out=out)),
        "permute(x, axes)": in_python(lambda: cornerturn.permute(x, AXES)),
        "plan(x, out)": in_python(lambda: plan(x, out)),
        "np.copyto(out, x.transpose(axes))": in_python(lambda: np.copyto(out, x.transpose(AXES))),
        "np.ascontiguousarray(x.transpose(axes))": in_python(lambda: np.ascontiguousarray(x.transpose(AXES))),
    }, calls)


def on_torch(torch, device, loops, calls):
    x = torch.zeros(SHAPE, device=device)
    out = torch.empty([SHAPE[axis] for axis in AXES], device=device)
    plan = cornerturn.plan(x, AXES)
    stream = torch.cuda.current_stream().cuda_stream if device == "cuda" else None
    launches = {"an empty kernel, launched": lambda n: loops.seconds_of_launches(stream, n)} if device == "cuda" else {}
    return medians({
        **launches,
        "C++ permute": lambda n: loops.seconds(x.data_ptr(), out.data_ptr(), stream, n),
        "permute(x, axes, out=out)": in_python(lambda: cornerturn.permute(x, AXES, out=out)),
        "permute(x, axes)": in_python(lambda: cornerturn.permute(x, AXES)),
        "plan(x, out)": in_python(lambda: plan(x, out)),
        "out.copy_(x.permute(axes))": in_python(lambda: out.copy_(x.permute(AXES))),
        "x.permute(axes).contiguous()": in_python(lambda: x.permute(AXES).contiguous()),
    }, calls, torch.cuda.synchronize if device == "cuda" else lambda: None)


def milliseconds_of_import():
    """The median time of `import cornerturn` after NumPy, in new interpreters."""
    code = "import time, numpy; begin = time.perf_counter(); import cornerturn; print(1000 * (time.perf_counter() - begin))"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(ROUNDS)]
    return round(statistics.median(times), 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=300, help="calls per round; few enough for the queue of a GPU")
    calls = parser.parse_args().calls
    try:
        import torch
    except ImportError:
        torch = None
    with tempfile.TemporaryDirectory() as folder:
        loops = compiled_loops(pathlib.Path(folder))
        result = {"commit": provenance.commit(), "version": cornerturn.__version__, "compilers": provenance.compilers(library_of_package()),
                  "python": sys.version.split()[0], "numpy": np.__version__,
                  "milliseconds of the import after NumPy": milliseconds_of_import(),
                  "microseconds a call": {"numpy": on_numpy(loops, calls)}}
        if torch:
            result["torch"] = torch.__version__
            result["microseconds a call"]["torch, cpu"] = on_torch(torch, "cpu", loops, calls)
            if torch.cuda.is_available():
                result["gpu"] = torch.cuda.get_device_name()
                result["microseconds a call"]["torch, cuda"] = on_torch(torch, "cuda", loops, calls)
    print(json.dumps(result, indent=1))


main()
