#!/usr/bin/env python3
"""Times permutations of arrays that are spread over two processes of one machine without a GPU. Writes JSON.

    export PYTHONPATH=build/cpu/python
    build/venv-frameworks/bin/python bench/distributed_cpu.py gloo --out cpu-ranks-gloo.json.gz
    PATH=$PWD/build/venv-openmpi/bin:$PATH mpiexec -n 2 python bench/distributed_cpu.py mpi --out cpu-ranks-mpi.json.gz
    build/venv/bin/python bench/distributed_cpu.py boxes --out cpu-ranks-boxes.json.gz

gloo: cornerturn.distributed.permute, beside all_to_all_single of torch.distributed between permutes of PyTorch. mpi: the same beside
MPI_Alltoallw of mpi4py with derived datatypes, which permute where the receiver writes or where the sender reads. Both modes also time an
all-to-all of as many bytes, which permutes nothing. boxes: packing and unpacking of one rank, beside cornerturn.permute of the same boxes.

Each rank has a processor of its own and one thread. Rounds are interleaved, every second one in reverse; a time is that of the slowest
rank, and the median of the rounds. All ways that permute must give the same bits. With --tiny the arrays have kilobytes and also follow
NumPy's definition.
"""

import argparse
import dataclasses
import datetime
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import provenance
import run_files

RANKS = 2
TINY = 64, 16, 64


@dataclasses.dataclass(frozen=True)
class Case:
    """A permutation of an array that the ranks have in equal blocks along an axis, to a result that they have along an axis of it."""
    name: str
    dtype: str
    shape: tuple
    axes: tuple
    source: int
    destination: int

    @property
    def divided(self):
        """The axis of the array that the result is divided along."""
        return self.axes[self.destination]

    @property
    def source_shape(self):
        return tuple(extent // RANKS if axis == self.source else extent for axis, extent in enumerate(self.shape))

    @property
    def destination_shape(self):
        return tuple(self.shape[axis] // RANKS if axis == self.divided else self.shape[axis] for axis in self.axes)

    @property
    def box_shape(self):
        """The shape of a message, in the order of the array's axes."""
        return tuple(extent // RANKS if axis in (self.source, self.divided) else extent for axis, extent in enumerate(self.shape))

    def box(self, side, rank):
        """The slices of the box that goes to a rank, in the source's block, or comes from it, in the block of the result."""
        axis, order = (self.divided, range(len(self.shape))) if side == "source" else (self.source, self.axes)
        part = self.shape[axis] // RANKS
        return tuple(slice(rank * part, (rank + 1) * part) if each == axis else slice(None) for each in order)

    def arguments(self):
        from cornerturn.distributed import Sharding
        return {"shape": self.shape, "source": Sharding((RANKS,), (self.source,)), "destination": Sharding((RANKS,), (self.destination,))}


def cases(side, cube, tokens):
    return [Case(f"{side} x {side} f32, transposed", "f4", (side, side), (1, 0), 0, 0),
            Case(f"{side} x {side} bf16, transposed", "i2", (side, side), (1, 0), 0, 0),
            Case(f"{cube} x {cube} x {cube} c64, slabs along x to slabs along y", "c8", (cube,) * 3, (1, 2, 0), 0, 0),
            Case(f"1 x {tokens} x 32 x 128 bf16, tokens to heads", "i2", (1, tokens, 32, 128), (0, 2, 1, 3), 1, 1)]


class Gloo:
    """A rank of torch.distributed."""

    def __init__(self, options):
        import torch
        torch.set_num_threads(1)
        self.torch, self.calls, self.rank = torch, torch.distributed, options.rank
        self.calls.init_process_group("gloo", init_method=f"file://{options.store}", rank=options.rank, world_size=RANKS,
                                      timeout=datetime.timedelta(minutes=5))
        self.versions = {"torch": torch.__version__}
        self.barrier = self.calls.barrier

    def slowest(self, seconds):
        most = self.torch.tensor(seconds)
        self.calls.all_reduce(most, op=self.calls.ReduceOp.MAX)
        return most.tolist()

    def ways(self, case, x, out):
        import cornerturn.distributed
        torch, exchange = self.torch, self.calls.all_to_all_single
        received, taken = (torch.empty(x.nbytes, dtype=torch.uint8) for _ in range(2))
        tensor, result = torch.from_numpy(x), torch.from_numpy(out)
        split = tensor.unflatten(case.divided, (RANKS, -1)).movedim(case.divided, 0)
        packing = split.permute(0, *(axis + 1 for axis in case.axes))
        at = case.axes.index(case.source)
        unpacked = torch.empty_like(result)

        def permutes_of_torch():
            exchange(received, packing.contiguous().view(-1).view(torch.uint8))
            parts = received.view(tensor.dtype).view(packing.shape).movedim(0, at)
            unpacked.view(parts.shape).copy_(parts)
            return unpacked.numpy()

        return {"all-to-all": lambda: exchange(taken, tensor.view(-1).view(torch.uint8)),
                "cornerturn": lambda: cornerturn.distributed.permute(tensor, case.axes, out=result, threads=1, **case.arguments()).numpy(),
                "permutes of PyTorch": permutes_of_torch}

    def end(self):
        self.calls.destroy_process_group()


class Mpi:
    """A rank of mpi4py."""

    def __init__(self, options):
        import mpi4py
        from mpi4py import MPI
        self.mpi, self.ranks = MPI, MPI.COMM_WORLD
        self.rank, self.barrier = self.ranks.rank, self.ranks.Barrier
        if self.ranks.size != RANKS:
            sys.exit(f"distributed_cpu.py: {self.ranks.size} ranks are started; they must be {RANKS}")
        self.versions = {"mpi4py": mpi4py.__version__, "mpi": MPI.Get_library_version().split("\n")[0].split(",")[0]}

    def slowest(self, seconds):
        return self.ranks.allreduce(seconds, self.mpi.MAX)

    def _strided(self, element, shape, strides):
        """The datatype of a box whose elements follow one another by the last axis first; strides are in bytes."""
        made = element
        for extent, stride in reversed(list(zip(shape, strides))):
            made = made.Create_hvector(extent, 1, stride)
        return made.Commit()

    def ways(self, case, x, out):
        import cornerturn.distributed
        element = {2: self.mpi.INT16_T, 4: self.mpi.INT32_T, 8: self.mpi.INT64_T}[x.itemsize]
        ones = [1] * RANKS

        def boxes_of(array, side, order):
            """The offsets of all boxes of a block, and their datatypes, in an order of the array's axes."""
            boxes = [array[case.box(side, rank)] for rank in range(RANKS)]
            begins = [each.ctypes.data - array.ctypes.data for each in boxes]
            turned = [each if side == "source" else each.transpose(np.argsort(case.axes)) for each in boxes]  # the axes of the source
            views = [each.transpose(order) for each in turned]
            return begins, [self._strided(element, each.shape, each.strides) for each in views]

        def exchange_in(order, result):
            sent, received = boxes_of(x, "source", order), boxes_of(result, "destination", order)

            def work():
                self.ranks.Alltoallw([x, (ones, sent[0]), sent[1]], [result, (ones, received[0]), received[1]])
                return result
            return work

        taken = np.empty(x.nbytes, np.uint8)
        return {"all-to-all": lambda: self.ranks.Alltoall([x, self.mpi.BYTE], [taken, self.mpi.BYTE]),
                "cornerturn": lambda: cornerturn.distributed.permute(x, case.axes, out=out, threads=1, group=self.ranks, **case.arguments()),
                "Alltoallw, the receiver permutes": exchange_in(range(x.ndim), np.empty_like(out)),
                "Alltoallw, the sender permutes": exchange_in(case.axes, np.empty_like(out))}

    def end(self):
        """Does nothing: mpi4py ends MPI."""


class Boxes:
    """One process, which packs and unpacks what rank 0 sends and receives."""

    rank, versions = 0, {}

    def __init__(self, options):
        self.barrier = lambda: None

    def slowest(self, seconds):
        return seconds

    def ways(self, case, x, out):
        import cornerturn
        from cornerturn._cornerturn import _RankPlan
        divided = ([RANKS], [case.source], []), ([RANKS], [case.destination], [])
        plan = _RankPlan(case.shape, case.axes, *divided, x.itemsize, 0)
        message = np.empty(max(plan.send_bytes, plan.receive_bytes), np.uint8)
        shape = [case.box_shape[axis] for axis in case.axes]
        packed = message.view(x.dtype).reshape(shape)
        sent, received, same = x[case.box("source", 1)], out[case.box("destination", 1)], range(x.ndim)
        return {"pack": lambda: plan.pack(0, x, message, 1),
                "permute of what is packed": lambda: cornerturn.permute(sent, case.axes, out=packed, threads=1) is None,
                "unpack": lambda: plan.unpack(0, message, out, 1),
                "permute of what is unpacked": lambda: cornerturn.permute(packed, same, out=received, threads=1) is None}

    def end(self):
        """Does nothing."""


def follow_definition(machine, case, ways, x, out):
    """Throws unless all ways that permute move the numbers of the elements as NumPy does."""
    whole = np.arange(np.prod(case.shape)).reshape(case.shape).astype(case.dtype)
    x[:] = np.split(whole, RANKS, case.source)[machine.rank]
    wanted = np.split(whole.transpose(case.axes), RANKS, case.destination)[machine.rank]
    for name, work in ways.items():
        made = work()
        assert not isinstance(made, np.ndarray) or np.array_equal(made, wanted), (case.name, name)


def measure(machine, case, options):
    x = np.random.default_rng(machine.rank).integers(0, 256, int(np.prod(case.source_shape)) * np.dtype(case.dtype).itemsize,
                                                     np.uint8).view(case.dtype).reshape(case.source_shape)
    out = np.empty(case.destination_shape, case.dtype)
    ways = machine.ways(case, x, out)
    if options.tiny:
        follow_definition(machine, case, ways, x, out)
    results = [each.view(np.uint8).copy() for each in (work() for work in ways.values()) if isinstance(each, np.ndarray)]
    assert all(np.array_equal(each, results[0]) for each in results), case.name
    times = {name: [] for name in ways}
    for number in range(options.rounds):
        for name, work in sorted(ways.items(), reverse=bool(number % 2)):  # a way finds in the caches what the one before it has left
            machine.barrier()
            begin = time.perf_counter()
            work()
            times[name].append(1e3 * machine.slowest(time.perf_counter() - begin))
    return {"case": case.name, "bytes_of_a_rank": x.nbytes,
            "ways": {name: {"ms": round(statistics.median(each), 3), "runs_ms": [round(ms, 3) for ms in each]} for name, each in times.items()}}


def run_rank(options):
    """What one rank does; rank 0 writes the figures."""
    processors = sorted(os.sched_getaffinity(0))
    rank = options.rank or int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", 0)))
    os.sched_setaffinity(0, {processors[rank % len(processors)]})
    machine = {"gloo": Gloo, "mpi": Mpi, "boxes": Boxes}[options.mode](options)
    import cornerturn
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    versions = {"python": sys.version.split()[0], "numpy": np.__version__, "cornerturn": cornerturn.__version__, **machine.versions}
    result = provenance.of_run(library, versions) | {"mode": options.mode, "rounds": options.rounds, "cases": []}
    for case in cases(*TINY if options.tiny else (8192, 320, 16384)):
        result["cases"].append(measure(machine, case, options))
        if machine.rank == 0:
            print(case.name, *(f"  {name:32}{each['ms']:10.3f} ms" for name, each in result["cases"][-1]["ways"].items()), sep="\n", flush=True)
            run_files.write(options.out, result)
    machine.end()


def launch(options):
    """Starts the ranks of Gloo. Returns the exit code of the first one that failed, or 0."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([sys.executable, "-W", "ignore", __file__, *sys.argv[1:], "--store", f"{folder}/store", "--rank", str(rank)])
                 for rank in range(RANKS)]
        return next(filter(None, [each.wait() for each in ranks]), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("gloo", "mpi", "boxes"))
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the file that is written")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tiny", action="store_true", help="arrays of kilobytes, in seconds")
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--store", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mode == "gloo" and options.rank is None:
        sys.exit(launch(options))
    run_rank(options)


if __name__ == "__main__":
    main()
