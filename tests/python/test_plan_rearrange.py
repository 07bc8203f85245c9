"""What `rearrange` runs, as `plan_rearrange` tells it beforehand."""

import cornerturn
import numpy as np
import pytest

SCALES = np.zeros((300, 8), np.uint8)
TILES, LENGTHS = "(m a b) (k c) -> m k b a c", {"a": 4, "b": 32, "c": 4}


def test_a_padded_array():
    told = cornerturn.plan_rearrange(SCALES, TILES, pad=0, **LENGTHS)
    assert told.startswith("shape (3, 2, 32, 4, 4), byte strides (1024, 4, 8, 256, 1) to (1024, 512, 16, 4, 1), elements of 1 byte, padded from 300")
    assert "boxes of indices: 3 copied, 2 padded" in told


def test_a_cropped_and_a_swizzled_array():
    assert "cropped to 6" in cornerturn.plan_rearrange(SCALES, "a b -> b a", shape=(6, 300))
    assert "result swizzled" in cornerturn.plan_rearrange(np.zeros((16, 128), np.float16), "(m a) (k b) -> m k | a b", a=8, b=64, swizzle="Sw<3,4,3>")


def test_an_array_of_whole_tiles():
    told = cornerturn.plan_rearrange(SCALES, "a b -> b a")
    assert told == cornerturn.plan(SCALES, (1, 0)).describe()
    assert cornerturn.plan_rearrange(SCALES[:0], "a b -> b a", pad=0) == "nothing to move"


def test_arrays_that_rearrange_would_copy_first_are_refused():
    fields = np.zeros(5, [("a", "u1"), ("b", "i4")])["b"]
    with pytest.raises(ValueError, match=r"^x.strides is \(5,\); it must be multiples of the item size, and tiles"):
        cornerturn.plan_rearrange(fields, "a -> a")
    assert cornerturn.plan_rearrange(memoryview(bytes(6)), "(a b) -> b a", a=2) == cornerturn.plan_rearrange(np.zeros(6, "u1"), "(a b) -> b a", a=2)
    with pytest.raises(TypeError, match="^x is of type list"):
        cornerturn.plan_rearrange([SCALES], "a b -> b a")


@pytest.mark.parametrize("given, error, words", [
    ({"shape": ()}, ValueError, r"shape is \(\); it must be 2 lengths, as the result has axes"),
    ({"pad": np.int64(300)}, TypeError, r"pad is np.int64\(300\); it must be a value of dtype uint8, or the bytes of one"),
    ({"effort": "most"}, ValueError, "effort is 'most'; it must be 'estimate' or 'measure'"),
    ({"pad": "x"}, TypeError, "pad is 'x'; it must be a value of dtype uint8, or the bytes of one"),
    ({"q": 2}, ValueError, "q is given; it must be the name of an axis of pattern 'a b -> b a'"),
], ids=str)
def test_words(given, error, words):
    with pytest.raises(error, match=f"^{words}$"):
        cornerturn.plan_rearrange(SCALES, "a b -> b a", **given)
