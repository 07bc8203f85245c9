"""The CPU arena's tables; its measuring is left to people."""

import pathlib
import sys

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import arena_cases  # noqa: E402
import cpu_arena  # noqa: E402


def row(gbs, **ratios):
    return {"shape": [4, 5], "axes": [1, 0], "type": "f32", "gbs": gbs, "ratios": ratios}


def test_the_suite_has_57_cases_and_both_lists_are_of_known_types():
    assert len(arena_cases.named("ttc")) == 57
    assert all(kind in cpu_arena.DTYPES for name in ("ttc", "cpu", "near_powers") for _, _, kind in arena_cases.named(name))


def test_processes_are_merged_case_by_case():
    merged = cpu_arena.merged([[row(40, memcpy=0.7, cornerturn=0.8)], [row(50, memcpy=0.6, cornerturn=0.9)]])
    assert merged == [row([40, 50], memcpy=[0.7, 0.6], cornerturn=[0.8, 0.9])]


def test_the_table_has_medians_intervals_and_the_worst():
    rows = [row([40, 50, 45], cornerturn=[0.5, 0.8, 0.6]), row([40, 40, 40], cornerturn=[0.3, 0.2, 0.4])]
    lines = cpu_arena.table(rows).splitlines()
    assert lines[2] == "| 4x5 (1,0) f32 | 45 | 0.600 (0.50–0.80) |"
    assert lines[4] == "| geometric mean | | 0.424 |" and lines[5] == "| worst | | 0.300 |"
