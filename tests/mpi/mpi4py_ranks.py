"""A rank of test_mpi.py: moves random arrays over communicators of mpi4py, and makes wrong calls. CASE."""

import pathlib
import sys

import cornerturn
import numpy as np
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


def killed():
    """Rank 1 fails in the middle of a call, which ends the job."""
    if world.rank == 1:
        cornerturn.distributed._messages = None
    rows = Sharding((world.size,), (0,))
    permute(np.zeros((4, 3)), (1, 0), shape=(4 * world.size, 3), source=rows, destination=rows, group=world)


{each.__name__: each for each in (move, error, killed)}[sys.argv[1]]()
