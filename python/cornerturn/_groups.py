"""The ranks of torch.distributed and of mpi4py, with the few operations that `cornerturn.distributed` needs.

Each class has the same members. `rank` and `size` are the number of this rank and of all ranks. `device` is the kind of memory that
messages may be in, "cpu" or "cuda", or None for both. `all_min` returns the smallest integers of all ranks, and `gather` the values of
all ranks, which pickle can write. `buffer` returns bytes beside an array, which a later call on the same thread may return again if they
are in host memory, and `bytes_of` returns the bytes of a dense array; both are flat arrays. `start` starts messages and returns functions, after all of which the messages are complete: one for each message in host
memory. `connect` is called by all ranks before messages in GPU memory, which some ranks may not have. `barrier` orders the work of ranks
on the current streams of the GPUs that their arrays are beside: what a rank enqueues after the call runs after all that any rank had
enqueued before. `abort` is called if this rank fails while messages are on their way.
"""

import ctypes
import sys
import threading
import traceback
import typing
import weakref

import numpy

from ._cornerturn import ArgumentTypeError
from ._shardings import is_on_gpu

# The tag of messages, which a program's own messages are unlikely to have.
_TAG = 17236

# MPI before version 4 counts in 32-bit integers, so longer messages go in pieces.
_MOST_BYTES = 1 << 30

# For each default group, groups with the ranks of a part of it, which meshes of several dimensions do not have.
_MESH_GROUPS = weakref.WeakKeyDictionary()


# Bytes of a cache line. Packing is slower where lines begin within the rows of a message.
_LINE = 64

# The most bytes of host memory that a thread keeps for later calls.
_MOST_KEPT = 256 << 20


class _HostMemory(threading.local):
    """Host memory that begins at a cache line. Each thread keeps that of its last call for the next one, because pages that are written
    for the first time take longer than packing."""

    def __init__(self):
        self.forget()

    def forget(self):
        """Lets go of the memory, which messages may use as long as they live."""
        self._kept = numpy.empty(0, numpy.uint8)

    def take(self, size):
        if size <= self._kept.size:
            return self._kept[:size]
        memory = numpy.empty(size + _LINE, numpy.uint8)
        begin = -memory.ctypes.data % _LINE
        taken = memory[begin:begin + size]
        if size <= _MOST_KEPT:
            self._kept = taken
        return taken


_HOST_MEMORY = _HostMemory()


def _array_bytes(array):
    """The bytes of a dense array; asarray because a subclass such as numpy.matrix need not have one axis."""
    return numpy.asarray(array).reshape(-1).view(numpy.uint8)


class Message(typing.NamedTuple):
    """The bytes that go to a peer, or into which those of a peer come."""
    is_send: bool
    peer: int
    data: typing.Any


class TorchGroup:
    """A process group of torch.distributed; None stands for the default one. `members` are its ranks by their numbers in the default group,
    in the order in which they are numbered here; by default in that of the group."""

    # A group of Gloo with the same ranks, for each group that cannot send host memory.
    _host_groups = weakref.WeakKeyDictionary()

    # The groups whose ranks NCCL has connected.
    _connected = weakref.WeakSet()

    def __init__(self, group, members=None):
        import torch
        self._torch, self._calls = torch, torch.distributed
        self._group = group or self._calls.group.WORLD
        self._members = members or self._calls.get_process_group_ranks(self._group)
        self.rank, self.size = self._members.index(self._calls.get_rank()), len(self._members)
        backends = dict(each.split(":") for each in self._calls.get_backend_config(group).split(","))
        if backends.get("cuda") in ("gloo", "mpi"):
            del backends["cuda"]  # messages of these backends are in host memory
        self._kinds = list(backends)
        self.device = self._kinds[0] if len(backends) == 1 else None

    def _host_group(self):
        """The group itself, or one that sends host memory, so that ranks agree without waiting for work on their GPUs. All ranks of the
        group call it."""
        if "cpu" in self._kinds:
            return self._group
        if self._group not in self._host_groups:
            self._host_groups[self._group] = self._calls.new_group(self._calls.get_process_group_ranks(self._group), backend="gloo",
                                                                   use_local_synchronization=True)
        return self._host_groups[self._group]

    def all_min(self, values):
        smallest = self._torch.tensor(values, dtype=self._torch.int64)
        self._calls.all_reduce(smallest, op=self._calls.ReduceOp.MIN, group=self._host_group())
        return smallest.tolist()

    def gather(self, value):
        values = [None] * self.size
        self._calls.all_gather_object(values, value, group=self._host_group())
        return values

    def connect(self, beside):
        if self._group not in self._connected:
            self._calls.all_reduce(self._torch.zeros(1, device=beside.device), group=self._group)
            self._connected.add(self._group)

    def barrier(self, beside):
        if beside.is_cuda and "cuda" in self._kinds:
            self._calls.all_reduce(self._torch.zeros(1, device=beside.device), group=self._group)
            return
        if beside.is_cuda:
            self._torch.cuda.current_stream(beside.device).synchronize()
        self._calls.barrier(group=self._host_group())

    def buffer(self, size, beside):
        if is_on_gpu(beside):
            return self._torch.empty(size, dtype=self._torch.uint8, device=beside.device)
        return self._torch.from_numpy(_HOST_MEMORY.take(size))

    def bytes_of(self, array):
        if isinstance(array, numpy.ndarray):
            return self._torch.from_numpy(_array_bytes(array))
        return array.reshape(-1).view(self._torch.uint8)

    def start(self, messages):
        operations = [self._calls.P2POp(self._calls.isend if each.is_send else self._calls.irecv, each.data,
                                        self._members[each.peer], self._group, _TAG) for each in messages]
        return [work.wait for work in self._calls.batch_isend_irecv(operations)] if operations else []

    def abort(self):
        """Peers that wait for this rank fail when it ends, or after the group's timeout. Until then messages may use the memory."""
        _HOST_MEMORY.forget()


def _is_cuda_aware(calls):
    """True if the MPI of mpi4py takes memory of GPUs. Open MPI and MPICH say so by a function that is no part of MPI's standard."""
    query = getattr(ctypes.CDLL(calls.__file__), "MPIX_Query_cuda_support", None)  # also of the libraries that this one needs
    return query is not None and query() == 1


class MpiGroup:
    """A communicator of mpi4py."""

    def __init__(self, group):
        self._calls = sys.modules["mpi4py.MPI"]
        self._group, self.rank, self.size = group, group.Get_rank(), group.Get_size()
        self.device = None if _is_cuda_aware(self._calls) else "cpu"

    def all_min(self, values):
        smallest = numpy.array(values, numpy.int64)
        self._group.Allreduce(self._calls.IN_PLACE, smallest, op=self._calls.MIN)
        return smallest.tolist()

    def connect(self, beside):
        """Does nothing: MPI connects ranks itself."""

    def buffer(self, size, beside):
        if not is_on_gpu(beside):
            return _HOST_MEMORY.take(size)
        return beside.new_empty(size, dtype=sys.modules["torch"].uint8)

    def bytes_of(self, array):
        if isinstance(array, numpy.ndarray):
            return _array_bytes(array)
        flat = array.reshape(-1).view(sys.modules["torch"].uint8)
        return flat if is_on_gpu(array) else flat.numpy()

    def gather(self, value):
        return self._group.allgather(value)

    def barrier(self, beside):
        self._wait_for_stream(beside)
        self._group.Barrier()

    def start(self, messages):
        if messages:
            self._wait_for_stream(messages[0].data)
        return [self._start(each) for each in messages]

    def _start(self, message):
        call = self._group.Isend if message.is_send else self._group.Irecv
        pieces = [call([message.data[at:at + _MOST_BYTES], self._calls.BYTE], message.peer, _TAG)
                  for at in range(0, len(message.data), _MOST_BYTES)]
        return lambda: self._calls.Request.Waitall(pieces)

    def _wait_for_stream(self, beside):
        """MPI knows no streams, so that it must find the work on one complete."""
        if is_on_gpu(beside):
            sys.modules["torch"].cuda.current_stream(beside.device).synchronize()

    def abort(self):
        """Ends the processes of all ranks, before which the exception that is being handled is printed."""
        traceback.print_exc()
        sys.stderr.flush()
        self._group.Abort(1)


def group_of(group):
    """The ranks of an argument. Raises ArgumentTypeError unless it is a group of torch.distributed, a communicator of mpi4py or None."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi and isinstance(group, mpi.Comm):
        return MpiGroup(group)
    calls = sys.modules.get("torch.distributed")
    if calls and calls.is_available() and calls.is_initialized() and (group is None or isinstance(group, calls.ProcessGroup)):
        return TorchGroup(group)
    raise ArgumentTypeError(f"group is {group!r}; it must be a communicator of mpi4py, a ProcessGroup of torch.distributed, or None "
                            "for the default group of torch.distributed after init_process_group")


def group_of_mesh(mesh):
    """The ranks of a mesh of torch.distributed, numbered in C order of their coordinates. All ranks of the mesh call it, and none else."""
    calls = sys.modules["torch.distributed"]
    members = mesh.mesh.flatten().tolist()
    if mesh.ndim == 1:
        return TorchGroup(mesh.get_group(), members)
    if len(members) == calls.get_world_size():
        return TorchGroup(None, members)
    made, numbers = _MESH_GROUPS.setdefault(calls.group.WORLD, {}), tuple(sorted(members))
    if numbers not in made:
        made[numbers] = calls.new_group(list(numbers), use_local_synchronization=True)
    return TorchGroup(made[numbers], members)
