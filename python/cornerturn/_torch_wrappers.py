"""Tensors of PyTorch that stand for others and have no memory of their own: what messages call them, and what takes them."""

import sys

from ._cornerturn import ArgumentTypeError

# Tensors of data: the class, its module, and what is allowed in its place. A module that is not imported has no tensors.
_OF_DATA = (
    ("MaskedTensor", "torch.masked.maskedtensor.core", "a tensor in memory, e.g. its get_data()"),
    ("DTensor", "torch.distributed.tensor", "a tensor in memory, unless it goes to cornerturn.torch.distributed.permute"),
)
# Tensors of transforms, by their class or, if Python has none, by the function of torch._C._functorch that tells them.
_OF_TRANSFORMS = (("FakeTensor", "torch._subclasses.fake_tensor"), ("FunctionalTensor", "torch._subclasses.functional_tensor"))
_OF_FUNCTORCH = (("BatchedTensor of torch.vmap", "is_batchedtensor"), ("GradTrackingTensor of torch.func", "is_gradtrackingtensor"),
                 ("FunctionalTensor", "is_functionaltensor"))


def _or_of_torch(allowed, name):
    """What is allowed, and what takes the tensor, unless that is written: functions of cornerturn.torch return new tensors."""
    unless = ", unless it goes to permute, transpose, moveaxis or rearrange of cornerturn.torch"
    return allowed if name in ("out", "dst") else allowed + unless


def _is_of(x, kind, module):
    found = getattr(sys.modules.get(module), kind, None)
    return found is not None and isinstance(x, found)


def refuse_data(x, name):
    """Raises TypeError for a tensor of data that cornerturn.torch does not take: nested, masked, distributed, sparse or quantized."""
    if x.is_nested:
        raise ArgumentTypeError(f"{name} is nested; it must be a plain tensor, e.g. one of its unbind()")
    for kind, module, allowed in _OF_DATA:
        if _is_of(x, kind, module):
            raise ArgumentTypeError(f"{name} is a {kind}; it must be {allowed}")
    torch = sys.modules["torch"]
    if x.layout != torch.strided:
        raise ArgumentTypeError(f"{name}.layout is {x.layout}; it must be {torch.strided}")
    if x.is_quantized:
        raise ArgumentTypeError(f"{name} is quantized; it must be a plain tensor, e.g. its int_repr()")


def refuse(x, name):
    """Raises TypeError for a tensor of data, and for one that a transform, the compiler or export made."""
    refuse_data(x, name)
    functorch = sys.modules["torch"]._C._functorch
    kinds = [kind for kind, module in _OF_TRANSFORMS if _is_of(x, kind, module)]
    kinds += [kind for kind, test in _OF_FUNCTORCH if getattr(functorch, test, lambda _: False)(x)]
    if kinds:
        raise ArgumentTypeError(f"{name} is a {kinds[0]}; it must be {_or_of_torch('a tensor in memory', name)}")


def refuse_unknown(x, name):
    """Raises TypeError for a tensor that DLPack does not describe as memory of a CPU or a CUDA device."""
    refuse(x, name)
    if x.device.type == "meta":
        raise ArgumentTypeError(f"{name} is on the device meta; it must be {_or_of_torch('a tensor in memory', name)}")
    if x.device.type not in ("cpu", "cuda"):
        raise ArgumentTypeError(f"{name}.device is {x.device}; it must be cpu or cuda")
    raise ArgumentTypeError(f"{name}.dtype is {x.dtype}; it must be one that DLPack knows, e.g. that of {name}.view(torch.uint8)")


def refuse_recorded(x, name):
    """Raises TypeError if operators are recorded on this thread, since this call would not be among them."""
    of_torch = sys.modules["torch"]._C
    if of_torch._get_tracing_state() is not None:
        recorder = "torch.jit.trace"
    elif of_torch._get_dispatch_mode(of_torch._TorchDispatchModeKey.PROXY) is not None:
        recorder = "make_fx"
    else:
        return
    raise ArgumentTypeError(f"{name} is a tensor of a function that {recorder} records without this call; it must be "
                            f"{_or_of_torch('one of a function that runs', name)}")


def is_plain(x):
    """Returns whether a tensor has memory of its own, and is not of a transform, of the compiler or of a recorder."""
    try:
        refuse(x, "x")
        refuse_recorded(x, "x")
    except ArgumentTypeError:
        return False
    return not hasattr(x, "__tensor_flatten__")


def refuse_without_memory(x, name):
    """Raises TypeError for a tensor without memory."""
    refuse(x, name)
    if x._is_zerotensor():
        raise ArgumentTypeError(f"{name} is a zero tensor of autograd, without memory; it must be its clone()")
    kind = f"{type(x).__module__}.{type(x).__qualname__}"
    wraps = hasattr(x, "__tensor_flatten__")
    raise ArgumentTypeError(f"{name} is of type {kind}{', which wraps tensors' if wraps else ''}; it must be "
                            f"{_or_of_torch('a tensor in memory', name) if wraps else 'a tensor in memory'}")
