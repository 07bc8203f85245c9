"""The functions of PyTorch by which `_rearrange.limited` pads, crops, swizzles, packs and unpacks tensors."""

import torch

from .._rearrange import Limits, expect_whole_bytes, shifts_of, swizzled_units

# PyTorch indexes no unsigned elements of several bytes on a GPU.
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


@torch.compiler.assume_constant_result
def _swizzled_units(argument: str, text: str, tile: tuple[int, ...], item_size: int) -> list[int]:
    """Returns what `swizzled_units` does, as a constant of compiled code."""
    return swizzled_units(argument, text, tile, item_size).tolist()


class Functions:
    """What rearranges tensors that are padded, cropped, swizzled or of packed elements, and differentiates it."""

    def __init__(self, x: torch.Tensor, limits: Limits) -> None:
        self.limits, self.dtype = limits, x.dtype

    def pad(self, x: torch.Tensor, shape: list[int]) -> torch.Tensor:
        value = self.limits.pad
        if isinstance(value, bytes):
            value = torch.frombuffer(bytearray(value), dtype=x.dtype).item()
        widths = [width for extent, whole in zip(reversed(x.shape), reversed(shape)) for width in (0, whole - extent)]
        return torch.nn.functional.pad(x, widths, value=value)

    @staticmethod
    def _viewed(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        return x if x.dtype == dtype else x.view(dtype)  # vmap has no views of another dtype

    def _shifts(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(shifts_of(self.limits), dtype=torch.uint8, device=x.device)

    def unpack(self, x: torch.Tensor) -> torch.Tensor:
        shifts = self._shifts(x)
        elements = (self._viewed(x, torch.uint8).unsqueeze(-1) >> shifts) & (2**self.limits.bits - 1)
        return elements.reshape(*x.shape[:-1], x.shape[-1] * len(shifts))

    def pack(self, x: torch.Tensor) -> torch.Tensor:
        expect_whole_bytes(x.shape[-1], self.limits.bits)
        shifts = self._shifts(x)
        bytes_of = x.reshape(*x.shape[:-1], x.shape[-1] // len(shifts), len(shifts))
        return self._viewed((bytes_of << shifts).sum(-1, dtype=torch.uint8), self.dtype)

    def units(self, argument: str, tile: tuple[int, ...]) -> list[int]:
        return _swizzled_units(argument, getattr(self.limits, argument), tile, self.dtype.itemsize)

    def swizzle(self, x: torch.Tensor, argument: str, axes: int) -> torch.Tensor:
        # a range has a constant length in compiled code, unlike int
        found = self.units(argument, tuple([len(range(extent)) for extent in x.shape[x.dim() - axes:]]))
        if 0 in x.shape:
            return x
        units = torch.tensor(found, device=x.device)
        # vmap has no index_select for elements of fp8, and no view of another dtype; the bits of integers stay as they are
        signed = x.to(_SIGNED.get(x.dtype, x.dtype)).reshape(-1, len(units), 16 // x.dtype.itemsize)
        return signed[:, units].reshape(x.shape).to(x.dtype)
