"""cornerturn for dask arrays: permutations of arrays in chunks, on dask's own scheduler.

Only this module of the package imports dask.
"""

import collections.abc
import math
import numbers
import typing

import dask.array
import numpy as np

from . import ArgumentError, ArgumentTypeError, permute as _permute
from ._cornerturn import _axis_error, _checked_axes

__all__ = ["permute", "transpose"]


def permute(x: dask.array.Array, axes: collections.abc.Sequence[int], *, chunks: typing.Any = None,
            threads: int = 1) -> dask.array.Array:
    """Permutes the axes of a dask array, lazily: axis i of the result is axis axes[i] of x, as in `dask.array.transpose`.

    The chunks of the result are new arrays in C order. x is cut into matching chunks by dask's `rechunk` first, if necessary, which
    copies in the order of x; then each chunk is permuted once. dask's own transpose makes views, so that a later `rechunk`, or
    writing, copies element by element.

    Parameters
    ----------
    x : dask.array.Array
        With chunks that are arrays of NumPy or CuPy.
    axes : sequence of int
        A permutation of the axes of x; negative ones count from the end.
    chunks : optional
        The chunks of the result, in any form that `dask.array.rechunk` takes. Default: those of x, permuted.
    threads : int
        Threads for each chunk of NumPy's; 0: as many as `cornerturn.num_threads()`. The default is 1, because dask's workers move
        several chunks at once.

    Returns
    -------
    dask.array.Array
        x itself, if neither its axes nor its chunks change.

    Raises
    ------
    TypeError
        x is no dask array, its elements are Python objects, or a key of chunks is no integer.
    ValueError
        axes is no permutation, threads is negative, chunks do not fit the result, or they change chunks of unknown sizes, which
        x.compute_chunk_sizes() finds out.
    numpy.exceptions.AxisError
        A key of chunks is no axis of the result, or an axis in axes is none of x.

    Examples
    --------
    >>> import cornerturn.dask, dask.array
    >>> x = dask.array.from_zarr("by_time.zarr")                                # doctest: +SKIP
    >>> y = cornerturn.dask.permute(x, (2, 1, 0), chunks=(64, 256, -1))         # doctest: +SKIP
    >>> y.to_zarr("by_place.zarr")                                              # doctest: +SKIP
    """
    if not isinstance(x, dask.array.Array):
        raise ArgumentTypeError(f"x is of type {type(x).__name__}; it must be a dask array")
    order = _checked_axes(axes, x.ndim)
    _permute(np.empty((0,) * x.ndim, x.dtype), order, threads=threads)  # refuses Python objects and bad numbers of threads
    cut = x if chunks is None else _rechunked(x, order, chunks)
    if cut is x and order == tuple(range(x.ndim)):
        return x
    return dask.array.blockwise(_permuted_block, order, cut, tuple(range(x.ndim)), axes=order, threads=threads,
                                dtype=x.dtype, meta=_permute(x._meta, order))


def transpose(x: dask.array.Array, axes: collections.abc.Sequence[int] | None = None, *, chunks: typing.Any = None,
              threads: int = 1) -> dask.array.Array:
    """Like permute(x, axes), and like dask.array.transpose: without axes, reverses all axes of x.

    Parameters
    ----------
    x : dask.array.Array
        As in permute.
    axes : sequence of int, optional
        As in permute; default: all axes reversed.
    chunks, threads : optional
        As in permute.

    Returns
    -------
    dask.array.Array
        As in permute.

    Raises
    ------
    ValueError, TypeError
        As in permute.

    Examples
    --------
    >>> import cornerturn.dask, dask.array
    >>> cornerturn.dask.transpose(dask.array.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    return permute(x, range(np.ndim(x))[::-1] if axes is None else axes, chunks=chunks, threads=threads)


def _rechunked(x: dask.array.Array, order: tuple[int, ...], chunks: typing.Any) -> dask.array.Array:
    """x in chunks that are those of the result."""
    shape, before = (tuple(each[axis] for axis in order) for each in (x.shape, x.chunks))
    if isinstance(chunks, dict):
        chunks = _listed(chunks, x.ndim)
    if isinstance(chunks, (tuple, list)):
        if len(chunks) != x.ndim:
            raise ArgumentError(f"chunks is {chunks}; it must have one entry for each of the {x.ndim} axes")
        chunks = tuple(old if new is None else new for new, old in zip(chunks, before))
    for axis, size in enumerate(shape):
        if math.isnan(size) and not (isinstance(chunks, tuple) and chunks[axis] == before[axis]):
            raise ArgumentError(f"chunks is {chunks!r}; it must be None along axis {axis}, because the sizes of the chunks of x are unknown "
                                "there: call x.compute_chunk_sizes() first")
    try:
        wanted = dask.array.core.normalize_chunks(chunks, shape, dtype=x.dtype, previous_chunks=before)
    except (ValueError, ZeroDivisionError) as error:
        raise ArgumentError(f"chunks is {chunks!r}; it must be chunks of the result, of shape {shape}, as dask.array.rechunk takes "
                            "them") from error
    return x.rechunk(tuple(wanted[order.index(axis)] for axis in range(x.ndim)))


def _listed(chunks: dict, rank: int) -> tuple:
    """The chunks of each axis of the result; None for an axis that a dict does not name. As in dask, the last of two keys counts."""
    allowed = f"its keys must be axes, from {-rank} to {rank - 1}"
    for axis in chunks:
        if not isinstance(axis, numbers.Integral):
            raise ArgumentTypeError(f"chunks is {chunks!r}; {allowed}")
        if not -rank <= axis < rank:
            raise _axis_error(f"chunks is {chunks!r}; {allowed}")
    named = {axis % rank: size for axis, size in chunks.items()}
    return tuple(named.get(axis) for axis in range(rank))


def _permuted_block(block: typing.Any, axes: tuple[int, ...], threads: int) -> typing.Any:
    return _permute(block, axes, threads=threads)
