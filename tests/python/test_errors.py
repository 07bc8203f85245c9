"""The exceptions of the package, by kind."""

import pickle
import subprocess
import sys

import cornerturn
import numpy as np
import pytest

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("name, parents", [
    ("ArgumentError", [ValueError]), ("AxisError", [ValueError, IndexError]), ("ArgumentTypeError", [TypeError]), ("ExchangeError", [BufferError]),
    ("DeviceError", [RuntimeError]), ("OutOfMemoryError", [MemoryError, RuntimeError])])
def test_each_is_a_built_in_exception_too(name, parents):
    kind = getattr(cornerturn, name)
    assert issubclass(kind, cornerturn.Error) and all(issubclass(kind, parent) for parent in parents)
    assert kind.__module__ == "cornerturn" and kind.__doc__
    assert getattr(kind, "code", None) == (0 if "code" in kind.__doc__ else None)


class Malformed:
    """An array that exports something else than a capsule."""
    __array_namespace__ = None

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        return 5


@pytest.mark.parametrize("call, kind", [
    (lambda: cornerturn.permute(X, (1, 0), threads=-1), cornerturn.ArgumentError),
    (lambda: cornerturn.permute(X, "10"), cornerturn.ArgumentTypeError),
    (lambda: cornerturn.permute(X, (1, 0), axis=3), cornerturn.ArgumentTypeError),
    (lambda: cornerturn.permute(Malformed(), (1, 0)), cornerturn.ExchangeError),
    (lambda: cornerturn.tune((2**28, 2**28), (1, 0), dtype="u1"), cornerturn.OutOfMemoryError)])
def test_what_is_raised(call, kind):
    with pytest.raises(cornerturn.Error) as raised:
        call()
    assert raised.type is kind


def test_a_thread_without_memory():
    """The library's own buffers do not fit into what the system grants."""
    code = """
import resource, numpy as np, cornerturn
x, out = np.zeros((3000, 3000, 3), np.uint8), np.zeros((3, 3000, 3000), np.uint8)
cornerturn.set_num_threads(1)
cornerturn.permute(x[:2, :2], (2, 0, 1))  # glibc aborts where a thread's first use of a library's thread-local data, or its first exception, finds no memory
try:
    cornerturn.permute(x, (2, 2, 1))
except ValueError:
    pass
room, between = [], []
for size in list(range(0, 480, 16)) * 64:
    room.append(bytes(size))
    between.append(bytes(size))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used, used))
held = []
for size in (1 << 20, 1 << 12, 1 << 8):
    try:
        while True:
            held.append(bytearray(size))
    except MemoryError:
        pass
del room  # for Python's own small objects, the exception among them; nothing of it goes back to the system
try:
    cornerturn.permute(x, (2, 0, 1), out=out)
except MemoryError as error:
    del held
    print(type(error).__name__, error.code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "OutOfMemoryError 0\n", done


def test_the_code_of_an_error_is_kept():
    error = cornerturn.DeviceError("cudaMalloc failed")
    error.code = 719
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, str(again)) == (cornerturn.DeviceError, 719, "cudaMalloc failed")


@pytest.mark.parametrize("call", [
    lambda: cornerturn.permute(X, (0, 0)), lambda: cornerturn.permute(X, (0, 2)), lambda: cornerturn.permute(X, (0,)),
    lambda: cornerturn.swapaxes(X, 0, 2), lambda: cornerturn.moveaxis(X, 0, -3), lambda: cornerturn.plan((2, 3), (1, 1), dtype="f4"),
    lambda: cornerturn.permute_inplace(X.copy(), (2, 0))])
def test_an_error_about_axes_is_one_of_numpy_and_an_index_error(call):
    for kind in (cornerturn.AxisError, np.exceptions.AxisError, IndexError, ValueError):
        with pytest.raises(kind) as raised:
            call()
        again = pickle.loads(pickle.dumps(raised.value))
        assert type(again) is cornerturn.AxisError and str(again) == str(raised.value)


def test_an_error_about_axes_needs_no_numpy():
    code = """
import array, cornerturn, sys
try:
    cornerturn.plan((2, 3), (1, 1), dtype="bfloat16")
except IndexError as error:
    print(type(error) is cornerturn.AxisError, "numpy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True False\n", done
