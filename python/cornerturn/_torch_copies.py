"""enable, disable and report of cornerturn.torch. Only a call of enable or report uses torch.

The kernel that overrides aten::copy_ is in C++ (python/module/copy_override.cpp). No copy runs any Python code.
"""

import contextlib
import sys
import types
import typing
import warnings

from . import _cornerturn

_OPERATOR = "aten::copy_"
_KEYS = {"cpu": "CPU", "cuda": "CUDA"}

_attached: tuple[str, ...] = ()  # the devices whose aten::copy_ is overridden
_problem = ""  # why the last enable() changed nothing or left out a device
_warned: set[str] = set()  # problems about which this process was warned


class Report(typing.NamedTuple):
    """What became of PyTorch's copies since enable(); made by report()."""

    devices: tuple[str, ...]
    """The devices whose copies cornerturn takes now: "cpu", "cuda"."""
    problem: str
    """Why cornerturn takes no copies of a device although enable() was called; empty if there is no problem."""
    taken: dict[str, int]
    """Number of copies that cornerturn did, per device."""
    taken_bytes: dict[str, int]
    """Bytes that these copies wrote, per device."""
    left: dict[str, dict[str, int]]
    """Number of copies left to PyTorch, per device and reason. docs/adopt.md describes the reasons."""
    refusal: dict[str, str]
    """The first error of cornerturn per device. PyTorch did the copy instead."""

    def __str__(self) -> str:
        state = f"on for {' and '.join(self.devices)}" if self.devices else "off"
        lines = [f"cornerturn.torch is {state}" + (f": {self.problem}" if self.problem else "")]
        for device, taken in self.taken.items():
            left = self.left[device]
            reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(left.items(), key=lambda item: -item[1]))
            lines.append(f"{device}: {taken} copies of {self.taken_bytes[device] / 1e6:.1f} MB taken, "
                         f"{sum(left.values())} left to PyTorch{f' ({reasons})' if reasons else ''}")
            if self.refusal[device]:
                lines.append(f"{device}: {self.refusal[device]}")
        return "\n".join(lines)


class _Enabled(contextlib.AbstractContextManager):
    """Restores the state before a call of enable when its `with` ends."""

    def __init__(self, was_enabled: bool) -> None:
        self._was_enabled = was_enabled

    def __exit__(self, *_: object) -> None:
        if not self._was_enabled:
            disable()


def _is_overridden(torch: types.ModuleType, device: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(_OPERATOR, _KEYS[device])


def _is_active(torch: types.ModuleType, device: str) -> bool:
    """True if the kernel that PyTorch calls is that of cornerturn. A library that registers one later takes its place."""
    lines = torch._C._dispatch_dump(_OPERATOR).splitlines()
    return any(line.startswith(f"{_KEYS[device]}: registered at cornerturn:") for line in lines)


def _expect_copies(torch: types.ModuleType) -> None:
    """Raises RuntimeError unless a copy is taken and right, and one that is not taken is right."""
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        source = torch.arange(64 * 64, dtype=torch.int32, device="cpu").view(64, 64)
        taken, left = torch.empty_like(source), torch.empty_like(source)
        taken.copy_(source.t())
        left.copy_(source)
        counted = _cornerturn._torch_copies("cpu")
        if (counted["taken"], counted["plain"]) != (1, 1) or not torch.equal(taken, source.t()) or not torch.equal(left, source):
            raise RuntimeError(f"a trial of {_OPERATOR} failed")


def _attach(torch: types.ModuleType) -> tuple[tuple[str, ...], str]:
    """Overrides the operator. Returns the devices, and the problem if one is left out."""
    devices = ["cpu"]
    if _cornerturn._has_gpu_engine and torch.version.cuda and hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        devices.append("cuda")
    foreign = [device for device in devices if _is_overridden(torch, device)]
    if foreign:
        return (), f"another library overrides {_OPERATOR} on {' and '.join(foreign)} already"
    exchange = torch.Tensor.__dlpack_c_exchange_api__ if "cuda" in devices else None
    problem = _cornerturn._attach_torch_copies(exchange, hasattr(torch.Tensor, "refine_names"))
    if problem:
        return (), problem
    _expect_copies(torch)
    _cornerturn._forget_torch_copies()
    return tuple(devices), ""


def enable() -> contextlib.AbstractContextManager:
    """Lets cornerturn do those copies of eager PyTorch on CPU and CUDA tensors that it is expected to do faster.

    They are the copies between two layouts behind contiguous, clone, reshape, to and copy_, and those of them that change the
    dtype, where the bits of the result are those of PyTorch. All other copies stay with PyTorch. It applies to the whole process,
    until `disable` or, as a context manager, until the end of the `with`. A second call changes nothing. Call it while no other
    thread copies tensors.

    If this PyTorch is not supported or another library has overridden aten::copy_, enable() warns once and changes nothing.

    >>> import torch, cornerturn.torch
    >>> with cornerturn.torch.enable():
    ...     y = torch.ones(512, 512).t().contiguous()
    ...     cornerturn.torch.report().taken["cpu"]
    1
    """
    global _attached, _problem
    if _attached:
        return _Enabled(True)
    import torch

    try:
        _attached, _problem = _attach(torch)
    except (AttributeError, ImportError, RuntimeError) as error:
        _cornerturn._detach_torch_copies()
        _attached, _problem = (), str(error)
    if _problem and _problem not in _warned:
        _warned.add(_problem)
        warnings.warn(f"cornerturn.torch.enable() changes nothing in PyTorch {getattr(torch, '__version__', '')}: {_problem}",
                      RuntimeWarning, stacklevel=2)
    return _Enabled(not _attached)


def disable() -> None:
    """Gives all copies back to PyTorch: its operator is what it was before `enable`. Call it while no other thread copies
    tensors."""
    global _attached, _problem
    _cornerturn._detach_torch_copies()
    _attached, _problem = (), ""


def report() -> Report:
    """Returns where copies go to cornerturn now, and what became of the copies since `enable`."""
    torch = sys.modules.get("torch")
    active = tuple(device for device in _attached if _is_active(torch, device))
    problem = _problem
    if lost := [device for device in _attached if device not in active]:
        problem = f"another library overrides {_OPERATOR} on {' and '.join(lost)}"
    counted = {device: _cornerturn._torch_copies(device) for device in _KEYS}
    counted = {device: counts for device, counts in counted.items() if device in _attached or any(counts.values())}
    numbers = {device: dict(counts) for device, counts in counted.items()}
    taken = {device: counts.pop("taken") for device, counts in numbers.items()}
    taken_bytes = {device: counts.pop("bytes") for device, counts in numbers.items()}
    refusal = {device: counts.pop("refusal") for device, counts in numbers.items()}
    left = {device: {reason: count for reason, count in counts.items() if count} for device, counts in numbers.items()}
    return Report(active, problem, taken, taken_bytes, left, refusal)
