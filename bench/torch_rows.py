#!/usr/bin/env python3
"""Times copies of rows on the CPU by PyTorch and by cornerturn, whatever the rule of cornerturn.torch.enable says of them. Prints JSON.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/torch_rows.py [--threads N] [--rounds N]

"heads" exchanges tokens and heads, whose rows change their order; "slices" are the left halves of rows. Each of a case's ratios is
PyTorch's time over cornerturn's in one round, and "verdict" is the rule's. Times are those that the processors have given to all threads,
so that other programs count less; PyTorch's threads do not spin while they wait.
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
import torch  # noqa: E402
from cornerturn import _cornerturn  # noqa: E402

import provenance  # noqa: E402

MIB = 1 << 20
ROWS = ((64, torch.bfloat16), (128, torch.bfloat16), (160, torch.bfloat16), (256, torch.bfloat16), (256, torch.float32),
        (512, torch.float32), (2048, torch.float32), (16384, torch.float32))  # bytes of a row, and its dtype
SIZES = (.25, 1, 4, 8, 16, 32, 64)  # MiB
HEADS = 16


def heads(rows, row, dtype):
    return torch.zeros(1, rows // HEADS, HEADS, row, dtype=dtype).transpose(1, 2)


def slices(rows, row, dtype):
    return torch.zeros(rows, 2 * row, dtype=dtype)[:, :row]


def seconds(call, calls):
    begin = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - begin) / calls


def case(make, size, row_bytes, dtype, threads, rounds):
    rows = int(size * MIB) // (row_bytes * HEADS) * HEADS
    source = make(rows, row_bytes // dtype.itemsize, dtype)
    to = torch.empty(source.shape, dtype=dtype)
    calls = max(1, int(4 / size))
    both = lambda: to.copy_(source), lambda: cornerturn.copy(source, to, threads=threads)
    times = [[seconds(call, calls) for call in both] for _ in range(rounds + 1)][1:]
    medians = [round(1e6 * statistics.median(each), 1) for each in zip(*times)]
    verdict = _cornerturn._judge_torch_copy("cpu", source.shape, source.stride(), to.stride(), *2 * [str(dtype).removeprefix("torch.")],
                                            threads)
    return {"case": make.__name__, "MiB": size, "row_bytes": row_bytes, "dtype": str(dtype), "threads": threads, "torch_us": medians[0],
            "cornerturn_us": medians[1], "ratio": round(statistics.median(a / b for a, b in times), 3),
            "ratios": [round(a / b, 3) for a, b in times], "verdict": verdict}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    result = provenance.of_run(library, {"python": sys.version.split()[0], "torch": torch.__version__,
                                         "cornerturn": cornerturn.__version__})
    result |= {"processor": provenance.processor(), "cpus": os.cpu_count(), "load": os.getloadavg()[0], "command": " ".join(sys.argv),
               "cases": []}
    for threads in options.threads:
        torch.set_num_threads(threads)
        for make in (heads, slices):
            for row_bytes, dtype in ROWS:
                for size in SIZES:
                    result["cases"].append(case(make, size, row_bytes, dtype, threads, options.rounds))
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
