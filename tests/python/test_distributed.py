"""`cornerturn.distributed` without a launcher: what one rank does. tests/frameworks and tests/mpi have the ranks of real groups."""

import doctest
import gc
import itertools
import pathlib
import sys
import threading
import weakref

import cornerturn._groups
import cornerturn._peers
import cornerturn._shardings
import cornerturn.distributed
import numpy as np
import pytest
from cornerturn._cornerturn import _RankPlan
from cornerturn.distributed import Sharding, permute, permute_blocks

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
from shardings import block_of, random_permutation  # noqa: E402


def blocks_of(whole, sharding, ranks):
    return [block_of(whole, sharding, rank).copy() for rank in range(ranks)]


def test_blocks_of_one_process_move():
    for seed in range(60):
        ranks = 1 + seed % 7
        shape, axes, source, destination = random_permutation(seed, ranks)
        whole = np.arange(1, 1 + int(np.prod(shape)), dtype=[np.uint8, np.float32, np.complex128][seed % 3]).reshape(shape)
        wanted = blocks_of(whole.transpose(axes), destination, ranks)
        arguments = {"shape": shape, "source": source, "destination": destination}
        made = permute_blocks(blocks_of(whole, source, ranks), axes, **arguments)
        out = [np.zeros_like(each) for each in wanted]
        assert permute_blocks(blocks_of(whole, source, ranks), axes, out=out, **arguments) is out
        assert all(np.array_equal(*each) for each in zip(made, wanted)) and all(np.array_equal(*each) for each in zip(out, wanted)), seed


def test_slices_are_the_block_of_a_rank():
    for seed in range(60):
        ranks = 1 + seed % 7
        shape, _, sharding, _ = random_permutation(seed, ranks)
        whole = np.arange(int(np.prod(shape))).reshape(shape)
        for rank in range(ranks):
            assert np.array_equal(whole[sharding.slices(shape, rank)], block_of(whole, sharding, rank)), (seed, rank)
    with pytest.raises(ValueError, match="rank is 3; it must be 0 to 2, as the grid has 3 ranks"):
        Sharding((3,), (0,)).slices((4, 5), 3)
    with pytest.raises(ValueError, match=r"source.blocks\[0\] is \(4\); it must be 3 extents, one for each block along the mode"):
        Sharding((3,), (0,), {0: (4,)}).slices((4, 5), 0)


def messages_of(described, block, buffer):
    return [(peer, (block if is_direct else buffer).reshape(-1).view(np.uint8)[offset:offset + size])
            for peer, size, is_direct, offset in described]


def test_every_small_grid_exchanges_what_numpy_says():
    """All ranks are in this process: each packs, its peers copy its messages, and each unpacks."""
    for shape, axes, grid in itertools.product([(5, 3), (4, 6)], [(0, 1), (1, 0)], [(1,), (2,), (3,), (2, 2)]):
        whole = np.arange(1, 1 + np.prod(shape), dtype=np.int32).reshape(shape)
        ranks = range(np.prod(grid))
        for source, destination in itertools.product(itertools.product([None, 0, 1], repeat=len(grid)), repeat=2):
            sharding = [([*grid], [-1 if axis is None else axis for axis in side], []) for side in (source, destination)]
            x, out = (blocks_of(array, Sharding(grid, side), len(ranks)) for array, side in ((whole, source), (whole.transpose(axes), destination)))
            plans = [_RankPlan(shape, axes, *sharding, 4, rank) for rank in ranks]
            wanted, on_the_wire = [each.copy() for each in out], {}
            for rank, plan in enumerate(plans):
                out[rank][...] = 0
                buffer = np.empty(plan.send_bytes, np.uint8)
                for number in range(len(plan.sends)):
                    plan.pack(number, x[rank], buffer, 1)
                on_the_wire |= {(rank, peer): data for peer, data in messages_of(plan.sends, x[rank], buffer)}
                plan.keep_part(0, x[rank], out[rank], 1)
            for rank, plan in enumerate(plans):
                buffer = np.empty(plan.receive_bytes, np.uint8)
                for number, (peer, data) in enumerate(messages_of(plan.receives, out[rank], buffer)):
                    data[...] = on_the_wire.pop((peer, rank))
                    plan.unpack(number, buffer, out[rank], 1)
            assert not on_the_wire
            assert all(np.array_equal(*each) for each in zip(out, wanted)), (shape, axes, grid, source, destination)


def test_memory_of_messages_is_kept_for_the_next_call_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(cornerturn._groups, "_MOST_KEPT", 1000)
    memory = cornerturn._groups._HostMemory()
    first = memory.take(900)
    assert len(first) == 900 and first.ctypes.data % 64 == 0 and memory.take(700).ctypes.data == first.ctypes.data
    large = memory.take(1001)
    assert len(large) == 1001 and memory.take(900).ctypes.data == first.ctypes.data
    memory.forget()
    assert not np.shares_memory(memory.take(900), first)
    other = []
    thread = threading.Thread(target=lambda: other.append(memory.take(900)))
    thread.start()
    thread.join()
    assert not np.shares_memory(memory.take(900), other[0])


class Wide(np.ndarray):
    """Says so of its items, whatever they have."""
    itemsize = 8


def test_items_have_the_size_that_they_have_in_memory():
    rows, x = Sharding((2,), (0,)), np.arange(12, dtype="f4").reshape(4, 3)
    blocks = permute_blocks([x[:2].view(Wide), x[2:].view(Wide)], (1, 0), shape=(4, 3), source=rows, destination=rows)
    assert np.array_equal(np.concatenate(blocks), x.T)


@pytest.mark.parametrize("changes, message", [
    ({"x_blocks": [np.zeros((2, 3))]}, r"source.grid is \(2,\); it must have 1 ranks, as x_blocks has"),
    ({"x_blocks": [np.zeros((2, 3)), np.zeros((2, 4))]}, r"x_blocks\[1\].shape is \(2, 4\); it must be \(2, 3\), the shape of"),
    ({"x_blocks": [np.zeros((2, 3)), np.zeros((2, 3), "i8")]}, r"x_blocks\[1\].dtype is int64; it must be float64, as that of x_blocks\[0\]"),
    ({"x_blocks": [np.zeros((2, 3)), "x"]}, r"x_blocks\[1\] is of type str; it must be a numpy.ndarray or a torch.Tensor"),
    ({"out": [np.zeros((2, 4))]}, "the length of out is 1; it must be 2, one array per rank"),
    ({"out": [np.zeros((2, 4)), np.zeros((1, 3))]}, r"out\[1\].shape is \(1, 3\); it must be \(1, 4\), the shape of this rank's block"),
    ({"axes": (0, 0)}, r"axes is \(0, 0\); it must be a permutation"),
    ({"threads": -1}, "threads is -1")])
def test_blocks_that_do_not_fit_are_refused(changes, message):
    rows = Sharding((2,), (0,))
    call = {"x_blocks": [np.zeros((2, 3))] * 2, "axes": (1, 0), "shape": (4, 3), "source": rows, "destination": rows} | changes
    with pytest.raises((ValueError, TypeError), match=message):
        permute_blocks(**call)


class OneRank:
    """Rank 0 of some, whose peers agree with it; it records what is started, and its messages contain what they may."""

    rank, device = 0, "cpu"

    def __init__(self, size, events):
        self.size, self._events = size, events

    def all_min(self, values):
        return values

    def buffer(self, size, beside):
        return np.zeros(size, np.uint8)

    def bytes_of(self, array):
        return array.reshape(-1).view(np.uint8)

    def start(self, messages):
        self._events += [("send" if each.is_send else "receive", each.peer, each.data.copy()) for each in messages]
        return [lambda peer=each.peer: self._events.append(("wait", peer, None)) for each in messages]

    def abort(self):
        self._events.append(("abort", None, None))


@pytest.fixture
def events(monkeypatch):
    made = []
    monkeypatch.setattr(cornerturn.distributed, "group_of", lambda size: OneRank(size, made))
    return made


def turn(ranks, **changes):
    rows = Sharding((ranks,), (0,))
    x = np.arange(1, 25, dtype=np.float32).reshape(4, 6)
    return permute(x, (1, 0), **{"shape": (4 * ranks, 6), "source": rows, "destination": rows, "group": ranks, **changes})


def test_a_message_is_on_its_way_while_the_next_one_is_packed(events):
    turn(3)
    assert [event[:2] for event in events] == [("receive", 2), ("receive", 1), ("send", 1), ("send", 2), ("wait", 2), ("wait", 1),
                                               ("wait", 1), ("wait", 2)]
    # Each send has its own elements already: columns 2, 3 and 4, 5 of the block.
    sent = [event[2].view(np.float32).tolist() for event in events if event[0] == "send"]
    assert sent[0] == [3, 9, 15, 21, 4, 10, 16, 22] and sent[1] == [5, 11, 17, 23, 6, 12, 18, 24]


def test_one_rank_sends_nothing(events):
    assert np.array_equal(turn(1), np.arange(1, 25, dtype=np.float32).reshape(4, 6).T) and not events


def test_a_rank_that_fails_in_the_middle_aborts(events, monkeypatch):
    def fail():
        raise OSError("the cable is cut")

    monkeypatch.setattr(OneRank, "start", lambda *_: [fail, fail])
    with pytest.raises(OSError, match="the cable is cut"):
        turn(3)
    assert [event[0] for event in events] == ["abort"]


class OneOfTwo(OneRank):
    """A rank whose peer is another thread."""

    meeting, said = threading.Barrier(2, timeout=600), {}

    def __init__(self, rank, events):
        super().__init__(2, events)
        self.rank = rank

    def all_min(self, values):
        self.said[self.rank] = values
        self.meeting.wait()
        smallest = [min(each) for each in zip(*self.said.values(), strict=True)]
        self.meeting.wait()
        return smallest


def test_a_rank_that_is_interrupted_before_the_exchange_tells_its_peers(events, monkeypatch):
    class Interrupting(np.ndarray):
        @property
        def dtype(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(cornerturn.distributed, "group_of", lambda rank: OneOfTwo(rank, events))
    raised = {}

    def call(rank, x):
        try:
            rows = Sharding((2,), (0,))
            permute(x, (1, 0), shape=(8, 6), source=rows, destination=rows, group=rank)
        except BaseException as error:
            raised[rank] = error

    x = np.zeros((4, 6))
    peer = threading.Thread(target=call, args=(0, x))
    peer.start()
    call(1, x.view(Interrupting))
    peer.join()
    assert type(raised[1]) is KeyboardInterrupt and type(raised[0]) is cornerturn.Error and not events
    assert str(raised[0]) == "on rank 1: KeyboardInterrupt"


def test_a_rank_that_is_interrupted_while_all_agree_aborts(events, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(OneRank, "all_min", interrupt)
    with pytest.raises(KeyboardInterrupt):
        turn(3)
    assert [event[0] for event in events] == ["abort"]


def test_an_error_keeps_neither_the_array_nor_the_group(monkeypatch):
    """A group that lived until a garbage collection could outlive the interpreter, which its threads then still call."""
    kept, rows = [], Sharding((3,), (0,))

    def group_of(size):
        group = OneRank(size, [])
        kept.append(weakref.ref(group))
        return group

    monkeypatch.setattr(cornerturn.distributed, "group_of", group_of)
    x = np.zeros((4, 5))
    kept.append(weakref.ref(x))
    gc.disable()
    try:
        permute(x, (1, 0), shape=(12, 6), source=rows, destination=rows, group=3)
        raise AssertionError("nothing was raised")
    except cornerturn.ArgumentError:
        del x
    finally:
        gc.enable()
    assert len(kept) == 2 and all(each() is None for each in kept)


@pytest.mark.parametrize("changes, message", [
    ({"out": np.zeros((2, 12), "f8")}, "out.dtype is float64; it must be float32, as that of x_local"),
    ({"out": np.zeros((12, 2), "f4").T}, r"out.strides is \(4, 8\); it must be those of a dense array in C order"),
    ({"shape": (12, 1 << 70)}, "shape is .*; it must be integers of 64 bits"),
    ({"source": Sharding((3,), (0,), {0: (4, 4)})}, r"source.blocks\[0\] is \(4, 4\); it must be 3 extents"),
    ({"source": Sharding((3,), (0,), {0: (4, 4, 5)})}, r"source.blocks\[0\] is \(4, 4, 5\); it must be extents of 0 or more whose sum is 12"),
    ({"source": Sharding((3,), (0,), {0: [10**9] * 300})},
     r"source.blocks\[0\] is \(1000000000, .*, ..., 1000000000, 1000000000\), of 300 numbers; it must be 3 extents"),
    ({"source": Sharding((3,), (9,), {0: [10**9] * 300})}, r"source is Sharding\(.* ... .*\); its axes must be from -2 to 1"),
    ({"source": Sharding((3,), (0,), [(4, 4, 4), None])}, r"source is .*; it must be a Sharding\(.*\), in .*, and blocks is a dict or None"),
    ({"destination": Sharding((3,), (0, 1))}, "destination is .*; its axes must be as many as the 1 numbers of its grid")])
def test_refusals(events, changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        turn(3, **changes)
    assert not events


def test_the_documentation_runs():
    for module in (cornerturn.distributed, cornerturn._peers, cornerturn._shardings):
        assert doctest.testmod(module).failed == 0
