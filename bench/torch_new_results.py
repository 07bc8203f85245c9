#!/usr/bin/env python3
"""Times new results of PyTorch on the CPU without and with cornerturn.torch.enable, which asks for huge pages for them. Prints JSON.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/torch_new_results.py [--rounds N]

x.t().contiguous() of a square of float32, by one thread: milliseconds that the processor has given to it, medians of interleaved rounds,
"on" and "off", with huge pages as the system is set ("system") and with none for this process ("none"). "peak" is what the memory of the
process grows by at most, in MiB. After a copy the process forks, and the child writes to the result: "fork" and "child" are these times.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import sys
import time

import cornerturn
import cornerturn.torch
import torch

import provenance

SIDES = (1024, 2048, 4096, 8192)
PR_SET_THP_DISABLE = 41
SETTING = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
LIBC = ctypes.CDLL(None)


def status(field):
    """A figure of this process's memory in MiB."""
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field)) / 1024


def transposed(x, is_on, without):
    (cornerturn.torch.enable if is_on else cornerturn.torch.disable)()
    LIBC.prctl(PR_SET_THP_DISABLE, int(without), 0, 0, 0)
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM counts from here
    before, begin = status("VmRSS"), time.thread_time()
    y = x.t().contiguous()
    return y, 1e3 * (time.thread_time() - begin), status("VmHWM") - before


def forked(y):
    """Milliseconds of a fork, and of writing to the result in the child."""
    ends = os.pipe()
    begin = time.thread_time()
    child = os.fork()
    if child == 0:
        begin = time.thread_time()
        y.add_(1)
        os.write(ends[1], str(1e3 * (time.thread_time() - begin)).encode())
        os._exit(0)
    taken = 1e3 * (time.thread_time() - begin)
    os.waitpid(child, 0)
    written = float(os.read(ends[0], 64))
    for end in ends:
        os.close(end)
    return taken, written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(1)
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    result = provenance.of_run(library, {"python": sys.version.split()[0], "torch": torch.__version__,
                                         "cornerturn": cornerturn.__version__})
    result |= {"processor": provenance.processor(), "load": os.getloadavg()[0], "command": " ".join(sys.argv),
               "system": SETTING.read_text().strip(), "sides": {}}
    for side in SIDES:
        x = torch.zeros(side, side)
        x.fill_(1)
        rounds = {}
        for _ in range(options.rounds):
            for is_on in (False, True):
                for without in (False, True):
                    y, milliseconds, peak = transposed(x, is_on, without)
                    key = f"{'on' if is_on else 'off'}, {'none' if without else 'system'}"
                    rounds.setdefault(key, []).append((milliseconds, peak, *forked(y)))
                    del y
        result["sides"][side] = {"MiB": round(side * side / 2**18, 1)} | {
            key: {name: round(statistics.median(each), 3) for name, each in zip(("ms", "peak", "fork", "child"), zip(*figures))}
            for key, figures in rounds.items()}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
