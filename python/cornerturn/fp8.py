"""Matrices in 8-bit floats with scales, along rows and columns: the operands of matrix products."""

import dataclasses
import sys
import typing

import numpy as np

from . import ArgumentError, ArgumentTypeError
from ._cornerturn import _dtype_name, _element_types, _explain_quantize, _hint, _plan_quantize, _quantize, _scale_blocks
from ._shown import listed, shown

__all__ = ["Plan", "Quantized", "Result", "plan_quantize", "quantize"]

_8_BIT = [each["dtype"] for each in _element_types if each["is_8_bit_float"]]
_UNSCALED = [each["dtype"] for each in sorted(_element_types, key=lambda each: -each["bytes"])
             if each["is_quantizable"] and not each["is_8_bit_float"]]
_OUTPUTS = ("rows", "columns", "both")
_BLOCKS = {block: number for number, block in enumerate(_scale_blocks)}


class Quantized(typing.NamedTuple):
    """A matrix in 8-bit floats: values * scale is about x, with a scale for each block."""
    values: typing.Any
    """A matrix of float8_e4m3fn or float8_e5m2, in C order, with the framework and device of x."""
    scales: typing.Any
    """The scales, float32, with a row for each row of blocks and a column for each block of a row; None if the scale was given."""


class Result(typing.NamedTuple):
    """Both outputs of `quantize`, and the largest magnitude."""
    rows: typing.Optional[Quantized]
    """x; None if only columns were asked for."""
    columns: typing.Optional[Quantized]
    """The transposed x, of shape (columns of x, rows of x); None if only rows were asked for"""
    amax: typing.Any
    """The largest magnitude in x, float32 of shape (): NaN if x has a NaN. On a GPU it is there, so that nothing waits for it."""


def quantize(x: typing.Any, dtype: typing.Any = "float8_e4m3fn", block: typing.Optional[tuple] = (1, 128), *,
             outputs: str = "rows", scale: typing.Any = None, power_of_two: bool = False, least: float = 1e-12,
             scale_order: str = "C", stream: typing.Any = None, threads: int = 0) -> Result:
    """Quantises a matrix to 8-bit floats: along its rows, along its columns, or both from one read. A matrix that has been
    quantised along rows becomes one along columns.

    The scale of a block is max(amax, least) / m, where amax is the largest magnitude in the block and m is 448 for float8_e4m3fn,
    57344 for float8_e5m2. A value is x * (m / max(amax, least)), computed in float32, rounded to the nearest, ties to even, and
    limited to m. Both divisions and the product are rounded. With power_of_two the scale is rounded up to a power of two, and a
    value is x / scale.

    A NaN makes the scale and the values of its block NaN. An infinity makes the scale of its block infinite, the finite numbers of the
    block 0 and itself NaN. With block=None a NaN stays one, an infinity becomes the largest number, and no other element changes.
    There are no derivatives.

    The numbers of a Quantized are value * scale, rounded to float32. If its scales are powers of two and so are the new ones
    (power_of_two), the bits of a value change only in the exponent, so nothing is lost, unless the numbers of a new block differ much
    in size: those that become subnormal lose bits, and are rounded as all others are.

    Parameters
    ----------
    x : array or Quantized
        A matrix of float32, float16 or bfloat16, of NumPy or PyTorch, in host memory or on a GPU, with contiguous rows that
        follow each other. Or one that has been quantised in blocks of (1, 128): then its numbers get other scales, for example along
        columns.
    dtype : dtype or str
        float8_e4m3fn or float8_e5m2, as in `permute`; that of the values if x is a Quantized.
    block : tuple or None
        The elements that share a scale: (1, 128), (128, 128), (1, None) for a row, or None for all; then scale is given. (1, None)
        reads x twice, or once if a GPU has only rows to write, of at most 32 KiB. The last blocks may be smaller. For the output
        along columns, blocks are those of the transposed x.
    outputs : str
        "rows", "columns" or "both". The output along columns is the transposed x.
    scale : float or array, optional
        With block=None, what values are multiplied with to get x: usually max(amax, least) / m with the amax of an earlier call. An
        array of one float32 where x is, such as a tensor computed from that amax, is read there, so that nothing waits for the GPU
        and a CUDA graph reads the number anew; a number below 1e-30 in it counts as 1e-30.
    power_of_two : bool
        Round scales up to powers of two. A given scale stays as it is.
    least : float
        The least amax that counts, at least 1e-30.
    scale_order : str
        The memory order of scales, "C" or "F".
    stream, threads
        As in `permute`.

    Returns
    -------
    Result
        rows and columns, each a Quantized or None, and amax.

    Raises
    ------
    ValueError
        A dtype, block, output, order, scale or least that is not allowed; x is no matrix, its rows are not contiguous, its strides
        are no multiples of its itemsize (as in a field of a packed struct), its scales are not those of blocks of (1, 128), or
        autograd tracks it.
    TypeError
        x is not an array of NumPy or PyTorch, or has another dtype.
    MemoryError, RuntimeError
        As in `permute`.

    Examples
    --------
    >>> import cornerturn.fp8, numpy as np
    >>> x = np.random.default_rng(0).standard_normal((256, 512), np.float32)
    >>> result = cornerturn.fp8.quantize(x, block=(1, 128), outputs="both")
    >>> result.rows.values.shape, result.rows.scales.shape, result.columns.values.shape, result.columns.scales.shape
    ((256, 512), (256, 4), (512, 256), (512, 2))
    >>> turned = cornerturn.fp8.quantize(result.rows, outputs="columns", power_of_two=True)
    >>> turned.columns.values.shape
    (512, 256)
    """
    x, x_scales = x if isinstance(x, Quantized) else (x, None)
    result = empty_result(x, dtype, block, outputs, scale, scale_order)
    arrays = [array for each in (result.rows, result.columns) for array in (each or (None, None))]
    blocks = _BLOCKS[None if block is None else tuple(block)]
    _quantize(x, x_scales, *arrays, result.amax, blocks, 1.0 if scale is None else scale, least, power_of_two, stream, threads)
    return result


@dataclasses.dataclass(frozen=True)
class Plan:
    """The kernel that `quantize` runs on a GPU; made by `plan_quantize`."""
    kernel: str
    """The steps that run one after another: launches with their types, their blocks and their access widths."""
    launches: int
    """One, or two with a block of (1, None), unless rows are the only output and have at most 32 KiB."""
    read_bytes: int
    """Bytes that are read from the matrix, which two launches read twice. Scales are not counted."""
    written_bytes: int
    """Bytes of the values in all outputs."""
    seconds: float
    """Expected seconds on the GPU."""
    ratio: float
    """Expected speed as a ratio to a copy of the bytes of the matrix and of all outputs."""
    gpu: str
    """The GPU of the estimate: its name, or "an H200" and why no GPU can be used."""
    _matrix: tuple = dataclasses.field(repr=False)
    """The shape, the types, the blocks and the outputs, from which `explain` makes the kernel again."""

    def describe(self) -> str:
        """One line: the launches, their bytes, and their expected time.

        Returns
        -------
        str
        """
        launches = "two launches" if self.launches == 2 else "one launch"
        return (f"{self.kernel}; {launches}, {self.read_bytes} bytes read and {self.written_bytes} written, "
                f"{1e6 * self.seconds:.4g} us expected on {self.gpu}")

    __str__ = describe

    def explain(self) -> str:
        """The memory requests of the kernel, counted on the host, which may take seconds.

        Returns
        -------
        str
            A report of at most 80 columns.

        Raises
        ------
        ValueError
            The kernel has too many blocks to be counted.
        """
        return _explain_quantize(self._matrix)


def plan_quantize(shape: tuple, dtype: typing.Any = "float8_e4m3fn", block: typing.Optional[tuple] = (1, 128), *,
                  outputs: str = "rows", source: typing.Any = "bfloat16") -> Plan:
    """Says what `quantize` runs for a dense matrix on a GPU: the current one or, if there is none, an H200. Nothing runs.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the matrix.
    dtype, block, outputs
        As in `quantize`.
    source : dtype or str
        The dtype of the matrix; that of `dtype` for a `Quantized`.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        A shape, dtype, block, output or source that is not allowed.
    TypeError
        shape is no tuple of integers.

    Examples
    --------
    >>> import cornerturn.fp8
    >>> plan = cornerturn.fp8.plan_quantize((4096, 8192), outputs="both")
    >>> plan.read_bytes, plan.written_bytes
    (67108864, 67108864)
    >>> plan.launches
    1
    """
    name, block = _recipe(dtype, block, outputs)
    of_rows = _dtype_name(source, "source")
    if of_rows not in (*_UNSCALED, name):
        raise ArgumentError(f"source is {of_rows}; it must be {listed([*_UNSCALED, name])}, the dtype of the result")
    if not isinstance(shape, (tuple, list)):
        raise ArgumentTypeError(f"shape is of type {type(shape).__name__}; it must be a tuple of rows and columns")
    if len(shape) != 2:
        raise ArgumentError(f"shape is {tuple(shape)}; it must be of 2 axes")
    matrix = (*shape, of_rows, name, _BLOCKS[block], outputs != "columns", outputs != "rows")
    return Plan(*_plan_quantize(matrix), matrix)


def empty_result(x: typing.Any, dtype: typing.Any, block: typing.Optional[tuple], outputs: str, scale: typing.Any,
                 scale_order: str) -> Result:
    """The arrays that `quantize` fills for a matrix x of values. Raises ArgumentError and ArgumentTypeError as it does."""
    name, block = _recipe(dtype, block, outputs)
    if (block is None) != (scale is not None):
        raise ArgumentError(f"scale is {shown(scale)}; it must be " + ("a number with block=None" if block is None else "None unless block is"))
    if scale_order not in ("C", "F"):
        raise ArgumentError(f"scale_order is {shown(scale_order)}; it must be 'C' or 'F'")
    empty = _allocator(x)
    shape = tuple(x.shape)
    if len(shape) != 2:
        raise ArgumentError(f"x.shape is {shape}; it must be of 2 axes")
    made = [_empty(empty, each, name, block, scale_order) if outputs in (which, "both") else None
            for which, each in (("rows", shape), ("columns", shape[::-1]))]
    return Result(*made, empty((), "float32"))


def _recipe(dtype: typing.Any, block: typing.Optional[tuple], outputs: str) -> tuple[str, typing.Optional[tuple]]:
    """The name of dtype, and block as a tuple. Raises ArgumentError for those, and for outputs, that `quantize` does not have."""
    name = _dtype_name(dtype, "dtype")
    if name not in _8_BIT:
        raise ArgumentError(f"dtype is {name}; it must be {listed(_8_BIT)}")
    given = tuple(block) if isinstance(block, (tuple, list)) else block
    # The block among ours, whose numbers are integers: 128.0 is equal to 128, and no extent.
    found = [each for each in _BLOCKS if isinstance(given, (tuple, type(None))) and each == given]
    if not found:
        raise ArgumentError(f"block is {shown(block)}; it must be {listed([str(each) for each in reversed(_BLOCKS)])}")
    if not isinstance(outputs, str) or outputs not in _OUTPUTS:
        raise ArgumentError(f"outputs is {shown(outputs)}; it must be {listed([repr(each) for each in _OUTPUTS])}{_hint(outputs, _OUTPUTS)}")
    return name, found[0]


def _allocator(x: typing.Any) -> typing.Callable[[tuple, str], typing.Any]:
    """Allocates arrays of the framework of x by shape and name of the dtype."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return lambda shape, name: torch.empty(shape, dtype=getattr(torch, name), device=x.device)
    if not isinstance(x, np.ndarray):
        raise ArgumentTypeError(f"x is {type(x).__name__}; it must be an array of NumPy or PyTorch")

    def empty(shape: tuple, name: str) -> np.ndarray:
        if name != "float32":
            import ml_dtypes
            return np.empty(shape, getattr(ml_dtypes, name))
        return np.empty(shape, name)
    return empty


def _empty(empty: typing.Callable[[tuple, str], typing.Any], shape: tuple, name: str, block: typing.Optional[tuple],
           order: str) -> Quantized:
    """The arrays of an output."""
    if block is None:
        return Quantized(empty(shape, name), None)
    rows, columns = (-(-length // (extent or length or 1)) for length, extent in zip(shape, block))
    scales = empty((rows, columns) if order == "C" else (columns, rows), "float32")
    return Quantized(empty(shape, name), scales if order == "C" else scales.T)
