"""`make demo`: the README's first command."""

import os
import pathlib
import re
import subprocess
import sys

PROGRAM = os.environ["CORNERTURN"]
SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "demo.py"


def test_the_demo(tmp_path):
    program = pathlib.Path(PROGRAM).resolve()
    done = subprocess.run([sys.executable, SCRIPT, "--program", pathlib.Path(program.parent.name) / program.name, "--out", tmp_path],
                          cwd=program.parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in (r"NumPy \(one thread\)", "cornerturn", "a copy"):
        assert re.search(rf"^ +{name} +[\d.e+]+ ms +[\d.]+ of the speed of a copy$", done.stdout, re.MULTILINE)
    assert max(len(line.replace(str(tmp_path), "build/demo")) for line in done.stdout.splitlines()) <= 130
    assert done.stdout.splitlines()[-1] == f"PATH=$PWD/{pathlib.Path(PROGRAM).parent.name}:$PATH"
    for result in ("speed.png", "ladder.png", "photograph.png", "channels.png", "explain.html"):
        assert (tmp_path / result).stat().st_size > 0


def test_cornerturn_has_one_colour_in_all_charts():
    own = re.search(r'"cornerturn": "(#\w+)"', (SCRIPT.parents[1] / "bench/arena_report.py").read_text())[1]
    assert f'OWN, OTHER = "{own}"' in SCRIPT.read_text()
