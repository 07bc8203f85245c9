"""The function that XLA calls for a GPU, called as XLA calls it, but with host memory, which the engine moves on the CPU.

The structures are those of xla/ffi/api/c_api.h. They are built here, because only XLA's GPU backend calls the function.
"""

import ctypes as c
import mmap
import pathlib

import cornerturn
import numpy as np
import pytest

pytest.importorskip("jax")

STREAM = 1  # cudaStreamLegacy, which is valid on every GPU
EXECUTE, METADATA, ARRAY, INT64, INT16 = 3, 1, 1, 5, 3
INVALID_ARGUMENT = 3


def structure(name, *fields):
    """A structure of XLA: they all begin with their size and a list of extensions."""
    return type(name, (c.Structure,), {"_fields_": [("struct_size", c.c_size_t), ("extension_start", c.c_void_p), *fields]})


Version = structure("Version", ("major", c.c_int), ("minor", c.c_int))
Buffer = structure("Buffer", ("dtype", c.c_int), ("data", c.c_void_p), ("rank", c.c_int64), ("dims", c.POINTER(c.c_int64)))
Buffers = structure("Buffers", ("size", c.c_int64), ("types", c.POINTER(c.c_int)), ("buffers", c.POINTER(c.POINTER(Buffer))))
CreateError = structure("CreateError", ("message", c.c_char_p), ("code", c.c_int))
GetStream = structure("GetStream", ("context", c.c_void_p), ("stream", c.c_void_p))
CREATE_ERROR = c.CFUNCTYPE(c.c_void_p, c.POINTER(CreateError))
GET_STREAM = c.CFUNCTYPE(c.c_void_p, c.POINTER(GetStream))
Api = structure("Api", ("version", Version), ("internal", c.c_void_p), ("create_error", CREATE_ERROR),
                ("functions", c.c_void_p * 3), ("get_stream", GET_STREAM), ("more_functions", c.c_void_p * 13))


class Text(c.Structure):
    _fields_ = [("start", c.c_char_p), ("size", c.c_size_t)]


class Array(c.Structure):
    _fields_ = [("dtype", c.c_int), ("size", c.c_size_t), ("data", c.c_void_p)]


Attributes = structure("Attributes", ("size", c.c_int64), ("types", c.POINTER(c.c_int)), ("names", c.POINTER(c.POINTER(Text))),
                       ("values", c.POINTER(c.POINTER(Array))))
Frame = structure("Frame", ("api", c.POINTER(Api)), ("context", c.c_void_p), ("stage", c.c_int), ("arguments", Buffers),
                  ("results", Buffers), ("attributes", Attributes), ("future", c.c_void_p))


class Metadata(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("version", Version), ("traits", c.c_uint32), ("state", c.c_int64)]


class MetadataExtension(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("type", c.c_int), ("next", c.c_void_p), ("metadata", c.POINTER(Metadata))]


def sized(kind, *values):
    return kind(c.sizeof(kind), None, *values)


class Xla:
    """Calls the function and keeps what it asks and reports."""

    def __init__(self):
        self.errors, self.contexts = [], []
        self.api = sized(Api)
        self.api.create_error, self.api.get_stream = CREATE_ERROR(self.create_error), GET_STREAM(self.get_stream)
        self.call = c.CDLL(str(pathlib.Path(cornerturn.__file__).with_name("_cornerturn_jax.so"))).cornerturn_jax_cuda
        self.call.restype, self.call.argtypes = c.c_void_p, [c.POINTER(Frame)]

    def create_error(self, given):
        self.errors.append((given[0].code, given[0].message.decode()))
        return len(self.errors)

    def get_stream(self, given):
        self.contexts.append(given[0].context)
        given[0].stream = STREAM
        return None

    def buffers(self, array):
        buffer = sized(Buffer, INT16, array.ctypes.data, array.ndim, (c.c_int64 * array.ndim)(*array.shape))
        return sized(Buffers, 1, c.pointer(c.c_int(1)), c.pointer(c.pointer(buffer)))

    def run(self, x, out, axes):
        order = (c.c_int64 * len(axes))(*axes)
        array = Array(INT64, len(axes), c.addressof(order))
        attributes = sized(Attributes, 1, c.pointer(c.c_int(ARRAY)), c.pointer(c.pointer(Text(b"axes", 4))), c.pointer(c.pointer(array)))
        # the future came later, so the size does not count it
        frame = Frame(Frame.future.offset, None, c.pointer(self.api), 77, EXECUTE, self.buffers(x), self.buffers(out), attributes)
        return self.call(c.byref(frame))

    def metadata(self):
        metadata = Metadata(c.sizeof(Metadata))
        extension = MetadataExtension(c.sizeof(MetadataExtension), METADATA, None, c.pointer(metadata))
        frame = Frame(Frame.future.offset, c.addressof(extension), c.pointer(self.api))
        assert not self.call(c.byref(frame)), self.errors
        return metadata


X = np.arange(2 * 3 * 4, dtype=np.int16).reshape(2, 3, 4)


def test_a_call_takes_the_stream_and_moves():
    xla, out = Xla(), np.zeros((4, 2, 3), np.int16)
    assert not xla.run(X, out, (2, 0, 1)) and not xla.errors
    assert xla.contexts == [77] and np.array_equal(out, X.transpose(2, 0, 1))


def test_it_may_be_recorded_in_a_command_buffer():
    metadata = Xla().metadata()
    assert metadata.traits == 1 and metadata.version.major == 0 and metadata.version.minor > 0


@pytest.mark.parametrize("shape, axes, message", [
    ((2, 2, 2), (0, 0, 0), "axes is (0, 0, 0); it must be a permutation of 0 to 2 for an array of rank 3"),
    ((2, 3, 4), (2, 0, 1), "result.shape is (2, 3, 4); it must be x.shape, (2, 3, 4), permuted by axes, (2, 0, 1)")])
def test_an_error_is_xla_s(shape, axes, message):
    xla, out = Xla(), np.zeros(shape, np.int16)
    assert xla.run(X, out, axes) and xla.errors == [(INVALID_ARGUMENT, message)] and not out.any()


def test_overlapping_buffers_are_refused():
    xla, both = Xla(), X.copy()
    assert xla.run(both, both.reshape(4, 3, 2), (2, 1, 0))
    [(code, message)] = xla.errors
    assert code == INVALID_ARGUMENT and "must be apart from the source" in message and np.array_equal(both, X)


def test_memory_that_the_cpu_cannot_read_is_refused():
    """Without the stream, the engine would take the memory for the host's and read it."""
    xla, hidden = Xla(), np.frombuffer(mmap.mmap(-1, X.nbytes, prot=0), np.int16).reshape(X.shape)
    assert xla.run(hidden, np.zeros((4, 2, 3), np.int16), (2, 0, 1))
    [(code, message)] = xla.errors
    assert code == INVALID_ARGUMENT and message.startswith("source is unregistered memory that the CPU cannot read; ")
