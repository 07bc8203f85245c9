"""As much of torch as bench/arena.py and bench/arena_programs.py use, over NumPy, with a clock that stands still but for what launches take."""

import contextlib
import types

import numpy

numpy_types = {"uint8": "u1", "bfloat16": "u2", "float32": "f4", "float64": "f8", "complex64": "c8", "complex128": "c16"}


class Tensor:
    def __init__(self, array, launch=None):
        self.array, self.launch = array, launch or (lambda kind: None)

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)
    numel = lambda self: self.array.size
    view = lambda self, shape: Tensor(self.array.reshape(shape), self.launch)
    permute = lambda self, axes: Tensor(self.array.transpose(axes), self.launch)
    contiguous = lambda self: Tensor(numpy.ascontiguousarray(self.array), self.launch)
    element_size = lambda self: self.array.itemsize
    __getitem__ = lambda self, index: Tensor(self.array[index], self.launch)

    def zero_(self):
        self.array[...] = 0

    def add_(self, value):
        self.array += value
        self.launch("spacer")

    def mul_(self, value):
        self.array *= value
        self.launch("write")

    def copy_(self, other):
        self.array[...] = other.array
        self.launch("copy")
        return self


def fake_torch(microseconds, overlapped):
    """A launch of a kind takes `microseconds[kind]`, or `overlapped[kind]` right after one of its own."""
    clock, before, recording = [0.0], [None], [None]

    def launch(kind):
        if recording[0] is not None:
            recording[0].append(kind)
            return
        clock[0] += overlapped.get(kind, microseconds[kind]) if before[0] == kind else microseconds[kind]
        before[0] = kind

    class Event:
        def __init__(self, enable_timing):
            self.at = None

        def record(self):
            self.at, before[0] = clock[0], None

        def synchronize(self):
            pass

        def elapsed_time(self, end):
            return (end.at - self.at) * 1e-3

    class CUDAGraph:
        def __init__(self):
            self.kinds = []

        def replay(self):
            for kind in self.kinds:
                launch(kind)

    @contextlib.contextmanager
    def graph(one):
        recording[0] = one.kinds
        yield
        recording[0] = None

    stream = types.SimpleNamespace(wait_stream=lambda other: None, cuda_stream=0)
    cuda = types.SimpleNamespace(Event=Event, CUDAGraph=CUDAGraph, graph=graph, Stream=lambda: stream, _sleep=lambda cycles: None,
                                 stream=lambda one: contextlib.nullcontext(), current_stream=lambda: stream, synchronize=lambda: None)
    made = lambda array: Tensor(array, launch)
    return types.SimpleNamespace(
        cuda=cuda, launch=launch, **{name: numpy.dtype(code) for name, code in numpy_types.items()},
        zeros=lambda shape, device: made(numpy.zeros(shape)), empty=lambda shape, dtype, device: made(numpy.empty(shape, dtype)),
        randn=lambda shape, dtype, device: made(numpy.random.default_rng(1).normal(size=shape).astype(dtype)),
        randint=lambda low, high, shape, dtype, device: made(numpy.random.default_rng(1).integers(low, high, shape, dtype)),
        equal=lambda one, other: numpy.array_equal(one.array, other.array),
        _dynamo=types.SimpleNamespace(reset=lambda: None))
