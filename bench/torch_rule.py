#!/usr/bin/env python3
"""Times copies by PyTorch and by cornerturn, whatever the rule of cornerturn.torch.enable says of them. Prints JSON.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/torch_rule.py [--device D] [--threads N ...] [--clock C]

"heads" exchanges tokens and heads, whose rows change their order; "slices" are the left halves of rows; "squares" are transposed, "pixels"
become planes, and "gaps" are every second element. "converted" squares of bytes become other types. Each of a case's ratios is PyTorch's
time over cornerturn's in one round, by the clock or, so that other programs count less, by the time that the processors have given to all
threads; "verdict" is the rule's. A copy that it takes runs as PyTorch's own, disabled and enabled; one that it leaves runs as
cornerturn.copy, too. PyTorch's threads do not spin while they wait. On a GPU a call counts as well as its copy.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

os.environ["OMP_WAIT_POLICY"] = "passive"

import cornerturn  # noqa: E402
import cornerturn.torch  # noqa: E402
import torch  # noqa: E402
from cornerturn import _cornerturn  # noqa: E402

import provenance  # noqa: E402

MIB = 1 << 20
SIZES = {"cpu": (1 / 64, .2, 1, 3.5, 6, 16, 64), "cuda": (1 / 15, .25, 1, 4, 16, 64)}  # MiB
HEADS = 16
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
BY_BYTES = {1: torch.uint8, 2: torch.bfloat16, 4: torch.float32, 8: torch.float64, 16: torch.complex128}
ROWS = [(64, 2), (160, 2), (256, 4), (512, 8), (2048, 4), (16384, 4)]  # bytes of a row and of an element


def heads(count, row, dtype):
    return torch.zeros(1, count // row // HEADS, HEADS, row, dtype=dtype).transpose(1, 2)


def slices(count, row, dtype):
    return torch.zeros(count // row, 2 * row, dtype=dtype)[:, :row]


def squares(count, _, dtype):
    side = int(count ** .5)
    return torch.zeros(side, side, dtype=dtype).t()


def pixels(count, channels, dtype):
    return torch.zeros(count // channels, channels, dtype=dtype).t()


def gaps(count, row, dtype):
    return torch.zeros(count // row, 2 * row, dtype=dtype)[:, ::2]


# a maker, its second argument, and the dtypes of source and destination
KINDS = [(make, row // of, BY_BYTES[of], BY_BYTES[of]) for make in (heads, slices) for row, of in ROWS]
KINDS += [(squares, 0, dtype, dtype) for dtype in BY_BYTES.values()]
KINDS += [(pixels, 3, BY_BYTES[of], BY_BYTES[of]) for of in (1, 2, 4)] + [(gaps, 1024, BY_BYTES[of], BY_BYTES[of]) for of in (1, 2, 4, 8)]
KINDS += [(squares, 0, torch.uint8, dtype) for dtype in (torch.bfloat16, torch.float32)]


def seconds(call, calls, clock, device):
    begin = clock()
    for _ in range(calls):
        call()
    if device == "cuda":
        torch.cuda.synchronize()
    return (clock() - begin) / calls


def sides(kind, size):
    """The source and the destination of a case, on PyTorch's default device."""
    make, row, dtype, result_dtype = kind
    source = make(int(size * MIB) // result_dtype.itemsize, row, dtype)
    return source, torch.empty(source.shape, dtype=result_dtype)


def cases_of(device, most):
    """Kinds and sizes of up to so many MiB. The longest rows have no 16 heads in the smallest ones."""
    with torch.device("meta"):
        return [(kind, size) for kind in KINDS for size in SIZES[device] if size <= most and sides(kind, size)[1].numel()]


def judged(source, to, device):
    """What the rule says of a copy on a device."""
    dtypes = [str(each.dtype).removeprefix("torch.") for each in (source, to)]
    return _cornerturn._judge_torch_copy(device, source.shape, source.stride(), to.stride(), *dtypes)


def case(kind, size, device, threads, rounds, clock):
    with torch.device(device):
        source, to = sides(kind, size)
    verdict = judged(source, to, device)
    given = {"threads": threads} if device == "cpu" else {}
    theirs = lambda: to.copy_(source)
    ours = theirs if verdict == "taken" else lambda: cornerturn.copy(source, to, **given)
    calls = max(1, int(4 / size)) if device == "cpu" else 50
    times = []
    for _ in range(rounds + 1):  # the first one warms up
        cornerturn.torch.disable()
        off = seconds(theirs, calls, clock, device)
        cornerturn.torch.enable()
        times.append((off, seconds(ours, calls, clock, device)))
    del times[0]
    medians = [round(1e6 * statistics.median(each), 1) for each in zip(*times)]
    make, row, *dtypes = kind
    return {"case": make.__name__ if source.dtype == to.dtype else "converted", "MiB": round(size, 3), "row": row,
            "dtypes": [str(each).removeprefix("torch.") for each in dtypes], "threads": threads, "torch_us": medians[0], "cornerturn_us": medians[1],
            "ratio": round(statistics.median(a / b for a, b in times), 3), "ratios": [round(a / b, 3) for a, b in times], "verdict": verdict}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=SIZES, default="cpu")
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--most", type=float, default=64, help="MiB of the largest copies")
    options = parser.parse_args()
    device = options.device
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    result = provenance.of_run(library, {"python": sys.version.split()[0], "torch": torch.__version__,
                                         "cornerturn": cornerturn.__version__})
    result |= {"device": torch.cuda.get_device_name() if device == "cuda" else f"{os.cpu_count()} cores", "processor":
               provenance.processor(), "load": os.getloadavg()[0], "command": " ".join(sys.argv), "cases": []}
    for threads in options.threads:
        torch.set_num_threads(threads)
        result["cases"] += [case(*each, device, threads, options.rounds, CLOCKS[options.clock]) for each in cases_of(device, options.most)]
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
