"""The ranks of a case of a script beside this file: SCRIPT, ranks, CASE, folder of the job, timeout in seconds. Each is forked from this
process, which imports PyTorch for all of them. Rank r writes to out.r and err.r in the folder; its number and exit code are printed
when it has ended.
"""

import os
import pathlib
import runpy
import sys

import cornerturn.distributed  # noqa: F401
import cornerturn.torch.distributed  # noqa: F401

script, ranks, case, folder, timeout = sys.argv[1:]
if script == "dtensor_ranks.py":
    import torch._dynamo  # noqa: F401, as the first operator of a DTensor does
started = {}
for rank in range(int(ranks)):
    child = os.fork()
    if child == 0:
        for number, name in enumerate(("out", "err"), 1):
            os.dup2(os.open(f"{folder}/{name}.{rank}", os.O_WRONLY | os.O_CREAT | os.O_EXCL), number)
        sys.argv = [script, case, folder, str(rank), ranks, timeout]
        runpy.run_path(str(pathlib.Path(__file__).with_name(script)), run_name="__main__")
        break
    started[child] = rank
else:
    while started:
        ended, status = os.wait()
        print(started.pop(ended), os.waitstatus_to_exitcode(status), flush=True)
