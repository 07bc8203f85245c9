"""cornerturn.torch.quantize and its operator: the bits of cornerturn.fp8.quantize, compiled or not, and no derivative."""

import re

import cornerturn.fp8
import cornerturn.torch
import pytest
import torch
from cornerturn._cornerturn import _element_types
from cornerturn._shown import listed

F8 = [each["dtype"] for each in _element_types if each["is_8_bit_float"]]
SCALED = {"block": None, "scale": torch.tensor(0.03)}
OPTIONS = [{"outputs": "both"}, {"outputs": "columns", "scale_order": "F"}, {"block": (128, 128), "power_of_two": True},
           {"block": (1, None), "outputs": "both"}, {**SCALED, "outputs": "both"}, {**SCALED, "dtype": torch.float8_e5m2}]


def on(device, options):
    return {name: each.to(device) if isinstance(each, torch.Tensor) else each for name, each in options.items()}


def expect_same(result, wanted):
    """The same outputs are there, with the same bits and the same memory order."""
    for each, expected in zip((*result[:2], (result.amax,)), (*wanted[:2], (wanted.amax,)), strict=True):
        assert (each is None) == (expected is None)
        for found, other in zip(each or (), expected or (), strict=True):
            assert (found is None) == (other is None)
            if found is not None:
                assert found.dtype == other.dtype and found.stride() == other.stride()
                assert torch.equal(found.float(), other.float())


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_is_that_of_fp8(options, device):
    x, options = torch.randn(200, 300, device=device), on(device, options)
    result = cornerturn.torch.quantize(x, **options)
    assert isinstance(result, cornerturn.fp8.Result)
    expect_same(result, cornerturn.fp8.quantize(x, **options))


def test_it_takes_values_with_scales(device):
    x = cornerturn.fp8.quantize(torch.randn(200, 300, device=device), power_of_two=True).rows
    turn = lambda each: cornerturn.torch.quantize(each, outputs="columns", power_of_two=True)
    expect_same(turn(x), cornerturn.fp8.quantize(x, outputs="columns", power_of_two=True))
    expect_same(torch.compile(turn, fullgraph=True)(x), turn(x))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_opcheck(options, device):
    options = {"dtype": torch.float8_e4m3fn, "block": (1, 128), "outputs": "rows", "scale": None, "power_of_two": False, "least": 1e-12,
               "scale_order": "C", **on(device, options)}
    block = options.pop("block")
    torch.library.opcheck(torch.ops.cornerturn.quantize.default, (torch.randn(130, 200, device=device), None),
                          {**options, "block": block and [-1 if each is None else each for each in block]})


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_compiled_code(options, device):
    options = on(device, options)
    torch._dynamo.reset()  # the options of all cases together would exceed the limit of compilations of one function
    compiled = torch.compile(lambda each: cornerturn.torch.quantize(2 * each, **options), fullgraph=True)
    for shape in (256, 384), (130, 77), (129, 300):  # the later ones make them symbols
        x = torch.randn(shape, device=device, dtype=torch.bfloat16)
        expect_same(compiled(x), cornerturn.fp8.quantize(2 * x, **options))


def test_a_derivative_is_the_callers(device):
    class Product(torch.autograd.Function):
        """x @ w, of matrices that were rounded; the derivative is that of the product before."""

        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            a, b = (cornerturn.torch.quantize(each, block=(128, 128)).rows for each in (x, w))
            return (a.values.float() * a.scales[0, 0]) @ (b.values.float() * b.scales[0, 0])

        @staticmethod
        def backward(ctx, gradient):
            x, w = ctx.saved_tensors
            return gradient @ w.T, x.T @ gradient

    x, w = (torch.randn(16, 16, device=device, requires_grad=True) for _ in range(2))
    for call in (Product.apply, torch.compile(Product.apply, fullgraph=True)):
        x.grad = w.grad = None
        y = call(x, w)
        assert torch.allclose(y, x @ w, atol=1)
        y.sum().backward()
        assert torch.allclose(x.grad, torch.ones_like(y) @ w.T) and torch.allclose(w.grad, x.T @ torch.ones_like(y))


def test_what_autograd_tracks_is_refused(device):
    x, scale = torch.ones(4, 4, device=device), torch.ones((), device=device)
    tracked, tracked_scale = x.clone().requires_grad_(), scale.clone().requires_grad_()
    for name, call in (("x", lambda: cornerturn.torch.quantize(tracked)),
                       ("scale", lambda: cornerturn.torch.quantize(x, block=None, scale=tracked_scale))):
        with pytest.raises(ValueError, match=f"^{name} is tracked by autograd; it must be its detach\\(\\), because quantize has no"):
            call()
    with pytest.raises(Exception, match="x is tracked by autograd; it must be its detach"):
        torch.compile(cornerturn.torch.quantize, fullgraph=True)(tracked)
    with torch.no_grad():
        expect_same(cornerturn.torch.quantize(tracked), cornerturn.fp8.quantize(x))
    with pytest.raises(RuntimeError, match="torch.ops.cornerturn.quantize is called in forward mode; it must be called outside of it"):
        torch.func.jvp(lambda each: cornerturn.torch.quantize(each).amax, (x,), (x,))


@pytest.mark.parametrize("given, error, message", [
    ({"x": torch.zeros(3)}, ValueError, "x.shape is (3,); it must be of 2 axes"),
    ({"x": [[1.0]]}, TypeError, "x is of type list; it must be a torch.Tensor"),
    ({"x": torch.zeros(3, 3), "dtype": torch.float16}, ValueError, f"dtype is float16; it must be {listed(F8)}"),
    ({"x": torch.zeros(3, 3), "block": (2, 64)}, ValueError,
     "block is (2, 64); it must be (128, 128), (1, 128), (1, None) or None"),
    ({"x": torch.zeros(3, 3), "block": None, "scale": 0.5}, TypeError, "scale is 0.5; it must be a torch.Tensor of one float32"),
    ({"x": torch.zeros(3, 3, dtype=torch.float64)}, TypeError, "x.dtype is float64; it must be float32, float16 or bfloat16, or an "
     "8-bit float with scales, in a Quantized"),
])
def test_refusals(given, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        cornerturn.torch.quantize(**given)
