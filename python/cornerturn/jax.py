"""cornerturn for JAX: permutations that XLA runs on this engine, under jit, vmap, grad and jvp, on CPUs and on NVIDIA GPUs.

Only this module of the package imports jax.
"""

import collections.abc
import ctypes
import functools
import pathlib
import re
import typing

import jax
import jax.export
import jax.extend.core
import jax.ffi
import numpy as np
from jax.interpreters import ad, batching, mlir, xla

from . import ArgumentError, ArgumentTypeError, DeviceError
from ._cornerturn import _checked_axes, _moved_axes, _refuse_masked, _swapped_axes
from ._rearrange import expect_alike, expect_whole_bytes, has_axis, limited, limits_of, read_lengths, recipe, shapes, shifts_of, swizzled_units

__all__ = ["moveaxis", "permute", "rearrange", "swapaxes", "transpose"]

_PATH = pathlib.Path(__file__).with_name("_cornerturn_jax.so")
if not _PATH.exists():
    raise ImportError(f"cornerturn.jax needs {_PATH.name}, which this build lacks: it is built where XLA's headers are found, which "
                      "jaxlib contains (CMake's XLA_INCLUDE_DIR)")
_library = ctypes.CDLL(str(_PATH))
_library.cornerturn_jax_has_gpu_engine.restype = ctypes.c_bool


def _refuse_older_jaxlib() -> None:
    """Raises ImportError if XLA is older than the headers of this build. Such an XLA would refuse to start after the registration."""
    built = tuple((ctypes.c_int * 2).in_dll(_library, "cornerturn_jax_api_version"))
    header = pathlib.Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h")
    text = header.read_text() if header.exists() else ""
    found = [re.search(rf"^#define XLA_FFI_API_{part} (\d+)", text, re.MULTILINE) for part in ("MAJOR", "MINOR")]
    if all(found) and (version := tuple(int(each[1]) for each in found)) < built:
        raise ImportError("cornerturn.jax was built for version {}.{} of XLA's foreign functions; ".format(*built) +
                          "it needs a newer jaxlib than the installed one, which has {}.{}".format(*version))


_refuse_older_jaxlib()

_TARGET = "cornerturn_permute"
jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(_library.cornerturn_jax_cpu), platform="cpu")
jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(_library.cornerturn_jax_cuda), platform="CUDA")

# The parameter axes is a tuple of non-negative integers.
_primitive = jax.extend.core.Primitive(_TARGET)
_primitive.def_impl(functools.partial(xla.apply_primitive, _primitive))


@_primitive.def_abstract_eval
def _(x, *, axes):
    permuted = lambda each: tuple(each[axis] for axis in axes)
    return x.update(shape=permuted(x.shape), sharding=x.sharding.update(spec=permuted(x.sharding.spec)))


def _transposed(cotangent, x, *, axes):
    return [_primitive.bind(cotangent, axes=tuple(axes.index(axis) for axis in range(len(axes))))]


def _batched(operands, dims, *, axes):
    [x], [batch] = operands, dims
    return _primitive.bind(x, axes=(batch, *(axis + (axis >= batch) for axis in axes))), 0


def _lowered(context, x, *, axes):
    return jax.ffi.ffi_lowering(_TARGET)(context, x, axes=np.array(axes, np.int64))


def _lowered_on_gpu(context, x, *, axes):
    if not _library.cornerturn_jax_has_gpu_engine():
        raise DeviceError("x is on a GPU; this build of cornerturn has no GPU engine")
    return _lowered(context, x, axes=axes)


ad.deflinear2(_primitive, _transposed)
batching.primitive_batchers[_primitive] = _batched
mlir.register_lowering(_primitive, _lowered, platform="cpu")
mlir.register_lowering(_primitive, _lowered_on_gpu, platform="cuda")


@functools.cache
def _is_copied(dtype) -> bool:
    """True if elements are numbers of whole bytes. The item sizes of NumPy are those of unpacked elements."""
    if jax.dtypes.issubdtype(dtype, jax.dtypes.extended):
        return False
    if jax.dtypes.issubdtype(dtype, np.integer):
        return jax.numpy.iinfo(dtype).bits % 8 == 0
    return not jax.dtypes.issubdtype(dtype, np.floating) or jax.numpy.finfo(dtype).bits % 8 == 0


_ALLOWED = "a dtype of JAX, with numbers of whole bytes, in the byte order of this machine"


def _holding(name, dtype) -> str:
    """An array that is copied, and from which astype, or wrap_key_data, makes one of a dtype that is not."""
    if jax.dtypes.issubdtype(dtype, jax.dtypes.extended):
        return f"jax.random.key_data({name})"
    kinds = {np.unsignedinteger: "uint8", np.signedinteger: "int8", np.floating: "bfloat16"}
    return f"{name}.astype('{next(wider for kind, wider in kinds.items() if jax.dtypes.issubdtype(dtype, kind))}')"


def _array_of(x, name="x") -> jax.Array:
    if isinstance(x, np.ndarray):
        _refuse_masked(x, name)
        try:
            x = jax.numpy.asarray(x)
        except TypeError as error:
            raise ArgumentTypeError(f"{name}.dtype is {x.dtype}; it must be {_ALLOWED}") from error
    elif not isinstance(x, jax.Array):
        raise ArgumentTypeError(f"{name} is of type {type(x).__qualname__}; it must be a jax.Array or a numpy.ndarray")
    elif not isinstance(x, jax.core.Tracer) and getattr(x, "is_deleted", bool)():
        raise ArgumentError(f"{name} is deleted or donated; it must be an array that has its memory")
    if not _is_copied(x.dtype):
        raise ArgumentTypeError(f"{name}.dtype is {x.dtype}; it must be {_ALLOWED}, e.g. that of {_holding(name, x.dtype)}")
    return x


def permute(x: jax.Array | np.ndarray, axes: collections.abc.Sequence[int]) -> jax.Array:
    """Permutes the axes of an array, like jax.numpy.transpose(x, axes), by one call of this engine, which XLA does not fuse.

    x has any dtype of numbers of whole bytes; the result has its dtype, its bits and the shape [x.shape[a] for a in axes].
    Negative axes count from the end. If the axes keep their order, the result is x as it is. The function works under jit, vmap,
    grad, jvp, scan and shard_map.

    Warning: an array that jit distributes over devices by itself is gathered on each of them before the call. Programs with such
    arrays use shard_map, or keep jax.numpy.transpose.

    Parameters
    ----------
    x : jax.Array or numpy.ndarray
        Traced or not, of any dtype of numbers of whole bytes.
    axes : sequence of int
        Axis i of the result is axis axes[i] of x.

    Returns
    -------
    jax.Array
        x with permuted axes, in C order.

    Raises
    ------
    ValueError
        axes is no permutation of the axes of x.
    TypeError
        x is another array, or has another dtype, or axes are no integers.

    Examples
    --------
    >>> import jax, cornerturn.jax
    >>> x = jax.numpy.ones((2, 3, 4))
    >>> jax.jit(lambda x: cornerturn.jax.permute(x, (2, 0, 1)))(x).shape
    (4, 2, 3)
    """
    x = _array_of(x)
    axes = _checked_axes(axes, x.ndim)
    return x if axes == tuple(range(x.ndim)) else _primitive.bind(x, axes=axes)


def transpose(x: jax.Array | np.ndarray, axes: collections.abc.Sequence[int] | None = None) -> jax.Array:
    """Like permute(x, axes), and like jax.numpy.transpose: without axes, reverses all axes of x.

    Parameters
    ----------
    x : jax.Array or numpy.ndarray
        As in permute.
    axes : sequence of int, optional
        As in permute; default: all axes reversed.

    Returns
    -------
    jax.Array
        x with permuted axes, in C order.

    Raises
    ------
    ValueError, TypeError
        As in permute.

    Examples
    --------
    >>> import jax, cornerturn.jax
    >>> cornerturn.jax.transpose(jax.numpy.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    return permute(x, range(np.ndim(x))[::-1] if axes is None else axes)


def moveaxis(x: jax.Array | np.ndarray, source: int | collections.abc.Sequence[int],
             destination: int | collections.abc.Sequence[int]) -> jax.Array:
    """Moves axes to other positions, as jax.numpy.moveaxis. The other axes keep their order.

    Parameters
    ----------
    x : jax.Array or numpy.ndarray
        As in permute.
    source, destination : int or sequence of int
        An axis, or equally many distinct axes, of x and of the result.

    Returns
    -------
    jax.Array
        As in permute.

    Raises
    ------
    ValueError, TypeError
        As in permute.

    Examples
    --------
    >>> import jax, cornerturn.jax
    >>> cornerturn.jax.moveaxis(jax.numpy.ones((2, 3, 4)), -1, 0).shape
    (4, 2, 3)
    """
    return permute(x, _moved_axes(source, destination, np.ndim(x)))


def swapaxes(x: jax.Array | np.ndarray, axis1: int, axis2: int) -> jax.Array:
    """Exchanges two axes, as jax.numpy.swapaxes.

    Parameters
    ----------
    x : jax.Array or numpy.ndarray
        As in permute.
    axis1, axis2 : int
        Axes of x.

    Returns
    -------
    jax.Array
        As in permute.

    Raises
    ------
    ValueError, TypeError
        As in permute.

    Examples
    --------
    >>> import jax, cornerturn.jax
    >>> cornerturn.jax.swapaxes(jax.numpy.ones((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    return permute(x, _swapped_axes(axis1, axis2, np.ndim(x)))


def _stacked(arrays):
    arrays = [_array_of(each, f"x[{number}]") for number, each in enumerate(arrays)]
    expect_alike(arrays, ("shape",))
    return jax.numpy.stack(arrays)


@functools.partial(jax.jit, static_argnums=(1, 2, 3), inline=True)
def _rearranged(x, split, order, shape):
    return permute(x.reshape(split), order).reshape(shape)


class _Functions:
    """What rearranges arrays that are padded, cropped, swizzled or of packed elements, under all transforms."""

    permute = staticmethod(permute)

    def __init__(self, x, limits):
        self.limits, self.dtype = limits, x.dtype

    def pad(self, x, shape):
        value = self.limits.pad
        if isinstance(value, bytes):
            value = np.frombuffer(value, x.dtype)[0]
        return jax.numpy.pad(x, [(0, whole - extent) for extent, whole in zip(x.shape, shape)], constant_values=value)

    def _shifts(self):
        return jax.numpy.array(shifts_of(self.limits), np.uint8)

    def unpack(self, x):
        if not jax.dtypes.issubdtype(x.dtype, np.integer):
            raise ArgumentTypeError(f"x.dtype is {x.dtype}; it must be of integers of 1 byte for packed elements")
        elements = (x.view(np.uint8)[..., None] >> self._shifts()) & (2**self.limits.bits - 1)
        return elements.reshape(*x.shape[:-1], x.shape[-1] * elements.shape[-1])

    def pack(self, x):
        expect_whole_bytes(x.shape[-1], self.limits.bits)
        shifts = self._shifts()
        bytes_of = x.reshape(*x.shape[:-1], x.shape[-1] // len(shifts), len(shifts))
        return (bytes_of << shifts).sum(-1, dtype=np.uint8).view(self.dtype)

    def units(self, argument, tile):
        return swizzled_units(argument, getattr(self.limits, argument), tile, self.dtype.itemsize)

    def swizzle(self, x, argument, axes):
        units = self.units(argument, tuple(int(extent) for extent in x.shape[x.ndim - axes:]))
        if 0 in x.shape:
            return x
        return x.reshape(-1, len(units), 16 // x.dtype.itemsize)[:, units].reshape(x.shape)


def rearrange(x: jax.Array | np.ndarray | list, /, pattern: str, *, pad: typing.Any = None,
              shape: collections.abc.Sequence[int] | None = None, bits: int | None = None, order: str | None = None,
              swizzle: str | None = None, source_swizzle: str | None = None, **axes_lengths: int) -> jax.Array:
    """Splits, permutes and merges axes by a pattern, as cornerturn.rearrange does, by one call of this engine.

    Parameters
    ----------
    x : jax.Array or numpy.ndarray, or list of them
        As in permute. Arrays of a list have the same shape; JAX stacks them first, and promotes their dtypes if they differ.
    pattern : str
        For example 'b h w c -> b c h w'. cornerturn.rearrange describes the grammar, which is that of einops.
    pad, shape, bits, order, swizzle, source_swizzle : optional
        As in cornerturn.rearrange. Arrays are padded, cropped, swizzled and unpacked by functions of JAX around one call of this engine.
        Packed elements are in integers of 1 byte.
    **axes_lengths : int
        The lengths of axes, by name.

    Returns
    -------
    jax.Array
        The result, in C order. XLA may copy it once more if the pattern adds axes of extent 1 after others.

    Raises
    ------
    ValueError, TypeError
        As in cornerturn.rearrange and permute.

    Examples
    --------
    >>> import jax, cornerturn.jax
    >>> images = jax.numpy.zeros((8, 224, 160, 3))
    >>> cornerturn.jax.rearrange(images, "b (h p) (w q) c -> (b h w) (p q c)", p=16, q=16).shape
    (1120, 768)
    """
    x = _stacked(x) if isinstance(x, list) else _array_of(x)
    limits = limits_of(dict(pad=pad, shape=shape, bits=bits, order=order, swizzle=swizzle, source_swizzle=source_swizzle), axes_lengths, lambda name: has_axis(pattern, name))
    lengths = read_lengths(axes_lengths, jax.export.is_symbolic_dim)
    found = recipe(pattern, x.ndim, tuple(lengths))
    if limits.are_given():
        return limited(x, found, lengths, limits, _Functions(x, limits))
    split, shape = shapes(found, x.shape, lengths)
    return _rearranged(x, tuple(extent for each in split for extent in each), found.order, shape)
