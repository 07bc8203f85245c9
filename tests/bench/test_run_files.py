"""Files of runs, compressed and not."""

import os
import pathlib
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import run_files  # noqa: E402

RUN = {"commit": "1a2b3c4", "rows": [{"ratio": 0.1 + 0.2, "shape": [3, 2]}]}


@pytest.mark.parametrize("name, begin", [("run.json", b'{\n "commit"'), ("run.json.gz", b"\x1f\x8b")])
def test_a_run_is_read_as_it_was_written(name, begin, tmp_path):
    run_files.write(tmp_path / name, RUN)
    assert run_files.read(tmp_path / name) == RUN and (tmp_path / name).read_bytes().startswith(begin)
    assert os.listdir(tmp_path) == [name]


def test_equal_runs_give_equal_files(tmp_path, monkeypatch):
    run_files.write(tmp_path / "a.json.gz", RUN)
    monkeypatch.setattr(time, "time", lambda: 1e9)
    run_files.write(tmp_path / "b.json.gz", RUN)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


def test_committed_runs_are_compressed():
    assert run_files.committed("h200-ladder.json")[0]["rungs"]
    assert not list(run_files.RESULTS.glob("*.json"))
