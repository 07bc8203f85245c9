"""Merging runs of the ladder from several cards."""

import json
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench/median_runs.py"


def run(memcpy, rows, card="a"):
    rungs = [{"name": name, "tile": tile, "threads": 256, "ratio": ratio, "gbs": gbs} for name, tile, ratio, gbs in rows]
    return [{"device": "a GPU", "card": card, "date": "2026-11-25", "rows": 64, "cols": 32, "type": "f32", "memcpy_gbs": memcpy,
             "rungs": rungs}]


def merged(tmp_path, runs):
    paths = []
    for number, each in enumerate(runs):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(each))
    done = subprocess.run([sys.executable, SCRIPT, *paths, tmp_path / "out.json"], capture_output=True, text=True)
    return done.stderr.strip() or json.loads((tmp_path / "out.json").read_text())


def test_a_row_is_that_of_the_run_with_the_median_ratio(tmp_path):
    found = merged(tmp_path, [run(400, [("tma", "64x64", 0.9, 1)], "a"), run(410, [("tma", "64x64", 0.7, 2)], "c"),
                              run(390, [("tma", "64x64", 0.8, 3)], "b")])
    assert found[0]["rungs"] == [{"name": "tma", "tile": "64x64", "threads": 256, "ratio": 0.8, "gbs": 3}]
    assert found[0]["cards"] == 3 and found[0]["card"] == ["a", "b", "c"] and found[0]["memcpy_gbs"] == 400


def test_rows_without_a_time_stay_without(tmp_path):
    assert merged(tmp_path, [run(400, [("tma", None, None, None)], card) for card in "abc"])[0]["rungs"][0]["ratio"] is None


def test_the_best_tile_is_that_of_the_medians(tmp_path):
    runs = [run(400, [("tma", "64x64", a, 1), ("tma", "128x64", b, 1)], card)
            for card, a, b in [("a", 0.9, 0.8), ("b", 0.7, 0.8), ("c", 0.7, 0.8)]]
    for each in runs:
        each[0]["rungs"][0]["best"] = True
    assert ["best" in row for row in merged(tmp_path, runs)[0]["rungs"]] == [False, True]


def test_fewer_than_three_runs_and_different_rows_are_refused(tmp_path):
    one = run(400, [("tma", "64x64", 0.9, 1)])
    assert merged(tmp_path, [one, one]) == "median_runs: 2 runs are given; at least 3 are needed"
    assert merged(tmp_path, [one, one, one]) == "median_runs: the runs are of 1 cards or days; at least 3 are needed"
    assert "different rows" in merged(tmp_path, [one, one, run(400, [("copy", "64x64", 0.9, 1)])])
