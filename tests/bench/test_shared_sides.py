"""The accesses of bench/shared_sides.json: the program reads each of them, and nvcc makes of it the instruction that it names.
CORNERTURN names the program."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import shared_sides  # noqa: E402
import user_counters  # noqa: E402
from test_user_counters import tools  # noqa: E402

PROGRAM = os.environ["CORNERTURN"]
CASES = json.loads(shared_sides.CASES.read_text())
OPCODES = {"ldmatrix": "LDSM", "stmatrix": "STSM", "cp_async": "LDGSTS"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_program_counts_both_sides(case):
    [explained] = user_counters.explained(PROGRAM, "--code", shared_sides.code_of(case))["explanations"]
    sides = [(each["space"], each["store"]) for each in explained["instructions"]]
    if "from" in case:
        assert sides == [("global", False), ("shared", True)] and all(each["async"] for each in explained["instructions"])
    else:
        assert sides == [("shared", case["access"].startswith("stmatrix"))]


def test_nvcc_makes_the_instruction_that_an_access_names(tmp_path):
    nvcc, cuobjdump, environment = tools()
    (tmp_path / "sides.cu").write_text(shared_sides.program_of(CASES))
    folders = [f"-I{user_counters.BENCH.parent / name}" for name in ("include", "src", "bench")]
    subprocess.run([nvcc, "-std=c++17", "-O3", "-arch=sm_90", *folders, "-cubin", "sides.cu"], cwd=tmp_path, check=True)
    text = subprocess.run([cuobjdump, "-sass", "sides.cubin"], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          check=True).stdout
    kernels = {int(found[1]): kernel for kernel in text.split("Function : ") if (found := re.search(r"touch_(\d+)", kernel))}
    assert len(kernels) == len(CASES)
    for index, case in enumerate(CASES):
        # nvcc has loads by no lane, "@!PT LDS", before cp.async
        named = OPCODES[case["access"][:8]]
        assert set(re.findall(r"(?<!@!PT )\b(LDSM|STSM|LDGSTS|LDS|STS)\b", kernels[index])) == {named}, case["name"]
    assert "UTMALDG" in text and "UTMASTG" in text
