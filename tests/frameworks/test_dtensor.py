"""`cornerturn.torch.distributed` over ranks of Gloo, which are processes on this machine."""

import pytest


def run(job, case, ranks, **options):
    started = job(case, ranks, script="dtensor_ranks.py", **options)
    return [started.output(rank) for rank in range(ranks)]


@pytest.mark.parametrize("case, ranks", [("moved", 2), ("moved", 3), ("moved", 4), ("part_of_the_ranks", 5), ("derived", 4), ("not_arrived", 3)])
def test_tensors_are_those_of_torch(job, case, ranks):
    assert run(job, case, ranks) == [""] * ranks


def test_all_ranks_raise_the_same_error(job):
    lines = [each.splitlines() for each in run(job, "errors", 4)]
    assert lines == [lines[0]] * 4
    assert lines[0] == [
        "nothing",
        "ArgumentError: on rank 1: axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2",
        "ArgumentError: axes differs between ranks; it must be the same on all ranks",
        "ArgumentTypeError: on rank 1: axes is 0; it must be a sequence of integers",
        "ArgumentError: on rank 1: placements is [Shard(dim=0)]; it must have as many placements as the mesh has dimensions, 2",
        "ArgumentError: placements differs between ranks; it must be the same on all ranks",
        "ArgumentTypeError: on rank 1: placements[1] is Partial(sum); it must be Shard or Replicate",
        "ArgumentError: on rank 1: placements[1] is Shard(dim=2); its dimension must be from -2 to 1",
        "ArgumentTypeError: on rank 1: placements[1] is 'row'; it must be Shard or Replicate",
        "ArgumentTypeError: on rank 1: placements is 3; it must be a sequence of placements",
        "ArgumentTypeError: on rank 0: x.placements[1] is Partial(sum); it must be Shard or Replicate",
        "ArgumentError: x.dtype differs between ranks; it must be the same on all ranks",
        "ArgumentError: shape differs between ranks; it must be the same on all ranks",
        "ArgumentError: x.placements differs between ranks; it must be the same on all ranks",
        "ArgumentTypeError: x is of type Tensor; it must be a torch.distributed.tensor.DTensor",
        *2 * ["ArgumentTypeError: x is a DTensor; it must be a tensor in memory, unless it goes to cornerturn.torch.distributed.permute"],
        "nothing"]


def test_a_rank_that_dies_ends_the_call(job):
    started = job("killed", 4, script="dtensor_ranks.py")
    assert [started.output(rank) for rank in (0, 2, 3)] == ["True\n"] * 3
