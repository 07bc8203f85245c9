"""The cases of distributed_gpus.py, and how PyTorch moves each: a permute, an all-to-all, a permute."""

import dataclasses

import torch
from cornerturn.distributed import Sharding


@dataclasses.dataclass
class Case:
    """A permutation of an array that `ranks` ranks have in equal blocks. packed and received are a view's shape and its axes: a message
    for each rank stands first in the packed array, and the received array has one of each rank first."""
    name: str
    dtype: torch.dtype
    shape: tuple
    axes: tuple
    source: Sharding
    destination: Sharding
    packed: tuple
    received: tuple

    def local_shape(self, sharding, shape):
        return tuple(extent // sharding.grid[0] if axis == sharding.axes[0] else extent for axis, extent in enumerate(shape))

    @property
    def source_shape(self):
        return self.local_shape(self.source, self.shape)

    @property
    def destination_shape(self):
        return self.local_shape(self.destination, [self.shape[axis] for axis in self.axes])

    @property
    def arguments(self):
        return {"axes": self.axes, "shape": self.shape, "source": self.source, "destination": self.destination}

    def pack(self, x):
        shape, axes = self.packed
        return x.view(shape).permute(axes).contiguous()

    def unpack(self, received):
        shape, axes = self.received
        return received.view(shape).permute(axes).contiguous().view(self.destination_shape)


def matrix(name, dtype, extent, ranks):
    """A square matrix divided by rows, to its transpose divided by rows."""
    part, rows = extent // ranks, Sharding((ranks,), (0,))
    return Case(name, dtype, (extent, extent), (1, 0), rows, rows, ((part, ranks, part), (1, 2, 0)), ((ranks, part, part), (1, 0, 2)))


def corner_turn(name, extent, ranks):
    """A cube of c64 in slabs along x, to slabs along y whose x is contiguous. PyTorch's compiler has no c64, so the type is f64."""
    part, slabs = extent // ranks, Sharding((ranks,), (0,))
    return Case(name, torch.float64, (extent,) * 3, (1, 2, 0), slabs, slabs, ((part, ranks, part, extent), (1, 2, 3, 0)),
                ((ranks, part, extent, part), (1, 2, 0, 3)))


def attention(name, sequence, heads, width, ranks):
    """(batch, sequence, heads, width) divided along the sequence, to (batch, heads, sequence, width) divided along the heads."""
    tokens, own, second = sequence // ranks, heads // ranks, Sharding((ranks,), (1,))
    return Case(name, torch.bfloat16, (1, sequence, heads, width), (0, 2, 1, 3), second, second,
                ((1, tokens, ranks, own, width), (2, 0, 3, 1, 4)), ((ranks, 1, own, tokens, width), (1, 2, 0, 3, 4)))


def cases(ranks, tiny):
    """The cases for 2 or 4 ranks; tiny ones have kilobytes, for a test without GPUs."""
    side, cube, sequence = (64, 16, 64) if tiny else (65536, 1024, 65536 * ranks)
    return [matrix(f"{side} x {side} f32, transposed", torch.float32, side, ranks),
            matrix(f"{side} x {side} bf16, transposed", torch.bfloat16, side, ranks),
            corner_turn(f"{cube} x {cube} x {cube} c64, slabs along x to slabs along y", cube, ranks),
            attention(f"1 x {sequence} x 32 x 128 bf16, tokens to heads", sequence, 32, 128, ranks)]
