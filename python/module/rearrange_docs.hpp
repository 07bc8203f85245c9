#pragma once

namespace cornerturn::python {

/// The docstrings of rearrange and plan_rearrange.
inline constexpr char const* kRearrange =
    R"doc(Splits, permutes and merges axes by a pattern. The grammar of patterns is that of einops.

The left side of the pattern names the axes of x, the right side those of the result. Parentheses split an axis of x into axes, or
merge axes of the result; the last one is the innermost. ... stands for all axes that are not named, in parentheses on the right
for their product. 1 or () is an axis of extent 1. https://einops.rocks explains the grammar with examples. Beyond it, the axes
after a | on a side are the axes of its tiles.

Parameters
----------
x : array, or list of arrays
    As in permute. The arrays of a list have the same shape and device; the list is their new first axis. If their dtypes differ,
    their framework promotes them first, as numpy.stack and torch.stack do.
pattern : str
    For example 'b h w c -> b c h w'. Both sides have the same names.
pad : number or bytes, optional
    Splits need not divide: the axes of x are padded at their ends by this value, or by the bytes of one element.
shape : sequence of int, optional
    The shape of the result, in elements. Its axes may be shorter than those of the pattern, which crops them: the inverse of pad.
bits : {8, 4, 2, 1}, optional
    With 4, 2 or 1, each byte of x holds several elements of its last axis, as does each byte of the result. Extents and lengths
    count elements. Unless each byte has elements of one axis of the pattern, a GPU moves them by way of a
    workspace of one or two bytes for each element.
order : {'little', 'big'}, optional
    The first of the elements in a byte is in its lowest bits, the default, or in its highest, as in numpy.packbits.
swizzle, source_swizzle : str, optional
    A swizzle of the tiles of the result, or of x, in CuTe's notation: with 'Sw<3,4,3>', byte i of a tile is at i ^ (i >> 3 & 0x70).
    Units have at least 16 bytes, and the boundaries of the swizzle's bits divide the axes of the tile. What `swizzle` wrote,
    `source_swizzle` reads.
out : array, optional
    The array that is filled, with any strides, the shape of the result and the dtype of x. The tiles of a swizzle are dense.
**axes_lengths : int
    The lengths of axes, by name. In parentheses on the left, one name may have none: its length follows from x. A keyword above is
    the length of an axis, too, if the pattern names an axis so.

Returns
-------
array
    out, or a new array in C order, never a view, with the framework, dtype and device of x.

Raises
------
ValueError
    The pattern does not follow the grammar, or does not fit the shape of x and the lengths. Where einops is imported, the
    exception is also an einops.EinopsError.
TypeError, BufferError, MemoryError, RuntimeError
    As permute.

Notes
-----
Each array of a list is copied to its place directly. But if neighbours in the result come from different arrays, as in
'b h w c -> h w c b', the arrays are stacked first, which is a second copy.

There is no parameter `threads`; `set_num_threads` limits the threads.

Examples
--------
>>> import cornerturn, numpy as np
>>> images = np.zeros((8, 224, 160, 3), np.uint8)
>>> cornerturn.rearrange(images, "b h w c -> b c h w").shape
(8, 3, 224, 160)
>>> cornerturn.rearrange(images, "b (h p) (w q) c -> (b h w) (p q c)", p=16, q=16).shape
(1120, 768)
>>> cornerturn.rearrange(list(images), "b ... -> ... b").shape
(224, 160, 3, 8)
>>> tiles = cornerturn.rearrange(np.ones((5, 6)), "(m a) (k b) -> m k a b", a=4, b=4, pad=0)
>>> tiles.shape, cornerturn.rearrange(tiles, "m k a b -> (m a) (k b)", shape=(5, 6)).shape
((2, 2, 4, 4), (5, 6))
>>> cornerturn.rearrange(np.zeros((16, 128), np.float16), "(m a) (k b) -> m k | a b", a=8, b=64, swizzle="Sw<3,4,3>").shape
(2, 2, 8, 64)
>>> cornerturn.rearrange(images, "b h w c -> b c h")
Traceback (most recent call last):
cornerturn.ArgumentError: pattern is 'b h w c -> b c h'; it must have the same axes on both sides, unlike 'w' at index 4
)doc";

inline constexpr char const* kPlanRearrange = R"doc(Describes what rearrange runs for arrays like x. No element moves.

Parameters
----------
x, pattern, pad, shape, swizzle, source_swizzle, **axes_lengths : optional
    As in rearrange, but x is no list of arrays, and has strides that are multiples of its item size.
effort : {'estimate', 'measure'}, optional
    With 'measure' the candidates are timed, and the fastest is stored for later plans and for other processes of the user.

Returns
-------
str
    One line, as Plan.describe returns.

Raises
------
ValueError, TypeError, MemoryError, RuntimeError
    As rearrange and plan.

Examples
--------
>>> import cornerturn, numpy as np
>>> "padded from 5" in cornerturn.plan_rearrange(np.zeros((5, 6)), "(m a) k -> m k a", a=4, pad=0)
True
)doc";

}  // namespace cornerturn::python
