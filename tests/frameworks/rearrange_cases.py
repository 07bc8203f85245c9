"""What the tests of rearrange with pads, crops and swizzles share: patterns, lengths and limits, for arrays of 7 x 8 elements, and refusals."""

PATTERN, LENGTHS = "(m a) (k b) -> m k b a", {"a": 4, "b": 3}
CASES = [
    (PATTERN, LENGTHS, {"pad": 2}),
    (PATTERN, LENGTHS, {"pad": 2, "shape": (2, 1, 3, 3)}),
    ("a b -> b a", {}, {"shape": (5, 4)}),
    ("a b -> a b", {}, {"shape": (0, 4)}),
]
# The shape of an array of elements of 2 bytes, a pattern, keywords and the words.
REFUSED_TILES = [
    ((16, 128), "(m a) (k b) -> m k | a b", {"a": 8, "b": 64, "swizzle": "Sw<3,4,3>", "shape": (2, 2, 4, 64)},
     "shape[2] is 4; it must be 8, because a tile with a swizzle is whole"),
    ((2, 8, 64), "m | a (k b) -> m k a b", {"b": 48, "source_swizzle": "Sw<3,4,3>", "pad": 0},
     "x.shape[2] is 64; it must be 96, because a tile with a swizzle is whole"),
]
