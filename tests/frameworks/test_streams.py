"""Streams and graphs on a GPU. The delayed producer's work is slow enough that whoever does not wait reads what was before."""

import os
import subprocess
import sys

import cornerturn
import pytest
import torch

DELAY = 100_000_000  # cycles: 50 ms and more
SHAPE, AXES = (64, 48, 32), (2, 0, 1)


@pytest.fixture
def x(cuda):
    cornerturn.permute(torch.zeros(SHAPE, device=cuda), AXES)  # so that the plan is made and the kernel loaded
    zeros = torch.zeros(SHAPE, device=cuda)
    torch.cuda.synchronize()
    return zeros


def produce_late(x, value, delay=DELAY):
    torch.cuda._sleep(delay)
    x.fill_(value)


def test_the_current_stream_is_taken(x):
    with torch.cuda.stream(torch.cuda.Stream()):
        produce_late(x, 7)
        result = cornerturn.permute(x, AXES)
        assert (result == 7).all()


def test_another_stream_does_not_wait(x):
    """Without which the tests here could not fail."""
    producer, other = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(producer):
        produce_late(x, 7, 20 * DELAY)  # a busy machine takes long to enqueue the other work
    with torch.cuda.stream(other):
        result = cornerturn.permute(x, AXES)
        assert (result == 0).all()
    torch.cuda.synchronize()


@pytest.mark.parametrize("given", [lambda stream: stream, lambda stream: stream.cuda_stream], ids=["object", "address"])
def test_a_stream_given(x, given):
    producer = torch.cuda.Stream()
    producer.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(producer):
        produce_late(x, 7)
    result = cornerturn.permute(x, AXES, stream=given(producer))
    out = torch.zeros_like(result)
    cornerturn.permute(x, AXES, out=out, stream=given(producer))
    plan = cornerturn.plan(x, AXES)
    planned = plan(x, stream=given(producer))
    producer.synchronize()
    assert (result == 7).all() and (out == 7).all() and (planned == 7).all()


def test_cupy_waits_for_torch(x, cupy):
    """x is produced late on torch's stream, out belongs to CuPy on a stream of its own, which must see the result."""
    out = cupy.zeros([SHAPE[axis] for axis in AXES], cupy.float32)
    cupy.cuda.Device().synchronize()
    with torch.cuda.stream(torch.cuda.Stream()), cupy.cuda.Stream(non_blocking=True) as consumer:
        produce_late(x, 7)
        cornerturn.permute(x, AXES, out=out)
        seen = out + 0
        consumer.synchronize()
    assert (seen == 7).all()


def test_torch_waits_for_cupy(x, cupy):
    """x is CuPy's, produced late on its stream; torch's out is filled late, too, and must not come after the result."""
    source = cupy.zeros(SHAPE, cupy.float32)
    late = torch.from_dlpack(source)
    out = torch.zeros([SHAPE[axis] for axis in AXES], device=x.device)
    torch.cuda.synchronize()
    producer, consumer = cupy.cuda.Stream(non_blocking=True), torch.cuda.Stream()
    with torch.cuda.stream(torch.cuda.ExternalStream(producer.ptr)):
        produce_late(late, 7)
    with producer, torch.cuda.stream(consumer):
        produce_late(out, 1)
        cornerturn.permute(source, AXES, out=out)
        assert (out == 7).all()


def test_graphs(x):
    out = torch.zeros([SHAPE[axis] for axis in AXES], device=x.device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        cornerturn.permute(x, AXES, out=out)
        made = cornerturn.permute(x, AXES)
    for value in (3, 4):
        x.fill_(value)
        graph.replay()
        assert (out == value).all() and (made == value).all()


def test_memory_that_is_allocated_while_a_stream_is_captured(cuda):
    """CUDA does not know it: torch says where it lies."""
    subprocess.run([sys.executable, "-c", f"""
import cornerturn, torch
x = torch.zeros({SHAPE}, device="cuda")
plan = cornerturn.plan(x, {AXES})
cornerturn.permute(x, {AXES}), plan(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    between = x + 1
    made, planned = cornerturn.permute(between, {AXES}) * 2, plan(between) * 3
for value in (3, 4):
    x.fill_(value)
    graph.replay()
    assert (made == 2 * (value + 1)).all() and (planned == 3 * (value + 1)).all()
"""], env=os.environ | {"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}, check=True)


class Mapped:
    """Pinned memory of the host, which says on which stream the GPU uses it."""

    def __init__(self, tensor, stream):
        self.__cuda_array_interface__ = {"shape": tuple(tensor.shape), "typestr": "<f4", "data": (tensor.data_ptr(), False),
                                         "strides": None, "version": 3, "stream": stream}


@pytest.mark.parametrize("is_default", [True, False], ids=["default", "other"])
def test_mapped_memory_is_used_in_the_order_of_its_stream(x, is_default):
    stream = torch.cuda.default_stream() if is_default else torch.cuda.Stream()
    sevens = torch.full(SHAPE, 7.0, device=x.device)
    held = torch.zeros(SHAPE, pin_memory=True)
    out = torch.zeros([SHAPE[axis] for axis in AXES], pin_memory=True)
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(DELAY)
        held.copy_(sevens, non_blocking=True)
    named = stream.cuda_stream or 1
    cornerturn.permute(Mapped(held, named), AXES, out=Mapped(out, named))
    assert (out == 7).all()


def test_the_operator_in_a_graph(x):
    import cornerturn.torch
    cornerturn.torch.permute(x, AXES)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = cornerturn.torch.permute(x, AXES)
    x.fill_(5)
    graph.replay()
    assert (made == 5).all()


def test_memory_of_a_stream_given_is_not_reused_too_early(x):
    """x is let go while the copy of it still waits on a stream of its own."""
    other = torch.cuda.Stream()
    other.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(other):
        torch.cuda._sleep(DELAY)
    source = torch.full(SHAPE, 7.0, device=x.device)
    other.wait_stream(torch.cuda.current_stream())
    result = cornerturn.permute(source, AXES, stream=other)
    del source
    overwritten = torch.full(SHAPE, 1.0, device=x.device)
    other.synchronize()
    assert (result == 7).all() and (overwritten == 1).all()


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there are no two GPUs")
def test_a_gpu_that_is_not_current():
    x = torch.randn(SHAPE, device="cuda:1")
    assert torch.cuda.current_device() == 0
    result = cornerturn.permute(x, AXES)
    assert result.device == x.device and torch.equal(result, x.permute(AXES)) and torch.cuda.current_device() == 0
    assert torch.equal(cornerturn.plan(x, AXES)(x), x.permute(AXES))
    with pytest.raises(ValueError, match="^out.device is cuda:0; it must be cuda:1, as that of x$"):
        cornerturn.permute(x, AXES, out=torch.empty_like(result, device="cuda:0"))


def test_a_device_and_the_host_do_not_mix(x):
    with pytest.raises(ValueError, match="^out.device is cpu; it must be cuda:0, as that of x$"):
        cornerturn.permute(x, AXES, out=torch.empty([SHAPE[axis] for axis in AXES]))
    with pytest.raises(ValueError, match="^out.device is cuda:0; it must be cpu, as that of x$"):
        cornerturn.permute(x.cpu(), AXES, out=torch.empty([SHAPE[axis] for axis in AXES], device=x.device))
