"""cornerturn for DTensor: permutations of PyTorch's tensors that are distributed over a mesh of devices."""

import collections.abc
import typing

import torch
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.tensor import DeviceMesh, DTensor, Placement, Replicate, Shard

from .. import ArgumentError, ArgumentTypeError
from .._groups import group_of_mesh
from .._shardings import Sharding, read_description, unread_facts
from ..distributed import move

__all__ = ["permute"]


def permute(x: DTensor, axes: collections.abc.Sequence[int], placements: collections.abc.Sequence[Placement]) -> DTensor:
    """Copies a DTensor to one with its axes permuted and with other placements: x.permute(axes).redistribute(placements=placements), but
    each rank sends one message to each of its peers at most, and nothing is moved twice. All ranks of the mesh call it.

    Parameters
    ----------
    x : torch.distributed.tensor.DTensor
        With placements that are Shard or Replicate; shards may be uneven or empty, as those of distribute_tensor. Messages between GPUs
        need NCCL; all work is enqueued on the GPU's current stream, and the call does not wait for it.
    axes : sequence of int
        Axis i of the result is axis axes[i] of x. It is one sequence, unlike the arguments of x.permute.
    placements : sequence of Placement
        Those of the result, Shard or Replicate for each dimension of the mesh. Dimensions of Shard are axes of the result.

    Returns
    -------
    torch.distributed.tensor.DTensor
        A new tensor on the mesh of x, contiguous in C order. Its derivative is the inverse permutation, which is one, too; torch.compile
        and forward mode are not supported.

    Raises
    ------
    ValueError, TypeError, MemoryError
        An argument is wrong on one of the ranks, or differs between them. All ranks raise the same error, before anything is sent.
    RuntimeError
        A peer ended, or did not answer within the timeout of the mesh's group.

    Examples
    --------
    >>> from torch.distributed.tensor import Shard
    >>> import cornerturn.torch.distributed
    >>> by_heads = cornerturn.torch.distributed.permute(by_tokens, (0, 2, 1, 3), [Shard(1)])    # doctest: +SKIP
    """
    if not isinstance(x, DTensor):
        raise ArgumentTypeError(f"x is of type {type(x).__qualname__}; it must be a torch.distributed.tensor.DTensor")
    if isinstance(axes, collections.abc.Iterable):
        axes = tuple(axes)  # an iterator would be read once, by the first of several readers
    return _Permute.apply(x, axes, placements)


class _Permute(torch.autograd.Function):
    @staticmethod
    def forward(ctx: typing.Any, x: DTensor, axes: collections.abc.Sequence[int],
                placements: collections.abc.Sequence[Placement]) -> DTensor:
        result = _permuted(x, axes, placements)
        ctx.axes, ctx.source, ctx.destination = axes, x.placements, result.placements
        return result

    @staticmethod
    def backward(ctx: typing.Any, gradient: DTensor) -> tuple[DTensor, None, None]:
        forward = [axis % len(ctx.axes) for axis in ctx.axes]
        if not all(type(each) in (Shard, Replicate) for each in gradient.placements):
            gradient = gradient.redistribute(placements=ctx.destination)
        return permute(gradient, [forward.index(axis) for axis in range(len(forward))], ctx.source), None, None


def _permuted(x: DTensor, axes: collections.abc.Sequence[int], placements: collections.abc.Sequence[Placement]) -> DTensor:
    mesh, shape = x.device_mesh, tuple(x.shape)
    if mesh.get_coordinate() is None:
        return _result(x.to_local(), mesh, placements, [shape[axis] for axis in axes])

    def read(facts: dict[str, typing.Any]) -> None:
        facts["source"] = _sharding_of(mesh, x.placements, "x.placements", len(shape))
        _refuse_other_orders(x)
        facts["destination"] = _sharding_of(mesh, placements, "placements", len(shape))
        read_description(facts)

    local = x.to_local()
    if isinstance(local, AsyncCollectiveTensor):
        local = local.wait()
    facts = unread_facts(shape, axes, x.placements, placements, "x_local")
    names = {"source": "x.placements", "destination": "placements", "x_local.dtype": "x.dtype", "x_local.device.type": "x.device.type"}
    made = move(group_of_mesh(mesh), "permute of a DTensor", facts, local, read=read, names=names)
    return _result(made, mesh, placements, [shape[axis] for axis in axes])


def _result(local: torch.Tensor, mesh: DeviceMesh, placements: collections.abc.Sequence[Placement], shape: list[int]) -> DTensor:
    on_axes = [Shard(each.dim % len(shape)) if type(each) is Shard else each for each in placements]
    strides = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(local, mesh, on_axes, run_check=False, shape=torch.Size(shape), stride=strides)


def _sharding_of(mesh: DeviceMesh, placements: collections.abc.Sequence[Placement], name: str, rank: int) -> Sharding:
    """The sharding of these placements over a mesh, whose ranks are numbered in C order. Raises ArgumentError or ArgumentTypeError if it
    has none."""
    if not isinstance(placements, collections.abc.Sequence):
        raise ArgumentTypeError(f"{name} is {placements!r}; it must be a sequence of placements")
    if len(placements) != mesh.ndim:
        raise ArgumentError(f"{name} is {placements!r}; it must have as many placements as the mesh has dimensions, {mesh.ndim}")
    for number, each in enumerate(placements):
        if type(each) not in (Shard, Replicate):
            raise ArgumentTypeError(f"{name}[{number}] is {each!r}; it must be Shard or Replicate")
        if type(each) is Shard and not -rank <= each.dim < rank:
            raise ArgumentError(f"{name}[{number}] is {each!r}; its dimension must be from {-rank} to {rank - 1}")
    return Sharding(mesh.shape, [each.dim if type(each) is Shard else None for each in placements])


def _refuse_other_orders(x: DTensor) -> None:
    """Raises ArgumentError if a dimension of the mesh divides the blocks of a later one. Older versions of PyTorch have no such orders."""
    for entry in getattr(x._spec, "shard_order", None) or ():
        if sorted(entry.mesh_dims) != list(entry.mesh_dims):
            raise ArgumentError(f"x is divided along axis {entry.tensor_dim} by the mesh's dimensions {entry.mesh_dims}, in this order; "
                                "it must be divided by the first of them first")
