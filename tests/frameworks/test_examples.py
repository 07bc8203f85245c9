"""The examples for frameworks."""

import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def run(name):
    done = subprocess.run([sys.executable, "-W", "ignore", EXAMPLES / name], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done


def test_torch():
    run("torch_tensors.py")


def test_cupy(cupy):
    run("cupy_arrays.py")
