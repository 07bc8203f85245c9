#!/usr/bin/env python3
"""Times PyTorch's copies and two models without and with cornerturn.torch.enable. Prints JSON.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/torch_copies.py [--device D] [--threads N] [--rounds N]

Figures are microseconds, medians of interleaved rounds, and "ratios" those of single rounds; "off" is after disable(). A model runs forward and backward with random weights; "same bits" says whether its results and
gradients are those without cornerturn, and "repeatable" whether PyTorch alone gives the same ones twice; there, and only there, attention
runs on a kernel that is repeatable.
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
import torch_models

TAKEN = {
    "1024 x 1024 f32, transposed": ((1024, 1024), (1, 0), torch.float32, torch.float32),
    "4096 x 4096 f32, transposed": ((4096, 4096), (1, 0), torch.float32, torch.float32),
    "4096 x 4096 bf16, transposed": ((4096, 4096), (1, 0), torch.bfloat16, torch.bfloat16),
    "64 x 3 x 224 x 224 f32, to NHWC": ((64, 3, 224, 224), (0, 2, 3, 1), torch.float32, torch.float32),
    "64 x 224 x 224 x 3 u8, to NCHW": ((64, 224, 224, 3), (0, 3, 1, 2), torch.uint8, torch.uint8),
    "64 x 224 x 224 x 3 u8, to NCHW in f32": ((64, 224, 224, 3), (0, 3, 1, 2), torch.uint8, torch.float32),
    "8 x 1024 x 16 x 64 bf16, heads before tokens": ((8, 1024, 16, 64), (0, 2, 1, 3), torch.bfloat16, torch.bfloat16),
    "32 x 256 x 56 x 56 f32, to NHWC": ((32, 256, 56, 56), (0, 2, 3, 1), torch.float32, torch.float32),
}
IMAGES = {"cpu": (4, 128), "cuda": (32, 224)}  # a step of a model takes so many images of so many pixels along each side


def microseconds(call, device, calls):
    synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
    synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    synchronize()
    return 1e6 * (time.perf_counter() - begin) / calls


def medians(call, device, calls, rounds):
    """Medians of one call off and on, interleaved, the ratio of the two in each round, and the copies taken per call."""
    times = {"off": [], "on": []}
    taken = 0
    for _ in range(rounds):
        cornerturn.torch.disable()
        times["off"].append(microseconds(call, device, calls))
        cornerturn.torch.enable()
        times["on"].append(microseconds(call, device, calls))
        taken = cornerturn.torch.report().taken[device] / calls
    ratios = [round(off / on, 4) for off, on in zip(times["off"], times["on"])]
    return {name: round(statistics.median(each), 3) for name, each in times.items()} | {"taken": taken, "ratios": ratios}


def are_same(results, others):
    return all(torch.equal(a, b) and a.stride() == b.stride() for a, b in zip(results, others))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    device, rounds = options.device, options.rounds
    torch.set_num_threads(options.threads)

    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "cornerturn": cornerturn.__version__}
    result = provenance.of_run(library, versions)
    result |= {"device": device, "processor": provenance.processor(), "threads": options.threads, "load": os.getloadavg()[0],
               "command": " ".join(sys.argv), "images": IMAGES[device], "taken": {}, "models": {}}
    if device == "cuda":
        result["gpu"] = torch.cuda.get_device_name()

    for name, (shape, axes, dtype, result_dtype) in TAKEN.items():
        source = torch.zeros(shape, dtype=dtype, device=device).permute(axes)
        to = torch.empty(source.shape, dtype=result_dtype, device=device)
        result["taken"][name] = medians(lambda: to.copy_(source), device, 3, rounds)
    for name, make in torch_models.MODELS.items():
        run = torch_models.step(make, device, *IMAGES[device])
        cornerturn.torch.disable()
        with torch_models.repeatable():
            off, again = run(), run()
            with cornerturn.torch.enable():
                on = run()
        result["models"][name] = medians(run, device, 1, rounds) | {"same bits": are_same(off, on), "repeatable": are_same(off, again)}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
