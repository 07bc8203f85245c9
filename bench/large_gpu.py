#!/usr/bin/env python3
"""Times transposes of arrays that nearly fill an H200's memory, beside a copy of the same bytes. Writes JSON.

    PYTHONPATH=build/gpu/python python3 bench/large_gpu.py --out h200-large.json.gz

Arrays have elements of 4 bytes. Out of place, source and destination together fill the GPU; in place, one array does, and the copy is
one of its first half to its second, whose time counts twice. Each time is the median of the rounds. A million elements at random
places, and parts of three rows, are compared with what the transpose puts there. With --tiny the arrays have megabytes.
"""

import argparse
import json
import pathlib
import statistics
import sys

import provenance
import run_files

LARGE = {"out of place": [(126976, 131072), (99991, 160001), (2000000011, 8)],
         "in place": [(163840, 163840), (174080, 174080), (131072, 229376)]}
TINY = {"out of place": [(1000, 2000)], "in place": [(1000, 1000), (1000, 2000)]}
VALUES, CHUNK, CHECKED = 2**31 - 1, 1 << 28, 1_000_000


def milliseconds(torch, work, rounds):
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def fill(torch, x):
    """Sets each element to its index modulo VALUES."""
    flat = x.view(-1)
    for first in range(0, flat.numel(), CHUNK):
        end = min(first + CHUNK, flat.numel())
        flat[first:end] = (torch.arange(first, end, device="cuda") % VALUES).int()


def is_transposed(torch, y, rows, columns):
    """True if y, of columns x rows, has the transpose of an array that `fill` filled wherever it is compared."""
    i = torch.randint(0, rows, (CHECKED,), device="cuda")
    j = torch.randint(0, columns, (CHECKED,), device="cuda")
    right = torch.equal(y[j, i], (i * columns + j).remainder(VALUES).int())
    for row in (0, columns // 2, columns - 1):
        first = torch.arange(min(rows, CHUNK), device="cuda")
        right = right and torch.equal(y[row, :len(first)], (first * columns + row).remainder(VALUES).int())
    return right


def measure(torch, way, rows, columns, rounds):
    import cornerturn
    x = torch.empty((rows, columns), dtype=torch.int32, device="cuda")
    fill(torch, x)
    if way == "in place":
        right = is_transposed(torch, cornerturn.transpose_inplace(x), rows, columns)
        time = milliseconds(torch, lambda: cornerturn.transpose_inplace(x), rounds)
        first, second = x.view(2, -1)
        copy = 2 * milliseconds(torch, lambda: second.copy_(first), rounds)
    else:
        y = torch.empty((columns, rows), dtype=torch.int32, device="cuda")
        cornerturn.permute(x, (1, 0), out=y)
        right = is_transposed(torch, y, rows, columns)
        time = milliseconds(torch, lambda: cornerturn.permute(x, (1, 0), out=y), rounds)
        copy = milliseconds(torch, lambda: y.view(-1).copy_(x.view(-1)), rounds)
    return {"way": way, "shape": [rows, columns], "bytes": x.nbytes, "right": right, "copy_ms": round(copy, 3), "ms": round(time, 3),
            "ratio": round(copy / time, 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the file that is written")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tiny", action="store_true", help="arrays of megabytes, in seconds")
    options = parser.parse_args()
    import cornerturn
    import torch
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "cornerturn": cornerturn.__version__}
    result = provenance.of_run(library, versions) | {"gpu": torch.cuda.get_device_name(), "rounds": options.rounds, "cases": []}
    for way, shapes in (TINY if options.tiny else LARGE).items():
        for rows, columns in shapes:
            result["cases"].append(measure(torch, way, rows, columns, options.rounds))
            print(json.dumps(result["cases"][-1]), flush=True)
            run_files.write(options.out, result)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
