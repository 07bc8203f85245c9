"""Axes as the modules for frameworks take them."""

import collections.abc
import operator

from ._cornerturn import ArgumentTypeError, _axis_error


def axes_of(axes: collections.abc.Sequence[int], rank: int) -> list[int]:
    """The axes as a list of integers, validated with the messages of this package instead of the framework's."""
    try:
        read = list(axes)
        if any(isinstance(axis, bool) for axis in read):
            raise TypeError
        read = [operator.index(axis) for axis in read]
    except TypeError:
        raise ArgumentTypeError(f"axes is {axes!r}; it must be a sequence of integers") from None
    if sorted(axis + rank if axis < 0 else axis for axis in read) != list(range(rank)):
        raise _axis_error(f"axes is {axes!r}; it must be a permutation of the {rank} axes of x")
    return read
