#!/usr/bin/env python3
"""Times training steps of ten models without and with cornerturn.torch.enable, interleaved in one process.

    PYTHONPATH=build/gpu/python python3 bench/torch_steps.py --device cuda --json bench/results/h200-torch-models.json.gz

A step is forward, backward and SGD of the models of bench/torch_zoo.py, with random weights, on a GPU with autocast to bfloat16. A round has one step
of each kind in an order that is drawn. "ms" and "ratio", of on to off in a round, are medians with the interval that has the median in 19
of 20 cases. "copies_us" is what the profiler gives to PyTorch's copies and to our kernels in one step, "gpu_ms" to all kernels on a GPU,
each the median of a few steps. Models whose package is missing are named in "absent".
"""

import argparse
import gc
import os
import pathlib
import random
import re
import statistics
import sys
import time

import cornerturn
import cornerturn.torch
import torch

import provenance
import run_files
import torch_zoo
from arena_programs import interval

WARM, PROFILED = 3, 3
COPIES = {"cpu": re.compile("aten::copy_$"), "cuda": re.compile("copy_kernel|Memcpy DtoD|cornerturn")}


def training_step(model, source, device):
    """A function that runs one step to its end."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def step():
        optimizer.zero_grad()
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            result = model(source)
        (result if isinstance(result, torch.Tensor) else result[0]).float().square().mean().backward()
        optimizer.step()
        if device == "cuda":
            torch.cuda.synchronize()

    return step


def milliseconds(step):
    begin = time.perf_counter()
    step()
    return 1e3 * (time.perf_counter() - begin)


def times_of(events, device):
    """Microseconds of the copies, and milliseconds of everything on a GPU, among a profiler's events."""
    on_device = [(event.name, event.time_range.elapsed_us()) for event in events if event.device_type.name == device.upper()]
    copies = sum(us for name, us in on_device if COPIES[device].search(name))
    return {"copies_us": copies} | ({"gpu_ms": sum(us for _, us in on_device) / 1e3} if device == "cuda" else {})


def profiled(step, device):
    with torch.profiler.profile(activities=[getattr(torch.profiler.ProfilerActivity, device.upper())], acc_events=True) as profile:
        step()
    return times_of(profile.events(), device)


def rounds_of(measure, count, order):
    """What `measure` returns in each round, off and on."""
    found = {"off": [], "on": []}
    for _ in range(count):
        for way in order.sample(["off", "on"], 2):
            (cornerturn.torch.enable if way == "on" else cornerturn.torch.disable)()
            found[way].append(measure())
    return found


def measured(step, device, rounds):
    order = random.Random(0)
    rounds_of(step, min(WARM, rounds), order)
    cornerturn.torch.disable()
    with cornerturn.torch.enable():
        step()
        report = cornerturn.torch.report()
    gc.collect()
    gc.disable()
    times = rounds_of(lambda: milliseconds(step), rounds, order)
    gc.enable()
    profiles = rounds_of(lambda: profiled(step, device), min(PROFILED, rounds), order)
    return {"ms": {way: interval(each) for way, each in times.items()},
            "ratio": interval([on / off for off, on in zip(times["off"], times["on"])]),
            "taken": report.taken[device], "left": sum(report.left[device].values()),
            **{key: {way: statistics.median(each[key] for each in of) for way, of in profiles.items()} for key in profiles["off"][0]}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--tiny", action="store_true", help="small batches, to try the script")
    parser.add_argument("--json", type=pathlib.Path, required=True, help="file for the results, rewritten after each model")
    options = parser.parse_args()
    device = options.device

    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "cornerturn": cornerturn.__version__}
    run = provenance.of_run(library, versions)
    run |= {"device": torch.cuda.get_device_name() if device == "cuda" else device, "card": provenance.card(), "processor":
            provenance.processor(), "load": os.getloadavg()[0], "command": " ".join(sys.argv), "absent": {}, "models": {}}
    for name, case in torch_zoo.CASES.items():
        try:
            model, source = case.built(device, options.tiny)
        except ImportError as problem:
            run["absent"][name] = str(problem)
            continue
        versions[case.package] = sys.modules[case.package].__version__
        row = {"input": list(source.shape)} | measured(training_step(model, source, device), device, options.rounds)
        run["models"][name] = row
        run_files.write(options.json, run)
        print(f"{name:25} {row['ms']['off'][0]:8.2f} ms, on to off " + "{:.3f} ({:.3f} to {:.3f})".format(*row["ratio"]) +
              f", copies {row['copies_us']['off']:.0f} and {row['copies_us']['on']:.0f} us, {row['taken']} taken", flush=True)
        del model, source, row
        gc.collect()
    run_files.write(options.json, run)


if __name__ == "__main__":
    main()
