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

_registered: tuple[str, ...] = ()  # the devices whose aten::copy_ has a kernel of cornerturn, which is never removed
_enabled = False
_problem = ""  # why the last enable() changed nothing
_warned: set[str] = set()  # problems about which this process was warned


class Report(typing.NamedTuple):
    """What became of PyTorch's copies since enable(); made by report()."""

    devices: tuple[str, ...]
    """The devices whose copies cornerturn takes now: "cpu", "cuda"."""
    problem: str
    """Why cornerturn takes no copies although enable() was called; empty if there is no problem."""
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
            lines.append(f"{device}: {taken} {'copy' if taken == 1 else 'copies'} of {self.taken_bytes[device] / 1e6:.1f} MB taken, "
                         f"{sum(left.values())} left to PyTorch{f' ({reasons})' if reasons else ''}")
            if self.refusal[device]:
                lines.append(f"{device}: {self.refusal[device]}")
        return "\n".join(lines)


class _Enabled(contextlib.AbstractContextManager):
    """The context manager of a call of enable. It ends what that call has begun."""

    def __init__(self, has_begun: bool) -> None:
        self._has_begun = has_begun

    def __exit__(self, *_: object) -> None:
        if self._has_begun:
            disable()


def _is_overridden(torch: types.ModuleType, device: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(_OPERATOR, _KEYS[device])


def _is_active(torch: types.ModuleType, device: str) -> bool:
    """True if the kernel that PyTorch calls is that of cornerturn. A library that registers one later takes its place."""
    lines = torch._C._dispatch_dump(_OPERATOR).splitlines()
    return any(line.startswith(f"{_KEYS[device]}: registered at cornerturn:") for line in lines)


def _lost(torch: types.ModuleType) -> tuple[list[str], str]:
    """The devices for which PyTorch calls another library's kernel, and a message about them."""
    lost = [device for device in _registered if not _is_active(torch, device)]
    return lost, f"another library overrides {_OPERATOR} on {' and '.join(lost)}" if lost else ""


def _expect_copies(torch: types.ModuleType) -> None:
    """Raises RuntimeError unless a copy is taken and right, and one that is not taken is right."""
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        source = torch.arange(64 * 64, dtype=torch.int32, device="cpu").view(64, 64)
        taken, left = torch.empty_like(source), torch.empty_like(source)
        _cornerturn._switch_torch_copies(True)
        taken.copy_(source.t())
        left.copy_(source)
        _cornerturn._switch_torch_copies(False)
        counted = _cornerturn._torch_copies("cpu")
        if not (counted["taken"] and counted["plain"] and torch.equal(taken, source.t()) and torch.equal(left, source)):
            raise RuntimeError(f"a trial of {_OPERATOR} failed")


def _register(torch: types.ModuleType) -> tuple[str, ...]:
    """Registers the kernels and returns their devices. Raises RuntimeError if this PyTorch or another library does not allow it."""
    devices = ["cpu"]
    if _cornerturn._has_gpu_engine and torch.version.cuda:
        devices.append("cuda")
    if foreign := [device for device in devices if _is_overridden(torch, device)]:
        raise RuntimeError(f"another library overrides {_OPERATOR} on {' and '.join(foreign)}")
    if problem := _cornerturn._attach_torch_copies("cuda" in devices, hasattr(torch.Tensor, "refine_names")):
        raise RuntimeError(problem)
    try:
        _expect_copies(torch)
    except Exception:
        _cornerturn._detach_torch_copies()
        raise
    return tuple(devices)


def enable() -> contextlib.AbstractContextManager:
    """Lets cornerturn do those copies of eager PyTorch on CPU and CUDA tensors that it is expected to do faster.

    They are the copies between two layouts behind contiguous, clone, reshape, to and copy_, and those of them that change the
    dtype, where the bits of the result are those of PyTorch. All other copies stay with PyTorch. It applies to the whole process,
    until `disable` or, as a context manager, until the end of the `with`. A second call changes nothing. The first call should
    come before other threads use PyTorch, because PyTorch exchanges an operator's kernel without a lock.

    If this PyTorch is not supported or another library has overridden aten::copy_, enable() warns once and changes nothing.

    Returns
    -------
    context manager
        At its end it disables what this call has enabled; without `with` it does nothing.

    Examples
    --------
    >>> import torch, cornerturn.torch
    >>> with cornerturn.torch.enable():
    ...     y = torch.ones(512, 512).t().contiguous()
    ...     cornerturn.torch.report().taken["cpu"]
    1
    """
    global _registered, _enabled, _problem
    if _enabled:
        return _Enabled(False)
    import torch

    try:
        _registered = _registered or _register(torch)
        lost, _problem = _lost(torch)
        if len(lost) == len(_registered):
            raise RuntimeError(_problem)
    except (AttributeError, ImportError, RuntimeError) as error:
        _problem = str(error)
        if _problem not in _warned:
            _warned.add(_problem)
            warnings.warn(f"cornerturn.torch.enable() changes nothing in PyTorch {getattr(torch, '__version__', '')}: {_problem}",
                          RuntimeWarning, stacklevel=2)
        return _Enabled(False)
    _cornerturn._switch_torch_copies(True)
    _enabled = True
    return _Enabled(True)


def disable() -> None:
    """Leaves all copies to PyTorch again. Other threads may be copying. Copies still pass through cornerturn's kernel, which
    forwards them: PyTorch cannot remove a kernel safely."""
    global _enabled, _problem
    _cornerturn._switch_torch_copies(False)
    _enabled, _problem = False, ""


def report() -> Report:
    """Tells where copies go to cornerturn now, and what became of the copies since `enable`.

    Returns
    -------
    Report
    """
    lost, problem = _lost(sys.modules["torch"]) if _enabled else ([], _problem)
    active = tuple(device for device in _registered if _enabled and device not in lost)
    numbers = {device: dict(_cornerturn._torch_copies(device)) for device in _registered}
    taken = {device: counts.pop("taken") for device, counts in numbers.items()}
    taken_bytes = {device: counts.pop("bytes") for device, counts in numbers.items()}
    refusal = {device: counts.pop("refusal") for device, counts in numbers.items()}
    left = {device: {reason: count for reason, count in counts.items() if count} for device, counts in numbers.items()}
    return Report(active, problem, taken, taken_bytes, left, refusal)
