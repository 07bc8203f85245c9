"""cornerturn.torch.rearrange and its layer, transpose and moveaxis: beside the plain functions, differentiated, compiled, exported, batched."""

import copy
import io
import pickle
import re

import cornerturn.torch
import pytest
import torch
import torch._dynamo.testing
from torch.fx.experimental.proxy_tensor import make_fx

PATTERNS = [
    ("(a b) c d -> d (b c) 1 a", {"a": 2}),
    ("a b c -> c b a", {}),
    ("a b c -> a b c", {}),
    ("a ... (b c) -> c (a ... b)", {"c": 5}),
    ("... -> ... 1", {}),
]
PATTERN, LENGTHS = PATTERNS[0]


def filled(device, dtype=torch.float64, shape=(4, 6, 5)):
    count = torch.Size(shape).numel()
    return torch.arange(count, device=device).reshape(shape).to(dtype)


def turned(x):
    return cornerturn.torch.rearrange(x, PATTERN, **LENGTHS)


def by_views(x):
    """What `turned` returns, as PyTorch's views."""
    return x.reshape(2, x.shape[0] // 2, *x.shape[1:]).permute(3, 1, 2, 0).reshape(x.shape[2], -1, 1, 2)


@pytest.mark.parametrize("pattern, lengths", PATTERNS, ids=str)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.bfloat16, torch.float32, torch.complex64], ids=str)
def test_as_the_plain_function(pattern, lengths, dtype, device):
    for x in (filled(device, dtype), filled(device, dtype, (4, 12, 5))[:, ::2], filled(device, dtype, (5, 6, 4)).permute(2, 1, 0)):
        result = cornerturn.torch.rearrange(x, pattern, **lengths)
        assert torch.equal(result, cornerturn.rearrange(x, pattern, **lengths)) and result.is_contiguous()
        assert result.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_names_of_numpy(device):
    x = filled(device)
    assert torch.equal(cornerturn.torch.transpose(x), x.permute(2, 1, 0))
    assert torch.equal(cornerturn.torch.transpose(x, (1, 0, -1)), x.permute(1, 0, 2))
    assert torch.equal(cornerturn.torch.permute(x[0, 0], -1), x[0, 0])
    for source, destination in ((0, -1), ((0, -1), (1, 0)), ([], [])):
        assert torch.equal(cornerturn.torch.moveaxis(x, source, destination), x.moveaxis(source, destination))
    tracked = x.clone().requires_grad_()
    (cornerturn.torch.moveaxis(tracked, 0, -1) * x.moveaxis(0, -1)).sum().backward()
    assert torch.equal(tracked.grad, x)


@pytest.mark.parametrize("pattern, lengths", PATTERNS, ids=str)
def test_derivatives(pattern, lengths, device):
    x = torch.randn(4, 6, 5, dtype=torch.float64, device=device, requires_grad=True)
    call = lambda t: cornerturn.torch.rearrange(t, pattern, **lengths)
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert torch.autograd.gradgradcheck(lambda t: call(t) ** 2, x, check_fwd_over_rev=True)


def test_derivatives_of_a_list(device):
    parts = [torch.randn(3, 2, dtype=torch.float64, device=device, requires_grad=True) for _ in range(3)]
    assert torch.autograd.gradcheck(lambda *each: cornerturn.torch.rearrange(list(each), "a b c -> c (b a)"), parts)


def test_transforms_of_functions(device):
    x = filled(device)
    for transform in (torch.func.jacfwd, torch.func.jacrev, torch.func.functionalize, lambda f: torch.vmap(f, in_dims=1, out_dims=2)):
        given = torch.stack([x, x + 1], 1) if transform.__name__ == "<lambda>" else x
        assert torch.equal(transform(turned)(given), transform(by_views)(given))
    cubes = lambda turn: lambda t: (turn(t) ** 3).sum()
    assert torch.allclose(torch.func.hessian(cubes(turned))(x), torch.func.hessian(cubes(by_views))(x))
    assert torch.equal(torch.vmap(lambda t: cornerturn.torch.moveaxis(t, 0, 1))(x), x.transpose(1, 2))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_code(dynamic, device):
    torch._dynamo.reset()
    compiled = torch.compile(lambda t: turned(t * 2) + 1, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for shape in ((4, 6, 5), (8, 3, 5), (6, 7, 9)):
        x = filled(device, shape=shape).requires_grad_()
        result = compiled(x)
        assert torch.equal(result, by_views(x) * 2 + 1)
        result.sum().backward()
        assert torch.equal(x.grad, torch.full_like(x, 2))


def test_transforms_in_compiled_code(device):
    torch._dynamo.reset()
    transforms = [lambda turn: torch.func.grad(lambda t: (turn(t) ** 3).sum()), lambda turn: lambda t: torch.func.vjp(turn, t)[1](turn(t))[0],
                  lambda turn: lambda t: torch.func.jvp(turn, (t,), (t + 1,))[1], torch.func.jacrev]
    of_all = lambda turn: lambda t: [transform(turn)(t) for transform in transforms]
    x = filled(device, shape=(4, 3, 2))
    for given, wanted in zip(torch.compile(of_all(turned), fullgraph=True, backend="aot_eager")(x), of_all(by_views)(x)):
        assert torch.equal(given, wanted)


def test_compiled_code_with_lists_and_names_of_numpy(device):
    x = filled(device)
    compiled = torch.compile(lambda t: cornerturn.torch.rearrange([t, t.float()], "b ... -> ... b"), fullgraph=True,
                             backend="aot_eager")
    assert torch.equal(compiled(x), torch.stack([x, x], -1))
    moved = torch.compile(lambda t: cornerturn.torch.transpose(cornerturn.torch.moveaxis(t, (0, 1), (-1, 0))), fullgraph=True,
                          backend="aot_eager")
    assert torch.equal(moved(x), x.moveaxis((0, 1), (-1, 0)).permute(2, 1, 0))


def test_a_length_is_a_symbol_from_its_second_value_on():
    torch._dynamo.reset()
    counter = torch._dynamo.testing.CompileCounter()
    compiled = torch.compile(lambda t: cornerturn.torch.rearrange(t, "a b -> b a", b=t.shape[1]), fullgraph=True, backend=counter)
    for columns in (3, 5, 7, 9):
        x = filled("cpu", shape=(4, columns))
        assert torch.equal(compiled(x), x.T)
    assert counter.frame_count == 2


def test_a_length_that_only_a_run_knows(device):
    torch._dynamo.reset()
    compiled = torch.compile(lambda t: cornerturn.torch.rearrange(t, PATTERN, b=t.shape[0] // 2), fullgraph=True, dynamic=True,
                             backend="aot_eager")
    for shape in ((4, 6, 5), (8, 3, 7)):
        assert torch.equal(compiled(filled(device, shape=shape)), by_views(filled(device, shape=shape)))


@pytest.mark.parametrize("pattern, lengths, message", [
    ("a b c -> a b", {}, "pattern is 'a b c -> a b'; it must have the same axes on both sides"),
    ("(a b) c d -> a b c d", {"a": 3}, "x.shape[0] is 4; it must be a multiple of 3"),
])
def test_what_is_wrong_is_named_by_the_compiler_too(pattern, lengths, message):
    compiled = torch.compile(lambda t: cornerturn.torch.rearrange(t, pattern, **lengths), fullgraph=True, backend="eager")
    with pytest.raises(RuntimeError, match=re.escape(message)):
        compiled(filled("cpu"))


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict, device):
    n, m = torch.export.Dim("n"), torch.export.Dim("m")
    layer, x = cornerturn.torch.Rearrange(PATTERN, **LENGTHS), filled(device)
    exported = torch.export.export(layer, (x,), dynamic_shapes={"x": {0: 2 * n, 1: m}}, strict=strict)
    assert [node.target for node in exported.graph.nodes].count(torch.ops.cornerturn.permute.default) == 1
    saved = io.BytesIO()
    torch.export.save(exported, saved)
    saved.seek(0)
    for program in (exported, torch.export.load(saved)):
        for shape in ((4, 6, 5), (8, 3, 5)):
            assert torch.equal(program.module()(filled(device, shape=shape)), by_views(filled(device, shape=shape)))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_graphs_of_make_fx(mode, device):
    graph = make_fx(turned, tracing_mode=mode)(filled(device))
    assert torch.equal(graph(filled(device) + 1), by_views(filled(device) + 1))


def test_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        result = turned(torch.empty(4, 6, 5, device="cuda" if torch.cuda.is_available() else "cpu"))
    assert result.shape == (5, 12, 1, 2) and result.is_contiguous()


@pytest.mark.parametrize("shape", [(0, 6, 5), (4, 0, 5)], ids=str)
def test_nothing_to_move(shape, device):
    x = torch.empty(shape, device=device)
    pattern = "(a b) c d -> d (b c) a"
    assert cornerturn.torch.rearrange(x, pattern, a=2).shape == (5, shape[0] // 2 * shape[1], 2)


def test_lists_are_promoted(device):
    x = filled(device, torch.int32)
    for other in (torch.float16, torch.int64, torch.bool, torch.complex64):
        arrays = [x, x.to(other), x]
        for function in (cornerturn.rearrange, cornerturn.torch.rearrange):
            result, wanted = function(arrays, "a b c d -> b c d a"), torch.stack(arrays, -1)
            assert result.dtype == wanted.dtype and torch.equal(result, wanted)


def test_a_layer(device):
    layer = cornerturn.torch.Rearrange(PATTERN, **LENGTHS)
    x = filled(device).requires_grad_()
    assert torch.equal(copy.deepcopy(layer)(x), by_views(x)) and not list(layer.parameters()) and not layer.state_dict()
    assert repr(layer) == f"Rearrange('{PATTERN}', a=2)"
    assert torch.equal(pickle.loads(pickle.dumps(layer))(x), by_views(x))
    assert torch.equal(torch.compile(layer, fullgraph=True, backend="aot_eager")(filled(device)), by_views(x))


def test_a_layer_that_pads_and_swizzles(device):
    given = {"pad": 7, "swizzle": "Sw<2,4,3>", "shape": (1, 2, 8, 64)}
    layer = cornerturn.torch.Rearrange("(m a) (k b) -> m k | a b", a=8, b=64, **given)
    x = filled(device, torch.float16, (6, 100)).requires_grad_()
    wanted = cornerturn.rearrange(x.detach(), "(m a) (k b) -> m k | a b", a=8, b=64, **given)
    assert torch.equal(layer(x), wanted) and torch.equal(copy.deepcopy(layer)(x.detach()), wanted)
    assert torch.equal(torch.compile(layer, fullgraph=True, backend="aot_eager")(x.detach()), wanted)
    assert repr(layer) == "Rearrange('(m a) (k b) -> m k | a b', a=8, b=64, pad=7, shape=(1, 2, 8, 64), swizzle='Sw<2,4,3>')"
    assert cornerturn.torch.Rearrange("(pad a) -> a pad", pad=2)(filled(device, shape=(6,))).shape == (3, 2)


@pytest.mark.filterwarnings("ignore:.*is deprecated")
def test_a_layer_in_a_scripted_model(device):
    for inner in (cornerturn.torch.Rearrange(PATTERN, **LENGTHS), cornerturn.torch.Rearrange("a b (c d) -> c b a d", d=4, pad=1), torch.jit.script(cornerturn.torch.Rearrange("a b c -> c b a"))):
        scripted = torch.jit.script(torch.nn.Sequential(torch.nn.ReLU(), inner))
        assert torch.equal(scripted(filled(device)), inner(filled(device)))


X = torch.ones(2, 3)


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.torch.rearrange(X.numpy(), "a b -> b a"), TypeError, "x is of type ndarray; it must be a torch.Tensor"),
    (lambda: cornerturn.torch.rearrange(X, 3), TypeError, "pattern is of type int; it must be a str; x comes before it"),
    (lambda: cornerturn.torch.rearrange(X, []), TypeError, "pattern is of type list; it must be a str; x comes before it"),
    (lambda: cornerturn.torch.rearrange(X, "a b -> b"), ValueError,
     "pattern is 'a b -> b'; it must have the same axes on both sides, unlike 'a' at index 0"),
    (lambda: cornerturn.torch.rearrange(X, "a (b c) -> b a c", b=2), ValueError,
     "x.shape[1] is 3; it must be a multiple of 2, for '(b c)' at index 2 of pattern 'a (b c) -> b a c'"),
    (lambda: cornerturn.torch.rearrange(X, "a b -> b a", c=2), ValueError,
     "c is given; it must be the name of an axis of pattern 'a b -> b a'"),
    (lambda: cornerturn.torch.rearrange(X, "a b -> b a", out=3), ValueError,
     "out is given; it must be left out, because rearrange always returns a new array"),
    (lambda: cornerturn.torch.rearrange(X, "a b -> b a", a=True), TypeError, "a is True; it must be an integer, not a bool"),
    (lambda: cornerturn.torch.rearrange(X, "a b -> b a", a=2.5), TypeError, "a is 2.5; it must be an integer from 0 to 9223372036854775807"),
    (lambda: cornerturn.torch.rearrange(X, "a b -> b a", a=-1), ValueError, "a is -1; it must be an integer from 0 to 9223372036854775807"),
    (lambda: cornerturn.torch.rearrange([], "a b -> b a"), ValueError,
     "x is an empty list; it must be an array or a list of at least one array"),
    (lambda: cornerturn.torch.rearrange([X, 3], "a b c -> b a c"), TypeError, "x[1] is of type int; it must be a torch.Tensor"),
    (lambda: cornerturn.torch.rearrange([X, X[0]], "a b c -> b a c"), ValueError,
     "x[1].shape is torch.Size([3]); it must be torch.Size([2, 3]), as that of x[0]"),
    (lambda: cornerturn.torch.rearrange([X, X.to(torch.float8_e5m2)], "a b c -> b a c"), ValueError,
     "x[1].dtype is torch.float8_e5m2; it must be torch.float32, as that of x[0]"),
    (lambda: cornerturn.torch.Rearrange("a b -> b"), ValueError,
     "pattern is 'a b -> b'; it must have the same axes on both sides, unlike 'a' at index 0"),
    (lambda: cornerturn.torch.Rearrange("a b -> b a", bits=3), ValueError, "bits is 3; it must be 8, 4, 2 or 1"),
    (lambda: cornerturn.torch.Rearrange("a b -> b a", a=0.5), TypeError, "a is 0.5; it must be an integer from 0 to 9223372036854775807"),
    (lambda: cornerturn.torch.moveaxis(X, 2, 0), IndexError, "source is 2; it must be an integer from -2 to 1"),
    (lambda: cornerturn.torch.moveaxis(X, (0, 1), (0, 0)), IndexError, "destination is (0, 0); it must be of distinct axes from -2 to 1"),
    (lambda: cornerturn.torch.moveaxis(X, (0, 1), 0), ValueError, "destination is 0; it must be of as many axes as source, 2"),
    (lambda: cornerturn.torch.transpose(X, 1.5), TypeError, "axes is of type float; it must be a sequence of integers, e.g. (1, 0)"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert isinstance(caught.value, cornerturn.Error)
