"""What bench/arena_programs.py makes of times; a run needs a GPU."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import arena_programs
from fake_torch import fake_torch


def test_an_interval_has_the_median_and_its_neighbours():
    assert arena_programs.interval([5, 1, 4, 2, 3]) == [3, 1, 5]
    assert arena_programs.interval(list(range(21))) == [10, 6, 14]


@pytest.mark.parametrize("own, other, verdict", [
    ([1, 0.9, 1.1], [2, 1.9, 2.1], "faster"), ([2, 1.9, 2.1], [1, 0.9, 1.1], "slower"),
    ([1, 0.99, 1.01], [1, 1, 1.01], "same"), ([1, 0.9, 1.1], [1.05, 1, 1.2], "undecided")])
def test_intervals_that_meet_are_the_same_only_if_they_are_narrow(own, other, verdict):
    assert arena_programs.verdict(own, other) == verdict


def test_a_summary_has_each_library_s_mean_and_how_we_compare():
    row = {how: {"copy": [1, 1, 1], "eager": [4, 4, 4], "cornerturn": [2, 2, 2]} for how in ("graph_us", "stream_us")}
    lines = arena_programs.summary([row, row]).splitlines()
    assert [line.split()[:3] for line in lines[:2]] == [["graph_us", "eager", "0.250"], ["graph_us", "cornerturn", "0.500"]]
    assert lines[0].endswith("we: 2 faster, 0 same, 0 slower, 0 undecided")


class Peer:
    """A library whose launch takes as long as the clock says for its name."""

    def __init__(self, name, returns=False, wrong=False):
        self.name, self.returns, self.wrong = name, returns, wrong

    def make(self, torch, x, axes, out):
        def work():
            result = x.permute(axes).contiguous()
            result.array = result.array + 1 if self.wrong else result.array
            torch.launch(self.name)
            return result if self.returns else out.array.__setitem__(..., result.array)

        return work


def test_what_stands_around_a_permutation_is_subtracted(monkeypatch):
    monkeypatch.setattr(arena_programs.arena_machine, "nvidia_smi", lambda field: "1980 MHz")
    torch = fake_torch({"write": 5, "spacer": 3, "copy": 2, "own": 4, "compiled": 7}, {})
    peers = {"cornerturn": Peer("own"), "compile": Peer("compiled", returns=True), "eager": Peer("own", wrong=True)}
    row = arena_programs.run_case(torch, peers, 3, (4, 6), (1, 0), "f32")
    for how in ("graph_us", "stream_us"):
        assert {name: [round(us, 6) for us in each] for name, each in row[how].items()} == {
            "copy": [2, 2, 2], "cornerturn": [4, 4, 4], "compile": [7, 7, 7]}
    assert row["failed"] == {"eager": "RuntimeError: wrong result"}
