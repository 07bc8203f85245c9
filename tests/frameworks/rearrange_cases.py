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
    ((0, 16), "a b -> | a b", {"swizzle": "Sw<3,3,3>"},
     "swizzle is 'Sw<3,3,3>'; it must be one of units of at least 16 bytes and of 1 to 5 bits, e.g. Sw<3,4,3>"),
    ((0, 8, 7), "(m a) | b c -> m a b c", {"a": 2, "m": 1, "source_swizzle": "Sw<1,4,3>", "pad": 0},
     "the tile of source_swizzle is 8x7 elements of 2 bytes; it must be of axes that 16 bytes divide, as a boundary of the bits of "
     "'Sw<1,4,3>'"),
]
