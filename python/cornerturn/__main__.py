"""`python -m cornerturn` and the command `cornerturn` run the program that the package contains."""

import os
import pathlib
import sys


def run():
    """Replaces this process by the program, with the same arguments."""
    program = pathlib.Path(__file__).parent / "bin/cornerturn"
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    run()
