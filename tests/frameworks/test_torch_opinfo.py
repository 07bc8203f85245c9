"""PyTorch's own samples of the operators that copy give the same bits with cornerturn.torch.enable and without."""

import sys
import types
import unittest

import cornerturn.torch
import pytest
import torch

from torch_copies import DTYPES, are_same

# PyTorch's test utilities derive their test case from this package's; the samples do not need it
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
methods = pytest.importorskip("torch.testing._internal.common_methods_invocations", exc_type=ImportError)

COPYING = ["clone", "contiguous", "reshape", "reshape_as", "to", "flatten", "permute_copy", "as_strided_copy", "float"]


def outcome(function, sample, differentiates):
    """The result with its gradients, or the type of the error."""
    try:
        result = function(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:
        return type(error)
    if not (differentiates and isinstance(result, torch.Tensor) and result.requires_grad):
        return (result,)
    inputs = [each for each in [sample.input, *sample.args] if isinstance(each, torch.Tensor) and each.requires_grad]
    return result, *(torch.autograd.grad(result.abs().sum(), inputs, allow_unused=True) if inputs else ())


def copy_(x, *_, **__):
    """aten::copy_, which is not among the operators with samples, of a sample that is made large enough to be taken: to a tensor in
    C order, and to one with its axes reversed."""
    x = torch.stack([x] * (2048 // max(x.nbytes, 1) + 2), dim=-1)
    dense = torch.empty(x.shape, dtype=x.dtype, device=x.device).copy_(x)
    return dense, torch.empty(x.shape[::-1], dtype=x.dtype, device=x.device).permute(*reversed(range(x.dim()))).copy_(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COPYING)
def test_samples(name, device):
    taken = compared = 0
    for operator in [each for each in methods.op_db if each.name == name]:
        for dtype in [each for each in DTYPES if each in operator.supported_dtypes(device)]:
            differentiates = operator.supports_autograd and dtype.itemsize > 1 and (dtype.is_floating_point or dtype.is_complex)
            for sample in operator.sample_inputs(device, dtype, requires_grad=differentiates):
                for each in (sample, sample.noncontiguous()):
                    for function, has_gradient in ((operator, differentiates), (copy_, False)):
                        cornerturn.torch.disable()
                        off = outcome(function, each, has_gradient)
                        with cornerturn.torch.enable():
                            on = outcome(function, each, has_gradient)
                            taken += cornerturn.torch.report().taken[device]
                        assert are_same(off, on), (operator.name, dtype, each)
                        compared += 1
    assert compared and (taken or device == "cuda")  # samples are small
