"""The patterns of `rearrange`. Their grammar is that of einops (https://einops.rocks); einops is not used.

The left side of a pattern names the axes of x, the right side those of the result. An axis is a name; `1` or `()`, for an axis of
extent 1; names in parentheses, for an axis that consists of these axes, the last one being the innermost; or `...`, for all axes
that are not named.
"""

import copyreg
import functools
import itertools
import math
import operator
import re
import sys
import typing

from ._cornerturn import ArgumentError, ArgumentTypeError

_ARROW, _ELLIPSIS = "->", "..."
_TOKEN = re.compile("[()]|[^ ()]+")
_MOST_AXES, _MOST = 64, 2**63 - 1


class _Axis(typing.NamedTuple):
    """An axis of x or of the result: the names of the axes of which it consists, and its first and last index in the pattern."""
    names: tuple
    begin: int
    end: int


@functools.cache
def _error_type(of_einops):
    """ArgumentError that is also the EinopsError of einops, and is pickled as an ArgumentError."""
    made = type("ArgumentError", (ArgumentError, of_einops), {"__module__": ArgumentError.__module__})
    copyreg.pickle(made, lambda thrown: (ArgumentError, thrown.args))
    return made


def _error(message):
    """The exception for a pattern that is wrong or does not fit; it is also an EinopsError, once einops is imported."""
    of_einops = getattr(sys.modules.get("einops"), "EinopsError", None)
    return (_error_type(of_einops) if of_einops else ArgumentError)(message)


def _refuse(pattern, begin, end, allowed):
    raise _error(f"pattern is {pattern!r}; it must have {allowed}, unlike {pattern[begin:end]!r} at index {begin}")


def _is_name(token):
    return token.isidentifier() and token.replace("_", "").isalnum() and token.strip("_") == token


def _read_side(pattern, begin, end):
    """Returns the axes of one side of a pattern, and the index of each name."""
    axes, places, group, opened = [], {}, None, begin
    for match in _TOKEN.finditer(pattern, begin, end):
        token, at = match[0], match.start()
        if token == "(":
            if group is not None:
                _refuse(pattern, at, at + 1, "parentheses that are not nested")
            group, opened = [], at
        elif token == ")":
            if group is None:
                _refuse(pattern, at, at + 1, "balanced parentheses")
            axes.append(_Axis(tuple(group), opened, at + 1))
            group = None
        else:
            is_unit = token.isdecimal() and int(token) == 1
            if not (is_unit or token == _ELLIPSIS or _is_name(token)):
                _refuse(pattern, at, match.end(), "only 1, ... and names, which are identifiers without _ at their ends")
            if token in places:
                _refuse(pattern, at, match.end(), "axes that appear once on a side")
            names = () if is_unit else (token,)
            places |= dict.fromkeys(names, at)
            if group is None:
                axes.append(_Axis(names, at, match.end()))
            else:
                group.extend(names)
    if group is not None:
        _refuse(pattern, opened, opened + 1, "balanced parentheses")
    return axes, places


@functools.lru_cache(maxsize=1024)
def _read(pattern):
    """Returns the axes of both sides of a pattern."""
    arrow = pattern.find(_ARROW)
    if arrow < 0:
        raise _error(f"pattern is {pattern!r}; it must have two sides with {_ARROW} between them")
    second = pattern.find(_ARROW, arrow + 1)
    if second >= 0:
        _refuse(pattern, second, second + len(_ARROW), f"one {_ARROW}")
    left, left_places = _read_side(pattern, 0, arrow)
    right, right_places = _read_side(pattern, arrow + len(_ARROW), len(pattern))
    for axis in left:
        if _ELLIPSIS in axis.names and pattern[axis.begin] == "(":
            _refuse(pattern, axis.begin, axis.end, "... outside parentheses on the left")
    for name, place in [*left_places.items(), *right_places.items()]:
        if name not in left_places or name not in right_places:
            _refuse(pattern, place, place + len(name), "the same axes on both sides")
    return left, right


def _numbered(count):
    """The names of the axes for which `...` stands. No axis of a pattern can have such a name."""
    return tuple(f"{_ELLIPSIS}{i}" for i in range(count))


def _expanded(pattern, rank):
    """Returns the axes of both sides of a pattern for arrays of a rank, with names in place of `...`."""
    left, right = _read(pattern)
    named = sum(axis.names != (_ELLIPSIS,) for axis in left)
    if rank < named or rank > named == len(left):
        least = "" if named == len(left) else " or more"
        raise _error(f"x.ndim is {rank}; it must be {named}{least}, as on the left of pattern {pattern!r}")
    rest = _numbered(rank - named)

    def with_names(side):
        for axis in side:
            names = tuple(itertools.chain(*(rest if name == _ELLIPSIS else (name,) for name in axis.names)))
            is_one = pattern[axis.begin] == "(" or _ELLIPSIS not in axis.names
            yield from [axis._replace(names=names)] if is_one else [axis._replace(names=(name,)) for name in names]

    return list(with_names(left)), list(with_names(right))


class Recipe(typing.NamedTuple):
    """What a pattern does with arrays of a rank. The axes into which those of x are split are numbered from left to right."""
    pattern: str
    left: tuple
    """the axes of x, each an _Axis"""
    order: tuple
    """the number of the split axis for each axis of the permuted array"""
    right: tuple
    """for each axis of the result, the numbers of the split axes of which it consists"""


@functools.lru_cache(maxsize=1024)
def _recipe(pattern, rank, given):
    left, right = _expanded(pattern, rank)
    names = [name for axis in left for name in axis.names]
    for name in given:
        if name == "out" and name not in names:
            raise _error("out is given; it must be left out, because rearrange always returns a new array")
        if name not in names or name.startswith(_ELLIPSIS):
            raise _error(f"{name} is given; it must be the name of an axis of pattern {pattern!r}")
    if len(names) > _MOST_AXES:
        raise _error(f"pattern is {pattern!r}; it must have at most {_MOST_AXES} axes, without parentheses")
    for axis in left:
        if sum(name not in given for name in axis.names) > 1:
            _refuse(pattern, axis.begin, axis.end, "parentheses with at most one name without a length")
    merged = tuple(tuple(names.index(name) for name in axis.names) for axis in right)
    return Recipe(pattern, tuple(left), tuple(itertools.chain(*merged)), merged)


def recipe(pattern, rank, given):
    """Returns the Recipe of a pattern for arrays of a rank, where lengths of axes are given for the names in a tuple."""
    expect_pattern(pattern)
    return _recipe(pattern, rank, given)


def _split(pattern, axis, number, extent, lengths):
    """Returns the extents of the axes of which an axis of x consists."""
    if len(axis.names) == 1 and axis.names[0] not in lengths:
        return (extent,)
    is_inferred = any(name not in lengths for name in axis.names)
    known = math.prod([lengths[name] for name in axis.names if name in lengths])
    if is_inferred and known == 0:
        _refuse(pattern, axis.begin, axis.end, "parentheses without a length of 0 if another length is inferred")
    if extent % known if is_inferred else extent != known:
        raise _error(f"x.shape[{number}] is {extent}; it must be {'a multiple of ' if is_inferred else ''}{known}, "
                     f"for {pattern[axis.begin:axis.end]!r} at index {axis.begin} of pattern {pattern!r}")
    return tuple([lengths[name] if name in lengths else extent // known for name in axis.names])


def shapes(recipe, shape, lengths):
    """Returns the extents into which each axis of x is split, and the shape of the result. Extents and lengths, a dict, may be
    symbols of a compiler."""
    split = tuple([_split(recipe.pattern, axis, number, shape[number], lengths) for number, axis in enumerate(recipe.left)])
    extents = [extent for each in split for extent in each]
    return split, tuple([math.prod([extents[number] for number in merged]) for merged in recipe.right])


@functools.lru_cache(maxsize=1024)
def steps(pattern, shape, lengths):
    """Returns the steps of `rearrange` for a pattern, the shape of x, and pairs of names and lengths: the extents into which each
    axis of x is split, the order of the split axes in the result, and the shape of the result."""
    lengths = dict(lengths)
    found = _recipe(pattern, len(shape), tuple(lengths))
    split, result = shapes(found, shape, lengths)
    return split, found.order, result


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
            read[name] = operator.index(length)
        except TypeError:
            raise ArgumentTypeError(f"{name} is {length!r}; it must be {allowed}") from None
        if not 0 <= read[name] <= _MOST:
            raise ArgumentError(f"{name} is {length}; it must be {allowed}")
    return read


def expect_pattern(pattern):
    """Raises TypeError unless a pattern is a str, ValueError unless it follows the grammar."""
    if not isinstance(pattern, str):
        raise ArgumentTypeError(f"pattern is of type {type(pattern).__qualname__}; it must be a str; x comes before it")
    _read(pattern)


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
