"""cornerturn on PyTorch's tensors, on the CPU and on a GPU."""

import concurrent.futures
import gc
import re

import cornerturn
import numpy as np
import pytest
import torch

DTYPES = [getattr(torch, name) for name in (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
    "complex32", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    "float8_e8m0fnu")]


def bits(tensor):
    """What a tensor holds, as bytes: equality of floats would not see NaNs."""
    return tensor.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).cpu().numpy().tobytes()


def filled(generator, shape, dtype, device):
    size = torch.empty(0, dtype=dtype).element_size()
    raw = torch.randint(0, 2 if dtype == torch.bool else 256, (*shape, size), dtype=torch.uint8, generator=generator)
    return raw.to(device).view(dtype).reshape(shape)


def same(result, expected):
    return (type(result) is torch.Tensor and result.dtype == expected.dtype and result.device == expected.device
            and result.shape == expected.shape and result.is_contiguous() and bits(result) == bits(expected))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_any_dtype_bit_for_bit(dtype, device):
    x = filled(torch.Generator().manual_seed(0), (5, 7, 3), dtype, device)
    assert same(cornerturn.permute(x, (2, 0, 1)), x.permute(2, 0, 1))


@pytest.mark.parametrize("source", [torch.float32, torch.bfloat16, torch.uint8, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e4m3fn], ids=str)
def test_casts_as_torch_does(source, dtype, device):
    x = torch.randint(0, 100, (30, 50), device=device).to(source)
    assert same(cornerturn.permute(x, (1, 0), dtype=dtype, alpha=1), x.t().contiguous().to(dtype))


def test_conjugates_and_adds_to_out(device):
    x = torch.randn(30, 50, dtype=torch.complex64, device=device)
    assert same(cornerturn.permute(x, (1, 0), conj=True), x.t().conj().resolve_conj().contiguous())
    out = torch.ones(50, 30, dtype=torch.complex64, device=device)
    assert cornerturn.permute(x, (1, 0), out=out, alpha=2, beta=3) is out
    torch.testing.assert_close(out, 2 * x.t() + 3)


def test_patterns_and_names_of_numpy(device):
    x = filled(torch.Generator().manual_seed(0), (4, 6, 5), torch.bfloat16, device)[:, ::2]
    split = x.reshape(2, 2, 3, 5)
    assert same(cornerturn.rearrange(x, "(a b) c d -> d (b c) 1 a", a=2), split.permute(3, 1, 2, 0).reshape(5, 6, 1, 2))
    assert same(cornerturn.rearrange(list(x), "a ... -> (a ...)"), x.reshape(-1))
    assert same(cornerturn.rearrange(list(x), "a c d -> c d a"), x.permute(1, 2, 0))
    assert same(cornerturn.moveaxis(x, 0, -1), x.moveaxis(0, -1)) and same(cornerturn.swapaxes(x, 0, 2), x.swapaxes(0, 2))
    assert same(cornerturn.permute_dims(x, (1, 2, 0)), x.permute(1, 2, 0)) and same(cornerturn.matrix_transpose(x), x.mT)


@pytest.mark.parametrize("seed", range(10))
def test_random_views(seed, device):
    """Together 5,000 of them on each device."""
    rng = np.random.default_rng(seed)
    generator = torch.Generator().manual_seed(seed)
    for case in range(500):
        rank = int(rng.integers(0, 6))
        shape = [int(rng.integers(0 if rng.random() < 0.03 else 1, [1, 300, 60, 17, 8, 6][rank] + 1)) for _ in range(rank)]
        steps = [int(rng.choice([1, 1, 1, 2, 3])) for _ in shape]
        dtype = DTYPES[int(rng.integers(len(DTYPES)))]
        order = rng.permutation(rank).tolist()
        whole = filled(generator, [shape[axis] * steps[axis] for axis in order], dtype, device)
        x = whole.permute(np.argsort(order).tolist())[tuple(slice(None, None, step) for step in steps)]
        if rank and rng.random() < 0.2:
            x = x[:1].expand(shape)
        axes = [int(axis) - rank * int(rng.integers(2)) for axis in rng.permutation(rank)]
        expected = x.permute(axes)
        assert same(cornerturn.permute(x, axes), expected), (seed, case, shape, steps, dtype, axes)
        out = torch.empty([2 * extent for extent in expected.shape], dtype=dtype, device=device)[tuple(
            slice(None, None, 2) for _ in shape)]
        assert cornerturn.permute(x, axes, out=out) is out and bits(out) == bits(expected), (seed, case)


@pytest.mark.parametrize("order", "CF")
def test_ascontiguous(order, device):
    x = torch.arange(24.0, device=device).reshape(2, 3, 4).permute(1, 2, 0)
    result = cornerturn.ascontiguous(x, order)
    assert torch.equal(result, x) and (result if order == "C" else result.permute(2, 1, 0)).is_contiguous()
    assert cornerturn.ascontiguous(result, order) is result


def test_what_is_read_as_something_else_is_dense_only_as_a_copy(device):
    x = torch.randn(8, dtype=torch.complex64, device=device)
    for view in (x[::2].conj(), x.conj(), x.conj().imag):
        result = cornerturn.ascontiguous(view)
        assert same(result, view.resolve_conj().resolve_neg().contiguous()) and not result.is_conj() and not result.is_neg()


def test_tensors_that_are_read_as_something_else(device):
    """Their memory holds the conjugate, or the negative."""
    x = torch.randn(4, 5, dtype=torch.complex64, device=device)
    for view in (x.conj(), x.conj().imag, x.imag):
        assert same(cornerturn.transpose(view), view.T.resolve_conj().resolve_neg())
    with pytest.raises(ValueError, match="^out is conjugated or negated lazily; it must be its resolve_conj"):
        cornerturn.transpose(x, out=torch.empty(5, 4, dtype=torch.complex64, device=device).conj())


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float64, torch.complex64])
def test_any_dtype_is_negated_lazily(dtype, device):
    x = torch.arange(1, 21, device=device).reshape(4, 5).to(dtype)
    view = torch._neg_view(x)
    expected = (-x).T
    for result in (cornerturn.transpose(view), cornerturn.ascontiguous(view.T), cornerturn.rearrange([view], "1 a b -> b a"),
                   cornerturn.plan(x)(view)):
        assert same(result, expected)
    assert same(cornerturn.ascontiguous(view), -x) and not cornerturn.ascontiguous(view).is_neg()
    square = torch._neg_view(x[:, :4].contiguous())
    for name, call in (("dst", lambda: cornerturn.copy(x, view)), ("out", lambda: cornerturn.permute(x.T, (1, 0), out=view)),
                       ("x", lambda: cornerturn.transpose_inplace(square))):
        with pytest.raises(ValueError, match=f"^{name} is conjugated or negated lazily; it must be its resolve_conj"):
            call()
    assert same(x, -expected.T)


def test_what_pytorch_cannot_negate_is_named(device):
    for dtype in (torch.bool, torch.float8_e5m2):
        with pytest.raises(TypeError, match=f"^x is negated lazily, of {dtype}; it must be of a dtype that PyTorch negates$"):
            cornerturn.transpose(torch._neg_view(torch.ones(2, 3, device=device).to(dtype)))


def test_parameters_and_subclasses_give_plain_tensors(device):
    with torch.no_grad():
        x = torch.nn.Parameter(torch.randn(3, 4, device=device))
        assert type(cornerturn.transpose(x)) is torch.Tensor


@pytest.mark.parametrize("make, message", [
    (lambda x, shape: x.new_empty((1,)), "the new array.shape is (1,); it must be (3, 2)"),
    (lambda x, shape: x.new_empty(shape[::-1]).T, "the new array.strides is (4, 12); it must be those of a dense array in C order"),
    (lambda x, shape: x.new_empty(shape, dtype=torch.uint8),
     "the new array.dtype is torch.uint8; it must be torch.float32, as that of x"),
    (lambda x, shape: x.T, "the new array is within the addresses of x"),
], ids=["shape", "strides", "dtype", "memory"])
def test_what_a_subclass_makes_is_checked(make, message, device):
    class Made(torch.Tensor):
        def new_empty(self, shape):
            return make(self.as_subclass(torch.Tensor), shape)

    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        cornerturn.transpose(torch.zeros(2, 3, device=device).as_subclass(Made))


def test_numpy_and_torch_in_one_call():
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    out = np.empty((3, 2), np.float32)
    assert cornerturn.transpose(x, out=out) is out and np.array_equal(out, x.numpy().T)
    with pytest.raises(ValueError, match="^out.dtype is float64; it must be torch.float32, as that of x$"):
        cornerturn.transpose(x, out=np.empty((3, 2)))
    for dtype in (torch.float32, torch.int16, torch.complex128):
        out = torch.zeros(3, 2, dtype=dtype)
        swapped = np.arange(6).reshape(2, 3).astype(out.numpy().dtype.newbyteorder())
        assert cornerturn.transpose(swapped, out=out) is out and np.array_equal(out.numpy(), swapped.T)
        assert cornerturn.permute(swapped, (1, 0), dtype=dtype).dtype == out.numpy().dtype
        cornerturn.copy(torch.zeros(3, 2, dtype=dtype), swapped.T)
        assert not swapped.any()
    with pytest.raises(cornerturn.ArgumentTypeError, match="^dtype is >f4; it must be one that PyTorch has, since x is a tensor$"):
        cornerturn.permute(x, (1, 0), dtype=">f4")
    import ml_dtypes
    halves = np.arange(6, dtype=ml_dtypes.bfloat16).reshape(2, 3)
    out = torch.empty(3, 2, dtype=torch.bfloat16)
    cornerturn.transpose(halves, out=out)
    assert out.float().tolist() == halves.T.astype(float).tolist()


def test_plans(device):
    x = torch.randn(3, 5, 7, device=device)
    plan = cornerturn.plan(x, (2, 0, 1))
    assert same(plan(x), x.permute(2, 0, 1))
    of_shape = cornerturn.plan(x.shape, (2, 0, 1), dtype=torch.float32, device=x.device)
    assert same(of_shape(x), x.permute(2, 0, 1))
    with pytest.raises(ValueError, match=r"^x.dtype is torch.float64; it must be torch.float32, as that of the plan$"):
        plan(x.double())


def refused(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        call()


def test_refusals(device):
    x = torch.randn(3, 4, device=device)
    refused(lambda: cornerturn.transpose(x.to_sparse()), TypeError, "x.layout is torch.sparse_coo; it must be torch.strided")
    refused(lambda: cornerturn.transpose(x.to("meta")), TypeError, "x is on the device meta; it must be a tensor in memory, unless it "
            "goes to permute, transpose, moveaxis or rearrange of cornerturn.torch")
    refused(lambda: cornerturn.transpose(x.to(torch.float32).view(torch.uint8).view(torch.bits8)), TypeError,
            "x.dtype is torch.bits8; it must be one that DLPack knows, e.g. that of x.view(torch.uint8)")
    refused(lambda: cornerturn.transpose(torch._efficientzerotensor(2, 3, device=device)), TypeError,
            "x is a zero tensor of autograd, without memory; it must be its clone()")
    refused(lambda: cornerturn.transpose(x.requires_grad_()), ValueError,
            "x is tracked by autograd; it must be its detach(), unless it goes to permute, transpose, moveaxis or rearrange of "
            "cornerturn.torch, which only copy")
    x = x.detach()
    refused(lambda: cornerturn.transpose(x, out=torch.empty(4, 3, dtype=torch.int32, device=device)), ValueError,
            "out.dtype is torch.int32; it must be torch.float32, as that of x")
    refused(lambda: cornerturn.transpose(x, out=torch.empty(4, 1, device=device).expand(4, 3)), ValueError,
            "out.strides is (4, 0); it must be such that")
    refused(lambda: cornerturn.transpose(x, out=x.T), ValueError, "out is within the addresses of x")


@pytest.mark.skipif("qint8" not in dir(torch), reason="this PyTorch does not quantize")
def test_quantized():
    quantized = torch.quantize_per_tensor(torch.randn(3, 4), 0.1, 0, torch.qint8)
    refused(lambda: cornerturn.transpose(quantized), TypeError, "x is quantized; it must be a plain tensor, e.g. its int_repr()")


def test_memory_stays_flat(device):
    x, out = torch.randn(30, 40, 3, device=device), torch.empty(3, 30, 40, device=device)
    for _ in range(10_000):
        cornerturn.permute(x, (2, 0, 1), out=out)
        cornerturn.permute(x, (2, 0, 1))
    gc.collect()
    assert sum(isinstance(each, torch.Tensor) for each in gc.get_objects()) < 1000
    if device == "cuda":
        torch.cuda.synchronize()
        assert torch.cuda.memory_allocated() < 1 << 24


def test_eight_threads(device):
    x = torch.randn(30, 40, 30, device=device)
    right = lambda _: torch.equal(cornerturn.permute(x, (2, 0, 1)), x.permute(2, 0, 1))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(right, range(400)))
