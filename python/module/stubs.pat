# An array implements either protocol.
Array$:
    \from typing import Any, Protocol, TypeVar
    class _DLPack(Protocol):
        def __dlpack__(self, *args: Any, **options: Any) -> Any: ...

    class _CudaArray(Protocol):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]: ...

    Array = TypeVar("Array", bound=_DLPack | _CudaArray)

# The types of functions, which their signatures cannot have.
^_cornerturn\.permute$:
    \from collections.abc import Sequence
    \from numpy import integer
    \from numpy.typing import NDArray
    \from typing import Literal, SupportsIndex
    def permute(
        x: Array, axes: Sequence[SupportsIndex] | NDArray[integer], *, out: Array | None = None, stream: object = None, threads: SupportsIndex = 0,
        dtype: object = None, alpha: complex = 1, beta: complex = 0, conj: bool = False, saturate: bool = False,
        scale: object = None, bias: object = None
    ) -> Array:
        \doc

^_cornerturn\.transpose$:
    def transpose(
        x: Array, axes: Sequence[SupportsIndex] | NDArray[integer] | None = None, *, out: Array | None = None, stream: object = None, threads: SupportsIndex = 0
    ) -> Array:
        \doc

^_cornerturn\.permute_inplace$:
    def permute_inplace(x: Array, axes: Sequence[SupportsIndex] | NDArray[integer], *, workspace: SupportsIndex | None = None, stream: object = None, threads: SupportsIndex = 0) -> Array:
        \doc

^_cornerturn\.transpose_inplace$:
    def transpose_inplace(x: Array, axes: Sequence[SupportsIndex] | NDArray[integer] | None = None, *, workspace: SupportsIndex | None = None, stream: object = None, threads: SupportsIndex = 0) -> Array:
        \doc

^_cornerturn\.ascontiguous$:
    def ascontiguous(
        x: Array, order: Literal['C', 'F'] = 'C', *, out: Array | None = None, stream: object = None, threads: SupportsIndex = 0
    ) -> Array:
        \doc

^_cornerturn\.copy$:
    def copy(src: object, dst: object, *, stream: object = None, threads: SupportsIndex = 0) -> None:
        \doc

^_cornerturn\.rearrange$:
    def rearrange(x: Array | list[Array], /, pattern: str, **axes_lengths: SupportsIndex) -> Array:
        \doc

^_cornerturn\.moveaxis$:
    def moveaxis(
        x: Array, source: SupportsIndex | Sequence[SupportsIndex] | NDArray[integer], destination: SupportsIndex | Sequence[SupportsIndex] | NDArray[integer]
    ) -> Array:
        \doc

^_cornerturn\.swapaxes$:
    def swapaxes(x: Array, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
        \doc

^_cornerturn\.permute_dims$:
    def permute_dims(x: Array, axes: Sequence[SupportsIndex] | NDArray[integer] | None = None) -> Array:
        \doc

^_cornerturn\.matrix_transpose$:
    def matrix_transpose(x: Array) -> Array:
        \doc

^_cornerturn\.plan$:
    def plan(
        x_or_shape: object, axes: Sequence[SupportsIndex] | NDArray[integer] | None = None, *, dtype: object = None,
        device: object = None, effort: Literal['estimate', 'measure'] = 'estimate', threads: SupportsIndex = 0,
        source: object = None, alpha: complex = 1, beta: complex = 0, conj: bool = False, saturate: bool = False,
        scale: object = None, bias: object = None
    ) -> Plan:
        \doc

^_cornerturn\.tune$:
    def tune(
        x_or_shape: object, axes: Sequence[SupportsIndex] | NDArray[integer] | None = None, *, dtype: object = None,
        device: object = None, source: object = None, alpha: complex = 1, beta: complex = 0, conj: bool = False,
        saturate: bool = False, scale: object = None, bias: object = None
    ) -> Tuned:
        \doc

^_cornerturn\.explain$:
    def explain(
        rung: str, *, rows: int = 4096, cols: int = 4096, type: str = 'f32', source_pitch: int = 0, destination_pitch: int = 0,
        source_align: int = 256, destination_align: int = 256
    ) -> Explanation:
        \doc

^_cornerturn\.layout$:
    def layout(
        layout: str | int | tuple[Any, Any] | None = None, store_threads: str | int | tuple[Any, Any] | None = None,
        store_values: str | int | tuple[Any, Any] | None = None, *, store_vector: int = 0,
        load_threads: str | int | tuple[Any, Any] | None = None, load_values: str | int | tuple[Any, Any] | None = None,
        load_vector: int = 0, element: int = 0, ldmatrix: int = 0, suggest: bool = False,
        space: Literal['shared', 'global', 'both'] = 'both', swizzles: Literal['any', 'tma'] = 'any',
        addresses: str | Sequence[int | None] | NDArray[integer] | None = None, access: int = 4, store: bool = False
    ) -> LayoutExplanation:
        \doc

LayoutExplanation\.html$:
    \from os import PathLike
    def html(self, path: str | bytes | PathLike[str] | PathLike[bytes]) -> None:
        \doc

Explanation\.picture$:
    def picture(self) -> str:
        \doc

^_cornerturn\.rung_names$:
    def rung_names() -> list[str]:
        \doc

^_cornerturn\.cache_info$:
    def cache_info() -> CacheInfo:
        \doc

^_cornerturn\.cache_clear$:
    def cache_clear() -> None:
        \doc

^_cornerturn\.set_num_threads$:
    def set_num_threads(threads: int) -> None:
        \doc

^_cornerturn\.num_threads$:
    def num_threads() -> int:
        \doc

Plan\.__call__$:
    def __call__(self, x: Array, out: Array | None = None, *, stream: object = None) -> Array:
        \doc

Plan\.describe$:
    def describe(self) -> str:
        \doc

Plan\.explain$:
    def explain(self) -> str:
        \doc
