"""Tensors that stand for others: the plain functions name them and what takes them, and cornerturn.torch takes those of transforms."""

import re

import cornerturn.torch
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

FUNCTIONS = "a tensor in memory, unless it goes to permute, transpose, moveaxis or rearrange of cornerturn.torch"


def functional(call, x):
    with FunctionalTensorMode():
        return FunctionalTensor.to_functional(x) if call is None else call(FunctionalTensor.to_functional(x))


def exported(call, x):
    module = type("Module", (torch.nn.Module,), {"forward": lambda self, t: call(t)})()
    return torch.export.export(module, (x,)).module()(x)


# how a function sees a wrapper of a tensor, the wrapper, and whether its result is the permuted tensor
OF_TRANSFORMS = {
    "vmap": (lambda call, x: torch.vmap(call)(x[None])[0], "a BatchedTensor of torch.vmap"),
    "grad": (lambda call, x: torch.func.vjp(call, x)[0], "a GradTrackingTensor of torch.func"),
    "jvp": (lambda call, x: torch.func.jvp(call, (x,), (x,))[1], "a GradTrackingTensor of torch.func"),
    "functionalize": (lambda call, x: torch.func.functionalize(call)(x), "a FunctionalTensor"),
    "functional": (lambda call, x: FunctionalTensor.from_functional(functional(call, x)), "a FunctionalTensor"),
    "export": (exported, "a FakeTensor"),
}


@pytest.mark.parametrize("name", OF_TRANSFORMS)
def test_wrappers_of_transforms(name, device):
    wrapped, kind = OF_TRANSFORMS[name]
    x = torch.arange(12.0, device=device).reshape(3, 4)
    plain = [lambda t: cornerturn.permute(t, (1, 0)), lambda t: cornerturn.rearrange(t, "a b -> b a"), lambda t: cornerturn.moveaxis(t, 0, 1),
             lambda t: cornerturn.transpose(x, out=t)]
    for call in plain[:3]:
        with pytest.raises(cornerturn.ArgumentTypeError, match=f"^x is {kind}; it must be {FUNCTIONS}$"):
            wrapped(call, x)
    with pytest.raises(cornerturn.ArgumentTypeError, match=f"^out is {kind}; it must be a tensor in memory$"):
        wrapped(plain[3], x)
    for call in (lambda t: cornerturn.torch.permute(t, (1, 0)), lambda t: cornerturn.torch.rearrange(t, "a b -> b a"),
                 lambda t: cornerturn.torch.moveaxis(t, 0, 1), cornerturn.torch.transpose):
        assert torch.equal(wrapped(call, x), x.T)


RECORDED = {
    "torch.jit.trace": lambda call, x: torch.jit.trace(call, (x,)),
    "make_fx": lambda call, x: make_fx(call, tracing_mode="real")(x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("recorder", RECORDED)
def test_what_is_recorded(recorder, device):
    """The call would not be in the recording, whose result would then be memory that nothing has written."""
    record = RECORDED[recorder]
    x = torch.arange(12.0, device=device).reshape(3, 4)
    with pytest.raises(cornerturn.ArgumentTypeError, match=f"^x is a tensor of a function that {recorder} records without this call"):
        record(lambda t: cornerturn.permute(t, (1, 0)), x)
    assert torch.equal(cornerturn.permute(x, (1, 0)), x.T)
    assert torch.equal(record(lambda t: cornerturn.torch.permute(t, (1, 0)), x)(x + 1), x.T + 1)
    with FlopCounterMode(display=False):  # a mode that records nothing
        assert torch.equal(cornerturn.permute(x, (1, 0)), x.T)


class Layers(torch.nn.Module):
    """Calls of each function that torch.fx.symbolic_trace records."""

    def __init__(self):
        super().__init__()
        self.rearrange = cornerturn.torch.Rearrange("a b -> b a", a=3)

    def forward(self, x):
        moved = cornerturn.torch.moveaxis(cornerturn.torch.rearrange([self.rearrange(x), x.T], "n a b -> b (n a)", b=x.shape[0]), 0, 1)
        last = cornerturn.torch.contiguous(moved[None, None], memory_format=torch.channels_last)
        scales = cornerturn.torch.quantize(cornerturn.torch.permute(moved, (1, 0)), block=(1, None)).rows.scales
        return last, scales, cornerturn.torch.transpose(moved), cornerturn.torch.transpose(moved, axes=(1, 0))


def test_what_is_traced_symbolically(device):
    layers, x = Layers(), torch.arange(12.0, device=device).reshape(3, 4)
    graph = torch.fx.symbolic_trace(layers)
    for given, wanted in zip(graph(x), layers(x)):
        assert torch.equal(given, wanted) and given.stride() == wanted.stride()
    with pytest.raises(ValueError, match="^x.shape\\[0\\] is 2; it must be 3"):
        graph(x[:2])
    for call in (lambda t: cornerturn.permute(t, (1, 0)), lambda t: cornerturn.rearrange(t, "a b -> b a"),
                 lambda t: cornerturn.transpose(x, out=t)):
        with pytest.raises(TypeError, match=f"^(x|out) is a Proxy of torch.fx.symbolic_trace; it must be {FUNCTIONS}$"):
            torch.fx.symbolic_trace(call)


@pytest.mark.parametrize("shape", [(3, 4), (0, 4)], ids=str)
def test_fake_tensors(shape):
    with FakeTensorMode():
        x = torch.empty(shape)
        with pytest.raises(TypeError, match=f"^x is a FakeTensor; it must be {FUNCTIONS}$"):
            cornerturn.transpose(x)
        assert cornerturn.torch.transpose(x).shape == shape[::-1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make, message", [
    (lambda x: torch.nested.nested_tensor([x, x[:2]]), "x is nested; it must be a plain tensor, e.g. one of its unbind()"),
    (lambda x: torch.nested.nested_tensor([x, x[:2]], layout=torch.jagged), "x is nested; it must be a plain tensor, e.g. one of its unbind()"),
    (lambda x: torch.masked.masked_tensor(x, x > 1), "x is a MaskedTensor; it must be a tensor in memory, e.g. its get_data()"),
    (lambda x: x.to_sparse(), "x.layout is torch.sparse_coo; it must be torch.strided"),
    (lambda x: x.to_sparse_csr(), "x.layout is torch.sparse_csr; it must be torch.strided"),
    (lambda x: torch.quantize_per_tensor(x, 0.5, 1, torch.qint8), "x is quantized; it must be a plain tensor, e.g. its int_repr()"),
], ids=["nested", "jagged", "masked", "sparse", "rows", "quantized"])
def test_tensors_of_data(make, message, device):
    x = make(torch.arange(12.0, device=device).reshape(3, 4))
    for call in (lambda: cornerturn.permute(x, (1, 0)), lambda: cornerturn.rearrange(x, "a b -> b a"), lambda: cornerturn.torch.permute(x, (1, 0)),
                 lambda: cornerturn.torch.rearrange(x, "a b -> b a"), lambda: cornerturn.torch.contiguous(x)):
        with pytest.raises(cornerturn.ArgumentTypeError, match=f"^{re.escape(message)}$"):
            call()


class Pair(torch.Tensor):
    """A tensor around two others, to which its operators apply."""

    @staticmethod
    def __new__(cls, first, second):
        return torch.Tensor._make_wrapper_subclass(cls, first.shape, dtype=first.dtype, device=first.device, strides=first.stride())

    def __init__(self, first, second):
        self.parts = first, second

    def __tensor_flatten__(self):
        raise NotImplementedError

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        first, second = ([each.parts[i] if isinstance(each, Pair) else each for each in args] for i in range(2))
        return Pair(function(*first, **kwargs or {}), function(*second, **kwargs or {}))


def test_other_wrappers(device):
    x = torch.arange(12.0, device=device).reshape(3, 4)
    pair = Pair(x, 2 * x)
    with pytest.raises(TypeError, match=f"^x is of type test_torch_wrappers.Pair, which wraps tensors; it must be {FUNCTIONS}$"):
        cornerturn.permute(pair, (1, 0))
    first, second = cornerturn.torch.permute(pair, (1, 0)).parts
    assert torch.equal(first, x.T) and torch.equal(second, 2 * x.T)


class Counted(torch.Tensor):
    """A subclass with an own dispatch and with memory."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        with torch._C._DisableTorchDispatch():
            return function(*args, **kwargs or {})


def test_a_subclass_with_memory_is_moved(device):
    x = torch.arange(12.0, device=device).reshape(3, 4)
    assert torch.equal(cornerturn.permute(torch.Tensor._make_subclass(Counted, x), (1, 0)), x.T)
