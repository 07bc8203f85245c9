"""The tiles that the program takes by itself, held against the committed sweep."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import run_files  # noqa: E402

SWEEP = run_files.committed("h200-tiles.json")
# these keep the tile that shows what they are there to show
SHOWN = {"naive-read", "naive-write", "smem-conflict-read", "smem-conflict-write", "vec-conflict-read", "tma-conflict"}
# smaller matrices want smaller tiles, and where rows are not aligned there is little to choose from
LARGE = [run for run in SWEEP if run["rows"] >= 8192 and run["rows"] % 16 == 0]


def rungs_of(run):
    """The rows of each rung that has a tile, by its name."""
    rungs = {}
    for row in run["rungs"]:
        if row["tile"]:
            rungs.setdefault(row["name"], []).append(row)
    return rungs


@pytest.mark.parametrize("run", LARGE, ids=lambda run: f"{run['rows']}x{run['cols']}-{run['type']}")
def test_the_default_tile_is_as_fast_as_the_fastest_of_the_sweep(run):
    for name, rows in rungs_of(run).items():
        assert all(row["result"] == "right" for row in rows)
        if name not in SHOWN:
            assert rows[0]["ratio"] >= 0.995 * max(row["ratio"] for row in rows), name


@pytest.mark.parametrize("run", LARGE, ids=lambda run: f"{run['rows']}x{run['cols']}-{run['type']}")
def test_the_sweep_is_of_the_tiles_that_are_compiled(run, tmp_path):
    command = [os.environ["CORNERTURN"], "ladder", "--rows", "16", "--cols", "16", "--repeats", "1", "--type", run["type"],
               "--tiles", "all", "--json", tmp_path / "run.json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    [compiled] = json.loads((tmp_path / "run.json").read_text())
    tiles = lambda of: {name: [(row["tile"], row["threads"], row["tiles"]) for row in rows]
                        for name, rows in rungs_of(of).items()}
    assert tiles(compiled) == tiles(run)
