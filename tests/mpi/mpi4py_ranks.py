"""A rank of test_mpi.py: moves random arrays over communicators of mpi4py, and makes wrong calls. CASE."""

import os
import pathlib
import signal
import sys
import types

import cornerturn
import numpy as np
from cornerturn._groups import MpiGroup
from cornerturn.distributed import Sharding, permute
from mpi4py import MPI

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
from shardings import block_of, random_permutation

world = MPI.COMM_WORLD
DTYPES = ["u1", "f2", "i4", "f8", "c16", "V3"]


def moved(ranks):
    for seed in range(40):
        shape, axes, source, destination = random_permutation(seed, ranks.size)
        whole = np.arange(1, 1 + 16 * int(np.prod(shape)), dtype=np.uint8 if seed % 2 else np.int32).view(np.uint8)
        dtype = np.dtype(DTYPES[seed % len(DTYPES)])
        whole = whole[:int(np.prod(shape)) * dtype.itemsize].view(dtype).reshape(shape)
        x, wanted = block_of(whole, source, ranks.rank), block_of(whole.transpose(axes), destination, ranks.rank)
        arguments = {"shape": shape, "source": source, "destination": destination, "group": ranks}
        made = permute(x, axes, **arguments)
        assert made.dtype == dtype and made.tobytes() == wanted.tobytes(), seed
        out = np.empty(wanted.shape, dtype)
        assert permute(x, axes, out=out, **arguments) is out and out.tobytes() == wanted.tobytes(), seed


def move():
    for size in range(1, world.size + 1):
        ranks = world.Split(world.rank < size, -world.rank)  # whose ranks are not the world's
        if world.rank < size:
            moved(ranks)


def error():
    rows = Sharding((world.size,), (0,))
    try:
        permute(np.zeros((4, 3), "f4"), (1, 0) if world.rank else (0, 1), shape=(4 * world.size, 3), source=rows, destination=rows, group=world)
    except cornerturn.ArgumentError as raised:
        assert str(raised) == "axes differs between ranks; it must be the same on all ranks"
        return
    raise AssertionError("nothing was raised")


def batched():
    """Starts messages in batches, as for GPUs."""
    cornerturn.distributed.is_on_gpu = lambda _: True
    moved(world)


def changed():
    """Changes elements on the way, as permute does with the whole array."""
    for seed in range(30):
        shape, axes, source, destination = random_permutation(seed, world.size)
        dtype, change = [("f4", {"dtype": "f2"}), ("f2", {"dtype": "f8", "alpha": 2}), ("c8", {"conj": True}), ("i4", {"dtype": "u1"})][seed % 4]
        whole = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
        wanted = block_of(cornerturn.permute(whole, axes, **change), destination, world.rank)
        made = permute(block_of(whole, source, world.rank), axes, shape=shape, source=source, destination=destination, group=world, **change)
        assert made.dtype == wanted.dtype and np.array_equal(made, wanted), seed


def matrix():
    """Messages that lie within a numpy.matrix, which has two axes even if it is flattened."""
    whole, source = np.arange(12.0 * world.size).reshape(-1, 3), Sharding((world.size,), (0,))
    destination = Sharding((world.size,), (0,), {0: (1, *[4] * (world.size - 2), 7)})
    x = np.matrix(whole[source.slices(whole.shape, world.rank)])
    made = permute(x, (0, 1), shape=whole.shape, source=source, destination=destination, group=world)
    assert np.array_equal(made, whole[destination.slices(whole.shape, world.rank)])


def aware():
    """Messages may be in memory of GPUs if MPI says so."""
    assert MpiGroup(world).device == "cpu"
    for library, device in (({"MPIX_Query_cuda_support": lambda: 1}, None), ({"MPIX_Query_cuda_support": lambda: 0}, "cpu"), ({}, "cpu")):
        cornerturn._groups.ctypes = types.SimpleNamespace(CDLL=lambda _: types.SimpleNamespace(**library))
        assert MpiGroup(world).device == device, library


def failed():
    """Rank 1 fails in the middle of a call, which ends the job."""
    if world.rank == 1:
        cornerturn.distributed._messages = None
    turn()


def killed():
    """Rank 1 dies in the middle of a call, after the ranks have agreed; the launcher ends the job."""
    if world.rank == 1:
        cornerturn.distributed._exchange = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    turn()


def turn():
    rows = Sharding((world.size,), (0,))
    permute(np.zeros((4, 3)), (1, 0), shape=(4 * world.size, 3), source=rows, destination=rows, group=world)
    print("moved", flush=True)


{each.__name__: each for each in (move, batched, changed, matrix, aware, error, failed, killed)}[sys.argv[1]]()
