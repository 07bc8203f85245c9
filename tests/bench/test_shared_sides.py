"""The accesses of bench/shared_sides.json: the program counts what an H200 counted, bench/results/h200-shared-sides.json.gz, except for
what docs/explain.md excludes, and nvcc makes of each the instruction that it names. CORNERTURN names the program."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import run_files  # noqa: E402
import shared_sides  # noqa: E402
import user_counters  # noqa: E402
from test_user_counters import tools  # noqa: E402

PROGRAM = os.environ["CORNERTURN"]
CASES = json.loads(shared_sides.CASES.read_text())
COUNTED = run_files.committed("h200-shared-sides.json")
OPCODES = {"ldmatrix": "LDSM", "stmatrix": "STSM", "cp_async": "LDGSTS"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_program_counts_both_sides(case):
    [explained] = user_counters.explained(PROGRAM, "--code", shared_sides.code_of(case))["explanations"]
    sides = [(each["space"], each["store"]) for each in explained["instructions"]]
    if "from" in case:
        assert sides == [("global", False), ("shared", True)] and all(each["async"] for each in explained["instructions"])
    else:
        assert sides == [("shared", case["access"].startswith("stmatrix"))]


# through the L1 cache, cp.async takes more wavefronts if its source has many lines
THROUGH_L1 = {"8-byte copies of a column": 32, "words of a column": 32}
WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"


@pytest.mark.parametrize("counted", COUNTED["accesses"], ids=lambda counted: counted["name"])
def test_an_access_costs_what_the_gpu_counted(counted):
    case = next(case for case in CASES if case["name"] == counted["name"])
    assert case.items() <= counted.items(), "counted for another access; bench/shared_sides.py counts anew"
    [explained] = user_counters.explained(PROGRAM, "--code", shared_sides.code_of(case))["explanations"]
    told = sum(each["wavefronts"] for each in explained["instructions"])
    if "from" not in case:
        wavefronts = counted[WAVEFRONTS + ("stsm" if case["access"].startswith("stmatrix") else "ldsm")]
        assert wavefronts == told
        return
    assert counted["async wavefronts"] == THROUGH_L1.get(case["name"], told)
    sectors = sum(each["sectors"] + each["split_sectors"] for each in explained["instructions"])
    assert counted["async sectors past L1"] + counted["async sectors through L1"] == sectors


def test_differences_are_of_accesses_that_differ():
    for case in CASES:
        if known := THROUGH_L1.get(case["name"]):
            [explained] = user_counters.explained(PROGRAM, "--code", shared_sides.code_of(case))["explanations"]
            assert sum(each["wavefronts"] for each in explained["instructions"]) < known


@pytest.mark.parametrize("box", COUNTED["boxes"], ids=lambda box: f"{box['rows']}x{box['width']}, {box['swizzle']}, {box['store']}")
def test_a_box_of_tma_has_no_bank_conflicts(box):
    """Each word of shared memory is read or written once."""
    words = box["rows"] * box["width"] * 2 // 4
    assert box["l1tex__data_bank_reads" if box["store"] else "l1tex__data_bank_writes"] == words


@pytest.mark.parametrize("box", COUNTED["boxes"], ids=lambda box: f"{box['rows']}x{box['width']}, {box['swizzle']}, {box['store']}")
def test_a_box_has_the_sectors_that_the_gpu_counted(box):
    copy = "tma_store(&map, 0, 0, &tile)" if box["store"] else "tma_load(&tile, &map, 0, 0)"
    code = f"__shared__ half tile[{box['rows']}][{box['width']}];\n__device__ half map[256][512];\nif (threadIdx.x == 0) {copy};"
    [explained] = user_counters.explained(PROGRAM, "--code", code)["explanations"]
    [copied] = explained["instructions"]
    counter = "l1tex__m_l1tex2xbar_write_sectors_pipe_tma" if box["store"] else "l1tex__m_xbar2l1tex_read_sectors_pipe_tma"
    assert copied["box"] and copied["store"] == box["store"] and copied["sectors"] == box[counter] > 0


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
