"""rearrange with pads, crops and packed elements, against NumPy on unpacked elements."""

import collections
import re

import cornerturn
import numpy as np
import pytest
from arrays import any_view, same


def unpacked(x, bits, order):
    """The elements of each byte, along the last axis."""
    of_byte = np.unpackbits(x[..., None], axis=-1, bitorder=order).reshape(*x.shape, 8 // bits, bits).astype(np.uint8)
    weights = 2 ** (np.arange(bits) if order == "little" else np.arange(bits)[::-1])
    return (of_byte * weights.astype(np.uint8)).sum(-1, dtype=np.uint8).reshape(*x.shape[:-1], x.shape[-1] * 8 // bits)


def packed(elements, bits, order):
    count = 8 // bits
    shifts = bits * (np.arange(count) if order == "little" else np.arange(count)[::-1]).astype(np.uint8)
    return np.bitwise_or.reduce(elements.reshape(*elements.shape[:-1], elements.shape[-1] // count, count) << shifts, axis=-1, dtype=np.uint8)


def by_numpy(x, groups, extents, right, pad, shape):
    """Pads, splits, permutes, merges and crops an array of elements. `groups` and `right` have the names of each axis."""
    whole = [int(np.prod([extents[name] for name in group], dtype=int)) for group in groups]
    if pad is not None:
        x = np.pad(x, [(0, most - extent) for most, extent in zip(whole, x.shape)], constant_values=pad)
    names = [name for group in groups for name in group]
    x = x.reshape([extents[name] for name in names]).transpose([names.index(name) for group in right for name in group])
    x = x.reshape([int(np.prod([extents[name] for name in group], dtype=int)) for group in right])
    return x if shape is None else x[tuple(slice(extent) for extent in shape)]


def text_of(groups):
    return " ".join(group[0] if len(group) == 1 else f"({' '.join(group)})" for group in groups)


class Call:
    """A random call that follows the rules, and what it has."""

    def __init__(self, rng):
        self.bits = int(rng.choice([8, 8, 8, 4, 2, 1]))
        self.order = str(rng.choice(["little", "big"]))
        per_byte = 8 // self.bits
        names = iter("abcdefghijklmnop")
        self.groups = [[next(names) for _ in range(rng.integers(1, 4))] for _ in range(rng.integers(1, 4))]
        self.extents = {name: int(rng.integers(1, 6)) for group in self.groups for name in group}
        for name in rng.choice(list(self.extents), 2):
            if rng.random() < 0.7:
                self.extents[str(name)] *= per_byte
        lengths, shape = {}, []
        self.is_padded = rng.random() < 0.5
        for i, group in enumerate(self.groups):
            whole = int(np.prod([self.extents[name] for name in group]))
            inferred = str(rng.choice(group)) if rng.random() < 0.6 else None
            lengths |= {name: self.extents[name] for name in group if name != inferred}
            step = per_byte if i + 1 == len(self.groups) else 1
            least = whole - whole // self.extents[inferred] + 1 if inferred else 0
            sizes = [size for size in range(least, whole + 1) if size % step == 0]
            shape.append(int(rng.choice(sizes)) if self.is_padded and sizes else whole)
        self.lengths, self.shape = lengths, shape
        order = [str(name) for name in rng.permutation(list(self.extents))]
        ends = sorted({len(order), *(int(end) for end in rng.integers(1, len(order) + 1, 2))})
        self.right = [order[begin:end] for begin, end in zip([0, *ends], ends)]
        merged = [int(np.prod([self.extents[name] for name in group])) for group in self.right]
        self.result_shape = None
        if rng.random() < 0.4:
            self.result_shape = [int(rng.integers(0, extent + 1)) for extent in merged]
            self.result_shape[-1] -= self.result_shape[-1] % per_byte
        self.is_whole = shape[-1] % per_byte == 0 and (self.result_shape or merged)[-1] % per_byte == 0
        self.is_limited = shape != [int(np.prod([self.extents[name] for name in group])) for group in self.groups]
        self.pattern = f"{text_of(self.groups)} -> {text_of(self.right)}"
        self.pad = int(rng.integers(0, 2**min(self.bits, 7))) if self.is_padded else None

    def run(self, x):
        return cornerturn.rearrange(x, self.pattern, pad=self.pad, shape=self.result_shape, bits=self.bits, order=self.order, **self.lengths)

    def wanted(self, elements):
        return by_numpy(elements, self.groups, self.extents, self.right, self.pad, self.result_shape)


def test_random_patterns_with_pads_crops_and_bits():
    rng, drawn = np.random.default_rng(57), collections.Counter()
    while drawn["moved"] < 1500:
        call = Call(rng)
        if not call.is_whole:
            drawn["in parts of bytes"] += 1
            continue
        if call.bits == 8:
            x = any_view(rng, tuple(call.shape), np.dtype(str(rng.choice(["u1", "i2", "f4", "c16", ">i4"]))))
            result, wanted = call.run(x), call.wanted(x)
        else:
            shape = (*call.shape[:-1], call.shape[-1] * call.bits // 8)
            x = rng.integers(0, 256, (2 * shape[0], *shape[1:]), np.uint8)[::2] if len(shape) > 1 else rng.integers(0, 256, shape, np.uint8)
            result, wanted = call.run(x), packed(call.wanted(unpacked(x, call.bits, call.order)), call.bits, call.order)
        assert same(result, np.ascontiguousarray(wanted)), (call.pattern, call.lengths, call.shape, call.result_shape, call.bits, call.order)
        drawn.update({"moved": 1, "padded": call.is_limited, "cropped": call.result_shape is not None, f"{call.bits} bits": 1,
                      "padded and packed": call.is_limited and call.bits < 8, "empty": result.size == 0,
                      "padded and cropped": call.is_limited and call.result_shape is not None})
    assert min(drawn[what] for what in ("padded", "cropped", "4 bits", "2 bits", "1 bits", "padded and packed", "padded and cropped")) >= 50, drawn


@pytest.mark.parametrize("bits, order, shape", [(4, "little", (64, 96)), (4, "big", (6, 34)), (2, "little", (40, 64)), (1, "little", (128, 72)),
                                                (1, "big", (8, 1000)), (1, "big", (1000, 8)), (4, "little", (3, 1000, 600))], ids=str)
def test_transposed_matrices_of_packed_elements(bits, order, shape):
    x = np.random.default_rng(0).integers(0, 256, (*shape[:-1], shape[-1] * bits // 8), np.uint8)
    wanted = packed(np.swapaxes(unpacked(x, bits, order), -1, -2), bits, order)
    assert same(cornerturn.rearrange(x, "... m k -> ... k m", bits=bits, order=order), wanted)


def test_bits_have_numpy_s_orders():
    rows = np.random.default_rng(0).random((16, 24)) < 0.5
    for order in ("little", "big"):
        columns = cornerturn.rearrange(np.packbits(rows, -1, order), "m k -> k m", bits=1, order=order)
        assert same(np.unpackbits(columns, axis=-1, bitorder=order).astype(bool), np.ascontiguousarray(rows.T))


def test_a_pad_in_the_dtype_of_x():
    for dtype, pad in (("f4", -0.5), ("f8", np.nan), ("c16", 1 - 2j), (">i4", 258), ("?", True), ("U3", "abc"), ("M8[D]", "2026-01-02")):
        x = np.zeros(3, dtype)
        result = cornerturn.rearrange(x, "(a b) -> a b", b=2, pad=pad)
        assert result.dtype == x.dtype and result[1, 1:].tobytes() == np.array([pad], dtype).tobytes()
    assert cornerturn.rearrange(np.zeros(3, "u4"), "(a b) -> a b", b=2, pad=b"\1\2\3\4")[1, 1] == 0x04030201
    assert cornerturn.rearrange([np.ones(3), np.zeros(3)], "l (a b) -> a (b l)", b=2, pad=7).tolist() == [[1, 0, 1, 0], [1, 0, 7, 7]]


def test_keywords_that_the_pattern_names_are_lengths():
    x = np.arange(24).reshape(2, 12)
    result = cornerturn.rearrange(x, "shape (order bits pad) -> pad bits order shape", bits=2, pad=3)
    assert same(result, x.reshape(2, 2, 2, 3).transpose(3, 2, 1, 0).copy())


X = np.zeros((4, 6), np.uint8)


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.rearrange(X, "(a b) c -> a b c", b=3), ValueError,
     "x.shape[0] is 4; it must be a multiple of 3, for '(a b)' at index 0 of pattern '(a b) c -> a b c'"),
    (lambda: cornerturn.rearrange(X, "(a b) c -> a b c", a=1, b=3, pad=0), ValueError,
     "x.shape[0] is 4; it must be 3 or less, for '(a b)' at index 0 of pattern '(a b) c -> a b c'"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", shape=(6, 5)), ValueError,
     "shape[1] is 5; it must be from 0 to 4, the extent that the pattern makes"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", shape=(6,)), ValueError,
     "the length of shape is 1; it must be 2, as on the right of pattern 'a b -> b a'"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", shape=4), TypeError, "shape is of type int; it must be a sequence of integers"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad="x"), TypeError,
     "pad is 'x'; it must be a value of dtype uint8, or the bytes of one"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad=b"12"), ValueError, "pad is b'12'; it must be 1 bytes, as an element of x"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", pad=16, bits=4), ValueError,
     "pad is 16; it must be an integer from 0 to 15 for elements of 4 bits"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", bits=3), ValueError, "bits is 3; it must be 8, 4, 2 or 1"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", bits=16), ValueError, "bits is 16; it must be an integer from 1 to 8"),
    (lambda: cornerturn.rearrange(X, "a b -> b a", order="C"), ValueError, "order is 'C'; it must be 'little' or 'big'"),
    (lambda: cornerturn.rearrange(X.astype("f4"), "a b -> b a", bits=4), TypeError, "x.itemsize is 4; it must be 1 for packed elements"),
    (lambda: cornerturn.rearrange(X[:3], "a b -> b a", bits=4), ValueError,
     "the last extent of the result is 3; it must be a multiple of 2, whole bytes"),
    (lambda: cornerturn.rearrange(X[:, ::2], "a b -> b a", bits=4), ValueError, "x.strides[1] is 4; it must be 1 for packed elements"),
    (lambda: cornerturn.rearrange(3, "a b -> b a", pad=0), TypeError,
     "x is of type int; it must be an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__, e.g. np.asarray(x)"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert isinstance(caught.value, cornerturn.Error)
