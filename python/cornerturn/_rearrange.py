"""The patterns of `rearrange`. Their grammar is that of einops (https://einops.rocks); einops is not used.

The left side of a pattern names the axes of x, the right side those of the result. An axis is a name; `1` or `()`, for an axis of
extent 1; names in parentheses, for an axis that consists of these axes, the last one being the innermost; or `...`, for all axes
that are not named.
"""

import functools
import itertools
import math
import re
import typing

from ._cornerturn import ArgumentError

_ARROW, _ELLIPSIS = "->", "..."
_TOKEN = re.compile("[()]|[^ ()]+")
_MOST_AXES = 64


class _Axis(typing.NamedTuple):
    """An axis of x or of the result: the names of the axes of which it consists, and its first and last index in the pattern."""
    names: tuple
    begin: int
    end: int


def _refuse(pattern, begin, end, allowed):
    raise ArgumentError(f"pattern is {pattern!r}; it must have {allowed}, unlike {pattern[begin:end]!r} at index {begin}")


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
        raise ArgumentError(f"pattern is {pattern!r}; it must have two sides with {_ARROW} between them")
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
        raise ArgumentError(f"x.ndim is {rank}; it must be {named}{least}, as on the left of pattern {pattern!r}")
    rest = _numbered(rank - named)

    def with_names(side):
        for axis in side:
            names = tuple(itertools.chain(*(rest if name == _ELLIPSIS else (name,) for name in axis.names)))
            is_one = pattern[axis.begin] == "(" or _ELLIPSIS not in axis.names
            yield from [axis._replace(names=names)] if is_one else [axis._replace(names=(name,)) for name in names]

    return list(with_names(left)), list(with_names(right))


def _split(pattern, axis, number, extent, lengths):
    """Returns the extents of the axes of which an axis of x consists."""
    inferred = [name for name in axis.names if name not in lengths]
    if len(inferred) > 1:
        _refuse(pattern, axis.begin, axis.end, "parentheses with at most one name without a length")
    known = math.prod(lengths[name] for name in axis.names if name in lengths)
    if inferred and known == 0:
        _refuse(pattern, axis.begin, axis.end, "parentheses without a length of 0 if another length is inferred")
    if extent % known if inferred else extent != known:
        raise ArgumentError(f"x.shape[{number}] is {extent}; it must be {'a multiple of ' if inferred else ''}{known}, "
                            f"for {pattern[axis.begin:axis.end]!r} at index {axis.begin} of pattern {pattern!r}")
    return tuple(lengths[name] if name in lengths else extent // known for name in axis.names)


@functools.lru_cache(maxsize=1024)
def steps(pattern, shape, lengths):
    """Returns the steps of `rearrange` for a pattern, the shape of x, and pairs of names and lengths: the extents into which each
    axis of x is split, the order of the split axes in the result, and the shape of the result."""
    left, right = _expanded(pattern, len(shape))
    lengths = dict(lengths)
    names = [name for axis in left for name in axis.names]
    for name, length in lengths.items():
        if name == "out" and name not in names:
            raise ArgumentError("out is given; it must be left out, because rearrange always returns a new array")
        if name not in names or name.startswith(_ELLIPSIS):
            raise ArgumentError(f"{name} is {length}; it must be the length of an axis of pattern {pattern!r}")
    if len(names) > _MOST_AXES:
        raise ArgumentError(f"pattern is {pattern!r}; it must have at most {_MOST_AXES} axes, without parentheses")
    split = tuple(_split(pattern, axis, number, extent, lengths) for number, (axis, extent) in enumerate(zip(left, shape)))
    extents = dict(zip(names, (extent for extents in split for extent in extents)))
    order = tuple(names.index(name) for axis in right for name in axis.names)
    return split, order, tuple(math.prod(extents[name] for name in axis.names) for axis in right)
