"""Who does not use a GPU does not start CUDA."""

import subprocess
import sys


def test_numpy_does_not_start_cuda(cuda):
    """A child after fork could not use CUDA if its parent had started it."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", """
import os, cornerturn, numpy as np, torch
x = np.zeros((600, 700))
cornerturn.plan(x)(x), cornerturn.transpose(torch.zeros(600, 700)), cornerturn.copy(x, np.empty_like(x))
child = os.fork()
if child == 0:
    y = torch.ones(2, 3, device="cuda")
    os._exit(0 if torch.equal(cornerturn.transpose(y), y.T) else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done


def test_the_interpreter_ends_cleanly_where_torch_keeps_what_a_plan_is_kept_by():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", """
import cornerturn.torch, torch
plan = cornerturn.plan((2, 3), dtype="f4")
torch.compile(lambda x: cornerturn.torch.permute(x, (1, 0)), backend="eager")(torch.ones(2, 3))
"""], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, ""), done
