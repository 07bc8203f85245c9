"""Random calls with arrays at every address within a cache line, against NumPy. Some results are so large that they are stored past the
caches."""

import collections
import math

import ml_dtypes
import numpy as np
from test_fp8 import expect_same, numbers, reference

import cornerturn
import cornerturn.fp8

LINE = 64  # bytes
CASES = 2 * LINE
LARGE = 9 << 19  # bytes of a large result
DTYPES = [np.dtype(each) for each in ("u1", "u2", "f4", "f8", "c16", "V3")]
# The dtype of the source, and what permute does to its elements. All results are exact.
CHANGES = [("f4", {"dtype": "f8"}), ("f8", {"dtype": "f4"}), ("f4", {"dtype": "f2"}), ("f2", {"dtype": "f4"}), ("u1", {"dtype": "f4"}),
           ("f4", {"dtype": "u1"}), ("i2", {"dtype": "f4"}), ("f4", {"dtype": "bfloat16"}), ("f4", {"alpha": 2}), ("f8", {"alpha": 3}),
           ("f4", {"alpha": 2, "beta": 1}), ("f8", {"beta": 3}), ("i4", {"beta": 1}), ("c8", {"conj": True}), ("c16", {"alpha": 2j}),
           ("c8", {"alpha": 1j, "beta": 2})]


class Cases:
    """Draws cases from seeds, and counts what it has drawn."""

    def __init__(self, count=CASES):
        self.count = count
        self.counts = collections.Counter()
        self.places = {"source": set(), "out": set()}

    def __iter__(self):
        for self.number in range(self.count):
            self.random = np.random.default_rng(self.number)
            self.is_large = self.number % 16 == 5
            yield self.number
        assert all(len(each) in (0, LINE) for each in self.places.values()) and self.places["source"]

    def below(self, most):
        """A number from 1 to `most`."""
        return int(self.random.integers(1, most + 1))

    def shape_and_axes(self, itemsize):
        """One to four axes of at most 60,000 bytes; or two of a large result, with a few elements inside or outside them."""
        left = (LARGE if self.is_large else self.below(60_000)) // itemsize + 1
        if self.is_large:
            few, rows = self.below(4), self.below(700)
            shape = [left // few // rows + 1, rows, few] if self.number % 3 else [few, rows, left // few // rows + 1]
            self.counts["large"] += math.prod(shape) * itemsize > 4 << 20
        else:
            shape = [1] * self.below(4)
            for axis in range(len(shape)):
                shape[axis] = self.below(min(left, 200))
                left //= shape[axis]
        exchanges_first_two = self.is_large and self.random.random() < 0.5
        return shape, [1, 0, 2] if exchanges_first_two else self.random.permutation(len(shape)).tolist()

    def placed(self, name, array):
        """A copy at another address within a cache line each time, and a function that says whether the bytes beside it are whole."""
        offset = (self.number * {"source": 1, "out": 27}[name] + len(name)) % LINE
        self.places[name].add(offset)
        memory = np.full(array.nbytes + 3 * LINE, 0xC3, np.uint8)
        begin = LINE - memory.ctypes.data % LINE + offset
        result = memory[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
        result[...] = array
        assert result.ctypes.data % LINE == offset
        return result, lambda: (memory[:begin] == 0xC3).all() and (memory[begin + array.nbytes:] == 0xC3).all()

    def small_numbers(self, shape, dtype):
        values = self.random.integers(0, 60, shape, np.int8)
        return (values + 1j * values[::-1] if dtype.kind == "c" else values).astype(dtype)

    def bits(self, shape, dtype):
        return np.frombuffer(self.random.bytes(math.prod(shape) * dtype.itemsize), np.uint8).view(dtype).reshape(shape)


def test_permutations():
    cases = Cases()
    for number in cases:
        dtype = DTYPES[cases.random.integers(len(DTYPES))]
        shape, axes = cases.shape_and_axes(dtype.itemsize)
        x, _ = cases.placed("source", cases.bits(shape, dtype))
        wanted = x.transpose(axes)
        out, is_whole = cases.placed("out", np.zeros(wanted.shape, dtype))
        cornerturn.permute(x, axes, out=out)
        assert out.tobytes() == wanted.tobytes() and is_whole(), (number, shape, axes, dtype)
    assert cases.counts["large"] == cases.count // 16


def test_elements_that_change():
    cases = Cases()
    for number in cases:
        source, change = CHANGES[(number + number // len(CHANGES)) % len(CHANGES)]
        cases.counts[source, str(change)] += 1
        source, made = np.dtype(source), np.dtype(getattr(ml_dtypes, "bfloat16") if change.get("dtype") == "bfloat16"
                                                  else change.get("dtype", source))
        shape, axes = cases.shape_and_axes(made.itemsize)
        x, _ = cases.placed("source", cases.small_numbers(shape, source))
        moved = x.transpose(axes)
        old = cases.small_numbers(moved.shape, made)
        out, is_whole = cases.placed("out", old)
        cornerturn.permute(x, axes, out=out, **change)
        wide = np.dtype("D" if made.kind == "c" else "d")
        wanted = change.get("alpha", 1) * (moved.conj() if change.get("conj") else moved).astype(wide)
        if "beta" in change:
            wanted += change["beta"] * old.astype(wide)
        assert np.array_equal(out, wanted.astype(made)) and is_whole(), (number, shape, axes, source, change)
    assert cases.counts.pop("large") == cases.count // 16
    assert len(cases.counts) == len(CHANGES) and set(cases.counts.values()) == {cases.count // len(CHANGES)}


def test_arrays_in_place():
    """Half are squares; half of these are some tiles and one or two cache lines long, so that all rows begin at one place within a line."""
    cases = Cases(3 * CASES)
    for number in cases:
        dtype = DTYPES[cases.random.integers(len(DTYPES))]
        if number % 2:
            shape, axes = cases.shape_and_axes(dtype.itemsize)
        else:
            tile, line = 2048 // max(4, dtype.itemsize), LINE // dtype.itemsize
            shape, axes = [cases.below(600) if number % 4 else cases.below(2) * tile + cases.below(2) * line] * 2, [1, 0]
            cases.counts["squares"] += 1
        x, is_whole = cases.placed("source", cases.bits(shape, dtype))
        wanted = x.transpose(axes).copy()
        result = cornerturn.permute_inplace(x, axes)
        assert result.shape == wanted.shape and result.tobytes() == wanted.tobytes() and is_whole(), (number, shape, axes, dtype)
    assert cases.counts == {"squares": cases.count // 2, "large": cases.count // 16}


def test_quantised_matrices():
    cases = Cases()
    for number in cases:
        source = [np.float32, np.float16, ml_dtypes.bfloat16][number % 3]
        is_large = number == 5  # once, because the definition takes long
        block = (128, 128) if is_large else [(1, 128), (128, 128), (1, None)][cases.random.integers(3)]
        shape = (2300, 2100) if is_large else (cases.below(50), cases.below(300))
        cases.counts[source, block] += 1
        x, _ = cases.placed("source", numbers(shape, source, number))
        result = cornerturn.fp8.quantize(x, block=block, outputs="both")
        for each, given in ((result.rows, x), (result.columns, np.ascontiguousarray(x.T))):
            values, scales = reference(given, "float8_e4m3fn", block)
            expect_same(each.values, values)
            np.testing.assert_array_equal(each.scales, scales)
    assert len(cases.counts) == 9
