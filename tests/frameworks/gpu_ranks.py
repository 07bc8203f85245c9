"""Ranks of `cornerturn.distributed` on the GPUs of this machine, of which one suffices: python gpu_ranks.py runs all cases, each with
processes of its own, and prints what each takes. test_distributed_gpu.py runs them one by one."""

import contextlib
import datetime
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torch.distributed as dist
from cornerturn.distributed import PeerPlan, Sharding, permute, permute_blocks

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
from changes import CHANGES, bits, random_change  # noqa: E402
from shardings import block_of, random_permutation  # noqa: E402

DTENSOR = pathlib.Path(__file__).with_name("dtensor_ranks.py")
DTYPES = [torch.uint8, torch.bfloat16, torch.float32, torch.float64, torch.complex128, torch.bool]
CYCLES = 20_000_000  # about 10 ms
TIMEOUT = 60  # seconds until a rank that waits for a peer fails


def numbered(shape, dtype, device):
    return torch.arange(1, 1 + int(np.prod(shape)), device=device).reshape(shape).to(dtype)


def large(ranks, rows=2048):
    """Rows of a matrix over ranks, to columns."""
    divided = Sharding((ranks,), (0,))
    return (rows * ranks, 3001), (1, 0), divided, divided


def descriptions(ranks, count):
    return [(large(ranks), torch.float32)] + [(random_permutation(seed, ranks), DTYPES[seed % len(DTYPES)]) for seed in range(count)]


def blocks():
    """One process has the blocks of 1 to 6 ranks, on all GPUs by turns."""
    devices = torch.cuda.device_count()
    for ranks in range(1, 7):
        for (shape, axes, source, destination), dtype in descriptions(ranks, 20):
            whole = numbered(shape, dtype, "cpu")
            arguments = {"shape": shape, "source": source, "destination": destination}
            x = [block_of(whole, source, rank).to(f"cuda:{rank % devices}") for rank in range(ranks)]
            torch.cuda._sleep(CYCLES // 20)
            made = permute_blocks(x, axes, **arguments)
            assert permute_blocks(x, axes, out=made, **arguments) is made
            for rank, each in enumerate(made):
                assert torch.equal(each.cpu(), block_of(whole.permute(axes), destination, rank)), (ranks, shape, axes, rank)


def ordered_blocks():
    """Work on the current streams of all GPUs is ordered with the call, though the stream of one GPU is late."""
    devices = [torch.device("cuda", rank % torch.cuda.device_count()) for rank in range(2)]
    rows = Sharding((2,), (0,))
    x = [torch.zeros(1024, 2048, device=device) for device in devices]
    out = [torch.zeros(1024, 2048, device=device) for device in devices]
    streams = {device: torch.cuda.Stream(device) for device in devices}
    for device in devices:
        torch.cuda.synchronize(device)
    with contextlib.ExitStack() as current:
        for stream in streams.values():
            current.enter_context(torch.cuda.stream(stream))
        with torch.cuda.device(devices[0]):
            torch.cuda._sleep(CYCLES)
        for each in x:
            each.fill_(1)
        permute_blocks(x, (1, 0), shape=(2048, 2048), source=rows, destination=rows, out=out)
        found = [each.clone() for each in out]
        for each in (*out, *x):
            each.zero_()
    for device in devices:
        torch.cuda.synchronize(device)
    assert all(bool((each == 1).all()) for each in found)


def nccl():
    """Moves arrays by messages of NCCL, after which no call waits for the GPU. The last two are sent in pieces, if there are few ranks."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    in_pieces = [(large(ranks, rows), torch.float32) for rows in (65536, 131072)]
    for (shape, axes, source, destination), dtype in descriptions(ranks, 25) + in_pieces:
        whole = numbered(shape, dtype, "cuda")
        x, wanted = block_of(whole, source, rank), block_of(whole.permute(axes), destination, rank)
        arguments = {"shape": shape, "source": source, "destination": destination}
        assert torch.equal(permute(x, axes, **arguments), wanted), (shape, axes)
        out = torch.empty(wanted.shape, dtype=dtype, device="cuda")
        torch.cuda.set_sync_debug_mode("error")
        torch.cuda._sleep(CYCLES // 20)
        permute(x, axes, out=out, **arguments)
        torch.cuda.set_sync_debug_mode("default")
        assert torch.equal(out, wanted), (shape, axes)


def changed():
    """Changes elements on the way by messages of NCCL, those of a large matrix in batches."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for seed in range(4 * len(CHANGES)):
        whole, axes, arguments, before, wanted = random_change(seed, ranks, "cuda")
        x, part = block_of(whole, arguments["source"], rank), block_of(wanted, arguments["destination"], rank)
        out = block_of(before, arguments["destination"], rank).clone()
        assert permute(x, axes, out=out, **arguments) is out and torch.equal(bits(out), bits(part)), seed
        if "beta" not in arguments:
            made = permute(x, axes, **arguments)
            assert made.dtype == wanted.dtype and torch.equal(bits(made), bits(part)), seed
    for dtype, to in ((torch.float32, torch.bfloat16), (torch.bfloat16, torch.float32)):
        shape, axes, source, destination = large(ranks, 131072)
        whole = numbered(shape, dtype, "cuda")
        made = permute(block_of(whole, source, rank), axes, shape=shape, source=source, destination=destination, dtype=to)
        assert torch.equal(made, block_of(whole.permute(axes), destination, rank).to(to)), (dtype, to)


def changed_blocks():
    """Changes elements while GPUs write into the memory of others."""
    devices = torch.cuda.device_count()
    for seed in range(4 * len(CHANGES)):
        ranks = 1 + seed % 5
        whole, axes, arguments, before, wanted = random_change(seed, ranks, "cuda:0")
        x, out = ([block_of(each, arguments[side], rank).to(f"cuda:{rank % devices}", copy=True) for rank in range(ranks)]
                  for each, side in ((whole, "source"), (before, "destination")))
        out = [each.contiguous() for each in out]
        permute_blocks(x, axes, out=out, **arguments)
        for rank, each in enumerate(out):
            assert torch.equal(bits(each.cpu()), bits(block_of(wanted, arguments["destination"], rank).cpu())), (seed, rank)


def ipc():
    """Moves arrays by writing into the blocks of peers; readers of the last result and late writers of the source are waited for."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for (shape, axes, source, destination), dtype in descriptions(ranks, 12):
        whole = numbered(shape, dtype, "cuda")
        x, wanted = block_of(whole, source, rank).contiguous(), block_of(whole.permute(axes), destination, rank)
        out = torch.zeros(wanted.shape, dtype=dtype, device="cuda")
        plan = PeerPlan(out, axes, shape=shape, source=source, destination=destination)
        late = torch.zeros_like(x)
        for each in range(3):
            late.zero_()
            if rank == each % ranks:
                torch.cuda._sleep(CYCLES)
            late.copy_(x)
            assert plan(late) is out
            found = out.clone()
            out.zero_()
            assert torch.equal(found, wanted), (shape, axes)


def ipc_large():
    """Two plans at a time, on streams of their own, whose messages of more than 64 MiB share the buffers of the copy engines."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    rows, side = Sharding((ranks,), (0,)), 4200 * ranks
    arguments = {"shape": (side, side), "source": rows, "destination": rows}
    whole = [numbered((side, side), dtype, "cuda") for dtype in (torch.int32, torch.float32)]
    x = [block_of(each, rows, rank).contiguous() for each in whole]
    wanted = [block_of(each.T, rows, rank) for each in whole]
    out = [torch.zeros_like(each) for each in x]
    plans = [PeerPlan(each, (1, 0), **arguments) for each in out]
    streams = [torch.cuda.Stream() for _ in plans]
    torch.cuda.synchronize()
    for _ in range(3):
        for plan, stream, each in zip(plans, streams, x, strict=True):
            with torch.cuda.stream(stream):
                plan(each)
    for stream, each, found in zip(streams, wanted, out, strict=True):
        stream.synchronize()
        assert torch.equal(found, each)


def command(name, *arguments):
    """The command of a rank, of this script or of the one for DTensor."""
    script = [DTENSOR, name.removeprefix("dtensor_")] if name.startswith("dtensor_") else [__file__, "--rank", name]
    return [sys.executable, "-W", "ignore", *script, *arguments]


def main(named):
    """Runs the cases that are named, or all of them."""
    gpus = torch.cuda.device_count()
    if not gpus:
        sys.exit("gpu_ranks.py: there is no GPU")
    cases = {"blocks": (1, ""), "changed_blocks": (1, ""), "ordered_blocks": (1, ""), "nccl": (gpus, "nccl"), "changed": (gpus, "nccl"),
             "dtensor_moved": (gpus, "nccl"), "dtensor_derived": (gpus, "nccl"), "dtensor_not_arrived": (gpus, "nccl"),
             "ipc": (4, "gloo"), "ipc_nccl": (gpus, "nccl"), "ipc_large": (max(gpus, 2), "nccl" if gpus > 1 else "gloo")}
    for name in named or cases:
        begin = time.monotonic()
        ranks, backend = cases[name]
        with tempfile.TemporaryDirectory() as folder:
            started = [subprocess.Popen(command(name, folder, str(rank), str(ranks), str(TIMEOUT), backend)) for rank in range(ranks)]
            try:
                codes = [each.wait(timeout=100) for each in started]
            finally:
                for each in started:
                    each.kill()
        if any(codes):
            sys.exit(f"{name} failed")
        print(f"{name} passed: {ranks} processes, {time.monotonic() - begin:.1f} s", flush=True)


def run(name, folder, rank, ranks, timeout, backend):
    torch.cuda.set_device(rank % torch.cuda.device_count())
    if backend:
        dist.init_process_group(backend, init_method=f"file://{folder}/store", rank=rank, world_size=ranks,
                                timeout=datetime.timedelta(seconds=timeout))
    {"blocks": blocks, "changed_blocks": changed_blocks, "ordered_blocks": ordered_blocks, "nccl": nccl, "changed": changed, "ipc": ipc,
     "ipc_nccl": ipc, "ipc_large": ipc_large}[name]()
    torch.cuda.synchronize()
    if backend:
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        name, folder, *numbers, backend = sys.argv[2:]
        run(name, folder, *map(int, numbers), backend)
    else:
        main(sys.argv[1:])
