"""cornerturn.torch: the operator, autograd, compiled code, memory formats."""

import doctest
import re
import types

import cornerturn.torch
import pytest
import torch
from cornerturn._cornerturn import _element_types
from cornerturn._shown import listed
from torch.autograd import forward_ad

SHAPES = [((2, 3, 4), [2, 0, 1]), ((5,), [0]), ((), []), ((2, 0, 3), [1, -1, 0]), ((4, 3, 2, 5), [0, -1, 1, 2])]


@pytest.mark.parametrize("shape, axes", SHAPES)
@pytest.mark.parametrize("needs_grad", [False, True])
def test_opcheck(shape, axes, needs_grad, device):
    x = torch.randn(shape, device=device, requires_grad=needs_grad)
    torch.library.opcheck(torch.ops.cornerturn.permute.default, (x, axes))


@pytest.mark.parametrize("dtype", [torch.complex64, torch.bfloat16, torch.uint8], ids=str)
def test_opcheck_of_other_dtypes(dtype, device):
    x = torch.ones(2, 3, 4, dtype=dtype, device=device, requires_grad=dtype.is_floating_point or dtype.is_complex)
    torch.library.opcheck(torch.ops.cornerturn.permute.default, (x, [2, 0, 1]))


def test_gradients(device):
    x = torch.randn(2, 3, 4, dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: cornerturn.torch.permute(t, (2, 0, -2)), x)
    assert torch.autograd.gradgradcheck(lambda t: cornerturn.torch.permute(t, (2, 0, 1)) ** 2, x)
    cornerturn.torch.permute(x, (1, 2, 0)).sum().backward()  # whose gradient is one number, repeated
    assert torch.equal(x.grad, torch.ones_like(x))


def test_derivatives_in_forward_mode(device):
    x = torch.randn(2, 3, 4, dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: cornerturn.torch.permute(t, (2, 0, -2)), x, check_forward_ad=True,
                                    check_batched_grad=True, check_batched_forward_grad=True)
    assert torch.autograd.gradgradcheck(lambda t: cornerturn.torch.permute(t, (2, 0, 1)) ** 2, x, check_fwd_over_rev=True)


def test_transforms_of_functions(device):
    x = torch.randn(2, 3, 4, device=device)
    turned, plain = (lambda t: cornerturn.torch.permute(t, (1, 0, -1))), (lambda t: t.permute(1, 0, -1))
    for transform in (torch.func.jacfwd, torch.func.jacrev):
        assert torch.equal(transform(turned)(x), transform(plain)(x))
    assert torch.equal(torch.vmap(lambda t: cornerturn.torch.permute(t, (-1, 0)))(x), torch.vmap(lambda t: t.permute(-1, 0))(x))
    cubes = lambda turn: lambda t: (turn(t) ** 3).sum()
    assert torch.allclose(torch.func.hessian(cubes(turned))(x), torch.func.hessian(cubes(plain))(x))
    assert torch.allclose(torch.func.grad(cubes(turned))(x), 3 * x ** 2)


def test_tangents_are_not_dropped():
    x, refusal = torch.ones(2, 3), "torch.ops.cornerturn.permute is called in forward mode"
    with pytest.raises(RuntimeError, match=refusal):
        torch.func.jvp(lambda t: torch.ops.cornerturn.permute(t, [1, 0]), (x,), (x,))
    compiled = torch.compile(lambda t: torch.func.jvp(lambda u: cornerturn.torch.permute(u, (1, 0)), (t,), (2 * t,)), backend="eager")
    assert torch.equal(compiled(x)[1], 2 * x.T)


def test_a_tangent_is_refused_where_it_would_be_dropped(device, monkeypatch):
    x = torch.ones(2, 3, device=device)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, x)
        for call, message in ((lambda: cornerturn.permute(dual, (1, 0)), r"^x is .*; it must be its detach\(\), unless it goes to permute"),
                              (lambda: cornerturn.permute(x, (1, 0), out=dual.T), r"^out is .*; it must be its detach\(\)$")):
            with pytest.raises(ValueError, match=message):
                call()
        assert torch.equal(cornerturn.permute(dual.detach(), (1, 0)), x.T) and torch.equal(cornerturn.permute(x, (1, 0)), x.T)
        monkeypatch.setattr(cornerturn.torch._permute, "forward_ad", types.SimpleNamespace())  # of a PyTorch without the private names
        assert torch.equal(cornerturn.torch.permute(x, (1, 0)), x.T)


def test_compiled_code(device):
    x = torch.randn(2, 3, 4, 5, device=device, requires_grad=True)
    compiled = torch.compile(lambda t: cornerturn.torch.permute(t * 2, (0, 3, 1, 2)) + 1, fullgraph=True)
    assert torch.equal(compiled(x), x.permute(0, 3, 1, 2) * 2 + 1)
    compiled(x).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 2))
    again = torch.randn(3, 6, 2, 2, device=device)  # of another shape, which makes them symbols
    assert torch.equal(compiled(again), again.permute(0, 3, 1, 2) * 2 + 1)


def test_compiled_patterns(device):
    x = torch.randn(4, 6, 5, device=device)
    compiled = torch.compile(lambda t: cornerturn.torch.rearrange(t * 2, "(a b) c d -> d (b c) a", a=2), fullgraph=True)
    assert torch.equal(compiled(x), cornerturn.rearrange(x * 2, "(a b) c d -> d (b c) a", a=2))


@pytest.mark.parametrize("shape, memory_format", [((2, 3, 4, 5), torch.channels_last), ((2, 3, 4, 5, 6), torch.channels_last_3d)])
def test_memory_formats(shape, memory_format, device):
    x = torch.randn(shape, device=device)
    last = cornerturn.torch.contiguous(x, memory_format=memory_format)
    assert last.is_contiguous(memory_format=memory_format) and torch.equal(last, x)
    assert last.stride() == x.contiguous(memory_format=memory_format).stride()
    assert cornerturn.torch.contiguous(last, memory_format=memory_format) is last
    first = cornerturn.torch.contiguous(last)
    assert first.is_contiguous() and torch.equal(first, x) and cornerturn.torch.contiguous(first) is first
    compiled = torch.compile(lambda t: cornerturn.torch.contiguous(t * 2, memory_format=memory_format), fullgraph=True)
    assert torch.equal(compiled(x), x * 2) and compiled(x).is_contiguous(memory_format=memory_format)


@pytest.mark.parametrize("shape", [(2, 0, 4, 5), (2, 3, 0, 5), (0, 3, 4, 5)], ids=str)
def test_memory_formats_of_nothing(shape, device):
    x = torch.empty(shape, device=device)
    assert (cornerturn.torch.contiguous(x, memory_format=torch.channels_last).stride()
            == x.contiguous(memory_format=torch.channels_last).stride())


def test_a_memory_format_of_a_size_that_only_a_run_knows(monkeypatch):
    monkeypatch.setattr(torch._dynamo.config, "capture_dynamic_output_shape_ops", True)
    x, mask = torch.randn(3, 2, 4, 5), torch.tensor([True, False, True])
    compiled = torch.compile(lambda t, m: cornerturn.torch.contiguous(t[m], memory_format=torch.channels_last), fullgraph=True,
                             backend="aot_eager")
    assert torch.equal(compiled(x, mask), x[mask]) and compiled(x, mask).is_contiguous(memory_format=torch.channels_last)


ONES = torch.ones(2, 3)
DTYPE = ("it must be a dtype of NumPy or PyTorch, its name or NumPy's code for it, e.g. 'float32', '<f4' or 'f4' for 4 bytes, "
         + listed(["'bfloat16'", *(repr(each["dtype"]) for each in _element_types if each["is_8_bit_float"])]))


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.torch.contiguous(ONES.numpy()), TypeError, "x is of type ndarray; it must be a torch.Tensor"),
    (lambda: cornerturn.torch.permute(ONES.numpy(), (1, 0)), TypeError, "x is of type ndarray; it must be a torch.Tensor"),
    (lambda: cornerturn.torch.permute(None, (1, 0)), TypeError, "x is of type NoneType; it must be a torch.Tensor"),
    (lambda: cornerturn.torch.contiguous(ONES, memory_format=[]), ValueError, "memory_format is []; it must be one of "
     "torch.contiguous_format, torch.channels_last, torch.channels_last_3d"),
    (lambda: cornerturn.torch.permute(ONES, None), TypeError, "axes is of type NoneType; it must be a sequence of integers, e.g. (1, 0)"),
    (lambda: cornerturn.torch.permute(ONES, 1), ValueError, "axes is 1; it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: cornerturn.torch.permute(ONES, "10"), TypeError, "axes is of type str; it must be a sequence of integers, e.g. (1, 0)"),
    (lambda: cornerturn.torch.permute(ONES, (0., 1.)), TypeError, "axes is (0.0, 1.0); it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.torch.permute(ONES, (True, False)), TypeError,
     "axes is (True, False); it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.torch.permute(ONES, (0, 2**70)), TypeError,
     f"axes is (0, {2**70}); it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.plan((2, 3), dtype=torch.strided), TypeError,
     f"dtype is torch.strided; {DTYPE}"),
    (lambda: cornerturn.plan((2, 3), dtype=torch.Size([2])), TypeError,
     f"dtype is torch.Size([2]); {DTYPE}"),
    (lambda: cornerturn.plan((2, 3), dtype=ONES), TypeError, f"dtype is {' '.join(repr(ONES).split())}; {DTYPE}"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_refusals():
    with pytest.raises(ValueError, match="^memory_format is torch.preserve_format; it must be one of torch.contiguous_format, "):
        cornerturn.torch.contiguous(torch.zeros(2), memory_format=torch.preserve_format)
    with pytest.raises(ValueError, match=r"^x.dim\(\) is 1; it must be 4 for torch.channels_last$"):
        cornerturn.torch.contiguous(torch.zeros(2), memory_format=torch.channels_last)
    with pytest.raises(ValueError, match=r"^axes is \(0, 0\); it must be a permutation of 0 to 1 for an array of rank 2$"):
        cornerturn.torch.permute(torch.zeros(2, 3), (0, 0))


def test_docstrings():
    assert doctest.testmod(cornerturn.torch).failed == 0
