# What the types in the signatures of `builtin` functions are.
Array$:
    \from collections.abc import Sequence
    \from numpy import integer
    \from numpy.typing import NDArray
    \from os import PathLike
    \from typing import Any, Literal, Protocol, SupportsIndex, TypeVar
    class _DLPack(Protocol):
        def __dlpack__(self, *args: Any, **options: Any) -> Any: ...

    class _CudaArray(Protocol):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]: ...

    Array = TypeVar("Array", bound=_DLPack | _CudaArray)  # implements either protocol
    Axes = Sequence[SupportsIndex] | NDArray[integer]
    Layout = str | int | tuple[Any, Any]
