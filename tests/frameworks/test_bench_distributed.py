"""bench/distributed_gpus.py and bench/distributed_cpu.py on small arrays, with ranks of Gloo, and bench/pack_gpu.py."""

import json
import pathlib
import subprocess
import sys

import pytest
import torch

BENCH = pathlib.Path(__file__).parents[2] / "bench" / "distributed_gpus.py"


def run(*arguments):
    return subprocess.run([sys.executable, "-W", "ignore", BENCH, *arguments], capture_output=True, text=True, timeout=240)


def test_all_ways_that_need_no_gpu_give_the_same_bits(tmp_path):
    out = tmp_path / "figures.json"
    ways = ["all-to-all", "nccl", "one process", "peer writes"]
    done = run("--gpus", "2", "--device", "cpu", "--tiny", "--rounds", "2", "--ways", ",".join(ways), "--out", out)
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert figures["commit"] and figures["gpus"] == 2 and len(figures["cases"]) == 4
    for case in figures["cases"]:
        assert set(case["ways"]) == {"torch eager", *ways}
        assert all(len(each["runs_ms"]) == 2 and each["ms"] > 0 for each in case["ways"].values())
    assert figures["cases"][0]["bytes_of_a_rank"] == 64 * 32 * 4 and figures["cases"][0]["bytes_sent_by_a_rank"] == 32 * 32 * 4


def test_ways_that_do_not_exist_are_refused(tmp_path):
    done = run("--gpus", "2", "--ways", "nccl,mpi", "--out", tmp_path / "figures.json")
    assert done.returncode == 2 and "--ways has mpi; it must be some of all-to-all, nccl" in done.stderr


def test_two_ranks_of_one_cpu(tmp_path):
    out = tmp_path / "figures.json"
    done = subprocess.run([sys.executable, "-W", "ignore", BENCH.with_name("distributed_cpu.py"), "gloo", "--tiny", "--rounds", "2", "--out", out],
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert figures["commit"] and figures["versions"]["torch"] and len(figures["cases"]) == 4
    for case in figures["cases"]:
        assert set(case["ways"]) == {"all-to-all", "cornerturn", "permutes of PyTorch"}
        assert all(len(each["runs_ms"]) == 2 and each["ms"] > 0 for each in case["ways"].values())
    assert figures["cases"][0]["bytes_of_a_rank"] == 64 * 32 * 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_packing_on_a_gpu(tmp_path):
    out = tmp_path / "figures.json"
    done = subprocess.run([sys.executable, "-W", "ignore", BENCH.with_name("pack_gpu.py"), "--tiny", "--rounds", "2", "--out", out],
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    cases = json.loads(out.read_text())["cases"]
    assert len(cases) == 4 and all(each["ms"] > 0 for case in cases for each in case["ways"].values())
