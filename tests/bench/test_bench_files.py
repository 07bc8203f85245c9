"""bench/files.py on a small file."""

import json
import os
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "files.py"


def run(folder, program):
    command = [sys.executable, SCRIPT, program, "--memory", "2", "--rounds", "2", "--folder", folder,
               "--json", folder / "run.json"]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_run(tmp_path):
    done = run(tmp_path, os.environ["CORNERTURN"])
    assert done.returncode == 0, done
    result = json.loads((tmp_path / "run.json").read_text())
    assert result["shape"] == [1024, 2048] and result["memory_bytes"] == 2 << 20
    assert len(result["seconds"]) == 2 and all(set(each) == {"cp", "cornerturn"} for each in result["seconds"])
    assert result["ratio"] > 0 and result["peak_bytes"] > 2 << 20
    assert {"date", "commit", "compilers", "cp"} <= result.keys() and result["cp"].startswith("cp ")
    assert os.listdir(tmp_path) == ["run.json"]


def test_a_wrong_result_is_not_timed(tmp_path):
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\nexec cp "$2" "$3"\n')
    program.chmod(0o755)
    done = run(tmp_path, program)
    assert done.returncode == 1 and done.stderr.startswith("wrong: element "), done
    assert os.listdir(tmp_path) == ["program"]
