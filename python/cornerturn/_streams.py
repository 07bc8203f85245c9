"""What the frameworks of arrays do for CUDA streams. Only calls that meet two streams come here, so it may be Python."""

import sys


def _library(without="stream is another for x than for out; it must be one, or PyTorch or CuPy imported to order them"):
    """PyTorch or CuPy, whichever is there: each knows how to order any two streams."""
    for name in ("torch", "cupy"):
        if (module := sys.modules.get(name)) is not None:
            return name, module
    raise TypeError(without)


def _stream(name, library, address, device):
    if name == "torch":
        return library.cuda.ExternalStream(address, device) if address else library.cuda.default_stream(device)
    return library.cuda.ExternalStream(address, -1 if device is None else device) if address else library.cuda.Stream.null


def expect_library():
    """Called before arrays are used that are lent: their memory is given back when work is done, which a library must tell."""
    _library("x and out are lent by DLPack on a GPU; PyTorch or CuPy must be imported, to wait until they can be given back")


def wait(later, earlier, device):
    """What is enqueued on one stream from now on comes after what is on the other."""
    name, library = _library()
    if name == "torch":
        with library.cuda.device(device):
            _stream(name, library, later, device).wait_stream(_stream(name, library, earlier, device))
        return
    with library.cuda.Device(device):
        _stream(name, library, later, device).wait_event(_stream(name, library, earlier, device).record())


def synchronize(address, device):
    """Returns when all is done that is enqueued on a stream."""
    name, library = _library()
    _stream(name, library, address, device).synchronize()


def keep(array, address, device):
    """Tells PyTorch that its memory is in use on a stream which is not its current one."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        array.record_stream(_stream("torch", torch, address, device))
