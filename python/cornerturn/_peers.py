"""Permutations whose ranks write their boxes into the blocks of their peers, which lie in memory that they can address."""

import pathlib
import platform
import sys

from ._agreement import agree
from ._cornerturn import ArgumentError, ArgumentTypeError, _element_of
from ._groups import group_of
from ._shardings import dense, empty, expect_ranks, is_on_gpu, local_plan, rank_plan, read_description, unread_facts

# The position of the device among the arguments of the function that torch.multiprocessing calls to open a tensor of another process.
_DEVICE = 6


def permute_blocks(x_blocks, axes, *, shape, source, destination, out=None, dtype=None, alpha=1, beta=0, conj=False, saturate=False,
                   threads=0):
    """Copies an array whose blocks are all in this process to one with its axes permuted, divided in another way.

    The blocks are in host memory, or each one is on a GPU, such as one block on each GPU of this machine. Each GPU writes into the memory
    of the others, which must be in its reach (NVLink, or PCIe with peer access): there are no messages and no workspace.
    A GPU keeps 192 MiB of buffers for later calls, from which its copy engines write large blocks.

    Parameters
    ----------
    x_blocks : sequence of numpy.ndarray or torch.Tensor
        The block of each rank. An array that is not contiguous in C order, or is read-only, is copied first.
    axes, shape, source, destination
        As in permute.
    out : sequence of arrays, optional
        The block of the result for each rank, contiguous in C order and on the device of its item of x_blocks; default: new arrays.
    dtype, alpha, beta, conj, saturate
        As in permute.
    threads : int
        As in cornerturn.permute.

    Returns
    -------
    list of arrays
        out, or new arrays.

    Raises
    ------
    ValueError, TypeError
        An argument is wrong, or a GPU cannot write into the memory of another one.

    Notes
    -----
    All work is enqueued on the current streams of the blocks' GPUs, and the call does not wait for it. No block is read or written before
    the work that was enqueued earlier on any of these streams is complete, and work that is enqueued later on any of them finds all
    blocks written.

    >>> import numpy as np
    >>> from cornerturn.distributed import Sharding, permute_blocks
    >>> x, rows = np.arange(6).reshape(2, 3), Sharding(grid=(2,), axes=(0,))
    >>> permute_blocks([x[:1], x[1:]], (1, 0), shape=(2, 3), source=rows, destination=rows)
    [array([[0, 3],
           [1, 4]]), array([[2, 5]])]
    """
    facts = {"shape": shape, "axes": axes, "source": source, "destination": destination}
    read_description(facts)
    blocks = [dense(each, f"x_blocks[{rank}]") for rank, each in enumerate(x_blocks)]
    expect_ranks(facts, len(blocks), "x_blocks")
    if not blocks:
        return []
    results = list(out or ())
    element = _element_of(blocks[0], results[0] if results else None, dtype, alpha, beta, conj, saturate)
    plan = local_plan(*facts.values(), element)
    made = [empty(each, plan.destination_shape(rank), element) for rank, each in enumerate(blocks)] if out is None else results
    plan.run(blocks, made, element, threads)
    return made if out is None else out


def _machine():
    """What is the same in processes that share memory."""
    return platform.node(), pathlib.Path("/proc/sys/kernel/random/boot_id").read_text()


def _shared(out):
    """The function and the arguments with which another process on this machine opens a tensor."""
    return sys.modules["torch"].multiprocessing.reductions.reduce_tensor(out)


def _opened(shared, out):
    """A tensor of another process, in the address space of the GPU of out, for which CUDA enables the access of peers."""
    function, arguments = shared
    arguments = list(arguments)
    arguments[_DEVICE] = out.device.index
    return function(*arguments)


class PeerPlan:
    """A permutation of an array that is spread over processes of one machine, each with a block of the result on its GPU, which its peers
    open by CUDA's inter-process communication (IPC) once, when the plan is made.

    A call writes each rank's boxes into the blocks of its peers, so there are no messages and no workspace. A GPU keeps 192 MiB of
    buffers for later calls, from which its copy engines write large blocks. All ranks make the plan, and call it, together.

    Parameters
    ----------
    out : torch.Tensor
        This rank's block of the result, contiguous in C order, on a GPU; each call writes it. Its memory is cudaMalloc's, which it is
        unless PyTorch's allocator is configured otherwise.
    axes, shape, source, destination, group
        As in permute.

    Raises
    ------
    ValueError, TypeError
        An argument is wrong on one of the ranks, or differs between them, or a rank cannot open the memory of a peer. All ranks raise the
        same error.

    Notes
    -----
    All work is enqueued on the current stream of the rank's GPU. A call begins and ends with a barrier: no rank writes before the work
    that any rank had enqueued before its call is complete, such as readers of the last result, and work that a rank enqueues after its
    call finds its block written by all. In a group of NCCL the barriers are on the streams, and the call does not wait for its work. With
    Gloo and MPI, which have no streams, each barrier waits for the rank's stream.

    The plan keeps the memory of out. The blocks of peers stay open until all ranks have dropped their plans.
    """

    def __init__(self, out, axes, *, shape, source, destination, group=None):
        self._ranks = ranks = group_of(group)
        self._facts = unread_facts(shape, axes, source, destination, "out")
        self._agree("PeerPlan", lambda: self._prepare(out))
        shared = ranks.gather((self._machine, self._handles))
        self._agree("PeerPlan", lambda: self._open(shared))

    def _agree(self, call, prepare):
        return agree(self._ranks, call, self._facts, prepare)

    def _prepare(self, out):
        self._facts["out.dtype"] = str(getattr(out, "dtype", None))
        read_description(self._facts)
        expect_ranks(self._facts, self._ranks.size, "group")
        if not is_on_gpu(out):
            raise ArgumentTypeError(f"out is of type {type(out).__qualname__}; it must be a torch.Tensor on a GPU")
        self._facts["out.device.type"] = out.device.type
        self._machine = _machine()
        described = list(self._facts.values())[:4]
        self._plan = rank_plan(*described, out.itemsize, self._ranks.rank)
        self._plan.expect_destination(out)
        self._out = out
        self._handles = {peer: _shared(out) for peer, *_ in self._plan.receives}

    def _open(self, shared):
        self._blocks = {}
        for peer, *_ in self._plan.sends:
            machine, handles = shared[peer]
            if machine != self._machine:
                raise ArgumentError(f"group has rank {peer} on {machine[0]} and this one on {self._machine[0]}; its ranks must be on one "
                                    "machine")
            try:
                self._blocks[peer] = _opened(handles[self._ranks.rank], self._out)
            except RuntimeError as error:
                said = str(error).partition("\n")[0]  # CUDA's advice in PyTorch's other lines would displace what the memory must be
                raise ArgumentError(f"out of rank {peer} is memory that {self._out.device} cannot open ({said}); it must be cudaMalloc's, "
                                    "of a GPU in its reach") from error

    def __call__(self, x_local):
        """Permutes an array.

        Parameters
        ----------
        x_local : torch.Tensor
            This rank's block of the array, on the device of out. A tensor that is not contiguous in C order is copied first.

        Returns
        -------
        torch.Tensor
            out.

        Raises
        ------
        ValueError, TypeError
            x_local is wrong on one of the ranks. All ranks raise the same error, before anything is written.
        """
        def prepare():
            x = dense(x_local, "x_local")
            self._plan.expect_blocks(x, self._out, self._out.itemsize, 0)
            return x

        x = self._agree("PeerPlan.__call__", prepare)
        try:
            self._ranks.barrier(self._out)
            self._plan.write(x, self._out, [self._blocks[peer] for peer, *_ in self._plan.sends], 0)
            self._ranks.barrier(self._out)
        except BaseException:
            self._ranks.abort()
            raise
        return self._out
