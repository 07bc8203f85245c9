"""`python -m cornerturn` runs the program cornerturn, which the package contains."""

import os
import pathlib
import sys

program = pathlib.Path(__file__).parent / "bin/cornerturn"
os.execv(program, [str(program), *sys.argv[1:]])
