#!/usr/bin/env python3
"""Times permutations of arrays that are spread over the GPUs of one machine. Writes JSON.

    PYTHONPATH=build/gpu/python python bench/distributed_gpus.py --gpus 2 --out h100x2-distributed.json.gz

Each rank is a process with a GPU. In each case these ways move the same blocks:

    all-to-all     NCCL's all_to_all_single of as many bytes, without a permutation
    peer copies    cudaMemcpyAsync of the same messages from GPU to GPU, by one process, without a permutation
    peer writes    cornerturn's writes of the same messages, by one process, without a permutation
    nccl           cornerturn.distributed.permute: packing, NCCL, unpacking
    one process    cornerturn.distributed.permute_blocks: one process writes into the blocks of all GPUs
    ipc            cornerturn.distributed.PeerPlan: each process writes into the blocks of the others
    torch.compile  all_to_all_single between permutes that torch.compile compiled
    torch eager    the same with eager permutes

Rounds are interleaved. An interval is some calls after a barrier, on the GPUs' clocks; its time is that of the slowest rank. Every way
but the first three must give the bits of torch eager. With --tiny the cases have kilobytes, and torch eager must follow the
definition; without GPUs the ranks use Gloo, and ways that need GPUs are left out.
"""

import argparse
import contextlib
import dataclasses
import gc
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

import provenance
import run_files

ALONE = ("one process", "peer writes", "peer copies")
WAYS = ("all-to-all", "nccl", "ipc", "torch.compile", "torch eager", *ALONE)
INTERVAL_MS, MOST_CALLS, HASHED_AT_ONCE = 30, 50, 1 << 24
CYCLES = 2_000_000  # about 1 ms on a GPU at 2 GHz


@contextlib.contextmanager
def started_ranks(options):
    """The processes of all ranks, which are killed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        given = [sys.executable, __file__, *sys.argv[1:], "--store", f"{folder}/store", "--rank"]
        ranks = [subprocess.Popen([*given, str(rank)]) for rank in range(options.gpus)]
        try:
            yield ranks
        finally:
            for each in ranks:
                each.kill()
                each.wait()


def launch(options):
    """Runs all ranks. Returns the exit code of the first one that failed, or 0."""
    with started_ranks(options) as ranks:
        end = time.monotonic() + options.timeout
        while time.monotonic() < end:
            codes = [each.poll() for each in ranks]
            if any(codes) or None not in codes:
                return next(filter(None, codes), 0)
            time.sleep(0.1)
    print(f"distributed_gpus.py: no result after {options.timeout} s", file=sys.stderr)
    return 1


@dataclasses.dataclass
class Way:
    """A way to move the blocks of a case. `work` moves them once and returns this rank's block of the result or, by one process, those of
    all ranks; it does nothing on ranks that do not take part. `results` are the arrays that it writes, if it is given them."""
    work: object
    results: list
    permutes: bool = True  # otherwise it only moves as many bytes
    is_alone: bool = False  # by the process of rank 0
    reason: str = ""  # why it is n/a
    ms: list = dataclasses.field(default_factory=list)


class Machine:
    """This rank, its device, and the operations on all ranks."""

    def __init__(self, options):
        import torch
        self.torch, self.calls = torch, torch.distributed
        self.rank, self.size, self.on_gpu = options.rank, options.gpus, options.device == "cuda"
        if self.on_gpu:
            torch.cuda.set_device(self.rank)
        self.calls.init_process_group("nccl" if self.on_gpu else "gloo", init_method=f"file://{options.store}", rank=self.rank,
                                      world_size=self.size)
        self.host = self.calls.new_group(backend="gloo")

    def device(self, rank):
        return f"cuda:{rank}" if self.on_gpu else "cpu"

    def gather(self, value):
        values = [None] * self.size
        self.calls.all_gather_object(values, value, group=self.host)
        return values

    def synchronize(self):
        """Waits for the work of all ranks; rank 0 has work on all GPUs."""
        if self.on_gpu:
            for device in range(self.size) if self.rank == 0 else [self.rank]:
                self.torch.cuda.synchronize(device)
        self.calls.barrier(group=self.host)

    def interval(self, work, calls):
        """The milliseconds of a call in an interval of some calls. All ranks call it, and their intervals begin together. On a GPU, calls
        are only enqueued."""
        self.synchronize()
        if not self.on_gpu:
            begin = time.perf_counter()
            for _ in range(calls):
                work()
            return 1e3 * (time.perf_counter() - begin) / calls
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.torch.cuda._sleep(CYCLES)  # the first calls are enqueued meanwhile
        self.calls.all_reduce(self.torch.zeros(1, device="cuda"))
        start.record()
        for _ in range(calls):
            work()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / calls


def random_block(torch, shape, dtype, device, seed):
    """Random numbers, the same in every process."""
    return torch.empty(shape, dtype=dtype, device=device).normal_(generator=torch.Generator(device).manual_seed(seed))


def checksum(torch, block):
    """A number that depends on all bits and on their order."""
    words = block.reshape(-1).view(torch.int16)
    weights = torch.arange(1, HASHED_AT_ONCE + 1, device=words.device, dtype=torch.int64)
    sums = [(part.long() * weights[:len(part)]).sum() for part in words.split(HASHED_AT_ONCE)]
    return [int(each) for each in sums]


class PeerCopies:
    """Copies of the GPUs' copy engines, each on a stream of its own."""

    def __init__(self, torch, size):
        self._torch = torch
        self._streams = {(device, peer): (torch.cuda.Stream(device), torch.cuda.Stream(peer))
                         for device in range(size) for peer in range(size)}

    def start(self, copies):
        """Enqueues (device, peer, source, destination), between the earlier and the later work of the current stream of GPU 0."""
        first = self._torch.cuda.current_stream(0)
        begun = first.record_event()
        for device, peer, source, destination in copies:
            stream, of_peer = self._streams[device, peer]
            stream.wait_event(begun)
            with self._torch.cuda.stream(of_peer), self._torch.cuda.stream(stream):  # PyTorch orders a copy with both
                destination.copy_(source, non_blocking=True)
            first.wait_stream(stream)


def peer_bandwidth(machine):
    """GB/s that a GPU sends to another one, alone and while it receives as much; None without GPUs."""
    torch = machine.torch
    if not machine.on_gpu:
        return None
    both = []
    if machine.rank == 0:
        (a, b), (c, d) = [[torch.zeros(1 << 30, dtype=torch.uint8, device=machine.device(rank)) for _ in range(2)] for rank in range(2)]
        both = [(0, 1, a, d), (1, 0, c, b)]
        copies = PeerCopies(torch, 2)
    found = {}
    for name, chosen in (("one direction", both[:1]), ("both directions", both)):
        work = (lambda: copies.start(chosen)) if both else lambda: None
        times = [machine.interval(work, 10) for _ in range(4)]
        found[name] = round((1 << 30) / statistics.median(times[1:]) / 1e6, 1)
    return found


def ways_of(machine, case, chosen):
    """The ways by name; torch eager is the first."""
    import cornerturn.distributed as ranks
    torch, exchange_all, size = machine.torch, machine.calls.all_to_all_single, machine.size
    x = random_block(torch, case.source_shape, case.dtype, machine.device(machine.rank), machine.rank)
    out = torch.empty(case.destination_shape, dtype=case.dtype, device=x.device)
    received = torch.empty(x.numel(), dtype=case.dtype, device=x.device)

    def exchange(pack, unpack):
        exchange_all(received, pack(x).view(-1))
        return unpack(received)

    ways = {"torch eager": Way(lambda: exchange(case.pack, case.unpack), [received]),
            "all-to-all": Way(lambda: exchange_all(received, x.view(-1)), [], permutes=False),
            "nccl": Way(lambda: ranks.permute(x, out=out, **case.arguments), [out])}
    if "torch.compile" in chosen:
        pack, unpack = (torch.compile(each, dynamic=False) for each in (lambda x: case.pack(x), lambda x: case.unpack(x)))
        ways["torch.compile"] = Way(lambda: exchange(pack, unpack), [received])
    if machine.on_gpu and "ipc" in chosen:
        plan = ranks.PeerPlan(out, **case.arguments)
        ways["ipc"] = Way(lambda: plan(x), [out])

    work = dict.fromkeys(ALONE, lambda: None)
    results = []
    if machine.rank == 0 and chosen & set(ALONE):
        blocks = [x, *(random_block(torch, case.source_shape, case.dtype, machine.device(rank), rank) for rank in range(1, size))]
        results = [torch.empty(case.destination_shape, dtype=case.dtype, device=each.device) for each in blocks]
        sent, taken = ([each.view(1, size, -1) for each in side] for side in (blocks, results))
        rows = ranks.Sharding((size,), (0,))
        same = {"axes": (1, 0, 2), "shape": (size, size, x.numel() // size), "source": rows, "destination": rows}
        work = {"one process": lambda: ranks.permute_blocks(blocks, out=results, **case.arguments),
                "peer writes": lambda: ranks.permute_blocks(sent, out=taken, **same)}
        if machine.on_gpu:
            copies = PeerCopies(torch, size)
            pairs = [(device, (device + step) % size) for device in range(size) for step in range(size)]
            work["peer copies"] = lambda: copies.start([(device, peer, sent[device][0, peer], taken[peer][0, device])
                                                        for device, peer in pairs])
    if not machine.on_gpu:
        work.pop("peer copies", None)
    ways |= {name: Way(each, results, permutes=name == "one process", is_alone=True) for name, each in work.items()}
    return {name: way for name, way in ways.items() if name in chosen | {"torch eager"}}


def attempt(machine, way, step):
    """Runs a step of a way on all ranks and returns its results. If it fails on one rank, the way becomes n/a on all of them."""
    value, problem = None, ""
    try:
        value = step()
    except Exception as error:  # a compiler fails with exceptions of every type
        problem = textwrap.shorten(f"on rank {machine.rank}: {type(error).__name__}: {error}", 300)
    said = machine.gather((value, problem))
    way.reason = way.reason or next((problem for _, problem in said if problem), "")
    return [value for value, _ in said]


def checked(machine, way, wanted):
    """Runs a way, and returns the checksums of all ranks' blocks. They must be those wanted, if there are any."""
    torch = machine.torch

    def step():
        for each in way.results:
            each.zero_()
        machine.synchronize()  # also for the streams of other processes
        result = way.work()
        machine.synchronize()
        if way.is_alone:
            return [checksum(torch, each) for each in result or []]
        return checksum(torch, result)

    found = attempt(machine, way, step)
    found = found[0] if way.is_alone else found
    if not way.reason and wanted and found != wanted:
        way.reason = "the result is not that of torch eager"
    return found


def follows_definition(machine, case):
    """Throws if torch eager does not follow the definition, for numbers of elements in place of random bits. Large cases are left out,
    because each rank makes the whole array."""
    torch, rank = machine.torch, machine.rank
    if not math.prod(case.shape) < 1 << 24:
        return
    whole = torch.arange(math.prod(case.shape)).reshape(case.shape)
    part = [whole.tensor_split(case.source.grid[0], case.source.axes[0]), whole.permute(case.axes).tensor_split(
        case.destination.grid[0], case.destination.axes[0])]
    packed = case.pack(part[0][rank].contiguous())
    received = torch.empty_like(packed)
    machine.calls.all_to_all_single(received, packed, group=machine.host)
    assert torch.equal(case.unpack(received), part[1][rank]), case.name


def measure(machine, case, chosen, rounds):
    """The figures of a case."""
    follows_definition(machine, case)
    ways = ways_of(machine, case, chosen)
    wanted, calls = None, {}
    for name, way in ways.items():
        if way.permutes:
            found = checked(machine, way, wanted)
            wanted = wanted or found
        if not way.reason:
            warm = [attempt(machine, way, lambda: machine.interval(way.work, count)) for count in (1, 2)]
            calls[name] = max(1, min(MOST_CALLS, round(INTERVAL_MS / max(warm[-1])))) if not way.reason else 0
    for _ in range(rounds):
        for name, way in ways.items():
            if not way.reason:
                times = attempt(machine, way, lambda: machine.interval(way.work, calls[name]))
                if not way.reason:
                    way.ms.append(times[0] if way.is_alone else max(times))
    own = math.prod(case.source_shape) * case.dtype.itemsize
    described = {"case": case.name, "bytes_of_a_rank": own, "bytes_sent_by_a_rank": own // machine.size * (machine.size - 1)}
    return described | {"ways": {name: {"ms": round(statistics.median(way.ms), 4), "calls": calls[name],
                                        "runs_ms": [round(each, 4) for each in way.ms]} if not way.reason else {"n/a": way.reason}
                                 for name, way in ways.items()}}


def run_rank(options):
    """What one rank does; rank 0 writes the figures."""
    machine = Machine(options)
    import cornerturn
    import distributed_cases
    torch = machine.torch
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "cuda": torch.version.cuda, "cornerturn": cornerturn.__version__}
    if machine.on_gpu:
        versions["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    result = provenance.of_run(library, versions)
    result |= {"device": torch.cuda.get_device_name() if machine.on_gpu else "cpu", "gpus": machine.size, "rounds": options.rounds,
               "peer_bandwidth_gbs": peer_bandwidth(machine), "cases": []}
    chosen = set(options.ways.split(","))
    for case in distributed_cases.cases(machine.size, options.tiny):
        result["cases"].append(measure(machine, case, chosen, options.rounds))
        if machine.rank == 0:
            print(summary(result["cases"][-1]), flush=True)
            run_files.write(options.out, result)
        torch.compiler.reset()
        if machine.on_gpu:
            gc.collect()
            machine.synchronize()  # all ranks have closed the blocks of their peers
            torch.cuda.ipc_collect()
            torch.cuda.empty_cache()
    machine.synchronize()
    machine.calls.destroy_process_group()


def summary(of):
    """A line for each way: milliseconds, and GB/s that a rank sends."""
    lines = [of["case"]]
    for name, each in of["ways"].items():
        lines.append(f"  {name:14}" + (f" n/a: {each['n/a']}" if "n/a" in each else
                                       f"{each['ms']:10.3f} ms {of['bytes_sent_by_a_rank'] / each['ms'] / 1e6:8.1f} GB/s"))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, choices=(2, 4), required=True, help="the number of ranks")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the file that is written")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ways", default=",".join(WAYS), help="the ways to time, separated by commas (default: %(default)s)")
    parser.add_argument("--tiny", action="store_true", help="cases of kilobytes, without GPUs in seconds")
    parser.add_argument("--timeout", type=float, default=280, help="seconds after which the ranks are killed")
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--store", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.ways.split(",")) - set(WAYS):
        parser.error(f"--ways has {', '.join(sorted(unknown))}; it must be some of {', '.join(WAYS)}")
    if options.rank is None:
        sys.exit(launch(options))
    run_rank(options)


if __name__ == "__main__":
    main()
