"""cornerturn for xarray: permutations by the names of dimensions.

Only this module of the package imports xarray.
"""

import math
import sys
import typing

import xarray

from . import ArgumentError, ArgumentTypeError, permute as _permute
from ._shown import shown

__all__ = ["transpose"]

_Named = typing.TypeVar("_Named", xarray.DataArray, xarray.Dataset, xarray.Variable)


def transpose(x: _Named, *dims: typing.Any, missing_dims: str = "raise", threads: int = 0) -> _Named:
    """Permutes the dimensions of an object of xarray, as its method `transpose`, but the elements are new arrays in C order.

    Coordinates, attributes and encodings stay. Arrays of dask are permuted lazily, by `cornerturn.dask.permute`.

    Parameters
    ----------
    x : xarray.DataArray, xarray.Dataset or xarray.Variable
        With arrays of NumPy, CuPy or dask. Of a Dataset all data variables are permuted, those of Python objects, such as
        names, by xarray.
    dims : names
        The dimensions of the result; `...` stands for those that are not named. Default: all of x reversed.
    missing_dims : str
        What to do with names in dims that x does not have: "raise" an error, "warn" and leave them out, or "ignore" them.
    threads : int
        As in `permute`; for arrays of dask the threads for each chunk, where 0 means 1.

    Returns
    -------
    An object of the type of x.

    Raises
    ------
    TypeError
        x is no such object, or has Python objects as elements, or dims has a list.
    ValueError
        dims are not the dimensions of x, missing_dims is another word, or x has chunks of unknown sizes, which
        x.data.compute_chunk_sizes() finds out.

    Examples
    --------
    >>> import cornerturn.xarray, xarray                                                          # doctest: +SKIP
    >>> fields = xarray.DataArray(np.zeros((8, 180, 360)), dims=("time", "lat", "lon"))           # doctest: +SKIP
    >>> cornerturn.xarray.transpose(fields, "lat", "lon", "time").shape                           # doctest: +SKIP
    (180, 360, 8)
    """
    if not isinstance(x, (xarray.DataArray, xarray.Dataset, xarray.Variable)):
        raise ArgumentTypeError(f"x is of type {type(x).__name__}; it must be a DataArray, a Dataset or a Variable of xarray")
    if missing_dims not in ("raise", "warn", "ignore"):
        raise ArgumentError(f"missing_dims is {missing_dims!r}; it must be 'raise', 'warn' or 'ignore'")
    try:
        view = x.transpose(*dims, missing_dims=missing_dims)
    except (TypeError, ValueError) as error:
        kind = ArgumentError if isinstance(error, ValueError) else ArgumentTypeError
        raise kind(f"dims is {shown(dims)}; it must be the dimensions of x, {shown(tuple(x.dims))}") from error
    if not isinstance(x, xarray.Dataset):
        return view.copy(deep=False, data=_permuted(x, view, threads))
    return view.copy(deep=False, data={name: each.data if each.dtype.hasobject else _permuted(x[name], each, threads, f"x[{name!r}]")
                                       for name, each in view.data_vars.items()})


def _permuted(x: typing.Any, view: typing.Any, threads: int, name: str = "x") -> typing.Any:
    """The elements of x, which messages call name, in the order of the dimensions of view."""
    if any(map(math.isnan, x.shape)):
        raise ArgumentError(f"{name}.shape is {x.shape}; it must be known: call {name}.data.compute_chunk_sizes() first")
    axes, data = x.get_axis_num(view.dims), x.data
    dask = sys.modules.get("dask.array")
    if dask is None or not isinstance(data, dask.Array):
        return _permute(data, axes, threads=threads)
    from .dask import permute
    return permute(data, axes, threads=threads or 1)
