"""A rank of test_distributed.py, a process of its own: CASE, folder of the job, rank, ranks, timeout in seconds."""

import datetime
import os
import pathlib
import signal
import sys
import tempfile

import cornerturn
import cornerturn._groups
import cornerturn._peers
import cornerturn.distributed
import numpy as np
import torch
import torch.distributed as dist
from cornerturn.distributed import PeerPlan, Sharding, permute, permute_blocks

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
from changes import CHANGES, bits, random_change
from shardings import block_of, random_permutation

DTYPES = [torch.uint8, torch.bfloat16, torch.float32, torch.float64, torch.complex128, torch.bool]


def numbered(shape, dtype):
    return torch.arange(1, 1 + int(np.prod(shape))).reshape(shape).to(dtype)


def moved(group, seeds=25):
    """Moves random arrays over a group, as tensors and as NumPy's arrays, to new arrays and to those of the caller."""
    rank, ranks = dist.get_rank(group), dist.get_world_size(group)
    for seed in range(seeds):
        shape, axes, source, destination = random_permutation(seed, ranks)
        whole = numbered(shape, DTYPES[seed % len(DTYPES)])
        x, wanted = block_of(whole, source, rank), block_of(whole.permute(axes), destination, rank)
        arguments = {"shape": shape, "source": source, "destination": destination, "group": group}
        assert torch.equal(permute(x, axes, **arguments), wanted), (seed, "a new tensor")
        out = torch.empty(wanted.shape, dtype=wanted.dtype)
        assert permute(x.contiguous(), axes, out=out, **arguments) is out and torch.equal(out, wanted), (seed, "out")
        if whole.dtype != torch.bfloat16:
            array = x.numpy() if seed % 2 else x.numpy().copy()
            array.flags.writeable = False
            made = permute(array, axes, **arguments)
            assert type(made) is np.ndarray and np.array_equal(made, wanted.numpy()), (seed, "an array of NumPy")


def every_group():
    for size in range(1, dist.get_world_size() + 1):
        group = dist.new_group(list(range(size)))
        if dist.get_rank() < size:
            moved(group, 25 if size in (2, 3, dist.get_world_size()) else 8)
    last_two = dist.new_group([dist.get_world_size() - 1, 0])  # whose ranks are not the group's numbers
    if dist.get_rank() in (0, dist.get_world_size() - 1):
        moved(last_two)


def as_nccl():
    """Lets groups do what they do with NCCL, as far as host memory can: they agree by another group, batches have one work."""
    class Group(cornerturn._groups.TorchGroup):
        def __init__(self, group, members=None):
            super().__init__(group, members)
            self._kinds, self.device = ["cuda"], None

        def start(self, messages):
            started = super().start(messages)
            return [lambda: [wait() for wait in started]]

    cornerturn._groups.TorchGroup = Group
    cornerturn.distributed.is_on_gpu = cornerturn._peers.is_on_gpu = lambda _: True


def batched():
    """Starts messages in batches, as for NCCL."""
    as_nccl()
    moved(None)
    ranks = dist.get_world_size()
    group = dist.new_group([ranks - 1, 1])
    if dist.get_rank() in (1, ranks - 1):
        moved(group)


def pieces():
    """Sends a message of 256 MiB in two pieces, as for NCCL."""
    as_nccl()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    started, start = [], cornerturn._groups.TorchGroup.start
    cornerturn._groups.TorchGroup.start = lambda self, messages: started.append(len(messages)) or start(self, messages)
    whole = numbered((16384, 8192), torch.int64)
    rows = Sharding((ranks,), (0,))
    made = permute(block_of(whole, rows, rank), (1, 0), shape=whole.shape, source=rows, destination=rows)
    assert torch.equal(made, block_of(whole.T, rows, rank))
    assert started == [2, 2]  # in each batch a piece in both directions


def changed():
    """Changes elements on the way, as permute does with the whole array, and sends those of the smaller type."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for seed in range(4 * len(CHANGES)):
        whole, axes, arguments, before, wanted = random_change(seed, ranks)
        source, destination = arguments["source"], arguments["destination"]
        x, part = block_of(whole, source, rank), block_of(wanted, destination, rank)
        out = block_of(before, destination, rank).clone()
        assert permute(x, axes, out=out, **arguments) is out and torch.equal(bits(out), bits(part)), seed
        blocks = [block_of(whole, source, each) for each in range(ranks)]
        outs = [block_of(before, destination, each).clone() for each in range(ranks)]
        permute_blocks(blocks, axes, out=outs, **arguments)
        assert torch.equal(bits(outs[rank]), bits(out)), seed
        if "beta" not in arguments:
            made = permute(x, axes, **arguments)
            assert made.dtype == wanted.dtype and torch.equal(bits(made), bits(out)), seed
            if not {torch.bfloat16, torch.float8_e4m3fn} & {whole.dtype, wanted.dtype}:  # NumPy has no such types
                made = permute(x.contiguous().numpy(), axes, **arguments)
                assert type(made) is np.ndarray and made.tobytes() == out.numpy().tobytes(), seed

    sent, start = [], cornerturn._groups.TorchGroup.start
    cornerturn._groups.TorchGroup.start = lambda self, messages: sent.extend(
        each.data.numel() for each in messages if each.is_send) or start(self, messages)
    rows = Sharding((ranks,), (0,))
    for dtype, change in ((torch.float32, {"dtype": "bfloat16"}), (torch.bfloat16, {"dtype": "float32"}), (torch.float32, {})):
        permute(torch.zeros((8, 8 * ranks), dtype=dtype), (1, 0), shape=(8 * ranks, 8 * ranks), source=rows, destination=rows, **change)
    assert sent == [128] * (ranks - 1) * 2 + [256] * (ranks - 1), sent


def shared_tensor(shape, dtype):
    """A tensor in a file, which other processes open by its path."""
    count = int(np.prod(shape))
    path = tempfile.mkstemp(dir=folder)[1]
    os.truncate(path, 64 + count * dtype.itemsize)
    tensor = torch.from_file(path, shared=True, size=count, dtype=dtype).reshape(shape)
    tensor.path = path
    return tensor


def by_files():
    """Plans of peers share files in place of GPU memory."""
    as_nccl()
    cornerturn._peers._shared = lambda out: (out.path, tuple(out.shape), out.dtype)

    def opened(shared, _):
        path, shape, dtype = shared
        return torch.from_file(path, shared=True, size=int(np.prod(shape)), dtype=dtype).reshape(shape)

    cornerturn._peers._opened = opened


def peers():
    """Writes into the blocks of peers."""
    by_files()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for seed in range(25):
        shape, axes, source, destination = random_permutation(seed, ranks)
        dtype = DTYPES[seed % len(DTYPES)]
        whole = numbered(shape, dtype)
        wanted = block_of(whole.permute(axes), destination, rank)
        out = shared_tensor(wanted.shape, dtype)
        plan = PeerPlan(out, axes, shape=shape, source=source, destination=destination)
        for _ in range(2):
            dist.barrier()
            out.fill_(3)
            assert plan(block_of(whole, source, rank)) is out and torch.equal(out, wanted), seed


def peer_errors():
    """Prints what making and calling plans of peers raises."""
    by_files()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    rows = Sharding((ranks,), (0,))

    def plan_of(out, **changes):
        return PeerPlan(out, (1, 0), **{"shape": (4 * ranks, 3 * ranks), "source": rows, "destination": rows, **changes})

    def say(call):
        try:
            call()
            print("nothing")
        except Exception as error:
            print(f"{type(error).__name__}: {error}")

    out = shared_tensor((3, 4 * ranks), torch.float32)
    say(lambda: plan_of(out if rank != 1 else out[:2]))
    say(lambda: plan_of(out, destination=Sharding((ranks,), (0,), {0: [3] * ranks} if rank else None)))
    plan = plan_of(out)
    say(lambda: plan(torch.zeros(4, 3 * ranks - (rank == 2))))
    say(lambda: plan(torch.zeros(4, 3 * ranks)))
    say(lambda: plan(torch.zeros(4, 3 * ranks)) if rank else plan_of(out))
    say(lambda: plan_of(out) if rank else permute(torch.zeros(4, 3 * ranks), (1, 0), shape=(4 * ranks, 3 * ranks), source=rows,
                                                  destination=rows))
    machine = cornerturn._peers._machine()
    cornerturn._peers._machine = lambda: ("north", 1) if rank == 1 else ("south", 2)
    say(lambda: plan_of(out))
    cornerturn._peers._machine = lambda: machine

    def closed(*_):
        raise RuntimeError("invalid device context\nCUDA kernel errors might be reported later.")

    if rank == 0:
        cornerturn._peers._opened = closed
    say(lambda: plan_of(out))


def large():
    """Blocks of some megabytes, which are packed on several threads while others are on their way."""
    ranks, rank = dist.get_world_size(), dist.get_rank()
    whole = numbered((600, 700, 9), torch.float64)
    rows, columns = Sharding((ranks,), (0,)), Sharding((ranks,), (1,))
    made = permute(block_of(whole, rows, rank), (2, 1, 0), shape=whole.shape, source=rows, destination=columns)
    assert torch.equal(made, block_of(whole.permute(2, 1, 0), columns, rank))


def error_of(**changes):
    """What a call raises that differs on rank 1."""
    ranks, rank = dist.get_world_size(), dist.get_rank()
    rows = Sharding((ranks,), (0,))
    call = {"x_local": torch.zeros(4, 3), "axes": (1, 0), "shape": (4 * ranks, 3), "source": rows, "destination": Sharding((ranks,), (1,))}
    try:
        permute(**{**call, **(changes if rank == 1 else {})})
        return "nothing"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def errors():
    """Prints what each call raises."""
    ranks = dist.get_world_size()
    print(error_of())
    print(error_of(shape=(4 * ranks, 3, 1), axes=(1, 0, 2), x_local=torch.zeros(4, 3, 1)))
    print(error_of(destination=Sharding((ranks,), (1,), {1: (4 * ranks, *[0] * (ranks - 1))})))
    print(error_of(axes=(0, 1), destination=Sharding((ranks,), (0,))))
    print(error_of(x_local=torch.zeros(4, 3, dtype=torch.float64)))
    print(error_of(x_local=torch.zeros(4, 2)))
    print(error_of(x_local="x"))
    print(error_of(axes=(0, 0)))
    print(error_of(axes=1))
    print(error_of(source=Sharding((2 * ranks,), (0,))))
    print(error_of(source=Sharding((ranks,), (2,))))
    print(error_of(source=3))
    print(error_of(out=torch.zeros(3, 2)))
    print(error_of(out=torch.zeros(3, 4, requires_grad=True)).partition("\n")[0][:40])
    print(error_of(threads=-1))
    print(error_of(dtype="float16"))
    print(error_of(alpha=1j))
    print(error_of(beta=2))
    print(error_of(dtype="str"))
    print(error_of(dtype="float16", out=torch.zeros(3, 4)))
    print(error_of())


def mixed():
    """Prints what a call raises whose array is on a GPU on one rank only, in a group that sends the memory of both."""
    as_nccl()
    if dist.get_rank() == 1:
        cornerturn.distributed._kind_of_device = lambda _: "cuda"
    print(error_of())


def killed():
    """Rank 1 ends in the middle of a call, after the ranks have agreed; the others say whether they failed."""
    def end(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    if dist.get_rank() == 1:
        cornerturn.distributed._exchange = end
    try:
        error_of_call = None
        ranks = dist.get_world_size()
        permute(torch.zeros(4, 3), (1, 0), shape=(4 * ranks, 3), source=Sharding((ranks,), (0,)), destination=Sharding((ranks,), (0,)))
    except RuntimeError as error:
        error_of_call = error
    print("failed" if error_of_call else "nothing", flush=True)
    os._exit(0)


def absent():
    """Rank 1 does not call, so that the timeout ends the calls of the others. The end of the test ends it."""
    if dist.get_rank() == 1:
        signal.pause()
    killed()


def end_groups():
    """Ends all groups, and expects that nothing keeps one. A thread of Gloo that outlives its group may ask for the GIL when the
    interpreter ends, and the process then aborts."""
    dist.barrier()
    dist.destroy_process_group()
    names = [path.read_text().strip() for path in pathlib.Path("/proc/self/task").glob("*/comm")]
    assert not [name for name in names if "gloo" in name], names


case, folder, rank, ranks, timeout = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks, timeout=datetime.timedelta(seconds=timeout))
{each.__name__: each for each in (every_group, batched, pieces, changed, peers, peer_errors, large, errors, mixed, killed,
                                      absent)}[case]()
end_groups()
