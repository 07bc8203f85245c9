"""bench/jax_permute.py on small arrays."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("jax")

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "jax_permute.py"


def run(folder, *options):
    """Packages in the folder come before the others."""
    cases = folder / "cases.json"
    cases.write_text(json.dumps([[[50, 60], [1, 0], "f64"], [[2, 3, 4], [2, 0, 1], "bf16"], [[65536, 4096], [1, 0], "c128"]]))
    return subprocess.run([sys.executable, SCRIPT, "--cases", cases, "--rounds", "2", "--json", folder / "run.json", *options],
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ":".join([str(folder), *sys.path])})


@pytest.mark.parametrize("options, memory", [([], "new"), (["--reuse"], "reused")])
def test_a_run(tmp_path, options, memory):
    done = run(tmp_path, *options)
    assert done.returncode == 0, done
    result = json.loads((tmp_path / "run.json").read_text())
    assert [(row["type"], row["bytes"]) for row in result["rows"]] == [("f64", 24000), ("bf16", 48)] and result["omitted"] == 1
    assert all(row["ratio"] > 0 and row["ms"].keys() == {"cornerturn", "xla"} for row in result["rows"])
    assert {"date", "commit", "compilers", "threads"} <= result.keys() and "jax" in result["versions"] and result["memory"] == memory
    assert done.stdout.splitlines()[2].startswith("| 50x60 (1,0) f64 | ")


def test_a_wrong_result_is_not_timed(tmp_path):
    package = tmp_path / "cornerturn"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "jax.py").write_text("def permute(x, axes): return x.reshape([x.shape[axis] for axis in axes])")
    done = run(tmp_path)
    assert done.returncode == 1 and done.stderr == "jax_permute: the results for (50, 60) (1, 0) f64 differ\n", done
    assert not (tmp_path / "run.json").exists()
