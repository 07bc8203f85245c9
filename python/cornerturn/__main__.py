"""`python -m cornerturn` is the program cornerturn, which lies in the package."""

import os
import pathlib
import sys

program = pathlib.Path(__file__).parent / "bin/cornerturn"
os.execv(program, [str(program), *sys.argv[1:]])
