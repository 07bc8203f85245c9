"""Arrays of unknown kinds, by the protocols: what they raise reaches the caller, what they say wrong is refused by its name."""

import ctypes
import re
import types

import cornerturn
import numpy as np
import pytest

X = np.arange(6.0).reshape(2, 3)


class Shared:
    """By DLPack."""

    def __init__(self, capsule=X.__dlpack__, place=(1, 0)):
        self.capsule, self.place = capsule, place

    def __dlpack__(self, **options):
        return self.capsule(**options)

    def __dlpack_device__(self):
        return self.place


class Device:
    """By __cuda_array_interface__, in host memory."""

    def __init__(self, **changed):
        self.__cuda_array_interface__ = X.__array_interface__ | {"version": 3, "stream": None} | changed


def raising(error, *names):
    def fail(self):
        raise error
    return type("Raising", (), {name: property(fail) for name in names})()


@pytest.mark.parametrize("x", [
    raising(OSError("lost"), "__cuda_array_interface__"),
    raising(OSError("lost"), "__dlpack__", "__dlpack_device__"),
    Shared(capsule=lambda **options: (_ for _ in ()).throw(OSError("lost"))),
], ids=["interface", "properties", "method"])
def test_what_a_producer_raises_reaches_the_caller(x):
    with pytest.raises(OSError, match="^lost$"):
        cornerturn.permute(x, (1, 0))
    with pytest.raises(OSError, match="^lost$"):
        cornerturn.permute(X, (1, 0), out=x)


@pytest.mark.parametrize("names", [["__cuda_array_interface__"], ["__dlpack__", "__dlpack_device__"]], ids=str)
def test_an_attribute_error_is_the_cause(names):
    """It says that there is no interface, or is a mistake in a property."""
    with pytest.raises(TypeError, match="^x is of type .*Raising; it must be an array") as caught:
        cornerturn.permute(raising(AttributeError("not on a GPU"), *names), (1, 0))
    assert repr(caught.value.__cause__) == "AttributeError('not on a GPU')"


def test_a_producer_of_a_time_before_versions():
    def capsule(stream=None):
        return X.__dlpack__()

    out = np.empty((3, 2))
    assert cornerturn.transpose(Shared(capsule), out=out) is out and np.array_equal(out, X.T)


class Standard(Shared):
    """No more than the array API says."""

    device = "cpu"

    def __init__(self, held):
        super().__init__(held.__dlpack__)
        self.held, self.ndim = held, held.ndim

    def __array_namespace__(self):
        return types.SimpleNamespace(asarray=lambda array, device: Standard(array),
                                     permute_dims=lambda array, axes: Standard(array.held.transpose(axes)))


def test_a_bool_of_many_bits_is_no_bool():
    x = Standard(np.zeros((2, 3), "V16"))
    x.__dict__["capsule"] = of_tensor(np.zeros((2, 3), "V16"), code=6, bits=128).capsule
    with pytest.raises(TypeError, match="^x.dtype is of code 6 with 128 bits and 1 lanes; it must be one number of whole bytes$"):
        cornerturn.transpose(x)


@pytest.mark.parametrize("order", "CF")
def test_the_array_api_is_enough(order):
    x = np.arange(24.0).reshape(2, 3, 4)
    result = cornerturn.ascontiguous(Standard(x.transpose(1, 0, 2)), order)
    assert type(result) is Standard and np.array_equal(result.held, x.transpose(1, 0, 2))
    assert result.held.flags[f"{order}_CONTIGUOUS"]


def test_the_array_api_is_enough_for_patterns():
    x = np.arange(24.0).reshape(2, 3, 4)
    result = cornerturn.rearrange(Standard(x), "a b (c d) -> d (a c) b", d=2)
    expected = x.reshape(2, 3, 2, 2).transpose(3, 0, 2, 1).reshape(2, 4, 3)
    assert type(result) is Standard and np.array_equal(result.held, expected)
    stacked = cornerturn.rearrange([Standard(x), Standard(x[::-1])], "a b c d -> b c d a")
    assert type(stacked) is Standard and np.array_equal(stacked.held, np.stack([x, x[::-1]], axis=-1))


CAPSULE = "an unused capsule named 'dltensor' or 'dltensor_versioned'"
OF_DLPACK = "x.__dlpack_device__() is {}; it must be {}"


@pytest.mark.parametrize("x, error, message", [
    (Shared(place=None), TypeError, OF_DLPACK.format("of type NoneType", "a sequence of integers")),
    (Shared(place=("cpu", 0)), TypeError, OF_DLPACK.format("('cpu', 0)", "a sequence of 64-bit integers")),
    (Shared(place=(2**70, 0)), TypeError, OF_DLPACK.format(f"({2**70}, 0)", "a sequence of 64-bit integers")),
    (Shared(place=(1,)), ValueError, OF_DLPACK.format("(1,)", "the type of a device and its number")),
    (Shared(place=(2**40, 0)), ValueError, OF_DLPACK.format(f"({2**40}, 0)", "the type of a device and its number")),
    (Shared(place=(9, 0)), TypeError, "x.device is of DLPack's type 9; it must be a CPU or a CUDA device"),
    (Shared(lambda **options: None), BufferError, f"x.__dlpack__() is None; it must be {CAPSULE}"),
    (Shared(), TypeError, "out is None; it must be given, because a new test_producers.Shared cannot be allocated"),
    (Device(shape=(2, "3")), TypeError, "x.shape is (2, '3'); it must be a sequence of 64-bit integers"),
    (Device(shape=(2, -3)), ValueError, "x.shape is (2, -3); it must be of extents of 0 or more"),
    (Device(shape=(2**40, 2**40)), ValueError,
     "x.shape is (1099511627776, 1099511627776); it must be of at most 2^63 - 1 bytes, with 8 to an element"),
    (Device(strides=("24", 8)), TypeError, "x.strides is ('24', 8); it must be a sequence of 64-bit integers"),
    (Device(data=("0", False)), TypeError, "x.data is ('0', False); it must be a tuple of an address and a read-only flag"),
    (Device(data=(0, False)), TypeError, "x.data is (0, False); it must be a tuple of an address and a read-only flag"),
    (Device(data=(2**70, False)), TypeError, f"x.data is ({2**70}, False); it must be a tuple of an address and a read-only flag"),
    (Device(typestr="<f3"), TypeError, "x.dtype is '<f3'; it must be a dtype that NumPy knows"),
    (Device(stream="1"), TypeError, "x.stream is '1'; it must be None or an address"),
])
def test_what_a_producer_says_wrong(x, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        cornerturn.transpose(x)


def test_strides_past_what_is_counted():
    with pytest.raises(ValueError, match=re.escape("x.strides is (4611686018427387904, 4611686018427387904); it must be of "
                                                   "elements within 2^63 - 1 bytes, for the shape (3, 3)")):
        cornerturn.transpose(Device(shape=(3, 3), strides=(2**62, 2**62)), out=Device(shape=(3, 3)))


def test_a_dtype_unknown_to_numpy_has_its_cause():
    with pytest.raises(TypeError, match="^dtype is 'f3'; it must be a dtype of NumPy or PyTorch, its name or ") as caught:
        cornerturn.plan((2, 3), dtype="f3")
    assert isinstance(caught.value.__cause__, TypeError)


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int * 2), ("ndim", ctypes.c_int), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class VersionedTensor(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p), ("delete", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


def of_tensor(x, code=2, bits=64, strides=(3, 1), name=b"dltensor", version=None, flags=0):
    """By a capsule that says so of a matrix's memory."""
    numbers = ctypes.c_int64 * 2
    shape, strides = numbers(*x.shape), numbers(*strides)
    tensor = DLTensor(x.ctypes.data, (1, 0), 2, code, bits, 1, ctypes.addressof(shape), ctypes.addressof(strides))
    if version:
        tensor, name = VersionedTensor(*version, None, None, flags, tensor), b"dltensor_versioned"
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)

    def capsule(kept=(tensor, shape, strides), **_):
        return make(ctypes.addressof(kept[0]), name, None)

    return Shared(capsule)


@pytest.mark.parametrize("stride", [2**63 - 1, 2**60, -(2**62)])
def test_a_stride_whose_bytes_are_beyond_64_bits(stride):
    with pytest.raises(ValueError, match=f"^a stride of x is {stride} elements of 8 bytes; it must be one of fewer than"):
        cornerturn.transpose(of_tensor(np.zeros((2, 3)), strides=(stride, 1)), out=np.empty((3, 2)))


def test_a_dtype_without_bits():
    with pytest.raises(TypeError, match="^x.dtype is of code 2 with 0 bits and 1 lanes; it must be one number of whole bytes$"):
        cornerturn.transpose(of_tensor(X, bits=0), out=np.empty((3, 2)))


@pytest.mark.parametrize("name", [b"used_dltensor", b"other"])
def test_a_capsule_that_is_used_or_foreign(name):
    message = f'^x.__dlpack__\\(\\) is <capsule object "{name.decode()}" at .*; it must be {CAPSULE}$'
    with pytest.raises(BufferError, match=message):
        cornerturn.transpose(of_tensor(X, name=name), out=np.empty((3, 2)))


def test_versions_of_dlpack():
    out = np.empty((3, 2))
    for version in ((1, 0), (1, 9)):
        assert np.array_equal(cornerturn.transpose(of_tensor(X, version=version), out=out), X.T)
    for version in ((0, 8), (2, 0), (2**32 - 1, 1)):
        out[:] = 7
        with pytest.raises(BufferError, match=r"^x.__dlpack__\(\) is of DLPack %d.%d; it must be of version 1, which max_version asks "
                           "for$" % version):
            cornerturn.transpose(of_tensor(X, version=version), out=out)
        assert (out == 7).all()


COPIED = 2


def test_an_out_that_is_exported_as_a_copy():
    assert np.array_equal(cornerturn.transpose(of_tensor(X, version=(1, 0), flags=COPIED), out=np.empty((3, 2))), X.T)
    memory, own = np.full((2, 3), 7.0), np.empty((2, 3))
    for call in (lambda out: cornerturn.transpose(np.ones((3, 2)), out=out), lambda out: cornerturn.plan((3, 2), dtype="f8")(np.ones((3, 2)), out),
                 lambda out: cornerturn.ascontiguous(np.ones((2, 3)), out=out), lambda out: cornerturn.permute(np.ones((3, 2)), (1, 0), out=out, alpha=2)):
        with pytest.raises(ValueError, match=r"^out.__dlpack__\(\) is a copy; it must be the array's own memory, or the result would be lost$"):
            call(of_tensor(memory, version=(1, 0), flags=COPIED))
        call(of_tensor(own, version=(1, 0)))
    with pytest.raises(ValueError, match=r"^dst.__dlpack__\(\) is a copy; "):
        cornerturn.copy(np.ones((2, 3)), of_tensor(memory, version=(1, 0), flags=COPIED))
    assert (memory == 7).all()
