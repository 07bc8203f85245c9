"""Formats of tensors, beside torchao's, and pads in the dtypes of PyTorch."""

import cornerturn
import pytest
import torch
from cornerturn import formats


@pytest.mark.parametrize("shape", [(128, 4), (300, 10), (1000, 33), (5, 1)], ids=str)
def test_block_scales_are_those_of_torchao(shape):
    to_blocked = pytest.importorskip("torchao.prototype.mx_formats.utils").to_blocked
    scales = torch.randint(0, 256, shape, dtype=torch.uint8)
    packed = formats.pack(scales, "block_scales_32x4x4")
    assert torch.equal(packed.flatten(), to_blocked(scales).flatten())
    assert torch.equal(formats.unpack(packed, "block_scales_32x4x4", shape=shape), scales)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.int64, torch.bool], ids=str)
def test_a_pad_has_the_dtype_of_the_tensor(dtype):
    x = torch.zeros(5, dtype=dtype)
    padded = cornerturn.rearrange(x, "(a b) -> b a", b=4, pad=1)
    assert padded.dtype == dtype and torch.equal(padded.to(torch.float32), torch.tensor([[0., 0], [0, 1], [0, 1], [0, 1]]))
