"""cornerturn for PyTorch: `enable`, after which PyTorch's own copies use cornerturn, and for autograd and the compiler the operators
torch.ops.cornerturn.permute and torch.ops.cornerturn.quantize with functions that use them.

Only this module and cornerturn.torch.distributed import torch when they are imported.
"""

import collections.abc
import typing

import torch
import torch.fx

from .. import ArgumentError, ArgumentTypeError, fp8, rearrange as _rearrange
from .._cornerturn import _checked_axes, _moved_axes
from .._rearrange import Limits, Recipe, expect_alike, expect_pattern, has_axis, limited, limits_of, promoted, read_lengths, recipe, shapes
from .._torch_copies import Report, disable, enable, report
from .._torch_wrappers import is_plain, refuse_data
from ._functions import Functions
from ._permute import is_transformed, permuted, refuse_tangent

__all__ = ["Rearrange", "Report", "contiguous", "disable", "enable", "moveaxis", "permute", "quantize", "rearrange", "report", "transpose"]


# The rank of tensors in each memory format; 0: any rank.
_RANKS = {torch.contiguous_format: 0, torch.channels_last: 4, torch.channels_last_3d: 5}


def _is_traced(x: object) -> bool:
    """True for what stands for a tensor in torch.fx.symbolic_trace, and for a list or tuple with it."""
    return isinstance(x, torch.fx.Proxy) or isinstance(x, (list, tuple)) and any([_is_traced(each) for each in x])


def _record(function: collections.abc.Callable, *args: typing.Any, **kwargs: typing.Any) -> typing.Any:
    """Adds a call to the graph of torch.fx.symbolic_trace, without the keywords that are None. The arguments are checked when the
    graph runs."""
    given = {name: value for name, value in kwargs.items() if value is not None}
    return torch.fx.Proxy.__torch_function__(function, (torch.fx.Proxy,), args, given)


def _expect_tensor(x: object, name: str = "x") -> None:
    if not isinstance(x, torch.Tensor):
        raise ArgumentTypeError(f"{name} is of type {type(x).__qualname__}; it must be a torch.Tensor")
    if not torch.compiler.is_compiling():
        refuse_data(x, name)


def permute(x: torch.Tensor, axes: collections.abc.Sequence[int]) -> torch.Tensor:
    """Copies a tensor with its axes permuted: x.permute(axes).contiguous(), but always a copy.

    Unlike cornerturn.permute it supports autograd and torch.compile, and has no out.

    Parameters
    ----------
    x : torch.Tensor
        On the CPU or a CUDA GPU.
    axes : sequence of int
        Axis i of the result is axis axes[i] of x. It is one sequence, unlike the arguments of x.permute.

    Returns
    -------
    torch.Tensor
        A new tensor, contiguous in C order. Its derivative is the inverse permutation.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in cornerturn.permute, but for tensors that autograd tracks.
    RuntimeError
        A CUDA call failed, or compiled code is called in forward mode.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> x = torch.ones(2, 3, 4, requires_grad=True)
    >>> cornerturn.torch.permute(x, (2, 0, 1)).sum().backward()
    >>> x.grad.shape
    torch.Size([2, 3, 4])
    """
    if _is_traced(x):
        return _record(permute, x, axes)
    _expect_tensor(x)
    return permuted(x, _axes_of(axes, x.dim()))


def transpose(x: torch.Tensor, axes: typing.Optional[collections.abc.Sequence[int]] = None) -> torch.Tensor:
    """Like permute, but axes defaults to all axes reversed.

    Parameters
    ----------
    x : torch.Tensor
        As in permute.
    axes : sequence of int, optional
        As in permute.

    Returns
    -------
    torch.Tensor
        As in permute.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As in permute.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> cornerturn.torch.transpose(torch.ones(2, 3, 4)).shape
    torch.Size([4, 3, 2])
    """
    if _is_traced(x):
        return _record(transpose, x, axes=axes)
    _expect_tensor(x)
    return permute(x, range(x.dim())[::-1] if axes is None else axes)


@torch.compiler.assume_constant_result
def _axes_of(axes: typing.Any, rank: int) -> tuple[int, ...]:
    return _checked_axes(axes, rank)


@torch.compiler.assume_constant_result
def _axes_moved(source: typing.Any, destination: typing.Any, rank: int) -> tuple[int, ...]:
    return _moved_axes(source, destination, rank)


def moveaxis(x: torch.Tensor, source: int | collections.abc.Sequence[int],
             destination: int | collections.abc.Sequence[int]) -> torch.Tensor:
    """Moves axes to other positions, as torch.moveaxis, but always copies. The other axes keep their order.

    Parameters
    ----------
    x : torch.Tensor
        As in permute.
    source, destination : int or sequence of int
        An axis, or equally many distinct axes, of x and of the result.

    Returns
    -------
    torch.Tensor
        As in permute.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As in permute.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> cornerturn.torch.moveaxis(torch.zeros(8, 224, 160, 3), -1, 1).shape
    torch.Size([8, 3, 224, 160])
    """
    if _is_traced(x):
        return _record(moveaxis, x, source, destination)
    _expect_tensor(x)
    return permute(x, _axes_moved(source, destination, x.dim()))


def _stacked(arrays: list[torch.Tensor]) -> torch.Tensor:
    for number, each in enumerate(arrays):
        _expect_tensor(each, f"x[{number}]")
    if any(each.dtype != arrays[0].dtype for each in arrays):
        arrays = promoted(arrays) or arrays
    expect_alike(arrays)
    return torch.stack(arrays)


@torch.compiler.assume_constant_result
def _recipe_of(pattern: str, rank: int, given: tuple[str, ...]) -> Recipe:
    return recipe(pattern, rank, given)


@torch.compiler.assume_constant_result
def _is_axis(pattern: str, name: str) -> bool:
    return has_axis(pattern, name)


class _Functions(Functions):
    permute = staticmethod(permute)


def _limited(x: torch.Tensor, pattern: str, lengths: dict[str, int], limits: Limits) -> torch.Tensor:
    """Rearranges a tensor that is padded, cropped, swizzled or of packed elements."""
    if limits.bits < 8 and x.requires_grad:
        raise ArgumentTypeError(f"x.requires_grad is True; it must be False with bits={limits.bits}, because packed elements have no "
                                "derivative")
    is_tracked = x.requires_grad and torch.is_grad_enabled()
    if not torch.compiler.is_compiling() and not is_tracked and not is_transformed(x) and is_plain(x):
        return _rearrange(x, pattern, **{**limits._asdict(), **lengths})
    return limited(x, _recipe_of(pattern, x.dim(), tuple(lengths)), lengths, limits, _Functions(x, limits)).contiguous()


def rearrange(x: torch.Tensor | list[torch.Tensor], /, pattern: str, *, pad: typing.Any = None,
              shape: typing.Optional[collections.abc.Sequence[int]] = None, bits: typing.Optional[int] = None,
              order: typing.Optional[str] = None, swizzle: typing.Optional[str] = None,
              source_swizzle: typing.Optional[str] = None, **axes_lengths: int) -> torch.Tensor:
    """Splits, permutes and merges axes by a pattern, as cornerturn.rearrange does, with derivatives and in torch.compile.

    Parameters
    ----------
    x : torch.Tensor, or list of torch.Tensor
        As in permute. Tensors of a list have the same shape and device; they are stacked first, which is a second copy. If their
        dtypes differ, torch promotes them.
    pattern : str
        For example 'b h w c -> b c h w'. cornerturn.rearrange describes the grammar, which is that of einops.
    pad, shape, bits, order, swizzle, source_swizzle : optional
        As in cornerturn.rearrange. Packed elements have no derivative. Tensors that autograd tracks, transforms and compiled code
        are padded, cropped, swizzled and unpacked by functions of PyTorch around one call of this engine.
    **axes_lengths : int
        The lengths of axes, by name.

    Returns
    -------
    torch.Tensor
        A new tensor, contiguous in C order, never a view of x. Its derivative is the inverse rearrangement, which crops what is
        padded and pads what is cropped with zeros.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As in cornerturn.rearrange and permute.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> images = torch.zeros(8, 224, 160, 3)
    >>> cornerturn.torch.rearrange(images, "b (h p) (w q) c -> (b h w) (p q c)", p=16, q=16).shape
    torch.Size([1120, 768])
    """
    given = dict(pad=pad, shape=shape, bits=bits, order=order, swizzle=swizzle, source_swizzle=source_swizzle)
    if _is_traced(x):
        return _record(rearrange, x, pattern, **given, **axes_lengths)
    if isinstance(x, list):
        x = _stacked(x)
    _expect_tensor(x)
    limits = limits_of(given, axes_lengths, lambda name: _is_axis(pattern, name))
    lengths = read_lengths(axes_lengths, lambda length: isinstance(length, torch.SymInt))
    if limits.are_given():
        return _limited(x, pattern, lengths, limits)
    found = _recipe_of(pattern, x.dim(), tuple(lengths))
    split, shape = shapes(found, x.shape, lengths)
    return permute(x.reshape([extent for each in split for extent in each]), found.order).reshape(shape)


class Rearrange(torch.nn.Module):
    """A pattern of `rearrange` as a layer, which has no parameters.

    Parameters
    ----------
    pattern : str
        As in rearrange.
    pad, shape, bits, order, swizzle, source_swizzle : optional
        As in rearrange.
    **axes_lengths : int
        As in rearrange.

    Raises
    ------
    ValueError, TypeError
        As in rearrange, for what is wrong with the pattern, the options and the lengths of any tensor.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> layer = cornerturn.torch.Rearrange("b c (h p) (w q) -> b (h w) (c p q)", p=16, q=16)
    >>> layer(torch.zeros(8, 3, 224, 160)).shape
    torch.Size([8, 140, 768])
    """

    axes_lengths: dict[str, int]  # for torch.jit.script, which knows no type of an empty dict

    def __init__(self, pattern: str, *, pad: typing.Any = None, shape: typing.Optional[collections.abc.Sequence[int]] = None,
                 bits: typing.Optional[int] = None, order: typing.Optional[str] = None, swizzle: typing.Optional[str] = None,
                 source_swizzle: typing.Optional[str] = None, **axes_lengths: int) -> None:
        super().__init__()
        expect_pattern(pattern)
        given = dict(pad=pad, shape=shape, bits=bits, order=order, swizzle=swizzle, source_swizzle=source_swizzle)
        limits_of(given, axes_lengths, lambda name: has_axis(pattern, name))
        self.pattern, self.axes_lengths = pattern, read_lengths(axes_lengths, lambda length: False)
        self._limits = tuple([(name, value) for name, value in given.items() if value is not None and name not in axes_lengths])

    @torch.jit.ignore  # so a scripted model calls it in Python
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns rearrange of x.

        Returns
        -------
        torch.Tensor
            As in rearrange.

        Raises
        ------
        ValueError, TypeError, MemoryError, RuntimeError
            As in rearrange.
        """
        return rearrange(x, self.pattern, **dict(self._limits), **self.axes_lengths)

    def extra_repr(self) -> str:
        return ", ".join([repr(self.pattern), *(f"{name}={value!r}" for name, value in [*self.axes_lengths.items(), *self._limits])])


def contiguous(x: torch.Tensor, *, memory_format: torch.memory_format = torch.contiguous_format) -> torch.Tensor:
    """Like x.contiguous(memory_format=...): returns x itself if it has the format already, else a copy.

    Parameters
    ----------
    x : torch.Tensor
        As in permute.
    memory_format : torch.memory_format
        torch.contiguous_format, torch.channels_last (4 axes) or torch.channels_last_3d (5 axes).

    Returns
    -------
    torch.Tensor
        x itself, or a new tensor.

    Raises
    ------
    ValueError
        Another format, or x has another number of axes than the format.
    TypeError, MemoryError, RuntimeError
        As in permute.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> x = torch.zeros(8, 3, 224, 160)
    >>> cornerturn.torch.contiguous(x, memory_format=torch.channels_last).stride()
    (107520, 1, 480, 3)
    """
    if _is_traced(x):
        return _record(contiguous, x, memory_format=memory_format)
    _expect_tensor(x)
    if memory_format not in tuple(_RANKS):
        raise ArgumentError(f"memory_format is {memory_format!r}; it must be one of {', '.join(map(str, _RANKS))}")
    if x.dim() != (_RANKS[memory_format] or x.dim()):
        raise ArgumentError(f"x.dim() is {x.dim()}; it must be {_RANKS[memory_format]} for {memory_format}")
    if x.is_contiguous(memory_format=memory_format):
        return x
    # only torch knows the strides of an empty tensor; during compilation numel() may be unknown
    if not torch.compiler.is_compiling() and x.numel() == 0:
        return x.contiguous(memory_format=memory_format)
    axes = list(range(x.dim()))
    if memory_format is torch.contiguous_format:
        return permute(x, axes)
    return permute(x, [0, *axes[2:], 1]).permute([0, len(axes) - 1, *axes[1:-1]])


@torch.library.custom_op("cornerturn::quantize", mutates_args=())
def _quantize_operator(x: torch.Tensor, x_scales: typing.Optional[torch.Tensor], dtype: torch.dtype,
                       block: typing.Optional[list[int]], outputs: str, scale: typing.Optional[torch.Tensor], power_of_two: bool,
                       least: float, scale_order: str) -> list[torch.Tensor]:
    refuse_tangent("quantize", "called outside of it, because it has no derivative")
    given = x.detach() if x_scales is None else fp8.Quantized(x.detach(), x_scales.detach())
    return _tensors_of(fp8.quantize(given, dtype, _block_of(block), outputs=outputs, power_of_two=power_of_two, least=least,
                                    scale=None if scale is None else scale.detach(), scale_order=scale_order))


@_quantize_operator.register_fake
def _(x: torch.Tensor, x_scales: typing.Optional[torch.Tensor], dtype: torch.dtype, block: typing.Optional[list[int]], outputs: str,
      scale: typing.Optional[torch.Tensor], power_of_two: bool, least: float, scale_order: str) -> list[torch.Tensor]:
    return _tensors_of(fp8.empty_result(x, dtype, _block_of(block), outputs, scale, scale_order))


def _refuse_tracked(ctx: typing.Any, inputs: tuple, output: list[torch.Tensor]) -> None:
    tensors = {"x": inputs[0], "x.scales": inputs[1], "scale": inputs[5]}
    name = next(name for name, each in tensors.items() if each is not None and each.requires_grad)
    raise ArgumentError(f"{name} is tracked by autograd; it must be its detach(), because quantize has no derivative")


# PyTorch calls setup_context for tracked tensors; so the derivative is never called.
_quantize_operator.register_autograd(lambda ctx, *gradients: None, setup_context=_refuse_tracked)


def _block_of(block: typing.Optional[collections.abc.Sequence[int]]) -> typing.Optional[tuple]:
    """The block of fp8.quantize for one of the operator, in which -1 is the whole axis."""
    return None if block is None else tuple(None if each == -1 else each for each in block)


def _tensors_of(result: fp8.Result) -> list[torch.Tensor]:
    """The tensors of a result: values, and scales if there are any, of its rows, then of its columns; then the amax."""
    return [each for each in (*(result.rows or ()), *(result.columns or ()), result.amax) if each is not None]


def quantize(x: typing.Any, dtype: torch.dtype = torch.float8_e4m3fn, block: typing.Optional[tuple] = (1, 128), *,
             outputs: str = "rows", scale: typing.Optional[torch.Tensor] = None, power_of_two: bool = False, least: float = 1e-12,
             scale_order: str = "C") -> fp8.Result:
    """Quantises a matrix as cornerturn.fp8.quantize does, also within torch.compile.

    Parameters
    ----------
    x : torch.Tensor or cornerturn.fp8.Quantized
        As in cornerturn.fp8.quantize. Autograd must not track it, because there is no derivative: a torch.autograd.Function that knows
        one calls quantize in its forward and its backward.
    dtype, block, outputs, power_of_two, least, scale_order
        As in cornerturn.fp8.quantize.
    scale : torch.Tensor, optional
        With block=None: one float32 where x is, as in cornerturn.fp8.quantize.

    Returns
    -------
    cornerturn.fp8.Result
        Of new tensors.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As in cornerturn.fp8.quantize; ValueError also if autograd tracks x, and RuntimeError in forward mode.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> compiled = torch.compile(lambda x: cornerturn.torch.quantize(2 * x, outputs="both"), fullgraph=True)
    >>> cornerturn.torch.quantize(torch.ones(256, 512), outputs="columns").columns.scales.shape
    torch.Size([512, 2])
    """
    if _is_traced(x):
        return _record(quantize, x, dtype, block, outputs=outputs, scale=scale, power_of_two=power_of_two, least=least,
                       scale_order=scale_order)
    x, x_scales = x if isinstance(x, fp8.Quantized) else (x, None)
    _expect_tensor(x)
    if scale is not None and not isinstance(scale, torch.Tensor):
        raise ArgumentTypeError(f"scale is {scale!r}; it must be a torch.Tensor of one float32")
    codes = None if block is None else [-1 if each is None else each for each in block]
    *tensors, amax = torch.ops.cornerturn.quantize(x, x_scales, dtype, codes, outputs, scale, power_of_two, least, scale_order)
    size = 1 if block is None else 2
    parts = [fp8.Quantized(*tensors[i:i + size], *[None] * (2 - size)) for i in range(0, len(tensors), size)]
    rows = parts[0] if outputs != "columns" else None
    return fp8.Result(rows, parts[-1] if outputs != "rows" else None, amax)
