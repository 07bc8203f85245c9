"""How arrays are divided into one block per rank, and the plans of ranks. Neither torch nor mpi4py is imported here."""

import collections.abc
import functools
import math
import operator
import sys
import typing

import numpy

from ._cornerturn import ArgumentError, ArgumentTypeError, _empty_of, _LocalPlan, _RankPlan, ascontiguous
from ._shown import shown

_REPLICATED = -1

# The fact of how elements change.
CHANGE = "dtype, alpha, beta, conj or saturate"


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
    """The extent of each axis of the grid of ranks."""
    axes: collections.abc.Sequence[int | None]
    """For each axis of the grid the axis of the array that it divides, or None: replicated."""
    blocks: collections.abc.Mapping[int, collections.abc.Sequence[int]] | None = None
    """The extents of the blocks along axes of the array; None: all are equal."""

    def slices(self, shape: collections.abc.Sequence[int], rank: int) -> tuple[slice, ...]:
        """The block of a rank, as slices of the whole array, whose shape is given. Raises ArgumentError or ArgumentTypeError if the sharding
        does not fit the shape, or has no such rank; messages call the sharding `source`.

        >>> from cornerturn.distributed import Sharding
        >>> Sharding(grid=(4,), axes=(0,)).slices((10, 5), rank=3)
        (slice(9, 10, None), slice(0, 5, None))
        """
        shape = _integers(shape, "shape")
        divided = _sharding(self, "source", len(shape))
        plan = rank_plan(shape, tuple(range(len(shape))), divided, divided, 1, operator.index(rank))
        return tuple(slice(begin, end) for begin, end in plan.source_block)


def _integers(values, name):
    try:
        read = tuple(operator.index(value) for value in values)
    except TypeError:
        raise ArgumentTypeError(f"{name} is {shown(values)}; it must be a sequence of integers") from None
    if any(not -(1 << 63) <= value < 1 << 63 for value in read):
        raise ArgumentError(f"{name} is {shown(values)}; it must be integers of 64 bits")
    return read


def _sharding(given, name, rank):
    """Returns the grid, the axes without negative ones, and a tuple of extents for each axis of the array."""
    try:
        grid, axes, blocks = Sharding(*given)
        if not isinstance(blocks or {}, collections.abc.Mapping):
            raise TypeError
        axes = [None if axis is None else operator.index(axis) for axis in axes]
        blocks = {operator.index(axis): _integers(extents, f"{name}.blocks[{axis}]") for axis, extents in (blocks or {}).items()}
    except TypeError:
        raise ArgumentTypeError(f"{name} is {shown(given)}; it must be a Sharding(grid, axes, blocks), in which axes are integers or "
                                "None, and blocks is a dict or None") from None
    for axis in [*(axis for axis in axes if axis is not None), *blocks]:
        if not -rank <= axis < rank:
            raise ArgumentError(f"{name} is {shown(given)}; its axes must be from {-rank} to {rank - 1}, or None for replicated")
    grid = _integers(grid, f"{name}.grid")
    if len(axes) != len(grid):
        raise ArgumentError(f"{name} is {shown(given)}; its axes must be as many as the {len(grid)} numbers of its grid")
    by_axis = {axis % rank: extents for axis, extents in blocks.items()}
    return (grid, tuple(_REPLICATED if axis is None else axis % rank for axis in axes),
            tuple(by_axis.get(axis, ()) for axis in range(rank)) if by_axis else ())


def unread_facts(shape, axes, source, destination, array):
    """What all ranks must pass alike, by its name in messages. `array` names the array whose dtype and device are compared; these and the
    change of elements are not known yet."""
    return {"shape": shape, "axes": axes, "source": source, "destination": destination, f"{array}.dtype": None,
            f"{array}.device.type": None, CHANGE: None}


def read_description(facts):
    """Replaces the shape, the axes and both shardings by tuples, which are hashable and the same for equal arguments. Raises
    ArgumentError or ArgumentTypeError for the first wrong one; those before it are replaced already."""
    facts["shape"] = _integers(facts["shape"], "shape")
    facts["axes"] = _integers(facts["axes"], "axes")
    for side in ("source", "destination"):
        facts[side] = _sharding(facts[side], side, len(facts["shape"]))


def expect_ranks(facts, count, of):
    """Raises ArgumentError unless the grid of the source has so many ranks. `of` names what has them, in messages."""
    grid = facts["source"][0]
    if math.prod(grid) != count:
        raise ArgumentError(f"source.grid is {grid}; it must have {count} ranks, as {of} has")


@functools.lru_cache(maxsize=256)
def rank_plan(shape, axes, source, destination, element, rank):
    return _RankPlan(shape, axes, source, destination, element, rank)


@functools.lru_cache(maxsize=64)
def local_plan(shape, axes, source, destination, element):
    return _LocalPlan(shape, axes, source, destination, element)


def is_tensor(array):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def is_on_gpu(array):
    return is_tensor(array) and array.is_cuda


def dense(x, name):
    """Returns an array whose bytes are those of its elements in C order: x, or a copy."""
    if is_tensor(x):
        is_lazy = x.is_conj() or x.is_neg()
        return x if x.is_contiguous() and not is_lazy else ascontiguous(x.resolve_conj().resolve_neg())
    if not isinstance(x, numpy.ndarray):
        raise ArgumentTypeError(f"{name} is of type {type(x).__qualname__}; it must be a numpy.ndarray or a torch.Tensor")
    if x.dtype.hasobject:
        raise ArgumentTypeError(f"{name}.dtype is {x.dtype}; it must be plain memory, without Python objects")
    return x if x.flags.carray else x.copy()


def empty(like, shape, element):
    """A new array for elements that are as `_element_of` describes them: those of `like`, or of another dtype."""
    if isinstance(element, tuple):
        return _empty_of(like, shape, element[1])
    return like.new_empty(shape) if is_tensor(like) else numpy.empty(shape, like.dtype)
