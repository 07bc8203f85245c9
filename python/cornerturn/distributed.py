"""Permutes arrays that are spread over ranks of torch.distributed or of mpi4py.

Each rank packs a box of its block for each of its peers, the ranks exchange the boxes, and each rank unpacks what it receives. Packing
a message overlaps with sending those before it. Neither torch nor mpi4py is imported by this module.
"""

import collections.abc
import functools
import math
import operator
import sys
import typing

import numpy

from ._agreement import agree
from ._cornerturn import ArgumentError, ArgumentTypeError, _RankPlan, ascontiguous
from ._groups import Message, group_of

__all__ = ["Sharding", "permute"]

_REPLICATED = -1


class Sharding(typing.NamedTuple):
    """How an array is divided into one block per rank.

    grid is the shape of the grid of ranks, which are numbered in C order of their coordinates. axes has one item per axis of the grid:
    the axis of the array that it divides, or None if all ranks along it have the same block. A mesh of torch's DTensor with the
    placements (Shard(0), Replicate()) has the axes (0, None).

    blocks gives the extents of the blocks along axes of the array, by axis, in the order of the ranks' coordinates; extents may be 0.
    Along other axes blocks are equal, rounded up, so that the last ones are shorter or empty, as those of DTensor. If several axes of
    the grid divide one axis of the array, each divides the blocks of those before it.

    >>> from cornerturn.distributed import Sharding
    >>> Sharding(grid=(2, 4), axes=(0, None))
    Sharding(grid=(2, 4), axes=(0, None), blocks=None)
    """

    grid: collections.abc.Sequence[int]
    axes: collections.abc.Sequence[int | None]
    blocks: collections.abc.Mapping[int, collections.abc.Sequence[int]] | None = None


def _integers(values, name):
    try:
        read = tuple(operator.index(value) for value in values)
    except TypeError:
        raise ArgumentTypeError(f"{name} is {values!r}; it must be a sequence of integers") from None
    if any(not -(1 << 63) <= value < 1 << 63 for value in read):
        raise ArgumentError(f"{name} is {values!r}; it must be integers of 64 bits")
    return read


def _sharding(given, name, rank):
    """Returns the grid, the axes without negative ones, and a tuple of extents for each axis of the array."""
    try:
        grid, axes, blocks = Sharding(*given)
        axes = [None if axis is None else operator.index(axis) for axis in axes]
        blocks = {operator.index(axis): _integers(extents, f"{name}.blocks[{axis}]") for axis, extents in dict(blocks or {}).items()}
    except TypeError:
        raise ArgumentTypeError(f"{name} is {given!r}; it must be a Sharding(grid, axes, blocks), in which axes are integers or "
                                "None") from None
    for axis in [*(axis for axis in axes if axis is not None), *blocks]:
        if not -rank <= axis < rank:
            raise ArgumentError(f"{name} is {given!r}; its axes must be from {-rank} to {rank - 1}, or None for replicated")
    grid = _integers(grid, f"{name}.grid")
    if len(axes) != len(grid):
        raise ArgumentError(f"{name} is {given!r}; its axes must be as many as the {len(grid)} numbers of its grid")
    by_axis = {axis % rank: extents for axis, extents in blocks.items()}
    return (grid, tuple(_REPLICATED if axis is None else axis % rank for axis in axes),
            tuple(by_axis.get(axis, ()) for axis in range(rank)) if by_axis else ())


@functools.lru_cache(maxsize=256)
def _plan(shape, axes, source, destination, item_size, rank):
    return _RankPlan(shape, axes, source, destination, item_size, rank)


def _is_tensor(array):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _dense(x_local, ranks):
    """Returns an array whose bytes can be sent: x_local, or a copy."""
    if _is_tensor(x_local):
        kind = x_local.device.type
        if ranks.device not in (None, kind):
            raise ArgumentError(f"x_local.device is {x_local.device}; it must be {ranks.device}, as group sends nothing else")
        is_lazy = x_local.is_conj() or x_local.is_neg()
        return x_local if x_local.is_contiguous() and not is_lazy else ascontiguous(x_local.resolve_conj().resolve_neg())
    if not isinstance(x_local, numpy.ndarray):
        raise ArgumentTypeError(f"x_local is of type {type(x_local).__qualname__}; it must be a numpy.ndarray or a torch.Tensor")
    if ranks.device == "cuda":
        raise ArgumentError("x_local is a numpy.ndarray; it must be a torch.Tensor on a GPU, as group sends nothing else")
    if x_local.dtype.hasobject:
        raise ArgumentTypeError(f"x_local.dtype is {x_local.dtype}; it must be plain memory, without Python objects")
    return x_local if x_local.flags.c_contiguous and x_local.flags.writeable else x_local.copy()


def _empty(like, shape):
    return like.new_empty(shape) if _is_tensor(like) else numpy.empty(shape, like.dtype)


class _Prepared(typing.NamedTuple):
    """All that a rank needs before it sends anything."""
    plan: _RankPlan
    x: typing.Any
    out: typing.Any
    send_buffer: typing.Any
    receive_buffer: typing.Any


def _prepare(ranks, facts, x_local, out, threads):
    """Fills in the facts, and checks the arguments, as far as a wrong argument lets it."""
    facts["x_local.dtype"] = str(getattr(x_local, "dtype", None))
    facts["shape"] = shape = _integers(facts["shape"], "shape")
    facts["axes"] = axes = _integers(facts["axes"], "axes")
    facts["source"] = source = _sharding(facts["source"], "source", len(shape))
    facts["destination"] = destination = _sharding(facts["destination"], "destination", len(shape))
    if math.prod(source[0]) != ranks.size:
        raise ArgumentError(f"source.grid is {source[0]}; it must have {ranks.size} ranks, as group has")
    x = _dense(x_local, ranks)
    plan = _plan(shape, axes, source, destination, x.itemsize, ranks.rank)
    made = _empty(x, plan.destination_shape) if out is None else out
    plan.expect_blocks(x, made, threads)
    return _Prepared(plan, x, made, ranks.buffer(plan.send_bytes, x), ranks.buffer(plan.receive_bytes, x))


def _messages(is_send, described, block, buffer):
    """The bytes of each message, in the rank's block or in the buffer."""
    for peer, size, is_direct, offset in described:
        yield Message(is_send, peer, (block if is_direct else buffer)[offset:offset + size])


def _exchange(ranks, ready, threads):
    plan, x, out, send_buffer, receive_buffer = ready
    sends = list(_messages(True, plan.sends, ranks.bytes_of(x), send_buffer))
    receives = list(_messages(False, plan.receives, ranks.bytes_of(out), receive_buffer))
    if ranks.device == "cpu":
        arrived = ranks.start(receives)
        sent = []
        for number, message in enumerate(sends):
            plan.pack(number, x, send_buffer, threads)
            sent += ranks.start([message])
    else:  # NCCL waits for messages that are started later, unless all are started together
        for number in range(len(sends)):
            plan.pack(number, x, send_buffer, threads)
        started = ranks.start(receives + sends)
        arrived, sent = started[:len(receives)], started[len(receives):]
    plan.keep(x, out, threads)
    for number, wait in enumerate(arrived):
        wait()
        plan.unpack(number, receive_buffer, out, threads)
    for wait in sent:
        wait()


def permute(x_local, axes, *, shape, source, destination, group=None, out=None, threads=0):
    """Copies an array that is spread over ranks to one with its axes permuted, spread in another way. All ranks call it.

    Parameters
    ----------
    x_local : numpy.ndarray or torch.Tensor
        This rank's block of the array. An array that is not contiguous in C order, or is read-only, is copied first.
    axes : sequence of int
        Axis i of the whole result is axis axes[i] of the whole array, as in numpy.transpose.
    shape : sequence of int
        The shape of the whole array.
    source, destination : Sharding
        How the array is divided, and how the result is, by axes of the result. Their grids have as many ranks as the group.
    group : mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The ranks; default: the default group of torch.distributed.
    out : array, optional
        This rank's block of the result, contiguous in C order; default: a new array.
    threads : int
        As in permute, for packing and unpacking.

    Returns
    -------
    array
        out, or a new array of the type, dtype and device of x_local.

    Raises
    ------
    ValueError, TypeError, MemoryError
        An argument is wrong on one of the ranks, or differs between them. All ranks raise the same error, before anything is sent.
    RuntimeError
        A peer ended, or did not answer within the timeout of a group of torch.distributed. out may be partly written. If a rank of MPI
        fails while messages are on their way, it ends the job by MPI_Abort.
    """
    ranks = group_of(group)
    facts = {"shape": shape, "axes": axes, "source": source, "destination": destination, "x_local.dtype": None}
    ready = failed = None
    try:
        ready = _prepare(ranks, facts, x_local, out, threads)
    except Exception as error:
        failed = error
    agree(ranks, facts, failed)
    try:
        _exchange(ranks, ready, threads)
    except BaseException:
        ranks.abort()
        raise
    return ready.out
