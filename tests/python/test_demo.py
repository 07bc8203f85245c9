"""`make demo`: the README's first command."""

import os
import pathlib
import re
import subprocess
import sys

PROGRAM = os.environ["CORNERTURN"]
SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "demo.py"


def test_the_demo(tmp_path):
    done = subprocess.run([sys.executable, SCRIPT, "--program", PROGRAM, "--out", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("NumPy", "cornerturn", "a copy"):
        assert re.search(rf"^ +{name} +[\d.e+]+ ms +[\d.]+ of the speed of a copy$", done.stdout, re.MULTILINE)
    assert max(len(line.replace(str(tmp_path), "build/demo")) for line in done.stdout.splitlines()) <= 130
    for result in ("speed.png", "ladder.png", "photograph.png", "channels.png", "explain.html"):
        assert (tmp_path / result).stat().st_size > 0
