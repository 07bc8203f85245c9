"""The arena's cases and reports; its measuring needs a GPU."""

import math
import pathlib
import subprocess
import sys

import pytest

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import arena_cases  # noqa: E402
import arena_report  # noqa: E402


def row(name, **ms):
    return {"shape": [4, 5], "axes": [1, 0], "type": name, "bytes": 4000, "ms": ms, "failed": {}, "plans": {}}


@pytest.mark.parametrize("path", sorted((BENCH / "cases").glob("*.json")), ids=lambda path: path.stem)
def test_cases_are_permutations(path):
    cases = arena_cases.named(path.stem)
    assert cases and len(set(cases)) == len(cases)
    for shape, axes, kind in cases:
        assert sorted(axes) == list(range(len(shape))) and kind in arena_cases.SIZES


def test_the_36_are_36():
    assert len(arena_cases.named("main")) == 36


def test_drawn_problems_repeat_and_stay_within_their_size():
    for seed in range(500):
        shape, axes, kind = arena_cases.drawn(seed)
        assert (shape, axes, kind) == arena_cases.drawn(seed)
        assert sorted(axes) == list(range(len(shape))) and 1 <= len(shape) <= 12
        assert math.prod(shape) * arena_cases.SIZES[kind] <= 1 << 30
    assert {len(arena_cases.drawn(seed)[0]) for seed in range(200)} == set(range(1, 13))


def test_the_table_has_ratios_means_and_gaps():
    rows = [row("f32", copy=1.0, eager=4.0, cornerturn=1.25), row("u8", copy=1.0, cornerturn=2.0)]
    lines = arena_report.table(rows).splitlines()
    assert lines[0] == "| case | copy GB/s | eager | cornerturn |"
    assert lines[2].endswith("| 0.250 | 0.800 |") and lines[3].endswith("| – | 0.500 |")
    assert lines[4].endswith("| 0.250 | 0.632 |") and lines[5].endswith("| 0.250 | 0.500 |")


def test_the_gate_names_what_lost_over_three_percent():
    rows = [row("f32", copy=1.0, before=1.0, cornerturn=1.029), row("u8", copy=1.0, before=1.0, cornerturn=1.04)]
    assert [name for name, _ in arena_report.losses(rows)] == ["4x5 (1,0) u8"]


def test_a_plot_is_drawn(tmp_path):
    rows = [("a", {"eager": [0.25], "cornerturn": [0.7, 0.8, 0.9]}), ("b", {"cornerturn": [0.5]})]
    arena_report.plot(rows, tmp_path / "a.png", "a copy")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_a_run_is_printed_and_drawn_again(tmp_path):
    run, picture = BENCH / "results" / "h200-arena.json", tmp_path / "a.png"
    done = subprocess.run([sys.executable, BENCH / "arena.py", "--table", run, "--plot", picture], capture_output=True, text=True)
    assert done.returncode == 0 and "| worst |" in done.stdout and picture.stat().st_size > 1000
