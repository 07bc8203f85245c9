"""Layouts with names: brings arrays to the layout that a kernel or a file format wants, and back.

A format is a pattern of `rearrange` with the lengths of its axes. Some pad what a split does not divide with zeros, some swizzle
tiles, and some are of packed elements of less than a byte. `names` lists the formats, and `info` describes one.
"""

import collections.abc
import operator
import typing

from ._cornerturn import ArgumentError, ArgumentTypeError, _format, _format_call, _format_names, _register_format, rearrange

__all__ = ["Format", "convert", "info", "names", "pack", "register", "unpack"]


class Format(typing.NamedTuple):
    """A layout with a name."""

    name: str
    """one of `names`"""
    pattern: str
    """from the array to the layout, as in cornerturn.rearrange"""
    lengths: tuple
    """of axes, each with its name, its length, 0 if the caller gives it, and whether it counts bytes instead of elements"""
    padded: bool
    """whether axes that splits do not divide are padded with zeros"""
    bits: int
    """of a packed element; 8 for elements of whole bytes"""
    swizzle: str
    """of the tiles of the layout, as in cornerturn.rearrange; empty: none"""
    by_shape: bool
    """whether the pattern depends on the extents, so that `unpack` needs the shape"""
    description: str
    """a sentence"""
    source: str
    """who defines the layout"""


def names() -> tuple:
    """Returns the names of all formats.

    Returns
    -------
    tuple of str
        Those of the library first, then those that were registered.

    Raises
    ------
    MemoryError
        There is too little memory.

    Examples
    --------
    >>> import cornerturn.formats
    >>> "block_scales_32x4x4" in cornerturn.formats.names()
    True
    """
    return _format_names()


def info(name: str) -> Format:
    """Describes a format.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Format

    Raises
    ------
    ValueError
        No format has this name.

    Examples
    --------
    >>> cornerturn.formats.info("kv_hnd").pattern
    'p t h d -> p h t d'
    """
    return Format(*_format(name))


def _rearranged(x: typing.Any, name: str, shape: typing.Optional[tuple], out: typing.Any, lengths: dict, packs: bool) -> typing.Any:
    bits = info(name).bits
    if not hasattr(x, "dtype"):
        x = rearrange(x, "... -> ...")  # the array that NumPy makes of it, or an error
    extents = list(x.shape) if packs or shape is None else shape
    if packs and bits < 8 and extents:
        extents[-1] *= 8 // bits
    size = x.dtype.itemsize
    element_bits = 8 * size if bits == 8 else bits
    pattern, all_lengths, padded, swizzle, source_swizzle = _format_call(name, extents, element_bits, tuple(lengths.items()), packs)
    return rearrange(x, pattern, pad=bytes(size) if padded else None, shape=None if packs else shape,
                     bits=None if bits == 8 else bits, swizzle=swizzle or None, source_swizzle=source_swizzle or None, out=out,
                     **all_lengths)


def _extents(shape: typing.Any) -> tuple:
    """The shape as a tuple; an integer is the shape of one axis."""
    try:
        return (operator.index(shape),)
    except TypeError:
        pass
    try:
        return tuple(shape)
    except TypeError:
        raise ArgumentTypeError(f"shape is {shape!r}; it must be an integer or a sequence of integers") from None


def pack(x: typing.Any, name: str, /, *, out: typing.Any = None, **lengths: int) -> typing.Any:
    """Brings an array to a format.

    Parameters
    ----------
    x : array
        As in cornerturn.rearrange. For a format of packed elements, each byte holds several elements of the last axis.
    name : str
        One of `names`.
    out : array, optional
        As in cornerturn.rearrange.
    **lengths : int
        The lengths of axes of the format's pattern, if they are other than the format's.

    Returns
    -------
    array
        out, or a new array in C order, with the framework, dtype and device of x.

    Raises
    ------
    ValueError
        No format has this name, or x does not fit the format.
    TypeError, BufferError, MemoryError, RuntimeError
        As in cornerturn.rearrange.

    Examples
    --------
    >>> import numpy as np
    >>> scales = np.zeros((300, 10), np.uint8)
    >>> cornerturn.formats.pack(scales, "block_scales_32x4x4").shape
    (3, 3, 32, 4, 4)
    """
    return _rearranged(x, name, None, out, lengths, True)


def unpack(y: typing.Any, name: str, /, *, shape: typing.Union[int, collections.abc.Sequence[int], None] = None, out: typing.Any = None,
           **lengths: int) -> typing.Any:
    """Brings an array from a format back: the inverse of `pack`.

    Parameters
    ----------
    y : array
        As `pack` returns it.
    name : str
        One of `names`.
    shape : int or sequence of int, optional
        The shape of the array before it was packed, in elements, without its padding. Default: with its padding.
    out : array, optional
        As in cornerturn.rearrange.
    **lengths : int
        As given to `pack`.

    Returns
    -------
    array
        out, or a new array in C order, with the framework, dtype and device of y.

    Raises
    ------
    ValueError
        As in `pack`; also for a format that needs the shape.
    TypeError, BufferError, MemoryError, RuntimeError
        As in cornerturn.rearrange.

    Examples
    --------
    >>> packed = cornerturn.formats.pack(np.ones((300, 10), np.uint8), "block_scales_32x4x4")
    >>> cornerturn.formats.unpack(packed, "block_scales_32x4x4", shape=(300, 10)).all()
    np.True_
    """
    if shape is None and info(name).by_shape:
        raise ArgumentError(f"shape is None; it must be the shape of the array before it was packed to {name}")
    return _rearranged(y, name, None if shape is None else _extents(shape), out, lengths, False)


def convert(y: typing.Any, source: str, destination: str, /, *, shape: typing.Union[int, collections.abc.Sequence[int], None] = None) -> typing.Any:
    """Brings an array from one format to another: `unpack`, then `pack`.

    Parameters
    ----------
    y : array
        In the format `source`.
    source, destination : str
        Two of `names`.
    shape : int or sequence of int, optional
        As in `unpack`.

    Returns
    -------
    array
        As from `pack`.

    Raises
    ------
    ValueError, TypeError, BufferError, MemoryError, RuntimeError
        As in `unpack` and `pack`.

    Examples
    --------
    >>> cornerturn.formats.convert(np.zeros((5, 16, 8, 128), np.float16), "kv_nhd", "kv_hnd").shape
    (5, 8, 16, 128)
    """
    return pack(unpack(y, source, shape=shape), destination)


def register(name: str, pattern: str, *, padded: bool = False, bits: int = 8, swizzle: str = "", description: str = "",
             source: str = "", **lengths: int) -> None:
    """Adds a format to those of the process.

    Parameters
    ----------
    name : str
        A name that no format has.
    pattern : str
        From the array to the layout, as in cornerturn.rearrange. The pattern with its sides exchanged must be one, too.
    padded : bool
        Whether axes that splits do not divide are padded with zeros.
    bits : int
        4, 2 or 1 for packed elements, as in cornerturn.rearrange.
    swizzle : str
        Of the tiles of the layout, as in cornerturn.rearrange.
    description, source : str
        A sentence, and who defines the layout.
    **lengths : int
        The lengths of axes; 0 for those that each call gives.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        The name is taken, or the pattern, a length, bits or the swizzle is not allowed.
    TypeError
        An argument has another type.

    Examples
    --------
    >>> cornerturn.formats.register("tiles_8x8", "(m a) (n b) -> m n a b", a=8, b=8, padded=True)
    >>> cornerturn.formats.pack(np.zeros((20, 30)), "tiles_8x8").shape
    (3, 4, 8, 8)
    """
    _register_format(name, pattern, tuple(lengths.items()), padded, bits, swizzle, description, source)
