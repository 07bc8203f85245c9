"""The CPU arena's tables, and its measuring by a clock that is known; real figures are left to people. CORNERTURN names the program
beside whose library one test is."""

import ctypes
import os
import pathlib
import subprocess
import sys
import types

import pytest

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import arena_cases  # noqa: E402
import cpu_arena  # noqa: E402
import cpu_peers  # noqa: E402
import provenance  # noqa: E402
import tables  # noqa: E402


def row(gbs, **ratios):
    return {"shape": [4, 5], "axes": [1, 0], "type": "f32", "gbs": gbs, "ratios": ratios}


def test_the_suite_has_57_cases_and_all_types_are_known():
    assert len(arena_cases.named("ttc")) == 57
    assert cpu_arena.DTYPES.keys() == arena_cases.SIZES.keys()


def test_processes_are_merged_case_by_case():
    merged = cpu_arena.merged([[row(40, memcpy=0.7, cornerturn=0.8)], [row(50, memcpy=0.6, cornerturn=0.9)]])
    assert merged == [row([40, 50], memcpy=[0.7, 0.6], cornerturn=[0.8, 0.9])]


class Peer:
    """Takes so many seconds by the clock, another time each round."""

    def __init__(self, clock, permutes, *seconds):
        self.clock, self.permutes, self.seconds = clock, permutes, list(seconds)

    def make(self, x, axes, out):
        def work():
            out[...] = x.transpose(axes) if self.permutes else 0
            self.clock[0] += self.seconds.pop(0)

        return work


def test_a_ratio_is_to_the_faster_copy_of_its_round(monkeypatch):
    clock = [0.0]
    peers = {"nt-copy": Peer(clock, False, 9, 1.0, 2.0, 2.0), "memcpy": Peer(clock, False, 9, 2.0, 1.0, 4.0),
             "cornerturn": Peer(clock, True, 9, 2.0, 4.0, 8.0)}
    monkeypatch.setattr(cpu_peers, "gather", lambda options: peers)
    monkeypatch.setattr(cpu_arena.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(cpu_arena, "cases_of", lambda options: [((4, 5), (1, 0), "f32")])
    [row] = cpu_arena.run_once(types.SimpleNamespace(huge_pages=False, offset=0, rounds=3))
    assert row["ratios"] == {"nt-copy": 1.0, "memcpy": 0.5, "cornerturn": 0.25}


def test_every_second_column_is_moved_by_the_library_as_by_numpy(monkeypatch):
    seen, library = [], pathlib.Path(os.environ["CORNERTURN"]).parents[1] / "lib/libcornerturn.so"
    own = cpu_peers.Cornerturn(types.SimpleNamespace(threads=1), str(library))
    own.make_before, own.make = own.make, lambda x, axes, out: (seen.append(x.strides), own.make_before(x, axes, out))[1]
    copies = {name: Peer([0.0], False, *[1.0] * 9) for name in cpu_peers.CEILINGS}
    monkeypatch.setattr(cpu_peers, "gather", lambda options: {**copies, "cornerturn": own, "numpy": cpu_peers.NumPy()})
    monkeypatch.setattr(cpu_arena, "cases_of", lambda options: [((40, 50), (1, 0), "f32", (1, 2)), ((40, 50), (0, 1), "u8")])
    rows = list(cpu_arena.run_once(types.SimpleNamespace(huge_pages=False, offset=0, rounds=2)))
    assert seen == [(400, 8), (50, 1)] and rows[0]["steps"] == (1, 2) and "steps" not in rows[1]


@pytest.mark.parametrize("name", ["nt-copy", "memcpy"])
def test_the_ceilings_are_copies_and_load_without_the_library(name):
    import numpy

    ceilings = pathlib.Path(os.environ["CORNERTURN"]).parents[1] / "lib/libceilings.so"
    x = numpy.arange(1000)
    out = numpy.zeros_like(x)
    cpu_peers.MAKERS[name](types.SimpleNamespace(ceilings=str(ceilings), threads=1)).make(x, (0,), out)()
    assert numpy.array_equal(out, x)


def test_numpy_s_single_thread_is_told():
    lines = cpu_arena.table([row([40], numpy=[0.1])]).splitlines()
    assert lines[0] == "| case | copy GB/s | numpy, one thread |"


def test_hptt_wants_a_library():
    with pytest.raises(OSError, match="--hptt names no library"):
        cpu_peers.MAKERS["hptt"](types.SimpleNamespace(hptt=None))


def test_the_table_has_medians_intervals_and_the_worst():
    rows = [row([40, 50, 45], cornerturn=[0.5, 0.8, 0.6]), row([40, 40, 40], cornerturn=[0.3, 0.2, 0.4])]
    lines = cpu_arena.table(rows).splitlines()
    assert lines[2] == "| 4x5 (1,0) f32 | 45 | 0.600 (0.50–0.80) |"
    assert lines[4] == "| geometric mean | | 0.424 |" and lines[5] == "| worst | | 0.300 |"


def test_a_peer_without_a_case_leaves_a_gap():
    lines = cpu_arena.table([row([40], cornerturn=[0.5]), row([40], cornerturn=[0.8], openblas=[0.25])]).splitlines()
    assert lines[0] == "| case | copy GB/s | cornerturn | openblas |"
    assert lines[2] == "| 4x5 (1,0) f32 | 40 | 0.500 (0.50–0.50) | – |"
    assert lines[4] == "| geometric mean | | 0.632 | 0.250 |"


def test_cases_that_a_peer_wins_come_first_and_copies_are_no_peers():
    rows = [row([40], memcpy=[0.9], cornerturn=[0.5], hptt=[0.4]), row([40], memcpy=[0.9], cornerturn=[0.8], hptt=[1.0]),
            row([40], memcpy=[0.9], cornerturn=[0.3])]
    lines = tables.cpu_cases([], {"ceiling": "", "rows": rows}).splitlines()
    assert lines[0].endswith("| hptt | to the best |")
    assert [line.split(" | ")[3].partition(" ")[0] for line in lines[2:]] == ["0.800", "0.300", "0.500"]
    assert [line.split(" | ")[-1] for line in lines[2:]] == ["0.800 |", "– |", "1.250 |"]


def test_losses_are_counted_by_the_median_and_by_the_worst_process():
    rows = [row([40] * 3, cornerturn=[0.9, 1.1, 1.2], hptt=[1.0] * 3), row([40] * 3, cornerturn=[0.5] * 3, hptt=[1.0] * 3)]
    found = [table(["TTC"], {"ceiling": "", "rows": rows}).splitlines()[2:] for table in (tables.cpu_wins, tables.cpu_processes)]
    assert found == [["| TTC, hptt | 2 | 1 | 1 | 0.500 | 4x5 (1,0) f32 | 0.742 |"], ["| TTC, hptt | 2 | 2 | 0.500 |"]]


def test_a_peer_without_all_cases_says_how_many_it_has():
    rows = [row([40], memcpy=[0.9], cornerturn=[0.5], hptt=[0.4]), row([40], memcpy=[0.9], cornerturn=[0.5])]
    [line] = tables.cpu_means(["TTC"], {"ceiling": "", "rows": rows}).splitlines()[2:]
    assert line == "| TTC | 2 | 0.900; 0.900 | 0.500; 0.500 | 0.400; 0.400 (1) |"


def test_a_run_says_what_was_built_from_what_and_by_whom(monkeypatch, tmp_path):
    """HPTT has its own checkout, which contains the library."""
    checkout = tmp_path / "hptt"
    git = ["git", "-C", checkout, "-c", "user.name=a", "-c", "user.email=a"]
    for command in (["git", "init", "-q", checkout], [*git, "commit", "-q", "--allow-empty", "-m", "a"]):
        subprocess.run(command, check=True)
    (checkout / "libhptt.so").write_bytes(b"\0GCC: (Debian 12.2.0-14) 12.2.0\0")
    (tmp_path / "ours").write_bytes(b"clang version 14.0.6")
    monkeypatch.setattr(cpu_peers.c, "CDLL", lambda path: None)
    options = types.SimpleNamespace(library=tmp_path / "ours", before=None, hptt=checkout / "libhptt.so", threads=2)
    peers = {"nt-copy": object(), "numpy": cpu_peers.NumPy(), "hptt": cpu_peers.MAKERS["hptt"](options)}
    monkeypatch.setattr(cpu_peers, "gather", lambda options: peers)
    builds = cpu_arena.builds(options)
    assert builds["commit"] == provenance.commit() and builds["compilers"] == ["clang version 14.0.6"]
    assert builds["versions"].keys() == {"python", "numpy", "hptt"}
    hptt = builds["versions"]["hptt"]
    assert hptt["path"].endswith("hptt/libhptt.so") and hptt["compilers"] == ["GCC: (Debian 12.2.0-14) 12.2.0"]
    assert len(hptt["commit"]) >= 7 and hptt["commit"] != builds["commit"]


def test_a_run_is_printed_and_drawn_again(tmp_path):
    run, picture = BENCH / "results" / "cpu-arena.json.gz", tmp_path / "a.png"
    done = subprocess.run([sys.executable, BENCH / "cpu_arena.py", "--table", run, "--plot", picture], capture_output=True,
                          text=True)
    assert done.returncode == 0 and "| worst |" in done.stdout and picture.stat().st_size > 1000


@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "c16"])
def test_mkl_is_called_as_it_declares_omatcopy(kind):
    """By our own functions with MKL's names, in place of MKL's."""
    import numpy

    peer = object.__new__(cpu_peers.Mkl)
    peer.lib = ctypes.CDLL(pathlib.Path(os.environ["CORNERTURN"]).parents[1] / "lib/libcornerturn_blas.so")
    x, out = numpy.arange(15, dtype=kind).reshape(3, 5), numpy.zeros((5, 3), kind)
    if kind.startswith("c"):
        x += 1j
    peer.make(x, (1, 0), out, alpha=2, conj=True)()
    assert numpy.array_equal(out, 2 * x.T.conj())
    assert peer.make(x, (0, 1), x, alpha=1) is None and peer.make(x[:, ::2], (1, 0), out) is None


def test_a_peer_that_is_none_is_named():
    done = subprocess.run([sys.executable, BENCH / "cpu_arena.py", "--one", "--peers", "eigen"], capture_output=True, text=True)
    assert done.returncode == 1 and "eigen is none of nt-copy, memcpy, cornerturn" in done.stderr
