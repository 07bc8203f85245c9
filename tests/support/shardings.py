"""Random permutations over ranks for tests of `cornerturn.distributed`, with a plain reference for the blocks of each rank."""

import math

import numpy as np
from cornerturn.distributed import Sharding

EXTENTS = [1, 2, 3, 5, 7, 11, 13]


def grids(generator, ranks):
    grid = []
    while ranks > 1:
        factor = int(generator.choice([n for n in range(2, ranks + 1) if ranks % n == 0]))
        grid.append(factor)
        ranks //= factor
    return tuple(grid)


def random_sharding(generator, shape, ranks):
    grid = grids(generator, ranks)
    axes = tuple(None if len(shape) == 0 or generator.random() < 0.2 else int(generator.integers(-len(shape), len(shape))) for _ in grid)
    blocks = {}
    for axis in {axis % len(shape) for axis in axes if axis is not None}:
        if generator.random() < 0.4:
            count = math.prod(n for n, divided in zip(grid, axes) if divided is not None and divided % len(shape) == axis)
            cuts = np.sort(generator.integers(0, shape[axis] + 1, count - 1))
            blocks[axis] = tuple(int(n) for n in np.diff([0, *cuts, shape[axis]]))
    return Sharding(grid, axes, blocks or None)


def random_permutation(seed, ranks):
    """The shape, the axes and both shardings."""
    generator = np.random.default_rng(seed)
    shape = tuple(int(generator.choice(EXTENTS)) for _ in range(generator.integers(0, 5)))
    axes = tuple(int(axis) for axis in generator.permutation(len(shape)))
    source = random_sharding(generator, shape, ranks)
    return shape, axes, source, random_sharding(generator, tuple(shape[axis] for axis in axes), ranks)


def block_of(whole, sharding, rank):
    """A view of the block that a rank has."""
    coordinates = np.unravel_index(rank, sharding.grid) if sharding.grid else ()
    ends = dict.fromkeys(range(whole.ndim))
    for axis, extents in (sharding.blocks or {}).items():
        number = 0
        for coordinate, count, divided in zip(coordinates, sharding.grid, sharding.axes):
            if divided is not None and divided % whole.ndim == axis % whole.ndim:
                number = number * count + coordinate
        ends[axis] = (sum(extents[:number]), sum(extents[:number + 1]))
    result = whole
    for axis, span in ends.items():
        if span is not None:
            result = result[(slice(None),) * axis + (slice(*span),)]
    for coordinate, count, axis in zip(coordinates, sharding.grid, sharding.axes):
        if axis is not None and ends[axis % whole.ndim] is None:
            each = -(-result.shape[axis] // count)
            result = result[(slice(None),) * (axis % whole.ndim) + (slice(coordinate * each, (coordinate + 1) * each),)]
    return result
