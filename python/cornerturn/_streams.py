"""Operations on CUDA streams, by PyTorch or CuPy. Only calls with two streams use them, so they may be slow."""

import sys

from . import ArgumentTypeError


def _library(error="x and out have different streams; they must have one, or PyTorch or CuPy must be imported to order them"):
    """PyTorch or CuPy, whichever is imported. Either can order any two streams."""
    for name in ("torch", "cupy"):
        if (module := sys.modules.get(name)) is not None:
            return name, module
    raise ArgumentTypeError(error)


def _stream(name, library, address, device):
    if name == "torch":
        return library.cuda.ExternalStream(address, device) if address else library.cuda.default_stream(device)
    return library.cuda.ExternalStream(address, -1 if device is None else device) if address else library.cuda.Stream.null


def expect_library():
    """Raises TypeError unless a library can wait for work on arrays borrowed through DLPack, which are released after it."""
    _library("x or out is borrowed through DLPack on a GPU; PyTorch or CuPy must be imported, to wait until it can be released")


def wait(later, earlier, device):
    """Makes later work on one stream wait for the work that is enqueued on the other."""
    name, library = _library()
    if name == "torch":
        with library.cuda.device(device):
            _stream(name, library, later, device).wait_stream(_stream(name, library, earlier, device))
        return
    with library.cuda.Device(device):
        _stream(name, library, later, device).wait_event(_stream(name, library, earlier, device).record())


def synchronize(address, device):
    """Waits for all work that is enqueued on a stream."""
    name, library = _library()
    _stream(name, library, address, device).synchronize()


def keep(array, address, device):
    """Tells PyTorch's allocator that the array is in use on another stream than its current one."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        array.record_stream(_stream("torch", torch, address, device))
