#!/usr/bin/env python3
"""Times what cornerturn.torch.enable adds to small copies of PyTorch on the CPU. Prints JSON.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/torch_call_cost.py [--cpu N]

Microseconds of one call: medians of 20 blocks of 10,000 calls, of the time that one processor has given to the process. "never" was
measured before the first enable(); "off" after disable(), when a kernel that calls PyTorch's is all that is added: "wrapping" is what
that takes. "on" blocks are interleaved with "off" ones; "deciding" is what they take beyond them, or for a copy that is taken, what
cornerturn's call takes beyond PyTorch's.
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

import provenance
import torch_copies

BLOCKS, CALLS = 20, 10_000
TAKEN = {f"taken, {rows} x {rows} f32": lambda rows=rows: (torch.empty(rows, rows), torch.ones(rows, rows).t()) for rows in (24, 32, 64)}


def block(to, source):
    begin = time.thread_time()
    for _ in range(CALLS):
        to.copy_(source)
    return 1e6 * (time.thread_time() - begin) / CALLS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", type=int, default=0, help="the processor to run on")
    os.sched_setaffinity(0, {parser.parse_args().cpu})
    torch.set_num_threads(1)

    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    result = provenance.of_run(library, {"python": sys.version.split()[0], "torch": torch.__version__,
                                         "cornerturn": cornerturn.__version__})
    result |= {"processor": provenance.processor(), "load": os.getloadavg()[0], "command": " ".join(sys.argv), "calls": {}}
    sides = {name: make("cpu") for name, make in torch_copies.LEFT.items()} | {name: make() for name, make in TAKEN.items()}
    never = {name: [block(*pair) for _ in range(BLOCKS)] for name, pair in sides.items()}
    for name, pair in sides.items():
        off, on = [], []
        for _ in range(BLOCKS):
            cornerturn.torch.disable()
            off.append(block(*pair))
            cornerturn.torch.enable()
            on.append(block(*pair))
        report = cornerturn.torch.report()
        assert report.taken["cpu"] == (CALLS if name in TAKEN else 0), report
        times = {key: statistics.median(each) for key, each in (("never", never[name]), ("off", off), ("on", on))}
        times |= {"wrapping": times["off"] - times["never"], "deciding": statistics.median(b - a for a, b in zip(off, on))}
        result["calls"][name] = {key: round(each, 3) for key, each in times.items()}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
