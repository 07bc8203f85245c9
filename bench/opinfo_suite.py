"""Runs the samples of PyTorch's operators on the CPU with cornerturn.torch.enable and without, and compares the results.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/opinfo_suite.py [--all] [--operators NAME ...]

The operators are those that arrange elements without computing (ARRANGING; --all takes every operator) and of which a sample reaches
aten::copy_, as the override counts: the others cannot differ. Views are also made contiguous and given to copy_. Each dtype has PyTorch's
samples and larger ones, since PyTorch's are mostly too small to be taken, and both also with gaps. Values are compared bit for bit, with
dtype, shape, strides, gradients and messages of errors. A result that PyTorch does not repeat without cornerturn is counted, but is no
difference.
"""

import argparse
import collections
import contextlib
import sys
import types
import unittest
import warnings

import cornerturn.torch
import torch
from cornerturn import _cornerturn
from torch.utils import _pytree

# PyTorch's test utilities derive their test case from this package's; the samples do not need it
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
from torch.testing._internal import common_methods_invocations as methods  # noqa: E402

ARRANGING = set("""_chunk_cat H T alias_copy as_strided as_strided_copy as_strided_scatter atleast_1d atleast_2d atleast_3d bfloat16 block_diag
    bool broadcast_tensors broadcast_to byte cartesian_prod cat cdouble cfloat chalf char chunk clone column_stack combinations complex
    constant_pad_nd contiguous diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter double dsplit dstack expand expand_as
    expand_copy flatten flip fliplr flipud float gather half hsplit hstack index_copy index_fill index_put index_select int long mH mT
    masked_fill masked_scatter masked_select meshgrid movedim narrow narrow_copy nn.functional.channel_shuffle nn.functional.embedding
    nn.functional.pad nn.functional.pixel_shuffle nn.functional.pixel_unshuffle nn.functional.unfold permute permute_copy put ravel
    repeat repeat_interleave reshape reshape_as resize_ resize_as_ resolve_conj resolve_neg roll rot90 scatter select select_scatter
    short slice slice_scatter split split_with_sizes split_with_sizes_copy squeeze squeeze_copy stack t t_copy take take_along_dim
    tensor_split tile to transpose transpose_copy tril triu unbind unbind_copy unflatten unfold unfold_copy unsafe_chunk unsafe_split
    unsqueeze unsqueeze_copy view view_as view_copy vsplit vstack where""".split())
VIEWS = {"T", "expand", "mT", "movedim", "narrow", "permute", "t", "transpose", "unfold"}
SIZES = {"XS": 7, "S": 17, "M": 24, "L": 40}  # of the larger samples' axes, by PyTorch's names


@contextlib.contextmanager
def larger_samples():
    modules = [module for name, module in list(sys.modules.items())
               if name == methods.__name__ or name.startswith("torch.testing._internal.opinfo")]
    changed = [(module, name, getattr(module, name)) for module in modules for name in SIZES if type(vars(module).get(name)) is int]
    for module, name, _ in changed:
        setattr(module, name, SIZES[name])
    try:
        yield
    finally:
        for module, name, size in changed:
            setattr(module, name, size)


def bits(x):
    plain = x.detach().resolve_conj().resolve_neg()
    return plain.reshape(-1).clone(memory_format=torch.contiguous_format).view(torch.uint8)


def are_same(a, b):
    """True if two outcomes have the same structure and the same values; of tensors, the bits, dtype, shape, strides and lazy flags."""
    (a, shape), (b, other) = _pytree.tree_flatten(a), _pytree.tree_flatten(b)
    return shape == other and all(map(are_same_leaves, a, b))


def are_same_leaves(a, b):
    if type(a) is not type(b):
        return False
    if not isinstance(a, torch.Tensor):
        return a == b or a != a
    told = [(x.dtype, x.shape, x.layout, x.device, x.is_conj(), x.is_neg()) for x in (a, b)]
    if told[0] != told[1]:
        return False
    if a.layout != torch.strided or a.is_quantized:
        return torch.equal(a.to_dense(), b.to_dense())
    return a.stride() == b.stride() and (a.numel() == 0 or torch.equal(bits(a), bits(b)))


def outcome(function, sample, differentiates):
    """The result and its gradients, or the type and the message of the error."""
    torch.manual_seed(0)
    try:
        result = function(sample.input, *sample.args, **sample.kwargs)
        if not differentiates:
            return result
        inputs = [x for x in _pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
                  if isinstance(x, torch.Tensor) and x.requires_grad]
        outputs = [x for x in _pytree.tree_leaves(result) if isinstance(x, torch.Tensor) and x.requires_grad]
        if not inputs or not outputs:
            return result
        return result, torch.autograd.grad([x.abs().sum() for x in outputs], inputs, allow_unused=True)
    except Exception as error:
        return type(error), str(error).partition("\n")[0]


def copies():
    """The copies since the last switch, and how many of them were taken."""
    counts = _cornerturn._torch_copies("cpu")
    return sum(counts[name] for name in counts if name not in ("bytes", "refusal")), counts["taken"]


def samples(operator, dtype, differentiates):
    """PyTorch's samples and, as far as PyTorch can make them, larger ones; each of them also with strides that leave gaps."""
    for sizes in (contextlib.nullcontext(), larger_samples()):
        with sizes, contextlib.suppress(Exception):
            for sample in operator.sample_inputs("cpu", dtype, requires_grad=differentiates):
                yield sample
                with contextlib.suppress(Exception):
                    yield sample.noncontiguous()


def functions_of(operator):
    """An operator under its name, and what copies its result if that is a view."""
    name = operator.name + (f".{operator.variant_test_name}" if operator.variant_test_name else "")
    yield name, operator
    if operator.name in VIEWS:
        yield f"{name}, contiguous", lambda *arguments, **options: operator(*arguments, **options).contiguous()
        yield f"{name}, copy_", lambda *arguments, **options: copied(operator(*arguments, **options))


def copied(x):
    return torch.empty(x.shape, dtype=x.dtype).copy_(x)


def reaches_copy(operator, function, dtypes):
    """True if a sample of one of these dtypes calls aten::copy_."""
    for dtype in dtypes:
        for sample in samples(operator, dtype, False):
            _cornerturn._switch_torch_copies(True)
            outcome(function, sample, False)
            found, _ = copies()
            _cornerturn._switch_torch_copies(False)
            if found:
                return True
    return False


def compare(operator, function, dtype):
    """Counts of samples, errors, copies, copies taken, and of the results that differ or are not repeated."""
    counts = collections.Counter()
    differentiates = operator.supports_autograd and dtype in operator.supported_backward_dtypes("cpu")
    for sample in samples(operator, dtype, differentiates):
        off = outcome(function, sample, differentiates)
        _cornerturn._switch_torch_copies(True)
        on = outcome(function, sample, differentiates)
        called, taken = copies()
        _cornerturn._switch_torch_copies(False)
        is_error = isinstance(off, tuple) and bool(off) and isinstance(off[0], type)
        counts.update(samples=1, errors=is_error, copies=called, taken=taken)
        if not are_same(off, on):
            counts["different" if are_same(off, outcome(function, sample, differentiates)) else "not repeated"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="also operators that compute")
    parser.add_argument("--operators", nargs="*", help="only operators of these names")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(2)
    cornerturn.torch.enable()
    _cornerturn._switch_torch_copies(False)

    print(f"torch {torch.__version__}, cornerturn {cornerturn.__version__}, {len(methods.op_db)} operators")
    total, names = collections.Counter(), 0
    chosen = [each for each in methods.op_db if options.all or each.name in (options.operators or ARRANGING)]
    for operator in chosen:
        dtypes = sorted(operator.supported_dtypes("cpu"), key=str)
        for name, function in functions_of(operator):
            if not reaches_copy(operator, function, dtypes):
                continue
            counts = sum((compare(operator, function, dtype) for dtype in dtypes), collections.Counter())
            print(f"{name}: {len(dtypes)} dtypes, " + ", ".join(f"{count} {key}" for key, count in counts.items() if count), flush=True)
            total += counts
            names += 1
    print(f"{names} functions: " + ", ".join(f"{total[key]} {key}" for key in ("samples", "errors", "copies", "taken", "not repeated",
                                                                              "different")))
    return 1 if total["different"] or not names else 0


if __name__ == "__main__":
    sys.exit(main())
