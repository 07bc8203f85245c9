"""The operator torch.ops.cornerturn.permute and its derivatives, of both modes and in transforms of functions, compiled or not."""

import collections.abc
import typing

import torch
from torch.autograd import forward_ad

from .. import permute as _permute

# PyTorch has no public function for this. If this one disappears, nothing is refused.
_is_forward_mode_on = getattr(torch._C, "_is_fwd_grad_enabled", lambda: False)


@torch.compiler.assume_constant_result
def _is_compiled_in_transform() -> bool:
    """True while code within a transform of torch.func is compiled. False, too, if this PyTorch lacks the private function."""
    return getattr(torch._C, "_are_functorch_transforms_active", lambda: False)()


def is_transformed(x: torch.Tensor) -> bool:
    """True in forward mode and within the transforms of torch.func but functionalize, where only _Permute works. It takes longer
    than the operator. True, too, if this PyTorch lacks one of the private functions."""
    if torch.compiler.is_compiling():
        return _is_compiled_in_transform()
    try:
        in_transform = torch._C._are_functorch_transforms_active() and not torch._is_functional_tensor(x)
        return in_transform or forward_ad._current_level >= 0
    except AttributeError:
        return True


@torch.library.custom_op("cornerturn::permute", mutates_args=())
def _operator(x: torch.Tensor, axes: list[int]) -> torch.Tensor:
    refuse_tangent("permute", "cornerturn.torch.permute, not compiled")
    return _permute(x.detach(), axes)  # without autograd, which is registered below


@_operator.register_fake
def _(x: torch.Tensor, axes: list[int]) -> torch.Tensor:
    refuse_tangent("permute", "cornerturn.torch.permute, not compiled")
    return torch.empty_like(x.permute(axes), memory_format=torch.contiguous_format)


def refuse_tangent(operator: str, allowed: str) -> None:
    """Raises RuntimeError in forward mode, in which a custom_op would drop tangents. _Permute supports it and turns it off."""
    if getattr(forward_ad, "_current_level", -1) >= 0 and _is_forward_mode_on():
        raise RuntimeError(f"torch.ops.cornerturn.{operator} is called in forward mode; it must be {allowed}")


@_operator.register_vmap
def _(info: typing.Any, in_dims: tuple, x: torch.Tensor, axes: list[int]) -> tuple[torch.Tensor, int]:
    shifted = [axis % len(axes) + 1 for axis in axes]
    return torch.ops.cornerturn.permute(x.movedim(in_dims[0], 0), [0, *shifted]), 0


def _inverse_permute(gradient: torch.Tensor, axes: collections.abc.Sequence[int]) -> torch.Tensor:
    forward = [axis % len(axes) for axis in axes]
    return permuted(gradient, tuple([forward.index(axis) for axis in range(len(axes))]))


def _remember_axes(ctx: typing.Any, inputs: tuple[torch.Tensor, list[int]], output: torch.Tensor) -> None:
    ctx.axes = inputs[1]


def _backward(ctx: typing.Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
    return _inverse_permute(gradient, ctx.axes), None


_operator.register_autograd(_backward, setup_context=_remember_axes)


class _Permute(torch.autograd.Function):
    """The operator with forward-mode derivatives. Each axis is a separate argument, because torch.func.hessian fails for a list."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor, *axes: int) -> torch.Tensor:
        return torch.ops.cornerturn.permute(x, axes)

    @staticmethod
    def setup_context(ctx: typing.Any, inputs: tuple, output: torch.Tensor) -> None:
        ctx.axes = inputs[1:]

    @staticmethod
    def backward(ctx: typing.Any, gradient: torch.Tensor) -> tuple:
        return _inverse_permute(gradient, ctx.axes), *(None for _ in ctx.axes)

    @staticmethod
    def jvp(ctx: typing.Any, tangent: torch.Tensor, *_: None) -> torch.Tensor:
        return permuted(tangent, ctx.axes)


@torch.compiler.allow_in_graph  # because torch.compile looks into no Function with forward-mode derivatives
def _permute_transformed(x: torch.Tensor, *axes: int) -> torch.Tensor:
    return _Permute.apply(x, *axes)


def permuted(x: torch.Tensor, axes: tuple[int, ...]) -> torch.Tensor:
    """Copies a tensor with its axes permuted by axes that are already checked."""
    if is_transformed(x):
        return _permute_transformed(x, *axes)
    return torch.ops.cornerturn.permute(x, axes)
