"""What the tests of cornerturn.torch.enable share: cases, and comparisons bit for bit."""

import cornerturn.torch
import torch

INTEGERS = [torch.uint8, torch.int8, torch.uint16, torch.int16, torch.uint32, torch.int32, torch.uint64, torch.int64]
FLOATS = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float16, torch.bfloat16, torch.float32, torch.float64]
DTYPES = [torch.bool, *INTEGERS, *FLOATS, torch.complex64, torch.complex128]
SPECIAL = [0., -0., float("inf"), -float("inf"), float("nan"), 1e-40, -1e-40, 1e-310, 65504, 65519.99, 65520, 448, 449, 464, 465,
           480, 57344, 61439, 61440, 3.4028235e38, 1e39, 5e-324, 2.**-24, 2.**-25, 2.**-149, 2.**-133, 255, 256, -1, -128, 127.5,
           .5, 2.**31, 2.**32, 2.**63, 2.**64]


def bits(x):
    """The elements of a tensor as bytes, of any strides."""
    plain = x.detach().resolve_conj().resolve_neg()
    flat = plain.reshape(-1).clone(memory_format=torch.contiguous_format)
    return flat.view(torch.uint8)


def are_same(a, b):
    """True if two results have the same bits, dtype, shape, strides and lazy flags; also of nested results."""
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(are_same, a, b))
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return type(a) is type(b) and a == b
    told = lambda x: (x.dtype, x.shape, x.layout, x.device, x.is_conj(), x.is_neg())
    if told(a) != told(b):
        return False
    return a.stride() == b.stride() and (a.numel() == 0 or torch.equal(bits(a), bits(b)))


def random_bits(dtype, shape, device="cpu"):
    """A dense tensor of random bits, with the special values of floating-point types among them."""
    count = torch.Size(shape).numel()
    raw = torch.randint(0, 256, (count * dtype.itemsize,), dtype=torch.uint8, generator=torch.Generator().manual_seed(count))
    if dtype == torch.bool:
        return (raw & 1).to(torch.bool).view(shape).to(device)
    x = raw.view(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        special = torch.tensor(SPECIAL, dtype=torch.float64).to(torch.float32 if dtype.itemsize == 1 else dtype).to(dtype)
        x[:min(count, len(special))] = special[:count]
    return x.view(shape).to(device)


def off_and_on(function):
    """Returns the results of a function without and with cornerturn, and the report of the second call."""
    cornerturn.torch.disable()
    off = function()
    with cornerturn.torch.enable():
        on = function()
        return off, on, cornerturn.torch.report()
