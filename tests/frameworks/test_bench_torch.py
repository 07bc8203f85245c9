"""The benches of cornerturn.torch.enable on small tensors, and the tables of their runs."""

import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import types

import cornerturn.torch
import pytest
import torch

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.append(str(BENCH))
import run_files  # noqa: E402
import torch_rule  # noqa: E402
import torch_steps  # noqa: E402
import torch_tables  # noqa: E402
import torch_zoo  # noqa: E402


def run(script, *options):
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # threads that wait for each other take minutes where others compute, too
    done = subprocess.run([sys.executable, BENCH / script, *map(str, options)], capture_output=True, text=True, timeout=500, env=alone)
    assert done.returncode == 0, done
    return done.stdout


def test_training_steps(tmp_path):
    """Models of torchvision and transformers run if the environment has these."""
    file = tmp_path / "run.json"
    printed = run("torch_steps.py", "--tiny", "--rounds", 1, "--json", file)
    result = json.loads(file.read_text())
    assert result["models"].keys() | result["absent"].keys() == torch_zoo.CASES.keys() and len(torch_zoo.CASES) == 10
    assert {"U-Net, channels_last", "diffusion transformer"} <= result["models"].keys()
    assert {"date", "commit", "compilers", "command"} <= result.keys()
    for row in result["models"].values():
        assert all(low <= median <= high for median, low, high in (row["ratio"], *row["ms"].values())) and row["ratio"][1] > 0
        assert row["taken"] + row["left"] > 0 and all(us > 0 for us in row["copies_us"].values())
    assert result["models"]["U-Net, channels_last"]["taken"]
    assert printed.count("\n") == len(result["models"]) == torch_tables.models([], result).count("\n") - 2


def test_each_round_has_a_step_of_each_kind():
    is_on = lambda: bool(cornerturn.torch.report().devices)
    orders = []
    found = torch_steps.rounds_of(lambda: orders.append(is_on()) or is_on(), 12, random.Random(0))
    cornerturn.torch.disable()
    assert found == {"off": 12 * [False], "on": 12 * [True]}
    assert {tuple(orders[i:i + 2]) for i in range(0, 24, 2)} == {(False, True), (True, False)}


def test_copies_are_told_from_other_kernels():
    names = {"void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>": 1,
             "void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)>": 2,
             "Memcpy DtoD (Device -> Device)": 4, "void cornerturn::run<cornerturn::tiled<4> >": 8, "Memcpy HtoD (Pageable -> Device)": 16,
             "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float>": 32, "ampere_sgemm_128x64_nn": 64}
    event = lambda name, us, kind: types.SimpleNamespace(name=name, device_type=kind, time_range=types.SimpleNamespace(elapsed_us=lambda: us))
    kinds = torch.autograd.DeviceType
    events = [event(name, us, kinds.CUDA) for name, us in names.items()] + [event("cornerturn", 1000, kinds.CPU)]
    assert torch_steps.times_of(events, "cuda") == {"copies_us": 15, "gpu_ms": pytest.approx(0.127)}
    events = [event("aten::copy_", 3, kinds.CPU), event("aten::copy_to", 5, kinds.CPU)]
    assert torch_steps.times_of(events, "cpu") == {"copies_us": 3}


def test_the_cost_of_a_call():
    result = json.loads(run("torch_call_cost.py", "--rounds", 2, "--calls", 20))
    taken = {name for name, call in result["calls"].items() if call["taken"]}
    assert len(taken) == 3 and all(name.endswith("transposed") for name in taken) and len(result["calls"]) == 8
    assert torch_tables.call_cost([], result).count("\n") == 10


@pytest.mark.parametrize("path", sorted(BENCH.glob("results/*-torch-rule.json.gz")), ids=lambda path: path.name)
def test_the_rule_takes_no_copy_that_was_slower_in_each_round(path):
    run = run_files.read(path)
    device = "cpu" if run["device"].endswith(" cores") else "cuda"
    of = torch_rule.cases_of(device, most=64)
    slower = []
    for row, given in zip(run["cases"], itertools.cycle(of)):
        with torch.device("meta"):
            verdict = torch_rule.judged(*torch_rule.sides(*given), device)
        assert (row["MiB"], row["row"]) == (round(given[1], 3), given[0][1])
        if verdict == "taken" and max(row["ratios"]) < 0.95:
            slower.append(row)
    assert not slower and len(run["cases"]) % len(of) == 0


def test_the_rule():
    result = json.loads(run("torch_rule.py", "--rounds", 1, "--most", 0.02, "--threads", 1, 2, "--clock", "cpu"))
    cases = result["cases"]
    assert {case["case"] for case in cases} == {"heads", "slices", "squares", "pixels", "gaps", "converted"}
    assert {case["threads"] for case in cases} == {1, 2} and {"taken", "small", "rows"} <= {case["verdict"] for case in cases}
    assert torch_tables.rule([], result).count("\n") == 2 + 2 * 6
