# An array implements either protocol.
Array$:
    \from typing import Any, Protocol, TypeVar
    class _DLPack(Protocol):
        def __dlpack__(self, *args: Any, **options: Any) -> Any: ...

    class _CudaArray(Protocol):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]: ...

    Array = TypeVar("Array", bound=_DLPack | _CudaArray)
