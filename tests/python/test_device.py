"""Arrays that say they are on a GPU, as objects with __cuda_array_interface__ whose memory is the host's: the library looks at
the pointers itself, so all but CUDA takes part where there is none."""

import re
import subprocess
import sys

import cornerturn
import cornerturn._streams
import numpy as np
import pytest

X = np.arange(6.0).reshape(2, 3)


class Device:
    def __init__(self, held, **changed):
        self.held = held
        self.__cuda_array_interface__ = held.__array_interface__ | {"version": 3, "stream": None} | changed


@pytest.fixture
def asked(monkeypatch):
    """What is asked of the frameworks for streams."""
    calls = []
    for name in ("wait", "synchronize", "keep"):
        monkeypatch.setattr(cornerturn._streams, name, lambda *arguments, name=name: calls.append((name, *arguments)))
    return calls


@pytest.mark.parametrize("changed", [{}, {"strides": (24, 8)}, {"stream": 1}], ids=str)
def test_by_its_interface(changed, asked):
    out = Device(np.empty((3, 2)))
    assert cornerturn.transpose(Device(X, **changed), out=out) is out and np.array_equal(out.held, X.T) and not asked


def test_addresses_that_nobody_can_read(asked):
    nowhere = {"data": (0xdead0000, False)}
    for x, out, side in ((Device(X, **nowhere), Device(np.empty((3, 2))), "source"),
                         (Device(X), Device(np.empty((3, 2)), **nowhere), "destination")):
        with pytest.raises(ValueError, match=f"^{side} is unregistered memory that the CPU cannot read; it must be host memory"):
            cornerturn.transpose(x, out=out)


def test_structures(asked):
    x = np.zeros((2, 3), [("flag", "i1"), ("value", "f8")])
    x["value"] = X
    out = Device(np.zeros((3, 2), x.dtype))
    cornerturn.transpose(Device(x), out=out)
    assert np.array_equal(out.held, x.T) and not asked


def test_streams_of_both_sides_are_ordered(asked):
    cornerturn.transpose(Device(X, stream=16), out=Device(np.empty((3, 2)), stream=32))
    assert asked == [("wait", 16, 32, None), ("wait", 32, 16, None)]


def test_a_stream_given_is_taken_as_it_is(asked):
    class Stream:
        def __cuda_stream__(self):
            return 0, 48

    out = Device(np.empty((3, 2)), stream=32)
    x = Device(X, stream=16)
    cornerturn.transpose(x, out=out, stream=Stream())
    assert asked == [("keep", x, 48, None), ("keep", out, 48, None)]


@pytest.mark.parametrize("x, options, error, message", [
    (Device(X), {}, TypeError, "out is None; it must be given, because a new test_device.Device cannot be allocated"),
    (Device(X), {"out": np.empty((3, 2))}, ValueError, "out.device is cpu; it must be a GPU, as that of x"),
    (X, {"out": Device(np.empty((3, 2)))}, ValueError, "out.device is a GPU; it must be cpu, as that of x"),
    (Device(X), {"out": Device(np.empty((3, 2), "f4"))}, ValueError, "out.dtype is float32; it must be float64, as that of x"),
    (Device(X), {"out": Device(np.empty((3, 2)), data=(16, True))}, ValueError, "out is read-only; it must be writable"),
    (Device(X, mask=Device(X)), {}, TypeError, "x is a masked array; it must be one without a mask"),
    (Device(X, strides=(8,)), {}, TypeError, "x.strides is (8,); it must be None or a tuple as long as the shape"),
    (Device(X, typestr="|O8"), {}, TypeError, "x.dtype is object; it must be one without Python objects"),
    (Device(X), {"out": Device(np.empty((3, 2))), "stream": "0"}, TypeError,
     "stream is 0; it must be None, an address or a stream of PyTorch, CuPy or CUDA"),
    (Device(X), {"out": Device(np.empty((3, 2))), "stream": -1}, ValueError,
     "stream is -1; it must be the address of a CUDA stream, or 0 for the default one"),
])
def test_refusals(x, options, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        cornerturn.transpose(x, **options)


def test_an_interface_that_is_none():
    x = Device(X)
    x.__cuda_array_interface__ = {"shape": [2, 3]}
    with pytest.raises(TypeError,
                       match=r"^x.__cuda_array_interface__ is \{.*\}; it must be a dict with shape, typestr and data$"):
        cornerturn.transpose(x)


def test_two_streams_and_nobody_who_orders_them():
    with pytest.raises(TypeError, match="^x and out have different streams; "):
        cornerturn.transpose(Device(X, stream=16), out=Device(np.empty((3, 2)), stream=32))


CUPY = """
import os, sys, types
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np

class ndarray:
    def __init__(self, shape, dtype="f8"):
        self.held = np.zeros(shape, dtype)
        self.dtype, self.shape, self.strides, self.itemsize = (
            getattr(self.held, name) for name in ("dtype", "shape", "strides", "itemsize"))
        self.device, self.data = Device(), types.SimpleNamespace(ptr=self.held.ctypes.data)

class Device:
    id = 0
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass

cupy = types.ModuleType("cupy")
cupy.ndarray, cupy.empty = ndarray, ndarray
cupy.cuda = types.SimpleNamespace(get_current_stream=lambda device: types.SimpleNamespace(ptr=0))
sys.modules["cupy"] = cupy
import cornerturn
"""


def said_of_cupy(code):
    """What is raised by code where arrays in host memory say that they are CuPy's, and no GPU is visible."""
    code = f"{CUPY}\ntry:\n    {code}\nexcept Exception as error:\n    print(type(error).__name__, error)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_no_cpu_touches_what_is_said_to_be_on_a_gpu():
    """CUDA knows no memory that was allocated while a stream was captured; who holds it knows the device."""
    said = said_of_cupy("cornerturn.transpose(ndarray((2, 3)), out=ndarray((3, 2)))")
    assert said.startswith("ArgumentError device is 0; it must be -1 here: ")


@pytest.mark.parametrize("made, message", [
    ("ndarray((3, 3))", "the new array.shape is (3, 3); it must be (3, 2)"),
    ("ndarray((3, 2), 'f4')", "the new array.dtype is float32; it must be float64, as that of x"),
    ("ndarray((2, 3)).held.T", "the new array.device is cpu; it must be cuda:0, as that of x"),
])
def test_a_new_array_is_checked(made, message):
    assert said_of_cupy(f"cupy.empty = lambda *_: {made}; cornerturn.transpose(ndarray((2, 3)))") == f"ArgumentError {message}"


def test_gpu_is_another_name_of_cuda():
    """The command's --device has that name."""
    def made(device):
        try:
            return cornerturn.plan((2, 3), (1, 0), dtype="f4", device=device).describe()
        except cornerturn.ArgumentError as error:  # without a GPU
            return str(error).replace(repr(device), "it")
    assert made("gpu") == made("cuda") and made("gpu:0") == made("cuda:0")
