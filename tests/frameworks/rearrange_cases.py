"""What the tests of rearrange with pads and crops share: patterns, lengths and limits, for arrays of 7 x 8 elements."""

PATTERN, LENGTHS = "(m a) (k b) -> m k b a", {"a": 4, "b": 3}
CASES = [
    (PATTERN, LENGTHS, {"pad": 2}),
    (PATTERN, LENGTHS, {"pad": 2, "shape": (2, 1, 3, 3)}),
    ("a b -> b a", {}, {"shape": (5, 4)}),
    ("a b -> a b", {}, {"shape": (0, 4)}),
]
