"""bench/operations_cpu.py on small arrays: NumPy's results are ours, and a run describes itself."""

import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("ml_dtypes")
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import tables  # noqa: E402


def test_a_run(tmp_path):
    file = tmp_path / "run.json"
    command = [sys.executable, BENCH / "operations_cpu.py", "--tiny", "--rounds", "1", "--openblas", "none.so", "--json", file]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done
    run = json.loads(file.read_text())
    assert {"date", "commit", "compilers"} <= run.keys() and run["absent"]["hptt"] == "--hptt names no library"
    assert "none.so" in run["absent"]["openblas"]
    assert len(run["cases"]) == done.stdout.count("\n") == 25
    assert all({"cornerturn", "straight", "plain of source", "numpy"} <= case["ms"].keys() for case in run["cases"])
    cast = run["cases"][3]
    assert (cast["source"], cast["destination"], cast["bytes"]) == ("float32", "float64", 64 * 64 * 12)
    added = run["cases"][-1]
    assert added["bytes"] == 63 * 65 * 12
    assert added["to_identity"] == pytest.approx(1.5 * added["ms"]["plain of source"] / added["ms"]["cornerturn"], rel=0.01)


def test_another_result_is_refused():
    import numpy as np
    import operations_cpu

    out = np.zeros((2, 2))
    fill = lambda number: lambda: out.fill(number)
    operations_cpu.check({"cornerturn": fill(3), "straight": fill(5), "numpy": fill(3)}, out)
    with pytest.raises(SystemExit, match="numpy differs"):
        operations_cpu.check({"cornerturn": fill(3), "numpy": fill(3.01)}, out)


def test_cases_that_a_peer_wins_in_a_run_come_first():
    def case(destination, identity, **beside):
        return {"shape": [4, 5], "source": "float32", "destination": destination, "alpha": 0.5, "to_straight": 1, "to_identity": identity,
                "beside": beside}

    runs = [{"cases": [case("float64", 0.5, numpy=3), case("float32", 0.9, numpy=4, hptt=1.2), case("int8", 0.8, numpy=9)]},
            {"cases": [case("float32", 0.95, numpy=4, hptt=0.8), case("int8", 0.4, numpy=9)]}]
    lines = tables.cpu_operations([], *runs).splitlines()
    assert lines[0].endswith("| to a plain permutation | to numpy, one thread | to hptt |")
    assert lines[2:] == ["| 4 x 5 | float32 to float32, alpha 0.5 | 1.00 | 0.90–0.95 | 4.00 | 0.80–1.20 |",
                         "| 4 x 5 | float32 to int8, alpha 0.5 | 1.00 | 0.40–0.80 | 9.00 | – |",
                         "| 4 x 5 | float32 to float64, alpha 0.5 | 1.00 | 0.50 | 3.00 | – |"]
