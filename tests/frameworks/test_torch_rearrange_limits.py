"""cornerturn.torch.rearrange with pads, crops and packed elements: beside the plain function, differentiated, compiled, batched."""

import re

import cornerturn.torch
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from rearrange_cases import CASES, LENGTHS, PATTERN, REFUSED_TILES


@pytest.fixture(autouse=True)
def compiled_anew():
    torch._dynamo.reset()


def filled(device, dtype=torch.float64, shape=(7, 8)):
    return torch.arange(torch.Size(shape).numel(), device=device).reshape(shape).to(dtype)


def padded(x):
    return cornerturn.torch.rearrange(x, PATTERN, pad=2, **LENGTHS)


def by_views(x):
    """What `padded` returns, by functions of PyTorch."""
    whole = torch.nn.functional.pad(x, (0, -x.shape[1] % 3, 0, -x.shape[0] % 4), value=2)
    return whole.reshape(whole.shape[0] // 4, 4, whole.shape[1] // 3, 3).permute(0, 2, 3, 1)


@pytest.mark.parametrize("pattern, lengths, given", CASES, ids=str)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.bool, torch.bfloat16, torch.float8_e4m3fn, torch.float32, torch.complex64], ids=str)
def test_as_the_plain_function(pattern, lengths, given, dtype, device):
    if dtype == torch.bool:
        given = given | {"pad": True}
    x = filled(device, dtype)
    wanted = cornerturn.rearrange(x, pattern, **given, **lengths)
    call = lambda t: cornerturn.torch.rearrange(t, pattern, **given, **lengths)
    tracked = x.clone().requires_grad_() if dtype.is_floating_point or dtype.is_complex else x
    for result in (call(x), call(tracked), torch.compile(call, fullgraph=True, backend="aot_eager")(x)):
        assert result.is_contiguous() and result.dtype == dtype and result.shape == wanted.shape
        assert torch.equal(result.detach().view(torch.uint8), wanted.view(torch.uint8))


def test_bytes_and_names_of_keywords(device):
    x = filled(device, torch.int16, (3,))
    for t in (x, x.float().requires_grad_()):
        assert cornerturn.torch.rearrange(t, "(a b) -> a b", b=2, pad=torch.tensor(7, dtype=t.dtype).numpy().tobytes())[1, 1] == 7
        result = cornerturn.torch.rearrange(t, "(bits pad) -> pad bits", pad=3)
        assert result.shape == (3, 1) and torch.equal(result, t[:, None])


@pytest.mark.parametrize("pattern, lengths, given", CASES[:3], ids=str)
def test_derivatives(pattern, lengths, given, device):
    x = torch.randn(7, 8, dtype=torch.float64, device=device, requires_grad=True)
    call = lambda t: cornerturn.torch.rearrange(t, pattern, **given, **lengths)
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(lambda t: call(t) ** 2, x)


def test_the_gradient_is_cropped(device):
    x = filled(device).requires_grad_()
    result = padded(x)
    assert torch.equal(result, by_views(x))
    (result * result.detach()).sum().backward()
    assert torch.equal(x.grad, x)


def test_transforms_of_functions(device):
    x = filled(device)
    for transform in (torch.func.jacfwd, torch.func.jacrev, torch.func.functionalize, torch.vmap):
        given = torch.stack([x, x + 1]) if transform is torch.vmap else x
        assert torch.equal(transform(padded)(given), transform(by_views)(given))
    assert torch.equal(make_fx(padded)(x)(x + 1), by_views(x + 1))
    assert torch.equal(torch.jit.trace(padded, (x,))(x + 1), by_views(x + 1))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_code(dynamic, device):
    compiled = torch.compile(lambda t: padded(t * 2) + 1, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for shape in ((7, 8), (9, 9), (12, 6)):
        x = filled(device, shape=shape).requires_grad_()
        result = compiled(x)
        assert torch.equal(result, by_views(x * 2) + 1)
        result.sum().backward()
        assert torch.equal(x.grad, torch.full_like(x, 2))


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("bits", [4, 2, 1])
def test_packed_elements(bits, order, device):
    x = filled(device, torch.uint8, (3, 16, 8)) * 37
    call = lambda t: cornerturn.torch.rearrange(t, "... m k -> ... k m", bits=bits, order=order)
    wanted = cornerturn.rearrange(x.cpu(), "... m k -> ... k m", bits=bits, order=order)
    for result in (call(x), call(x.cpu()), torch.compile(call, fullgraph=True, backend="aot_eager")(x), torch.vmap(call)(x),
                   call(x.view(torch.float8_e5m2)).view(torch.uint8)):
        assert torch.equal(result.cpu(), wanted)
    pads = lambda t: cornerturn.torch.rearrange(t, "l m (k a) -> l k m a", a=40 * 8 // bits, bits=bits, pad=1, order=order)
    assert torch.equal(torch.compile(pads, fullgraph=True, backend="aot_eager")(x).cpu(), pads(x.cpu()))


TILED = "(m a) (k b) -> k m | a b", "k m | a b -> (m a) (k b)"


@pytest.mark.parametrize("dtype", [torch.uint8, torch.bool, torch.float8_e4m3fn, torch.uint16, torch.uint32, torch.bfloat16, torch.float32,
                                   torch.complex64, torch.complex128], ids=str)
def test_swizzles(dtype, device):
    columns = 128 // dtype.itemsize
    x = filled(device, dtype, (16, 2 * columns))
    tiles = lambda t: cornerturn.torch.rearrange(t, TILED[0], a=8, b=columns, swizzle="Sw<3,4,3>")
    back = lambda t: cornerturn.torch.rearrange(t, TILED[1], source_swizzle="Sw<3,4,3>")
    wanted = cornerturn.rearrange(x, TILED[0], a=8, b=columns, swizzle="Sw<3,4,3>")
    tracked = x.clone().requires_grad_() if dtype.is_floating_point or dtype.is_complex else x
    for result in (tiles(x), tiles(tracked), torch.compile(tiles, fullgraph=True, backend="aot_eager")(x), torch.vmap(tiles)(x[None])[0]):
        assert torch.equal(result.detach().view(torch.uint8), wanted.view(torch.uint8))
    for result in (back(wanted), torch.vmap(back)(wanted[None])[0]):
        assert torch.equal(result.view(torch.uint8), x.view(torch.uint8))


def test_swizzles_index_no_unsigned_elements_of_several_bytes():
    """A GPU has no kernel for them."""
    for dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        x = filled("cpu", torch.int64, (8, 128 // dtype.itemsize)).neg().to(dtype)
        tiles = lambda t: cornerturn.torch.rearrange(t, "m k -> | m k", swizzle="Sw<3,4,3>")
        graph = make_fx(tiles)(x)
        indexed = [node.args[0].meta["tensor_meta"].dtype for node in graph.graph.nodes if node.target is torch.ops.aten.index.Tensor]
        assert len(indexed) == 1 and (dtype == torch.uint8 or indexed[0].is_signed), (dtype, indexed)
        assert torch.equal(graph(x), tiles(x))


def test_swizzles_of_pads_and_packed_elements_in_compiled_code(device):
    x = filled(device, torch.uint8, (13, 200))
    call = lambda t: cornerturn.torch.rearrange(t, "(m a) (k b) -> k m | a b", a=8, b=64, pad=7, swizzle="Sw<2,4,3>")
    assert torch.equal(torch.compile(call, fullgraph=True, backend="aot_eager")(x), call(x))
    x = filled(device, torch.uint8, (64, 128))
    call = lambda t: cornerturn.torch.rearrange(t, "(m a) (k b) -> m k | a b", a=8, b=128, bits=4, swizzle="Sw<2,4,3>")
    assert torch.equal(torch.compile(call, fullgraph=True, backend="aot_eager")(x), call(x))


@pytest.mark.parametrize("dynamic", [None, True])
def test_swizzles_of_several_shapes_in_compiled_code(dynamic, device):
    tiles = lambda t: cornerturn.torch.rearrange(t, TILED[0], a=8, b=16, swizzle="Sw<2,4,2>")
    whole = lambda t: cornerturn.torch.rearrange(t, "m k -> | m k", swizzle="Sw<2,4,2>")
    for call in (tiles, whole):
        compiled = torch.compile(call, fullgraph=True, dynamic=dynamic, backend="aot_eager")
        for shape in ((16, 32), (32, 64)):
            x = filled(device, torch.float32, shape)
            assert torch.equal(compiled(x), call(x))


def test_derivatives_of_swizzles(device):
    x = torch.randn(4, 32, dtype=torch.float64, device=device, requires_grad=True)
    call = lambda t: cornerturn.torch.rearrange(t, "m (k b) -> k | m b", b=8, swizzle="Sw<2,4,2>")
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True)


X = torch.ones(4, 6)


@pytest.mark.parametrize("call, error, message", [
    (lambda t: cornerturn.torch.rearrange(t, "(a b) c -> a b c", b=3, shape=(1, 3, 6)), ValueError,
     "x.shape[0] is 4; it must be a multiple of 3, for '(a b)' at index 0 of pattern '(a b) c -> a b c'"),
    (lambda t: cornerturn.torch.rearrange(t, "(a b) c -> a b c", a=1, b=3, pad=0), ValueError,
     "x.shape[0] is 4; it must be 3 or less, for '(a b)' at index 0 of pattern '(a b) c -> a b c'"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", shape=(6, 5)), ValueError,
     "shape[1] is 5; it must be from 0 to 4, the extent that the pattern makes"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", shape=(6,)), ValueError,
     "the length of shape is 1; it must be 2, as on the right of pattern 'a b -> b a'"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", shape=4), TypeError, "shape is of type int; it must be a sequence of integers"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", pad="x"), TypeError,
     "pad is 'x'; it must be a value of dtype torch.float32, or the bytes of one"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", pad=b"12"), ValueError, "pad is b'12'; it must be 4 bytes, as an element of x"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", bits=3), ValueError, "bits is 3; it must be 8, 4, 2 or 1"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", swizzle="Sw<3,4,3>"), ValueError,
     "swizzle is given; it must be left out without a | on the right of pattern 'a b -> b a'"),
    (lambda t: cornerturn.torch.rearrange(t, "| a b -> b a", source_swizzle="Sw<1,4,3>"), ValueError,
     "the tile of source_swizzle is 4x6 elements of 4 bytes; it must be of axes that 16 bytes divide, as a boundary of the bits of "
     "'Sw<1,4,3>'"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> | b a", swizzle=4), TypeError, "swizzle is 4; it must be a str"),
    (lambda t: cornerturn.torch.rearrange(t, "a b -> b a", order="C"), ValueError, "order is 'C'; it must be 'little' or 'big'"),
])
def test_words_are_the_same_with_a_gradient(call, error, message):
    for x in (X, X.clone().requires_grad_()):
        with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
            call(x)
        assert isinstance(caught.value, cornerturn.Error)


@pytest.mark.parametrize("shape, pattern, given, message", REFUSED_TILES, ids=str)
def test_wrong_tiles(shape, pattern, given, message):
    x = torch.zeros(shape, dtype=torch.float16)
    call = lambda t: cornerturn.torch.rearrange(t, pattern, **given)
    for refused, t in ((call, x), (call, x.clone().requires_grad_()), (torch.vmap(call), x[None])):
        with pytest.raises(cornerturn.ArgumentError, match=f"^{re.escape(message)}$"):
            refused(t)
    with pytest.raises(Exception, match=re.escape(message)):
        torch.compile(call, backend="eager")(x)


def test_packed_elements_have_no_derivative():
    x = torch.ones(4, 6, dtype=torch.float8_e5m2, requires_grad=True)
    message = "x.requires_grad is True; it must be False with bits=4, because packed elements have no derivative"
    with pytest.raises(cornerturn.ArgumentTypeError, match=f"^{re.escape(message)}$"):
        cornerturn.torch.rearrange(x, "a b -> b a", bits=4)
    with pytest.raises(cornerturn.ArgumentError, match="^the last extent of the result is 3; it must be a multiple of 2, whole bytes$"):
        torch.vmap(lambda t: cornerturn.torch.rearrange(t, "a b -> b a", bits=4))(torch.ones(2, 3, 6, dtype=torch.uint8))
