"""The sentences of the program's errors, all in one file: each command of errors.txt prints the line below it, with names of types for
<types>, <all types> and <8-bit floats>, and the number of rungs for <number of>.
"""

import os
import pathlib
import shlex
import subprocess

import pytest

from element_types import BY_SIZE, F8, MOVED
from rungs import RUNGS

LISTS = {"<types>": [row.name for row in MOVED], "<all types>": [row.name for row in BY_SIZE], "<8-bit floats>": F8,
         "<number of>": [str(len(RUNGS))]}
LINES = (pathlib.Path(__file__).parent / "errors.txt").read_text().splitlines()
SAID = [(command.removeprefix("$ cornerturn "), said) for command, said in zip(LINES[::2], LINES[1::2], strict=True)]


@pytest.mark.parametrize("command, said", SAID, ids=[command for command, _ in SAID])
def test_an_error_is_one_sentence(command, said, tmp_path):
    for listed, names in LISTS.items():
        said = said.replace(listed, ", ".join(names))
    done = subprocess.run([os.environ["CORNERTURN"], *shlex.split(command)], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said + "\n")
    assert not list(tmp_path.iterdir())
