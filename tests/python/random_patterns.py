"""Random calls of rearrange with pads, crops, swizzles and packed elements, against NumPy on unpacked elements. To run many of them, and to
count what was drawn: python tests/python/random_patterns.py 20000. With --cuda the arrays are PyTorch's on a GPU.
"""

import collections
import sys

import cornerturn
import numpy as np
from arrays import any_view, same

DTYPES = ("u1", "i2", "f4", "f8", "c16", ">i4", "S3", "V5")


def unpacked(x, bits, order):
    """The elements of each byte, along the last axis."""
    of_byte = np.unpackbits(x[..., None], axis=-1, bitorder=order).reshape(*x.shape, 8 // bits, bits).astype(np.uint8)
    weights = 2 ** (np.arange(bits) if order == "little" else np.arange(bits)[::-1])
    return (of_byte * weights.astype(np.uint8)).sum(-1, dtype=np.uint8).reshape(*x.shape[:-1], x.shape[-1] * 8 // bits)


def packed(elements, bits, order):
    count = 8 // bits
    shifts = bits * (np.arange(count) if order == "little" else np.arange(count)[::-1]).astype(np.uint8)
    return np.bitwise_or.reduce(elements.reshape(*elements.shape[:-1], elements.shape[-1] // count, count) << shifts, axis=-1, dtype=np.uint8)


def swizzled(x, axes, bits, base, shift):
    """The array whose tiles, the last `axes` axes, have byte i at the place that CuTe's Swizzle<bits, base, shift> gives i."""
    tiles = np.ascontiguousarray(x).reshape(-1, product(x.shape[x.ndim - axes:])).view(np.uint8)
    places = np.arange(tiles.shape[1])
    places ^= (places >> (base + max(shift, 0)) & (1 << bits) - 1) << (base + max(-shift, 0))
    result = np.empty_like(tiles)
    result[:, places] = tiles
    return result.view(x.dtype).reshape(x.shape)


def product(extents):
    return int(np.prod(list(extents), dtype=np.int64))


class Call:
    """A random call that follows the rules. An axis is a list of names; those within `...` are numbers."""

    def __init__(self, rng):
        self.bits = int(rng.choice([8, 8, 8, 4, 2, 1]))
        self.order = str(rng.choice(["little", "big"]))
        self.per_byte = 8 // self.bits
        self.dtype = np.dtype(str(rng.choice(DTYPES))) if self.bits == 8 else np.dtype("u1")
        self.swizzles, self.tiles = {}, {"swizzle": 0, "source_swizzle": 0}
        if rng.random() < 0.5:
            for name in self.tiles if rng.random() < 0.2 else [str(rng.choice(list(self.tiles)))]:
                bits = int(rng.integers(1, 4))
                self.swizzles[name] = (bits, int(rng.integers(4, 6)), int(rng.integers(bits, 5)) * int(rng.choice([1, 1, -1])))
        names = iter("abcdefghijklmnop")
        self.left = [[next(names) for _ in range(rng.integers(1, 4))] for _ in range(rng.integers(1, 4))]
        tokens = [name for group in self.left for name in group]
        self.dots = list(range(int(rng.integers(0, 3)))) if rng.random() < 0.25 else None
        if self.dots is not None:
            self.left.insert(int(rng.integers(len(self.left) + 1)), ["..."])
            tokens.append("...")
        self.extents = {name: int(rng.choice([1, 2, 3, 4, 8, 16, 32])) if self.swizzles else self.extent(rng)
                        for name in [token for token in tokens if token != "..."] + (self.dots or [])}
        for name in rng.choice(list(self.extents), 2):
            if rng.random() < 0.7:
                name = int(name) if name.isdigit() else str(name)
                self.extents[name] *= self.per_byte * int(rng.choice([1, 1, 1, 8, 12]))
        tokens = [str(token) for token in rng.permutation(tokens)]
        ends = sorted({len(tokens), *(int(end) for end in rng.integers(1, len(tokens) + 1, 2))})
        self.right = [tokens[begin:end] for begin, end in zip([0, *ends], ends)]
        for side in (self.left, self.right):
            if rng.random() < 0.15:
                side.insert(int(rng.integers(len(side) + 1)), [])
        texts = [[self.text_of(group, rng) for group in side] for side in (self.left, self.right)]
        for name, side, text in (("source_swizzle", self.left, texts[0]), ("swizzle", self.right, texts[1])):
            if name in self.swizzles:
                first = int(rng.integers(len(side)))
                self.tiles[name] = len(self.expanded(side[first:]))
                text.insert(first, "|")
        self.pattern = " -> ".join(" ".join(text) for text in texts)
        self.choose_lengths(rng)
        merged = [product(self.extents[name] for name in group) for group in self.expanded(self.right)]
        self.result_shape = None
        if rng.random() < 0.4:
            least = 0 if rng.random() < 0.05 else 0.5
            self.result_shape = [int(rng.integers(int(np.ceil(least * extent)), extent + 1)) for extent in merged]
            self.result_shape[-1] -= self.result_shape[-1] % self.per_byte
            whole = len(merged) - self.tiles["swizzle"]
            self.result_shape[whole:] = merged[whole:]
        ends = [*self.shape[-1:], *(self.result_shape or merged)[-1:]]
        self.is_whole = len(ends) == 2 and all(end % self.per_byte == 0 for end in ends) and all(
            self.fits(side, name) for name, side in (("swizzle", self.right), ("source_swizzle", self.left)) if name in self.swizzles)
        self.pad = int(rng.integers(0, 2**min(self.bits, 7))) if self.may_pad else None

    def fits(self, side, name):
        """Whether the bits of a swizzle begin and end within axes of the tile that they divide."""
        bits, base, shift = self.swizzles[name]
        strides, groups = [self.dtype.itemsize * self.bits], self.expanded(side)
        for axis in reversed([axis for group in groups[len(groups) - self.tiles[name]:] for axis in group]):
            strides.append(strides[-1] * self.extents[axis])
        flipped, selecting = (base, base + shift) if shift > 0 else (base - shift, base)
        ends = [*range(flipped, flipped + bits + 1), *(bit for bit in (selecting, selecting + bits) if 8 << bit < strides[-1])]
        return all(any(8 << bit in range(low, high + 1, low) and high % (8 << bit) == 0 for low, high in zip(strides, strides[1:]))
                   for bit in ends)

    @staticmethod
    def extent(rng):
        return int(rng.choice([rng.integers(1, 6), 0, rng.integers(30, 80)], p=[0.95, 0.01, 0.04]))

    def expanded(self, side):
        """The groups of a side, with an axis for each of those in `...`, unless it is in parentheses with others."""
        result = []
        for group in side:
            if group == ["..."]:
                result += [[number] for number in self.dots]
            else:
                result.append([each for name in group for each in (self.dots if name == "..." else [name])])
        return result

    @staticmethod
    def text_of(group, rng):
        if not group:
            return str(rng.choice(["1", "()"]))
        return group[0] if len(group) == 1 else f"({' '.join(group)})"

    def choose_lengths(self, rng):
        """Draws which lengths are given, and the shape of the source."""
        self.may_pad = rng.random() < 0.5
        self.lengths, self.shape, self.is_padded = {}, [], False
        groups = self.expanded(self.left)
        for i, group in enumerate(groups):
            whole = product(self.extents[name] for name in group)
            is_named = group and isinstance(group[0], str)
            inferred = str(rng.choice(group)) if is_named and (rng.random() < 0.6 or len(group) == 1) else None
            if inferred and any(self.extents[name] == 0 for name in group if name != inferred):
                inferred = None
            if is_named:
                self.lengths |= {name: self.extents[name] for name in group if name != inferred}
            step = self.per_byte if i + 1 == len(groups) else 1
            least = whole - whole // max(1, self.extents[inferred]) + 1 if inferred else 0
            sizes = range(-(-least // step) * step, whole + 1, step)
            may_be_short = self.may_pad and is_named and i < len(groups) - self.tiles["source_swizzle"]
            is_short = may_be_short and whole > 0 and len(sizes) and not (inferred and len(group) == 1)
            self.shape.append(int(rng.choice(sizes)) if is_short else whole)
            self.is_padded |= self.shape[-1] != whole

    def array(self, rng):
        """An array of the shape: any view of elements of whole bytes, or packed elements with strides between rows."""
        if self.bits == 8:
            return any_view(rng, tuple(self.shape), self.dtype)
        shape = (*self.shape[:-1], self.shape[-1] // self.per_byte)
        if len(shape) == 1:
            return rng.integers(0, 256, shape, np.uint8)
        order = rng.permutation(len(shape) - 1)
        whole = rng.integers(0, 256, (*(2 * shape[axis] for axis in order), shape[-1]), np.uint8)
        x = whole.transpose(*np.argsort(order), len(order))[tuple(slice(None, None, int(rng.choice([2, -2]))) for _ in order)]
        return np.broadcast_to(x[:1], x.shape) if rng.random() < 0.1 else x

    def run(self, x):
        return cornerturn.rearrange(x, self.pattern, pad=self.value(self.dtype), shape=self.result_shape, bits=self.bits, order=self.order,
                                    **{name: "Sw<{},{},{}>".format(*each) for name, each in self.swizzles.items()}, **self.lengths)

    def value(self, dtype):
        """The pad, or the bytes of an element if it is no number."""
        if self.pad is None or dtype.kind not in "SV":
            return self.pad
        return bytes([self.pad]) * dtype.itemsize

    def wanted(self, x):
        if "source_swizzle" in self.swizzles:
            x = swizzled(x, self.tiles["source_swizzle"], *self.swizzles["source_swizzle"])
        elements = x if self.bits == 8 else unpacked(x, self.bits, self.order)
        groups = self.expanded(self.left)
        if self.pad is not None:
            whole = [product(self.extents[name] for name in group) for group in groups]
            value = np.frombuffer(self.value(x.dtype), x.dtype)[0] if x.dtype.kind in "SV" else self.pad
            padded = np.full(whole, value, elements.dtype)
            padded[tuple(slice(extent) for extent in elements.shape)] = elements
            elements = padded
        names = [name for group in groups for name in group]
        right = self.expanded(self.right)
        turned = elements.reshape([self.extents[name] for name in names]).transpose([names.index(name) for group in right for name in group])
        turned = turned.reshape([product(self.extents[name] for name in group) for group in right])
        if self.result_shape is not None:
            turned = turned[tuple(slice(extent) for extent in self.result_shape)]
        result = np.ascontiguousarray(turned if self.bits == 8 else packed(turned, self.bits, self.order)).reshape(
            turned.shape if self.bits == 8 else (*turned.shape[:-1], turned.shape[-1] // self.per_byte))
        return swizzled(result, self.tiles["swizzle"], *self.swizzles["swizzle"]) if "swizzle" in self.swizzles else result

    def drawn(self, x, result):
        """What the call has, as counts."""
        size = "0" if result.size == 0 else next(text for most, text in ((100, "at most 100"), (1e4, "at most 10 000"), (1e6, "at most 1 000 000"),
                                                                         (float("inf"), "more")) if result.nbytes <= most)
        is_cropped = self.result_shape is not None
        moved = [name for group in self.expanded(self.right) for name in group]
        return {"moved": 1, f"{self.bits} bits": 1, f"order {self.order}": self.bits < 8, "padded": self.is_padded, "cropped": is_cropped,
                "padded and cropped": self.is_padded and is_cropped, "padded and packed": self.is_padded and self.bits < 8,
                "cropped and packed": is_cropped and self.bits < 8, "transposed squares": self.bits < 8 and not (self.is_padded or is_cropped or self.swizzles),
                "swizzled": "swizzle" in self.swizzles, "source swizzled": "source_swizzle" in self.swizzles,
                "both swizzled": len(self.swizzles) == 2, "swizzled and padded": bool(self.swizzles) and self.is_padded,
                "swizzled and cropped": bool(self.swizzles) and is_cropped, "swizzled and packed": bool(self.swizzles) and self.bits < 8,
                "swizzled upwards": any(each[2] < 0 for each in self.swizzles.values()),
                "with ...": self.dots is not None, "with 1 or ()": [] in self.left or [] in self.right,
                "negative strides": any(stride < 0 for stride in x.strides), "repeated axes": any(
                    stride == 0 and extent > 1 for stride, extent in zip(x.strides, x.shape)),
                "axes in reverse": moved == [name for group in self.expanded(self.left) for name in group][::-1] and len(moved) > 1,
                f"result of {size} bytes": 1}


def on_gpu(x, rng):
    """The array as a tensor on a GPU, with gaps along some axes."""
    import torch

    steps = [int(rng.choice([1, 1, 2])) for _ in x.shape[:-1]] + [1] * min(x.ndim, 1)
    whole = torch.from_numpy(np.zeros([extent * step for extent, step in zip(x.shape, steps)], x.dtype)).cuda()
    part = whole[tuple(slice(None, None, step) for step in steps)]
    return part.copy_(torch.from_numpy(np.array(x, order="C")))


def check(seed, count, cuda=False):
    """Compares `count` calls. Returns the numbers of what was drawn."""
    rng, drawn = np.random.default_rng(seed), collections.Counter()
    while drawn["moved"] < count:
        call = Call(rng)
        if not call.is_whole or product(call.extents.values()) > 2 << 20:
            drawn["left out"] += 1
            continue
        x = call.array(rng)
        if cuda and (x.dtype.kind in "SV" or not x.dtype.isnative):
            drawn["left out: types that PyTorch lacks"] += 1
            continue
        try:
            result = call.run(on_gpu(x, rng)).cpu().numpy() if cuda else call.run(x)
        except cornerturn.ArgumentError as error:
            assert call.swizzles and call.bits < 8 and str(error).endswith("packed elements that are moved one by one")
            drawn["refused: swizzled and moved one by one"] += 1
            continue
        wanted = call.wanted(x)
        assert same(result, wanted), (seed, drawn["moved"], call.pattern, call.lengths, call.shape, call.result_shape, call.bits, call.order,
                                      x.dtype, x.strides, call.pad, call.swizzles)
        drawn.update(call.drawn(x, result))
    return drawn


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word != "--cuda"]
    for what, number in sorted(check(numbers[1] if len(numbers) > 1 else 0, numbers[0], "--cuda" in sys.argv).items()):
        print(f"{number:8} {what}")
