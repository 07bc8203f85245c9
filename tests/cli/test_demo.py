"""`make demo`: the README's first command."""

import pathlib
import subprocess
import sys

from arrays import PROGRAM

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "demo.py"


def test_the_demo(tmp_path):
    done = subprocess.run([sys.executable, SCRIPT, "--program", PROGRAM, "--out", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "every result equals NumPy's" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 130
    for picture in ("photo.png", "turned.png", "channels.png"):
        assert (tmp_path / picture).stat().st_size > 0
