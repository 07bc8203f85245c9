"""`cornerturn.distributed` without a launcher: what one rank does. tests/frameworks and tests/mpi have the ranks of real groups."""

import doctest

import cornerturn.distributed
import numpy as np
import pytest
from cornerturn.distributed import Sharding, permute


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


@pytest.mark.parametrize("changes, message", [
    ({"out": np.zeros((2, 12), "f8")}, "out.dtype is float64; it must be float32, as that of x_local"),
    ({"out": np.zeros((12, 2), "f4").T}, r"out.strides is \(4, 8\); it must be those of a dense array in C order"),
    ({"shape": (12, 1 << 70)}, "shape is .*; it must be integers of 64 bits"),
    ({"source": Sharding((3,), (0,), {0: (4, 4)})}, r"source.blocks\[0\] is \(4, 4\); it must be 3 extents"),
    ({"source": Sharding((3,), (0,), {0: (4, 4, 5)})}, r"source.blocks\[0\] is \(4, 4, 5\); it must be extents of 0 or more whose sum is 12"),
    ({"destination": Sharding((3,), (0, 1))}, "destination is .*; its axes must be as many as the 1 numbers of its grid")])
def test_refusals(events, changes, message):
    with pytest.raises(ValueError, match=message):
        turn(3, **changes)
    assert not events


def test_the_documentation_runs():
    assert doctest.testmod(cornerturn.distributed).failed == 0
