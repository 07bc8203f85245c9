"""Permutes arrays that are spread over ranks of torch.distributed or of mpi4py, or over several GPUs of one process.

`permute` sends messages: each rank packs a box of its block for each of its peers, the ranks exchange the boxes, and each rank unpacks
what it receives. Packing a message overlaps with sending those before it. `PeerPlan` and `permute_blocks` send none: each rank writes
its boxes into the blocks of its peers. Neither torch nor mpi4py is imported by this module.
"""

import typing

from ._agreement import agree
from ._cornerturn import ArgumentError, _element_of, _RankPlan
from ._groups import Message, group_of
from ._peers import PeerPlan, permute_blocks
from ._shardings import (CHANGE, Sharding, dense, empty, expect_ranks, is_on_gpu, is_tensor, rank_plan, read_description, unread_facts)

__all__ = ["PeerPlan", "Sharding", "permute", "permute_blocks"]

# The arguments dtype, alpha, beta, conj and saturate with which elements do not change.
_COPY = (None, 1, 0, False, False)


class _Prepared(typing.NamedTuple):
    """All that a rank needs before it sends anything."""
    plan: _RankPlan
    x: typing.Any
    out: typing.Any
    send_buffer: typing.Any
    receive_buffer: typing.Any


def _kind_of_device(array):
    return array.device.type if is_tensor(array) else "cpu"


def _dense(x_local, ranks):
    """Returns an array whose bytes the group can send: x_local, or a copy."""
    x = dense(x_local, "x_local")
    if ranks.device not in (None, _kind_of_device(x)):
        device = x.device if is_tensor(x) else "cpu"
        raise ArgumentError(f"x_local.device is {device}; it must be {ranks.device}, as group sends nothing else")
    return x


def _prepare(ranks, facts, read, x_local, out, change, threads):
    """Fills in the facts, and checks the arguments, as far as a wrong argument lets it."""
    facts["x_local.dtype"] = str(getattr(x_local, "dtype", None))
    facts["x_local.device.type"] = _kind_of_device(x_local)  # messages of host memory do not reach peers that wait for a GPU's
    read(facts)
    expect_ranks(facts, ranks.size, "group")
    x = _dense(x_local, ranks)
    facts[CHANGE] = element = _element_of(x, out, *change)
    plan = rank_plan(facts["shape"], facts["axes"], facts["source"], facts["destination"], element, ranks.rank)
    plan = plan.in_batches() if is_on_gpu(x) else plan.in_runs()
    made = empty(x, plan.destination_shape, element) if out is None else out
    plan.expect_blocks(x, made, element, threads)
    buffer = ranks.buffer(plan.workspace_bytes, x)
    return _Prepared(plan, x, made, buffer, buffer[len(buffer) - plan.receive_bytes:])


def _messages(is_send, described, block, buffer):
    """The bytes of each message, in the rank's block or in the buffer."""
    return [Message(is_send, peer, (block if is_direct else buffer)[offset:offset + size])
            for peer, size, is_direct, offset in described]


def _exchange(ranks, ready, threads):
    """Moves this rank's part. Messages between GPUs are enqueued, and waiting for one makes the current stream wait for it. NCCL waits
    for messages that are started later, unless they are started together. `arrived` has, for each batch, what to wait for and the numbers
    of the messages that are complete then."""
    plan, x, out, send_buffer, receive_buffer = ready
    sends = _messages(True, plan.sends, ranks.bytes_of(x), send_buffer)
    receives = _messages(False, plan.receives, ranks.bytes_of(out), receive_buffer)
    arrived, sent = [], []
    if is_on_gpu(x):
        ranks.connect(x)
        for first_send, end_send, first_receive, end_receive in plan.batches:
            for number in range(first_send, end_send):
                plan.pack(number, x, send_buffer, threads)
            started = ranks.start(receives[first_receive:end_receive] + sends[first_send:end_send])
            arrived.append([(started, range(first_receive, end_receive))])
    else:
        arrived.append([([wait], [number]) for number, wait in enumerate(ranks.start(receives))])
        for number, message in enumerate(sends):
            plan.pack(number, x, send_buffer, threads)
            sent += ranks.start([message])
    for batch, parts in enumerate(arrived):
        plan.keep_part(batch, x, out, threads)
        for waits, numbers in parts:
            for wait in waits:
                wait()
            for number in numbers:
                plan.unpack(number, receive_buffer, out, threads)
    for wait in sent:
        wait()


def move(ranks, call, facts, x_local, *, read=read_description, names={}, out=None, change=_COPY, threads=0):
    """Moves an array after all ranks have agreed that they make the same call. `read` reads the facts, of which some have other names in
    messages. Returns out, or a new array."""
    ready = agree(ranks, call, facts, lambda: _prepare(ranks, facts, read, x_local, out, change, threads), names)
    try:
        _exchange(ranks, ready, threads)
    except BaseException:
        ranks.abort()
        raise
    return ready.out


def permute(x_local, axes, *, shape, source, destination, group=None, out=None, dtype=None, alpha=1, beta=0, conj=False, saturate=False,
            threads=0):
    """Copies an array that is spread over ranks to one with its axes permuted, spread in another way. All ranks call it.

    Parameters
    ----------
    x_local : numpy.ndarray or torch.Tensor
        This rank's block of the array. An array that is not contiguous in C order, or is read-only, is copied first. A tensor on a GPU
        needs a group of NCCL or a communicator of a CUDA-aware MPI. With NCCL all work is enqueued on the GPU's current stream, and the
        call does not wait for it; with MPI it waits.
    axes : sequence of int
        Axis i of the whole result is axis axes[i] of the whole array, as in numpy.transpose.
    shape : sequence of int
        The shape of the whole array.
    source, destination : Sharding
        How the array is divided, and how the result is, by axes of the result. Their grids have as many ranks as the group.
    group : mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The ranks; default: the default group of torch.distributed.
    out : array, optional
        This rank's block of the result, contiguous in C order; default: a new array.
    dtype, alpha, beta, conj, saturate
        As in cornerturn.permute: they change the elements. Messages have elements of the smaller dtype, or with beta those of x_local.
    threads : int
        As in cornerturn.permute, for packing and unpacking.

    Returns
    -------
    array
        out, or a new array of the type and device of x_local.

    Raises
    ------
    ValueError, TypeError, MemoryError
        An argument is wrong on one of the ranks, or differs between them. All ranks raise the same error, before anything is sent.
    Error
        Another rank was interrupted before anything was sent.
    RuntimeError
        A peer ended, or did not answer within the timeout of a group of torch.distributed. out may be partly written. If a rank of MPI
        fails while messages are on their way, it ends the job by MPI_Abort.
    """
    facts = unread_facts(shape, axes, source, destination, "x_local")
    return move(group_of(group), "permute", facts, x_local, out=out, change=(dtype, alpha, beta, conj, saturate), threads=threads)
