#!/usr/bin/env python3
"""Times what cornerturn.torch.enable adds to small copies of PyTorch on the host. Prints JSON.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/torch_call_cost.py [--device D] [--cpu N]

Microseconds of one call by the time that one processor has given to it, in 20 rounds with a block of 10,000 calls of each way. "without" is
PyTorch alone, "off" after disable(), when a kernel that calls PyTorch's is all that is added, "on" after enable(). "wrapping" is what
"off" takes beyond "without" in a round, "deciding" what "on" takes beyond "off", "both" the sum, less than 0 where a copy that is taken
costs less than PyTorch's: medians with the interval that has the median in 19 of 20 cases.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

import cornerturn
import cornerturn.torch
import torch
from cornerturn import _cornerturn, _torch_copies

import provenance
from arena_programs import interval

LEFT = {
    "small": lambda d: (torch.empty(4, device=d), torch.ones(4, device=d)),
    "plain": lambda d: (torch.empty(1000, device=d), torch.ones(1000, device=d)),
    "rows": lambda d: (torch.empty(64, 64, device=d), torch.ones(64, 128, device=d)[:, :64]),
    "types": lambda d: (torch.empty(64, 64, device=d), torch.ones(64, 64, device=d, dtype=torch.int64).t()),
    "lazy": lambda d: (torch.empty(64, 64, device=d, dtype=torch.complex64),
                       torch.ones(64, 64, device=d, dtype=torch.complex64).conj()),
}
SIDES = {"cpu": (24, 32, 64), "cuda": (128, 256, 512)}  # of squares that are taken; on a GPU, whose copies are shorter than their launch


def square(rows, device):
    return torch.empty(rows, rows, device=device), torch.ones(rows, rows, device=device).t()


def go_without():
    """Ends the override, which a program cannot: another thread might be calling its kernel."""
    cornerturn.torch.disable()
    if _torch_copies._registered:
        _cornerturn._detach_torch_copies()
        _torch_copies._registered = ()


WAYS = {"without": go_without, "off": cornerturn.torch.disable, "on": cornerturn.torch.enable}


def block(to, source, calls):
    begin = time.thread_time()
    for _ in range(calls):
        to.copy_(source)
    taken = time.thread_time() - begin
    if to.is_cuda:
        torch.cuda.synchronize()
    return 1e6 * taken / calls


def measured(to, source, rounds, calls):
    """Microseconds of each way and what they differ by, and the copies that were taken in a block."""
    times = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, switch in WAYS.items():
            if way == "off":
                cornerturn.torch.enable()  # registers the kernel
            switch()
            times[way].append(block(to, source, calls))
        report = cornerturn.torch.report()
    without, off, on = times.values()
    over = {"wrapping": (off, without), "deciding": (on, off), "both": (on, without)}
    result = {way: round(statistics.median(each), 3) for way, each in times.items()}
    result |= {name: [round(us, 3) for us in interval([a - b for a, b in zip(*each)])] for name, each in over.items()}
    return result | {"taken": report.taken[to.device.type] == calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=SIDES, default="cpu")
    parser.add_argument("--cpu", type=int, default=0, help="the processor to run on")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--calls", type=int, default=10_000)
    options = parser.parse_args()
    device = options.device
    os.sched_setaffinity(0, {options.cpu})
    torch.set_num_threads(1)

    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    result = provenance.of_run(library, {"python": sys.version.split()[0], "torch": torch.__version__,
                                         "cornerturn": cornerturn.__version__})
    result |= {"device": torch.cuda.get_device_name() if device == "cuda" else device, "processor": provenance.processor(),
               "load": os.getloadavg()[0], "command": " ".join(sys.argv), "calls": {}}
    cases = {name: make(device) for name, make in LEFT.items()}
    cases |= {f"{rows} x {rows} f32, transposed": square(rows, device) for rows in SIDES[device]}
    for name, (to, source) in cases.items():
        result["calls"][name] = measured(to, source, options.rounds, options.calls)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
