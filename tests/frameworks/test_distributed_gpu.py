"""`cornerturn.distributed` over the GPUs of this machine."""

import pathlib
import subprocess
import sys

import pytest
import torch

RANKS = pathlib.Path(__file__).with_name("gpu_ranks.py")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("case", ["blocks", "changed_blocks", "ordered_blocks", "nccl", "changed", "dtensor_moved", "dtensor_derived",
                                  "dtensor_not_arrived", "ipc", "ipc_nccl", "ipc_large"])
def test_ranks_on_gpus(case):
    done = subprocess.run([sys.executable, RANKS, case], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
