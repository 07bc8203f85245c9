"""bench/ladder_runs.py with a program that only says what it was asked."""

import json
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "ladder_runs.py"
sys.path.insert(0, str(SCRIPT.parent))
import provenance  # noqa: E402

PROGRAM = """#!{python}
import json, sys
given = dict(zip(sys.argv[2::2], sys.argv[3::2]))
open(given.pop("--json"), "w").write(json.dumps([given | {{"device": "{device}"}}]))
sys.exit({exit_code})
"""


@pytest.fixture
def climb(tmp_path):
    def climb(*options, device="GPU", exit_code=0):
        program, out = tmp_path / "program", tmp_path / "results" / "runs.json"
        program.write_text(PROGRAM.format(python=sys.executable, device=device, exit_code=exit_code))
        program.chmod(0o755)
        done = subprocess.run([sys.executable, SCRIPT, program, out, *options], stderr=subprocess.PIPE, text=True)
        return done, json.loads(out.read_text()) if out.exists() else None

    return climb


def test_every_size_is_run_and_joined_into_one_list(climb):
    done, runs = climb("--repeats", "5")
    assert done.returncode == 0
    sizes = {(run["--rows"], run["--cols"], run["--type"]) for run in runs}
    assert len(sizes) == len(runs) == 9
    assert {("32768", "32768", "f32"), ("16383", "16385", "f32"), ("32768", "65536", "u8")} <= sizes
    assert all(run["--repeats"] == "5" and run | provenance.of_ladder() == run for run in runs)


@pytest.mark.parametrize("how, complaint", [
    ({"device": ""}, "there is no GPU"),
    ({"exit_code": 1}, "1024 x 1024 f32 ended with exit code 1"),
])
def test_a_run_that_times_nothing_or_fails_leaves_no_results(climb, how, complaint):
    done, runs = climb(**how)
    assert done.returncode and complaint in done.stderr
    assert runs is None
