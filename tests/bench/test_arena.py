"""The arena's cases and reports, and its measuring with a torch whose clock is known; a real run needs a GPU."""

import ctypes
import json
import math
import pathlib
import subprocess
import sys
import types

import pytest
from fake_torch import fake_torch

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import arena  # noqa: E402
import arena_cases  # noqa: E402
import arena_machine  # noqa: E402
import arena_peers  # noqa: E402
import arena_report  # noqa: E402


def row(kind, part="main", single=None, **ms):
    result = {"part": part, "shape": [4, 5], "axes": [1, 0], "type": kind, "bytes": 4000, "ms": ms, "failed": {}, "plans": {}}
    return {**result, "single_ms": single} if single else result


def run(*rows, library="a", card="c"):
    return {"device": "GPU", "card": card, "date": "2026-01-01", "library": library, "versions": {"torch": "2"}, "rows": list(rows)}


def rows_of(*rows):
    return arena_report.merged_of(run(*rows))["rows"]


def command(*arguments):
    return subprocess.run([sys.executable, BENCH / "arena.py", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("path", sorted((BENCH / "cases").glob("*.json")), ids=lambda path: path.stem)
def test_cases_are_permutations(path):
    cases = arena_cases.named(path.stem)
    assert cases and len(set(cases)) == len(cases)
    for shape, axes, kind, *steps in cases:
        assert sorted(axes) == list(range(len(shape))) and kind in arena_cases.SIZES
        assert not steps or len(steps[0]) == len(shape) and all(step > 0 for step in steps[0])


def test_the_36_are_36():
    assert len(arena_cases.named("main")) == 36


def test_drawn_problems_repeat_stay_within_their_size_and_move_something():
    for seed in range(500):
        shape, axes, kind = arena_cases.drawn(seed)
        assert (shape, axes, kind) == arena_cases.drawn(seed)
        assert sorted(axes) == list(range(len(shape))) and 2 <= len(shape) <= 12
        assert math.prod(shape) * arena_cases.SIZES[kind] <= 1 << 30
        assert not arena_cases.moves_nothing(shape, axes)
    assert {len(arena_cases.drawn(seed)[0]) for seed in range(200)} == set(range(2, 13))


@pytest.mark.parametrize("shape, axes, nothing", [((4,), (0,), True), ((4, 5), (0, 1), True), ((4, 5), (1, 0), False),
                                                  ((4, 1, 5), (1, 0, 2), True), ((1, 5), (1, 0), True), ((2, 1, 3), (2, 1, 0), False)])
def test_a_plain_copy_is_known(shape, axes, nothing):
    assert arena_cases.moves_nothing(shape, axes) == nothing


class Peer:
    def __init__(self, kind, right=True):
        self.kind, self.right = kind, right

    def make(self, torch, x, axes, out):
        def work():
            out.array[...] = x.array.transpose(axes) if self.right else 1
            torch.launch(self.kind)

        return work


def test_launches_in_a_row_may_overlap_and_single_ones_may_not():
    torch = fake_torch({"copy": 8, "own": 10, "eager": 20, "spacer": 3}, {"own": 5})
    peers = {"eager": Peer("eager"), "cornerturn": Peer("own"), "wrong": Peer("own", right=False)}
    measured = arena.run_case(torch, peers, 3, (6, 7), (1, 0), "f32")
    assert measured["ms"]["cornerturn"] == pytest.approx(1e-3 * (10 + 19 * 5) / 20) and measured["ms"]["eager"] == pytest.approx(0.02)
    assert measured["single_ms"] == pytest.approx({"copy": 8e-3, "cornerturn": 10e-3, "eager": 20e-3})
    assert "wrong result" in measured["failed"]["wrong"]


def test_large_cases_are_timed_launch_by_launch(monkeypatch):
    monkeypatch.setattr(arena, "GRAPH_BELOW", 0)
    measured = arena.run_case(fake_torch({"copy": 8, "own": 10}, {"own": 5}), {"cornerturn": Peer("own")}, 3, (6, 7), (1, 0), "u8")
    assert measured["ms"] == pytest.approx({"copy": 8e-3, "cornerturn": 10e-3}) and "single_ms" not in measured


def test_every_second_column_is_read_and_the_copy_is_of_contiguous_bytes():
    torch, seen = fake_torch({"copy": 8, "own": 10, "spacer": 3}, {}), []

    class Strided(Peer):
        def make(self, torch, x, axes, out):
            seen.append((x.array.shape, x.array.strides))
            return super().make(torch, x, axes, out)

    measured = arena.run_case(torch, {"cornerturn": Strided("own")}, 3, (6, 7), (1, 0), "f64", (1, 2))
    assert seen == [((6, 7), (14 * 8, 16))] and not measured["failed"]
    assert measured["bytes"] == 2 * 6 * 7 * 8 and measured["steps"] == (1, 2)
    assert arena_report.title(measured) == "6x7 (1,0) f64 every 1,2"


def test_steps_are_refused_where_whole_arrays_are_timed():
    with pytest.raises(SystemExit, match="strided: .* has steps"):
        arena_cases.of_whole_arrays("strided")


@pytest.fixture
def a_gpu(monkeypatch):
    """A torch with a GPU, as far as a whole run asks; the compilers are quicker than everybody."""
    torch = fake_torch({"copy": 8, "own": 10, "compile": 9, "spacer": 3}, {})
    torch.__version__, torch.version = "2", types.SimpleNamespace(cuda="13")
    torch.cuda.get_device_name, torch.cuda.empty_cache = lambda: "GPU", lambda: None
    for name, module in (("torch", torch), ("torch._dynamo", torch._dynamo), ("triton", types.SimpleNamespace(__version__="3"))):
        monkeypatch.setitem(sys.modules, name, module)

    class Compiled(Peer, arena_peers.Compiled):
        def make(self, torch, x, axes, out):
            made = torch.empty(out.shape, x.dtype, "cuda")
            work = super().make(torch, x, axes, made)
            return lambda: (work(), made)[1]

    peers = {"compile": Compiled("compile"), "cornerturn": Peer("own")}
    monkeypatch.setattr(arena_peers, "gather", lambda options: (peers, {"geam": "no cuBLAS"}))
    monkeypatch.setattr(arena.arena_machine, "nvidia_smi", lambda field: field)
    monkeypatch.setattr(arena_cases, "drawn", lambda seed: ((4, 5 + seed), (1, 0), "f32"))
    monkeypatch.setenv("CORNERTURN_CACHE_DIR", "")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")


def measured_run(tmp_path, monkeypatch, *arguments):
    (tmp_path / "few.json").write_text(json.dumps([[[6, 7], [1, 0], "u8"]]))
    (tmp_path / "library").write_bytes(b"\0GCC: (a build) 12.2.0\0")
    monkeypatch.setattr(sys, "argv", ["arena.py", "--cases", str(tmp_path / "few.json"), "--random", "0:3", "--compiled", "2",
                                      "--library", str(tmp_path / "library"), "--json", str(tmp_path / "run.json"), *arguments])
    assert arena.main() == 0
    return tmp_path / "run.json"


def test_a_whole_run(a_gpu, tmp_path, monkeypatch, capsys):
    result = json.loads(measured_run(tmp_path, monkeypatch).read_text())
    assert result["absent"] == {"geam": "no cuBLAS"} and result["versions"]["driver"] == "driver_version"
    assert [row["part"] for row in result["rows"]] == ["few", "random", "random", "random"]
    assert result["commit"] == arena_machine.provenance.commit() and result["compilers"] == ["GCC: (a build) 12.2.0"]
    assert ["compile" in row["ms"] for row in result["rows"]] == [True, True, True, False]
    assert "| random, compile | 2 of 3 | 2 | 2 | 0 | 0.900 | 0.900 |" in capsys.readouterr().out


def test_a_run_that_takes_too_long_leaves_cases_out(a_gpu, tmp_path, monkeypatch, capsys):
    assert not measured_run(tmp_path, monkeypatch, "--seconds", "1e-9").exists()
    assert "random: 3 of 3 cases left out" in capsys.readouterr().err


def test_the_wheel_s_cutensor_is_found(tmp_path, monkeypatch):
    library = tmp_path / "cutensor/lib/libcutensor.so.2"
    library.parent.mkdir(parents=True)
    library.touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert arena_peers.CuTensor.installed() == str(library)
    library.unlink()
    assert arena_peers.CuTensor.installed() == "libcutensor.so.2"


@pytest.mark.parametrize("peers, cutensor, needed", [("cornerturn", None, "cornerturn"), ("geam,cutensor", "no.so", "cutensor"),
                                                     ("geam,cutensor", None, None)])
def test_a_library_that_was_named_must_load(peers, cutensor, needed, tmp_path, monkeypatch):
    missing = str(tmp_path / "missing.so")
    monkeypatch.setattr(arena_peers.CuTensor, "installed", staticmethod(lambda: missing))
    options = types.SimpleNamespace(peers=peers, library=missing, cutensor=cutensor, cublas=missing)
    if needed:
        with pytest.raises(SystemExit, match=f"the peer {needed} does not load"):
            arena_peers.gather(options)
    else:
        assert arena_peers.gather(options)[1].keys() == {"geam", "cutensor"}


@pytest.mark.parametrize("said, fails", [("estimated to be the fastest", False), ("measured before", True)])
def test_an_estimate_that_finds_a_measured_choice_fails(said, fails, monkeypatch):
    def describe(plan, text, size, needed):
        text.value = f"a plan; {said}".encode()

    calls = {"cornerturn_plan_create": lambda *_: 0, "cornerturn_plan_describe": describe}
    library = types.SimpleNamespace(**calls, cornerturn_plan_run=None, cornerturn_last_error=types.SimpleNamespace(),
                                    cornerturn_version=types.SimpleNamespace())
    monkeypatch.setattr(ctypes, "CDLL", lambda path: library)
    monkeypatch.setenv("CORNERTURN_CACHE_DIR", "")
    x = types.SimpleNamespace(dim=lambda: 1, shape=(4,), stride=lambda axis=None: (1,) if axis is None else 1, element_size=lambda: 4,
                              data_ptr=lambda: 0)
    make = lambda effort: arena_peers.Cornerturn("", effort).make(None, x, (0,), x)
    assert make("measure").describe.endswith(said)
    if fails:
        with pytest.raises(arena_peers.FoundChoice):
            make("estimate")
    else:
        assert make("estimate").describe.endswith(said)


def test_every_effort_has_choices_of_its_own(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda path: types.SimpleNamespace(cornerturn_last_error=types.SimpleNamespace(),
                                                                           cornerturn_version=types.SimpleNamespace()))
    folders = [arena_peers.Cornerturn("").choices.name for _ in range(2)]
    assert folders[0] != folders[1]


def test_the_case_table_has_the_losses_first():
    rows = rows_of(row("f32", copy=1.0, eager=4.0, cornerturn=1.25), row("u8", copy=1.0, eager=1.0, cornerturn=2.0),
                   row("f64", copy=1.0, cornerturn=2.0))
    lines = arena_report.case_table(rows).splitlines()
    assert lines[0] == "| case | copy GB/s | eager | cornerturn | to the best |"
    assert lines[2].endswith("u8 | 0 | 1.000 | 0.500 | 0.500 |") and lines[3].endswith("| 0.250 | 0.800 | 3.200 |")
    assert lines[4].endswith("| – | 0.500 | – |")


def test_a_ratio_over_one_that_comes_from_overlap_says_so():
    [overlapped] = rows_of(row("f32", single={"copy": 1.0, "cornerturn": 1.25, "eager": 1.25}, copy=1.0, cornerturn=0.8, eager=0.8))
    assert arena_report.cell(overlapped, "eager") == "1.250 in a row, 0.800 single"
    assert arena_report.cell(overlapped, "cornerturn") == "1.250 overlapped, 0.800 single"
    [plain] = rows_of(row("f32", single={"copy": 1.0, "cornerturn": 0.75}, copy=1.0, cornerturn=0.8))
    assert arena_report.cell(plain, "cornerturn") == "1.250"


def test_a_single_launch_is_held_against_the_quicker_copy():
    [slow_copy] = rows_of(row("f32", single={"copy": 2.0, "cornerturn": 1.25}, copy=1.0, cornerturn=1.0))
    assert arena_report.single(slow_copy, "cornerturn") == 0.8


def test_peers_are_beaten_by_single_launches_only():
    [small] = rows_of(row("f32", single={"copy": 1.0, "cornerturn": 1.0, "eager": 0.5}, copy=1.0, cornerturn=0.25, eager=0.5))
    assert arena_report.speed(small, "eager") == 0.5


def test_wins_and_losses_count_all_cases():
    rows = rows_of(row("f32", copy=1.0, compile=0.98, cornerturn=1.0), row("u8", copy=1.0, compile=0.5, cornerturn=1.0),
                   row("f64", copy=1.0, compile=2.0, cornerturn=1.0))
    lines = arena_report.wins_and_losses(rows).splitlines()
    assert lines[2].startswith("| main, compile | 3 of 3 | 2 | 1 | 1 | 0.500 |")
    assert lines[3].startswith("| main, the best of all | 3 of 3 | 2 | 1 | 1 |")


def test_wins_and_losses_have_the_winning_peer_first_and_say_how_many_cases_it_met():
    rows = rows_of(row("f32", copy=1.0, eager=2.0, compile=0.5, cornerturn=1.0), row("u8", copy=1.0, eager=2.0, cornerturn=1.0))
    names = [line.split(" | ")[:2] for line in arena_report.wins_and_losses(rows).splitlines()[2:]]
    assert names == [["| main, compile", "1 of 2"], ["| main, the best of all", "1 of 2"], ["| main, eager", "2 of 2"]]


def test_random_problems_are_told_by_element_size():
    rows = rows_of(row("u8", "random", copy=1.0, cornerturn=2.0), row("f64", "random", copy=1.0, cornerturn=1.25))
    names = [line.split(" | ")[0] for line in arena_report.mean_table(rows).splitlines()[2:]]
    assert names == ["| random, 1 byte", "| random, 8 bytes", "| random"]


def test_merged_runs_have_medians(tmp_path):
    for number, own in enumerate([2.0, 1.25, 1.6]):
        rows = [row("f32", copy=1.0, eager=4.0, cornerturn=own)] + ([row("u8", copy=1.0, cornerturn=1.0)] if number else [])
        (tmp_path / f"{number}.json").write_text(json.dumps(run(*rows, card=str(number))))
    done = command("--merge", *sorted(tmp_path.glob("?.json")), "--json", tmp_path / "all.json")
    assert done.returncode == 0, done.stderr
    merged = json.loads((tmp_path / "all.json").read_text())
    assert len(merged["runs"]) == 3 and [each["type"] for each in merged["rows"]] == ["f32"]  # u8 is in two runs only
    some = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("?.json"))]
    assert [each["type"] for each in arena_report.merge(some, runs_of_case=2)["rows"]] == ["f32", "u8"]
    assert arena_report.in_a_row(merged["rows"][0], "cornerturn") == 0.625 and "| 0.250 | 0.625 | 2.500 |" in done.stdout
    assert command("--table", tmp_path / "all.json").stdout == done.stdout


def test_runs_that_make_no_figure_are_not_merged():
    with pytest.raises(ValueError, match="2 runs of 2 cards or days, fewer than 3"):
        arena_report.merge([run(), run(card="d")])
    with pytest.raises(ValueError, match="3 runs of 2 cards or days, fewer than 3"):
        arena_report.merge([run(), run(), run(card="d")])
    with pytest.raises(ValueError, match="cases of 4 runs; there are 1 to 3"):
        arena_report.merge([run(card=card) for card in "abc"], runs_of_case=4)
    with pytest.raises(ValueError, match="different builds"):
        arena_report.merge([run(card="a"), run(card="b"), run(library="b")])
    with pytest.raises(ValueError, match="1 estimated plans are measured ones, of 4x5"):
        arena_report.merge([run({**row("u8", copy=1.0, cornerturn=1.0), "plans": {"cornerturn": "a plan; measured before"}})], 1)


def test_the_gate_names_what_lost_over_three_percent():
    rows = [row("f32", copy=1.0, before=1.0, cornerturn=1.029), row("u8", copy=1.0, before=1.0, cornerturn=1.04)]
    assert [name for name, _ in arena_report.slower_than_before(rows)] == ["4x5 (1,0) u8"]


def test_a_plot_is_drawn(tmp_path):
    rows = [("a", {"eager": [0.25], "cornerturn": [0.7, 0.8, 0.9]}), ("b", {"cornerturn": [0.5]})]
    arena_report.plot(rows, tmp_path / "a.png", "a copy")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_a_run_is_printed_and_drawn_again(tmp_path):
    results, picture = BENCH / "results" / "h200-arena.json.gz", tmp_path / "a.png"
    done = command("--table", results, "--plot", picture)
    assert done.returncode == 0 and "| geometric mean; worst (cases) |" in done.stdout and picture.stat().st_size > 1000
