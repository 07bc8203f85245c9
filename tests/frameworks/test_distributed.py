"""`cornerturn.distributed` over ranks of Gloo, which are processes on this machine."""

import cornerturn
import pytest

@pytest.mark.parametrize("case, ranks", [("every_group", 8), ("batched", 5), ("pieces", 2), ("changed", 4), ("peers", 4), ("large", 3)])
def test_arrays_move(job, case, ranks):
    started = job(case, ranks)
    assert [started.output(rank) for rank in range(ranks)] == [""] * ranks


def test_all_ranks_raise_the_same_error(job):
    started = job("errors", 3)
    lines = [started.output(rank).splitlines() for rank in range(3)]
    assert lines[0] == lines[1] == lines[2]
    assert lines[0] == [
        "nothing",
        "ArgumentError: shape differs between ranks; it must be the same on all ranks",
        "ArgumentError: destination differs between ranks; it must be the same on all ranks",
        "ArgumentError: axes differs between ranks; it must be the same on all ranks",
        "ArgumentError: x_local.dtype differs between ranks; it must be the same on all ranks",
        "ArgumentError: on rank 1: x_local.shape is (4, 2); it must be (4, 3), the shape of this rank's block",
        "ArgumentTypeError: on rank 1: x_local is of type str; it must be a numpy.ndarray or a torch.Tensor",
        "ArgumentError: on rank 1: axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2",
        "ArgumentTypeError: on rank 1: axes is 1; it must be a sequence of integers",
        "ArgumentError: on rank 1: source.grid is (6,); it must have 3 ranks, as group has",
        "ArgumentError: on rank 1: source is Sharding(grid=(3,), axes=(2,), blocks=None); its axes must be from -2 to 1, or None for "
        "replicated",
        "ArgumentTypeError: on rank 1: source is 3; it must be a Sharding(grid, axes, blocks), in which axes are integers or None, and "
        "blocks is a dict or None",
        "ArgumentError: on rank 1: out.shape is (3, 2); it must be (3, 4), the shape of this rank's block",
        lines[0][13],
        "ArgumentError: on rank 1: threads is -1; it must be an integer from 0 to 2147483647",
        "ArgumentError: dtype, alpha, beta, conj or saturate differs between ranks; it must be the same on all ranks",
        "ArgumentError: on rank 1: alpha is 0+1i; it must be real, because the destination is f32",
        "ArgumentError: on rank 1: out is None; it must be an array, whose elements are multiplied by beta",
        lines[0][18],
        "ArgumentError: on rank 1: out.dtype is float32; it must be float16",
        "nothing"]
    assert "on rank 1: " in lines[0][13]


def test_all_ranks_raise_the_same_error_of_a_plan_of_peers(job):
    started = job("peer_errors", 3)
    lines = [started.output(rank).splitlines() for rank in range(3)]
    assert lines[0] == lines[1] == lines[2]
    assert lines[0] == [
        "ArgumentError: on rank 1: out.shape is (2, 12); it must be (3, 12), the shape of this rank's block",
        "ArgumentError: destination differs between ranks; it must be the same on all ranks",
        "ArgumentError: on rank 2: x_local.shape is (4, 8); it must be (4, 9), the shape of this rank's block",
        "nothing",
        "ArgumentError: the function that they call differs between ranks; it must be the same on all ranks",
        "ArgumentError: the function that they call differs between ranks; it must be the same on all ranks",
        "ArgumentError: on rank 0: group has rank 1 on north and this one on south; its ranks must be on one machine",
        "ArgumentError: on rank 0: out of rank 1 is memory that cpu cannot open (invalid device context); it must be cudaMalloc's, of a "
        "GPU in its reach"]


def test_arrays_on_a_gpu_and_in_host_memory_are_refused(job):
    started = job("mixed", 3)
    assert [started.output(rank) for rank in range(3)] == [
        "ArgumentError: x_local.device.type differs between ranks; it must be the same on all ranks\n"] * 3


@pytest.mark.parametrize("case, timeout", [("killed", 60), ("absent", 20)])
def test_a_rank_that_dies_or_does_not_call_ends_the_call(job, case, timeout):
    started = job(case, 3, timeout=timeout)
    assert [started.output(rank) for rank in (0, 2)] == ["failed\n"] * 2


def test_a_group_is_required():
    with pytest.raises(cornerturn.ArgumentTypeError, match="group is None; it must be a communicator of mpi4py"):
        import cornerturn.distributed as distributed
        distributed.permute(None, (0,), shape=(1,), source=None, destination=None)
