"""The Python part of `rearrange`: its exceptions, and the shapes of arrays whose extents are symbols of a compiler.

The library reads the patterns. Their grammar is that of einops (https://einops.rocks); einops is not used.
"""

import copyreg
import functools
import math
import numbers
import operator
import sys
import typing

from ._cornerturn import ArgumentError, ArgumentTypeError, _expect_pattern, _has_axis, _parse_pattern, rearrange

_MOST = 2**63 - 1


class Axis(typing.NamedTuple):
    """An axis of x: the names of the axes of which it consists, its text in the pattern, and the index of this text."""
    names: tuple
    text: str
    index: int


class Recipe(typing.NamedTuple):
    """What a pattern does with arrays of a rank. The axes into which those of x are split are numbered from left to right."""
    pattern: str
    left: tuple
    """the axes of x, each an Axis"""
    order: tuple
    """the number of the split axis for each axis of the permuted array"""
    right: tuple
    """for each axis of the result, the numbers of the split axes of which it consists"""
    left_tile: int
    """the number of last axes of x that are after a |"""
    right_tile: int
    """the number of last axes of the result that are after a |"""


@functools.cache
def _error_type(of_einops):
    """ArgumentError that is also the EinopsError of einops, and is pickled as an ArgumentError."""
    made = type("ArgumentError", (ArgumentError, of_einops), {"__module__": ArgumentError.__module__})
    copyreg.pickle(made, lambda thrown: (ArgumentError, thrown.args))
    return made


def error(message):
    """The exception for a pattern that is wrong or does not fit; it is also an EinopsError, once einops is imported."""
    of_einops = getattr(sys.modules.get("einops"), "EinopsError", None)
    return (_error_type(of_einops) if of_einops else ArgumentError)(message)


@functools.lru_cache(maxsize=1024)
def _recipe(pattern, rank, given):
    left, *others = _parse_pattern(pattern, rank, given)
    return Recipe(pattern, tuple([Axis(*axis) for axis in left]), *others)


def recipe(pattern, rank, given):
    """Returns the Recipe of a pattern for arrays of a rank, where lengths of axes are given for the names in a tuple."""
    _expect_str(pattern)
    return _recipe(pattern, rank, given)


class Limits(typing.NamedTuple):
    """The keywords of rearrange that are not lengths of axes; pad and shape are None if they are not given."""
    pad: typing.Any
    shape: typing.Optional[tuple]
    bits: int
    order: str
    swizzle: typing.Optional[str]
    source_swizzle: typing.Optional[str]

    def are_given(self):
        """Returns whether an array is padded, cropped, swizzled or of packed elements."""
        return self.pad is not None or self.shape is not None or self.bits < 8 or bool(self.swizzle or self.source_swizzle)


def has_axis(pattern, name):
    """Returns whether a pattern names an axis so. Raises as expect_pattern does."""
    _expect_str(pattern)
    return _has_axis(pattern, name)


def limits_of(given, lengths, is_axis):
    """Returns the Limits in a dict of keywords; those that `is_axis` says to be axes of the pattern are added to the lengths."""
    given = {name: value for name, value in given.items() if value is not None}
    for name in [name for name in given if is_axis(name)]:
        lengths[name] = given.pop(name)
    bits, order, shape = given.get("bits", 8), given.get("order", "little"), given.get("shape")
    if bits not in (8, 4, 2, 1):
        raise ArgumentError(f"bits is {bits!r}; it must be 8, 4, 2 or 1")
    if order not in ("little", "big"):
        raise ArgumentError(f"order is {order!r}; it must be 'little' or 'big'")
    if shape is not None and not isinstance(shape, (list, tuple)):
        raise ArgumentTypeError(f"shape is of type {type(shape).__qualname__}; it must be a sequence of integers")
    for name in ("swizzle", "source_swizzle"):
        if not isinstance(given.get(name, ""), str):
            raise ArgumentTypeError(f"{name} is {given[name]!r}; it must be a str")
    return Limits(given.get("pad"), None if shape is None else tuple(shape), bits, order, given.get("swizzle"), given.get("source_swizzle"))


def _split(pattern, axis, number, extent, lengths, is_padded):
    """Returns the extents of the axes of which an axis of x consists."""
    if len(axis.names) == 1 and axis.names[0] not in lengths:
        return (extent,)
    is_inferred = any(name not in lengths for name in axis.names)
    known = math.prod([lengths[name] for name in axis.names if name in lengths])
    if is_inferred and known == 0:
        raise error(f"pattern is {pattern!r}; it must have parentheses without a length of 0 if another length is inferred, "
                    f"unlike {axis.text!r} at index {axis.index}")
    if is_padded:
        is_wrong, relation = not is_inferred and extent > known, "{} or less"
    else:
        is_wrong, relation = (extent % known, "a multiple of {}") if is_inferred else (extent != known, "{}")
    if is_wrong:
        raise error(f"x.shape[{number}] is {extent}; it must be {relation.format(known)}, "
                    f"for {axis.text!r} at index {axis.index} of pattern {pattern!r}")
    inferred = -(-extent // known) if is_padded and is_inferred else extent // known if is_inferred else None
    return tuple([lengths.get(name, inferred) for name in axis.names])


def shapes(recipe, shape, lengths, is_padded=False):
    """Returns the extents into which each axis of x is split, and the shape of the result. Extents and lengths, a dict, may be
    symbols of a compiler. Splits are rounded up if axes are padded."""
    split = tuple([_split(recipe.pattern, axis, number, shape[number], lengths, is_padded) for number, axis in enumerate(recipe.left)])
    extents = [extent for each in split for extent in each]
    return split, tuple([math.prod([extents[number] for number in merged]) for merged in recipe.right])


def expect_crop(recipe, shape, wanted):
    """Raises ValueError unless the wanted shape of the result is within the shape that the pattern makes."""
    if len(wanted) != len(shape):
        raise error(f"the length of shape is {len(wanted)}; it must be {len(shape)}, as on the right of pattern {recipe.pattern!r}")
    for number, (extent, most) in enumerate(zip(wanted, shape)):
        if extent < 0 or extent > most:
            raise error(f"shape[{number}] is {extent}; it must be from 0 to {most}, the extent that the pattern makes")


def _expect_whole_tile(name, shape, whole, axes):
    """Raises ValueError unless the last axes of a shape, those of a tile, have the extents that the pattern makes."""
    for number in reversed(range(len(shape) - axes, len(shape))):
        if shape[number] != whole[number]:
            raise error(f"{name}[{number}] is {shape[number]}; it must be {whole[number]}, because a tile with a swizzle is whole")


def swizzled_units(argument, text, tile, item_size):
    """Returns the number of each unit of 16 bytes in a tile of these extents, after a swizzle of this argument of `rearrange`."""
    import numpy as np  # arrays of other frameworks need it for nothing else
    size = math.prod(tile) * item_size
    numbers = np.arange(-(-size // 16), dtype=np.uint32).repeat(4).view(np.uint8)[:size].view(f"V{item_size}").reshape(tile)
    return rearrange(numbers, "| ... -> | ...", **{argument: text}).reshape(-1).view(np.uint32)[::4]


def limited(x, recipe, lengths, limits, of):
    """Rearranges an array that is padded, cropped, swizzled or of packed elements by functions of a framework, each with derivatives:
    of.pad(x, shape), of.permute(x, axes), of.unpack(x), of.pack(x), of.swizzle(x, argument, axes of a tile) and, which only refuses a
    swizzle, of.units(argument, tile)."""
    expect_pad(x, limits)
    if limits.bits < 8 and (x.ndim == 0 or x.dtype.itemsize != 1):
        raise ArgumentTypeError(f"x.itemsize is {x.dtype.itemsize}; it must be 1 for packed elements")
    given = x.shape if limits.bits == 8 else (*x.shape[:-1], x.shape[-1] * (8 // limits.bits))
    split, shape = shapes(recipe, given, lengths, limits.pad is not None)
    if limits.shape is not None:
        expect_crop(recipe, shape, limits.shape)
    for name, tile, side in (("source_swizzle", recipe.left_tile, "left"), ("swizzle", recipe.right_tile, "right")):
        if getattr(limits, name) and not tile:
            raise error(f"{name} is given; it must be left out without a | on the {side} of pattern {recipe.pattern!r}")
    extents = [extent for each in split for extent in each]
    padded = [math.prod(each) for each in split]
    if 0 not in extents:
        if limits.source_swizzle:
            _expect_whole_tile("x.shape", given, padded, recipe.left_tile)
        if limits.swizzle and limits.shape is not None:
            _expect_whole_tile("shape", limits.shape, shape, recipe.right_tile)
    swizzles = [name for name in ("source_swizzle", "swizzle") if getattr(limits, name)]
    if 0 in extents:  # no tile has to have the bits of a swizzle
        for name in swizzles:
            of.units(name, (0,))
        swizzles = []
    if "source_swizzle" in swizzles:
        x = of.swizzle(x, "source_swizzle", recipe.left_tile)
    if limits.bits < 8:
        x = of.unpack(x)
    if limits.pad is not None:
        x = of.pad(x, padded)
    result = of.permute(x.reshape(extents), recipe.order).reshape(shape)
    if limits.shape is not None:
        result = result[tuple([slice(extent) for extent in limits.shape])]
    if limits.bits < 8:
        result = of.pack(result)
    return of.swizzle(result, "swizzle", recipe.right_tile) if "swizzle" in swizzles else result


def expect_whole_bytes(extent, bits):
    """Raises ValueError unless a number of packed elements fills bytes."""
    if extent % (8 // bits):
        raise error(f"the last extent of the result is {extent}; it must be a multiple of {8 // bits}, whole bytes")


def shifts_of(limits):
    """Returns the lowest bit of each element in a byte of packed elements."""
    shifts = list(range(0, 8, limits.bits))
    return shifts if limits.order == "little" else shifts[::-1]


def read_lengths(lengths, is_symbol):
    """Returns the lengths as a dict of int, except those that `is_symbol` says to be symbols of a compiler."""
    read = {}
    for name, length in lengths.items():
        if isinstance(length, bool):
            raise ArgumentTypeError(f"{name} is {length}; it must be an integer, not a bool")
        if is_symbol(length):
            read[name] = length
            continue
        allowed = f"an integer from 0 to {_MOST}"
        try:
            # Dynamo's symbols are int, and operator.index would fix their value
            read[name] = length if isinstance(length, int) else operator.index(length)
        except TypeError:
            raise ArgumentTypeError(f"{name} is {length!r}; it must be {allowed}") from None
        if not 0 <= read[name] <= _MOST:
            raise ArgumentError(f"{name} is {length}; it must be {allowed}")
    return read


def _expect_str(pattern):
    if not isinstance(pattern, str):
        raise ArgumentTypeError(f"pattern is of type {type(pattern).__qualname__}; it must be a str; x comes before it")


def expect_pattern(pattern):
    """Raises TypeError unless a pattern is a str, ValueError unless it follows the grammar."""
    _expect_str(pattern)
    _expect_pattern(pattern)


def _expect_packed_pad(value, bits):
    try:
        is_element = not isinstance(value, bool) and operator.index(value) in range(2**bits)
    except TypeError:
        is_element = False
    if not is_element:
        raise ArgumentError(f"pad is {value!r}; it must be an integer from 0 to {2**bits - 1} for elements of {bits} bits")


def _refuse_pad(x, value):
    raise ArgumentTypeError(f"pad is {value!r}; it must be a value of dtype {x.dtype}, or the bytes of one") from None


def expect_pad(x, limits):
    """Raises ValueError or TypeError for what a framework's functions cannot pad an array with."""
    value = limits.pad
    if value is None:
        return
    if limits.bits < 8:
        _expect_packed_pad(value, limits.bits)
    elif isinstance(value, bytes):
        if len(value) != x.dtype.itemsize:
            raise ArgumentError(f"pad is {value!r}; it must be {x.dtype.itemsize} bytes, as an element of x")
    elif not isinstance(value, numbers.Number):
        _refuse_pad(x, value)


def element_bytes(x, value, bits):
    """Returns the bytes of an element of the dtype of an array, for the value or bytes with which it is padded."""
    if isinstance(value, bytes):
        return value
    if bits < 8:
        _expect_packed_pad(value, bits)
        return bytes([value])
    torch = sys.modules.get("torch")
    try:
        if type(value) is int and value == 0:
            return bytes(x.dtype.itemsize)
        if torch is not None and isinstance(x, torch.Tensor):
            return bytes(torch.tensor([value], dtype=x.dtype).view(torch.uint8).tolist())
        numpy = sys.modules["numpy"]
        plain = int(value) if isinstance(value, numpy.integer) else value  # of its own integers NumPy would cut bits
        return numpy.asarray(plain, dtype=x.dtype).tobytes()
    except (AttributeError, KeyError, OverflowError, RuntimeError, TypeError, ValueError):
        _refuse_pad(x, value)


def expect_alike(arrays, attributes=("shape", "dtype", "device")):
    """Raises ValueError unless the arrays of a list have equal attributes, and there is at least one."""
    if not arrays:
        raise ArgumentError("x is an empty list; it must be an array or a list of at least one array")
    for attribute in attributes:
        wanted = getattr(arrays[0], attribute)
        for number, each in enumerate(arrays):
            found = getattr(each, attribute)
            if found != wanted:
                raise ArgumentError(f"x[{number}].{attribute} is {found}; it must be {wanted}, as that of x[0]")


def promoted(arrays):
    """Returns a list of the arrays in the dtype to which their framework promotes theirs; None if it has none."""
    torch = sys.modules.get("torch")
    of_torch = [torch is not None and isinstance(each, torch.Tensor) for each in arrays]
    try:
        if all(of_torch):
            common = functools.reduce(torch.promote_types, [each.dtype for each in arrays])
            return [each.to(common) for each in arrays]
        if any(of_torch):
            return None
        namespace = arrays[0].__array_namespace__() if hasattr(arrays[0], "__array_namespace__") else sys.modules["numpy"]
        common = namespace.result_type(*[each.dtype for each in arrays])
        return [each if each.dtype == common else each.astype(common) for each in arrays]
    except (AttributeError, KeyError, RuntimeError, TypeError):
        return None
