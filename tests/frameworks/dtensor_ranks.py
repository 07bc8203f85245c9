"""A rank of test_dtensor.py, a process of its own: CASE, folder of the job, rank, ranks, timeout in seconds, backend (default: gloo; with
nccl the tensors are on GPUs, one for each rank)."""

import datetime
import itertools
import os
import signal
import sys

import cornerturn.distributed
import numpy as np
import torch
import torch.distributed as dist
from cornerturn.torch.distributed import permute
from torch.distributed.tensor import DeviceMesh, DTensor, Partial, Replicate, Shard
from torch.distributed.tensor import distribute_tensor as distribute_from_one

BACKEND = (sys.argv[6:] or ["gloo"])[0]
DEVICE = "cuda" if BACKEND == "nccl" else "cpu"
DTYPES = [torch.uint8, torch.bfloat16, torch.float32, torch.float64, torch.complex128, torch.bool]


def numbered(shape, dtype=torch.float32):
    return torch.arange(1, 1 + int(np.prod(shape)), device=DEVICE).reshape(shape).to(dtype)


def distribute_tensor(whole, mesh, placements):
    """The tensor, which all ranks have, without messages."""
    return distribute_from_one(whole, mesh, placements, src_data_rank=None)


def expect_permuted(whole, mesh, source, axes, destination):
    """Permutes a tensor whose blocks follow `source`. The result must be that of PyTorch, with its shape, strides and blocks."""
    said = (whole.shape, source, axes, destination)
    made = permute(distribute_tensor(whole, mesh, source), axes, destination)
    wanted = distribute_tensor(whole.permute(axes).clone(memory_format=torch.contiguous_format), mesh, destination)
    assert type(made) is DTensor and made.device_mesh == mesh and made.placements == wanted.placements, said
    assert made.shape == wanted.shape and made.stride() == wanted.stride() and made.dtype == wanted.dtype, said
    assert made.to_local().shape == wanted.to_local().shape and torch.equal(made.to_local(), wanted.to_local()), said
    if whole.dtype is torch.float32:
        assert torch.equal(made.full_tensor(), wanted.full_tensor()), said


def placements_of(mesh, rank):
    one = [Replicate(), *(Shard(axis) for axis in range(rank))]
    return list(itertools.product(one, repeat=mesh.ndim))


def meshes():
    """Meshes with all ranks: of one dimension, of two, and of two whose ranks are not in order."""
    ranks = torch.arange(dist.get_world_size())
    result = [DeviceMesh(DEVICE, ranks), DeviceMesh(DEVICE, ranks.flip(0))]
    if len(ranks) % 2 == 0:
        result += [DeviceMesh(DEVICE, ranks.reshape(2, -1)), DeviceMesh(DEVICE, ranks.reshape(2, -1).T)]
    return result


def moved():
    """Every pair of placements of small arrays, uneven and with empty blocks, over every mesh."""
    for mesh in meshes():
        for shape, axes in (((7, 5), (1, 0)), ((1, 3), (1, 0)), ((0, 3), (0, 1)), ((4, 2, 3), (2, 0, 1))):
            all_placements = placements_of(mesh, len(shape))
            for number, (source, destination) in enumerate(itertools.product(all_placements, repeat=2)):
                if len(shape) == 2 or number % 5 == 0:
                    expect_permuted(numbered(shape, DTYPES[number % len(DTYPES)]), mesh, source, axes, destination)
        expect_permuted(torch.tensor(3.0, device=DEVICE), mesh, (Replicate(),) * mesh.ndim, (), (Replicate(),) * mesh.ndim)
        expect_permuted(numbered((7, 5)), mesh, (Shard(-1),) * mesh.ndim, (-1, 0), [Shard(-2)] * mesh.ndim)


def part_of_the_ranks():
    """A mesh of two dimensions without the last rank, which gets an empty tensor from the others' call, and from its own."""
    count = dist.get_world_size() - 1
    mesh = DeviceMesh(DEVICE, torch.arange(count).reshape(2, -1))
    whole = numbered((7, 5))
    for _ in range(2):  # the second time with the group of the first one
        made = permute(distribute_tensor(whole, mesh, (Shard(0), Shard(1))), (1, 0), (Shard(1), Shard(0)))
        assert made.shape == (5, 7)
        if dist.get_rank() < count:
            assert torch.equal(made.to_local(), distribute_tensor(whole.T.contiguous(), mesh, (Shard(1), Shard(0))).to_local())
    assert len(cornerturn._groups._MESH_GROUPS) == (dist.get_rank() < count)


def derived():
    """Derivatives of the first and the second order are those of permute, also if the gradient has other placements."""
    for mesh in meshes():
        source, destination = (Shard(0),) * mesh.ndim, (Shard(1), Replicate())[:mesh.ndim]
        whole = numbered((6, 5, 7), torch.float64)
        factors = torch.randn((7, 6, 5), dtype=torch.float64, generator=torch.Generator().manual_seed(0)).to(DEVICE)

        def expect_blocks(made, wanted):
            """Compares blocks, as full_tensor gathers them in the order of the ranks of a group, which is ascending in every mesh."""
            assert made.placements == source and torch.equal(made.to_local(), distribute_tensor(wanted, mesh, source).to_local())

        for placements in (destination, (Replicate(),) * mesh.ndim):
            x = distribute_tensor(whole, mesh, source).requires_grad_()
            y = permute(x, iter((2, 0, 1)), destination)
            first, = torch.autograd.grad((y * y * distribute_tensor(factors, mesh, placements)).sum(), x, create_graph=True)
            assert y.requires_grad
            expect_blocks(first, (2 * whole.permute(2, 0, 1) * factors).permute(1, 2, 0))
            second, = torch.autograd.grad(first.sum(), x)
            expect_blocks(second, 2 * factors.permute(1, 2, 0))
    x = distribute_tensor(numbered((6, 5)), meshes()[0], [Shard(0)])
    assert not permute(x, (1, 0), [Shard(0)]).requires_grad


def not_arrived():
    """The tensor is on its way by an asynchronous operation of PyTorch."""
    mesh = meshes()[0]
    whole = numbered((300, 400))
    waits = distribute_tensor(whole, mesh, [Shard(0)]).redistribute(placements=[Replicate()], async_op=True)
    assert torch.equal(permute(waits, (1, 0), [Shard(0)]).full_tensor(), whole.T)


def error_of(x=None, axes=(1, 0), placements=None, everywhere=False):
    """What a call raises that differs on rank 1 or everywhere."""
    mesh = DeviceMesh(DEVICE, torch.arange(dist.get_world_size()).reshape(2, -1))
    call = [distribute_tensor(numbered((7, 5)), mesh, (Shard(0),) * mesh.ndim), (1, 0), (Shard(1),) * mesh.ndim]
    if everywhere or dist.get_rank() == 1:
        call = [call[0] if x is None else x(mesh), axes, placements or call[2]]
    try:
        permute(*call)
        return "nothing"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def error_of_another(function):
    """What a function raises that takes no DTensor."""
    try:
        return function(distribute_tensor(numbered((7, 5)), meshes()[0], [Shard(0)]), (1, 0))
    except cornerturn.Error as error:
        return f"{type(error).__name__}: {error}"


def errors():
    """Prints what each call raises."""
    print(error_of())
    print(error_of(axes=(0, 0)))
    print(error_of(axes=(0, 1)))
    print(error_of(axes=0))
    print(error_of(placements=[Shard(0)]))
    print(error_of(placements=(Shard(0), Shard(0))))
    print(error_of(placements=(Shard(0), Partial())))
    print(error_of(placements=(Shard(0), Shard(2))))
    print(error_of(placements=(Shard(0), "row")))
    print(error_of(placements=3))
    print(error_of(x=lambda mesh: DTensor.from_local(torch.zeros(7, 5, device=DEVICE), mesh, (Replicate(), Partial())), everywhere=True))
    print(error_of(x=lambda mesh: distribute_tensor(numbered((7, 5), torch.float64), mesh, (Shard(0), Shard(0)))))
    print(error_of(x=lambda mesh: distribute_tensor(numbered((7, 6)), mesh, (Shard(0), Shard(0)))))
    print(error_of(x=lambda mesh: distribute_tensor(numbered((7, 5)), mesh, (Shard(1), Shard(0)))))
    print(error_of(x=lambda mesh: torch.zeros(7, 5, device=DEVICE), everywhere=True))
    print(error_of_another(cornerturn.permute))
    print(error_of_another(cornerturn.torch.permute))
    print(error_of())


def killed():
    """Rank 1 ends in the middle of a call, after the ranks have agreed; the others say whether they failed."""
    if dist.get_rank() == 1:
        cornerturn.distributed._exchange = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    mesh = meshes()[0]
    x, failed = distribute_tensor(numbered((7, 5)), mesh, [Shard(0)]), False
    try:
        permute(x, (1, 0), [Shard(0)])
    except RuntimeError:
        failed = True
    print(failed, flush=True)
    os._exit(0)


case, folder, rank, ranks, timeout = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
torch.set_num_threads(1)
if DEVICE == "cuda":
    torch.cuda.set_device(rank)
dist.init_process_group(BACKEND, init_method=f"file://{folder}/store", rank=rank, world_size=ranks, timeout=datetime.timedelta(seconds=timeout))
{each.__name__: each for each in (moved, part_of_the_ranks, derived, not_arrived, errors, killed)}[case]()
dist.barrier()
sys.stdout.flush()
os._exit(0)  # PyTorch's meshes keep groups after destroy_process_group, and threads of Gloo that want the GIL abort an interpreter's end
