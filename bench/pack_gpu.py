#!/usr/bin/env python3
"""Times packing and unpacking of one of two ranks on a GPU, beside cornerturn.permute of the same boxes. Writes JSON.

    PYTHONPATH=build/gpu/python python3 bench/pack_gpu.py --out h200-ranks-boxes.json.gz

The rank is alone on its GPU. Rounds are interleaved, every second one in reverse; a time is the median of the rounds, and launches are
enqueued before the GPU begins with them. Both ways must give the same bits. With --tiny the arrays have kilobytes.
"""

import argparse
import json
import pathlib
import statistics
import sys

import provenance
import run_files
from distributed_cpu import RANKS, TINY, cases

DTYPES = {"f4": "float32", "i2": "int16", "c8": "complex64"}
BUSY = 2_000_000  # cycles for which the GPU is busy while launches are enqueued


def ways_of(torch, case):
    """The ways by name, and pairs of tensors that they must make equal."""
    import cornerturn
    from cornerturn._cornerturn import _RankPlan
    dtype = getattr(torch, DTYPES[case.dtype])
    x = torch.randint(0, 256, (*case.source_shape, dtype.itemsize), dtype=torch.uint8, device="cuda").view(dtype).squeeze(-1)
    out = torch.zeros(case.destination_shape, dtype=dtype, device="cuda")
    plan = _RankPlan(case.shape, case.axes, ([RANKS], [case.source], []), ([RANKS], [case.destination], []), x.itemsize, 0)
    message = torch.empty(max(plan.send_bytes, plan.receive_bytes), dtype=torch.uint8, device="cuda")
    packed = torch.empty([case.box_shape[axis] for axis in case.axes], dtype=dtype, device="cuda")
    unpacked = torch.zeros_like(out)
    sent, same = x[case.box("source", 1)], range(x.ndim)
    wanted, received = message.view(dtype).view(packed.shape), unpacked[case.box("destination", 1)]
    return ({"pack": lambda: plan.pack(0, x, message, 0),
             "permute of what is packed": lambda: cornerturn.permute(sent, case.axes, out=packed),
             "unpack": lambda: plan.unpack(0, message, out, 0),
             "permute of what is unpacked": lambda: cornerturn.permute(packed, same, out=received)},
            [(wanted, packed), (out, unpacked)])


def measure(torch, case, rounds):
    ways, pairs = ways_of(torch, case)
    for work in ways.values():
        work()
    assert all(torch.equal(made.view(torch.uint8), wanted.view(torch.uint8)) for made, wanted in pairs), case.name
    times = {name: [] for name in ways}
    for number in range(rounds):
        for name, work in sorted(ways.items(), reverse=bool(number % 2)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(BUSY)
            begin.record()
            work()
            end.record()
            end.synchronize()
            times[name].append(begin.elapsed_time(end))
    return {"case": case.name, "ways": {name: {"ms": round(statistics.median(each), 4)} for name, each in times.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the file that is written")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--tiny", action="store_true", help="arrays of kilobytes, in seconds")
    options = parser.parse_args()
    import cornerturn
    import torch
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "cornerturn": cornerturn.__version__}
    result = provenance.of_run(library, versions) | {"gpu": torch.cuda.get_device_name(), "rounds": options.rounds, "cases": []}
    for case in cases(*TINY if options.tiny else (46080, 1024, 131072)):
        result["cases"].append(measure(torch, case, options.rounds))
        print(json.dumps(result["cases"][-1]), flush=True)
        run_files.write(options.out, result)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
