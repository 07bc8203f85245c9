"""Images in rows of pixels, as decoders and cameras deliver them, to normalised planes, as neural networks read them.

The work is one call of `cornerturn.permute`: the pixels are read once and the planes are written once.
"""

import functools
import sys
import typing

import numpy as np

from . import ArgumentError, ArgumentTypeError, permute as _permute
from ._cornerturn import _dtype_name, _element_types, _permute_list, _refuse_masked
from ._shown import shown

__all__ = ["to_planes"]


def to_planes(x: typing.Any, dtype: typing.Any = None, mean: typing.Any = 0.0, std: typing.Any = 1.0, *, flip: bool = False,
              out: typing.Any = None, stream: typing.Any = None, threads: int = 0) -> typing.Any:
    """Turns images of bytes into planes of numbers: result[..., c, y, x] = (x[..., y, x, c] / 255 - mean[c]) / std[c].

    It is computed as scale[c] * x + bias[c] and rounded once, where scale = 1 / (255 * std) and bias = -mean / std are rounded to 32
    bits. A crop is a view: x[:, top:bottom, left:right].

    Parameters
    ----------
    x : array of uint8, of shape (height, width, channels) or (n, height, width, channels), or list of n images
        Of NumPy, PyTorch or CuPy, on the CPU or a GPU; in host memory also other arrays that `permute` takes. Any strides. The
        images of a list have one shape and device, and are of one framework. On a GPU, one launch turns 256 images of a list; each
        image whose strides differ from those of the image before it begins another launch.
    dtype : dtype or str, optional
        The dtype of the planes: "float32", "float16", "bfloat16", or any other real one, as in `permute`. Default: that of out, else
        float32.
    mean, std : float or sequence of float
        One number, or one for each channel, in units of 255, as in torchvision.
    flip : bool
        Mirror the images from left to right. With NumPy and CuPy, a view x[..., ::-1, :] does the same; PyTorch has no such view.
    out : array, optional
        Receives the planes, as in `permute`. It may be a part of a larger batch.
    stream, threads
        As in `permute`.

    Returns
    -------
    array
        out, or a new array of shape (channels, height, width) or (n, channels, height, width).

    Raises
    ------
    ValueError
        x has another rank or dtype, or is an empty list; the images of a list differ in shape or device; mean or std has another
        length than there are channels, or a number that is not finite; std has a 0 or a number so small that scale is infinite.
    TypeError
        mean or std is no number, flip is no bool, or the images of a list are of several frameworks; otherwise as in `permute`.

    Examples
    --------
    >>> import cornerturn.images, numpy as np
    >>> pixels = np.full((8, 256, 256, 3), 255, np.uint8)
    >>> planes = cornerturn.images.to_planes(pixels[:, 16:240, 16:240], "float32", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    >>> planes.shape
    (8, 3, 224, 224)
    """
    is_list = isinstance(x, (list, tuple))
    if is_list and not x:
        raise ArgumentError("x is an empty list; it must be an array or a list of at least one image")
    # The other images of a list are compared with the first one when all are permuted.
    first, first_name = (x[0], "x[0]") if is_list else (x, "x")
    for argument, array in ((first_name, first), ("out", out)):
        if not hasattr(array, "dtype") and (array is not None or argument != "out"):
            raise ArgumentTypeError(f"{argument} is of type {type(array).__name__}; it must be an array")
    shape = tuple(first.shape)
    if len(shape) not in ((3,) if is_list else (3, 4)):
        raise ArgumentError(f"{first_name}.shape is {shape}; it must be of 3 {'' if is_list else 'or 4 '}axes, the last one of channels")
    if not str(first.dtype).endswith("uint8"):
        raise ArgumentError(f"{first_name}.dtype is {first.dtype}; it must be uint8")
    axes = (*range(len(shape) - 3), len(shape) - 1, len(shape) - 3, len(shape) - 2)
    if not isinstance(flip, (bool, np.bool_)):
        raise ArgumentTypeError(f"flip is {shown(flip)}; it must be True or False")
    name = _dtype_name(dtype if dtype is not None else "float32" if out is None else out.dtype, "dtype")
    channels = f"{shape[-1]}, one for each channel, as {first_name}.shape is {shape}"
    scale, bias = _factors(_numbers("mean", mean, shape[-1], channels), _numbers("std", std, shape[-1], channels),
                           "float64" if name in _WIDE else "float32", _Device.of(first))
    if flip:
        if out is None and (torch := _torch_of(first)) is not None:
            if (of_torch := getattr(torch, name, None)) is None:
                raise ArgumentTypeError(f"dtype is {shown(dtype)}; it must be one that PyTorch has, as x is a tensor")
            out = torch.empty([*([len(x)] if is_list else []), *(shape[axis] for axis in axes)], dtype=of_torch, device=first.device)
        x = [_mirrored(each) for each in x] if is_list else _mirrored(x)
    permute = _permute_list if is_list else _permute
    return permute(x, axes, dtype=name, out=out, stream=stream, threads=threads, scale=scale, bias=bias)


_WIDE = [each["dtype"] for each in _element_types if each["is_wide"]]


def _torch_of(x: typing.Any) -> typing.Any:
    """PyTorch, if x is one of its tensors, such as an Image of torchvision; else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def _numbers(name: str, given: typing.Any, channels: int, described: str) -> tuple[float, ...]:
    """One number for each channel. `described` says how many there are."""
    _refuse_masked(given, name)
    allowed = f"{'finite and not 0' if name == 'std' else 'finite'}: one number or {described}"
    try:
        numbers = np.asarray(given, np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentTypeError(f"{name} is {shown(given)}; it must be {allowed}") from error
    except OverflowError as error:
        raise ArgumentError(f"{name} is {shown(given)}; it must be {allowed}") from error
    if numbers.shape not in ((), (channels,)) or not np.isfinite(numbers).all() or (name == "std" and not numbers.all()):
        raise ArgumentError(f"{name} is {shown(given)}; it must be {allowed}")
    return tuple(np.broadcast_to(numbers, channels).tolist())


class _Device(typing.NamedTuple):
    """The place where the factors of an array must lie: a device of PyTorch, a number of one of CuPy, or host memory."""
    framework: str
    device: typing.Any

    @classmethod
    def of(cls, x: typing.Any) -> "_Device":
        if not hasattr(x, "__cuda_array_interface__"):
            return cls("numpy", None)
        return cls("cupy", x.device.id) if _torch_of(x) is None else cls("torch", x.device)


@functools.lru_cache(maxsize=64)
def _factors(mean: tuple[float, ...], std: tuple[float, ...], dtype: str, place: _Device) -> tuple[typing.Any, typing.Any]:
    """Scale and bias of each channel. They are kept, so that later calls find the plan of the first one, and nothing is copied."""
    with np.errstate(over="ignore"):
        both = tuple(np.array(each, dtype).reshape(-1, 1, 1) for each in ([1 / (255 * each) for each in std], [-m / s for m, s in zip(mean, std)]))
    if not all(np.isfinite(each).all() for each in both):
        raise ArgumentError(f"std is {shown(std)}; it must be large enough that 1 / (255 * std) and mean / std are finite in {dtype}, with a mean of "
                            f"{shown(mean)}")
    if place.framework == "torch":
        import torch
        return tuple(torch.tensor(each, device=place.device) for each in both)
    if place.framework == "cupy":
        import cupy
        with cupy.cuda.Device(place.device):
            both = tuple(cupy.asarray(each) for each in both)
            cupy.cuda.get_current_stream().synchronize()
    return both


def _mirrored(x: typing.Any) -> typing.Any:
    """The images of x from right to left. What is no image stays as it is, and is refused when it is permuted."""
    if len(getattr(x, "shape", ())) < 2:
        return x
    if (torch := _torch_of(x)) is None:
        return x[..., ::-1, :]
    return _Mirrored(x, torch) if x.is_cuda else x.numpy()[..., ::-1, :]


class _Mirrored:
    """A tensor on a GPU whose last but one axis runs backwards, which PyTorch has no view for."""

    def __init__(self, x: typing.Any, torch: typing.Any) -> None:
        self._kept = x
        strides = [stride * x.element_size() for stride in x.stride()]
        first = x.data_ptr() + (x.shape[-2] - 1) * strides[-2]
        strides[-2] *= -1
        self.__cuda_array_interface__ = {"shape": tuple(x.shape), "strides": tuple(strides), "data": (first, True), "typestr": "|u1",
                                         "version": 3, "stream": torch.cuda.current_stream(x.device).cuda_stream or 1}
