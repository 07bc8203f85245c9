"""CORNERTURN_LOG=plan: the plan of each call, on standard error."""

import os
import re
import subprocess
import sys

CALLS = """
import cornerturn, numpy as np
x = np.zeros((30, 40, 3), np.float32)
cornerturn.permute(x, (2, 0, 1))
cornerturn.permute(x, (2, 0, 1))
cornerturn.transpose(x)
cornerturn.plan(x, (1, 0, 2))(x)
cornerturn.permute(x[:0], (2, 0, 1))
"""


def said(value, calls=CALLS):
    environment = {name: text for name, text in os.environ.items() if name != "CORNERTURN_LOG"}
    if value is not None:
        environment["CORNERTURN_LOG"] = value
    return subprocess.run([sys.executable, "-c", calls], capture_output=True, text=True, check=True, env=environment).stderr


def test_each_call_has_a_line_cached_or_not():
    lines = said("plan").splitlines()
    assert len(lines) == 4 and lines[0] == lines[1] and len(set(lines)) == 3
    for line in lines:
        assert line.startswith("cornerturn: plan: shape (") and " of 4 bytes on the CPU (" in line and re.search(": [a-z_]+ in tiles of ", line)


def test_nothing_is_said_unless_asked_for():
    assert said(None) == "" and said("") == ""


def test_threads_of_a_call():
    """The plan of a call with a limit of its own has no more threads."""
    calls = ["permute(x, (1, 0), threads={})", "transpose(x, threads={})", "copy(x.T, np.empty_like(x.T, order='C'), threads={})",
             "ascontiguous(x.T, threads={})", "permute_inplace(x.copy(), (1, 0), threads={})", "plan(x, threads={})(x)"]
    head = "import cornerturn, numpy as np; cornerturn.set_num_threads(4); x = np.zeros((2048, 2048))"
    lines = {threads: said("plan", "\n".join([head, *(f"cornerturn.{each.format(threads)}" for each in calls)]))
             for threads in (1, 3)}
    assert all(len(text.splitlines()) == len(calls) for text in lines.values())
    assert all("1 thread)" in line for line in lines[1].splitlines()), lines
    assert all("3 threads)" in line for line in lines[3].splitlines()), lines


def test_another_value_is_named_once():
    assert said("plans") == "cornerturn: CORNERTURN_LOG is 'plans'; it must be plan\n"
